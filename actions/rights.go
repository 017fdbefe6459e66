package actions

import (
	"slices"

	"locktop/keyspace"
)

// Rights are the rules of an ACL that a user needs, besides those for looking ([keyspace.Connection.ObserverACL]), to do
// every action on the keys of some patterns.
type Rights struct{ Commands, Keys, Channels []string }

// RightsFor are those for these patterns. The release of a Redisson lock reads the queue that a fair one has, and tells the
// first in it, or all who wait. A script takes its keys as if it wrote to them, so a right to read them is not enough.
func RightsFor(patterns []keyspace.Pattern) Rights {
	waiters := []keyspace.Pattern{{Glob: redissonQueue + ":*"}, {Glob: redissonEnds + ":*"}}
	return Rights{
		Commands: slices.Concat(byScript{}.rules(), byWatch{}.rules(), []string{
			"+set", "+hget", "+hincrby", "+hdel", "+hscan", "+lrange", "+zrange", "+del", "+pexpire", "+publish",
		}),
		Keys:     keyspace.WriteRules(slices.Concat(patterns, waiters)),
		Channels: []string{"&" + redissonChannel + ":*"},
	}
}

// Sent are commands as the actions send them, within a script or a transaction, for a key of each pattern that nobody has:
// what to ask ACL DRYRUN of. Where scripts are allowed they take the keys of the waiters too.
func Sent(patterns []keyspace.Pattern, scripts bool) [][]any {
	var commands [][]any
	for _, p := range patterns {
		key := keyspace.ProbeKey(p)
		wake := redissonWakeUp(key)
		commands = append(commands,
			[]any{"DEL", key},
			[]any{"PEXPIRE", key, 1},
			[]any{"SET", key, ""},
			[]any{"HGET", key, ""},
			[]any{"HSCAN", key, 0},
			[]any{"HINCRBY", key, "", 1},
			[]any{"HDEL", key, ""},
			[]any{"LRANGE", wake.queue, 0, -1},
			[]any{"ZRANGE", wake.ends, 0, -1},
			[]any{"PUBLISH", wake.channel, 0},
		)
		if scripts {
			commands = append(commands, []any{"EVAL", "return 1", 3, key, wake.queue, wake.ends})
		}
	}
	return commands
}
