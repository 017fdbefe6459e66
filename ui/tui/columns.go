package tui

import (
	"cmp"
	"slices"

	"locktop/keyspace"
)

// columnID names a column of the table of locks.
type columnID int

// The columns, from left to right.
const (
	columnState columnID = iota
	columnKey
	columnScheme
	columnHolder
	columnCount
	columnVotes // of a Redlock; there only where there are any
	columnTTL
	columnHeld
	columnWaiters
	columnSpark
	columnRenewals
	columnFinding
	// Of the lock x node map.
	columnMaster
	columnValidity
	columnMargin
	columnSkew
)

// column is a column as it is laid out in a window.
type column struct {
	id    columnID
	title string
	width int
	right bool
	// bar is the part of the TTL column's width that the bar takes, with the blank after it.
	bar int
	// gap is by how much the gap before the column differs from that of the others.
	gap int
	// master and node are whose votes a column of the map shows; alarm says that it does not answer.
	master int
	node   keyspace.Node
	alarm  bool
	// sort is what the column is sorted by; -1: nothing.
	sort sortColumn
}

// The least window widths at which columns are shown: state, key and TTL always; then who; then the figures; then what
// is good to know. At 45 columns the first four are there, at 80 all that the main job needs.
const (
	fromStateWord = 40
	fromHolder    = 34
	fromVotes     = 45
	fromCount     = 54
	fromHeld      = 62
	fromWaiters   = 72
	fromBar       = 92
	// The votes tell more of a Redlock than the count, which most of them do not store.
	fromCountBeside = 92
	fromScheme      = 104
	fromSpark       = 132
	fromRenewals    = 150
	fromFinding     = 176
)

// rowPrefix is the cells before the first column: the cursor, the mark and a blank.
const rowPrefix = 3

// findingLeast is the width that a finding needs in a window that is narrower than the one from which on it is shown anyway.
const findingLeast = 24

// planColumns lays out the columns for a window: fixed ones by the window's width, while the key and the holder share
// what is left as far as their texts need it, and the finding takes the rest of a wide window. What hidden columns leave is
// used: the next ones come in earlier.
func planColumns(width, keyWidth, holderWidth int, votes bool, hidden columnSet) (columns []column, gap int) {
	gap = 2
	if width < fromCount {
		gap = 1
	}
	freed := 0
	if hidden != 0 {
		standard, _ := planColumns(width, keyWidth, holderWidth, votes, 0)
		for _, c := range standard {
			if hidden.has(c.id) {
				freed += c.width + gap
			}
		}
	}
	bar := barOf(width)
	if bar == 0 && freed >= barWidth {
		bar, freed = barWidth, freed-barWidth
	}
	all := allColumns(width, bar, votes)
	for _, from := range comingColumns(all, width) {
		c := &all[from]
		cost := max(c.width, 1) + gap
		if c.id == columnFinding {
			cost = findingLeast + gap
		}
		if !hidden.has(c.id) && cost <= freed {
			c.from, freed = 0, freed-cost
		}
	}
	columns = make([]column, 0, len(all))
	for _, c := range all {
		if c.from <= width && !hidden.has(c.id) {
			columns = append(columns, c.column)
		}
	}
	left := width - rowPrefix - 1
	for i := range columns {
		left -= columns[i].width
		if i > 0 {
			left -= gap
		}
	}
	shareRest(columns, max(left, 0), keyWidth, holderWidth, width < fromFinding)
	return columns, gap
}

// planned is a column with the least width of a window that shows it.
type planned struct {
	column
	from int
}

