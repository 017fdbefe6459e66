package cli

import (
	"fmt"
	"slices"
	"time"

	"locktop/actions"
	"locktop/inspector"
	"locktop/ui/report"
	"locktop/ui/text"
)

// This file tells whether a lock is still the one that was listed.

// leaseTolerance is how much the end of a lease may differ between two processes that compute it on
// their own clocks, in addition to the error of the read. If the server's own instant is known
// (PEXPIRETIME), it may not differ at all.
const leaseTolerance = 250 * time.Millisecond

// differs says how a lock differs from the listed one, and is empty if it does not.
func (l *listedLock) differs(now *inspector.Lock, at time.Time) string {
	is := report.NewLock(now, at)
	if len(l.Votes) == 0 != (len(is.Votes) == 0) {
		return "only one of the listed lock and the lock now is a Redlock of several masters"
	}
	if len(l.Votes) == 0 && l.Node != is.Node {
		return fmt.Sprintf("it was listed on %s, but this is %s", text.Escape(l.Node), text.Escape(is.Node))
	}
	if l.Scheme != is.Scheme || l.Mode != is.Mode {
		return fmt.Sprintf("it was listed as %s and is %s now", schemeAndMode(l.Lock), schemeAndMode(is))
	}
	for i := range l.Holders {
		if said := l.holderDiffers(i, now, &is, true); said != "" {
			return said
		}
	}
	if said := l.votesDiffer(now, &is); said != "" {
		return said
	}
	if len(l.Votes) == 0 && !l.ownLeases() {
		was, ends := leaseIn(&l.Lock), leaseIn(&is)
		if said := was.differs(ends, now.Observed.ExpiryError.Duration()); said != "" {
			return "its lease " + said
		}
	}
	if l.Digest != is.Digest {
		return "its value is different now"
	}
	if (l.Fencing == nil) != (is.Fencing == nil) || l.Fencing != nil && *l.Fencing != *is.Fencing {
		return "its fencing token is different now"
	}
	return ""
}

func schemeAndMode(l report.Lock) string {
	if l.Mode == "" {
		return l.Scheme
	}
	return l.Scheme + ", " + l.Mode
}

// ownLeases reports whether the listed holders share a lock but have their own leases. The key's
// TTL then changes when another holder comes or renews.
func (l *listedLock) ownLeases() bool {
	shared := l.Mode == string(inspector.ModeRead) || l.Mode == string(inspector.ModeSemaphore) || len(l.Holders) > 1
	return shared && !slices.ContainsFunc(l.Holders, func(h report.Holder) bool { return h.ExpiresAt == "" })
}

// holderDiffers is differs for one of the listed holders, with or without the end of its lease.
func (l *listedLock) holderDiffers(i int, now *inspector.Lock, is *report.Lock, withEnd bool) string {
	at := slices.IndexFunc(now.Holders, func(h inspector.Holder) bool { return h.Owner == l.owners[i] })
	if at < 0 {
		return fmt.Sprintf("%s does not hold it any more", ownerInWords(l.owners[i], l.Holders[i].Label))
	}
	was, holder := &l.Holders[i], &is.Holders[at]
	who := ownerInWords(l.owners[i], was.Label)
	switch {
	case (was.Count == nil) != (holder.Count == nil):
		return fmt.Sprintf("the entry count of %s is not the listed one", who)
	case was.Count != nil && *was.Count != *holder.Count:
		return fmt.Sprintf("%s had entered it %s and has now entered it %s", who, times(*was.Count), times(*holder.Count))
	}
	if !withEnd {
		return ""
	}
	ended, ends := lease{was.ExpiresAt == "", 0, was.ExpiresAt}, lease{holder.ExpiresAt == "", 0, holder.ExpiresAt}
	if said := ended.differs(ends, now.Observed.ExpiryError.Duration()); said != "" {
		return fmt.Sprintf("the lease of %s %s", who, said)
	}
	return ""
}

