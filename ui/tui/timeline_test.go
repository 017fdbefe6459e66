package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// minute is the last minute.
func minute() window { return window{begin: noon.Add(-time.Minute), end: noon, live: true} }

// cellsOf are the lanes by their labels.
func cellsOf(s swimlane) map[string]string {
	lanes := make(map[string]string)
	for _, x := range s.lanes {
		lanes[x.label] = string(x.cells)
	}
	return lanes
}

func TestSwimlane(t *testing.T) {
	l := fixtureLocks(noon)[0]
	s := newSwimlane(l, nil, noon, minute(), 60, 5)
	if len(s.lanes) != 4 || s.shared != 0 {
		t.Fatalf("%d lanes, %d hidden", len(s.lanes), s.shared)
	}
	lanes := cellsOf(s)
	if got, want := lanes["worker-4"], "  █████████                     ████████████                "; got != want {
		t.Errorf("worker-4 is\n%q, want\n%q", got, want)
	}
	if got, want := lanes["worker-9"], "           ████████████▒                    ████████        "; got != want {
		t.Errorf("worker-9 is\n%q, want\n%q", got, want)
	}
	if last := s.lanes[len(s.lanes)-1]; !last.present || last.label != l.History[5].Label {
		t.Errorf("the last lane is %+v", last)
	}
	few := newSwimlane(l, nil, noon, minute(), 60, 2)
	if len(few.lanes) != 2 || few.shared != 3 || !few.lanes[1].present || few.lanes[0].label != "3 others" {
		t.Errorf("with two lanes: %+v", few)
	}
	if got := string(few.lanes[0].cells); !strings.Contains(got, "█") || few.lanes[0].present {
		t.Errorf("the others are %q", got)
	}
	for _, columns := range []int{0, 1, 2} {
		if got := newSwimlane(l, nil, noon, minute(), columns, 3); columns == 0 && len(got.lanes) != 0 {
			t.Errorf("lanes without cells: %+v", got)
		}
	}
}

// lostLock is one that worker-9 lost to worker-2 while it was at work. So many seconds before now it was seen to notice; negative:
// it was not.
func lostLock(noticed float64) *inspector.Lock {
	l := *fixtureLocks(noon)[0]
	h := past(noon, "worker-9", 50, 40, inspector.CauseExpired)
	h.Renewals, h.Lost = 3, &inspector.Loss{At: h.Until, Text: "worker-9 lost it."}
	if noticed >= 0 {
		h.Lost.Until = noon.Add(-time.Duration(noticed * float64(time.Second)))
	}
	l.History = []inspector.Hold{h, past(noon, "worker-2", 40, 20, inspector.CauseReleased), past(noon, "worker-1", 10, -1, "")}
	return &l
}

func TestALostLockIsMarkedOnTheLane(t *testing.T) {
	for noticed, want := range map[float64]string{
		-1: "          █████████▒╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳╳                    ", // as long as the next one had it
		30: "          █████████▒╳╳╳╳╳╳╳╳╳╳                              ",
	} {
		s := newSwimlane(lostLock(noticed), nil, noon, minute(), 60, 5)
		if got := cellsOf(s)["worker-9"]; got != want {
			t.Errorf("noticed %v s ago:\n%q, want\n%q", noticed, got, want)
		}
		if !s.marks[0].lost || s.marks[1].lost {
			t.Errorf("%+v", s.marks)
		}
	}
	short := lostLock(-1)
	for i := range short.History { // all within one cell
		short.History[i].Since, short.History[i].Until = noon.Add(-30*time.Second), noon.Add(-30*time.Second)
	}
	short.History[0].Lost.At = noon.Add(-30 * time.Second)
	if got := cellsOf(newSwimlane(short, nil, noon, minute(), 60, 5))["worker-9"]; strings.TrimSpace(got) != "█╳" {
		t.Errorf("a loss of no length is %q", got)
	}
	for _, span := range spans { // and however far away
		w := window{begin: noon.Add(-span), end: noon, live: true}
		s := newSwimlane(lostLock(-1), nil, noon, w, 40, 5)
		if got := cellsOf(s)["worker-9"]; span >= time.Minute && !strings.Contains(got, "╳") {
			t.Errorf("in %v it is %q", span, got)
		}
	}
}

