package inspector

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// eavesdropper is a sampler that is told by hand what servers run.
type eavesdropper struct {
	t       testing.TB
	sampler *sampler
	now     time.Time
	from    time.Time
	node    keyspace.Node
	known   []keyspace.Client
	nodes   map[keyspace.Node]bool
}

// eavesdrop listens for a token lock, or for another one.
func eavesdrop(t testing.TB, locks ...*Lock) *eavesdropper {
	t.Helper()
	r := stringRecord(sceneKey, "holder-1", 0)
	r.ReadAt = schemeNow
	l := &Lock{Ref: r.Ref, Observed: r, Holders: []Holder{{Owner: "holder-1"}}}
	if len(locks) > 0 {
		l = locks[0]
	}
	return &eavesdropper{
		t: t, sampler: newSampler(l, nil), now: schemeNow, from: schemeNow, node: sceneNode, nodes: map[keyspace.Node]bool{},
	}
}

// hears is told of one command 10 ms after the last one: "c1 SET lock:orders x NX", or "lua get lock:orders" of a script.
func (e *eavesdropper) hears(lines ...string) *eavesdropper {
	for _, line := range lines {
		e.now = e.now.Add(10 * time.Millisecond)
		words := strings.Fields(line)
		h := keyspace.Heard{Node: e.node, At: e.now, Addr: []byte(words[0])}
		if name, db, found := strings.Cut(words[0], "@"); found {
			h.Addr = []byte(name)
			_, _ = fmt.Sscan(db, &h.DB)
		}
		for _, word := range words[1:] {
			h.Args = append(h.Args, []byte(word))
		}
		e.sampler.take(h)
	}
	return e
}

// reads is told what a read of the key found, which was asked just before.
func (e *eavesdropper) reads(value string, left time.Duration) *eavesdropper {
	e.now = e.now.Add(50 * time.Millisecond)
	r := keyspace.Record{Ref: keyspace.Ref{Node: e.node, Key: sceneKey}, Type: keyspace.TypeNone}
	if value != "" {
		r = stringRecord(sceneKey, value, 0)
		r.ExpiresAt = time.Time{}
		if left > 0 {
			r.ExpiresAt = e.now.Add(left)
		}
	}
	r.ReadAt = e.now
	place := e.sampler.place(e.node)
	place.seeds = append(place.seeds, seed{e.now.Add(-time.Millisecond), r})
	e.now = e.now.Add(50 * time.Millisecond)
	return e
}

// after lets time pass.
func (e *eavesdropper) after(d time.Duration) *eavesdropper {
	e.now = e.now.Add(d)
	return e
}

// sample is what was heard.
func (e *eavesdropper) sample(needed int, held ...string) *Sample {
	for _, place := range e.sampler.nodes {
		e.sampler.follow(place)
	}
	owners := make(map[string]bool)
	for _, owner := range held {
		owners[owner] = true
	}
	e.sampler.conclude(owners)
	return e.sampler.sample(&keyspace.ProbeReport{From: e.from, To: e.now, Ended: keyspace.ProbeTime, Clients: e.known}, needed)
}

// wants compares the clients: "c1 asked got failed extended released waits", a "?" behind who is
// waiting. "1/3" are three attempts to extend or to release of which one is known to have been
// done; "+1 repaired" is at the end.
func (e *eavesdropper) wants(s *Sample, want ...string) {
	e.t.Helper()
	var got []string
	for _, c := range s.Clients {
		tries := func(t Tries) string {
			if t.Done == t.All {
				return fmt.Sprint(t.All)
			}
			return fmt.Sprintf("%d/%d", t.Done, t.All)
		}
		line := fmt.Sprintf("%s %d %d %d %s %s %d", c.Addr, c.Attempts, c.Acquired, c.Failed, tries(c.Extends), tries(c.Releases), c.Waits)
		if c.Repaired > 0 {
			line += fmt.Sprintf(" +%d repaired", c.Repaired)
		}
		if c.Waiting {
			line += " ?"
		}
		got = append(got, line)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		e.t.Errorf("%q, want %q", got, want)
	}
}

