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

// inlineRows is how many locks are arranged at once within Update; more are arranged in a command of their own, so that
// no key ever waits for a sort.
const inlineRows = 20_000

// sortColumn is what the rows are ordered by.
type sortColumn int

// The orders, in the sequence of the `s` key. The default is the worst findings first, then state, then key.
const (
	sortWorst sortColumn = iota
	sortKey
	sortScheme
	sortHolder
	sortCount
	sortVotes
	sortTTL
	sortHeld
	sortWaiters
	sortAcquisitions
	sortRenewals
	sortColumns // how many there are
)

// sortNames are said in the badge; the title of the column says it too where it is shown.
var sortNames = [sortColumns]string{
	"worst first", "key", "scheme", "holder", "count", "votes", "TTL", "held", "waiters", "acquisitions", "renewals",
}

// arrangement is what the user wants to see of a snapshot, and in which order.
type arrangement struct {
	column   sortColumn
	reverse  bool
	filter   filter
	suspects bool
	byHolder holderOrder
}

// arranged is the outcome of applying an arrangement to a snapshot.
type arranged struct {
	rows []*inspector.Lock
	// ranks are the places by badness of the rows that are not simply held. A freed lock has lost its findings, and
	// keeps the rank that it had before, so that its row stays where it was.
	ranks map[lockID]int
	// keyWidth and holderWidth are what the longest texts of the columns take, so that columns need not be wider.
	keyWidth, holderWidth int
	// votes says that some of the locks are Redlocks.
	votes bool
	// perNode counts the locks of each node: of a Redlock the keys that are there.
	perNode map[keyspace.Node]int
	// holders are the locks by their holders, where that is wanted.
	holders []*holderRow
	// took is how long it took.
	took time.Duration
}

// sortable is a row with what it is ordered by.
type sortable struct {
	number int64
	word   string
	lock   *inspector.Lock
}

// rankHeld is the rank of a lock with which nothing is wrong.
const rankHeld = 4*8 - 1

// rankOf orders by the worst finding, then by state.
func rankOf(l *inspector.Lock, now time.Time) int {
	state := 7
	switch l.StateAt(now) {
	case inspector.StateSplit:
		state = 0
	case inspector.StateStuck:
		state = 1
	case inspector.StateMinority:
		state = 2
	case inspector.StateWrong:
		state = 3
	case inspector.StateLapsed:
		state = 4
	case inspector.StateExpired:
		state = 5
	case inspector.StateHeld, inspector.StateFreed, inspector.StateCooldown:
	}
	severity := inspector.Severity("")
	if f := worstFinding(l); f != nil {
		severity = f.Severity
	}
	return severityRank(severity)*8 + state
}

// apply filters and sorts; it is pure but for the clock that times it, and may run in any goroutine.
func (a arrangement) apply(locks []*inspector.Lock, before map[lockID]int, seen picture) arranged {
	began := time.Now()
	out := arranged{ranks: make(map[lockID]int), perNode: countPerNode(locks)}
	list := make([]sortable, 0, len(locks))
	var t theme // faces are words here; colours do not matter
	for _, l := range locks {
		now := seen.momentOf(l)
		rank := rankOf(l, now)
		if l.State == inspector.StateFreed && len(l.Findings) == 0 {
			if had, ok := before[idOf(l.Ref)]; ok {
				rank = had
			}
		}
		if rank != rankHeld {
			out.ranks[idOf(l.Ref)] = rank
		}
		if a.suspects && !suspect(l) && (l.State != inspector.StateFreed || rank == rankHeld) {
			continue
		}
		if !a.filter.empty() && !a.filter.lock(l, t.faceOf(l, now).word) {
			continue
		}
		out.keyWidth = max(out.keyWidth, text.Width(text.Escape(l.Key)))
		out.holderWidth = max(out.holderWidth, text.Width(ownerText(l)))
		out.votes = out.votes || l.Quorum != nil
		number, word := a.value(l, rank, now)
		list = append(list, sortable{number, word, l})
	}
	slices.SortFunc(list, a.compare)
	out.rows = make([]*inspector.Lock, len(list))
	for i := range list {
		out.rows[i] = list[i].lock
	}
	if a.byHolder.wanted {
		out.holders = a.holders(locks, out.ranks)
	}
	out.took = time.Since(began)
	return out
}

