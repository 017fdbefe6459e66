package actions

import "locktop/inspector"

// Step is what a verb does to a lock of a scheme, in words.
type Step struct {
	// Does is what happens in Redis, and Then what comes of it for the holder and for those who wait. Both are sentences.
	Does, Then string
}

// Recipe says what may be done to the locks of a scheme, and how.
type Recipe struct {
	Scheme inspector.Scheme
	// Hash is true where the lock is kept in a hash, and false where in a string.
	Hash bool
	// Guard is what is compared before anything is done; WakeUp is how those who wait are told.
	Guard, WakeUp string
	// Steps has the verbs that the scheme supports; Refused has the reason for every verb that it does not.
	Steps   map[Verb]Step
	Refused map[Verb]string
	// Warnings are true of every destructive action on the scheme.
	Warnings []string
	// channel is where the waiters of a key listen; nil: they poll.
	channel func(key string) string
}

// Verbs lists the verbs, mildest first.
func Verbs() []Verb { return []Verb{VerbExtend, VerbRelease, VerbForceExpire} }

// RecipeFor returns the recipe of a scheme; false: this package knows of no such scheme, and does nothing to its locks.
func RecipeFor(scheme inspector.Scheme) (Recipe, bool) {
	for _, recipe := range Recipes() {
		if recipe.Scheme == scheme {
			return recipe, true
		}
	}
	return Recipe{}, false
}

// Recipes returns the recipes of all schemes.
func Recipes() []Recipe {
	return []Recipe{tokenRecipe, setNXRecipe, timestampRecipe, reentrantRecipe, redissonRecipe, unknownRecipe}
}

const (
	guardString   = "the key is a string, its whole value is the one seen, and it has a TTL if and only if it had one"
	guardHash     = "the key is a hash, the holder's field and its count are as seen, no field has come or gone, and it has a TTL if and only if it had one"
	wakeUpPolling = "none: clients that wait poll"
	expiresInTime = "deletes the key at once; with a delay, shortens its TTL to that, and never lengthens it"
	besideHolder  = "The holder is not told: if it is alive it goes on believing that it holds the lock, and the next acquirer runs beside it."
	renewalIsKing = "A holder that renews by itself sets its own lease again at its next renewal."
	unchecked     = "Clients of this kind delete the key without looking whose it is: an old holder that is still alive will delete the next holder's lock. Stop it first."
)

var tokenRecipe = Recipe{
	Scheme: inspector.SchemeToken,
	Guard:  guardString,
	WakeUp: wakeUpPolling,
	Steps: map[Verb]Step{
		VerbExtend:      {"sets the TTL", renewalIsKing},
		VerbRelease:     {"deletes the key", besideHolder},
		VerbForceExpire: {expiresInTime, besideHolder},
	},
	Warnings: []string{
		"Some clients write the key anew when they renew (RedLock.net; redsync with SetNXOnExtend): if their holder is alive, the lock comes back.",
	},
}

var setNXRecipe = Recipe{
	Scheme: inspector.SchemeSetNX,
	Guard:  guardString,
	WakeUp: wakeUpPolling,
	Steps: map[Verb]Step{
		VerbExtend:      {"gives the key a TTL, which it did not have", "The lock then ends by itself, whether its holder is alive or not."},
		VerbRelease:     {"deletes the key", besideHolder},
		VerbForceExpire: {"deletes the key at once; with a delay, gives it that TTL", besideHolder},
	},
	Warnings: []string{unchecked},
}

var timestampRecipe = Recipe{
	Scheme: inspector.SchemeTimestamp,
	Guard:  guardString,
	WakeUp: wakeUpPolling,
	Steps: map[Verb]Step{
		VerbExtend: {
			"writes a later end in the same format, by this machine's clock; a TTL that would end sooner is set to the new lease",
			"The holder is not told: a client that compares the value before it releases finds another than its own, and leaves the lock to lapse.",
		},
		VerbRelease:     {"deletes the key", besideHolder},
		VerbForceExpire: {"deletes the key at once; with a delay, gives it that TTL, or shortens the one it has", besideHolder},
	},
	Warnings: []string{unchecked},
}

var reentrantRecipe = Recipe{
	Scheme: inspector.SchemeReentrant,
	Hash:   true,
	Guard:  guardHash,
	WakeUp: wakeUpPolling,
	Steps: map[Verb]Step{
		VerbExtend: {"sets the TTL", renewalIsKing},
		VerbRelease: {
			"takes the entries from the holder's count, and leaves the lease as it is; the last one deletes the key",
			"The holder is not told: if it is alive it goes on believing in its entries, and its own releases will find that it is not the holder any more. Once the key is gone, the next acquirer runs beside it.",
		},
		VerbForceExpire: {expiresInTime, besideHolder},
	},
}

var redissonRecipe = Recipe{
	Scheme: inspector.SchemeRedisson,
	Hash:   true,
	Guard:  guardHash,
	WakeUp: `PUBLISH redisson_lock__channel:{key} 0, when the key is deleted`,
	Steps: map[Verb]Step{
		VerbExtend: {
			"sets the TTL",
			"If the holder's watchdog runs, it cuts the lease back to its own (30 s by default) at its next tick, which comes within 10 s.",
		},
		VerbRelease: {
			"takes the entries from the holder's count, and leaves the lease as it is; the last one deletes the key and publishes the wake-up",
			"The holder's thread is not told and works on. Once the key is gone its watchdog stops at the next tick (within 10 s), its unlock() throws IllegalMonitorStateException, and the clients that wait wake up: one of them enters beside it.",
		},
		VerbForceExpire: {
			"deletes the key at once and publishes the wake-up; with a delay, shortens its TTL to that, and never lengthens it",
			"At once: as a release of all entries. With a delay: if the holder's watchdog runs, its next tick (within 10 s) undoes it; else the clients that wait are not told, and try again when the lease that they read is over.",
		},
	},
	channel: RedissonChannel,
}

var unknownRecipe = Recipe{
	Scheme: inspector.SchemeUnknown,
	Guard:  "none",
	WakeUp: "none",
	Refused: map[Verb]string{
		VerbExtend:      "it is not a lock",
		VerbRelease:     "it is not a lock",
		VerbForceExpire: "it is not a lock: it may be data, which nobody could bring back",
	},
}
