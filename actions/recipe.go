package actions

import "locktop/inspector"

// Step is what a verb does to a lock of a scheme, in words: Does is what happens in Redis ("deletes the key"), and Then, in
// sentences, what comes of it for the holder and for those who wait.
type Step struct {
	Does, Then string
	// Milder and MilderThen say the same of the verb's milder form, where it has one: a release of some entries, a
	// force-expiry with a delay.
	Milder, MilderThen string
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
	// wakeUp is how the waiters of a key are told; nil: they poll.
	wakeUp func(key string) wakeUp
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
	return []Recipe{tokenRecipe, setNXRecipe, timestampRecipe, reentrantRecipe, redissonRecipe, shedLockRecipe,
		notYet(inspector.SchemeRedissonRW), notYet(inspector.SchemeRedissonPermits), notYet(inspector.SchemeRedissonSemaphore), notYet(inspector.SchemeRedissonLatch),
		unknownRecipe,
	}
}

const (
	guardString   = "the key is a string, its whole value is the one seen, and it has a TTL if and only if it had one"
	guardHash     = "the key is a hash, the holder's field and its count are as seen, no field has come or gone, and it has a TTL if and only if it had one"
	wakeUpPolling = "none: clients that wait poll"
	deletes       = "deletes the key"
	wakes         = "deletes the key and publishes the wake-up"
	shortens      = "shortens its TTL to that, and never lengthens it"
	limits        = "gives it that TTL, or shortens the one it has to that"
	takesEntries  = "takes as many from the holder's count, and leaves the lease as it is"
	besideHolder  = "The holder is not told: if it is alive it goes on believing that it holds the lock, and the next acquirer runs beside it."
	untilRenewal  = "A holder that renews before then sets its own lease again; else it is not told, and the next acquirer runs beside it."
	renewalWins   = "A holder that renews by itself sets its own lease again at its next renewal."
	stillBelieves = "The holder is not told: it goes on believing in its entries, and its last releases will find that it is not the holder any more."
	unchecked     = "Clients of this kind delete the key without looking whose it is: an old holder that is still alive will delete the next holder's lock. Stop it first."
	redissonFreed = "The holder's thread is not told and works on: its watchdog stops at the next tick (within 10 s), its unlock() throws IllegalMonitorStateException, and the clients that wait wake up, of a fair lock the first in its queue: one of them enters beside it."
)

var tokenRecipe = Recipe{
	Scheme: inspector.SchemeToken,
	Guard:  guardString,
	WakeUp: wakeUpPolling,
	Steps: map[Verb]Step{
		VerbExtend:      {Does: "sets its TTL", Then: renewalWins},
		VerbRelease:     {Does: deletes, Then: besideHolder},
		VerbForceExpire: {Does: deletes, Then: besideHolder, Milder: shortens, MilderThen: untilRenewal},
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
		VerbExtend:      {Does: "gives it a TTL, which it did not have", Then: "The lock then ends by itself, whether its holder is alive or not."},
		VerbRelease:     {Does: deletes, Then: besideHolder},
		VerbForceExpire: {Does: deletes, Then: besideHolder, Milder: "gives it that TTL", MilderThen: besideHolder},
	},
	Warnings: []string{unchecked},
}

var timestampRecipe = Recipe{
	Scheme: inspector.SchemeTimestamp,
	Guard:  guardString,
	WakeUp: wakeUpPolling,
	Steps: map[Verb]Step{
		VerbExtend: {
			Does: "writes a later end in the same format, by this machine's clock; a TTL that would end sooner is set to the new lease",
			Then: "The holder is not told: a client that compares the value before it releases finds another than its own, and leaves the lock to lapse.",
		},
		VerbRelease:     {Does: deletes, Then: besideHolder},
		VerbForceExpire: {Does: deletes, Then: besideHolder, Milder: limits, MilderThen: besideHolder},
	},
	Warnings: []string{unchecked},
}

var reentrantRecipe = Recipe{
	Scheme: inspector.SchemeReentrant,
	Hash:   true,
	Guard:  guardHash,
	WakeUp: wakeUpPolling,
	Steps: map[Verb]Step{
		VerbExtend:      {Does: "sets its TTL", Then: renewalWins},
		VerbRelease:     {Does: deletes, Then: besideHolder, Milder: takesEntries, MilderThen: stillBelieves},
		VerbForceExpire: {Does: deletes, Then: besideHolder, Milder: shortens, MilderThen: untilRenewal},
	},
}

var redissonRecipe = Recipe{
	Scheme: inspector.SchemeRedisson,
	Hash:   true,
	Guard:  guardHash,
	WakeUp: "PUBLISH redisson_lock__channel:{key} 0, when the key is deleted; where a fair lock has a queue, redisson_lock__channel:{key}:<first waiter> instead",
	Steps: map[Verb]Step{
		VerbExtend: {
			Does: "sets its TTL",
			Then: "If the holder's watchdog runs, it cuts the lease back to its own (30 s by default) at its next tick, which comes within 10 s.",
		},
		VerbRelease: {Does: wakes, Then: redissonFreed, Milder: takesEntries, MilderThen: stillBelieves},
		VerbForceExpire: {
			Does: wakes, Then: redissonFreed, Milder: shortens,
			MilderThen: "If the holder's watchdog runs, its next tick (within 10 s) undoes it; else the clients that wait are not told, and try again when the lease that they read is over.",
		},
	},
	wakeUp: redissonWakeUp,
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
