package inspector

import (
	"strings"
	"unicode"
)

// nameEvidence is what a key's name says.
type nameEvidence struct {
	// word is the lock word in the name ("lock"); empty: none.
	word string
	// strong says that it is the first or the last word of the name, where people put it: "lock:orders", "orders_lock".
	strong bool
	// accounting says that the last word names something about locks rather than a lock: "lock:count", "locks:waiting".
	accounting bool
	// companion says that the key is a part of a Redisson lock, not a lock.
	companion bool
}

// lockWords are the words that people call locks by. A word must be one: "block", "clock" and "release" are others.
var lockWords = map[string]bool{
	"lock": true, "locks": true, "locked": true, "locking": true, "mutex": true, "mutexes": true, "lease": true, "leases": true,
	"semaphore": true, "semaphores": true, "redlock": true, "spinlock": true, "rwlock": true, "dlock": true, "distlock": true,
	"singletonlock": true, "filelock": true, "joblock": true, "tasklock": true, "writelock": true, "readlock": true,
	"redismutex": true, "redissemaphore": true, "redislock": true, "redislocks": true, "rueidislock": true, "shedlock": true,
	"lockinfo": false,
}

// accountingWords end the names of keys that are about locks.
var accountingWords = map[string]bool{
	"count": true, "counter": true, "counts": true, "total": true, "queue": true, "queued": true, "waiting": true, "waiters": true,
	"list": true, "index": true, "stats": true, "metrics": true, "history": true, "log": true, "logs": true, "events": true,
	"attempts": true, "failures": true, "tries": true, "config": true, "settings": true, "cache": true, "info": true, "meta": true,
	"at": true, "until": true, "enabled": true, "version": true, "seq": true, "sequence": true, "timeout": true, "reason": true,
	"users": true, "accounts": true, "keys": true, "names": true, "set": true, "signal": true, "channel": true, "out": true,
}

// companionPrefixes begin the names of what Redisson keeps beside its locks (lock-layouts of Redisson 4.7).
var companionPrefixes = []string{
	"redisson_lock_queue:", "redisson_lock_timeout:", "redisson_lock_token:", "redisson_unlock_latch:", "redisson_lock__channel:",
	"redisson_rwlock:", "redisson_sc:", "redisson_countdownlatch",
}

func judgeName(key string) nameEvidence {
	for _, prefix := range companionPrefixes {
		if strings.HasPrefix(key, prefix) {
			return nameEvidence{companion: true}
		}
	}
	if strings.Contains(key, ":rwlock_timeout:") {
		return nameEvidence{companion: true}
	}
	words := nameWords(key)
	var e nameEvidence
	for i, word := range words {
		if !lockWords[word] {
			continue
		}
		e.word = word
		if i == 0 || i == len(words)-1 {
			e.strong = true
		}
	}
	if e.word != "" && len(words) > 0 {
		e.accounting = accountingWords[words[len(words)-1]]
	}
	return e
}

// nameWords splits a name into lower-case words, at what is no letter and where the case changes: "orderLock:42" is
// "order", "lock".
func nameWords(key string) []string {
	var words []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	before := rune(0)
	for _, r := range key {
		if !unicode.IsLetter(r) {
			end()
			before = r
			continue
		}
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			end()
		}
		word.WriteRune(unicode.ToLower(r))
		before = r
	}
	end()
	return words
}

// says is the evidence line for a name.
func (e nameEvidence) says() string {
	switch {
	case e.word == "":
		return "the name does not say that it is a lock"
	case e.strong:
		return "the name says so: " + e.word
	default:
		return "the name says so, in its middle: " + e.word
	}
}
