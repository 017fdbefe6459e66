package inspector

import (
	"slices"
	"time"

	"locktop/keyspace"
)

// attendance knows which clients are connected to all nodes, and joins holders to them. The store's goroutine owns it.
//
// A holder is gone only where that is certain: a connection to which it was joined was on a list, and two consecutive complete lists of
// every node, all of them later than that and later than the lock's last sign of life, show none any more; or, where a rule of the
// operator's says what the holder's connection is called, one such list shows none. Whoever knows less says that it is unknown.
type attendance struct {
	rules   []OwnerName
	uses    []OwnerNameUse // how well each of them fits; nil until all locks were joined once
	nodes   map[keyspace.Node]*called
	present map[link][]seat // who is there, by everything by which an owner may be joined
	known   map[link]*known // by what holders were joined
	parties map[string]*party
	roll    *Roll // as snapshots have it; nil: no list came yet

	// A list that differs from the one before has all locks joined anew, but not more often than that costs a hundredth of our time.
	stale   bool
	first   bool               // no lock was joined yet
	changed map[link]struct{}  // that came or went since all locks were joined
	lengths [mostLink + 1]bool // of their texts: most owners are told from them by that alone
	due     time.Time
	round   uint32 // of joining all locks
	version uint32 // of what the lists show
	pending bool   // some holder would be gone, if another list were there
	lists   int    // how many of the last lists of every node are complete: none, the last one, or the last two
	addrs   bool   // some owner has an address in it
}

// called is what a node has answered.
type called struct {
	roll      *keyspace.Roll
	connected bool
	// last and before are when its last two lists were taken, where these are complete, and nothing was missed between them; else zero.
	last, before time.Time
}

// seat is a connection: the id of a client on a node.
type seat struct {
	node keyspace.Node
	id   int64
}

// known is a link by which a holder was joined.
type known struct {
	declared bool // by a rule of the operator's
	// seen is when a list showed a client of it last; lost since when none does; both zero: it never was there.
	seen, lost time.Time
	last       []keyspace.Client // that were there, before they went
	round      uint32
}

func newAttendance(rules []OwnerName) *attendance {
	return &attendance{
		rules: rules, nodes: make(map[keyspace.Node]*called), present: make(map[link][]seat), known: make(map[link]*known),
		parties: make(map[string]*party), changed: make(map[link]struct{}), round: 1, first: true,
	}
}

// asked says whether any list came: before, there is nothing to say of anybody.
func (a *attendance) asked() bool { return a.roll != nil }

func (a *attendance) node(name keyspace.Node) *called {
	c := a.nodes[name]
	if c == nil {
		c = &called{}
		a.nodes[name] = c
	}
	return c
}

// status notes whether a node answers. The list of one that does not says nothing of who is there now.
func (a *attendance) status(s *keyspace.Status) {
	c := a.node(s.Node)
	if c.connected = s.Connected; !s.Connected {
		c.last, c.before = time.Time{}, time.Time{}
	}
	a.reckon()
}

// leave forgets a node.
func (a *attendance) leave(name keyspace.Node) {
	if c := a.nodes[name]; c != nil {
		a.replace(c, &keyspace.Roll{Node: name, TakenAt: time.Now()})
		delete(a.nodes, name)
		a.reckon()
	}
}

// take digests a list.
func (a *attendance) take(r *keyspace.Roll) {
	c := a.node(r.Node)
	if c.roll != nil && !r.TakenAt.After(c.roll.TakenAt) && c.roll.Partial == r.Partial {
		return // told again
	}
	c.before, c.last = c.last, r.TakenAt
	if r.Partial != "" {
		c.before, c.last = time.Time{}, time.Time{}
	}
	a.stale = a.stale || a.pending || !a.asked()
	a.replace(c, r)
	a.reckon()
}

// reckon makes the roll of all nodes anew.
func (a *attendance) reckon() {
	var rolls []*keyspace.Roll
	lists := 2
	for _, c := range a.nodes {
		switch {
		case !c.connected || c.last.IsZero():
			lists = 0
		case c.before.IsZero():
			lists = min(lists, 1)
		}
		if c.roll != nil {
			rolls = append(rolls, c.roll)
		}
	}
	if lists != a.lists {
		a.lists, a.stale = lists, true
	}
	if len(rolls) > 0 {
		a.roll = NewRoll(rolls, len(a.nodes))
	}
}

// replace puts a list in the place of a node's last one, and notes who came and who went.
func (a *attendance) replace(c *called, r *keyspace.Roll) {
	var before []keyspace.Client
	if c.roll != nil {
		before = c.roll.Clients
	}
	now := r.Clients
	if r.Partial != "" {
		now = before // nobody went for all that is known
		r = &keyspace.Roll{Node: r.Node, TakenAt: r.TakenAt, Partial: r.Partial, Denied: r.Denied, Clients: before}
	}
	for i, k := 0, 0; i < len(before) || k < len(now); {
		switch {
		case k == len(now) || i < len(before) && before[i].ID < now[k].ID:
			a.goes(&before[i], r.TakenAt)
			i++
		case i == len(before) || now[k].ID < before[i].ID:
			a.comes(&now[k])
			k++
		default:
			if before[i].Name != now[k].Name || before[i].Addr != now[k].Addr {
				a.goes(&before[i], r.TakenAt)
				a.comes(&now[k])
			}
			i, k = i+1, k+1
		}
	}
	c.roll = r
	a.version++
	if r.Partial != "" {
		return
	}
	for l, k := range a.known {
		if slices.ContainsFunc(a.present[l], func(s seat) bool { return s.node == r.Node }) {
			k.seen, k.lost, k.last = r.TakenAt, time.Time{}, nil
		}
	}
}

// touches says whether some owner may be joined by such a link.
func (a *attendance) touches(l link) bool {
	switch l.kind {
	case linkID:
		return slices.ContainsFunc(a.rules, func(r OwnerName) bool { return r.kind == linkID })
	case linkAddr:
		return a.addrs
	case linkName, linkPart, linkUUID:
	}
	return true
}

// change notes that somebody came or went by this link.
func (a *attendance) change(l link) {
	if a.touches(l) {
		a.stale = true
		a.changed[l] = struct{}{}
		a.lengths[min(len(l.text), mostLink)] = true
	}
}

// concerns says whether somebody came or went to whom an owner may be joined that is joined to nobody.
func (a *attendance) concerns(owner string) (does bool) {
	eachLink(owner, func(l link) {
		if !does && a.lengths[min(len(l.text), mostLink)] {
			_, does = a.changed[l]
		}
	})
	return does
}

// comes notes that a client is there.
func (a *attendance) comes(c *keyspace.Client) {
	eachLinkOf(c, func(l link) {
		a.present[l] = append(a.present[l], seat{c.Node, c.ID})
		a.change(l)
	})
}

// goes notes that a client that was there is not.
func (a *attendance) goes(c *keyspace.Client, at time.Time) {
	eachLinkOf(c, func(l link) {
		a.change(l)
		left := slices.DeleteFunc(a.present[l], func(s seat) bool { return s == seat{c.Node, c.ID} })
		if k := a.known[l]; k != nil {
			if k.lost = at; len(k.last) < maxSeats {
				k.last = append(k.last, *c)
			}
		}
		if len(left) > 0 {
			a.present[l] = left
			return
		}
		delete(a.present, l)
	})
}

// maxSeats bounds the connections that are shown of one holder.
const maxSeats = 64
