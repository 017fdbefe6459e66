package inspector

import (
	"time"

	"locktop/keyspace"
)

// Inspect judges a single read: the lock it holds, or false where the record is none. now is the local time.
func Inspect(r keyspace.Record, now time.Time) (*Lock, bool) {
	found, ok := recognise(r, now)
	if !ok {
		return nil, false
	}
	l := &Lock{
		Ref:       r.Ref,
		Scheme:    found.scheme,
		Mode:      found.mode,
		Holders:   found.holders,
		ExpiresAt: r.ExpiresAt,
		LeaseEnds: found.leaseEnds,
		HeldSince: r.ReadAt,
		Waiters:   Waiters{By: WaitersNone},
		Evidence:  found.evidence,
		Observed:  r,
	}
	if found.scheme == SchemeUnknown {
		l.State = StateWrong
		l.Findings = []Finding{wrongTypeFinding(r.Type)}
		return l, true
	}
	l.State = l.StateAt(now)
	return l, true
}

// Follow says whether a record is a lock, or may become one: the filter for keyspace.ObserveOptions. It judges by the
// time of the read, so that its answer is always the same for the same record.
func Follow(r keyspace.Record) bool {
	_, ok := recognise(r, r.ReadAt)
	return ok
}
