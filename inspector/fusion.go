package inspector

import (
	"slices"
	"time"

	"locktop/keyspace"
)

// fusion is what several masters show of a key together, beside what they showed before. Where somebody has the quorum, it is
// a sight like any other: the transitions, the history and the findings of a Redlock are those of a lock on one server. What one
// master tells of its own vote is told of the lock only once the quorum has changed with it: the release of one vote is none.
type fusion struct {
	sight
	tally *tally
	urn   *urn
	by    *station // whose vote changed; nil: it may be any
	at    time.Time
	old   *Lock // as it was shown before; nil: it was not
}

// held says whether the lock is held by what was seen before.
func (v *fusion) held() bool { return v.old != nil && v.old.FreedAt.IsZero() && v.old.hold() != nil }

// seen is the master at which the lock was seen before.
func (v *fusion) seen() keyspace.Node {
	if v.old == nil {
		return ""
	}
	return v.old.Node
}

func (v *fusion) shown() *Quorum {
	if v.old == nil {
		return nil
	}
	return v.old.Quorum
}

// judge says what the votes make of the lock.
func (v *fusion) judge() {
	v.concede()
	switch elected := v.tally.elected(); {
	case len(elected) > 0:
		v.elect(elected)
	case v.held() && v.tally.possible(v.old.holder().Owner) >= v.tally.needed:
		v.urn.doubtAt = time.Time{}
		v.unsettle(v.urn) // out of sight; what settles is shown
	case v.held():
		v.lose()
		v.unsettle(v.urn) // also where it is not known yet how the holder lost it
	case len(v.tally.owners) > 0:
		v.unsettle(v.urn)
		v.refresh()
	default:
		v.nobody()
	}
}

// elect: an owner has the quorum, or several who share the lock do.
func (v *fusion) elect(elected []standing) {
	owner := elected[0].owner
	if v.held() { // among those who share it, the first one stays the first
		if i := slices.IndexFunc(elected, func(s standing) bool { return s.owner == v.old.holder().Owner }); i > 0 {
			elected[0], elected[i] = elected[i], elected[0]
			owner = elected[0].owner
		}
	}
	same := v.held() && v.old.holder().Owner == owner
	if v.held() && !same && !several(v.old.Scheme, v.old.Mode, v.old.Holders) {
		var sure bool
		if v.over, sure = v.overOf(v.old.holder().Owner); !sure {
			v.unsettle(v.urn)
			return
		}
	}
	v.urn.doubtAt = time.Time{}
	r, found := v.tally.fuse(elected, v.tally.needed, v.at, v.seen())
	found.quorum = v.tally.quorum(owner, v.at, v.shown())
	v.record, v.found = &r, found
	v.hearing = v.heard(owner)
	if valid := found.quorum.ValidUntil; !same || valid.IsZero() || v.urn.valid.IsZero() || valid.After(v.urn.valid) {
		v.urn.valid = valid
	}
	switch {
	case v.held() && (several(found.scheme, found.mode, found.holders) || several(v.old.Scheme, v.old.Mode, v.old.Holders)):
		v.over = nil
		v.again() // each of them comes and goes by himself
		return
	case same && !v.tally.interrupted(owner, v.old.HeldSince, v.at):
		v.renewed(owner)
		v.again()
		return
	}
	v.urn.end = earlier(r.ExpiresAt, found.leaseEnds)
	var lost time.Time
	if same {
		v.over = v.lostBy(owner)
		lost = v.over.Until
	}
	if since, exact := v.tally.reached(owner, lost); exact {
		v.trail = trail{startAt: since, starts: 1, firstAt: since, updatedAt: since}
	}
	if v.held() {
		v.again()
	} else {
		v.appeared()
	}
}

// lostBy is how the holder lost the quorum.
func (v *fusion) lostBy(owner string) *Hold {
	return v.tally.lost(owner, v.old.HeldSince, time.Unix(0, v.slots[v.slot].readAt), v.at)
}

// heard says how much was heard of the votes for an owner since the lock was seen before. A vote that goes on is enough of a
// proof for itself, and the quorum went on if as many votes did as it takes.
func (v *fusion) heard(owner string) hearing {
	h := hearing{known: v.by != nil}
	if v.by != nil {
		if voice := v.by.voice(v.urn.key); voice.lock != nil {
			h.known = !voice.lock.mind.untold
		}
	}
	if v.slot < 0 {
		return h
	}
	before, went := v.slots[v.slot].readAt, 0
	for _, vote := range v.tally.votesFor(owner) {
		if vote.lock.mind.surelySince <= before {
			went++
		}
	}
	h.unheard = went < v.tally.needed
	return h
}

