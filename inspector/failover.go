package inspector

import (
	"fmt"
	"slices"
	"time"

	"locktop/keyspace"
)

// This file finds locks that a fail-over lost. A key that is missing on the new master proves
// nothing: its holder may have released it while locktop could not look. The proof is the offset up
// to which the new master had copied the writes of the old one: it never had later writes.

// stream is what is known about one master's stream of writes.
type stream struct {
	// since is when the stream was first seen.
	since time.Time
	// before and copied are as in [keyspace.Replication].
	before string
	copied int64
	marks  []offsetMark // oldest first
}

// offsetMark is the offset of a stream at a time.
type offsetMark struct {
	answered time.Time
	offset   int64
}

const (
	// maxMarks is how many marks are kept, one per second.
	maxMarks = 128
	// maxStreams bounds the number of streams: each fail-over begins a new one.
	maxStreams = 1000
	// newsDelay is how much later than the answer to a query the notification of a write may
	// arrive.
	newsDelay = 100 * time.Millisecond
)

// follow records the offset of a master's stream of writes.
func (s *store) follow(r *keyspace.Replication) {
	if r.Stream == "" {
		return
	}
	at := s.streams[r.Stream]
	if at == nil {
		if s.streams == nil || len(s.streams) >= maxStreams {
			s.streams = make(map[string]*stream)
		}
		at = &stream{since: r.Asked, before: r.Before, copied: r.Copied}
		s.streams[r.Stream] = at
	}
	if n := len(at.marks); n > 0 && !r.Answered.After(at.marks[n-1].answered) {
		return
	}
	if len(at.marks) == maxMarks {
		at.marks = slices.Delete(at.marks, 0, 1)
	}
	at.marks = append(at.marks, offsetMark{r.Answered, r.Offset})
}

// missedBy reports whether the master that took over certainly never had the last write to the
// lock: its acquisition or its last renewal. took is true if another master has taken over since
// the previous read of the lock, which by itself proves nothing.
func (v *sight) missedBy(l *Lock) (missed, took bool) {
	if !v.gap || v.slot < 0 || v.record.Node == "" {
		return false, false
	}
	n := v.node(v.record.Ref)
	if n.status == nil {
		return false, false
	}
	now := v.streams[n.status.Replication.Stream]
	if now == nil || v.slots[v.slot].readAt >= now.since.UnixNano() {
		return false, false
	}
	old := v.streams[now.before]
	written, exact := l.HeldSince, l.HeldExact
	if l.Renewals > 0 {
		written, exact = l.LastRenewal, true
	}
	if end := l.leaseEnd(); old == nil || !end.IsZero() && !v.record.ReadAt.Before(end) {
		return false, false // its lease had run out by then
	}
	for _, m := range slices.Backward(old.marks) {
		if m.answered.Before(written.Add(-newsDelay)) {
			return exact && now.copied <= m.offset, true
		}
	}
	return false, true
}

// failOverText says how a lock was lost in a fail-over.
func (v *sight) failOverText(l *Lock) string {
	what, at := "acquired", l.HeldSince
	if l.Renewals > 0 {
		what, at = "renewed", l.LastRenewal
	}
	master := "the new master " + string(v.record.Node)
	if l.Node == v.record.Node {
		master = "the server that now answers at " + string(v.record.Node)
	}
	return fmt.Sprintf("%s lost it in a fail-over: %s had not copied the write that %s the lock at %s; %s", shorten(l.holder().Label),
		master, what, at.Local().Format("15:04:05.000"), v.leaseLeft(l))
}

// leaseLeft says how much of its lease was left when a lock was found missing on the new master.
func (v *sight) leaseLeft(l *Lock) string {
	end := l.leaseEnd()
	if end.IsZero() {
		return "its lease had no end"
	}
	return fmt.Sprintf("its lease had %s left, until %s", leaseWords(end.Sub(v.record.ReadAt)), end.Local().Format("15:04:05"))
}

// lostInFailOver is the finding for a lock that the new master never had.
func (l *Lock) lostInFailOver(before *Hold) Finding {
	now := "no client has it now."
	if h := l.hold(); h != nil && l.FreedAt.IsZero() {
		now = shorten(l.holder().Label) + " has it now."
	}
	return Finding{
		Code: CodeLostInFailOver, Severity: SeverityCritical, Text: before.Lost.Text + "; " + now,
		Advice: "The former holder does not know this, so two clients may be inside at once. Check what it wrote. To prevent this, use " +
			"WAIT after the acquisition, a Redlock or a fencing token.",
	}
}
