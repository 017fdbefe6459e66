package inspector

import (
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"locktop/keyspace"
)

// sampler listens to a probe for one lock. Of everything that passes it keeps only what concerns the lock: who, when, what kind of
// attempt, and its token.
type sampler struct {
	lock   *Lock
	rules  Rules
	beside map[string]bool // keys and channels that belong to the lock

	nodes   map[keyspace.Node]*sampledPlace
	clients []sampledConnection
	tries   []try
	scripts map[uint64]*scriptHabit
	owners  map[string]int32
	names   []string // of owners, by their numbers
	seed    maphash.Seed
}

// sampledPlace is what is heard of one master: the order of its commands says what became of each.
type sampledPlace struct {
	node    keyspace.Node
	clients map[string]int32
	steps   []step
	seeds   []seed
	// caller is the last command that no script ran; what scripts run belongs to it.
	caller caller
}

// sampledConnection is one connection that did something about the lock.
type sampledConnection struct {
	node keyspace.Node
	addr string
}

// caller is a command that may be running a script.
type caller struct {
	addr   []byte
	at     time.Time
	script uint64 // which one; 0: it runs none
	body   effort // what its text says that it is for; effortNone: nothing
	about  bool   // it names the lock
	owner  []byte
	try    int32 // the attempt that it is, or -1
}

// effort is what somebody attempts to do about a lock.
type effort uint8

const (
	effortNone effort = iota
	effortAcquire
	effortExtend
	effortRelease
	effortWait
	effortLeave  // waits no more
	effortRepair // gives a TTL to a lock that has none
)

// result is what became of an attempt.
type result uint8

const (
	resultUnknown result = iota
	resultDone
	resultFailed
)

// try is one attempt.
type try struct {
	at     time.Time
	place  *sampledPlace
	client int32
	owner  int32 // its token, as a number from 1 on; 0: none
	script uint64
	effort effort
	result result
	// guess is what the script does next on an attempt that only its server knows the result of.
	guess result
	// looked: the script has read the key before it wrote to it.
	looked bool
}

// scriptHabit is what a script was seen to do.
type scriptHabit struct {
	body effort
	did  [effortRepair + 1]int
}

// usual is what a script is for, as far as all that was seen of it agrees.
func (h *scriptHabit) usual() effort {
	found := effortNone
	for _, e := range []effort{effortAcquire, effortExtend, effortRelease} {
		if h.did[e] == 0 {
			continue
		}
		if found != effortNone {
			return h.body
		}
		found = e
	}
	if found == effortNone {
		return h.body
	}
	return found
}

// maxOwners bounds how many tokens are told apart.
const maxOwners = 20_000

func newSampler(l *Lock, rules Rules) *sampler {
	s := &sampler{
		lock: l, rules: rules, beside: make(map[string]bool), nodes: make(map[keyspace.Node]*sampledPlace),
		scripts: make(map[uint64]*scriptHabit), owners: make(map[string]int32), names: []string{""}, seed: maphash.MakeSeed(),
	}
	company := rules.Of(l.Observed)
	for _, name := range slices.Concat(company.Keys, company.Channels) {
		s.beside[name] = true
	}
	return s
}

func (s *sampler) place(node keyspace.Node) *sampledPlace {
	p := s.nodes[node]
	if p == nil {
		p = &sampledPlace{node: node, clients: make(map[string]int32), caller: caller{try: -1}}
		s.nodes[node] = p
	}
	return p
}

// take listens to one command.
func (s *sampler) take(h keyspace.Heard) {
	p := s.place(h.Node)
	var word [maxCommand]byte
	name := upper(h.Args[0], &word)
	if h.Scripted() {
		s.inner(p, h, name)
		return
	}
	c := &p.caller
	*c = caller{addr: append(c.addr[:0], h.Addr...), at: h.At, owner: c.owner[:0], try: -1}
	if runsScript(name) {
		s.call(p, h, name)
		return
	}
	a := actOf(name, h.Args)
	if a.effort == effortNone && a.effect == effectNone {
		return
	}
	if !s.concerns(a, h) {
		return
	}
	t := int32(-1)
	if a.effort != effortNone {
		t = s.begin(p, h.At, string(a.owner), a.effort)
	}
	if a.effect != effectNone {
		p.steps = append(p.steps, s.step(h.At, a, t))
	}
}

// step is what a command of an attempt does to the key.
func (s *sampler) step(at time.Time, a act, t int32) step {
	return step{
		at: at, effect: a.effect, ttl: a.ttl, ttlKnown: a.ttlKnown, condition: a.condition, asks: a.asks,
		owner: s.owner(a.owner), try: t,
	}
}

