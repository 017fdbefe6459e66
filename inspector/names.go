package inspector

import "strings"

// nameGrade is how loudly a key's name says that the key is a lock.
type nameGrade uint8

const (
	nameSilent nameGrade = iota // no lock word in it
	nameWord                    // a lock word somewhere: "shop:stock-lock:item"
	namePart                    // a lock word alone between two colons: "shop:lock:item"
	nameStrong                  // the first or the last word is a lock word: "lock:orders", "orders_lock", "orderLock"
	nameKept                    // it was recognised before and still has the same holder, so that the name need not say more
	nameNamed                   // the user named the key, so that its name need not say anything
	nameRuled                   // a rule of the user's names the scheme, so that the name need not
)

// nameEvidence is what a key's name says about the key.
type nameEvidence struct {
	grade nameGrade
	// aside: the name speaks of something beside a lock, such as "lock:count" or "lock:queue". The value must then look
	// like a holder's token before the key is taken for a lock.
	aside bool
	// numbers: a plain number may be a lock's value. It may not where the only lock words are plurals, which are counted
	// ("user:7:locks"), or "semaphore", whose number is that of its free permits.
	numbers bool
	// counts: the last word is "token" or "tokens", of which a number without a TTL is the last that was given out.
	counts bool
	// named: the user named the key, whatever its name says.
	named bool
	// companion: the key belongs to a lock of a library that keeps several keys, and is none itself.
	companion bool
}

// lockWords are the words that make a name say "lock". The grade is what the word is worth at an end of the name. Plurals
// name collections of locks as often as a lock, so that they are worth less.
var lockWords = map[string]nameGrade{
	"lock": nameStrong, "mutex": nameStrong, "lease": nameStrong, "redlock": nameStrong, "semaphore": nameStrong,
	"rlock": nameStrong, "rwlock": nameStrong, "dlock": nameStrong, "dblock": nameStrong, "joblock": nameStrong,
	"weblock": nameStrong, "rueidislock": nameStrong, "redismutex": nameStrong, "publock": nameStrong, "rpclock": nameStrong,
	"locks": nameWord, "mutexes": nameWord, "leases": nameWord, "semaphores": nameWord, "locking": nameWord,
}

// lockEndings are endings of words that are written as one: "orderlock", "cronmutex". Where one of notLocks fits as well, the
// longer of the two decides: "fairlock" is a lock, though "airlock" is none.
var lockEndings = [...]string{
	"lock", "mutex", "semaphore",
	"fairlock", "synclock",
}

// notLockBeginnings begin words that begin with "lock" and mean something else.
var notLockBeginnings = [...]string{"locke", "lockout", "lockdown", "locksmith", "lockbox", "lockscreen", "lockstep", "lockup"}

// notLocks are the endings of words that end in "lock" and mean something else.
var notLocks = [...]string{
	"block", "clock", "flock", "unlock", "padlock", "deadlock", "gridlock", "warlock", "sherlock", "hemlock", "wedlock",
	"matlock", "bollock", "fetlock", "shylock", "havelock", "headlock", "airlock", "oarlock", "hammerlock",
}

// asidePlace is where in a name a word must stand to speak of something beside a lock.
type asidePlace uint8

const (
	asideNever    asidePlace = iota
	asideLast                // as the last word, of the name or of the part with the lock's word: "lock:queue:emails" may well be a lock
	asideNotAfter            // anywhere but after a first part that is a lock's word alone: "lock:config:reload" locks a job
	asideAnywhere
)