func TestSetNXIsFollowed(t *testing.T) {
	e := eavesdrop(t).reads("holder-1", time.Minute).hears(
		"c1 SET lock:orders a NX PX 30000", "c2 set lock:orders b px 30000 nx", "c1 SETNX lock:orders a", // in vain
		"c0 DEL lock:orders",
		"c2 SET lock:orders b NX PX 1000", // got it
		"c1 SET lock:orders a NX PX 30000",
	).after(2*time.Second).hears( // its lease is over
		"c1 SET lock:orders a NX PX 30000",
		"c3 SET lock:other x NX", "c3@1 SET lock:orders x NX", "c3 GET lock:orders", "c3 SET lock:orders", // no attempts
	)
	s := e.sample(1)
	e.wants(s, "c0 0 0 0 0 1 0", "c1 4 1 3 0 0 0", "c2 2 1 1 0 0 0")
	if s.Attempts != 6 || s.Acquired != 2 || s.Failed != 4 || s.Unknown() != 0 || s.Waiting != 0 {
		t.Errorf("%+v", s.Sampled)
	}
	if c := s.Clients[0]; c.Owner != "a" || c.Owners != 1 || !c.First.Before(c.Last) {
		t.Errorf("%+v", c)
	}
}

// What nobody can know is not said: whether the key was there at the beginning, near the end of a lease, and after what is unclear.
func TestUnknownAttemptsStayUnknown(t *testing.T) {
	e := eavesdrop(t).hears("c1 SET lock:orders a NX PX 1000", "c2 SET lock:orders b NX PX 1000")
	if s := e.sample(1); s.Attempts != 2 || s.Unknown() != 2 || s.Waiting != 0 {
		t.Errorf("%+v", s.Sampled)
	}
	e = eavesdrop(t).hears("c1 SET lock:orders a NX PX 1000", "c2 SET lock:orders b NX PX 1000")
	if s := e.sample(1, "b"); s.Acquired != 1 || s.Unknown() != 1 {
		t.Errorf("b was seen holding it: %+v", s.Sampled)
	}
	e = eavesdrop(t).reads("holder-1", 60*time.Millisecond).hears("c1 SET lock:orders a NX PX 1000")
	if s := e.sample(1); s.Unknown() != 1 {
		t.Errorf("at the end of a lease: %+v", s.Sampled)
	}
	e = eavesdrop(t).reads("holder-1", time.Minute).hears("c1 RENAME x lock:orders", "c2 SET lock:orders b NX PX 1000", "c3 SETNX lock:orders c")
	e.wants(e.sample(1), "c2 1 0 0 0 0 0", "c3 1 0 0 0 0 0")
	e = eavesdrop(t).reads("holder-1", time.Minute).hears("c1 FLUSHALL", "c2 SET lock:orders b NX PX 1000", "c3 SETNX lock:orders c")
	e.wants(e.sample(1), "c2 1 1 0 0 0 0", "c3 1 0 1 0 0 0 ?")
	e = eavesdrop(t).reads("holder-1", time.Minute).hears("c1@1 FLUSHDB", "c2 SET lock:orders b NX PX 1000")
	e.wants(e.sample(1), "c2 1 0 1 0 0 0 ?")
}

// A read that raced with a change tells nothing.
func TestReadsThatRaceAreNotBelieved(t *testing.T) {
	e := eavesdrop(t).hears("c1 DEL lock:orders")
	place := e.sampler.place(e.node)
	r := stringRecord(sceneKey, "holder-1", 0)
	r.ReadAt = e.now.Add(time.Millisecond)
	place.seeds = append(place.seeds, seed{e.now.Add(-time.Millisecond), r})
	e.hears("c2 SET lock:orders b NX PX 1000")
	e.wants(e.sample(1), "c1 0 0 0 0 0/1 0", "c2 1 1 0 0 0 0")
}

func TestWritesOfTheHolderAreRenewals(t *testing.T) {
	e := eavesdrop(t).reads("holder-1", time.Minute).hears(
		"c1 SET lock:orders holder-1 PX 30000", "c1 PEXPIRE lock:orders 30000", "c1 SET lock:orders holder-1 XX PX 30000", "c1 GETEX lock:orders PX 1000",
		"c1 GETEX lock:orders", "c2 PEXPIRE lock:orders 0",
	)
	e.wants(e.sample(1), "c1 0 0 0 4 0 0", "c2 0 0 0 0 1 0")
}

