package inspector

import (
	"time"

	"locktop/keyspace"
)

// EventKind is what happened to a lock; the words are those of the locktop.event/1 schema.
type EventKind string

// The kinds of events.
const (
	EventAcquired  EventKind = "acquired"
	EventReentered EventKind = "reentered"
	EventRenewed   EventKind = "renewed"  // the same lease again, as a watchdog does; with Repaired the first one
	EventExtended  EventKind = "extended" // a longer lease than before
	// EventReleased is also of one entry of several: Count tells how many are left. [Event.Proven] reports whether it was a release.
	EventReleased   EventKind = "released"
	EventExpired    EventKind = "expired"
	EventDeleted    EventKind = "deleted" // gone, and nothing says by whose will (evicted, flushed, in a gap)
	EventHandedOver EventKind = "handed-over"
	EventLost       EventKind = "lost"   // lapsed or taken over while its holder still renewed or used it
	EventEdited     EventKind = "edited" // a part of the value was changed in place; logged once a hold
	EventGap        EventKind = "gap"
	EventOperator   EventKind = "operator" // an action of locktop itself
)

// Event is one thing that happened, in the order in which it was observed.
type Event struct {
	// Seq numbers events from 1 without holes.
	Seq uint64
	At  time.Time
	keyspace.Ref
	Kind          EventKind
	Scheme        Scheme
	Owner         string
	Label         string
	PreviousOwner string
	Count         Count // what is left: 0 where the hold is over
	// TTL is what the lease has left; negative: none. TTLKnown is false where the event tells of no lease.
	TTL      time.Duration
	TTLKnown bool
	// Held is for how long the holder that an end concerns had it; zero: unknown. HeldExact as in [Hold].
	Held      time.Duration
	HeldExact bool
	Cause     Cause
	// Repaired is of an EventRenewed that gave a TTL to a lock without one. It is no renewal, and
	// [Event.Word] says so.
	Repaired bool
	// Text is said to people where the fields do not say it all (the reason of a gap, the outcome of an action).
	Text string
}

// Proven reports whether a release is known to be one: a count that came down, a field that was taken out, an action of locktop. A
// key that was deleted proves nothing: anybody may delete it. ok is false for an event that is no release.
func (e *Event) Proven() (proven, ok bool) {
	deleted, proven := e.Cause.Deleted()
	switch {
	case deleted:
		return proven, true
	case e.Kind == EventReleased: // one entry of several
		return true, true
	}
	return false, false
}

// Word is the event in a word for people: its kind, but for a repair, and "freed" where it is not known to be a release.
func (e *Event) Word() string {
	switch {
	case e.Repaired:
		return "repaired"
	case e.Kind == EventReleased && e.Cause == CauseFreed:
		return string(CauseFreed)
	}
	return string(e.Kind)
}