// renewed notes a renewal, which is one when the end of the quorum has moved with it. The masters that follow move it too, by as
// much as a client takes that asks one after the other; and the loss of a vote moves it back, for as long as the others take.
func (v *fusion) renewed(owner string) {
	end := earlier(v.record.ExpiresAt, v.found.leaseEnds)
	apart := v.found.quorum.skewAllowed + 2*v.record.ExpiryError.Duration()
	var longest, at time.Time
	for n, vote := range v.tally.votesFor(owner) {
		if last := vote.lock.leaseEnd(); n == 0 || byEnd(last, longest) > 0 {
			longest = last
		}
		if vote.lock.LastRenewal.After(at) {
			at = vote.lock.LastRenewal
		}
	}
	switch last := v.urn.end; {
	case end.IsZero(), last.IsZero(), !longest.IsZero() && last.Sub(longest) > apart: // no lease, or a shorter one
		v.urn.end, v.urn.valid = end, v.found.quorum.ValidUntil
	case end.Sub(last) > apart:
		v.urn.end = end
		v.trail.renewals, v.trail.renewedAt = 1, at
		if at.IsZero() {
			v.trail.renewedAt = v.at
		}
	}
}

// lose ends the hold of a holder that has lost its majority while no other client has one, once it
// is known how.
func (v *fusion) lose() {
	owner := v.old.holder().Owner
	var sure bool
	if v.over, sure = v.overOf(owner); !sure {
		return
	}
	v.urn.doubtAt = time.Time{}
	v.record = &keyspace.Record{Ref: v.old.Ref, Type: keyspace.TypeNone, ReadAt: v.at}
	v.found = recognition{quorum: v.tally.quorum(owner, v.at, v.shown())}
	v.vanished()
}

// refresh brings the votes of a freed row up to date: the last ones go after it was freed.
func (v *fusion) refresh() {
	if v.old == nil || v.old.FreedAt.IsZero() {
		return
	}
	if q := v.tally.quorum(v.old.holder().Owner, v.at, v.shown()); !q.same(v.shown()) {
		v.edit(v.slot).Quorum = q
		v.changed = true
	}
}

// nobody: nobody votes for anybody.
func (v *fusion) nobody() {
	switch {
	case v.tally.wrong():
		v.nothing()
	case v.old == nil:
	case v.old.FreedAt.IsZero(): // a claim that nobody has any more
		v.forget(v.slot)
	default:
		v.refresh()
	}
}

// nothing: the key is there and holds no lock, wherever it is.
func (v *fusion) nothing() {
	i := slices.IndexFunc(v.tally.voices, func(v voice) bool { return v.wrong() })
	r := v.tally.voices[i].lock.Observed
	if v.seen() != "" {
		r.Node = v.seen()
	}
	v.record = &r
	v.found = recognition{scheme: SchemeUnknown, mode: ModeExclusive, evidence: v.tally.voices[i].lock.Evidence, quorum: v.tally.quorum("", v.at, v.shown())}
	switch {
	case v.old == nil, !v.old.FreedAt.IsZero():
		v.appeared()
	case v.old.Scheme != SchemeUnknown:
		v.forget(v.slot)
		v.slot = -1
		v.appeared()
	default:
		v.again()
	}
}

// settled shows what nobody has, once the votes stay as they are: who claims it, and that the masters that saw it held do not
// answer. What only masters have that do not answer, and that are too few for a quorum, is no claim: a release passed them by, and
// they tell of it when they are back. While masters are still to be read that may complete a quorum, nothing is shown.
func (v *fusion) settled() {
	switch {
	case len(v.tally.owners) == 0:
		v.nobody()
		return
	case v.tally.owners[0].votes >= v.tally.needed, v.tally.unread > 0 && v.tally.owners[0].votes+v.tally.unread >= v.tally.needed:
		return
	}
	if first := v.tally.owners[0]; !v.held() && first.votes == 0 && first.silent < v.tally.needed {
		v.unclaimed()
		return
	}
	if v.held() {
		if q := v.tally.quorum(v.old.holder().Owner, v.at, v.shown()); !q.same(v.shown()) {
			v.edit(v.slot).Quorum = q
			v.settle(v.slot, v.at)
		}
		return
	}
	claims := v.tally.claimants()
	r, found := v.tally.fuse(claims, 1, v.at, v.seen())
	found.quorum = v.tally.quorum(claims[0].owner, v.at, v.shown())
	var l *Lock
	if v.slot < 0 {
		l = newLock(r, found)
		v.slot = v.insert(v.place, l)
	} else {
		l = v.edit(v.slot)
		l.show(r, found)
	}
	l.Evidence = v.evidence.share(found.evidence)
	l.claim()
	v.slots[v.slot].readAt = v.at.UnixNano()
	v.settle(v.slot, v.at)
}

// unclaimed: nobody who answers has it.
func (v *fusion) unclaimed() {
	if v.old != nil && v.old.FreedAt.IsZero() {
		v.forget(v.slot)
		return
	}
	v.refresh()
}

// claim leaves a lock without a holder's time: nobody has it.
func (l *Lock) claim() {
	l.HeldSince, l.HeldExact = time.Time{}, false
	l.Renewals, l.RenewalPeriod, l.LastRenewal = 0, 0, time.Time{}
	l.mind = mind{round: l.mind.round, contendedUntil: l.mind.contendedUntil}
	l.State = ""
}
