package cli

import (
	"fmt"
	"strconv"
	"strings"

	"locktop/keyspace"
)

// lookCommands are all that looking sends. SCAN shows every key's name, whatever keys a user may read.
const lookCommands = "+hello +ping +time +info +dbsize +select +scan +type +exists +pttl +pexpiretime +getrange +strlen " +
	"+hlen +hgetall +hscan +llen +scard +zcard +xlen +memory|usage +psubscribe +punsubscribe +subscribe +unsubscribe +config|get " +
	"+client|setname +client|id +client|tracking"

// actCommands are what the scripts of the actions need besides.
const actCommands = "+eval +evalsha +watch +unwatch +multi +exec +get +set +hget +hexists +hincrby +hdel +del +pexpire +publish"

// leastRights are the ACL lines that let a user look at these keys, and act on them. A subscription to a pattern needs a
// channel rule that is the same, letter by letter.
func leastRights(server keyspace.Server, db int, patterns []keyspace.Pattern) (look, act string) {
	read := "%R~"
	if major, _, _ := strings.Cut(server.Version, "."); major != "" {
		if n, err := strconv.Atoi(major); err == nil && n < 7 && server.Software == "redis" {
			read = "~" // there is no right to read only
		}
	}
	var keys, channels, writable []string
	for _, p := range patterns {
		keys = append(keys, aclWord(read+p.Glob))
		channels = append(channels, aclWord(fmt.Sprintf("&__keyspace@%d__:%s", db, p.Glob)))
		writable = append(writable, aclWord("~"+p.Glob))
	}
	look = "ACL SETUSER locktop reset on >PASSWORD " + strings.Join(keys, " ") + " " + strings.Join(channels, " ") + " " + lookCommands
	act = "ACL SETUSER locktop " + strings.Join(writable, " ") + " &redisson_lock__channel:* " + actCommands
	return look, act
}

// aclWord quotes an argument as redis-cli reads it.
func aclWord(s string) string {
	if strings.ContainsAny(s, " \"'\\") {
		return strconv.Quote(s)
	}
	return s
}