const (
	redissonOne = "0f4d3a52-1c2d-4e5f-8a9b-0c1d2e3f4a5b:42"
	redissonTwo = "77ab01c2-1c2d-4e5f-8a9b-0c1d2e3f4a5b:7"
)

// Redisson's scripts say by what they do whether they got the lock.
func TestScriptsTellByWhatTheyDo(t *testing.T) {
	r := hashRecord(sceneKey, 0, redissonOne, "1")
	l := &Lock{Ref: r.Ref, Observed: r, Holders: []Holder{{Owner: redissonOne}}}
	acquire := func(client, owner string, inner ...string) []string {
		return append([]string{client + " EVALSHA abc 1 lock:orders 30000 " + owner}, inner...)
	}
	e := eavesdrop(t, l)
	e.hears(acquire("c1", redissonOne, "lua exists lock:orders", "lua hincrby lock:orders "+redissonOne+" 1", "lua pexpire lock:orders 30000")...)
	e.hears(acquire("c2", redissonTwo, "lua exists lock:orders", "lua hexists lock:orders "+redissonTwo, "lua pttl lock:orders")...)
	e.hears("c2 SUBSCRIBE redisson_lock__channel:{lock:orders}")
	e.hears("c1 EVALSHA def 1 lock:orders 30000 "+redissonOne, "lua hexists lock:orders "+redissonOne, "lua pexpire lock:orders 30000") // watchdog
	e.hears("c1 EVALSHA ghi 2 lock:orders redisson_lock__channel:{lock:orders} 0 30000 "+redissonOne,
		"lua hexists lock:orders "+redissonOne, "lua hincrby lock:orders "+redissonOne+" -1", "lua del lock:orders", "lua publish redisson_lock__channel:{lock:orders} 0")
	e.hears("c3 EVALSHA ghi 2 lock:orders redisson_lock__channel:{lock:orders} 0 30000 "+redissonTwo, "lua hexists lock:orders "+redissonTwo) // not his
	e.hears("c4 EVALSHA abc 1 lock:other 30000 "+redissonTwo, "lua exists lock:other", "lua pttl lock:other")                                 // another lock
	e.hears("c5 EVALSHA nosuch 1 lock:orders x")                                                                                              // NOSCRIPT: nothing ran
	s := e.sample(1)
	e.wants(s, "c1 1 1 0 1 1 0", "c2 1 0 1 0 0 1 ?", "c3 0 0 0 0 0/1 0")
	for _, c := range s.Clients {
		if want := map[string]string{"c1": redissonOne, "c2": redissonTwo, "c3": redissonTwo}[c.Addr]; c.Owner != want {
			t.Errorf("%s has %q, want %q", c.Addr, c.Owner, want)
		}
	}
}

// A script that only looked is for what it was seen to do another time, or for what its text says.
func TestScriptsThatOnlyLooked(t *testing.T) {
	e := eavesdrop(t).reads("holder-1", time.Minute).hears(
		"c1 EVALSHA rel 1 lock:orders holder-1", "lua GET lock:orders", "lua DEL lock:orders",
		"c2 EVALSHA rel 1 lock:orders token-22", "lua GET lock:orders",
		"c3 EVAL if(redis.call('get',KEYS[1])==ARGV[1])then(redis.call('pexpire',KEYS[1],1))end 1 lock:orders token-33", "lua get lock:orders",
		"c4 EVALSHA who 1 lock:orders token-44", "lua get lock:orders", // nobody knows
		"c5 EVALSHA try 1 lock:orders token-55", "lua SET lock:orders token-55 NX PX 1000",
		"c6 EVALSHA try 1 lock:orders token-66", "lua SET lock:orders token-66 NX PX 1000", "lua PTTL lock:orders",
	)
	e.wants(e.sample(1), "c1 0 0 0 0 1 0", "c2 0 0 0 0 0/1 0", "c3 0 0 0 0/1 0 0", "c5 1 1 0 0 0 0", "c6 1 0 1 0 0 0 ?")
}