func TestWhatNobodySawIsHatched(t *testing.T) {
	span := func(from, to float64) inspector.Span {
		at := func(s float64) time.Time {
			if s < 0 {
				return time.Time{}
			}
			return noon.Add(-time.Duration(s * float64(time.Second)))
		}
		return inspector.Span{From: at(from), To: at(to)}
	}
	l := *fixtureLocks(noon)[0]
	l.History = []inspector.Hold{past(noon, "w", 40, 30, inspector.CauseReleased)}
	for name, test := range map[string]struct {
		unseen []inspector.Span
		want   string
	}{
		"nothing":               {nil, "                    ██████████                              "},
		"before we looked":      {[]inspector.Span{span(-1, 35)}, "╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱╱██████████                              "},
		"a gap in a hold":       {[]inspector.Span{span(38, 35)}, "                    ██╱╱╱█████                              "},
		"a moment in a hold":    {[]inspector.Span{span(35, 35)}, "                    ██████████                              "},
		"a moment while free":   {[]inspector.Span{span(10, 10)}, "                    ██████████                    ╱         "},
		"it goes on":            {[]inspector.Span{span(5, -1)}, "                    ██████████                         ╱╱╱╱╱"},
		"all of it":             {[]inspector.Span{span(90, -1)}, strings.Repeat("╱", 60)},
		"long before the lanes": {[]inspector.Span{span(90, 70)}, "                    ██████████                              "},
	} {
		s := newSwimlane(&l, test.unseen, noon, minute(), 60, 5)
		if got := string(s.lanes[0].cells); got != test.want {
			t.Errorf("%s:\n%q, want\n%q", name, got, test.want)
		}
		if want := strings.Contains(test.want, "╱"); s.unseen != want {
			t.Errorf("%s: unseen is %v", name, s.unseen)
		}
	}
}

func TestTimelineZoomsAndScrolls(t *testing.T) {
	oldest := noon.Add(-30 * time.Minute)
	var line timeline
	if w := line.window(noon, time.Minute); !w.live || w.span() != time.Minute {
		t.Errorf("at first: %+v", w)
	}
	for range 20 {
		line.zoom(true, noon, time.Minute)
	}
	if w := line.window(noon, time.Minute); w.span() != 5*time.Second || !w.live {
		t.Errorf("the nearest: %+v", w)
	}
	for range 20 {
		line.zoom(false, noon, time.Minute)
	}
	if w := line.window(noon, time.Minute); w.span() != 24*time.Hour || !w.live {
		t.Errorf("the farthest: %+v", w)
	}
	line = timeline{}
	for range 4 {
		if !line.scroll(true, noon, time.Minute, oldest) {
			t.Fatal("there is more to see")
		}
	}
	middle := noon.Add(-90 * time.Second)
	if w := line.window(noon, time.Minute); w.live || !w.end.Equal(noon.Add(-time.Minute)) {
		t.Errorf("a minute ago: %+v", w)
	}
	line.zoom(true, noon, time.Minute)
	if w := line.window(noon, time.Minute); w.span() != 30*time.Second || !w.begin.Add(15*time.Second).Equal(middle) {
		t.Errorf("its middle moved: %+v", w)
	}
	later := noon.Add(time.Hour)
	if w := line.window(later, time.Minute); w.live || !w.begin.Add(15*time.Second).Equal(middle) {
		t.Errorf("it did not stand still: %+v", w)
	}
	for line.scroll(true, noon, time.Minute, oldest) {
	}
	if w := line.window(noon, time.Minute); !oldest.After(w.begin) || w.end.Before(oldest) {
		t.Errorf("at the oldest: %+v", w)
	}
	for line.scroll(false, noon, time.Minute, oldest) {
	}
	if w := line.window(noon, time.Minute); !w.live {
		t.Errorf("back: %+v", w)
	}
	line.scroll(true, noon, time.Minute, oldest)
	if w := line.window(noon.Add(-time.Hour), time.Minute); !w.live || w.end.After(noon.Add(-time.Hour)) {
		t.Errorf("a picture that is older than that: %+v", w)
	}
}

