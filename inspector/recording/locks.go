package recording

import (
	"errors"
	"math"
	"slices"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// newLockLine tells of a lock what differs from the one before; nil: all of it.
func newLockLine(l, before *inspector.Lock, kept, was inspector.Kept) lockLine {
	line := lockLine{Now: newNow(l, kept), Gaps: newGaps(kept.Gaps, was.Gaps), Chronicle: newChronicle(kept.Chronicle, was.Chronicle)}
	if before == nil {
		line.Key, line.DB = pack(l.Key), l.DB
		before = &inspector.Lock{}
	}
	if l.Node != before.Node {
		line.Node = pack(string(l.Node))
	}
	if !sameKind(l, before) {
		line.What = newWhat(l, kept)
	}
	if l.Quorum != nil {
		line.Votes = newQuorum(l.Quorum)
	}
	if !slices.Equal(l.Findings, before.Findings) {
		list := make([]findingLine, 0, len(l.Findings))
		for _, f := range l.Findings {
			list = append(list, findingLine{pack(string(f.Code)), pack(string(f.Severity)), pack(f.Text), pack(f.Advice)})
		}
		line.Findings = &list
	}
	if l.Acquisitions != before.Acquisitions || l.SparkStart != before.SparkStart {
		line.Spark = &sparkLine{l.Acquisitions[:], int64(l.SparkStart)}
	}
	if !slices.EqualFunc(l.History, before.History, sameHold) {
		line.Past = newPast(l.History, before.History)
	}
	if l.Sample != before.Sample {
		line.Sample = newSample(l.Sample)
	}
	return line
}

// sameKind says whether the lock is what it was, as [whatLine] tells it.
func sameKind(l, before *inspector.Lock) bool {
	return l.Scheme == before.Scheme && l.Mode == before.Mode && l.Observed.Type == before.Observed.Type &&
		l.Observed.Value.Text == before.Observed.Value.Text && slices.Equal(l.Evidence, before.Evidence) &&
		slices.EqualFunc(l.Observed.Companions, before.Observed.Companions, func(a, b keyspace.Record) bool {
			return a.Key == b.Key && a.Type == b.Type && a.Size == b.Size
		})
}

func newWhat(l *inspector.Lock, kept inspector.Kept) *whatLine {
	what := &whatLine{
		Scheme: pack(string(l.Scheme)), Mode: pack(string(l.Mode)), Type: pack(string(l.Observed.Type)),
		Evidence: packAll(l.Evidence), Libraries: packAll(kept.Libraries), Surely: kept.Surely,
	}
	for _, c := range l.Observed.Companions {
		what.Companions = append(what.Companions, companionLine{pack(c.Key), pack(string(c.Type)), c.Size})
	}
	return what
}

// endOf is the end of the TTL as it was read.
func endOf(l *inspector.Lock) time.Time {
	if l.EndlessByChoice() {
		return l.Observed.ExpiresAt
	}
	return l.ExpiresAt
}

func newNow(l *inspector.Lock, kept inspector.Kept) nowLine {
	now := nowLine{
		State: pack(string(l.State)), Expires: micro(endOf(l)), LeaseEnds: micro(l.LeaseEnds),
		Since: micro(l.HeldSince), Exact: l.HeldExact,
		Renewals: l.Renewals, Period: l.RenewalPeriod.Microseconds(), Renewed: micro(l.LastRenewal),
		Waiters: l.Waiters.Count, Counted: l.Waiters.Exact, By: pack(string(l.Waiters.By)), Fencing: l.FencingToken,
		Freed: micro(l.FreedAt), FreedBy: pack(string(l.FreedBy)), Read: micro(l.Observed.ReadAt), Size: l.Observed.Size,
		Cooling: kept.Cooling, Lease: kept.Lease.Microseconds(), Forgets: kept.Forgets,
	}
	now.FieldTTLs, now.NoFieldTTLs = l.FieldTTLs, l.Observed.FieldTTLsUnread
	if l.FieldTTLs {
		now.KeyEnds = micro(l.Observed.ExpiresAt)
	}
	if len(l.Holders) > 0 {
		now.Holders = make([]holderLine, 0, len(l.Holders))
	}
	for i := range l.Holders {
		h := &l.Holders[i]
		line := holderLine{Owner: pack(h.Owner), Label: packLabel(h.Label, h.Owner), Expires: micro(h.ExpiresAt), Presence: newPresence(h.Presence)}
		if h.Count.Known {
			line.Count = &h.Count.N
		}
		now.Holders = append(now.Holders, line)
	}
	return now
}

func newPresence(p *inspector.Presence) *presenceLine {
	if p == nil {
		return nil
	}
	return &presenceLine{
		Connection: pack(string(p.Connection)), Name: pack(p.Name), Clients: each(p.Clients, packedClient(pack)), By: pack(p.By),
		Seen: micro(p.Seen), Since: micro(p.Since),
	}
}

// packedClient packs the texts of a client, or unpacks them.
func packedClient(text func(string) string) func(keyspace.Client) keyspace.Client {
	return func(c keyspace.Client) keyspace.Client {
		c.Node = keyspace.Node(text(string(c.Node)))
		for _, s := range []*string{&c.Name, &c.Addr, &c.User, &c.Library, &c.LibraryVersion, &c.Command, &c.Flags} {
			*s = text(*s)
		}
		return c
	}
}

func newQuorum(q *inspector.Quorum) *quorumLine {
	line := &quorumLine{For: q.For, Needed: q.Needed, Valid: micro(q.ValidUntil), Skew: q.Skew.Microseconds(), Votes: []voteLine{}}
	for i := range q.Votes {
		v := &q.Votes[i]
		line.Votes = append(line.Votes, voteLine{
			Node: pack(string(v.Node)), Ballot: pack(string(v.Ballot)), Owner: pack(v.Owner), Label: packLabel(v.Label, v.Owner),
			Expires: micro(v.ExpiresAt), Detail: pack(v.Detail),
		})
	}
	return line
}

// sameHold says whether two holds are one and the same, in the resolution of the file.
func sameHold(a, b inspector.Hold) bool {
	return a.Owner == b.Owner && a.Label == b.Label && a.SinceExact == b.SinceExact && a.UntilExact == b.UntilExact &&
		a.Cause == b.Cause && a.Renewals == b.Renewals && a.Since.Equal(b.Since) && a.Until.Equal(b.Until) && sameLoss(a.Lost, b.Lost)
}

// newPast tells what is new of a history.
func newPast(holds, before []inspector.Hold) *pastLine {
	past := &pastLine{Drop: len(before)}
	if len(holds) > 0 {
		first := &holds[0]
		if i := slices.IndexFunc(before, func(h inspector.Hold) bool { return h.Owner == first.Owner && h.Since.Equal(first.Since) }); i >= 0 {
			past.Drop = i
		}
	}
	rest := before[past.Drop:]
	for past.Keep < min(len(rest), len(holds)) && sameHold(rest[past.Keep], holds[past.Keep]) {
		past.Keep++
	}
	for _, h := range holds[past.Keep:] {
		past.Holds = append(past.Holds, holdLine{
			Owner: pack(h.Owner), Label: packLabel(h.Label, h.Owner), Since: micro(h.Since), SinceExact: h.SinceExact, SinceRest: beyond(h.Since), UntilRest: beyond(h.Until),
			Until: micro(h.Until), UntilExact: h.UntilExact, Cause: pack(string(h.Cause)), Renewals: h.Renewals, Lost: newLoss(h.Lost),
		})
	}
	return past
}

// errApart says that a frame does not fit to the one before it.
var errApart = errors.New("it does not fit to what is before it")

// lock makes the lock that a line tells of, from the one before; nil: it is new.
func (line *lockLine) lock(before *inspector.Lock) (*inspector.Lock, error) {
	l := &inspector.Lock{}
	var kept inspector.Kept
	if before == nil {
		l.Key, l.DB = unpack(line.Key), line.DB
		l.Node = keyspace.Node(unpack(line.Node))
	} else {
		*l = *before
		kept = before.Kept()
		if line.Node != "" {
			l.Node = keyspace.Node(unpack(line.Node))
		}
	}
	line.Now.show(l, &kept)
	if line.What != nil {
		line.What.show(l, &kept)
	}
	l.Observed.Ref, l.Observed.ExpiresAt = l.Ref, l.ExpiresAt
	if line.Now.FieldTTLs {
		l.Observed.ExpiresAt = instant(line.Now.KeyEnds)
	} else {
		l.ExpiresAt = inspector.EndOfTTL(l.Observed)
	}
	l.Quorum = line.Votes.quorum()
	if line.Findings != nil {
		l.Findings = nil
		for _, f := range *line.Findings {
			l.Findings = append(l.Findings, inspector.Finding{
				Code: inspector.Code(word(f.Code)), Severity: inspector.Severity(word(f.Severity)), Text: unpack(f.Text), Advice: unpack(f.Advice),
			})
		}
	}
	if line.Spark != nil {
		l.Acquisitions = [inspector.SparkBuckets]uint16{}
		copy(l.Acquisitions[:], line.Spark.Counts)
		l.SparkStart = uint32(min(max(line.Spark.Start, 0), math.MaxUint32))
	}
	if line.Past != nil {
		history, err := line.Past.history(l.History)
		if err != nil {
			return nil, err
		}
		l.History = history
	}
	if line.Sample != nil {
		l.Sample = line.Sample.sample(l.Ref)
	}
	var err error
	if kept.Gaps, err = line.Gaps.gaps(kept.Gaps); err != nil {
		return nil, err
	}
	if kept.Chronicle, err = line.Chronicle.chronicle(kept.Chronicle); err != nil {
		return nil, err
	}
	l.Keep(kept)
	return l, nil
}

func (w *whatLine) show(l *inspector.Lock, kept *inspector.Kept) {
	l.Scheme, l.Mode = inspector.Scheme(word(w.Scheme)), inspector.Mode(word(w.Mode))
	l.Evidence = unpackAll(w.Evidence)
	l.Observed.Type, l.Observed.Companions = keyspace.Type(word(w.Type)), nil
	for _, c := range w.Companions {
		l.Observed.Companions = append(l.Observed.Companions, keyspace.Record{
			Ref: keyspace.Ref{Node: l.Node, DB: l.DB, Key: unpack(c.Key)}, Type: keyspace.Type(word(c.Type)), Size: c.Size,
		})
	}
	kept.Libraries, kept.Surely = unpackAll(w.Libraries), w.Surely
}

func (n *nowLine) show(l *inspector.Lock, kept *inspector.Kept) {
	l.State = inspector.State(word(n.State))
	l.ExpiresAt, l.LeaseEnds = instant(n.Expires), instant(n.LeaseEnds)
	l.HeldSince, l.HeldExact = instant(n.Since), n.Exact
	l.Renewals, l.RenewalPeriod, l.LastRenewal = n.Renewals, span(n.Period), instant(n.Renewed)
	l.Waiters = inspector.Waiters{Count: n.Waiters, Exact: n.Counted, By: inspector.WaitersBy(word(n.By))}
	l.FencingToken = n.Fencing
	l.FreedAt, l.FreedBy = instant(n.Freed), inspector.Cause(word(n.FreedBy))
	l.Observed.ReadAt, l.Observed.Size = instant(n.Read), n.Size
	l.FieldTTLs, l.Observed.FieldTTLsUnread = n.FieldTTLs, n.NoFieldTTLs
	kept.Cooling, kept.Lease, kept.Forgets = n.Cooling, span(n.Lease), n.Forgets
	l.Holders = nil
	for i := range n.Holders {
		h := &n.Holders[i]
		owner := unpack(h.Owner)
		l.Holders = append(l.Holders, inspector.Holder{
			Owner: owner, Label: unpackLabel(h.Label, owner), Count: count(h.Count), ExpiresAt: instant(h.Expires), Presence: h.Presence.presence(),
		})
	}
}

func count(n *int64) inspector.Count {
	if n == nil {
		return inspector.Count{}
	}
	return inspector.Count{N: *n, Known: true}
}

func (p *presenceLine) presence() *inspector.Presence {
	if p == nil {
		return nil
	}
	return &inspector.Presence{
		Connection: inspector.Connection(word(p.Connection)), Name: unpack(p.Name), Clients: each(p.Clients, packedClient(unpack)), By: unpack(p.By),
		Seen: instant(p.Seen), Since: instant(p.Since),
	}
}

func (q *quorumLine) quorum() *inspector.Quorum {
	if q == nil {
		return nil
	}
	out := &inspector.Quorum{For: q.For, Needed: q.Needed, ValidUntil: instant(q.Valid), Skew: span(q.Skew)}
	for i := range q.Votes {
		v := &q.Votes[i]
		owner := unpack(v.Owner)
		out.Votes = append(out.Votes, inspector.Vote{
			Node: keyspace.Node(unpack(v.Node)), Ballot: inspector.Ballot(word(v.Ballot)), Owner: owner, Label: unpackLabel(v.Label, owner),
			ExpiresAt: instant(v.Expires), Detail: unpack(v.Detail),
		})
	}
	return out
}

// history is the history after what changed of the one before, which stays as it is: it belongs to another lock.
func (p *pastLine) history(before []inspector.Hold) ([]inspector.Hold, error) {
	if p.Drop < 0 || p.Keep < 0 || p.Drop > len(before) || p.Keep > len(before)-p.Drop {
		return nil, errApart
	}
	out := make([]inspector.Hold, 0, p.Keep+len(p.Holds))
	out = append(out, before[p.Drop:p.Drop+p.Keep]...)
	for _, h := range p.Holds {
		owner := unpack(h.Owner)
		out = append(out, inspector.Hold{
			Owner: owner, Label: unpackLabel(h.Label, owner), Since: exactly(h.Since, h.SinceRest), SinceExact: h.SinceExact,
			Until: exactly(h.Until, h.UntilRest), UntilExact: h.UntilExact, Cause: inspector.Cause(word(h.Cause)), Renewals: h.Renewals,
			Lost: h.Lost.loss(),
		})
	}
	return out, nil
}

func newEventLine(e *inspector.Event) eventLine {
	line := eventLine{
		Seq: e.Seq, At: micro(e.At), Kind: pack(string(e.Kind)), Node: pack(string(e.Node)), DB: e.DB, Key: pack(e.Key), Scheme: pack(string(e.Scheme)),
		Owner: pack(e.Owner), Label: pack(e.Label), Previous: pack(e.PreviousOwner),
		Held: e.Held.Microseconds(), HeldExact: e.HeldExact, Cause: pack(string(e.Cause)), Repaired: e.Repaired, Text: pack(e.Text),
	}
	if e.Count.Known {
		line.Count = &e.Count.N
	}
	if e.TTLKnown {
		ttl := int64(-1)
		if e.TTL >= 0 {
			ttl = e.TTL.Microseconds()
		}
		line.TTL = &ttl
	}
	return line
}

func (line *eventLine) event() inspector.Event {
	e := inspector.Event{
		Seq: line.Seq, At: instant(line.At), Ref: keyspace.Ref{Node: keyspace.Node(unpack(line.Node)), DB: line.DB, Key: unpack(line.Key)},
		Kind: inspector.EventKind(word(line.Kind)), Scheme: inspector.Scheme(word(line.Scheme)),
		Owner: unpack(line.Owner), Label: unpack(line.Label), PreviousOwner: unpack(line.Previous), Count: count(line.Count),
		Held: span(line.Held), HeldExact: line.HeldExact, Cause: inspector.Cause(word(line.Cause)),
		Repaired: line.Repaired, Text: unpack(line.Text),
	}
	if line.TTL != nil {
		e.TTL, e.TTLKnown = span(*line.TTL), true
		if *line.TTL < 0 {
			e.TTL = -time.Millisecond
		}
	}
	return e
}
