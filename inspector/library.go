package inspector

import (
	"slices"
	"strings"
)

// Library is a client library, and what is known of the locks that it leaves.
type Library struct {
	// Name is the library's, with its language where the name is not unique ("redlock (npm)").
	Name string
	// Schemes are those that its locks have here.
	Schemes []Scheme
	// RecognisedBy says what gives it away.
	RecognisedBy string
	// Unchecked: a holder releases without looking whose lock it is, so that an old one deletes the next one's.
	Unchecked bool
	// ComparesEnd, of those whose value is the end of the lease: a holder releases only where the
	// value is the one that it wrote.
	ComparesEnd bool
	// Recreates: a holder that renews or extends its lock makes the key again where it is gone, so
	// that a deleted lock comes back.
	Recreates bool
	// Renews, of those, is the share of the lease after which a holder renews by itself; 0: only
	// when its application asks for it.
	Renews float64
	// AnyName: its locks have any name, so that a lock that may be its own is hardly more than a guess.
	AnyName bool
	// Consequence is what a release does to the application, in a sentence; empty where it only frees the lock.
	Consequence string
	// Discouraged: the library does not survive that its lock is taken away; Consequence says how it fails.
	Discouraged bool

	is func(*candidate, shape) match
}

// match is how well a lock fits a library.
type match uint8

const (
	matchNot    match = iota
	matchMay          // others leave the same bytes
	matchSurely       // nobody else does, as far as is known
)

// Libraries are all that are known, in the order of the README.
func Libraries() []Library { return slices.Clone(libraries) }

// Libraries are those that may have left this lock, and whether it is surely the one. Where it is not, any of them may be
// the one, or code that was written by hand.
func (l *Lock) Libraries() (candidates []Library, surely bool) {
	if l.chronicle != nil && l.chronicle.kept != nil {
		return byName(l.chronicle.kept.Libraries), l.chronicle.kept.Surely
	}
	if sure, is := l.library(); is {
		return []Library{*sure}, true
	}
	c := candidate{Record: l.Observed, now: l.Observed.ReadAt}
	s := shapeOf(l.Observed.Value.Text)
	for _, library := range libraries {
		if slices.Contains(library.Schemes, l.Scheme) && library.is(&c, s) == matchMay {
			candidates = append(candidates, library)
		}
	}
	return candidates, false
}

// library is the one that surely left this lock; false: none is known to.
func (l *Lock) library() (*Library, bool) {
	c := candidate{Record: l.Observed, now: l.Observed.ReadAt}
	return c.library(l.Scheme, shapeOf(l.Observed.Value.Text))
}

func (c *candidate) library(scheme Scheme, s shape) (*Library, bool) {
	for i := range libraries {
		if slices.Contains(libraries[i].Schemes, scheme) && libraries[i].is(c, s) == matchSurely {
			return &libraries[i], true
		}
	}
	return nil, false
}

// unchecked are the libraries whose holders release without looking.
var unchecked = func() (found []*Library) {
	for i := range libraries {
		if libraries[i].Unchecked {
			found = append(found, &libraries[i])
		}
	}
	return found
}()

// LibraryNames are the same for a line of text.
func (l *Lock) LibraryNames() string {
	candidates, surely := l.Libraries()
	names := make([]string, 0, len(candidates))
	for _, c := range candidates {
		names = append(names, c.Name)
	}
	switch {
	case len(names) == 0:
		return ""
	case surely:
		return names[0]
	case len(names) == 1:
		return "maybe " + names[0]
	}
	return "one of " + strings.Join(names, ", ") + ", or written by hand"
}

// The schemes of a lock whose value is a token, with a TTL and without.
var ofTokens = []Scheme{SchemeToken, SchemeSetNX}