// TestEveryCauseHasAGlyph also where no word fits, so that mono and narrow windows tell them apart.
func TestEveryCauseHasAGlyph(t *testing.T) {
	mono, err := newTheme("mono", false)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]mark)
	for _, m := range []mark{
		{cause: inspector.CauseReleased},
		{cause: inspector.CauseExpired},
		{cause: inspector.CauseTakenOver},
		{cause: inspector.CauseEvicted},
		{cause: inspector.CauseFlushed},
		{cause: inspector.CauseUnknown},
		{cause: inspector.CauseExpired, lost: true},
	} {
		f := mono.laneFaceOf(m)
		if other, taken := seen[f.glyph]; taken || f.word == "" {
			t.Errorf("%+v and %+v are both %q (%s)", m, other, f.glyph, f.word)
		}
		seen[f.glyph] = m
		s := swimlane{window: minute(), columns: 3, marks: []mark{{column: 1, cause: m.cause, lost: m.lost, label: "worker-1"}}}
		p := newPainter(mono, 20, 1)
		s.paintMarks(p, 0)
		if !strings.Contains(p.lines[0], f.glyph) {
			t.Errorf("the line of %s is %q", f.word, p.lines[0])
		}
	}
}

func TestTheWorstIsSaidFirst(t *testing.T) {
	h := withFixture(t, 120, 30, "mono")
	l := lostLock(-1)
	h.show(snapshotOf(2, noon, []*inspector.Lock{l}))
	h.wantSeen("✖ lost while held: worker-9", "· released", "╳ may be inside still", "╵14:02:30", "now")
	h.keys("Z", "Z", "Z", "Z", "Z", "Z")
	h.wantSeen("in the last 3 hours", "╵12:00")
	h.keys("enter", "left")
	h.wantSeen("14:03:12, 15 s ago; 0 returns")
}

// TestATimelineThatIsZoomedIsSeen, wherever the page was.
func TestATimelineThatIsZoomedIsSeen(t *testing.T) {
	h := newHarness(t, 80, 20, "default")
	h.show(lostFixture())
	h.keys("enter")
	for _, from := range []string{"g", "G"} {
		h.keys(from)
		h.wantUnseen("perhaps", "╵14:0")
		h.keys("z")
		h.wantSeen("Who held it in the last", "╵14:0")
		offset := h.m.detail.offset
		h.keys("z")
		if h.m.detail.offset != offset {
			t.Error("it moves where it is seen already")
		}
	}
}

func TestPollsMissWhatIsShort(t *testing.T) {
	h := newHarness(t, 120, 40, "default")
	s := lostFixture()
	s.Nodes[0].Feed, s.Nodes[0].FeedReason = keyspace.FeedPoll, "CONFIG is denied"
	h.show(s)
	h.wantSeen("polled: short holds are missed")
	h.keys("enter", "z")
	h.wantSeen("polled: short holds are missed")
}

func TestScrollingBackHasAnEnd(t *testing.T) {
	h := withFixture(t, 120, 30, "default")
	h.keys("/", "o", "r", "d", "enter")
	for range 10 {
		h.keys("h")
	}
	h.wantSeen("no hold of before 14:02:29 is known", "0 returns")
	h.now = h.now.Add(time.Hour)
	h.show(snapshotOf(2, h.now, fixtureLocks(noon)))
	h.wantSeen("14:01:44 to 14:02:44, 1h00m ago")
	h.keys("0")
	h.wantSeen("in the last 60 s")
}

