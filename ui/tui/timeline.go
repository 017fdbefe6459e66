package tui

import (
	"slices"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// spans are what a timeline may show, from the nearest to the farthest.
var spans = [...]time.Duration{
	5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute,
	30 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// timeline is which part of the past a swim-lane shows. While it is live it ends now, and goes on with the clock; scrolled back
// it stands still. The zero value shows its place's usual span, live.
type timeline struct {
	span time.Duration // zero: the usual one
	end  time.Time     // zero: live
}

// window is a part of the past.
type window struct {
	begin, end time.Time
	live       bool
}

func (w window) span() time.Duration { return w.end.Sub(w.begin) }

// window is what is shown by now, where usual is the span that nobody has chosen. It never reaches into the future: a picture
// that stands still may be older than where the timeline was scrolled to.
func (t *timeline) window(now time.Time, usual time.Duration) window {
	span, w := t.span, window{end: t.end}
	if span == 0 {
		span = usual
	}
	if t.end.IsZero() || t.end.After(now) {
		w.end, w.live = now, true
	}
	w.begin = w.end.Add(-span)
	return w
}

// zoom goes to the next span, nearer or farther. What is in the middle stays there, or now does while the timeline is live.
func (t *timeline) zoom(nearer bool, now time.Time, usual time.Duration) {
	w := t.window(now, usual)
	i, exact := slices.BinarySearch(spans[:], w.span())
	switch {
	case nearer:
		i--
	case exact:
		i++
	}
	next := spans[min(max(i, 0), len(spans)-1)]
	if t.span = next; !w.live {
		t.until(w.end.Add((next-w.span())/2), now)
	}
}

// scroll goes back or on by a quarter of the span. It says whether there was anywhere to go: oldest is the first thing that is known.
func (t *timeline) scroll(back bool, now time.Time, usual time.Duration, oldest time.Time) bool {
	w := t.window(now, usual)
	step := w.span() / 4
	if !back {
		t.until(w.end.Add(step), now)
		return !w.live
	}
	end := w.end.Add(-step)
	if least := oldest.Add(step); end.Before(least) { // what is known stays in sight
		end = least
	}
	if !end.Before(w.end) {
		return false
	}
	t.until(end, now)
	return true
}

// until lets the timeline end at a time, or now.
func (t *timeline) until(end, now time.Time) {
	if t.end = end; !end.Before(now) {
		t.end = time.Time{}
	}
}

// now makes the timeline live again.
func (t *timeline) now() { t.end = time.Time{} }

// titles say what a window shows, from the longest words to the shortest. A window that is not live says how to get back.
func (w window) titles(now time.Time) []string {
	if w.live {
		return []string{"who held it in the last " + spanText(w.span()), "last " + spanText(w.span())}
	}
	from, to := clockText(w.begin, now), clockText(w.end, now)
	if len(from) > len("15:04:05") && w.begin.Format(time.DateOnly) == w.end.Format(time.DateOnly) {
		to = w.end.Format("15:04:05")
	}
	between, ago := from+" to "+to, text.Ago(now.Sub(w.end))
	return []string{
		"who held it from " + between + ", " + ago + "; 0 returns", between + ", " + ago + "; 0 returns", between + "; 0 returns",
		ago + "; 0 returns", "0 returns",
	}
}

// titleStyle warns where the picture is not that of now.
func (w window) titleStyle(t *theme) style {
	if w.live {
		return t.faint
	}
	return t.warn
}

// firstFitting is the first of some texts that fits, else the last one.
func firstFitting(texts []string, width int) string {
	for _, t := range texts {
		if text.Width(t) <= width {
			return t
		}
	}
	return texts[len(texts)-1]
}

// oldestOf is the first thing that the history of a lock tells of.
func oldestOf(l *inspector.Lock, now time.Time) time.Time {
	oldest := now
	for i := range l.History {
		if since := l.History[i].Since; since.Before(oldest) {
			oldest = since
		}
	}
	return oldest
}

// polled says whether a lock is seen only when it is read.
func polled(s *inspector.Snapshot, l *inspector.Lock) bool {
	n := statusOf(s, l.Node)
	return n != nil && n.Feed == keyspace.FeedPoll
}

// usualSpan is the least span that shows the whole history of a lock, of a minute or more.
func usualSpan(l *inspector.Lock, now time.Time) time.Duration {
	age := now.Sub(oldestOf(l, now))
	for _, s := range spans {
		if s >= time.Minute && age <= s {
			return s
		}
	}
	return spans[len(spans)-1]
}

// spanText is a span for a title.
func spanText(d time.Duration) string {
	switch {
	case d <= time.Minute:
		return text.Count(int64(d/time.Second)) + " s"
	case d < time.Hour:
		return text.Plural(int64(d/time.Minute), "minute")
	default:
		return text.Plural(int64(d/time.Hour), "hour")
	}
}
