package cli

import (
	"strings"

	"locktop/keyspace"
)

// actCommands are what the scripts of the actions need besides what looking does.
const actCommands = "+eval +evalsha +watch +unwatch +multi +exec +get +set +hget +hexists +hincrby +hdel +hscan +lrange +zrange +del +pexpire +publish"

// wakeRules are the keys and the channels of Redisson's waiters: the release of a lock reads the queue that a fair one has,
// and tells the first in it, or all who wait. A script takes its keys as if it wrote to them, so a right to read them is
// not enough.
const wakeRules = "~redisson_lock_queue:* ~redisson_lock_timeout:* &redisson_lock__channel:*"

// leastRights are the ACL lines that let a user look at these keys, and besides act on them.
func leastRights(connection *keyspace.Connection, patterns []keyspace.Pattern) (look, act string) {
	var writable []string
	for _, p := range patterns {
		writable = append(writable, keyspace.ACLWord("~"+keyspace.ACLGlob(p.Glob)))
	}
	look = "ACL SETUSER locktop reset on >PASSWORD " + connection.ObserverACL(patterns)
	act = "ACL SETUSER locktop " + strings.Join(writable, " ") + " " + wakeRules + " " + actCommands
	return look, act
}
