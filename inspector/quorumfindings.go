package inspector

import (
	"fmt"
	"strings"
	"time"
)

// This file finds what is wrong with the votes on a Redlock.

// claimFinding is of a lock that no client is known to have. due is when its answer changes by time
// alone.
func claimFinding(l *Lock, now time.Time) (f Finding, due time.Time) {
	q := l.Quorum
	if i := l.believer(now); i >= 0 {
		return unprotected(l, &l.History[i]), l.History[i].Lost.Until
	}
	silent := q.unanswered()
	if l.State == StateSplit && q.For+silent >= q.Needed {
		held := "it may be held with votes there"
		if l.hold() != nil {
			held = shorten(l.holder().Label) + " had the quorum before and may still have it"
		}
		return Finding{
			Code: CodeSplit, Severity: SeverityWarning,
			Text: fmt.Sprintf("No client is known to have the %d of %d votes that make a quorum: %s. %s, and %s.",
				q.Needed, len(q.Votes), q.sides(), masters(silent, "does not answer", "do not answer"), held),
			Advice: "Bring the masters back: without them locktop cannot tell whether the lock is held.",
		}, time.Time{}
	}
	if l.State == StateSplit {
		return Finding{
			Code: CodeSplit, Severity: SeverityCritical,
			Text: fmt.Sprintf("Nobody has the %d of %d votes that make a quorum: %s.", q.Needed, len(q.Votes), q.sides()),
			Advice: "Nobody can acquire it before votes run out. Clients have to release every vote of a failed attempt at once, and to " +
				"wait for a random time before the next one; release what is left over.",
		}, time.Time{}
	}
	f = Finding{
		Code: CodeMinority, Severity: SeverityWarning,
		Text: fmt.Sprintf("%s has %d of %d votes, and %d make a quorum: %s.",
			shorten(l.holder().Label), q.For, len(q.Votes), q.Needed, q.lacking()),
		Advice: "Nobody holds it: these votes are left over from an attempt that failed, or from a release that did not reach every " +
			"master. They end with their TTL; release them if others wait.",
	}
	switch {
	case silent == 0 || q.For+silent < q.Needed:
	case l.hold() != nil:
		f.Text = strings.TrimSuffix(f.Text, ".") + fmt.Sprintf(". It had the quorum before; %s, and it may still be held.", masters(silent, "does not answer", "do not answer"))
		f.Advice = "Bring the masters back, or find out whether the holder lives. Nobody can renew it while they are away, and none but what they knew protects it."
	default:
		f.Text = strings.TrimSuffix(f.Text, ".") + fmt.Sprintf(". %s, and it may be held with votes there.", masters(silent, "does not answer", "do not answer"))
		f.Advice = "Bring the masters back: without them nobody knows whether it is held, nor can anybody be sure to acquire it."
	}
	return f, time.Time{}
}

// unprotected: the former holder lost its majority and does not know it, and no other client has
// one yet.
func unprotected(l *Lock, former *Hold) Finding {
	f := Finding{Code: CodeMinority, Severity: SeverityCritical, Text: former.Lost.Text}
	if l.State == StateSplit {
		f.Code = CodeSplit
		f.Text += fmt.Sprintf(" The votes now: %s.", l.Quorum.sides())
	}
	until := "before it releases it"
	if end := former.Lost.Until; !end.IsZero() {
		until = "before " + end.Local().Format(time.TimeOnly)
	}
	f.Advice = fmt.Sprintf("If another client gets %d votes %s, two clients hold the lock at the same time: stop this holder, "+
		"or keep the other clients away.", l.Quorum.Needed, until)
	return f
}