// countPerNode counts the locks that each node has.
func countPerNode(locks []*inspector.Lock) map[keyspace.Node]int {
	counts := make(map[keyspace.Node]int)
	for _, l := range locks {
		switch {
		case l.State == inspector.StateFreed:
		case l.Quorum == nil:
			counts[l.Node]++
		default:
			for i := range l.Quorum.Votes {
				switch v := &l.Quorum.Votes[i]; v.Ballot {
				case inspector.BallotFor, inspector.BallotOther:
					counts[v.Node]++
				case inspector.BallotAbsent, inspector.BallotWrong, inspector.BallotDenied, inspector.BallotTimeout,
					inspector.BallotDown, inspector.BallotUnread:
				}
			}
		}
	}
	return counts
}

// value is what a lock is ordered by: a number or else a word, the least first.
func (a arrangement) value(l *inspector.Lock, rank int, now time.Time) (number int64, word string) {
	switch a.column {
	case sortWorst:
		return int64(rank), ""
	case sortKey:
		return 0, ""
	case sortScheme:
		return 0, string(l.Scheme)
	case sortHolder:
		if len(l.Holders) > 0 {
			return 0, l.Holders[0].Label
		}
		return 1, ""
	case sortCount:
		if len(l.Holders) > 0 && l.Holders[0].Count.Known {
			return -l.Holders[0].Count.N, ""
		}
		return 0, ""
	case sortVotes:
		if l.Quorum != nil {
			return int64(l.Quorum.Margin()), ""
		}
		return 1<<63 - 1, ""
	case sortTTL:
		ttl, ok := l.TTLAt(now)
		if !ok || l.State == inspector.StateFreed {
			return 1<<63 - 1, "" // never comes last
		}
		return int64(ttl), ""
	case sortHeld:
		held, _ := heldFor(l, now)
		return -int64(held), ""
	case sortWaiters:
		return -int64(l.Waiters.Count), ""
	case sortAcquisitions:
		return -int64(acquisitionsOf(l)), ""
	case sortRenewals:
		return -int64(l.Renewals), ""
	case sortColumns:
	}
	return 0, ""
}

// compare puts the greatest figures first where they are the interesting ones (value makes them negative). Reversing
// turns the order of the column; equal rows stay in the order of their keys.
func (a arrangement) compare(x, y sortable) int {
	by := cmp.Compare(x.number, y.number)
	if by == 0 {
		by = strings.Compare(x.word, y.word)
	}
	if by == 0 && a.column == sortKey {
		by = strings.Compare(x.lock.Key, y.lock.Key)
	}
	if a.reverse {
		by = -by
	}
	return cmp.Or(by,
		strings.Compare(x.lock.Key, y.lock.Key),
		strings.Compare(string(x.lock.Node), string(y.lock.Node)),
		cmp.Compare(x.lock.DB, y.lock.DB))
}

// goneText marks a lock whose first holder's connection is gone.
func goneText(l *inspector.Lock) string { return goneWord(&l.Holders[0]) }

func goneWord(h *inspector.Holder) string {
	if h.Connection() == inspector.ConnectionGone {
		return " (gone)"
	}
	return ""
}

// ownerWithin is ownerText in so many cells: that its connection is gone is said whatever else is cut off.
func ownerWithin(l *inspector.Lock, width int) string {
	s := ownerText(l)
	if len(l.Holders) == 0 || text.Width(s) <= width {
		return s
	}
	gone := goneText(l)
	if gone == "" || width < 2*len(gone) {
		return s
	}
	return text.Truncate(text.Escape(l.Holders[0].Label), width-len(gone)) + gone
}

// ownerText is a holder for a column: its label, and how many more there are.
func ownerText(l *inspector.Lock) string {
	switch n := len(l.Holders); n {
	case 0:
		return "-"
	case 1:
		return text.Escape(l.Holders[0].Label) + goneText(l)
	default:
		return text.Escape(l.Holders[0].Label) + goneText(l) + " +" + text.Count(int64(n-1))
	}
}
