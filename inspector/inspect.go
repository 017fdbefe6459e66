package inspector

import (
	"time"

	"locktop/keyspace"
)

// Inspect judges a single read: the lock it holds, or false where the record is none. now is the local time.
func (rules Rules) Inspect(r keyspace.Record, now time.Time) (*Lock, bool) {
	found, isLock := rules.recognise(r, now)
	if !isLock {
		return nil, false
	}
	l := newLock(r, found)
	l.Evidence = found.evidence
	l.begin(r.ReadAt, false)
	l.judge(now)
	return l, true
}

// Follow says whether a record is a lock, or may become one: the filter for keyspace.ObserveOptions. It judges by the
// time of the read, so that its answer is always the same for the same record.
func (rules Rules) Follow(r keyspace.Record) bool {
	_, ok := rules.recognise(r, r.ReadAt)
	return ok
}

// Keep reports whether a record that was followed may be the same lock still: the filter for keyspace.ObserveOptions.
func (rules Rules) Keep(r keyspace.Record) bool {
	_, ok := rules.keeps(r, r.ReadAt)
	return ok
}