// doubleMajority: a former holder lost its majority without a release, and another client got one
// while the validity of the first lasted.
func doubleMajority(t Thresholds, l *Lock, now time.Time) (Finding, bool, time.Time) {
	if l.Quorum == nil || l.hold() == nil {
		return Finding{}, false, time.Time{}
	}
	i := l.believer(l.HeldSince)
	if i < 0 {
		return Finding{}, false, time.Time{}
	}
	former := &l.History[i]
	from, over := l.HeldSince.Add(t.Settles), l.HeldSince.Add(t.LostFor)
	switch { // a release of the votes that were left may still be on its way
	case now.Before(from):
		return Finding{}, false, from
	case !now.Before(over):
		return Finding{}, false, time.Time{}
	}
	first, second := shorten(former.Label), shorten(l.holder().Label)
	had, believe := "by its validity", "believe that they hold it"
	if former.Lost.majority.gaveUp {
		had = "when it released its remaining votes"
	}
	both, until := former.Lost.Until, "until it releases the lock, because its votes have no TTL"
	if !both.IsZero() {
		until = "until " + both.Local().Format(time.TimeOnly) + " " + had
	}
	both = earlier(both, l.Quorum.ValidUntil)
	due, together := over, ""
	if !both.IsZero() {
		together = " until " + both.Local().Format(time.TimeOnly)
		if now.Before(both) {
			due = earlier(over, both)
		} else {
			believe = "believed that they held it"
		}
	}
	return Finding{
		Code: CodeDoubleMajority, Severity: SeverityCritical,
		Text: fmt.Sprintf("%s had a majority of %d %s; %s has had one since %s; both %s%s.",
			first, former.Lost.majority.masters, until, second, l.HeldSince.Local().Format(time.TimeOnly), believe, together),
		Advice: "Both may be inside: check what each of them wrote. To prevent this, keep a master that restarted empty out for " +
			"the longest lease, do not let clocks jump, and use a fencing token to refuse late writes.",
	}, true, due
}

// degradedQuorum: the lock is held, but not with all votes, or with votes that end far apart.
func degradedQuorum(t Thresholds, l *Lock, now time.Time) (Finding, bool, time.Time) {
	q := l.Quorum
	if q == nil || q.below() || l.State == StateExpired || l.State == StateLapsed {
		return Finding{}, false, time.Time{}
	}
	live, due := q.live(now)
	lacks, apart := live < len(q.Votes), !q.skewedSince.IsZero()
	if from := q.steadySince.Add(t.Settles); lacks && now.Before(from) {
		lacks, due = false, earlier(due, from)
	}
	if from := q.skewedSince.Add(t.Settles); apart && now.Before(from) {
		apart, due = false, earlier(due, from)
	}
	if !lacks && !apart {
		return Finding{}, false, due
	}
	f := Finding{Code: CodeDegradedQuorum, Severity: SeverityWarning}
	var text []string
	if lacks {
		f = l.lacksVotes(live, now)
		text = append(text, f.Text)
	}
	if apart {
		if f.Severity == SeverityInfo {
			f.Severity = SeverityWarning
		}
		text = append(text, fmt.Sprintf("Its votes end %s apart, and %s is what clocks and a client that asks one master after the other explain.",
			leaseWords(q.Skew), leaseWords(q.skewAllowed)))
		if !lacks {
			f.Advice = "A renewal did not reach every master, or their clocks run apart: compare the ends of the votes."
		}
	}
	f.Text = strings.Join(text, " ")
	return f, true, due
}

// lacksVotes judges a lock that is held with some of the votes. A majority is all that Redlock asks
// for: what tells of trouble is a vote that was lost under the holder.
func (l *Lock) lacksVotes(live int, now time.Time) Finding {
	q := l.Quorum
	lost, never, normal := false, true, true
	for i := range q.Votes {
		v := &q.Votes[i]
		if v.Ballot == BallotFor && !v.over(now) {
			continue
		}
		missing := v.missing(l)
		lost, never = lost || missing == missingLost, never && missing == missingNever
		normal = normal && never && (v.Ballot == BallotAbsent || v.Ballot == BallotOther)
	}
	f := Finding{Code: CodeDegradedQuorum, Severity: SeverityWarning}
	margin := live - q.Needed
	said, had := fmt.Sprintf("it may lose %d more", margin), "It is held"
	if margin <= 0 {
		said = "if it loses one more, it loses the lock"
	}
	switch {
	case lost && margin <= 0:
		f.Severity = SeverityCritical
		f.Advice = "Before another master fails, bring back those that lack the vote, or extend the lease on " +
			"those that have it."
	case lost:
		f.Advice = "The next acquisition or renewal may bring the votes back. Look at the masters that lack them."
	default:
		if never {
			had = "It was acquired"
		}
		if normal && margin > 0 {
			f.Severity = SeverityInfo
		}
		f.Advice = "A majority is enough. A master that was slow, or that another client asked first, gives no vote, and " +
			"the next acquisition or renewal may get it. If it is always the same masters, look at them."
	}
	f.Text = fmt.Sprintf("%s with %d of %d votes, and %s: %s.", had, live, len(q.Votes), said, q.lackingAt(l, now))
	return f
}

