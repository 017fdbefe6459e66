package tui

import (
	"context"
	"fmt"
	"sync"
	"time"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
)

// noon is the moment of all pictures.
var noon = time.Date(2026, 1, 2, 14, 3, 27, 0, time.UTC)

const testNode = keyspace.Node("127.0.0.1:6379")

func ref(key string) keyspace.Ref { return keyspace.Ref{Node: testNode, Key: key} }

func holder(owner, label string, count int64) inspector.Holder {
	return inspector.Holder{Owner: owner, Label: label, Count: inspector.Count{N: count, Known: count > 0}}
}

// status is a healthy node.
func status(now time.Time) keyspace.Status {
	return keyspace.Status{
		Node: testNode, Version: "7.0.15", Software: "redis", Feed: keyspace.FeedPush, Connected: true, Role: "master",
		Lag: 300 * time.Microsecond, CommandsPerSecond: 4, Commands: 12_480, FetchedPerSecond: 310, Fetched: 2_310_000, Sent: 640_000, Patterns: []string{"*lock*", "*mutex*", "*lease*", "redlock:*"},
		LastPass: keyspace.Pass{Generation: 3, Started: now.Add(-13 * time.Second), Ended: now.Add(-12 * time.Second), Scanned: 48211, Matched: 1300},
	}
}

// past makes a hold that was seen whole, from and until so many seconds before now.
func past(now time.Time, owner string, from, until float64, cause inspector.Cause) inspector.Hold {
	at := func(s float64) time.Time { return now.Add(-time.Duration(s * float64(time.Second))) }
	h := inspector.Hold{Owner: owner, Label: owner, Since: at(from), SinceExact: true, Cause: cause}
	if until >= 0 {
		h.Until, h.UntilExact = at(until), true
	}
	return h
}

