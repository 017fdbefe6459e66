package tui

import (
	"fmt"
	"slices"
	"time"

	"locktop/inspector"
	"locktop/ui/text"
)

// paintRates paints how often the lock was acquired in the last hour, and how many waited.
func (d *detail) paintRates(p *painter, now time.Time) {
	t, l := p.theme, d.lock
	perMinute := l.AcquisitionsPerMinute(now)
	if perMinute.Last(len(perMinute)) == 0 {
		return
	}
	p.heading("Acquisitions", " per minute")
	lastMinute := 0
	for _, n := range l.AcquisitionsAt(now) {
		lastMinute += int(n)
	}
	figures := []segment{{parts: []part{{t.plain, text.Count(int64(lastMinute))}, {t.faint, " in the last minute"}}}}
	looked := d.lookedFor(now)
	for _, minutes := range []int{10, len(perMinute)} {
		average, over := averageOf(perMinute, minutes, now, looked)
		if over >= 2 && (minutes == 10 || over > 10) { // else the figure before says as much
			figures = append(figures, segment{parts: []part{{t.plain, fmt.Sprintf("%.1f", average)}, {t.faint, fmt.Sprintf(" over %d m", over)}}})
		}
	}
	p.fields("acquired", figures)
	d.minutes(p, &perMinute, looked, now)
	if waiters, seen := l.WaitersPerMinute(now); seen {
		p.field("waiters", part{t.plain, "at most " + text.Count(int64(slices.Max(waiters[:])))}, part{t.faint, " at once, by the minute"})
		d.minutes(p, &waiters, looked, now)
	}
	if failures, sampled := l.FailuresPerMinute(); sampled {
		p.field("failures", part{t.plain, fmt.Sprintf("%.1f", failures)}, part{t.faint, " a minute, as sampled"})
	} else {
		p.field("failures", part{t.faint, "are seen by the probe only (P)"})
	}
}

// fields paints some figures in one line where they fit into it, else each in a line of its own.
func (p *painter) fields(name string, figures []segment) {
	if rowPrefix+gutter+segmentsWidth(figures, 3) < p.width {
		p.gap(rowPrefix)
		p.left(p.theme.faint, name, gutter)
		p.segments(figures, 3)
		p.end()
		return
	}
	for i, f := range figures {
		if i > 0 {
			name = ""
		}
		p.field(name, f.parts...)
	}
}

// averageOf is the average of the last minutes, of which the running one is not over, and how many whole minutes that is of: fewer where
// the lock was not looked at for so long.
func averageOf(m inspector.Minutes, minutes int, now time.Time, looked time.Duration) (average float64, over int) {
	span := min(time.Duration(minutes-1)*time.Minute+now.Sub(now.Truncate(time.Minute)), looked)
	if span <= 0 {
		return 0, 0
	}
	return float64(m.Last(minutes)) / span.Minutes(), int((span + time.Minute - 1) / time.Minute)
}

// lookedFor is for how long the lock was looked at, an hour at most.
func (d *detail) lookedFor(now time.Time) time.Duration {
	for _, u := range d.unseen {
		if u.From.IsZero() && !u.To.IsZero() {
			return min(now.Sub(u.To), inspector.ChronicleMinutes*time.Minute)
		}
	}
	return inspector.ChronicleMinutes * time.Minute
}

// minutes paints as many of the minutes as there is room for, the running one last, with the scale beside them. Those in which nobody
// looked yet are hatched.
func (d *detail) minutes(p *painter, m *inspector.Minutes, lookedFor time.Duration, now time.Time) {
	most := text.Count(int64(slices.Max(m[:])))
	n := min(len(m), p.width-rowPrefix-gutter-len(most)-18)
	if n < 8 {
		return
	}
	looked := max(min(int(now.Unix()/60-now.Add(-lookedFor).Unix()/60)+1, n), 0)
	values := make([]float64, 0, looked)
	for _, count := range m[len(m)-looked:] {
		values = append(values, float64(count))
	}
	p.field("", part{p.theme.faint, fmt.Sprintf("%d m ago ", n) + hatching(n-looked)}, part{p.theme.accent, spark(values, true)},
		part{p.theme.faint, " now, █ " + most})
}

