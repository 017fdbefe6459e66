package tui

import "locktop/keyspace"

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

// planColumns lays out the columns for a window: fixed ones by the window's width, while the key and the holder share
// what is left as far as their texts need it, and the finding takes the rest of a wide window.
func planColumns(width, keyWidth, holderWidth int, votes bool) (columns []column, gap int) {
	gap = 2
	if width < fromCount {
		gap = 1
	}
	add := func(from int, c column) {
		if width >= from {
			columns = append(columns, c)
		}
	}
	stateWidth := 9
	switch {
	case width < fromStateWord:
		stateWidth = 1
	case votes:
		stateWidth = 10 // "◒ minority"
	}
	ttl := column{id: columnTTL, title: "TTL", width: 7, right: true, sort: sortTTL}
	if width >= fromBar {
		ttl.bar = 9
		if width >= fromFinding {
			ttl.bar = 13
		}
		ttl.width += ttl.bar
		ttl.right = false
	}
	columns = make([]column, 0, 12)
	add(0, column{id: columnState, title: "STATE", width: stateWidth, sort: sortWorst})
	add(0, column{id: columnKey, title: "KEY", sort: sortKey})
	add(fromScheme, column{id: columnScheme, title: "SCHEME", width: 9, sort: sortScheme})
	add(fromHolder, column{id: columnHolder, title: "HOLDER", sort: sortHolder})
	count := fromCount
	if votes {
		count = fromCountBeside
	}
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

	left := width - rowPrefix - 1
	for i := range columns {
		left -= columns[i].width
		if i > 0 {
			left -= gap
		}
	}
	shareRest(columns, max(left, 0), keyWidth, holderWidth)
	return columns, gap
}

// shareRest gives what is left of the width to the columns that can use it.
func shareRest(columns []column, left, keyWidth, holderWidth int) {
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
		left -= finding.width
	}
	if holder == nil {
		key.width = left
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
