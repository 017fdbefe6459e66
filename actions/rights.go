package actions

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// Rights are the rules of an ACL that a user needs, besides those for looking ([keyspace.Connection.ObserverACL]), to do
// every action on the keys of some patterns.
type Rights struct{ Commands, Keys, Channels []string }

// RightsFor are those for these patterns: what the plans of all recipes take. A script takes its keys as if it wrote to
// them, so a right to read them is not enough. sharded is what [Servers] say of themselves.
func RightsFor(patterns []keyspace.Pattern, sharded bool) Rights {
	commands := slices.Concat(byScript{}.rules(), byWatch{}.rules())
	if sharded {
		commands = append(commands, place{asking: true}.rules()...)
	}
	for _, p := range samplePlans("lock", sharded) {
		for _, rule := range p.commandRules() {
			if !slices.Contains(commands, rule) {
				commands = append(commands, rule)
			}
		}
	}
	var channels []string
	for _, recipe := range Recipes() {
		for _, glob := range recipe.companions {
			if !slices.ContainsFunc(patterns, func(p keyspace.Pattern) bool { return p.Glob == glob }) {
				patterns = append(slices.Clip(patterns), keyspace.Pattern{Glob: glob})
			}
		}
		for _, glob := range recipe.channels {
			if !slices.Contains(channels, "&"+glob) {
				channels = append(channels, "&"+glob)
			}
		}
	}
	return Rights{Commands: commands, Keys: keyspace.WriteRules(patterns), Channels: channels}
}

// Sent are commands as the actions send them, within a script or a transaction, for a key of each pattern that nobody has:
// what to ask ACL DRYRUN of. Of the same command on the same key one is enough. Where scripts are allowed they take the
// keys of the companions too.
func Sent(patterns []keyspace.Pattern, scripts, sharded bool) [][]any {
	var commands [][]any
	asked := map[string]bool{}
	add := func(name string, command []string) {
		if !asked[name] {
			asked[name] = true
			commands = append(commands, anyWords(command))
		}
	}
	for _, pattern := range patterns {
		for _, p := range samplePlans(keyspace.ProbeKey(pattern), sharded) {
			for _, command := range p.sends() {
				add(command[0]+" "+command[1], command)
			}
			if keys := strings.Join(p.keys, " "); scripts {
				add("EVAL "+keys, slices.Concat([]string{"EVAL", "return 1", strconv.Itoa(len(p.keys))}, p.keys))
			}
		}
	}
	return commands
}

// samplePlans are plans of every recipe, such that each command that its plans may send is in one of them.
func samplePlans(key string, sharded bool) []plan {
	var plans []plan
	now := time.Now()
	for _, recipe := range Recipes() {
		if recipe.samples == nil {
			continue
		}
		for _, lock := range recipe.samples(key) {
			for _, r := range []Request{
				{Verb: VerbExtend, TTL: farAhead},
				{Verb: VerbRelease},
				{Verb: VerbRelease, Entries: 1},
				{Verb: VerbForceExpire},
				{Verb: VerbForceExpire, TTL: time.Second},
			} {
				r.Lock, r.Owner, r.Sharded = lock, lock.Holders[0].Owner, sharded
				if p, err := makePlan(r, now); err == nil { // else the scheme has no such action
					plans = append(plans, p)
				}
			}
		}
	}
	return plans
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