// An extension that the holder's script refused is none: MONITOR shows that the script read the key
// and wrote nothing.
func TestRefusedExtensionsAreNotCountedAsDone(t *testing.T) {
	const extend = "EVAL if(redis.call('get',KEYS[1])==ARGV[1])then(redis.call('pexpire',KEYS[1],1))end 1 lock:orders "
	e := eavesdrop(t).reads("holder-1", time.Minute).hears(
		"c1 "+extend+"holder-1", "lua get lock:orders", "lua pexpire lock:orders 30000",
		"c2 "+extend+"token-22", "lua get lock:orders", "c2 "+extend+"token-22", "lua get lock:orders", "c2 "+extend+"token-22", "lua get lock:orders",
		"c3 PEXPIRE lock:orders 30000 NX", "c3 PEXPIRE lock:orders 60000 GT", "c3 EXPIRE lock:orders 20 GT", "c3 PEXPIRE lock:orders 1 XX",
	).after(time.Second).hears("c4 PEXPIRE lock:orders 30000", "c4 DEL lock:orders", "c4 SET lock:orders x XX PX 100", "c4 GETEX lock:orders PX 100")
	s := e.sample(1)
	e.wants(s, "c1 0 0 0 1 0 0", "c2 0 0 0 0/3 0 0", "c3 0 0 0 2/4 0 0", "c4 0 0 0 0/3 0/1 0")
	if s.Extends != (Tries{All: 11, Done: 3, Refused: 8}) || s.Releases.Refused != 1 {
		t.Errorf("%+v", s.Sampled)
	}
	e = eavesdrop(t).hears("c1 PEXPIRE lock:orders 30000", "c1 SET lock:orders holder-1 IFEQ holder-1 PX 100", "c1 DELEX lock:orders IFEQ x",
		"c2 EVAL if(redis.call('get',KEYS[1])==ARGV[1])then(redis.call('pexpire',KEYS[1],1))end 1 lock:orders holder-1", "lua get lock:orders", "lua pexpire lock:orders 30000")
	if s := e.sample(1); s.Extends != (Tries{All: 3, Done: 1}) || s.Releases != (Tries{All: 1}) {
		t.Errorf("of a key that was not read it is said that %+v", s.Sampled)
	}
}

// A takeover by GETSET is an acquisition: the value that was there says that the lease was over.
// Who comes second has lost the race.
func TestTakeoversByGETSETAreAcquisitions(t *testing.T) {
	end := func(d time.Duration) string { return fmt.Sprint(schemeNow.Add(d).UnixMilli()) }
	e := eavesdrop(t).reads(end(-time.Minute), 0).hears(
		"c1 SETNX lock:orders "+end(30*time.Second), "c2 SETNX lock:orders "+end(31*time.Second),
		"c1 GETSET lock:orders "+end(32*time.Second), "c2 GETSET lock:orders "+end(33*time.Second), // c2 reads what c1 has written
	).after(10*time.Second).hears("c1 GETSET lock:orders "+end(60*time.Second), "c3 GETSET lock:orders "+end(61*time.Second))
	e.wants(e.sample(1), "c1 3 1 1 0 0 0", "c2 2 0 2 0 0 0 ?", "c3 1 0 1 0 0 0 ?")
	const id = "a0e252f4-5c9b-4d0e-9c37-1f0f6a2b7c11:"
	e = eavesdrop(t).reads(id+end(time.Minute), 0).hears("c1 SET lock:orders "+id+end(2*time.Minute), "c2 SET lock:orders other", "c3 SET lock:orders x GET")
	e.wants(e.sample(1), "c1 0 0 0 1 0 0", "c2 1 0 0 0 0 0", "c3 1 0 0 0 0 0")
}

// A rival that gives a TTL to a lock without one has repaired it; the TTL that follows an
// acquisition belongs to that.
func TestRepairsAreTold(t *testing.T) {
	e := eavesdrop(t).reads("holder-1", 0).hears(
		"c2 SETNX lock:orders b", "c2 TTL lock:orders", "c2 EXPIRE lock:orders 10", "c2 EXPIRE lock:orders 10",
		"c0 DEL lock:orders", "c3 SETNX lock:orders c", "c3 EXPIRE lock:orders 10",
		"c0 DEL lock:orders", "c4 SETNX lock:orders d", "c5 EVAL x 1 lock:orders", "lua ttl lock:orders", "lua expire lock:orders 10",
	)
	e.wants(e.sample(1), "c0 0 0 0 0 2 0", "c2 1 0 1 1 0 0 +1 repaired ?", "c3 1 1 0 0 0 0", "c4 1 1 0 0 0 0", "c5 0 0 0 0 0 0 +1 repaired")
}