// paintHoldTimes paints for how long the lock was held by its past holders, as far as both ends of a hold were seen.
func (d *detail) paintHoldTimes(p *painter) {
	times := d.lock.HoldTimes()
	if times.Count < 2 {
		return
	}
	t := p.theme
	more := " of " + text.Count(int64(times.Count)) + " holds seen from begin to end"
	if times.Approximate {
		more += ", within 9 %"
	}
	p.heading("Hold times", more)
	p.gap(rowPrefix)
	for _, f := range []struct {
		name  string
		value time.Duration
	}{{"p50", times.P50}, {"p90", times.P90}, {"p99", times.P99}, {"max", times.Max}} {
		p.put(t.faint, f.name+" ")
		p.put(t.plain, text.PadRight(text.Lag(f.value), 9))
	}
	p.end()
	least, most := text.Lag(times.Bars[0].From), text.Lag(times.Max)
	values := histogram(times.Bars, min(48, p.width-rowPrefix-len(least)-len(most)-4))
	if len(values) == 0 {
		return
	}
	p.gap(rowPrefix)
	p.put(t.faint, least+" ")
	p.put(t.accent, spark(values, true))
	p.put(t.faint, " "+most)
	p.end()
}

// histogram makes at most so many bars, each of as many of the given ones as it takes. Few of them are made wider, so that they are
// seen as bars.
func histogram(bars []inspector.HoldBar, most int) []float64 {
	if most <= 0 || len(bars) == 0 {
		return nil
	}
	each := (len(bars) + most - 1) / most
	wide := max(min(most/len(bars), 3), 1)
	var values []float64
	for from := 0; from < len(bars); from += each {
		sum := 0
		for _, b := range bars[from:min(from+each, len(bars))] {
			sum += b.Count
		}
		for range wide {
			values = append(values, float64(sum))
		}
	}
	return values
}

// paintRenewals paints how regularly the present holder renews: "738, every 10.0 s ± 0.2 s   last 3 s ago, due in 6 s".
func (d *detail) paintRenewals(p *painter, now time.Time) {
	t, l := p.theme, d.lock
	if l.Renewals == 0 {
		p.field("renewals", part{t.plain, "none seen"})
		return
	}
	rhythm := l.Rhythm()
	period := rhythm.Period
	if period == 0 {
		period = l.RenewalPeriod
	}
	often := text.Count(int64(l.Renewals))
	if period > 0 {
		often += ", every " + fine(period)
		if len(rhythm.Gaps) > 1 {
			often += " ± " + fine(rhythm.Jitter)
		}
	}
	figures := []segment{piece(0, t.plain, often)}
	if !rhythm.Last.IsZero() {
		last := []part{{t.faint, "last " + text.Ago(now.Sub(rhythm.Last))}}
		if due := rhythm.Last.Add(period); period > 0 && l.StateAt(now) == inspector.StateHeld {
			word, late := dueText(due.Sub(now), period, rhythm.Jitter)
			s := t.faint
			if late {
				s = t.warn
			}
			last = append(last, part{t.faint, ", "}, part{s, word})
		}
		figures = append(figures, segment{parts: last})
	}
	p.fields("renewals", figures)
	if len(rhythm.Gaps) < 3 {
		return
	}
	least, most := slices.Min(rhythm.Gaps), slices.Max(rhythm.Gaps)
	values := make([]float64, len(rhythm.Gaps))
	for i, gap := range rhythm.Gaps {
		values[i] = float64(gap)
	}
	p.field("", part{t.accent, spark(values, false)},
		part{t.faint, fmt.Sprintf(" the last %d, %s to %s apart", len(values), fine(least), fine(most))})
}

// dueText is when the next renewal is expected. It warns of one that is later than those before it were.
func dueText(left, period, jitter time.Duration) (word string, late bool) {
	const grace = 200 * time.Millisecond
	switch {
	case left >= 0:
		return "due in " + text.Duration(left), false
	case left.Abs() <= max(3*jitter, period/20)+grace:
		return "due now", false
	}
	return text.Duration(left.Abs()) + " late", true
}

// fine is a duration with tenths of seconds up to a minute, as the period of a watchdog needs.
func fine(d time.Duration) string {
	switch {
	case d < time.Second:
		return text.Lag(d)
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return text.Duration(d)
}