// libraries are asked in this order; the first that is surely the one ends the search.
var libraries = []Library{
	// Names and values that nobody else uses.
	{
		Name: "Laravel", Schemes: ofTokens,
		RecognisedBy: "`framework/schedule-<sha1>`, `laravel_unique_job:`, `laravel-queue-overlap:`, `illuminate:cache:flexible:lock:` in the name, or 16 letters and digits, plain or serialised",
		Consequence:  "What the lock keeps apart (a scheduled task, a unique job) may run twice at once.",
		is:           isLaravel,
	},
	{
		Name: "asynq (Go), unique tasks", Schemes: ofTokens, RecognisedBy: "`asynq:{queue}:unique:<type>:<md5>`",
		Consequence: "The task stays where it is; a duplicate of it can be enqueued from now on.",
		is:          named(func(key string) bool { return strings.HasPrefix(key, "asynq:{") && strings.Contains(key, "}:unique:") }),
	},
	{
		Name: "Bull (Node)", Schemes: ofTokens, RecognisedBy: "`<prefix>:<queue>:<job>:lock` beside the job's hash, a UUID",
		Discouraged: true, Consequence: "The job counts as stalled and is run again by another worker, while the first one goes on: it is processed twice.",
		is: func(c *candidate, _ shape) match { return isBull(c, isRandomUUID(c.token())) },
	},
	{
		Name: "BullMQ (Node)", Schemes: ofTokens, RecognisedBy: "`<prefix>:<queue>:<job>:lock` beside the job's hash, a UUID and a counter",
		Discouraged: true, Consequence: "The job counts as stalled and is run again by another worker, while the first one goes on: it is processed twice.",
		is: func(c *candidate, s shape) match { return isBull(c, s == shapeUUIDTag) },
	},
	{
		Name: "Hangfire.Redis.StackExchange (.NET)", Schemes: ofTokens, RecognisedBy: "`{hangfire}:` at the beginning of the name, a UUID",
		Discouraged: true, Consequence: "Its process asks for the extension again and again without a pause (a hot loop) until it has the lock back, or its job fails. Stop that process first, or let the lock expire.",
		is: prefixed("{hangfire}:", isRandomUUID),
	},
	{
		Name: "DistributedLock.Redis (.NET)", Schemes: ofTokens, RecognisedBy: "value `<machine>_<pid>_<32 hex>`",
		is: func(c *candidate, _ shape) match {
			return surelyIf(strings.Count(c.Value.Text, "_") >= 2 && isMachineID(c.Value.Text))
		},
	},
	{
		Name: "celery-singleton (Python)", Schemes: ofTokens, RecognisedBy: "`SINGLETONLOCK_<md5>`; the value is the task's id",
		Unchecked: true, Consequence: "A second task of this kind can be queued while the first one is still to run, or runs.",
		is: named(func(key string) bool { return cutHex(key, "SINGLETONLOCK_", 32) }),
	},
	{
		Name: "celery-once (Python)", Schemes: ofTokens, RecognisedBy: "`qo_<task>`, a UUID of version 1",
		Unchecked: true, Consequence: "A second task of this kind can be queued while the first one is still to run, or runs.",
		is: func(c *candidate, _ shape) match {
			return surelyIf(strings.HasPrefix(c.Key, "qo_") && isTimeUUID(c.Value.Text))
		},
	},
	{
		Name: "RedBeat (Python)", Schemes: ofTokens, RecognisedBy: "`redbeat::lock`",
		Consequence: "Another beat takes over at once and sends what is due; the former one finds the lock lost at its next tick, and ends.",
		is:          named(func(key string) bool { return strings.HasSuffix(key, "redbeat::lock") }),
	},
	{
		Name: "RQ (Python)", Schemes: ofTokens, RecognisedBy: "`rq:scheduler-lock:<queue>`, `rq:clean_registries:<queue>`",
		Unchecked: true, Consequence: "A second scheduler may work on the queue beside the first one.",
		is: named(isRQName),
	},
	{
		Name: "huey (Python), RedisExpireHuey", Schemes: ofTokens, RecognisedBy: "`huey.r.<queue>.<queue>.lock.<name>`, a pickle of 1; the holder is not stored",
		Unchecked: true, Consequence: "The next task of this kind runs.",
		is: func(c *candidate, _ shape) match { return surelyIf(isHueyKey(c.Key)) },
	},
	{
		Name: "dogpile.cache (Python)", Schemes: ofTokens, RecognisedBy: "`_lock<key>` without a separator, a UUID of version 1 without dashes",
		Consequence: "The value of this cache key may be computed twice at the same time.",
		is: func(c *candidate, _ shape) match {
			rest, ok := strings.CutPrefix(c.Key, "_lock")
			return surelyIf(ok && rest != "" && !strings.ContainsAny(rest[:1], "_:-./") && isTimeUUID(c.Value.Text))
		},
	},
	{
		Name: "redis-promise-lock (npm)", Schemes: ofTokens, RecognisedBy: "JSON with only `lockedSince`; the holder is not stored", Unchecked: true,
		is: func(c *candidate, _ shape) match {
			return surelyIf(strings.HasPrefix(c.Value.Text, `{"lockedSince":"`) && strings.Count(c.Value.Text, ",") == 0)
		},
	},
	{
		Name: "GitLab exclusive lease", Schemes: ofTokens, RecognisedBy: "`gitlab:exclusive_lease:`",
		is: named(func(key string) bool { return strings.Contains(key, "gitlab:exclusive_lease:") }),
	},
	{
		Name: "phpredis session lock", Schemes: ofTokens, RecognisedBy: "`PHPREDIS_SESSION:<id>_LOCK`, value `<host>|<pid>`",
		Consequence: "Two requests may write to the same session; the later one wins.",
		is: named(func(key string) bool {
			return strings.HasPrefix(key, "PHPREDIS_SESSION:") && strings.HasSuffix(key, "_LOCK")
		}),
	},
	{
		Name: "php-lock/lock", Schemes: ofTokens, RecognisedBy: "`php-malkusch-lock:`, or 64 hexadecimal digits; a TTL of a thousand years is none",
		is: func(c *candidate, s shape) match {
			return surelyIf(strings.HasPrefix(c.Key, "php-malkusch-lock:")).or(mayIf(s == shapeHex && len(c.token()) == 64))
		},
	},
	{
		Name: "activejob-uniqueness (Ruby)", Schemes: ofTokens, RecognisedBy: "`activejob_uniqueness:<job>:<digest>`",
		Consequence: "A second job with these arguments can be enqueued.",
		is:          named(func(key string) bool { return strings.HasPrefix(key, "activejob_uniqueness:") }),
	},
	{
		Name: "FreeRedis, CSRedisCore (.NET)", Schemes: ofTokens, RecognisedBy: "`RedisClientLock:`, `CSRedisClientLock:`",
		is: named(func(key string) bool {
			return strings.HasPrefix(key, "RedisClientLock:") || strings.HasPrefix(key, "CSRedisClientLock:")
		}),
	},
	{
		Name: "Spring Data cache lock", Schemes: ofTokens, RecognisedBy: "`<cache>~lock`, an empty value",
		Unchecked: true, Consequence: "Every put into this cache goes on.",
		is: func(c *candidate, s shape) match {
			return surelyIf(s == shapeEmpty && strings.HasSuffix(c.Key, "~lock"))
		},
	},
	{
		Name: "lock4j (Java)", Schemes: ofTokens, RecognisedBy: "`lock4j` at the beginning of the name, a UUID without dashes",
		is: prefixed("lock4j", func(token string) bool { return len(token) == 32 && isHex(token) }),
	},
	{
		Name: "simple-redis-mutex (npm)", Schemes: ofTokens, RecognisedBy: "`@simple-redis-mutex:lock-<name>`; its clients listen on one channel for all locks, also when they do not wait",
		Consequence: "The clients that wait for it get a message on that channel and try at once.",
		is:          named(func(key string) bool { return strings.HasPrefix(key, simpleMutex) }),
	},
	// Values that several leave.
	{
		Name: "redis-py", Schemes: ofTokens, RecognisedBy: "a UUID of version 1 without dashes; without a timeout no TTL",
		is: func(c *candidate, _ shape) match { return mayIf(isTimeUUID(c.Value.Text)) },
	},
	{
		Name: "redlock, @sesamecare-oss/redlock (npm)", Schemes: ofTokens, RecognisedBy: "32 hexadecimal digits; the same on all resources of one lock",
		is: hexOf(32, anyVersion),
	},
	{
		Name: "Sentry", Schemes: ofTokens, RecognisedBy: "`l:<key>`, a UUID of version 4 without dashes",
		is: func(c *candidate, s shape) match {
			return mayIf(strings.HasPrefix(c.Key, "l:") && hexOf(32, '4')(c, s) == matchMay)
		},
	},
	{
		Name: "redlock (Elixir)", Schemes: ofTokens, RecognisedBy: "80 hexadecimal digits",
		is: hexOf(80, anyVersion),
	},
	{
		Name: "redlock-php (ronnylt)", Schemes: ofTokens, RecognisedBy: "13 hexadecimal digits: PHP's uniqid, which is the time at which it began to try",
		is: hexOf(13, anyVersion),
	},
	{
		Name: "RedLock.net", Schemes: ofTokens, RecognisedBy: "`redlock:<resource>`, a UUID",
		Recreates: true, Renews: 0.5, is: prefixed("redlock:", isRandomUUID).atMost(matchMay),
	},
	{
		Name: "pottery (Python)", Schemes: ofTokens, RecognisedBy: "`redlock:<key>`, a UUID",
		is: prefixed("redlock:", isRandomUUID).atMost(matchMay),
	},
	{
		Name: "redis-semaphore (npm), mutex", Schemes: ofTokens, RecognisedBy: "`mutex:<key>`, a UUID",
		is: prefixed("mutex:", isRandomUUID).atMost(matchMay),
	},
	{
		Name: "Spring Integration", Schemes: ofTokens, RecognisedBy: "`<registry>:<key>`, a UUID, the same on all locks of one process; a rule makes it sure",
		is: uuidNamed(func(key string) bool { return strings.Contains(key, ":") }),
	},
	{
		Name: "redlock-rb (Ruby)", Schemes: ofTokens, RecognisedBy: "a UUID, any name", Recreates: true, AnyName: true,
		is: uuidNamed(func(string) bool { return true }),
	},
	{
		Name: "aioredlock (Python)", Schemes: ofTokens, RecognisedBy: "a UUID, any name",
		Recreates: true, Renews: 0.6, AnyName: true,
		is: uuidNamed(func(string) bool { return true }),
	},
	{
		Name: "redsync (Go)", Schemes: ofTokens, RecognisedBy: "16 bytes in base64: 24 characters that end in `==`",
		Recreates: true, // with the option SetNXOnExtend
		is: func(c *candidate, _ shape) match {
			_, fits := sixteenBytes(c.token())
			return mayIf(fits && !isTimeUUIDBytes(c.token(), c.now))
		},
	},
	{
		Name: "node-redis-warlock (npm)", Schemes: ofTokens, RecognisedBy: "`<name>:lock`, the 16 bytes of a UUID of version 1 in base64",
		is: func(c *candidate, _ shape) match {
			return surelyIf(strings.HasSuffix(c.Key, ":lock") && isTimeUUIDBytes(c.token(), c.now))
		},
	},
	{
		Name: "bsm/redislock (Go)", Schemes: ofTokens, RecognisedBy: "16 bytes in URL-safe base64: 22 characters, and behind them its metadata",
		is: func(c *candidate, _ shape) match {
			_, _, ok := redislockToken(c.token())
			return mayIf(ok)
		},
	},
	{
		Name: "redlock-py", Schemes: ofTokens, RecognisedBy: "22 letters and digits",
		is: func(c *candidate, _ shape) match { return mayIf(isMixed(c.token(), 22)) },
	},
	{
		Name: "go-zero", Schemes: ofTokens, RecognisedBy: "16 letters and digits",
		Recreates: true, // it extends by another Acquire
		is:        func(c *candidate, _ shape) match { return mayIf(isMixed(c.token(), 16)) },
	},
	{
		Name: "Laravel Redis::funnel", Schemes: ofTokens, RecognisedBy: "20 letters and digits under a name that ends in a number: one slot of a semaphore",
		is: func(c *candidate, _ shape) match {
			return mayIf(isMixed(c.token(), 20) && c.Key != "" && isDigit(c.Key[len(c.Key)-1]))
		},
	},
	{
		Name: "redis-plus-plus (C++)", Schemes: ofTokens, RecognisedBy: "20 letters and digits",
		is: func(c *candidate, _ shape) match { return mayIf(isMixed(c.token(), 20)) },
	},
	{
		Name: "rslock (Rust)", Schemes: ofTokens, RecognisedBy: "20 random bytes",
		is: func(c *candidate, s shape) match { return mayIf(s == shapeBinary && len(c.token()) == 20) },
	},
	{
		Name: "JetCache (Java)", Schemes: ofTokens, RecognisedBy: "a UUID as Java serialises it", Unchecked: true,
		is: func(c *candidate, _ shape) match {
			return mayIf(isRandomUUID(c.token()) && strings.HasPrefix(c.Value.Text, "\xac\xed"))
		},
	},
	{
		Name: "Symfony Lock up to 5.1", Schemes: ofTokens, RecognisedBy: "32 bytes in base64: 44 characters that end in `=`",
		is: func(c *candidate, s shape) match {
			return mayIf(s == shapeBase64 && len(c.token()) == 44 && strings.HasSuffix(c.token(), "="))
		},
	},
	{
		Name: "php-redis-lock (cheprasov)", Schemes: ofTokens, RecognisedBy: "`<pid>:<milliseconds> <seconds>:<random>`",
		is: func(c *candidate, _ shape) match {
			_, _, ok := microtimeToken(c.token())
			return surelyIf(ok)
		},
	},
	{
		Name: "redis-objects (Ruby)", Schemes: append([]Scheme{SchemeTimestamp}, ofTokens...),
		RecognisedBy: "`<class>:<id>:<name>_lock`, an empty value; in 1.x the end of the lease in seconds", Unchecked: true,
		is: func(c *candidate, s shape) match {
			return mayIf(strings.HasSuffix(c.Key, "_lock") && (s == shapeEmpty || strings.Contains(c.Value.Text, ".")))
		},
	},
	// Times.
	{
		Name: "jedis-lock (Java)", Schemes: []Scheme{SchemeTimestamp}, RecognisedBy: "`<uuid>:<milliseconds>`, in older forks the milliseconds alone; no TTL", Unchecked: true,
		is: func(c *candidate, _ shape) match {
			id, _, _ := leaseEnd(c.Value.Text)
			return surelyIf(isUUID(id)).or(mayIf(id == "" && len(c.Value.Text) == 13 && c.ExpiresAt.IsZero()))
		},
	},
	{
		Name: "redis-mutex (Ruby)", Schemes: []Scheme{SchemeTimestamp},
		RecognisedBy: "`RedisMutex:<object>`; elsewhere seconds with a fraction and no TTL",
		ComparesEnd:  true, is: func(c *candidate, _ shape) match {
			named := strings.HasPrefix(c.Key, "RedisMutex:") || strings.Contains(c.Key, ":RedisMutex:") // behind a namespace
			return surelyIf(named).or(mayIf(strings.Contains(c.Value.Text, ".") && c.ExpiresAt.IsZero()))
		},
	},
	{
		Name: "redis-lock (npm, errorception)", Schemes: []Scheme{SchemeTimestamp}, RecognisedBy: "`lock.<name>`, milliseconds, and a TTL", Unchecked: true,
		is: func(c *candidate, _ shape) match {
			return mayIf(strings.HasPrefix(c.Key, "lock.") && len(c.Value.Text) == 13 && !c.ExpiresAt.IsZero())
		},
	},
}
