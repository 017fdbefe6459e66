package tui

import (
	"strconv"
	"time"

	"locktop/inspector"
	"locktop/ui/text"
)

// paintTTL paints what a lock's lease has left: a bar that drains and a figure. What has no end says so in words.
func (p *painter) paintTTL(l *inspector.Lock, now time.Time, c column) {
	words := func(s style, long, short string) { p.words(s, long, short, c) }
	ttl, ends := l.TTLAt(now)
	switch l.StateAt(now) {
	case inspector.StateFreed:
		verb := "gone"
		if l.FreedBy != "" && l.FreedBy != inspector.CauseUnknown && c.bar > 0 {
			verb = freedWord(l)
		}
		words(p.theme.faint, verb+" "+text.Ago(now.Sub(l.FreedAt)), verb)
	case inspector.StateStuck:
		words(p.theme.bad, "never", "never")
	case inspector.StateWrong:
		words(p.theme.faint, "-", "-")
	case inspector.StateLapsed:
		words(p.theme.warn, "over "+text.Duration(-ttl)+" ago", "-"+text.Duration(-ttl))
	case inspector.StateExpired:
		words(p.theme.warn, "not reaped "+text.Duration(-ttl), "0.0 s")
	case inspector.StateMinority, inspector.StateSplit:
		words(p.theme.faint, "no quorum", "-")
	case inspector.StateHeld, inspector.StateCooldown:
		if l.EndUnknown() {
			words(p.theme.warn, "?", "?")
			return
		}
		if !ends {
			words(p.theme.faint, "no end", "no end")
			return
		}
		fraction, style := drain(p.theme, l, ttl)
		if c.bar > 0 {
			p.bar(style, p.theme.faint, fraction, c.bar-1)
			p.gap(1)
		}
		figure := p.theme.plain
		if fraction < aboutToLapse {
			figure = style
		}
		p.right(figure, text.Duration(ttl), c.width-c.bar)
	}
}

// freedWord is how a freed lock came to be free.
func freedWord(l *inspector.Lock) string {
	if l.FreedBy == inspector.CauseOperator {
		return "by operator"
	}
	return string(l.FreedBy)
}

// words paints words in the place of a TTL: the long ones in the column that has a bar, where they fit.
func (p *painter) words(s style, long, short string, c column) {
	switch {
	case c.bar > 0 && text.Width(long) <= c.width:
		p.left(s, long, c.width)
	case c.bar > 0:
		p.left(s, short, c.width)
	default:
		p.right(s, short, c.width)
	}
}

// aboutToLapse is the part of a lease that is left when its colour warns. A lease that is never renewed passes here on
// its way to an orderly end, so it is no more than a colour.
const aboutToLapse = 0.15

// drain is how full the bar of a lease is, and its colour.
func drain(t *theme, l *inspector.Lock, ttl time.Duration) (float64, style) {
	lease := leaseOf(l)
	if lease <= 0 {
		return 1, t.good
	}
	fraction := min(float64(ttl)/float64(lease), 1)
	if fraction < aboutToLapse {
		return fraction, t.warn
	}
	return fraction, t.good
}

// countText is a holder's entry count; a scheme that stores none has a question mark, which is not the same as 1.
func countText(l *inspector.Lock) string {
	if len(l.Holders) == 0 {
		return "-"
	}
	if c := l.Holders[0].Count; c.Known {
		return strconv.FormatInt(c.N, 10)
	}
	return "?"
}

// heldText is for how long the lock has been held, a dash for a key that is no lock; ≥ where its acquisition was not seen.
func heldText(l *inspector.Lock, now time.Time) string {
	held, atLeast := heldFor(l, now)
	switch {
	case held <= 0 || l.State == inspector.StateWrong:
		return "-"
	case atLeast:
		return "≥" + text.Duration(held)
	default:
		return text.Duration(held)
	}
}

// waitersText is the number of waiters; ≥ where it is a lower bound, and a dash where they cannot be seen.
func waitersText(l *inspector.Lock) string {
	switch {
	case l.Waiters.By == inspector.WaitersNone || l.Waiters.By == "":
		return "-"
	case l.Waiters.Exact, l.Waiters.Count == 0:
		return text.Count(int64(l.Waiters.Count))
	case l.Waiters.AtMost():
		return "≤" + text.Count(int64(l.Waiters.Count))
	default:
		return "≥" + text.Count(int64(l.Waiters.Count))
	}
}

// renewalsText is how often the present holder renewed, and how regularly.
func renewalsText(l *inspector.Lock) string {
	switch {
	case l.Renewals == 0:
		return "-"
	case l.RenewalPeriod > 0:
		return text.Count(int64(l.Renewals)) + " every " + text.Duration(l.RenewalPeriod)
	default:
		return text.Count(int64(l.Renewals))
	}
}

// sparkText is the acquisitions of the last minute, five seconds a bar.
func sparkText(l *inspector.Lock, now time.Time) string {
	var values [inspector.SparkBuckets]float64
	for i, n := range l.AcquisitionsAt(now) {
		values[i] = float64(n)
	}
	return spark(values[:], true)
}
