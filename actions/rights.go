package actions

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// Need is what a user is to act on, and where.
type Need struct {
	Patterns []keyspace.Pattern
	Server   keyspace.Server
	// NoScripts: the server runs none, so that transactions do.
	NoScripts bool
	Topology  keyspace.Topology
	// Sharded is what [Servers] say of themselves.
	Sharded bool
}

// Rights are the rules of an ACL that a user needs, besides those for looking ([keyspace.Connection.ObserverACL]), to do
// every action on the keys of some patterns.
type Rights struct{ Commands, Keys, Channels []string }

// RightsFor are those for these patterns: what the plans of all recipes take. A script takes its keys as if it wrote to
// them, so a right to read them is not enough.
func RightsFor(need Need) Rights {
	var rights Rights
	add := func(rules *[]string, more ...string) {
		for _, rule := range more {
			if !slices.Contains(*rules, rule) {
				*rules = append(*rules, rule)
			}
		}
	}
	add(&rights.Commands, need.ways()...)
	keys := need.Patterns
	for _, pattern := range need.Patterns {
		for _, recipe := range Recipes() {
			for _, p := range recipe.samplePlans(pattern, need) {
				add(&rights.Commands, p.commandRules()...)
				if len(p.channels()) > 0 {
					for _, glob := range recipe.channels {
						add(&rights.Channels, keyspace.ACLWord("&"+glob))
					}
				}
			}
		}
	}
	for _, recipe := range Recipes() {
		keys = slices.Concat(keys, inspector.Beside(recipe.companions, need.Patterns))
	}
	rights.Keys = keyspace.WriteRules(keys)
	if need.Topology == keyspace.Cluster {
		add(&rights.Commands, place{asking: true}.rules()...)
	}
	return rights
}

// ways are the rules for what plans are carried out with. Before 7.0 a script cannot ask what the user may do, and leaves plans of
// several commands to a transaction.
func (need Need) ways() []string {
	switch {
	case need.NoScripts:
		return byWatch{}.rules()
	case need.Server.AtLeast(7, 0):
		return byScript{}.rules()
	default:
		return slices.Concat(byScript{}.rules(), byWatch{}.rules())
	}
}

// Sent are commands as the actions send them, within a script or a transaction, for a key of each pattern that nobody has:
// what to ask ACL DRYRUN of. Of the same command on the same key one is enough. Where scripts are allowed they take the
// keys of the companions too.
func Sent(need Need) [][]any {
	var commands [][]any
	asked := map[string]bool{}
	add := func(name string, command []string) {
		if !asked[name] && command[0] != "PEXPIRETIME" { // a user who may not run it has the end compared by PTTL
			asked[name] = true
			commands = append(commands, anyWords(command))
		}
	}
	for _, pattern := range need.Patterns {
		for _, recipe := range Recipes() {
			for _, p := range recipe.samplePlans(pattern, need) {
				for _, command := range p.sends() {
					add(command[0]+" "+command[1], command)
				}
				if keys := strings.Join(p.keys, " "); !need.NoScripts {
					add("EVAL "+keys, slices.Concat([]string{"EVAL", "return 1", strconv.Itoa(len(p.keys))}, p.keys))
				}
			}
		}
	}
	return commands
}

// samplePlans are plans of the recipe for keys that the pattern names, such that each command that its plans may send is in one of
// them; none where the pattern names no lock of the scheme.
func (r Recipe) samplePlans(pattern keyspace.Pattern, need Need) []plan {
	if r.samples == nil {
		return nil
	}
	var plans []plan
	now := time.Now()
	for _, key := range r.sampleKeys(pattern) {
		locks := r.samples(key)
		for _, lock := range locks {
			if lock.Observed.Type == keyspace.TypeHash && need.Server.HasFieldTTLs() {
				locks = append(locks, withFieldTTL(lock))
			}
		}
		for _, lock := range locks {
			if seen := &lock.Observed; need.Server.AtLeast(7, 0) && !seen.ExpiresAt.IsZero() {
				seen.ExpireTime = seen.ExpiresAt.UnixMilli() // there, a lock is read with PEXPIRETIME
			}
			for _, request := range []Request{
				{Verb: VerbExtend, TTL: farAhead},
				{Verb: VerbRelease},
				{Verb: VerbRelease, Entries: 1},
				{Verb: VerbForceExpire},
				{Verb: VerbForceExpire, TTL: time.Second},
			} {
				request.Lock, request.Owner, request.Sharded = lock, lock.Holders[0].Owner, need.Sharded
				if p, err := makePlan(request, now); err == nil { // else the scheme has no such action
					plans = append(plans, p)
				}
			}
		}
	}
	return plans
}

// sampleKeys are keys of locks of the scheme that the pattern names, and that nobody has: one for each way in which what is beside
// them is named.
func (r Recipe) sampleKeys(pattern keyspace.Pattern) []string {
	var keys []string
	if len(r.companions) == 0 {
		keys = append(keys, keyspace.ProbeKey(pattern))
	}
	for _, locks := range r.announced {
		if key, is := keyspace.CommonKey(pattern, locks); is {
			keys = append(keys, key)
		}
	}
	for _, naming := range r.companions {
		if key, is := naming.LockOf(pattern); is && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// farAhead is a lease that is longer than any that a sample has.
const farAhead = time.Hour

// sampleString are locks of a scheme that are the whole value of a string: without a TTL, and with one.
func sampleStrings(scheme inspector.Scheme, key, value string) []*inspector.Lock {
	endless := sample(scheme, key, inspector.Holder{Owner: value})
	endless.Observed.Type, endless.Observed.Size = keyspace.TypeString, int64(len(value))
	endless.Observed.Value.Text = value
	leased := *endless
	leased.Observed.ExpiresAt = time.Now().Add(farAhead / 2)
	return []*inspector.Lock{endless, &leased}
}

// sampleHashes are locks of a scheme that are a field of a hash, with the entry count as its value: alone in it, and not.
func sampleHashes(scheme inspector.Scheme, key string) []*inspector.Lock {
	alone := sample(scheme, key, inspector.Holder{Owner: "owner", Count: inspector.Count{N: 2, Known: true}})
	alone.Observed.Type, alone.Observed.Size = keyspace.TypeHash, 1
	alone.Observed.ExpiresAt = time.Now().Add(farAhead / 2)
	together := *alone
	together.Observed.Size = 2
	return []*inspector.Lock{alone, &together}
}

// sample is a lock that was held when it was seen.
func sample(scheme inspector.Scheme, key string, holder inspector.Holder) *inspector.Lock {
	return &inspector.Lock{
		Ref: keyspace.Ref{Key: key}, Scheme: scheme, State: inspector.StateHeld, Holders: []inspector.Holder{holder},
		Observed: keyspace.Record{Ref: keyspace.Ref{Key: key}},
	}
}