// asideWords speak of something beside a lock.
var asideWords = map[string]asidePlace{
	"count": asideAnywhere, "counts": asideAnywhere, "counter": asideAnywhere, "counters": asideAnywhere,
	"attempts": asideAnywhere, "failures": asideAnywhere, "tries": asideAnywhere, "retries": asideAnywhere,
	"histogram": asideAnywhere, "ratelimit": asideAnywhere, "throttle": asideAnywhere, "unlock": asideAnywhere,
	"unlocked": asideAnywhere, "unlocks": asideAnywhere, "lockout": asideAnywhere, "otp": asideAnywhere,
	"fencing": asideAnywhere, "fence": asideLast, "sequences": asideLast,
	"captcha": asideAnywhere, "waiting": asideAnywhere, "waiters": asideAnywhere, "waitlist": asideAnywhere,
	"metrics": asideNotAfter, "stats": asideNotAfter, "statistics": asideNotAfter, "feature": asideNotAfter,
	"features": asideNotAfter, "flag": asideNotAfter, "flags": asideNotAfter, "config": asideNotAfter,
	"settings": asideNotAfter, "setting": asideNotAfter,
	"queue": asideLast, "queued": asideLast, "pending": asideLast, "list": asideLast, "index": asideLast,
	"ids": asideLast, "keys": asideLast, "names": asideLast, "all": asideLast, "set": asideLast, "log": asideLast,
	"logs": asideLast, "history": asideLast, "events": asideLast, "audit": asideLast, "channel": asideLast,
	"signal": asideLast, "at": asideLast, "since": asideLast, "until": asideLast, "time": asideLast,
	"timestamp": asideLast, "timeout": asideLast, "date": asideLast, "created": asideLast, "updated": asideLast,
	"total": asideLast, "version": asideLast, "state": asideLast, "status": asideLast, "enabled": asideLast,
	"disabled": asideLast, "info": asideLast, "meta": asideLast, "metadata": asideLast, "limit": asideLast,
	"quota": asideLast, "max": asideLast, "seq": asideLast, "sequence": asideLast, "reason": asideLast,
	"script": asideLast, "sha": asideLast, "type": asideLast, "ttl": asideLast, "duration": asideLast,
	"interval": asideLast, "run": asideLast, "ratio": asideLast, "available": asideLast, "exists": asideLast,
	"grabbed": asideLast, "pin": asideLast, "code": asideLast, "password": asideLast, "screen": asideLast,
	"door": asideLast, "hits": asideLast, "misses": asideLast, "hit": asideLast, "miss": asideLast, "fail": asideLast,
	"fails": asideLast, "failed": asideLast, "failure": asideLast, "success": asideLast, "successes": asideLast,
	"error": asideLast, "errors": asideLast, "acquired": asideLast, "acquisitions": asideLast, "released": asideLast,
	"releases": asideLast, "contended": asideLast, "contention": asideLast, "wait": asideLast, "waits": asideLast,
	"sum": asideLast, "avg": asideLast, "mean": asideLast, "min": asideLast, "bytes": asideLast, "size": asideLast,
	"age": asideLast, "rate": asideLast, "gauge": asideLast, "percent": asideLast,
	"waited": asideLast, "ms": asideLast, "seconds": asideLast,
	"timeouts": asideLast, "deadlines": asideLast, "expiries": asideLast, "delayed": asideLast, "scheduled": asideLast,
}

// companionBeginnings begin the names of keys that belong to a lock and are none.
var companionBeginnings = [...]string{
	"redisson_lock_queue:", "redisson_lock_timeout:", "redisson_lock_token:", "redisson_lock__channel:",
	"redisson_unlock_latch:", "redisson_rwlock:", "redisson_sc:", "lock-signal:", "rql:lock_queue:",
}

// evidence says the grade in words.
func (e nameEvidence) evidence() string {
	switch e.grade {
	case nameRuled:
		return evidenceNamed + ": a rule of yours names the scheme"
	case nameNamed:
		return evidenceNamed
	case nameKept:
		return "it was recognised before and still has the same holder"
	case nameStrong:
		return "its name begins or ends with a word for lock"
	case nameWord, namePart:
		return "its name has a word for lock, or a library's prefix"
	case nameSilent:
		if e.named {
			return evidenceNamed
		}
		return "its name says nothing"
	}
	return ""
}

