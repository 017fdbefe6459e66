package tui

import (
	"fmt"
	"time"

	"locktop/inspector"
	"locktop/ui/text"
)

// validity paints for how long a Redlock is safe, and by how much its votes differ.
func (d *detail) validity(p *painter, now time.Time) {
	q := d.lock.Quorum
	if q == nil || d.lock.State == inspector.StateFreed {
		return
	}
	t := p.theme
	s := t.plain
	if q.Margin() < 0 || !q.ValidUntil.IsZero() && !now.Before(q.ValidUntil) {
		s = t.bad
	}
	p.paragraph("validity", s, validitySentence(d.lock, now))
	if q.For > 1 && q.Skew > 0 {
		p.field("skew", part{t.plain, skewText(q)}, part{t.faint, " between the first and the last end of its votes"})
	}
}

// votes lists what each master says of the lock: who has it there, for how long, and else why it does not count.
func (d *detail) votes(p *painter, now time.Time) {
	q := d.lock.Quorum
	if q == nil {
		return
	}
	t := p.theme
	p.blank()
	p.gap(rowPrefix)
	p.put(t.accent, "Votes ")
	p.put(t.votesStyle(q), quorumSentence(q))
	p.end()
	p.voteRows(q, now)
}

// voteRows paints a row a master.
func (p *painter) voteRows(q *inspector.Quorum, now time.Time) {
	t := p.theme
	width := 0
	for i := range q.Votes {
		width = max(width, text.Width(text.Escape(string(q.Votes[i].Node))))
	}
	width = min(width, max(p.width*2/5, 8))
	for i := range q.Votes {
		v := &q.Votes[i]
		f := t.ballotFace(v.Ballot)
		p.gap(rowPrefix)
		p.left(f.style, f.glyph+" "+f.word, voteWords)
		p.gap(2)
		p.left(t.plain, text.Escape(string(v.Node)), width)
		p.gap(1)
		switch {
		case v.Ballot != inspector.BallotFor && v.Ballot != inspector.BallotOther:
			p.right(t.faint, "-", 7)
		case v.ExpiresAt.IsZero():
			p.right(t.warn, "never", 7)
		case !now.Before(v.ExpiresAt):
			p.right(t.warn, "over", 7)
		default:
			p.right(t.plain, text.Duration(v.ExpiresAt.Sub(now)), 7)
		}
		p.gap(2)
		reason := reasonOf(v)
		if v.Owner != "" || v.Label != "" {
			label := v.Label
			if label == "" {
				label = v.Owner
			}
			p.put(t.plain, text.Escape(label))
			reason = "" // the glyph has said it
			if v.Detail != "" {
				reason = ", " + text.Legible(v.Detail)
			}
		}
		p.put(t.faint, reason)
		p.end()
	}
}

// acknowledged paints how many of the node's replicas are known to have the acquisition. A lock that no replica has is lost
// with its master.
func (d *detail) acknowledged(p *painter) {
	l, replicas := d.lock, len(d.replication.Replicas)
	if replicas == 0 || l.Quorum != nil || l.State == inspector.StateFreed || len(l.Holders) == 0 || l.HeldSince.IsZero() {
		return
	}
	n := d.replication.Acknowledged(l.HeldSince)
	if n == 0 {
		p.field("replicas", part{p.theme.plain, "not known yet"}, part{p.theme.faint, ": none of " + text.Count(int64(replicas)) +
			" is known to have it"})
		return
	}
	p.paragraph("replicas", p.theme.plain, fmt.Sprintf("%d of %s acknowledged it: WAIT %d would have confirmed",
		n, text.Plural(int64(replicas), "replica"), n))
}