// concerns says whether a command is about the lock.
func (s *sampler) concerns(a act, h keyspace.Heard) bool {
	switch {
	case a.everything:
		return !a.ofDatabase || h.DB == s.lock.DB
	case a.channel:
		return slices.ContainsFunc(h.Args[a.from:], s.belongs)
	case h.DB != s.lock.DB:
		return false
	case a.effort == effortWait:
		return slices.ContainsFunc(h.Args[a.from:max(a.from, a.to)], func(arg []byte) bool { return string(arg) == s.lock.Key || s.belongs(arg) })
	}
	return slices.ContainsFunc(h.Args[a.from:max(a.from, a.to)], func(arg []byte) bool { return string(arg) == s.lock.Key })
}

// belongs says whether a name is of a key or a channel that belongs to the lock.
func (s *sampler) belongs(name []byte) bool {
	return s.beside[string(name)] || slices.Contains(s.rules.Owners(string(name)), s.lock.Key)
}

// begin notes an attempt of the caller.
func (s *sampler) begin(p *sampledPlace, at time.Time, owner string, e effort) int32 {
	addr := string(p.caller.addr)
	known := addr
	if strings.HasPrefix(addr, "unix:") { // all have the same
		known += " " + owner
	}
	client, found := p.clients[known]
	if !found {
		client = int32(len(s.clients))
		p.clients[known] = client
		s.clients = append(s.clients, sampledConnection{p.node, addr})
	}
	s.tries = append(s.tries, try{at: at, place: p, client: client, owner: s.owner([]byte(owner)), effort: e, script: p.caller.script})
	return int32(len(s.tries) - 1)
}

// owner is the number of a token.
func (s *sampler) owner(token []byte) int32 {
	if len(token) == 0 {
		return 0
	}
	if n, known := s.owners[string(token)]; known {
		return n
	}
	if len(s.names) > maxOwners {
		return 0
	}
	n := int32(len(s.names))
	s.owners[string(token)] = n
	s.names = append(s.names, string(token))
	return n
}

// call begins the call of a script, which is an attempt once it has touched the lock.
func (s *sampler) call(p *sampledPlace, h keyspace.Heard, name string) {
	if len(h.Args) < 2 {
		return // the rest of it was cut
	}
	keys, rest := scriptKeys(h.Args)
	c := &p.caller
	c.script = maphash.Bytes(s.seed, h.Args[1])
	for _, key := range keys {
		if h.DB == s.lock.DB && (string(key) == s.lock.Key || s.belongs(key)) {
			c.about = true
		}
	}
	if !c.about {
		return
	}
	c.owner = append(c.owner, tokenAmong(rest, s.lock)...)
	if name == "EVAL" || name == "EVAL_RO" {
		c.body = purposeOf(h.Args[1])
	}
}

// inner takes what a script runs.
func (s *sampler) inner(p *sampledPlace, h keyspace.Heard, name string) {
	c := &p.caller
	if c.script == 0 || h.DB != s.lock.DB {
		return // an older server calls other things so, or the call came before us
	}
	a := actOf(name, h.Args)
	if a.channel || a.everything && !s.concerns(a, h) || !a.everything && !keyed(h.Args, s.lock.Key) {
		return
	}
	if c.try < 0 {
		c.try = s.begin(p, c.at, string(c.owner), effortNone)
		if c.body != effortNone {
			s.habit(c.script).body = c.body
		}
	}
	t := &s.tries[c.try]
	if a.effort != effortNone {
		s.did(t, a)
	} else if looksAtEnd(name) {
		s.lookedAtEnd(t)
	}
	if a.effect != effectNone {
		p.steps = append(p.steps, s.step(h.At, a, c.try))
	} else if t.effort == effortNone {
		t.looked = true
	}
}

func (s *sampler) habit(script uint64) *scriptHabit {
	h := s.scripts[script]
	if h == nil {
		h = &scriptHabit{}
		s.scripts[script] = h
	}
	return h
}

// did makes more of an attempt: who writes a holder into the lock has acquired it, whatever else the script does.
func (s *sampler) did(t *try, a act) {
	if habit := s.habit(t.script); rankOf(a.effort) > rankOf(t.effort) {
		if t.effort != effortNone {
			habit.did[t.effort]--
		}
		t.effort = a.effort
		habit.did[a.effort]++
	}
	if a.effort == effortAcquire {
		if len(a.owner) > 0 {
			t.owner = s.owner(a.owner)
		}
		t.guess = resultDone
		if a.effect == effectIfAbsent {
			t.guess = resultUnknown
		} else {
			t.result = resultDone
		}
	}
}

// rankOf orders what one script may do: a lock is given its lease after it is acquired, and before it is released.
func rankOf(e effort) int {
	switch e {
	case effortAcquire:
		return 3
	case effortRelease:
		return 2
	case effortExtend:
		return 1
	case effortNone, effortWait, effortLeave, effortRepair:
	}
	return 0
}

// lookedAtEnd: who asks how long a lock has still to go has not got it.
func (s *sampler) lookedAtEnd(t *try) {
	switch t.effort {
	case effortNone:
		t.guess = resultFailed
	case effortAcquire:
		if t.result == resultUnknown {
			t.guess = resultFailed
		}
	case effortExtend, effortRelease, effortWait, effortLeave, effortRepair:
	}
}