// fixtureLocks are locks in every state, with findings, histories and hostile names.
func fixtureLocks(now time.Time) []*inspector.Lock {
	in := func(d time.Duration) time.Time { return now.Add(d) }
	fencing := int64(17)
	list := []*inspector.Lock{
		{
			Ref: ref("orders:checkout"), Scheme: inspector.SchemeRedisson, Mode: inspector.ModeExclusive, State: inspector.StateHeld,
			Holders:   []inspector.Holder{holder("0f4d3a52-8c1e-4f0a-9d2b-5a6c7d8e9f01:42", "0f4d3a52 thread 42", 3)},
			ExpiresAt: in(22400 * time.Millisecond), HeldSince: in(-7600 * time.Millisecond), HeldExact: true,
			Waiters:      inspector.Waiters{Count: 2, By: inspector.WaitersSubscribers},
			FencingToken: &fencing,
			Observed:     companionOf("redisson_lock__channel:{orders:checkout}"),
			Evidence:     []string{"a hash of one field", "the field has the form uuid:thread", "its value is a positive number"},
			History: []inspector.Hold{
				past(now, "worker-4", 58, 49, inspector.CauseReleased), past(now, "worker-9", 49, 36, inspector.CauseExpired),
				past(now, "worker-2", 35, 28, inspector.CauseReleased), past(now, "worker-4", 28, 16, inspector.CauseReleased),
				past(now, "worker-9", 16, 8, inspector.CauseReleased),
				past(now, "0f4d3a52-8c1e-4f0a-9d2b-5a6c7d8e9f01:42", 7.6, -1, ""),
			},
			Acquisitions: [inspector.SparkBuckets]uint16{1, 3, 2, 0, 4, 6, 9, 5, 3, 2, 1, 1}, SparkStart: uint32(in(-2 * time.Second).Unix()),
		},
		{
			Ref: ref("lock:invoice:7731"), Scheme: inspector.SchemeSetNX, Mode: inspector.ModeExclusive, State: inspector.StateStuck,
			Holders: []inspector.Holder{holder("worker-7", "worker-7", 0)}, HeldSince: in(-192 * time.Minute),
			Waiters: inspector.Waiters{By: inspector.WaitersNone},
			Findings: []inspector.Finding{{
				Code: inspector.CodeNoTTL, Severity: inspector.SeverityCritical,
				Text:   "The key has no TTL and has not changed for 3h12m.",
				Advice: "Make sure that worker-7 is dead, then release the lock with r.",
			}},
			History: []inspector.Hold{{Owner: "worker-7", Label: "worker-7", Since: in(-192 * time.Minute)}},
		},
		{
			Ref: ref("reports:nightly"), Scheme: inspector.SchemeRedisson, Mode: inspector.ModeExclusive, State: inspector.StateHeld,
			Holders:   []inspector.Holder{holder("77ab01c2-0000-4000-8000-000000000001:7", "77ab01c2 thread 7", 1)},
			ExpiresAt: in(26100 * time.Millisecond), HeldSince: in(-123 * time.Minute), HeldExact: true,
			Renewals: 738, RenewalPeriod: 10 * time.Second, LastRenewal: in(-3900 * time.Millisecond),
			Waiters: inspector.Waiters{Exact: true, By: inspector.WaitersSubscribers},
			Findings: []inspector.Finding{{
				Code: inspector.CodeRenewedForever, Severity: inspector.SeverityWarning,
				Text: "It is kept by renewal for 2h03m.", Advice: "Look whether its holder still works.",
			}},
			History: []inspector.Hold{past(now, "77ab01c2-0000-4000-8000-000000000001:7", 7380, -1, "")},
		},
		{
			Ref: ref("cart:991"), Scheme: inspector.SchemeToken, Mode: inspector.ModeExclusive, State: inspector.StateFreed,
			Holders: []inspector.Holder{holder("b3c1f6f2", "worker-2", 0)}, FreedAt: in(-1200 * time.Millisecond),
			FreedBy: inspector.CauseReleased, HeldSince: in(-2 * time.Second), HeldExact: true,
			Waiters: inspector.Waiters{By: inspector.WaitersNone},
			History: []inspector.Hold{past(now, "b3c1f6f2", 2, 1.2, inspector.CauseReleased)},
		},
		{
			Ref: ref("legacy:import"), Scheme: inspector.SchemeTimestamp, Mode: inspector.ModeExclusive, State: inspector.StateLapsed,
			Holders: []inspector.Holder{holder("1767362590.5", inspector.UnknownHolder, 0)}, LeaseEnds: in(-16 * time.Second),
			HeldSince: in(-46 * time.Second), Waiters: inspector.Waiters{By: inspector.WaitersNone},
			Findings: []inspector.Finding{{
				Code: inspector.CodeLapsed, Severity: inspector.SeverityWarning,
				Text: "By its value the lease ended 16 s ago.", Advice: "The next client takes it over by GETSET.",
			}},
			History: []inspector.Hold{past(now, "1767362590.5", 46, -1, "")},
		},
		{
			Ref: ref("sessions:gc"), Scheme: inspector.SchemeToken, Mode: inspector.ModeExclusive, State: inspector.StateExpired,
			Holders: []inspector.Holder{holder("a1b2c3d4", "a1b2c3d4", 0)}, ExpiresAt: in(-1400 * time.Millisecond),
			HeldSince: in(-11400 * time.Millisecond), HeldExact: true, Waiters: inspector.Waiters{By: inspector.WaitersNone},
			History: []inspector.Hold{past(now, "a1b2c3d4", 11.4, -1, "")},
		},
		{
			Ref: ref("mutex:queue"), Scheme: inspector.SchemeUnknown, State: inspector.StateWrong,
			Waiters: inspector.Waiters{By: inspector.WaitersNone},
			Findings: []inspector.Finding{{
				Code: inspector.CodeWrongType, Severity: inspector.SeverityWarning,
				Text: "A list of 12 elements lies where a lock is expected.", Advice: "Find out who wrote it.",
			}},
		},
		{
			Ref: ref("evil\x1b[2J\x1b]0;pwned\a\u202ekcol"), Scheme: inspector.SchemeToken, Mode: inspector.ModeExclusive,
			State: inspector.StateHeld, Holders: []inspector.Holder{holder("own\ner\x00", "own\ner\x00", 0)},
			ExpiresAt: in(3700 * time.Millisecond), HeldSince: in(-6300 * time.Millisecond), HeldExact: true,
			Waiters: inspector.Waiters{By: inspector.WaitersNone},
		},
		{
			Ref: ref("锁:订单:42"), Scheme: inspector.SchemeReentrant, Mode: inspector.ModeExclusive, State: inspector.StateHeld,
			Holders:   []inspector.Holder{holder("工人-1", "工人-1", 2), holder("worker-5", "worker-5", 1)},
			ExpiresAt: in(9 * time.Second), HeldSince: in(-81 * time.Second), HeldExact: true,
			Waiters: inspector.Waiters{Count: 4, Exact: true, By: inspector.WaitersQueue},
			History: []inspector.Hold{past(now, "工人-1", 81, -1, "")},
		},
	}
	for i := range 14 {
		owner := fmt.Sprintf("worker-%d", i%5)
		held := time.Duration(200+i*733) * time.Millisecond
		list = append(list, &inspector.Lock{
			Ref: ref(fmt.Sprintf("cart:%d", 100+i*37)), Scheme: inspector.SchemeToken, Mode: inspector.ModeExclusive,
			State: inspector.StateHeld, Holders: []inspector.Holder{holder(owner+":5f0e9d", owner, 0)},
			ExpiresAt: in(15*time.Second - held), HeldSince: in(-held), HeldExact: true,
			Waiters:      inspector.Waiters{By: inspector.WaitersNone},
			Acquisitions: [inspector.SparkBuckets]uint16{uint16(i), 2, 1, 0, 3, 0, uint16(14 - i), 1, 0, 2, 2, 1}, SparkStart: uint32(in(-time.Second).Unix()),
			History: []inspector.Hold{
				past(now, "worker-"+fmt.Sprint((i+1)%5)+":5f0e9d", 30, 20, inspector.CauseReleased),
				past(now, owner+":5f0e9d", held.Seconds(), -1, ""),
			},
		})
	}
	for _, l := range list {
		companions := l.Observed.Companions
		l.Observed = observed(l)
		l.Observed.Companions = companions
	}
	return list
}

