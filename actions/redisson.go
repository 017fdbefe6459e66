package actions

import "strings"

// RedissonChannel is the channel on which the waiters of a Redisson lock listen. Redisson puts the name in braces, so
// that channel and key are in the same slot of a cluster, unless there are braces in it already.
func RedissonChannel(key string) string {
	const prefix = "redisson_lock__channel:"
	if strings.Contains(key, "{") {
		return prefix + key
	}
	return prefix + "{" + key + "}"
}