// votesDiffer is differs for the votes of a Redlock.
func (l *listedLock) votesDiffer(now *inspector.Lock, is *report.Lock) string {
	if len(l.Votes) != len(is.Votes) {
		return fmt.Sprintf("it was listed on %d masters, but there are %d now", len(l.Votes), len(is.Votes))
	}
	for i := range l.Votes {
		was := &l.Votes[i]
		at := slices.IndexFunc(is.Votes, func(v report.Vote) bool { return v.Node == was.Node })
		if at < 0 {
			return fmt.Sprintf("it was listed on %s, which is not one of these masters", text.Escape(was.Node))
		}
		vote := &is.Votes[at]
		switch {
		case unheard(was.Ballot) && unheard(vote.Ballot): // why it cannot be asked may be another
			continue
		case was.Ballot != vote.Ballot:
			return fmt.Sprintf("the vote of %s was %q and is %q now", text.Escape(was.Node), text.Escape(was.Ballot), vote.Ballot)
		case l.votes[i] != now.Quorum.Votes[at].Owner:
			return fmt.Sprintf("%s votes for another owner now", text.Escape(was.Node))
		case was.TTL == nil || vote.TTL == nil:
			continue
		}
		ended, ends := lease{*was.TTL < 0, was.ExpireTime, was.ExpiresAt}, lease{*vote.TTL < 0, vote.ExpireTime, vote.ExpiresAt}
		if said := ended.differs(ends, now.Quorum.Votes[at].Observed.ExpiryError.Duration()); said != "" {
			return fmt.Sprintf("the vote of %s %s", text.Escape(was.Node), said)
		}
	}
	return ""
}

// unheard reports whether a master could not be asked for its vote.
func unheard(ballot string) bool {
	switch inspector.Ballot(ballot) {
	case inspector.BallotDenied, inspector.BallotTimeout, inspector.BallotDown, inspector.BallotUnread:
		return true
	case inspector.BallotFor, inspector.BallotOther, inspector.BallotAbsent, inspector.BallotWrong:
	}
	return false
}

// lease is when a lease ends: by the server's clock in milliseconds, zero if unknown, and by our
// clock.
type lease struct {
	never  bool
	server int64
	local  string
}

// leaseIn is the lease of a lock object. Its end is empty if it has none, and if it is unknown.
func leaseIn(l *report.Lock) lease {
	return lease{l.TTL != nil && *l.TTL < 0, l.ExpireTime, l.ExpiresAt}
}

// differs says how the end of a lease differs from what it was. readError is the error of the new
// read.
func (was lease) differs(is lease, readError time.Duration) string {
	ended, errWas := time.Parse(time.RFC3339Nano, was.local)
	ends, errIs := time.Parse(time.RFC3339Nano, is.local)
	exact := was.server != 0 && is.server != 0
	switch {
	case exact && was.server == is.server, !exact && was.never == is.never && was.local == "" && is.local == "":
		return ""
	case was.never && !is.never:
		return "had no end and now ends at " + is.local
	case is.never && !was.never:
		return "has no end now"
	case !exact && errWas == nil && errIs == nil && ends.Sub(ended).Abs() <= leaseTolerance+readError:
		return ""
	default:
		return fmt.Sprintf("was to end at %s and now ends at %s: the lock was renewed or acquired again", text.Escape(was.local), is.local)
	}
}

// ownerInWords names a holder of the object.
func ownerInWords(owner, label string) string {
	if label != "" {
		return text.Escape(label)
	}
	return text.Escape(owner)
}

// requests returns the actions on the listed holders: one for each, or one in total if the action
// ends the lock for all.
func (l *listedLock) requests(found sight, r actions.Request) []actions.Request {
	r.Owner = l.owners[0]
	switch {
	case !found.record.Exists():
		return []actions.Request{r}
	case found.lock == nil:
		r.Changed = kindOf(found.record)
	default:
		r.Changed = l.differs(found.lock, found.at)
	}
	if r.Changed == "" && actions.EndsForAll(r) {
		for _, h := range found.lock.Holders {
			if !slices.Contains(l.owners, h.Owner) {
				r.Changed = fmt.Sprintf("%s holds it too but is not listed: use release instead", ownerInWords(h.Owner, h.Label))
			}
		}
	}
	if r.Changed != "" || actions.EndsForAll(r) {
		return []actions.Request{r}
	}
	all := make([]actions.Request, len(l.owners))
	for i, owner := range l.owners {
		all[i] = r
		all[i].Owner = owner
	}
	return all
}

// next returns the request for one of several holders, on the lock as it is now, after the actions
// on the holders before it.
func (l *listedLock) next(found sight, r actions.Request) actions.Request {
	i := slices.Index(l.owners, r.Owner)
	r.Changed = ""
	if r.Lock = found.lock; found.lock == nil {
		r.Lock = noLockOf(found.record)
		return r
	}
	is := report.NewLock(found.lock, found.at)
	r.Changed = l.holderDiffers(i, found.lock, &is, r.Verb != actions.VerbExtend) // the shared lease may be extended already
	return r
}
