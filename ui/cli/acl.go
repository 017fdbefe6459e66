package cli

import (
	"slices"
	"strings"

	"locktop/keyspace"
)

// actCommands are what the scripts of the actions need besides what looking does.
const actCommands = "+eval +evalsha +watch +unwatch +multi +exec +get +set +hget +hexists +hincrby +hdel +hscan +lrange +zrange +del +pexpire +publish"

// These are the keys and the channels of Redisson's waiters: the release of a lock reads the queue that a fair one has,
// and tells the first in it, or all who wait. A script takes its keys as if it wrote to them, so a right to read them is
// not enough.
const (
	wakeKeys     = "~redisson_lock_queue:* ~redisson_lock_timeout:*"
	wakeChannels = "&redisson_lock__channel:*"
)

// leastRights are the ACL lines that let a user look at these keys, and besides act on them.
func leastRights(connection *keyspace.Connection, patterns []keyspace.Pattern) (look, act string) {
	look = "ACL SETUSER locktop reset on >PASSWORD " + connection.ObserverACL(patterns)
	return look, "ACL SETUSER locktop " + strings.Join(keyspace.WriteRules(patterns), " ") + " " + wakeKeys + " " + wakeChannels + " " + actCommands
}

// actMend are the ACL lines that let this user act, where ACL DRYRUN has these words for what is denied; without any, all
// of them. Commands, keys and channels each have a line, because the server refuses a line as a whole that names keys or
// channels to who has all of them.
func actMend(connection *keyspace.Connection, patterns []keyspace.Pattern, denied []string) string {
	var lines []string
	for _, line := range []struct{ what, rules string }{
		{" command", actCommands},
		{" key", strings.Join(keyspace.WriteRules(patterns), " ") + " " + wakeKeys},
		{" channel", wakeChannels},
	} {
		if len(denied) == 0 || slices.ContainsFunc(denied, func(word string) bool { return strings.HasSuffix(word, line.what) }) {
			lines = append(lines, connection.Mend(line.rules))
		}
	}
	return strings.Join(lines, "\n")
}

// actSends are commands as the actions send them, within a script or a transaction, for a key of each pattern. Where
// scripts are allowed they take the keys of the waiters too.
func actSends(patterns []keyspace.Pattern, scripts bool) [][]any {
	var commands [][]any
	for _, p := range patterns {
		key := keyspace.ProbeKey(p)
		queue, ends := "redisson_lock_queue:{"+key+"}", "redisson_lock_timeout:{"+key+"}"
		commands = append(commands, [][]any{
			{"DEL", key},
			{"PEXPIRE", key, 1},
			{"SET", key, ""},
			{"HGET", key, ""},
			{"HSCAN", key, 0},
			{"HINCRBY", key, "", 1},
			{"HDEL", key, ""},
			{"LRANGE", queue, 0, -1},
			{"ZRANGE", ends, 0, -1},
			{"PUBLISH", "redisson_lock__channel:{" + key + "}", 0},
		}...)
		if scripts {
			commands = append(commands, []any{"EVAL", "return 1", 3, key, queue, ends})
		}
	}
	return commands
}
