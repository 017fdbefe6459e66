package inspector

import "strings"

// name is what a key's name says, found by its words: a letter, a digit or a change of case ends one, so that
// "orderLock:42", "job_lock" and "{hangfire}:queue:lock" all have the word "lock", and "blocklist", "clock" and
// "unlocked_at" have not.
type name struct {
	// word is the word for a lock that the name has, in lower case; empty: none.
	word string
	// strong: the first or the last segment is that word and nothing in the name says otherwise ("lock:orders",
	// "orders_lock").
	strong bool
	// vague words have other meanings: a lease may be a flat's, a semaphore a counter of permits.
	vague bool
	// about: the word is followed by one that makes it a thing about locks ("lock:count", "lock_version").
	about bool
	// aboutAny is the same for a word anywhere in the name.
	aboutAny bool
	// secret: that word is one of a random value that has to do with a lock and is none ("lock_token", "lock-code").
	secret bool
	// trap: it has the letters of a lock's name, but not the word ("block:1").
	trap bool
	// other: it has a word for something that looks like a lock ("session", "otp").
	other bool
	// library is the library that alone names its keys so; empty: none.
	library string
}

// lockWords are words for locks. What ends in "lock" and is not one of notLocks is one too ("redlock", "filelock").
var lockWords = map[string]string{
	"lock": "lock", "locks": "locks", "mutex": "mutex", "mutexes": "mutexes", "mtx": "mtx", "lease": "lease", "leases": "leases",
	"semaphore": "semaphore", "semaphores": "semaphores", "redlock": "redlock", "redlocks": "redlocks", "rwlock": "rwlock",
	"spinlock": "spinlock", "rueidislock": "rueidislock", "singletonlock": "singletonlock",
}

// notLocks end in "lock" and are none. What ends in "block", "clock" or "unlock" never is.
var notLocks = map[string]bool{
	"flock": true, "deadlock": true, "livelock": true, "gridlock": true, "padlock": true, "warlock": true, "wedlock": true,
	"hemlock": true, "sherlock": true, "shylock": true, "havelock": true, "matlock": true, "airlock": true, "forelock": true,
	"antilock": true, "capslock": true, "numlock": true, "scrolllock": true, "screenlock": true,
}

// aboutLocks are words that, after a word for a lock, name something about it: its number, its waiters, its settings.
var aboutLocks = map[string]bool{
	"count": true, "counts": true, "counter": true, "counters": true, "total": true, "totals": true, "attempt": true,
	"attempts": true, "retries": true, "failures": true, "fails": true, "errors": true, "queue": true, "queues": true,
	"waiting": true, "waiters": true, "wait": true, "pending": true, "list": true, "set": true, "index": true, "ids": true,
	"keys": true, "names": true, "all": true, "stats": true, "stat": true, "metrics": true, "metric": true, "history": true,
	"log": true, "logs": true, "audit": true, "events": true, "event": true, "stream": true, "channel": true, "signal": true,
	"config": true, "conf": true, "settings": true, "setting": true, "options": true, "enabled": true, "disabled": true,
	"flag": true, "flags": true, "info": true, "meta": true, "metadata": true, "data": true, "cache": true, "version": true,
	"screen": true, "type": true, "types": true, "mode": true, "state": true, "status": true, "reason": true, "message": true,
	"time": true, "times": true, "timeout": true, "timeouts": true, "ttl": true, "duration": true, "interval": true, "at": true,
	"until": true, "since": true, "last": true, "date": true, "limit": true, "limits": true, "rate": true, "max": true,
	"threshold": true, "smith": true, "out": true, "in": true, "token": true, "tokens": true, "fence": true, "fencing": true,
	"latch": true, "available": true, "permits": true, "registry": true, "agreement": true, "contract": true, "contracts": true,
	"price": true, "prices": true, "score": true, "scores": true,
}

// otherThings are words of what holds random values for a time and is no lock.
var otherThings = map[string]bool{
	"session": true, "sessions": true, "sess": true, "otp": true, "totp": true, "csrf": true, "xsrf": true, "token": true,
	"tokens": true, "cache": true, "cached": true, "rate": true, "ratelimit": true, "limit": true, "limiter": true,
	"throttle": true, "flag": true, "flags": true, "feature": true, "features": true, "code": true, "verify": true,
	"verification": true, "reset": true, "nonce": true, "idempotency": true, "idem": true, "oauth": true, "jwt": true,
	"auth": true, "login": true, "etag": true, "count": true, "counter": true, "captcha": true, "invite": true, "magic": true,
	"password": true, "refresh": true, "cart": true, "apikey": true, "device": true, "trace": true, "visitor": true,
}

