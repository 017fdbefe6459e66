package actions

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// Step is what a verb does to a lock of a scheme, in words: Does is what happens in Redis ("deletes the key"), and Then, in
// sentences, what comes of it for the holder and for those who wait.
type Step struct {
	Does, Then string
	// Milder and MilderThen say the same of the verb's milder form, where it has one: a release of some entries, a
	// force-expiry with a delay.
	Milder, MilderThen string
	// Refused and MilderRefused are the reasons why one of the two forms is not possible, where only the other is.
	Refused, MilderRefused string
}

// Recipe says what may be done to the locks of a scheme, and how.
type Recipe struct {
	Scheme inspector.Scheme
	// Type is the type of the key that the lock is kept in.
	Type keyspace.Type
	// WriterType is the type of the key that a writer's lock is kept in, where that is another one.
	WriterType keyspace.Type
	// Anonymous: Redis does not know who holds such a lock, so that it has one holder without an owner, whose label is what is
	// known.
	Anonymous bool
	// Apart: even a force-expiry concerns one of several holders alone.
	Apart bool
	// Guard is what is compared before anything is done; WakeUp is how those who wait are told.
	Guard, WakeUp string
	// Steps has the verbs that the scheme supports; Refused has the reason for every verb that it does not.
	Steps   map[Verb]Step
	Refused map[Verb]string
	// Warnings are true of every destructive action on the scheme.
	Warnings []string
	// OwnEnd: an extension is about another end than the TTL of the lock's own key, so that a key
	// without a TTL can be extended.
	OwnEnd bool
	// Stamped: that end is the value of the key, so that an extension writes another value than the
	// holder's.
	Stamped bool
	// plan completes the plan of a verb, which is one of Steps, and which was checked but for what the scheme has in it. Its
	// error is a refusal. It depends on nothing but its arguments.
	plan func(p *plan, r Request, holder inspector.Holder, now time.Time) error
	// samples are locks of the scheme as they may be seen, of which it is asked what it takes to act on them.
	samples func(key string) []*inspector.Lock
	// companions is how the other keys are named that the plans name, and channels are globs of the channels.
	companions []inspector.Naming
	channels   []string
	// announced are globs of the locks of which a release is announced, where that is not so of all locks of the scheme.
	announced []keyspace.Pattern
}

// keepsIn says whether locks of the scheme are kept in keys of this type.
func (r Recipe) keepsIn(kind keyspace.Type) bool {
	return kind != "" && (kind == r.Type || kind == r.WriterType)
}

// refuses is the reason why what a request asks for is not possible; empty: it is.
func (r Recipe) refuses(request Request) string {
	step, supported := r.Steps[request.Verb]
	switch {
	case !supported:
		return cmp.Or(r.Refused[request.Verb], fmt.Sprintf("there is no action %q", request.Verb))
	case milder(request):
		return step.MilderRefused
	case request.Verb == VerbExtend && !r.OwnEnd && r.Type != keyspace.TypeZSet && withoutTTL(request.Lock) && fieldTTL(request.Lock, request.Owner) == nil:
		return neverEnds
	default:
		return step.Refused
	}
}

// Verbs lists the verbs, mildest first.
func Verbs() []Verb { return []Verb{VerbExtend, VerbRelease, VerbForceExpire} }

// RecipeFor returns the recipe of a scheme; false: this package knows of no such scheme, and does nothing to its locks.
func RecipeFor(scheme inspector.Scheme) (Recipe, bool) {
	r, known := recipes[scheme]
	return r, known
}

// recipes has the recipe of every scheme: each adds its own, in a file of its own.
var recipes = map[inspector.Scheme]Recipe{}

// addRecipe adds a recipe.
func addRecipe(r Recipe) { recipes[r.Scheme] = r }

// Recipes returns the recipes of all schemes, in the order of their names.
func Recipes() []Recipe {
	return slices.SortedFunc(maps.Values(recipes), func(a, b Recipe) int { return cmp.Compare(a.Scheme, b.Scheme) })
}

const (
	guardString   = "the key is a string, its whole value is as seen, and its lease ends when it was seen to end"
	guardHash     = "the key is a hash, the holder's field and its count are as seen, no field was added or removed, and its lease ends when it was seen to end"
	wakeUpPolling = "none: clients that wait poll"
	neverEnds     = "it has no TTL, so it never ends by itself and cannot be extended; " +
		"to give it an end, force-expire it with a delay"
	deletes          = "deletes the key"
	wakes            = "deletes the key and publishes the wake-up"
	shortens         = "shortens its TTL to that, and never lengthens it"
	limits           = "gives it that TTL, or shortens the one it has to that"
	takesEntries     = "takes as many from the holder's count, and leaves the lease as it is"
	besideHolder     = "The holder is not told: if it is alive it goes on believing that it holds the lock, and the next acquirer runs beside it."
	untilRenewal     = "A holder that renews before then sets its own lease again; else it is not told, and the next acquirer runs beside it."
	renewalWins      = "A holder that renews by itself sets its own lease again at its next renewal."
	stillBelieves    = "The holder is not told: it goes on believing in its entries, and its last releases will find that it is not the holder any more."
	unchecked        = "Clients of this kind delete the key without looking whose it is: an old holder that is still alive will delete the next holder's lock. Stop it first."
	redissonFreed    = "The holder's thread is not told and works on: its watchdog stops at the next tick (within 10 s), its unlock() throws IllegalMonitorStateException, and the clients that wait wake up, of a fair lock the first in its queue: one of them enters beside it."
	redissonReleased = "The threads that had it are not told and work on: the watchdog stops at the next tick (within 10 s), unlock() throws IllegalMonitorStateException, and the clients that wait wake up and enter beside them."
	redissonExpiring = "If the holder's watchdog runs, its next tick (within 10 s) undoes it; else the clients that wait are not told, and try again when the lease that they read is over."
)

// What is said of locks that several may hold, each for itself.
const (
	guardMember  = "the key is a sorted set, the holder is a member of it with the score that was seen, and the key has a TTL if and only if it had one; for a force-expiry the number of members is as seen"
	deletesAll   = "deletes the key, with all its holders"
	shortensAll  = "shortens the TTL of the key, with all its holders, to that, and never lengthens it"
	oneEntry     = "each of its holders has it once: it can only be released as a whole"
	memberFreed  = "The holder is not told: if it is alive it goes on believing that it has the lock. Other holders keep theirs; clients that wait poll, and the next one enters beside it."
	membersFreed = "No holder is told: those that are alive go on believing that they have the lock, and the next acquirers run beside them."
	membersUntil = "A holder that renews before then lets the key stay longer again; else no holder is told, and the next acquirers run beside them."
)
