package inspector

import "strings"

// What belongs to a lock of Redisson's, and is called by one of these and the lock's name (RedissonObject.java, 4.7): the channels of
// those who wait, and the queue, the deadlines and the counter for fencing tokens.
const (
	RedissonChannel          = "redisson_lock__channel"
	RedissonRWChannel        = "redisson_rwlock"
	RedissonSemaphoreChannel = "redisson_sc"
	RedissonLatchChannel     = "redisson_countdownlatch__channel__" // see RedissonLatchName
	RedissonQueue            = "redisson_lock_queue"
	RedissonDeadlines        = "redisson_lock_timeout"
	RedissonFencing          = "redisson_lock_token"
)

// What follows a lock's name: the permits of a semaphore, the lease of a reader's entry before its number, and what marks the field of a
// writer.
const (
	RedissonPermits     = "timeout"
	RedissonReaderLease = ":rwlock_timeout:"
	RedissonWriter      = ":write"
)

// RedissonName puts the lock's name behind a prefix, in braces, so that both are in the same slot of a cluster, unless there are braces in
// it already.
func RedissonName(prefix, key string) string {
	if strings.Contains(key, "{") {
		return prefix + ":" + key
	}
	return prefix + ":{" + key + "}"
}

// RedissonChannels are the channels on which clients of Redisson and of node-redisson wait for a lock. The latter puts the name in
// braces unless it begins with one.
func RedissonChannels(key string) []string {
	channels := []string{RedissonName(RedissonChannel, key)}
	if strings.Contains(key, "{") && key[0] != '{' {
		channels = append(channels, RedissonChannel+":{"+key+"}")
	}
	return channels
}

// RedissonSuffix is the same for what follows the name.
func RedissonSuffix(key, suffix string) string {
	if strings.Contains(key, "{") {
		return key + ":" + suffix
	}
	return "{" + key + "}:" + suffix
}

// RedissonLatchName is the channel of those who await a latch: it has no colon before the brace, and the name always in braces.
func RedissonLatchName(key string) string { return RedissonLatchChannel + "{" + key + "}" }

// unbraced are the names that may be within braces, or be as they are because they have braces of their own.
func unbraced(name string) []string {
	if inner, ok := strings.CutPrefix(name, "{"); ok {
		if inner, ok = strings.CutSuffix(inner, "}"); ok {
			return []string{inner, name}
		}
	}
	if strings.Contains(name, "{") {
		return []string{name}
	}
	return nil
}
