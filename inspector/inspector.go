package inspector

import (
	"context"
	"errors"
	"time"

	"locktop/keyspace"
)

// Source is what an Inspector listens to; *keyspace.Observation is one.
type Source interface {
	Updates() <-chan keyspace.Update
}

// Options tune an Inspector. The zero value is what the product uses.
type Options struct {
	// Interval is the least time between two snapshots; zero: 100 ms.
	Interval time.Duration
	// Linger is for how long a freed lock stays; zero: 5 s.
	Linger time.Duration
	// Thresholds of findings; zero values stand for the defaults in thresholds.go.
	Thresholds Thresholds
}

// Inspector holds everything that is known of locks. One goroutine owns the store; all methods are safe to call from any.
type Inspector struct{}

// Start begins to consume the source; the Inspector ends when the source's channel is closed or ctx ends.
func Start(ctx context.Context, source Source, o Options) *Inspector { return nil }

// Next blocks until there is a snapshot with a Seq greater than after, and returns the latest; older ones are skipped.
// After a snapshot with Done there is no next: it returns that one at once.
func (i *Inspector) Next(ctx context.Context, after uint64) (*Snapshot, error) {
	return nil, errors.New("not built yet")
}

// EventsSince returns the events with a Seq greater than seq, oldest first, and how many of them were forgotten already.
func (i *Inspector) EventsSince(seq uint64) (events []Event, lost uint64) { return nil, 0 }

// Note adds an event of locktop itself (an operator's action) to the stream; its Seq and At are set here.
func (i *Inspector) Note(e Event) {}