func TestWhoIsBlockedWaits(t *testing.T) {
	l := &Lock{Ref: keyspace.Ref{Key: "lock:orders"}}
	s := newSampler(l, nil)
	s.beside["lock:orders:signal"] = true
	e := eavesdrop(t)
	e.sampler = s
	e.hears("c1 BLPOP a lock:orders:signal 5", "c2 BLPOP a b 5", "c3 SUBSCRIBE lock:orders:signal", "c3 UNSUBSCRIBE lock:orders:signal", "c4 BLPOP x lock:orders")
	e.wants(e.sample(1), "c1 0 0 0 0 0 1 ?", "c3 0 0 0 0 0 1")
}

// Connections of one host under one name are one client; on a unix socket, where all have the same address, the tokens tell them apart.
func TestConnectionsOfOneClient(t *testing.T) {
	e := eavesdrop(t).reads("holder-1", time.Minute).hears(
		"10.0.0.7:1 SETNX lock:orders a", "10.0.0.7:2 SETNX lock:orders b", "10.0.0.8:1 SETNX lock:orders c",
		"unix:/s SETNX lock:orders d", "unix:/s SETNX lock:orders e")
	for _, addr := range []string{"10.0.0.7:1", "10.0.0.7:2", "10.0.0.8:1"} {
		e.known = append(e.known, keyspace.Client{Node: sceneNode, Addr: addr, Name: "web", Library: "go-redis", LibraryVersion: "9.23.0"})
	}
	s := e.sample(1)
	e.wants(s, "10.0.0.7:1 2 0 2 0 0 0 ?", "10.0.0.8:1 1 0 1 0 0 0 ?", "unix:/s 1 0 1 0 0 0 ?", "unix:/s 1 0 1 0 0 0 ?")
	if c := s.Clients[0]; c.Connections != 2 || c.Name != "web" || c.Program() != "go-redis 9.23.0" || c.Owners != 2 || c.Owner != "" {
		t.Errorf("%+v", c)
	}
}

// Who connects anew for each attempt is not counted as a crowd: connections of one host that are closed by the end may all be one's.
func TestClosedConnectionsMayBeOneClients(t *testing.T) {
	e := eavesdrop(t).reads("holder-1", time.Minute).hears(
		"10.0.0.7:1 SETNX lock:orders a", "10.0.0.7:2 SETNX lock:orders b", "10.0.0.7:3 SETNX lock:orders c",
		"10.0.0.8:1 SETNX lock:orders d", "10.0.0.7:4 SETNX lock:orders e")
	e.known = []keyspace.Client{{Node: sceneNode, Addr: "10.0.0.7:4"}}
	s := e.sample(1)
	e.wants(s, "10.0.0.7:1 3 0 3 0 0 0 ?", "10.0.0.7:4 1 0 1 0 0 0 ?", "10.0.0.8:1 1 0 1 0 0 0 ?")
	if s.Clients[0].Connections != 3 || s.Waiting != 3 {
		t.Errorf("%+v", s)
	}
}

// Of a Redlock the attempts at each master are one attempt, which got the lock where enough masters gave it.
func TestAttemptsAtARedlock(t *testing.T) {
	e := eavesdrop(t)
	for i, node := range []keyspace.Node{"m1", "m2", "m3"} {
		e.node = node
		e.reads("", 0)
		e.hears(fmt.Sprintf("10.0.0.1:%d SET lock:orders token-aa NX PX 30000", i)) // all three
		if i < 1 {
			e.hears(fmt.Sprintf("10.0.0.1:%d DEL lock:orders", i), fmt.Sprintf("10.0.0.2:%d SET lock:orders token-bb NX PX 30000", i)) // one of three
		} else {
			e.hears(fmt.Sprintf("10.0.0.2:%d SET lock:orders token-bb NX PX 30000", i))
		}
	}
	e.wants(e.sample(2), "10.0.0.1:0 1 1 0 0 1 0", "10.0.0.2:0 1 0 1 0 0 0 ?")
}