// allColumns are the columns from left to right.
func allColumns(width, bar int, votes bool) []planned {
	stateWidth := 9
	switch {
	case width < fromStateWord:
		stateWidth = 1
	case votes:
		stateWidth = 10 // "◒ minority"
	}
	ttl := column{id: columnTTL, title: "TTL", width: 7 + bar, right: bar == 0, bar: bar, sort: sortTTL}
	count := fromCount
	all := make([]planned, 0, 12)
	add := func(from int, c column) { all = append(all, planned{c, from}) }
	if votes {
		count = fromCountBeside
	}
	add(0, column{id: columnState, title: "STATE", width: stateWidth, sort: sortWorst})
	add(0, column{id: columnKey, title: "KEY", sort: sortKey})
	add(fromScheme, column{id: columnScheme, title: "SCHEME", width: 9, sort: sortScheme})
	add(fromHolder, column{id: columnHolder, title: "HOLDER", sort: sortHolder})
	add(count, column{id: columnCount, title: "N", width: 3, right: true, sort: sortCount})
	if votes {
		add(fromVotes, column{id: columnVotes, title: "VOTES", width: 5, right: true, sort: sortVotes})
	}
	add(0, ttl)
	add(fromHeld, column{id: columnHeld, title: "HELD", width: 7, right: true, sort: sortHeld})
	add(fromWaiters, column{id: columnWaiters, title: "WAITERS", width: 7, right: true, sort: sortWaiters})
	add(fromSpark, column{id: columnSpark, title: "LAST MINUTE", width: 12, sort: sortAcquisitions})
	add(fromRenewals, column{id: columnRenewals, title: "RENEWALS", width: 16, sort: sortRenewals})
	add(fromFinding, column{id: columnFinding, title: "FINDING", sort: -1})
	return all
}

// barWidth is what the bar of the TTL takes, with the blank after it; the widest window has a longer one.
const barWidth = 9

func barOf(width int) int {
	switch {
	case width < fromBar:
		return 0
	case width < fromFinding:
		return barWidth
	}
	return 13
}

// comingColumns are the indices of the columns that the window is too narrow for, in the order in which they come.
func comingColumns(all []planned, width int) []int {
	var coming []int
	for i := range all {
		// The holder is left out of a window in which nothing but the essentials can be read, whatever is hidden.
		if all[i].from > width && all[i].id != columnHolder {
			coming = append(coming, i)
		}
	}
	slices.SortStableFunc(coming, func(a, b int) int { return cmp.Compare(all[a].from, all[b].from) })
	return coming
}

// shareRest gives what is left of the width to the columns that can use it.
// A finding that came in before its time has no more than it needs.
func shareRest(columns []column, left, keyWidth, holderWidth int, early bool) {
	var key, holder, finding *column
	for i := range columns {
		switch columns[i].id {
		case columnKey:
			key = &columns[i]
		case columnHolder:
			holder = &columns[i]
		case columnFinding:
			finding = &columns[i]
		case columnState, columnScheme, columnCount, columnVotes, columnTTL, columnHeld, columnWaiters, columnSpark, columnRenewals,
			columnMaster, columnValidity, columnMargin, columnSkew:
		}
	}
	if finding != nil {
		// The finding is a sentence: it gets at least a quarter.
		finding.width = left / 4
		if early {
			finding.width = max(min(findingLeast, left), 0)
		}
		left -= finding.width
	}
	if holder == nil {
		key.width = min(left, max(keyWidth, 12)+8)
		left -= key.width
	} else {
		wantKey, wantHolder := max(keyWidth, 12), max(holderWidth, 8)
		switch {
		case wantKey+wantHolder <= left:
			// Both fit; some air makes the columns of short texts less crowded.
			air := min(left-wantKey-wantHolder, 8)
			key.width, holder.width = wantKey+air/2, wantHolder+air-air/2
		case wantHolder <= left*2/5:
			key.width, holder.width = left-wantHolder, wantHolder
		case wantKey <= left*3/5:
			key.width, holder.width = wantKey, left-wantKey
		default:
			key.width = left * 3 / 5
			holder.width = left - key.width
		}
		left -= key.width + holder.width
	}
	if finding != nil {
		finding.width += left
	}
}
