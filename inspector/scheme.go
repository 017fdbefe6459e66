package inspector

import (
	"time"

	"locktop/keyspace"
)

// SchemeInfo says in words what a scheme is, for the README's table and for help.
type SchemeInfo struct {
	Name Scheme
	// Systems are who leaves such locks; RecognisedBy is the evidence; Shows is what locktop can tell of them.
	Systems, RecognisedBy, Shows string
}

// layout is a scheme: it recognises the records that hold its locks. Adding a scheme is one file with a layout, one line in
// layouts, and its rows in the table of tests.
type layout struct {
	info SchemeInfo
	// recognise judges one record that exists, by evidence. It allocates nothing where the answer is no: it is asked once
	// for each read.
	recognise func(look) (recognition, bool)
}

// layouts are asked in this order; the first that recognises a record has it. Those with the strongest evidence come first.
var layouts = [...]layout{redissonLayout, reentrantLayout, timestampLayout, setnxLayout, tokenLayout, wrongTypeLayout}

// Schemes lists what locktop knows, for documentation.
func Schemes() []SchemeInfo {
	infos := make([]SchemeInfo, 0, len(layouts))
	for _, l := range layouts {
		infos = append(infos, l.info)
	}
	return infos
}

// look is what a layout judges.
type look struct {
	record keyspace.Record
	name   name
	now    time.Time
	shape  shape // of a string's value
}

// recognition is what a layout says of a record that it took for a lock.
type recognition struct {
	scheme Scheme
	// holder is the one holder; more are the others, where a scheme has several.
	holder Holder
	more   []Holder
	// held is false where the record shows no holder (a key of the wrong type).
	held      bool
	leaseEnds time.Time
	clues     clues
}

// recognise asks all layouts.
func recognise(r keyspace.Record, now time.Time) (recognition, bool) {
	if !r.Exists() || isCompanion(r.Key) {
		return recognition{}, false
	}
	l := look{record: r, name: readName(r.Key), now: now}
	if r.Type == keyspace.TypeString {
		if r.Truncated || r.Size > longestToken {
			return recognition{}, false // no holder's token is as long; a lock of the wrong type is of another type
		}
		l.shape = shapeOf(r.Value.Text)
	}
	for i := range layouts {
		if found, yes := layouts[i].recognise(l); yes {
			return found, true
		}
	}
	return recognition{}, false
}

// Inspect judges a single read: the lock it holds, or false where the record is none. now is the local time.
func Inspect(r keyspace.Record, now time.Time) (*Lock, bool) {
	found, is := recognise(r, now)
	if !is {
		return nil, false
	}
	l := newLock(r, found)
	l.Evidence = found.clues.lines()
	l.begin(r.ReadAt, false)
	l.State = l.StateAt(now)
	l.Findings, _ = Thresholds{}.withDefaults().judge(l, now)
	return l, true
}

// Follow says whether a record is a lock, or may become one without being made anew: the filter for
// keyspace.ObserveOptions. A key that this user may not read is followed: the right may be granted.
func Follow(r keyspace.Record) bool {
	if r.Denied != "" {
		return !readName(r.Key).trap
	}
	_, is := recognise(r, r.ReadAt)
	return is
}