func TestSamplesListABoundedNumberOfClients(t *testing.T) {
	e := eavesdrop(t).reads("holder-1", time.Minute)
	for n := range 250 {
		e.hears(fmt.Sprintf("10.0.0.7:%d SETNX lock:orders x%d", n, n))
	}
	if s := e.sample(1); len(s.Clients) != 100 || s.More != 150 || s.Failed != 250 || s.Waiting != 250 {
		t.Errorf("%d clients and %d more, %+v", len(s.Clients), s.More, s.Sampled)
	}
}

// A sample joins its lock in the snapshots, survives what is read of it, gives way to a better count of waiters, and is forgotten.
func TestSamplesJoinTheirLock(t *testing.T) {
	c, _ := held(t)
	c.now = time.Now()
	c.text("w1", c.in(time.Hour))
	sample := &Sample{Ref: keyspace.Ref{Node: sceneNode, Key: sceneKey}, From: c.now.Add(-2 * time.Second), To: time.Now(), Waiting: 3}
	before := c.store.snapshot(c.now).Locks[0]
	c.store.keep(sample)
	l := c.store.snapshot(c.now).Locks[0]
	if before == l || before.Sample != nil || l.Sample != sample || l.Waiters != (Waiters{Count: 3, By: WaitersSampled}) {
		t.Fatalf("%+v, %+v", l.Sample, l.Waiters)
	}
	if c.store.snapshot(c.now).Totals.Contended != 1 {
		t.Error("a lock with waiters is not contended")
	}
	c.text("w2", c.in(time.Hour))
	if l := c.store.snapshot(c.now).Locks[0]; l.holder().Owner != "w2" || l.Sample != sample || l.Waiters.Count != 3 {
		t.Errorf("after a read: %+v, %+v", l.Sample, l.Waiters)
	}
	old := *sample
	old.To = time.Now().Add(-2 * time.Minute)
	c.store.keep(&old)
	if l := c.store.snapshot(c.now).Locks[0]; l.Sample != &old || l.Waiters.By != WaitersNone {
		t.Errorf("two minutes later: %+v, %+v", l.Sample, l.Waiters)
	}
	c.store.expireSamples(old.To.Add(sampleKept))
	if l := c.store.snapshot(c.now).Locks[0]; l.Sample != nil || len(c.store.samples) != 0 {
		t.Errorf("a sample was not forgotten: %+v", l.Sample)
	}
	for n := range 3 * maxSamples {
		c.store.keep(&Sample{Ref: keyspace.Ref{Key: fmt.Sprint(n)}, To: time.Now()})
	}
	if len(c.store.samples) != maxSamples {
		t.Errorf("%d samples are kept", len(c.store.samples))
	}
}

func TestSampleInWords(t *testing.T) {
	s := Sample{From: schemeNow, To: schemeNow.Add(2 * time.Second), Ended: keyspace.ProbeLines, Waiting: 1}
	s.Sampled = Sampled{Attempts: 84, Acquired: 3, Failed: 80}
	if got := s.AttemptsText(); got != "84, 42 a second; at least 80 in vain, 40 a second; 3 acquired; of 1 it is not known" {
		t.Error(got)
	}
	if s.Complete() || !strings.Contains(s.EndText(), "so many lines came") || !strings.HasPrefix(s.WaitingText(), "1 client at least") {
		t.Error(s.EndText(), s.WaitingText())
	}
}

// FuzzSampler: whatever a server tells, nothing breaks and nothing is counted twice.
func FuzzSampler(f *testing.F) {
	f.Add("c1 SET lock:orders a NX PX 1\nc2 EVAL del 1 lock:orders x\nlua get lock:orders")
	f.Add("c1 EVAL")
	f.Add("c1 EVALSHA x -1\nc1 BLPOP\nc1 SUBSCRIBE\nlua\nc1 HINCRBY lock:orders f -1\nc1 ZADD lock:orders XX 1 m")
	f.Fuzz(func(t *testing.T, script string) {
		e := eavesdrop(t).reads("holder-1", time.Second)
		lines := 0
		for line := range strings.Lines(script) {
			if words := strings.Fields(line); len(words) > 1 && lines < 200 {
				e.hears(line)
				lines++
			}
		}
		s := e.sample(1)
		if s.Unknown() < 0 || s.Attempts+s.Extends.All+s.Releases.All+s.Repaired+s.Waits > lines ||
			s.Extends.Unknown() < 0 || s.Releases.Unknown() < 0 {
			t.Errorf("%d lines, %+v", lines, s.Sampled)
		}
	})
}
