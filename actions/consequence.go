package actions

import (
	"slices"
	"strings"
	"time"

	"locktop/inspector"
)

// Consequence says, before an action, what was observed, as of now, and then the [Effect]. It is one line, safe for a
// terminal: what came from Redis is escaped in it.
func Consequence(r Request) string { return strings.Join(Consequences(r), " ") }

// Consequences are the parts of [Consequence]: what was observed, and what the action does, what comes of it, and what to
// beware of.
func Consequences(r Request) []string {
	if r.Lock == nil {
		return []string{"There is no lock."}
	}
	effect := EffectOf(r)
	said := []string{observedWords(r, time.Now())}
	if r.Lock.Quorum != nil {
		said = append(said, votesWords(r))
	}
	if effect.Discouraged {
		said = append(said, "Discouraged.")
	}
	said = append(append(said, effect.Does, effect.Then), effect.Warnings...)
	return slices.DeleteFunc(said, func(s string) bool { return s == "" })
}

// Effect is what an action will do, in sentences that have nothing in them that came from Redis.
type Effect struct {
	// Does is what happens in Redis, and Then what comes of it for the holder and for those who wait; where the action is
	// not possible, Does is the reason.
	Does, Then string
	// Warnings are what to beware of.
	Warnings []string
	// Discouraged: the library does not survive it, or the holder could not release it any more, as
	// the first of the warnings says; it takes [Request].Force.
	Discouraged bool
}

// EffectOf says what an action will do, for those who show what was observed in their own way.
func EffectOf(r Request) Effect {
	if r.Lock == nil {
		return Effect{Does: "There is no lock."}
	}
	recipe, known := RecipeFor(r.Lock.Scheme)
	if !known {
		return Effect{Does: "Not possible: locktop has no recipe for it."}
	}
	if reason := recipe.refuses(r); reason != "" {
		return Effect{Does: "Not possible: " + reason + "."}
	}
	step := recipe.Steps[r.Verb]
	does, then := step.Does, step.Then
	if milder(r) && step.Milder != "" {
		does, then = step.Milder, step.MilderThen
	}
	if does == deletes && buried(r) {
		does, then = tombstoneWords(r, time.Now())
	}
	if r.Verb == VerbExtend && r.Lock != nil && fieldTTL(r.Lock, r.Owner) != nil {
		does += ", and that of the holder's field"
		if seenEndless(r.Lock) {
			does = "sets the TTL of the holder's field; the key has none"
		}
	}
	effect := Effect{Does: verbWords(r) + " " + does + ".", Then: then}
	effect.Warnings, effect.Discouraged = habits(r)
	effect.Warnings = append(effect.Warnings, doubts(r)...)
	if r.Verb == VerbExtend {
		return effect
	}
	for _, warning := range recipe.Warnings {
		if warning != unchecked || !slices.Contains(effect.Warnings, uncheckedLibrary) { // it says the same
			effect.Warnings = append(effect.Warnings, warning)
		}
	}
	return effect
}

// observedWords quotes what the action will be compared with, and what makes it more or less dangerous.
func observedWords(r Request, now time.Time) string {
	lock := r.Lock
	facts := []string{keyWords(r) + " is held by " + ownerWords(r, r.Owner)}
	holder, held := holderOf(r)
	if !held {
		facts[0] = keyWords(r) + " was not seen with the holder " + shortOwner(r.Owner)
	}
	if held && anonymous(r) {
		facts[0] = keyWords(r) + " is held: " + printable(holder.Label)
	}
	if holder.Count.Known {
		facts[0] += ", entered " + plural(holder.Count.N, "time", "times")
	}
	if held && lock.CountUnknown(&holder) {
		facts[0] += ", entry count unknown"
	}
	if !lock.HeldSince.IsZero() {
		since := "for " + span(now.Sub(lock.HeldSince))
		if !lock.HeldExact {
			since = "for at least " + span(now.Sub(lock.HeldSince))
		}
		facts = append(facts, since)
	}
	facts = append(facts, leaseWords(lock, now))
	if lock.Renewals > 0 {
		renewed := "renewed " + plural(lock.Renewals, "time", "times")
		if !lock.LastRenewal.IsZero() {
			renewed += ", last " + span(now.Sub(lock.LastRenewal)) + " ago"
		}
		facts = append(facts, renewed)
	}
	facts = append(facts, waiterWords(lock.Waiters))
	return strings.Join(facts, "; ") + "."
}

func leaseWords(lock *inspector.Lock, now time.Time) string {
	switch {
	case !lock.LeaseEnds.IsZero() && lock.LeaseEnds.Before(now):
		return "by its value its lease is over since " + span(now.Sub(lock.LeaseEnds))
	case !lock.LeaseEnds.IsZero():
		return "by its value " + span(lock.LeaseEnds.Sub(now)) + " of its lease left"
	case lock.EndUnknown():
		return "whether it ends by itself is unknown: the TTL of the holder's field could not be read"
	case lock.ExpiresAt.IsZero():
		return "it has no TTL and never ends by itself"
	case lock.EndsByField() && !lock.ExpiresAt.Before(now):
		return span(lock.ExpiresAt.Sub(now)) + " left of the TTL of the holder's field"
	case lock.ExpiresAt.Before(now):
		return "its TTL is over"
	case lock.EndAtMost():
		return "at most " + span(lock.ExpiresAt.Sub(now)) + " left: the TTL of the holder's field could not be read"
	default:
		return span(lock.ExpiresAt.Sub(now)) + " of its TTL left"
	}
}

func waiterWords(w inspector.Waiters) string {
	switch {
	case w.By == inspector.WaitersNone || w.By == "":
		return "who waits for it cannot be seen"
	case !w.Exact && w.Count == 0:
		return "nobody is seen to wait for it"
	case w.Exact:
		return plural(w.Count, "client waits", "clients wait") + " for it"
	case w.AtMost():
		return "at most " + plural(w.Count, "client waits", "clients wait") + " for it"
	default:
		return "at least " + plural(w.Count, "client waits", "clients wait") + " for it"
	}
}

// milder says whether the request is for the verb's milder form.
func milder(r Request) bool {
	switch r.Verb {
	case VerbForceExpire:
		return r.TTL > 0
	case VerbRelease:
		holder, _ := holderOf(r)
		return r.Entries > 0 && (!holder.Count.Known || holder.Count.N > r.Entries)
	case VerbExtend:
		return false
	}
	return false
}

// verbWords begins the sentence that says what will be done.
func verbWords(r Request) string {
	switch {
	case r.Verb == VerbExtend:
		return "Extending it to " + span(r.TTL)
	case r.Verb == VerbForceExpire && r.TTL > 0:
		return "Force-expiring it in " + span(r.TTL)
	case r.Verb == VerbForceExpire:
		return "Force-expiring it now"
	case milder(r):
		return "Releasing " + plural(r.Entries, "entry", "entries")
	default:
		return "Releasing it"
	}
}