// observed is the read behind a lock of the fixture, which the actions compare with.
func observed(l *inspector.Lock) keyspace.Record {
	r := keyspace.Record{Ref: l.Ref, Type: keyspace.TypeString, ExpiresAt: l.ExpiresAt, ReadAt: noon}
	if !l.ExpiresAt.IsZero() {
		r.ExpireTime = l.ExpiresAt.UnixMilli()
	}
	switch l.Scheme {
	case inspector.SchemeRedisson, inspector.SchemeReentrant:
		r.Type = keyspace.TypeHash
		for _, h := range l.Holders {
			r.Value.Fields = append(r.Value.Fields, keyspace.Field{Name: h.Owner, Value: fmt.Sprint(h.Count.N)})
		}
		r.Size = int64(len(r.Value.Fields))
	case inspector.SchemeUnknown:
		r.Type, r.Size = keyspace.TypeList, 12
	default:
		r.Value.Text = l.Holders[0].Owner
		r.Size = int64(len(r.Value.Text))
	}
	return r
}

// fixtureEvents are events of every kind.
func fixtureEvents(now time.Time) []inspector.Event {
	at := func(s int) time.Time { return now.Add(-time.Duration(s) * time.Second) }
	list := []inspector.Event{
		{At: at(58), Ref: ref("orders:checkout"), Kind: inspector.EventAcquired, Owner: "worker-4", Label: "worker-4", Scheme: inspector.SchemeToken, TTL: 30 * time.Second, TTLKnown: true},
		{At: at(49), Ref: ref("orders:checkout"), Kind: inspector.EventHandedOver, Owner: "worker-9", Label: "worker-9", PreviousOwner: "worker-4", Held: 9 * time.Second, HeldExact: true, Cause: inspector.CauseReleased},
		{At: at(36), Ref: ref("orders:checkout"), Kind: inspector.EventExpired, PreviousOwner: "worker-9", Held: 13 * time.Second, HeldExact: true, Cause: inspector.CauseExpired},
		{At: at(36), Ref: ref("orders:checkout"), Kind: inspector.EventLost, PreviousOwner: "worker-9", Cause: inspector.CauseExpired},
		{At: at(20), Ref: ref("reports:nightly"), Kind: inspector.EventRenewed, Owner: "77ab01c2:7", Label: "77ab01c2 thread 7", Scheme: inspector.SchemeRedisson, Count: inspector.Count{N: 1, Known: true}, TTL: 30 * time.Second, TTLKnown: true},
		{At: at(19), Ref: ref("锁:订单:42"), Kind: inspector.EventReentered, Owner: "工人-1", Label: "工人-1", Scheme: inspector.SchemeReentrant, Count: inspector.Count{N: 2, Known: true}, TTL: -1, TTLKnown: true},
		{At: at(18), Ref: ref("evil\x1b[2J\nkey"), Kind: inspector.EventDeleted, PreviousOwner: "\x1b]0;x\a", Held: 99 * time.Second, Cause: inspector.CauseUnknown},
		{At: at(12), Kind: inspector.EventGap, Text: "the subscription was lost for 1.2 s"},
		{At: at(4), Ref: ref("lock:invoice:1"), Kind: inspector.EventOperator, Text: "released lock:invoice:1 from worker-3"},
		{At: at(3), Ref: ref("cart:991"), Kind: inspector.EventExtended, Owner: "b3c1f6f2", Label: "worker-2"},
		{At: at(1), Ref: ref("cart:991"), Kind: inspector.EventReleased, PreviousOwner: "b3c1f6f2", Held: 800 * time.Millisecond, HeldExact: true, Cause: inspector.CauseReleased},
	}
	for i := range list {
		list[i].Seq = uint64(i + 1)
	}
	return list
}