// nameOf reads a key's name. It is called for every key that a pattern names, and keeps nothing.
func nameOf(key string) nameEvidence {
	for _, beginning := range companionBeginnings {
		if strings.HasPrefix(key, beginning) {
			return nameEvidence{companion: true}
		}
	}
	if _, weights := bracedName(key, symfonyWeight); weights || strings.Contains(key, ":rwlock_timeout:") ||
		strings.HasPrefix(key, "asynq:{") && !libraryName(key) { // "asynq:{queue}:lease" is the queue's book of leases on tasks
		return nameEvidence{companion: true}
	}
	if libraryName(key) {
		return nameEvidence{grade: namePart, numbers: true}
	}
	var (
		e     nameEvidence
		last  string
		alone bool // the first part is a lock's word and nothing else
		glued bool // the name begins with "lock", and what it locks follows at once
	)
	for rest, begins, more := key, true, true; more; begins = false {
		var part string
		part, rest, more = strings.Cut(rest, ":")
		words, locks := 0, false
		for {
			var word string
			size := len(part)
			if word, part = nextWord(part); word == "" {
				break
			}
			grade := gradeOf(word)
			if grade != nameSilent {
				locks = true
				e.grade = max(e.grade, nameWord)
				e.numbers = e.numbers || grade == nameStrong && !strings.HasSuffix(word, "semaphore")
			}
			if last == "" {
				e.grade = max(e.grade, grade)
				glued = beginsWithLock(word)
			}
			words++
			last = word
			whole := words == 1 && size == len(word)
			if whole && lockWords[word] == nameStrong {
				e.grade = max(e.grade, namePart)
			}
			alone = alone || begins && whole && grade == nameStrong
			place := asideWords[word]
			e.aside = e.aside || place == asideAnywhere || place == asideNotAfter && !alone
		}
		if locks && words > 1 && asideWords[last] != asideNever {
			e.aside = true // "lock_version:7"
		}
	}
	e.grade = max(e.grade, gradeOf(last))
	if glued && e.grade == nameSilent {
		return nameEvidence{grade: nameWord, aside: true} // the value must look like a token
	}
	if asideWords[last] != asideNever || last == "token" && !strings.HasSuffix(key, ":token") {
		e.aside = true // "lock_token" is a secret that has to do with a lock, "lock:token" may be the lock of a token
	}
	e.counts = last == "token" || last == "tokens"
	return e
}

// libraryName knows names of libraries that do not say "lock": the digest of sidekiq-unique-jobs
// ("uniquejobs:<32 or 64 hex digits>", with ":RUN" while the job runs), the task keys of asynq
// ("asynq:{queue}:unique:<type>:<md5>"), activejob-uniqueness ("activejob_uniqueness:<class>:<digest>"), RQ's and Laravel's, the
// latter behind the application's prefix. What the value is does not matter then: RQ leaves a number, Laravel's scheduler "true".
func libraryName(key string) bool {
	if isUniqueDigest(key) {
		return true
	}
	if queue, ok := strings.CutPrefix(key, "asynq:{"); ok {
		return strings.Contains(queue, "}:unique:")
	}
	return strings.HasPrefix(key, "activejob_uniqueness:") || isRQName(key) || isHueyKey(key) || isLaravelName(key)
}

// gradeOf is what a word is worth at an end of a name.
func gradeOf(word string) nameGrade {
	if grade, ok := lockWords[word]; ok {
		return grade
	}
	if longestEnding(word, lockEndings[:]) > longestEnding(word, notLocks[:]) {
		return nameStrong
	}
	return nameSilent
}

// longestEnding is the length of the longest of some endings that a word has; 0 where it has none.
func longestEnding(word string, endings []string) (longest int) {
	for _, ending := range endings {
		if strings.HasSuffix(word, ending) {
			longest = max(longest, len(ending))
		}
	}
	return longest
}

// beginsWithLock reports whether a word is "lock" and a name, without anything between them: "lockuser" of "_lockuser:7".
func beginsWithLock(word string) bool {
	if !strings.HasPrefix(word, "lock") || len(word) < 6 {
		return false
	}
	for _, other := range notLockBeginnings {
		if strings.HasPrefix(word, other) {
			return false
		}
	}
	return lockWords[word] == nameSilent
}

// nextWord cuts the next word off a name, in lower case; it is empty at the end. Words end at everything that is no letter
// and where camelCase begins a new one. Bytes beyond ASCII count as letters, so that no half of a foreign word becomes one.
func nextWord(name string) (word, rest string) {
	start := 0
	for start < len(name) && !isLetter(name[start]) {
		start++
	}
	if start == len(name) {
		return "", ""
	}
	end := start + 1
	for end < len(name) && isLetter(name[end]) {
		if isUpper(name[end]) {
			afterLower := !isUpper(name[end-1])
			beforeLower := end+1 < len(name) && isLower(name[end+1])
			if afterLower || beforeLower {
				break
			}
		}
		end++
	}
	return strings.ToLower(name[start:end]), name[end:]
}

func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return isLower(c) || isUpper(c) || c >= 0x80 }
