package inspector

import (
	"fmt"
	"time"
)

// clues are why a key is taken for a lock, in a form that can be compared: most locks of a server share theirs, and so share
// the lines that say them.
type clues struct {
	scheme  Scheme
	word    string // of the name
	library string
	shape   shape
	length  int
	// ttl is what the lease had left, rounded so that many locks share it; negative: none.
	ttl time.Duration
	// fact is what the scheme alone knows, in words.
	fact string
}

// cluesOf are the clues that every scheme has.
func cluesOf(l look, scheme Scheme) clues {
	c := clues{scheme: scheme, word: l.name.word, library: l.name.library, shape: l.shape, length: len(l.record.Value.Text), ttl: -1}
	if end := l.record.ExpiresAt; !end.IsZero() {
		c.ttl = roundLease(end.Sub(l.record.ReadAt))
	}
	return c
}

// roundLease keeps two digits or so: evidence is not the place for milliseconds.
func roundLease(d time.Duration) time.Duration {
	switch {
	case d < time.Second:
		return max(0, d.Round(100*time.Millisecond))
	case d < time.Minute:
		return d.Round(time.Second)
	case d < time.Hour:
		return d.Round(time.Minute)
	}
	return d.Round(time.Hour)
}

// lines says the clues, one fact a line.
func (c clues) lines() []string {
	lines := make([]string, 0, 4)
	switch {
	case c.library != "":
		lines = append(lines, "the name is one of "+c.library+"'s")
	case c.word != "":
		lines = append(lines, "the name says "+c.word)
	default:
		lines = append(lines, "a pattern of yours names the key")
	}
	switch c.scheme {
	case SchemeToken, SchemeSetNX:
		lines = append(lines, c.value())
	case SchemeTimestamp, SchemeReentrant, SchemeRedisson, SchemeUnknown:
	}
	if c.fact != "" {
		lines = append(lines, c.fact)
	}
	switch {
	case c.scheme == SchemeUnknown:
	case c.ttl < 0:
		lines = append(lines, "no TTL")
	default:
		lines = append(lines, "a TTL of "+leaseWords(c.ttl))
	}
	return lines
}

func (c clues) value() string {
	switch c.shape {
	case shapeEmpty:
		return "the value is empty"
	case shapeBinary:
		return fmt.Sprintf("the value is %d random bytes", c.length)
	default:
		return fmt.Sprintf("the value is %d characters, %s", c.length, shapeWords[c.shape])
	}
}

// leaseWords says a duration as people do: "30 s", "5 min", "2 h".
func leaseWords(d time.Duration) string {
	switch {
	case d < 0:
		return "0 s"
	case d < 10*time.Second:
		return trimZero(fmt.Sprintf("%.1f", d.Seconds())) + " s"
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int64(d.Seconds()+0.5))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int64(d.Minutes()+0.5))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int64(d.Hours()+0.5))
	}
	return fmt.Sprintf("%d days", int64(d.Hours()/24+0.5))
}

func trimZero(s string) string {
	if n := len(s); n > 2 && s[n-2:] == ".0" {
		return s[:n-2]
	}
	return s
}

// interner shares the lines of equal clues. It is the store's own, and bounded.
type interner map[clues][]string

const maxInterned = 4096

func (i interner) lines(c clues) []string {
	lines, known := i[c]
	if !known {
		lines = c.lines()
		if len(i) < maxInterned {
			i[c] = lines
		}
	}
	return lines
}