// snapshotOf wraps locks into a snapshot with totals.
func snapshotOf(seq uint64, now time.Time, locks []*inspector.Lock) *inspector.Snapshot {
	s := &inspector.Snapshot{
		Seq: seq, TakenAt: now, Complete: true, Nodes: []keyspace.Status{status(now)}, Locks: locks,
		Totals: inspector.Totals{ByState: map[inspector.State]int{}, AcquisitionsPerSecond: 212, Contended: 2},
		Events: fixtureEvents(now),
	}
	for i := range s.Totals.Rates {
		s.Totals.Rates[i] = float64(100 + (i*37)%150)
	}
	for _, l := range locks {
		if l.State != inspector.StateFreed {
			s.Totals.Locks++
			s.Totals.ByState[l.State]++
		}
		if suspect(l) {
			s.Totals.Suspects++
		}
	}
	return s
}

func fixture() *inspector.Snapshot { return snapshotOf(1, noon, fixtureLocks(noon)) }

// manyLocks are n locks that are simply held.
func manyLocks(n int, now time.Time) []*inspector.Lock {
	list := make([]*inspector.Lock, n)
	for i := range list {
		list[i] = &inspector.Lock{
			Ref: ref(fmt.Sprintf("lock:%07d", (i*7919)%n)), Scheme: inspector.SchemeToken, State: inspector.StateHeld,
			Holders:   []inspector.Holder{holder(fmt.Sprintf("token-%d", i), fmt.Sprintf("worker-%d", i%97), 0)},
			ExpiresAt: now.Add(30 * time.Second), HeldSince: now.Add(-time.Second), HeldExact: true,
			Waiters: inspector.Waiters{By: inspector.WaitersNone},
		}
	}
	return list
}

// fakeSource hands out the snapshots that a test puts into it.
type fakeSource struct {
	mu    sync.Mutex
	notes []inspector.Event
	next  chan *inspector.Snapshot
}

func (s *fakeSource) Next(ctx context.Context, _ uint64) (*inspector.Snapshot, error) {
	select {
	case snapshot := <-s.next:
		return snapshot, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *fakeSource) Note(e inspector.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, e)
}

// fakeOperator records what it is asked for, and answers what it was told to.
type fakeOperator struct {
	mu       sync.Mutex
	readOnly bool
	outcome  actions.Outcome
	requests []actions.Request
	until    time.Time
	rearmed  int
	lines    []actions.AuditLine
	answers  func(actions.Request) actions.Outcome // nil: outcome to all
}

func (o *fakeOperator) WritableUntil() time.Time { return o.until }

func (o *fakeOperator) WriteFor() time.Duration { return 10 * time.Minute }

func (o *fakeOperator) Rearm() (time.Time, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rearmed++
	o.until = o.until.Add(o.WriteFor())
	return o.until, nil
}

func (o *fakeOperator) Recent(n int) ([]actions.AuditLine, error) {
	return o.lines[:min(n, len(o.lines))], nil
}

func (o *fakeOperator) ReadOnly() bool { return o.readOnly }

func (o *fakeOperator) Do(_ context.Context, r actions.Request) actions.Outcome {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.requests = append(o.requests, r)
	if o.answers != nil {
		return o.answers(r)
	}
	return o.outcome
}

// companionOf is the read of a lock with one companion.
func companionOf(key string) keyspace.Record {
	return keyspace.Record{Companions: []keyspace.Record{{Ref: keyspace.Ref{Key: key}, Type: keyspace.TypeList}}}
}
