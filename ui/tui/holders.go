package tui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// holderID is what makes a holder of the view of holders the same one: what its connections are called where it was joined to some,
// and else its label, so that a client with a new token for each lock is one row.
type holderID struct {
	joined bool
	name   string
}

// holderOf is the row to which a holder of a lock belongs.
func holderOf(h *inspector.Holder) holderID {
	if h.Presence != nil && h.Presence.Name != "" {
		return holderID{joined: true, name: h.Presence.Name}
	}
	if h.Unknown() {
		return holderID{name: inspector.UnknownHolder}
	}
	return holderID{name: cmp.Or(h.Label, h.Owner)}
}

// by says what the holder's locks have in common.
func (id holderID) by() string {
	switch {
	case id.joined:
		return "name"
	case id.name == inspector.UnknownHolder: // the row has all locks whose keys do not name a holder
		return "-"
	}
	return "label"
}

// holderRow is all that one holder has.
type holderRow struct {
	holderID
	connection inspector.Connection
	presence   *inspector.Presence // the one that tells the most; nil: nothing is known
	locks      []*inspector.Lock
	ordered    bool // the worst of its locks come first
	suspects   int
	oldest     time.Time // since when it has the oldest of its locks; zero: that is not known
	atLeast    bool      // it may have it for longer
	waiters    int
	bound      string // "≥" or "≤" where the number of waiters is a bound
	schemes    string
}

// holderColumn is what the rows of holders are ordered by.
type holderColumn int

// The orders, in the sequence of the `s` key.
const (
	byGone holderColumn = iota // those that are gone first, and of them those with most locks
	byName
	byLocks
	bySuspects
	byOldest
	byWaiters
	holderColumns // how many there are
)

// holderSorts are said in the badge.
var holderSorts = [holderColumns]string{"gone first", "holder", "locks", "suspects", "oldest", "waiters"}

// holderOrder is what the user wants to see of the holders.
type holderOrder struct {
	wanted  bool // the view of holders is shown
	column  holderColumn
	reverse bool
	open    holderID // whose locks are shown on a page of their own, if any
}

// holders gathers the locks of a snapshot by their holders. It is as pure as [arrangement.apply], and called by it.
func (a arrangement) holders(locks []*inspector.Lock, ranks map[lockID]int) []*holderRow {
	rows := make(map[holderID]*holderRow)
	for _, l := range locks {
		if l.State == inspector.StateFreed || l.State == inspector.StateCooldown {
			continue // nobody has it any more
		}
		for i := range l.Holders {
			h := &l.Holders[i]
			id := holderOf(h)
			r := rows[id]
			if r == nil {
				r = &holderRow{holderID: id, connection: inspector.ConnectionUnknown}
				rows[id] = r
			}
			r.add(l, h)
		}
	}
	list := make([]*holderRow, 0, len(rows))
	for _, r := range rows {
		if a.suspects && r.suspects == 0 && r.connection != inspector.ConnectionGone || !a.filter.holder(r) {
			continue
		}
		list = append(list, r)
	}
	slices.SortFunc(list, a.byHolder.compare)
	for _, r := range list {
		if r.holderID == a.byHolder.open {
			sortLocks(r.locks, ranks)
			r.ordered = true
		}
	}
	return list
}

// sortLocks puts the worst first.
func sortLocks(locks []*inspector.Lock, ranks map[lockID]int) {
	rank := func(l *inspector.Lock) int {
		if r, known := ranks[idOf(l.Ref)]; known {
			return r
		}
		return rankHeld
	}
	slices.SortStableFunc(locks, func(x, y *inspector.Lock) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), strings.Compare(x.Key, y.Key), cmp.Compare(x.DB, y.DB))
	})
}

// add counts a lock to a holder.
func (r *holderRow) add(l *inspector.Lock, h *inspector.Holder) {
	if n := len(r.locks); n > 0 && r.locks[n-1] == l {
		return // it has several shares of it
	}
	r.locks = append(r.locks, l)
	if suspect(l) {
		r.suspects++
	}
	if since := l.HeldSince; !since.IsZero() && (r.oldest.IsZero() || since.Before(r.oldest)) {
		r.oldest, r.atLeast = since, !l.HeldExact
	}
	switch w := l.Waiters; {
	case w.Count == 0:
	case w.AtMost():
		// Of blocked clients no server tells on which keys they wait: the same ones count for every lock.
		if w.Count > r.waiters {
			r.waiters, r.bound = w.Count, "≤"
		}
	default:
		r.waiters += w.Count
		if !w.Exact && r.bound == "" {
			r.bound = "≥"
		}
	}
	if scheme := string(l.Scheme); !strings.Contains(","+r.schemes+",", ","+scheme+",") {
		r.schemes = strings.TrimPrefix(r.schemes+","+scheme, ",")
	}
	if connection := h.Connection(); r.presence == nil || connectionRank(connection) < connectionRank(r.connection) {
		r.connection = connection
		if h.Presence != nil {
			r.presence = h.Presence
		}
	}
}

