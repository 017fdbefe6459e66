package inspector

import (
	"context"
	"sync"
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
	// Rules decide by hand which scheme keys have; nil: evidence decides.
	Rules Rules
	// OwnerNames say how owners are made of their connection's name; empty: that is found out where it can be.
	OwnerNames []OwnerName
	// Masters is the number of independent masters that vote on each key (Redlock). 0 or 1: all nodes hold parts of one keyspace.
	Masters int
	// Thresholds of findings; zero values stand for the defaults in thresholds.go.
	Thresholds Thresholds
}

// Inspector holds everything that is known of locks. One goroutine owns the store; all methods are safe to call from any.
type Inspector struct {
	log   *eventLog
	noted chan struct{} // one token: an event came from outside the store

	mu        sync.Mutex
	latest    *Snapshot
	published chan struct{} // closed when latest is replaced
	sampled   []*Sample     // that are to be kept
	operated  []operated    // that the store has not heard of
}

// Start begins to consume the source; the Inspector ends when the source's channel is closed or ctx ends.
func Start(ctx context.Context, source Source, o Options) *Inspector {
	if o.Interval == 0 {
		o.Interval = 100 * time.Millisecond
	}
	if o.Linger == 0 {
		o.Linger = 5 * time.Second
	}
	i := &Inspector{
		log: &eventLog{}, noted: make(chan struct{}, 1),
		latest: &Snapshot{TakenAt: time.Now()}, published: make(chan struct{}),
	}
	s := newStore(o, i.log)
	go i.run(ctx, source.Updates(), s)
	return i
}

// run takes updates as they come, and publishes when something changed and the interval is over. What changes by time
// alone (a lease that runs out, a freed lock that is forgotten) wakes it as well.
func (i *Inspector) run(ctx context.Context, updates <-chan keyspace.Update, s *store) {
	var due time.Time // the earliest moment for the next snapshot
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			i.end(s, nil)
			return
		case u, open := <-updates:
			if !open {
				i.end(s, s.failure())
				return
			}
			s.take(u)
		case <-i.noted:
			s.changed = true
			samples, operated := i.handedOver()
			for _, sample := range samples {
				s.keep(sample)
			}
			for _, o := range operated {
				s.operate(o)
			}
		case <-timer.C:
		}
		now := time.Now()
		s.wake(now)
		if s.changed && !now.Before(due) {
			i.publish(s.snapshot(now))
			due = now.Add(s.options.Interval)
		}
		timer.Reset(s.pause(now, due))
	}
}

// end publishes the last snapshot.
func (i *Inspector) end(s *store, err error) {
	now := time.Now()
	s.wake(now)
	last := s.snapshot(now)
	last.Done, last.Err = true, err
	i.publish(last)
}

func (i *Inspector) publish(s *Snapshot) {
	i.mu.Lock()
	defer i.mu.Unlock()
	s.Seq = i.latest.Seq + 1
	i.latest = s
	close(i.published)
	i.published = make(chan struct{})
}

// Next blocks until there is a snapshot with a Seq greater than after, and returns the latest; older ones are skipped.
// After a snapshot with Done there is no next: it returns that one at once.
func (i *Inspector) Next(ctx context.Context, after uint64) (*Snapshot, error) {
	for {
		i.mu.Lock()
		latest, published := i.latest, i.published
		i.mu.Unlock()
		if latest.Seq > after || latest.Done {
			return latest, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-published:
		}
	}
}

// Latest is the last snapshot; before the first one it is empty, with a Seq of zero.
func (i *Inspector) Latest() *Snapshot {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.latest
}

// EventsSince returns the events with a Seq greater than seq, oldest first, and how many of them were forgotten already.
func (i *Inspector) EventsSince(seq uint64) (events []Event, lost uint64) { return i.log.since(seq) }

// Note adds an event of locktop itself (an operator's action) to the stream; its Seq and At are set here. Where its Cause is
// CauseOperator, the action took the lock from Owner, and the end of that hold is the operator's; At
// is then when the action was done, and zero stands for now.
func (i *Inspector) Note(e Event) {
	done := e.At
	e.At = time.Now()
	if done.IsZero() {
		done = e.At
	}
	i.log.add(e)
	if e.Kind == EventOperator && e.Cause == CauseOperator {
		i.mu.Lock()
		i.operated = append(i.operated, operated{key: keyRef{e.DB, e.Key}, owner: e.Owner, at: done})
		i.mu.Unlock()
	}
	i.wake()
}

// Keep makes a sample known: it is a part of its lock for some minutes.
func (i *Inspector) Keep(sample *Sample) {
	i.mu.Lock()
	i.sampled = append(i.sampled, sample)
	i.mu.Unlock()
	i.wake()
}

// handedOver are the samples and the actions that came since the last time.
func (i *Inspector) handedOver() ([]*Sample, []operated) {
	i.mu.Lock()
	defer i.mu.Unlock()
	samples, operated := i.sampled, i.operated
	i.sampled, i.operated = nil, nil
	return samples, operated
}

func (i *Inspector) wake() {
	select {
	case i.noted <- struct{}{}:
	default:
	}
}