// longestWord is the longest word that any of the tables above needs; longer ones are compared by their end only.
const longestWord = 24

// readName reads a key's name. It does not allocate: it runs once for each record and hint.
func readName(key string) name {
	var n name
	var buffer [longestWord]byte
	afterLock, atStart, atEnd, words := false, false, false, 0
	for start := 0; start < len(key); {
		if !isLetter(key[start]) {
			start++
			continue
		}
		end := wordEnd(key, start)
		if afterLock = n.learn(lower(buffer[:0], key[start:end]), afterLock, joins(key, start)); afterLock {
			atStart = atStart || start == 0 && (end == len(key) || isSeparator(key[end]))
			atEnd = end == len(key) && (start == 0 || isSeparator(key[start-1]))
		}
		words++
		start = end
	}
	n.library = libraryOf(key)
	if n.word == "" {
		n.trap = n.library == "" && hasLockLetters(key)
		return n
	}
	plural := strings.HasSuffix(n.word, "s")
	n.strong = (atStart || atEnd) && len(key) > len(n.word) && !n.aboutAny && !n.vague && !plural
	return n
}

// joins says whether the word that begins there makes one term with the word before: "lock_token" is a token, "lock:token" is
// the lock of something that is called token.
func joins(key string, start int) bool {
	return start > 0 && (isLetter(key[start-1]) || key[start-1] == '_' || key[start-1] == '-')
}

// learn takes one word in lower case into account, and says whether it is one for a lock.
func (n *name) learn(word []byte, afterLock, joined bool) bool {
	if aboutLocks[string(word)] {
		n.aboutAny = true
		n.about = n.about || afterLock
	}
	if afterLock && joined && (string(word) == "token" || string(word) == "tokens" || string(word) == "code" || string(word) == "version") {
		n.secret = true
	}
	if otherThings[string(word)] {
		n.other = true
	}
	lock, known := lockWords[string(word)]
	if !known && endsInLock(word) {
		lock, known = "lock", true
	}
	if known {
		n.word = lock
		n.vague = lock == "lease" || lock == "leases" || lock == "semaphore" || lock == "semaphores"
	}
	return known
}

func endsInLock(word []byte) bool {
	const lock = "lock"
	if len(word) <= len(lock) || string(word[len(word)-len(lock):]) != lock || notLocks[string(word)] {
		return false
	}
	before := string(word[:len(word)-len(lock)])
	return !strings.HasSuffix(before, "b") && !strings.HasSuffix(before, "c") && !strings.HasSuffix(before, "un")
}

// wordEnd is where the word that begins at start ends: at a byte that is no letter, or where the case says so ("orderLock",
// "XMLLock").
func wordEnd(key string, start int) int {
	i := start + 1
	for ; i < len(key) && isLetter(key[i]); i++ {
		switch {
		case isUpper(key[i]) && !isUpper(key[i-1]):
			return i
		case isUpper(key[i]) && i+1 < len(key) && isLetter(key[i+1]) && !isUpper(key[i+1]):
			return i
		}
	}
	return i
}

// lower appends the last longestWord letters of a word in lower case.
func lower(to []byte, word string) []byte {
	for _, c := range []byte(word[max(0, len(word)-longestWord):]) {
		if isUpper(c) {
			c += 'a' - 'A'
		}
		to = append(to, c)
	}
	return to
}

func isUpper(c byte) bool  { return c >= 'A' && c <= 'Z' }
func isLetter(c byte) bool { return isUpper(c) || c >= 'a' && c <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

func isSeparator(c byte) bool { return strings.IndexByte(":._-/|{}~#@ ", c) >= 0 }

// patternWords are what the default patterns look for, in any letter case.
var patternWords = [...]string{"lock", "mutex", "lease", "semaphore"}

// hasLockLetters says whether one of the default patterns names the key.
func hasLockLetters(key string) bool {
	for i := range len(key) {
		for _, word := range patternWords {
			if len(key)-i >= len(word) && strings.EqualFold(key[i:i+len(word)], word) {
				return true
			}
		}
	}
	return false
}