// lostFixture is a lock that was lost while held, with a past of which some was not seen.
func lostFixture() *inspector.Snapshot {
	l := lostLock(25)
	l.Key = "lock:stock:sku-4711"
	l.History = slices.Insert(l.History, 0, past(noon, "worker-1", 100, 80, inspector.CauseReleased), past(noon, "worker-2", 80, 50, inspector.CauseTakenOver))
	l.History[len(l.History)-1].Renewals = 4
	l.Renewals, l.RenewalPeriod, l.LastRenewal = 4, 2*time.Second, noon.Add(-1500*time.Millisecond)
	l.Holders = []inspector.Holder{holder("worker-1:5f0e9d", "worker-1", 0)}
	l.Scheme, l.HeldSince, l.FencingToken = inspector.SchemeToken, noon.Add(-10*time.Second), nil
	l.Waiters = inspector.Waiters{By: inspector.WaitersNone}
	l.Evidence = l.Evidence[:1]
	l.Observed = observed(l)
	s := snapshotOf(1, noon, []*inspector.Lock{l})
	s.Unseen = []inspector.Unseen{
		{Node: testNode, To: noon.Add(-100 * time.Second), Why: "locktop was not looking yet"},
		{Node: testNode, From: noon.Add(-18 * time.Second), To: noon.Add(-14 * time.Second), Why: "the subscription was lost"},
	}
	return s
}

// FuzzTimeline zooms and scrolls at random, while time goes on and pictures stand still: a window is always one of the spans, is never
// of the future, and is never empty.
func FuzzTimeline(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 2, 2, 2, 0, 0, 0, 3, 1, 1})
	f.Add([]byte{2, 2, 2, 2, 1, 1, 1, 1, 5, 6, 0})
	f.Fuzz(func(t *testing.T, typed []byte) {
		var line timeline
		now, oldest := noon, noon.Add(-10*time.Minute)
		for _, b := range typed {
			before := line.window(now, time.Minute)
			switch b % 7 {
			case 0:
				line.zoom(true, now, time.Minute)
			case 1:
				line.zoom(false, now, time.Minute)
			case 2:
				if line.scroll(true, now, time.Minute, oldest) && !line.window(now, time.Minute).end.Before(before.end) {
					t.Fatal("it did not go back")
				}
			case 3:
				line.scroll(false, now, time.Minute, oldest)
			case 4:
				if line.now(); !line.window(now, time.Minute).live {
					t.Fatal("it is not live")
				}
			case 5:
				now = now.Add(time.Duration(b) * time.Second)
			case 6:
				now = now.Add(-time.Duration(b) * time.Second) // a node fell silent: the picture is that of before
			}
			w := line.window(now, time.Minute)
			if !slices.Contains(spans[:], w.span()) || w.end.After(now) || w.live != w.end.Equal(now) && w.live {
				t.Fatalf("after %v: %+v at %v", typed, w, now)
			}
			if titles := w.titles(now); w.live == strings.Contains(titles[0], "0 returns") {
				t.Fatalf("it says %q", titles[0])
			}
		}
	})
}

func TestAveragesAreOfTheTimeThatWasSeen(t *testing.T) {
	var m inspector.Minutes
	for i := range m {
		m[i] = 6
	}
	m[len(m)-1] = 3
	half := noon.Truncate(time.Minute).Add(30 * time.Second)
	for _, test := range []struct {
		minutes int
		looked  time.Duration
		average float64
		over    int
	}{{10, time.Hour, 6, 10}, {60, time.Hour, 6, 60}, {10, 0, 0, 0}} {
		if average, over := averageOf(m, test.minutes, half, test.looked); average != test.average || over != test.over {
			t.Errorf("%+v: %v over %d", test, average, over)
		}
	}
	var young inspector.Minutes
	young[len(young)-1], young[len(young)-2] = 3, 1
	if average, over := averageOf(young, 10, half, 40*time.Second); average != 6 || over != 1 {
		t.Errorf("4 in 40 seconds are %v a minute, over %d", average, over)
	}
}
