package inspector

import (
	"slices"
	"time"

	"locktop/keyspace"
)

// Sample is what a contention probe found out of one lock: who tried to acquire it, how often, and in vain. It is immutable. A probe is
// short, so that who asks seldom is not in it; and what MONITOR does not tell it does not make up.
type Sample struct {
	keyspace.Ref
	// From and To are when it was listened. Ended says why it ended; [Sample.Complete], whether at the time that was asked for.
	From, To time.Time
	Ended    keyspace.ProbeEnd
	// Clients are those that did something about the lock, the one with the most attempts first; More is how many are left out.
	Clients []SampledClient
	More    int
	Sampled
	// Waiting is how many clients were left without the lock at the end: blocked, subscribed, or refused the last time they asked.
	Waiting int
	// Lines and Bytes are what it took; Nodes is what it cost each master.
	Lines, Bytes int64
	Nodes        []SampledNode
}

// Sampled counts what was done about a lock.
type Sampled struct {
	// Attempts to acquire it are Acquired, Failed, or neither: of the rest nobody can tell.
	Attempts, Acquired, Failed int
	// Extends and Releases count the attempts to do so.
	Extends, Releases Tries
	// Repaired counts how often a lock without a TTL was given one; that is no extension.
	Repaired int
	// Waits counts how often somebody blocked or subscribed.
	Waits int
}

// Tries are attempts of one kind. Done and Refused are those whose result is known, because MONITOR
// shows no replies.
type Tries struct{ All, Done, Refused int }

// Unknown is how many attempts may have been done or not.
func (t Tries) Unknown() int { return t.All - t.Done - t.Refused }

func (t *Tries) add(more Tries) {
	t.All += more.All
	t.Done += more.Done
	t.Refused += more.Refused
}

// count adds one attempt.
func (t *Tries) count(r result) {
	t.All++
	switch r {
	case resultDone:
		t.Done++
	case resultFailed:
		t.Refused++
	case resultUnknown:
	}
}

// Unknown is how many attempts may have acquired it or not.
func (s Sampled) Unknown() int { return s.Attempts - s.Acquired - s.Failed }

// SampledClient is one client of a sample: a connection, or those on one host that call themselves the same.
type SampledClient struct {
	// Addr is the client's end of its first connection; Connections is how many it used.
	Addr        string
	Connections int
	// Name, User, Library and LibraryVersion are what CLIENT LIST told after the probe; empty where the connection was gone by then.
	Name, User, Library, LibraryVersion string
	// Owner is the token of its attempts where all have the same; Owners is how many there were.
	Owner  string
	Owners int
	Sampled
	First, Last time.Time
	// Waits says that it was left without the lock at the end.
	Waiting bool
}

// SampledNode is what a probe cost one master.
type SampledNode struct {
	Node         keyspace.Node
	Lines, Bytes int64
	// LoadKnown says whether the server told how busy it is: commands a second before and during the probe, and the share of a core
	// that it used meanwhile.
	LoadKnown            bool
	OpsBefore, OpsDuring float64
	CPU                  float64
	// Err is why it was not probed to the end; empty: it was.
	Err string
}

// Span is for how long it was listened.
func (s *Sample) Span() time.Duration { return s.To.Sub(s.From) }

// Complete says whether the probe lasted as long as it was asked to, on all masters.
func (s *Sample) Complete() bool { return s.Ended == keyspace.ProbeTime }

// PerSecond is how often something happened that was counted so often.
func (s *Sample) PerSecond(times int) float64 {
	if span := s.Span().Seconds(); span > 0 {
		return float64(times) / span
	}
	return 0
}

// How long a sample is shown, and how long the clients that it saw wait count as the lock's waiters.
const (
	sampleKept     = 10 * time.Minute
	sampledWaiters = time.Minute
)

// maxSamples bounds how many are kept.
const maxSamples = 200

// keep takes a sample in, in the place of an older one of the same lock.
func (s *store) keep(sample *Sample) {
	key := keyRef{sample.DB, sample.Key}
	if s.samples == nil {
		s.samples = make(map[keyRef]*Sample)
	}
	if len(s.samples) >= maxSamples && s.samples[key] == nil {
		oldest := key
		for k, other := range s.samples {
			if s.samples[oldest] == nil || other.To.Before(s.samples[oldest].To) {
				oldest = k
			}
		}
		s.drop(oldest)
	}
	s.samples[key] = sample
	s.resample(key)
	s.prove(sample)
}

// prove makes releases of the deletions that a sample explains: the client that acquired the lock released it as well.
func (s *store) prove(sample *Sample) {
	p := s.places[sample.DB]
	if p == nil {
		return
	}
	i, known := p.slots[sample.Key]
	if !known {
		return
	}
	released := func(h *Hold) bool {
		return h.Cause == CauseFreed && !h.Since.Before(sample.From) && !h.Until.After(sample.To) &&
			slices.ContainsFunc(sample.Clients, func(c SampledClient) bool { return c.Owner != "" && c.Owner == h.Owner && c.Releases.Done > 0 })
	}
	for n := range s.slots[i].lock.History {
		if !released(&s.slots[i].lock.History[n]) {
			continue
		}
		s.explain(i, n, CauseReleased)
		s.changed = true
	}
}

// drop forgets a sample.
func (s *store) drop(key keyRef) {
	delete(s.samples, key)
	s.resample(key)
}

// expireSamples forgets what is old.
func (s *store) expireSamples(now time.Time) {
	for key, sample := range s.samples {
		switch age := now.Sub(sample.To); {
		case age >= sampleKept:
			s.drop(key)
		case age >= sampledWaiters:
			s.resample(key) // which costs nothing where nothing is to be done
		}
	}
}

// resample brings a lock into agreement with what was sampled of it.
func (s *store) resample(key keyRef) {
	p := s.places[key.db]
	if p == nil {
		return
	}
	i, known := p.slots[key.key]
	if !known {
		return
	}
	l := s.slots[i].lock
	if sample, waiters := s.sampled(l); sample == l.Sample && waiters == l.Waiters {
		return
	}
	s.edit(i)
	s.settle(i, time.Now())
}

// sampled is what was sampled of a lock, and its waiters with that: a count that the keys tell is the better one.
func (s *store) sampled(l *Lock) (*Sample, Waiters) {
	sample, waiters := s.samples[keyRef{l.DB, l.Key}], l.Waiters
	if waiters.By == WaitersSampled {
		waiters = Waiters{By: WaitersNone}
	}
	if sample != nil && waiters.By == WaitersNone && time.Since(sample.To) < sampledWaiters {
		waiters = Waiters{Count: sample.Waiting, By: WaitersSampled}
	}
	return sample, waiters
}

// TakeSample gives a lock that nobody else has what was sampled of it, as the store does.
func (l *Lock) TakeSample(sample *Sample) {
	l.Sample = sample
	if l.Waiters.By == WaitersNone || l.Waiters.By == "" {
		l.Waiters = Waiters{Count: sample.Waiting, By: WaitersSampled}
	}
}