// connectionRank orders what is known of a holder: a lock by which it is seen alive says so of all its locks.
func connectionRank(c inspector.Connection) int {
	switch c {
	case inspector.ConnectionAlive:
		return 0
	case inspector.ConnectionGone:
		return 1
	case inspector.ConnectionUnknown:
	}
	return 2
}

// compare puts what is worst, longest or most first.
func (o holderOrder) compare(x, y *holderRow) int {
	gone := func(r *holderRow) int {
		if r.connection == inspector.ConnectionGone {
			return 0
		}
		return 1
	}
	by := 0
	switch o.column {
	case byGone:
		by = cmp.Compare(gone(x), gone(y))
		if by == 0 && gone(x) > 0 {
			by = cmp.Compare(y.suspects, x.suspects)
		}
		by = cmp.Or(by, cmp.Compare(len(y.locks), len(x.locks)))
	case byLocks:
		by = cmp.Compare(len(y.locks), len(x.locks))
	case bySuspects:
		by = cmp.Compare(y.suspects, x.suspects)
	case byOldest:
		switch {
		case x.oldest.IsZero() || y.oldest.IsZero():
			by = -byEndOfTime(x.oldest, y.oldest)
		default:
			by = x.oldest.Compare(y.oldest)
		}
	case byWaiters:
		by = cmp.Compare(y.waiters, x.waiters)
	case byName:
		by = strings.Compare(x.name, y.name)
	case holderColumns:
	}
	if o.reverse {
		by = -by
	}
	return cmp.Or(by, strings.Compare(x.name, y.name), strings.Compare(x.by(), y.by()))
}

// byEndOfTime orders two times of which at least one is not known, which comes first here.
func byEndOfTime(x, y time.Time) int {
	switch {
	case x.IsZero() && y.IsZero():
		return 0
	case x.IsZero():
		return -1
	}
	return 1
}

// holder says whether a holder passes: it itself, its connections, or one of its locks.
func (f filter) holder(r *holderRow) bool {
	if f.empty() || f.match(r.name) || f.match(string(r.connection)) || f.presence(r.presence) {
		return true
	}
	for _, l := range r.locks {
		if f.lock(l, string(l.State)) {
			return true
		}
	}
	return false
}

// presence says whether a holder's connections pass, by their names, addresses or libraries.
func (f filter) presence(p *inspector.Presence) bool {
	if p == nil {
		return false
	}
	if f.match(p.Name) {
		return p.Name != ""
	}
	for i := range p.Clients {
		c := &p.Clients[i]
		if c.Name != "" && f.match(c.Name) || f.match(c.Addr) || c.Library != "" && f.match(inspector.LibraryOf(c)) {
			return true
		}
	}
	return false
}

// waitersText is how many wait behind a holder.
func (r *holderRow) waitersText() string {
	if r.waiters == 0 {
		return "-"
	}
	return r.bound + text.Count(int64(r.waiters))
}

// oldestText is for how long it has the oldest of its locks.
func (r *holderRow) oldestText(now time.Time) string {
	if r.oldest.IsZero() || now.Before(r.oldest) {
		return "-"
	}
	if r.atLeast {
		return "≥" + text.Duration(now.Sub(r.oldest))
	}
	return text.Duration(now.Sub(r.oldest))
}

// client is the first of the holder's connections, as it is by now; false: none is known.
func (r *holderRow) client(s *inspector.Snapshot) (c keyspace.Client, is bool) {
	if r.presence == nil || len(r.presence.Clients) == 0 {
		return c, false
	}
	c = r.presence.Clients[0]
	if s != nil {
		if now, _, there := s.Client(c); there {
			c = now
		}
	}
	return c, true
}

// connectionFace is how a holder's connection is shown.
func (t *theme) connectionFace(c inspector.Connection) face {
	switch c {
	case inspector.ConnectionAlive:
		return face{"●", "alive", t.good}
	case inspector.ConnectionGone:
		return face{"✖", "gone", t.bad}
	case inspector.ConnectionUnknown:
	}
	return face{"?", "unknown", t.faint}
}
