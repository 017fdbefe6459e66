package tui

import (
	"fmt"
	"strconv"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// unheld says that a lock has claimants, and that none of them has the quorum.
func unheld(l *inspector.Lock) bool {
	return l.State == inspector.StateMinority || l.State == inspector.StateSplit
}

// ballotFace is how a vote is shown. The glyphs differ, so that a column of a single cell tells them apart without a colour.
func (t *theme) ballotFace(b inspector.Ballot) face {
	switch b {
	case inspector.BallotFor:
		return face{"●", "for", t.good}
	case inspector.BallotOther:
		return face{"✖", "other", t.bad}
	case inspector.BallotAbsent:
		return face{"·", "absent", t.faint}
	case inspector.BallotWrong:
		return face{"!", "type", t.odd}
	case inspector.BallotDenied:
		return face{"⊘", "denied", t.odd}
	case inspector.BallotTimeout:
		return face{"⧗", "timeout", t.warn}
	case inspector.BallotDown:
		return face{"?", "down", t.bad}
	case inspector.BallotUnread:
		return face{"…", "unread", t.faint}
	}
	return face{"?", text.Escape(string(b)), t.odd}
}

// The widths of a vote's cell, from the one that names another holder to the one that has room for the glyph alone.
const (
	voteNamed = 16 // "✖ worker-9"
	voteWords = 9  // "⧗ timeout"
	voteTight = 8  // "· absent"
	voteGlyph = 1
)

// voteFace is a vote as a cell of a width shows it: what the lease there has left, or why there is none for the holder.
func (t *theme) voteFace(v *inspector.Vote, now time.Time, width int) face {
	f := t.ballotFace(v.Ballot)
	switch {
	case v.Ballot == inspector.BallotFor:
		f.word = "never"
		if !v.ExpiresAt.IsZero() {
			left := v.ExpiresAt.Sub(now)
			f.word = text.Duration(max(left, 0))
			if left <= 0 {
				f.glyph, f.style = "◔", t.warn
			}
		}
	case v.Ballot == inspector.BallotOther && width >= voteNamed && v.Label != "":
		f.word = text.Escape(v.Label)
	case v.Ballot == inspector.BallotTimeout && width < voteWords:
		f.word = "late"
	}
	return f
}

// paintVote paints the vote of one master in its column.
func (p *painter) paintVote(v *inspector.Vote, now time.Time, width int) {
	switch {
	case v == nil && width == voteGlyph:
		p.left(p.theme.faint, " ", width)
	case v == nil:
		p.left(p.theme.faint, "-", width)
	default:
		f := p.theme.voteFace(v, now, width)
		if width == voteGlyph {
			p.left(f.style, f.glyph, width)
		} else {
			p.left(f.style, f.glyph+" "+f.word, width)
		}
	}
}

// voteOf is what a master says of a lock; nil: nothing. The votes are in the order of the masters, so that at is where it is
// unless a master came or went.
func voteOf(q *inspector.Quorum, node keyspace.Node, at int) *inspector.Vote {
	if q == nil {
		return nil
	}
	if at < len(q.Votes) && q.Votes[at].Node == node {
		return &q.Votes[at]
	}
	for i := range q.Votes {
		if q.Votes[i].Node == node {
			return &q.Votes[i]
		}
	}
	return nil
}

// votesText is the votes for the holder of all there are.
func votesText(q *inspector.Quorum) string {
	return strconv.Itoa(q.For) + "/" + strconv.Itoa(len(q.Votes))
}

// votesStyle is alarming where the quorum is gone, and warns where a vote is missing.
func (t *theme) votesStyle(q *inspector.Quorum) style {
	switch {
	case q.Margin() < 0:
		return t.bad
	case q.For < len(q.Votes):
		return t.warn
	}
	return t.plain
}

// votesFigure paints the votes in a column; a lock on which nobody votes has a dash.
func (p *painter) votesFigure(q *inspector.Quorum, width int) {
	if q == nil {
		p.figure("-", width)
		return
	}
	p.right(p.theme.votesStyle(q), votesText(q), width)
}

// marginFigure paints how many masters may be lost.
func (p *painter) marginFigure(q *inspector.Quorum, width int) {
	if q == nil {
		p.figure("-", width)
		return
	}
	s := p.theme.plain
	switch margin := q.Margin(); {
	case margin < 0:
		s = p.theme.bad
	case margin == 0:
		s = p.theme.warn
	}
	p.right(s, marginText(q), width)
}

func marginText(q *inspector.Quorum) string {
	if margin := q.Margin(); margin > 0 {
		return "+" + strconv.Itoa(margin)
	}
	return strconv.Itoa(q.Margin())
}

// validityFigure paints for how long the lock is safe, counted down on the local clock.
func (p *painter) validityFigure(l *inspector.Lock, now time.Time, width int) {
	q := l.Quorum
	switch {
	case q == nil || q.Margin() < 0 || l.State == inspector.StateFreed:
		p.figure("-", width)
	case q.ValidUntil.IsZero():
		p.right(p.theme.faint, "no end", width)
	case !now.Before(q.ValidUntil):
		p.right(p.theme.bad, "over", width)
	default:
		p.right(p.theme.plain, text.Duration(q.ValidUntil.Sub(now)), width)
	}
}

// skewText is by how much the ends of the votes differ.
func skewText(q *inspector.Quorum) string {
	if q == nil || q.For < 2 {
		return "-"
	}
	return text.Lag(q.Skew)
}

// quorumSentence says how many votes there are, and what that means.
func quorumSentence(q *inspector.Quorum) string {
	said := fmt.Sprintf("%d of %d, %d needed", q.For, len(q.Votes), q.Needed)
	switch margin, unknown := q.Margin(), unknownVotes(q); {
	case margin < 0 && q.For+unknown >= q.Needed:
		return said + fmt.Sprintf(", %d not known: it may be held", unknown)
	case margin < 0:
		return said + ": nobody holds it"
	case margin == 0:
		return said + ": none may be lost"
	default:
		return said + fmt.Sprintf(": %d more may be lost", margin)
	}
}

// unknownVotes counts the masters that may vote for anybody, for all that is known.
func unknownVotes(q *inspector.Quorum) int {
	n := 0
	for i := range q.Votes {
		switch q.Votes[i].Ballot {
		case inspector.BallotDenied, inspector.BallotTimeout, inspector.BallotDown, inspector.BallotUnread:
			n++
		case inspector.BallotFor, inspector.BallotOther, inspector.BallotAbsent, inspector.BallotWrong:
		}
	}
	return n
}

// validitySentence says until when a Redlock is safe.
func validitySentence(l *inspector.Lock, now time.Time) string {
	switch q := l.Quorum; {
	case q.Margin() < 0:
		return "none: no quorum is seen"
	case q.ValidUntil.IsZero():
		return "it has no end"
	case !now.Before(q.ValidUntil):
		return "over since " + clockText(q.ValidUntil, now) + ": the holder must not rely on it"
	default:
		return text.Duration(q.ValidUntil.Sub(now)) + " left, until " + clockText(q.ValidUntil, now)
	}
}

// reasonOf says in words why a vote is not for the holder; empty where it is.
func reasonOf(v *inspector.Vote) string {
	said := ""
	switch v.Ballot {
	case inspector.BallotFor:
	case inspector.BallotOther:
		said = "somebody else has it there"
	case inspector.BallotAbsent:
		said = "the key is not there"
	case inspector.BallotWrong:
		said = "the key holds no lock there"
	case inspector.BallotDenied:
		said = "this user may not read it there"
	case inspector.BallotTimeout:
		said = "no answer in time"
	case inspector.BallotDown:
		said = "nothing answers there"
	case inspector.BallotUnread:
		said = "not read yet"
	}
	if v.Detail == "" {
		return said
	}
	if said == "" {
		return text.Legible(v.Detail)
	}
	return said + ": " + text.Legible(v.Detail)
}
