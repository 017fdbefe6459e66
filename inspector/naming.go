package inspector

import (
	"slices"
	"strings"

	"locktop/keyspace"
)

// Naming is how a library names a key beside its locks, by what the two names have in common, for which "$" stands: "lock:$" and
// "lock-signal:$". An ACL is written with it: a user who may read a lock is to see what belongs to it as well. What stands
// around the "$" in Beside is a glob, in Lock it is plain text.
type Naming struct {
	Lock, Beside string
	// Tagged: the name in common has a hash tag of its own, "{...}". Untagged: it has none, and is put into one.
	Tagged, Untagged bool
	// Numbered: both have the number of [SchemeRueidisLock] in their names, and differ in nothing else.
	Numbered bool
	// Narrow: it holds where the pattern names locks of one kind only, for else the key beside might be any key.
	Narrow bool
}

// BesideRedisson are the two ways in which Redisson puts something before the name of a lock: see [RedissonName].
func BesideRedisson(prefix string) []Naming {
	return []Naming{{Lock: "$", Beside: prefix + ":{$}", Untagged: true}, {Lock: "$", Beside: prefix + ":$", Tagged: true}}
}

// BehindRedisson is the same for what follows the name: see [RedissonSuffix].
func BehindRedisson(suffix string) []Naming {
	return []Naming{{Lock: "$", Beside: "{$}:" + suffix, Untagged: true}, {Lock: "$", Beside: "$:" + suffix, Tagged: true}}
}

// namings has every key that a scheme reads beside its locks. That none is missing is tested with the locks of all libraries.
var namings = slices.Concat(
	BesideRedisson(RedissonFencing), BesideRedisson(RedissonQueue), BesideRedisson(RedissonDeadlines),
	BehindRedisson("*"+RedissonReaderLease+"*"), BehindRedisson(RedissonPermits),
	[]Naming{
		{Lock: "{$}" + symfonyTime, Beside: "{$}" + symfonyWeight},
		{Lock: "$" + readersSuffix, Beside: "$" + writerSuffix},
		{Lock: signalledBeginning + "$", Beside: signalBeginning + "$"},
		{Lock: rubySemaphoreBeginning + "$:GRABBED", Beside: rubySemaphoreBeginning + "$:AVAILABLE"},
		{Lock: rubySemaphoreBeginning + "$:GRABBED", Beside: rubySemaphoreBeginning + "$:EXISTS"},
		{Lock: rubySemaphoreBeginning + "$:GRABBED", Beside: rubySemaphoreBeginning + "$:VERSION"},
		{Lock: uniqueBeginning + "$", Beside: uniqueBeginning + "*"},
		{Lock: rqlBeginning + "$", Beside: rqlQueueBeginning + "$"},
		{Lock: rqlBeginning + "$", Beside: rqlQueueBeginning + "$:*"},
		{Lock: "$", Beside: "$", Numbered: true},
		{Lock: "{$}", Beside: "{$}" + goRedislockCount + "*", Narrow: true},
		{Lock: "{$}", Beside: "{$}" + goRedislockQueue, Narrow: true},
		{Lock: "bull:$:lock", Beside: "bull:$"}, // the job of Bull and BullMQ; their prefix may be another one
		{Lock: "$:lock", Beside: "$", Narrow: true},
		{Lock: "$" + countedSuffix, Beside: "$" + countedSuffix + countsSuffix},
	},
)

// BesidePatterns are globs of the keys that belong to the locks that these patterns name, without those that the patterns name
// themselves.
func BesidePatterns(patterns []keyspace.Pattern) []keyspace.Pattern {
	return Beside(namings, patterns)
}

// Beside is [BesidePatterns] for some namings.
func Beside(namings []Naming, patterns []keyspace.Pattern) []keyspace.Pattern {
	var beside []keyspace.Pattern
	for _, p := range patterns {
		for _, n := range namings {
			if glob, found := n.glob(p); found && !coveredBy(patterns, glob) {
				beside = append(beside, glob)
			}
		}
	}
	return keyspace.Distinct(beside)
}

func coveredBy(patterns []keyspace.Pattern, glob keyspace.Pattern) bool {
	return slices.ContainsFunc(patterns, func(p keyspace.Pattern) bool { return p.Covers(glob) })
}

// LockOf is the key of a lock that has such a key beside it, that the pattern names, and that nobody has; false: there is none.
func (n Naming) LockOf(p keyspace.Pattern) (string, bool) {
	before, after := n.around()
	form := keyspace.Escape(before) + "*" + keyspace.Escape(after)
	switch {
	case n.Numbered:
		form = "*?" + anyNumber + "*"
	case n.Untagged && p.Always('{'):
		return "", false
	case n.Tagged:
		form = "*{*"
	}
	return keyspace.CommonKey(p, keyspace.Pattern{Glob: form})
}

func (n Naming) around() (before, after string) {
	before, after, _ = strings.Cut(n.Lock, "$")
	return before, after
}

// glob names the keys beside the locks that a pattern names; false: it names no such lock.
func (n Naming) glob(p keyspace.Pattern) (keyspace.Pattern, bool) {
	if _, is := n.LockOf(p); !is {
		return keyspace.Pattern{}, false
	}
	if n.Numbered { // a pattern that leaves the number open names them all
		glob := anyNumberIn(p.Glob)
		return keyspace.Pattern{Glob: glob}, glob != p.Glob
	}
	name, known := n.common(p.Glob)
	if n.Narrow && (!known || (keyspace.Pattern{Glob: name}).LiteralPrefix() == "") {
		return keyspace.Pattern{}, false
	}
	return keyspace.Pattern{Glob: strings.ReplaceAll(n.Beside, "$", name)}, true
}

// anyNumber is the glob for the number of one digit between two colons.
const anyNumber = ":[0-8]:"

// anyNumberIn is a glob with every such number in it left open.
func anyNumberIn(glob string) string {
	for n := byte('0'); n <= lastNumber; n++ {
		number := ":" + string(rune(n))
		glob = strings.ReplaceAll(glob, number+":", anyNumber)
		glob = strings.ReplaceAll(glob, number+"*", anyNumber+"*")
	}
	return glob
}

// common is a glob of the names that the locks which a pattern names have in common with what is beside them; "*", and false,
// where that cannot be read from the pattern.
func (n Naming) common(glob string) (name string, known bool) {
	before, after := n.around()
	name, begins := strings.CutPrefix(glob, keyspace.Escape(before))
	if !begins {
		return "*", false
	}
	if after == "" {
		return name, true
	}
	rest, ends := strings.CutSuffix(name, keyspace.Escape(after))
	switch {
	case strings.ContainsAny(glob, `[\`): // the end of the text may be the inside of a class
		return "*", false
	case ends:
		return rest, true
	case strings.HasSuffix(name, "*"):
		return name, false
	default:
		return "*", false
	}
}
