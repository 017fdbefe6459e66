package actions

import "strings"

// How the names begin that belong to a Redisson lock: the channel of its waiters, and of a fair one their queue and until
// when each of them waits.
const (
	redissonChannel = "redisson_lock__channel"
	redissonQueue   = "redisson_lock_queue"
	redissonEnds    = "redisson_lock_timeout"
)

// redissonName is the name that Redisson gives to what belongs to a lock. It puts the lock's name in braces, so that both
// are in the same slot of a cluster, unless there are braces in it already.
func redissonName(prefix, key string) string {
	if strings.Contains(key, "{") {
		return prefix + ":" + key
	}
	return prefix + ":{" + key + "}"
}

// RedissonChannel is the channel on which the waiters of a Redisson lock listen, but for those of a fair lock: each of
// these has a channel of its own, with ":" and the waiter after this one.
func RedissonChannel(key string) string { return redissonName(redissonChannel, key) }

// redissonWakeUp is that of every Redisson lock: the key alone does not tell whether it is a fair one.
func redissonWakeUp(key string) wakeUp {
	return wakeUp{
		channel: RedissonChannel(key),
		queue:   redissonName(redissonQueue, key),
		ends:    redissonName(redissonEnds, key),
	}
}