// live is how many votes for the holder have not run out at a moment, and when the next one does.
func (q *Quorum) live(now time.Time) (n int, next time.Time) {
	for i := range q.Votes {
		v := &q.Votes[i]
		if v.Ballot != BallotFor || v.over(now) {
			continue
		}
		n++
		next = earlier(next, v.ExpiresAt)
	}
	return n, next
}

// over says whether the TTL of a vote has run out, though its server has not said so.
func (v *Vote) over(now time.Time) bool { return !v.ExpiresAt.IsZero() && !now.Before(v.ExpiresAt) }

// lacking says which masters do not vote for the holder, and why.
func (q *Quorum) lacking() string { return q.lackingAt(nil, time.Time{}) }

// lackingAt counts the votes that have run out by then as well. Of a lock that is held it tells
// which votes the holder had.
func (q *Quorum) lackingAt(l *Lock, now time.Time) string {
	var why []string
	for i := range q.Votes {
		v := &q.Votes[i]
		switch {
		case v.Ballot != BallotFor:
			why = append(why, string(v.Node)+" "+v.had(l)+v.why())
		case v.over(now):
			why = append(why, string(v.Node)+" has let its vote run out")
		}
	}
	if len(why) == 0 {
		return "the others were never asked"
	}
	return strings.Join(why, ", ")
}

// had tells of a holder's vote that is gone, in front of what the master does now.
func (v *Vote) had(l *Lock) string {
	if l == nil || v.lost == nil || v.lost.Until.Before(l.HeldSince) {
		return ""
	}
	at := v.lost.Until.Local().Format(time.TimeOnly)
	return fmt.Sprintf("lost its vote at %s (%s) and ", at, wentBy(v.lost.Cause))
}

// why says in words why a master does not vote for the holder.
func (v *Vote) why() string {
	switch v.Ballot {
	case BallotFor:
		return "votes for it"
	case BallotOther:
		return "votes for " + shorten(v.Label)
	case BallotAbsent:
		return "does not have the key"
	case BallotWrong:
		return "has something else there (" + v.Detail + ")"
	case BallotDenied:
		return "may not be read (" + v.Detail + ")"
	case BallotTimeout:
		return "does not answer in time (" + v.Detail + ")"
	case BallotDown:
		return "is down (" + v.Detail + ")"
	case BallotUnread:
		return "has not been read yet"
	}
	return string(v.Ballot)
}

// sides says who has the votes of which masters, and why the others do not count.
func (q *Quorum) sides() string {
	type side struct {
		owner, label string
		nodes        []string
	}
	var sides []side
	var rest []string
next:
	for i := range q.Votes {
		v := &q.Votes[i]
		if v.Owner == "" {
			rest = append(rest, string(v.Node)+" "+v.why())
			continue
		}
		for k := range sides {
			if sides[k].owner == v.Owner {
				sides[k].nodes = append(sides[k].nodes, string(v.Node))
				continue next
			}
		}
		sides = append(sides, side{v.Owner, v.Label, []string{string(v.Node)}})
	}
	said := make([]string, 0, len(sides)+len(rest))
	for _, s := range sides {
		said = append(said, fmt.Sprintf("%s has %d (%s)", shorten(s.label), len(s.nodes), strings.Join(s.nodes, ", ")))
	}
	return strings.Join(append(said, rest...), "; ")
}

// masters says how many masters do something.
func masters(n int, one, many string) string {
	if n == 1 {
		return "1 master " + one
	}
	return fmt.Sprintf("%d masters %s", n, many)
}
