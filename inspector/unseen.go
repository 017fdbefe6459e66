package inspector

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"locktop/keyspace"
)

// maxUnseen bounds what is remembered of one node; the oldest are made one with what was before them.
const maxUnseen = 100

// Unseen is a time in which changes on a node may have been missed. What a lock was meanwhile, nobody knows.
type Unseen struct {
	Node keyspace.Node
	DB   int
	// From is zero for what was before anything was seen; To is zero while it goes on.
	From, To time.Time
	Why      string
}

// Span is a time with a beginning and an end, either of which may be zero: ever before, and from now on.
type Span struct {
	From, To time.Time
}

// sightings keep what was not seen of each node, in the order of time. Those of a Redlock's masters are kept together. What is
// published is never changed again: a change makes another list.
type sightings struct {
	lists   map[nodeRef][]Unseen
	pending map[nodeRef]struct{} // the last one of these ends with the next moment that is known
	shown   []Unseen             // all of them, as they were published; nil: they have changed since
}

func newSightings() *sightings {
	return &sightings{lists: make(map[nodeRef][]Unseen), pending: make(map[nodeRef]struct{})}
}

// last is the last one of a node, or nil.
func (g *sightings) last(n nodeRef) *Unseen {
	if list := g.lists[n]; len(list) > 0 {
		return &list[len(list)-1]
	}
	return nil
}

// begin notes that from a time on a node was not seen. Where that is so already, or was until then, it goes on: a connection is lost
// first, and then it turns out that nothing answers.
func (g *sightings) begin(n nodeRef, from time.Time, why string) {
	list := slices.Clone(g.lists[n])
	if last := len(list) - 1; last >= 0 {
		switch before := &list[last]; {
		case before.To.IsZero():
			delete(g.pending, n)
			return
		case !before.From.IsZero() && !from.After(before.To):
			before.To = time.Time{}
			g.lists[n], g.shown = list, nil
			return
		}
	}
	list = append(list, Unseen{Node: n.name, DB: n.db, From: from, Why: why})
	if len(list) > maxUnseen {
		list[1].From, list[1].Why = list[0].From, list[0].Why
		list = list[1:]
	}
	g.lists[n], g.shown = list, nil
}

// end notes that a node is seen again, as of the next moment that is known.
func (g *sightings) end(n nodeRef) {
	if last := g.last(n); last != nil && last.To.IsZero() {
		g.pending[n] = struct{}{}
	}
}

// settle ends what is over by now.
func (g *sightings) settle(now time.Time) {
	for n := range g.pending {
		list := slices.Clone(g.lists[n])
		last := &list[len(list)-1]
		last.To = now
		if last.To.Before(last.From) {
			last.To = last.From
		}
		g.lists[n], g.shown = list, nil
		delete(g.pending, n)
	}
}

// forget drops what is known of a node that is looked at no more.
func (g *sightings) forget(name keyspace.Node) {
	maps.DeleteFunc(g.lists, func(n nodeRef, _ []Unseen) bool { return n.name == name })
	maps.DeleteFunc(g.pending, func(n nodeRef, _ struct{}) bool { return n.name == name })
	g.shown = nil
}

// all are those of all nodes, in the order of nodes and time.
func (g *sightings) all() []Unseen {
	if g.shown != nil {
		return g.shown
	}
	var out []Unseen
	for _, list := range g.lists {
		out = append(out, list...)
	}
	slices.SortStableFunc(out, func(a, b Unseen) int { return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.DB, b.DB)) })
	g.shown = out
	return out
}

// sighted notes what a status tells of how a node is seen. before is the status before it.
func (s *store) sighted(n *node, before *keyspace.Status) {
	status := n.status
	switch {
	case before == nil && n.passes.known: // another node had its keys, and was seen until now
		if s.lastRead > 0 {
			s.sightings.begin(n.nodeRef, time.Unix(0, s.lastRead), "another node had the key")
		}
	case before == nil:
		s.sightings.begin(n.nodeRef, time.Time{}, "locktop was not looking yet")
	case !status.Connected && before.Connected:
		s.sightings.begin(n.nodeRef, status.StaleSince, "the node did not answer")
		return
	case status.Gaps > before.Gaps:
		s.sightings.begin(n.nodeRef, status.LastGap, status.LastGapWhy)
	}
	if status.Connected && n.passes.known {
		s.sightings.end(n.nodeRef)
	}
}

// UnseenOf are the times in which changes of a lock may have been missed, oldest first, and apart from each other. Of a Redlock that
// is where fewer masters were seen than its quorum takes.
func (s *Snapshot) UnseenOf(l *Lock) []Span {
	if l.Quorum != nil {
		return s.unseenOfMost(l)
	}
	var out []Span
	for i := range s.Unseen {
		if u := &s.Unseen[i]; u.Node == l.Node && u.DB == l.DB {
			out = append(out, Span{u.From, u.To})
		}
	}
	return out
}

// unseenOfMost are the times in which too few masters were seen for a quorum.
func (s *Snapshot) unseenOfMost(l *Lock) []Span {
	type turn struct {
		at   time.Time // zero: ever before
		blur int       // +1: a master is not seen from now on; -1: it is again
	}
	var turns []turn
	for i := range s.Unseen {
		u := &s.Unseen[i]
		if u.DB != l.DB || !slices.ContainsFunc(l.Quorum.Votes, func(v Vote) bool { return v.Node == u.Node }) {
			continue
		}
		turns = append(turns, turn{u.From, 1})
		if !u.To.IsZero() {
			turns = append(turns, turn{u.To, -1})
		}
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(b.blur, a.blur)) })
	var out []Span
	blind, most := 0, len(l.Quorum.Votes)-l.Quorum.Needed
	for _, t := range turns {
		was := blind > most
		blind += t.blur
		switch is := blind > most; {
		case is && !was:
			out = append(out, Span{From: t.at})
		case was && !is:
			out[len(out)-1].To = t.at
		}
	}
	return out
}
