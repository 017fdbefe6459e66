package demo

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Verdict is the truth about a demo, told by what the workers did and not by what Redis says of it.
type Verdict struct {
	// Acquisitions is how often a worker entered a critical section.
	Acquisitions int
	// Violations is how often a worker entered one while another was still inside.
	Violations int
	// Faults is how often something went wrong, violations included.
	Faults int
	Lanes  []LaneVerdict
	// Text says it in words: the first line of all, then some of each lane.
	Text string
}

// LaneVerdict is the verdict on one variant.
type LaneVerdict struct {
	Variant
	Acquisitions int
	Violations   int
	// LostUpdates is by how much the counters that the locks guard are behind what was written to them.
	LostUpdates int
	// Refused is how many writes the counters refused for want of a high enough fencing token.
	Refused int
	// Played is how often the scenario's fault was played to its end: in a sound variant it does no harm.
	Played int
	// Faults is how often something went wrong.
	Faults int
	// Failures is how many commands were not answered as they should be.
	Failures int
	// Said is all of it in sentences, the weightiest first.
	Said []string

	worst overlap
	first string // the first fault that is no violation
}

// verdict judges what was recorded so far; visits that last count until now.
func (l *ledger) verdict(of Variant) LaneVerdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	finished := slices.Clone(l.longest)
	for _, visits := range l.inside {
		for i, a := range visits {
			for _, b := range visits[i+1:] {
				l.note(overlapOf(a, b, now))
			}
		}
	}
	v := LaneVerdict{Variant: of, Acquisitions: l.acquisitions, Violations: l.violations, Played: l.played, Failures: l.failures}
	if len(l.longest) > 0 {
		v.worst = l.longest[0]
	}
	l.longest = finished // those that last will be noted when they end
	v.LostUpdates, v.Refused = l.total.lost(), l.refused
	v.Faults = v.LostUpdates
	if !l.tolerant {
		v.Faults = max(v.Violations, v.LostUpdates)
	}
	for _, i := range l.faults {
		v.Faults += i.times
		if v.first == "" {
			v.first = i.worst
		}
	}
	v.Said = l.words(&v, l.total.written)
	return v
}

// words are the sentences of a verdict.
func (l *ledger) words(v *LaneVerdict, written int) []string {
	var said []string
	add := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	for _, i := range l.faults {
		add("%s%s", i.worst, repeated(i.times))
	}
	switch {
	case l.lockless:
	case v.Acquisitions == 0:
		add("nobody was ever inside")
	case v.Violations == 0:
		add("%s: no two workers were ever inside together", plural(v.Acquisitions, "acquisition"))
	case l.tolerant:
		add("%s; %s two were inside together, which does no harm here: %s", plural(v.Acquisitions, "acquisition"),
			plural(v.Violations, "time"), v.worst.words())
	default:
		add("mutual exclusion violated %s: %s", plural(v.Violations, "time"), v.worst.words())
	}
	switch {
	case v.LostUpdates > 0:
		add("the counter under the lock was written %s and is %d: %s lost", plural(written, "time"), written-v.LostUpdates,
			plural(v.LostUpdates, "update"))
	case written > 0:
		add("the counter under the lock was written %s and is %d: no update was lost", plural(written, "time"), written)
	}
	if v.Refused > 0 {
		add("%s with an old fencing token refused", plural(v.Refused, "late write"))
	}
	for _, i := range l.facts {
		add("%s%s", i.what, repeated(i.times))
	}
	for _, t := range l.timings {
		add("%s: %s on average, %s at most (%s)", t.what, brief(t.sum/time.Duration(t.times)), brief(t.longest), plural(t.times, "time"))
	}
	if l.failures > 0 {
		add("%s failed, the last one with: %v", plural(l.failures, "command"), l.failure)
	}
	return said
}

// repeated is " (3 times)", or nothing for the first time.
func repeated(times int) string {
	if times < 2 {
		return ""
	}
	return fmt.Sprintf(" (%d times)", times)
}

// words tell of two who were inside together.
func (o overlap) words() string {
	return fmt.Sprintf("%s and %s were inside together for %s (%s)", o.first, o.second, span(o.lasted), o.lock)
}

// verdict judges the whole show.
func (s *show) verdict() Verdict {
	var v Verdict
	var worst overlap
	first := ""
	for _, stage := range s.stages {
		l := stage.ledger.verdict(stage.lane.Variant)
		if stage.measures != nil {
			l.Said = append(l.Said, stage.measures.said()...)
		}
		v.Lanes = append(v.Lanes, l)
		v.Acquisitions += l.Acquisitions
		v.Violations += l.Violations
		v.Faults += l.Faults
		if l.worst.lasted > worst.lasted {
			worst = l.worst
		}
		if first == "" {
			first = l.first
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s. ", plural(v.Acquisitions, "acquisition"))
	switch {
	case v.Violations > 0:
		fmt.Fprintf(&text, "Mutual exclusion violated %s: %s.", plural(v.Violations, "time"), worst.words())
	case v.Acquisitions == 0:
		text.WriteString("Nobody was ever inside a lock, which proves nothing.")
	default:
		text.WriteString("Mutual exclusion held: no two workers were ever inside the same lock.")
	}
	if first != "" {
		fmt.Fprintf(&text, " Fault: %s.", first)
	}
	for _, l := range v.Lanes {
		fmt.Fprintf(&text, "\n%s %s", l.mark(), l.Name)
		for _, said := range l.Said {
			fmt.Fprintf(&text, "\n    %s", said)
		}
	}
	v.Text = text.String()
	return v
}

// mark says in a glyph and a word what a variant is, and how it fared where that is not what was to be expected.
func (l LaneVerdict) mark() string {
	switch {
	case l.Flawed && l.Faults > 0:
		return "✖ flawed,"
	case l.Flawed:
		return "◌ flawed, and no fault yet,"
	case l.Faults > 0:
		return "✖ sound, but with a fault,"
	}
	return "✔ sound,"
}

// plural is "1 time", "2 times".
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// span is a duration as a person says it: "840 ms", "3.4 s", "5 min".
func span(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 2*time.Minute:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + " s"
	default:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
}

// brief is span for what takes a few milliseconds: "0.4 ms".
func brief(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	}
	return span(d)
}
