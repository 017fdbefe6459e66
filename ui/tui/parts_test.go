package tui

import (
	"encoding/base64"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/inspector"
	"locktop/keyspace"
)

func TestAreasFillTheWindow(t *testing.T) {
	for width := range 30 {
		for height := range 120 {
			for bits := range 64 {
				l := placeAreas(width, height, layoutState{
					narration: bits >> 4, titles: bits&2 > 0, pane: bits >> 3 & 1 * 7, typing: bits&4 > 0,
				})
				at := 0
				for _, a := range []area{l.header, l.context, l.narration, l.titles, l.body, l.pane, l.footer} {
					if a.top != at || a.height < 0 {
						t.Fatalf("%dx%d: an area at %d+%d, want it at %d: %+v", width, height, a.top, a.height, at, l)
					}
					at = a.bottom()
				}
				if at != height {
					t.Fatalf("%dx%d: the areas are %d high: %+v", width, height, at, l)
				}
			}
		}
	}
}

func TestColumnsFitAndDrop(t *testing.T) {
	before := 0
	for width := 20; width <= 300; width++ {
		columns, gap := planColumns(width, 40, 40, true, 0)
		total := rowPrefix + gap*(len(columns)-1)
		for _, c := range columns {
			total += c.width
			if c.width <= 0 {
				t.Errorf("%d: the column %s is %d wide", width, c.title, c.width)
			}
		}
		if total > width {
			t.Errorf("the columns take %d of %d", total, width)
		}
		if len(columns) < before {
			t.Errorf("%d columns at %d, and fewer than in a narrower window", len(columns), width)
		}
		before = len(columns)
	}
	columns, _ := planColumns(45, 40, 40, false, 0)
	if len(columns) != 4 {
		t.Errorf("at 45 columns: %+v", columns)
	}
}

func TestFilter(t *testing.T) {
	l := fixtureLocks(noon)[0] // orders:checkout, redisson
	for text, want := range map[string]bool{
		"": true, "checkout": true, "CHECKOUT": false, "Checkout": false, "redisson": true, "thread 42": true, "0f4d3a52-8c1e": true,
		"held": true, "stuck": false, "orders:*": true, "checkout*": false, "*check?ut": true, "*[k-z]out": true,
		"*[^k]out": false, "[": false, "order": true, "*:*": true,
	} {
		if got := newFilter(text).lock(l, "held"); got != want {
			t.Errorf("the filter %q lets it pass: %v, want %v", text, got, want)
		}
	}
}

func TestHeaderIsHonest(t *testing.T) {
	h := withFixture(t, 140, 30, "default")
	h.wantSeen("● push 0.3 ms", "pass 12 s ago", "4 cmd/s", "*lock* *mutex*")
	change := func(f func(n *keyspace.Status)) {
		s := fixture()
		s.Seq = h.m.sequence + 1
		f(&s.Nodes[0])
		h.show(s)
	}
	change(func(n *keyspace.Status) {
		n.Feed, n.FeedReason, n.Gaps = keyspace.FeedPoll, "CONFIG is denied", 3
	})
	h.wantSeen("○ polling", "CONFIG is denied", "3 gaps")
	change(func(n *keyspace.Status) { n.Feed = keyspace.FeedTracking })
	h.wantSeen("◐ tracking")
	change(func(n *keyspace.Status) {
		n.LastPass, n.Scanning = keyspace.Pass{}, &keyspace.Pass{Scanned: 250, KeysInDB: 1000}
	})
	h.wantSeen("first pass 25 %")
	change(func(n *keyspace.Status) {
		n.Connected, n.StaleSince, n.Err = false, noon.Add(-24*time.Second), "connection refused"
	})
	h.wantSeen("✖ stale since 14:03:03", "connection refused", "lock:invoice:7731")
	if h.m.at != noon.Add(-24*time.Second) {
		t.Errorf("the picture is of %v, and not of when it was last true", h.m.at)
	}
	rows := h.m.View()[strings.Index(h.m.View(), "STATE"):]
	if strings.Contains(rows[:strings.Index(rows, "detail")], "\x1b[32m") {
		t.Error("a stale picture is not dimmed")
	}
	later := *h.m.latest
	later.Seq, later.Totals.ByState = h.m.sequence+1, map[inspector.State]int{inspector.StateExpired: 77}
	h.show(&later)
	h.wantUnseen("77 expired") // the rows say that they are held
	h.keys(" ")
	change(func(*keyspace.Status) {})
	h.wantSeen("● push", "FROZEN")
}

func TestFirstScanAndNothingFound(t *testing.T) {
	h := newHarness(t, 100, 30, "default")
	h.wantSeen("connecting to prod-cache")
	s := snapshotOf(1, noon, nil)
	s.Nodes[0].LastPass, s.Nodes[0].Scanning = keyspace.Pass{}, &keyspace.Pass{Scanned: 5000, KeysInDB: 20000, Matched: 12}
	h.show(s)
	h.wantSeen("the first look at all keys", "25 %", "5,000 of 20,000 keys seen, 12 of them named like locks")
	h.show(snapshotOf(2, noon, nil))
	h.wantSeen("no locks in database 0 of 127.0.0.1:6379, which has 48,211 keys", "looked for *lock*", "locktop --pattern", "locktop -n 1", "locktop demo")
	h.stage(fixtureScene(noon))
	h.wantSeen("no locks in database 0", "a lock that appears now will be seen here")
	if strings.Contains(h.screen(), "locktop demo") {
		t.Errorf("a demo between two rounds is told what to look for elsewhere:\n%s", h.screen())
	}
	one := snapshotOf(3, noon, nil)
	one.Nodes[0].LastPass.Scanned, one.Nodes[0].LastPass.Matched = 1, 1
	h.show(one)
	h.wantSeen("which has 1 key")
	h.keys("4")
	h.wantSeen("1 key seen, 1 of them")
	h.keys("1")
	h.show(snapshotOf(4, noon, fixtureLocks(noon)))
	h.keys("/", "z", "z", "z", "enter")
	h.wantSeen("none of 23 locks passes the filter /zzz", "esc shows them all")
}

func TestSourceEnds(t *testing.T) {
	h := withFixture(t, 100, 30, "default")
	h.send(snapshotMsg{err: errors.New("the feed\x1b broke")})
	h.wantSeen("ENDED", `the feed\x1b broke`, "lock:invoice:7731")
	if h.m.quitting {
		t.Error("it must not quit by itself")
	}
	empty := newHarness(t, 100, 30, "default")
	empty.send(snapshotMsg{err: errors.New("the feed\x1b broke")})
	empty.wantSeen(`no locks can be shown: the feed\x1b broke`)
}

func TestManyLocksAreSortedOutsideUpdate(t *testing.T) {
	h := newHarness(t, 120, 30, "default")
	locks := manyLocks(inlineRows+1, noon)
	h.show(snapshotOf(1, noon, locks))
	if len(h.m.table.rows) != 0 || !h.m.arranging {
		t.Fatal("Update has sorted many rows itself")
	}
	h.run(func() bool { return !h.m.arranging })
	if len(h.m.table.rows) != len(locks) || h.m.table.rows[0].Key != "lock:0000000" {
		t.Fatalf("%d rows", len(h.m.table.rows))
	}
	// A reply of an order that is not wanted any more is thrown away.
	h.keys("s", "I")
	stale := arrangedMsg{h.m.generation - 1, arranged{}}
	h.send(stale)
	if len(h.m.table.rows) == 0 {
		t.Error("a stale sort was shown")
	}
	h.run(func() bool { return !h.m.arranging })
	if got := h.m.table.rows[0].Key; got != "lock:0020000" {
		t.Errorf("by key, turned, the first is %s", got)
	}
}

func TestEventsFollowAndStay(t *testing.T) {
	h := withFixture(t, 120, 12, "default")
	h.keys("3")
	if e := h.m.events.current(filter{}); e.Seq != 11 {
		t.Fatalf("the cursor is on %d", e.Seq)
	}
	next := fixture()
	next.Seq = 2
	next.Events = append(next.Events, inspector.Event{Seq: 12, At: noon, Ref: ref("cart:1"), Kind: inspector.EventAcquired, Owner: "w", Label: "w"})
	h.show(next)
	if e := h.m.events.current(filter{}); e.Seq != 12 {
		t.Errorf("the newest event is not followed: %d", e.Seq)
	}
	h.keys("k", "k")
	later := *next
	later.Seq = 3
	later.Events = append([]inspector.Event{}, inspector.Event{Seq: 20, At: noon, Ref: ref("cart:2"), Kind: inspector.EventReleased})
	h.show(&later)
	if e := h.m.events.current(filter{}); e.Seq != 10 {
		t.Errorf("the cursor went to %d", e.Seq)
	}
	if h.m.events.missed != 7 {
		t.Errorf("%d missed, want 7", h.m.events.missed)
	}
	h.wantSeen("7 events came too fast to be kept")
	h.keys(" ")
	last := later
	last.Seq, last.Events = 4, []inspector.Event{{Seq: 21, At: noon, Ref: ref("cart:3"), Kind: inspector.EventAcquired}}
	h.show(&last)
	h.keys("G")
	if e := h.m.events.current(filter{}); e.Seq != 20 {
		t.Errorf("frozen, but on %d", e.Seq)
	}
	h.keys(" ")
	if e := h.m.events.current(filter{}); e.Seq != 21 {
		t.Errorf("resumed, but on %d", e.Seq)
	}
	h.keys("/", "g", "a", "p", "enter")
	h.wantSeen("1 event", "the subscription was lost")
	h.keys("enter")
	h.wantSeen("this lock has gone")
}

func TestCommandPanicEndsTheDashboard(t *testing.T) {
	h := withFixture(t, 80, 24, "default")
	msg := guard(func() tea.Msg { panic("bad\x1b[2J") })()
	fatal, ok := msg.(fatalMsg)
	if !ok || !strings.Contains(string(fatal.err.Stack), "TestCommandPanic") {
		t.Fatalf("got %T", msg)
	}
	if got := fatal.err.Error(); !strings.HasSuffix(got, `bad\x1b[2J`) {
		t.Errorf("the error is %q", got)
	}
	h.m.Update(msg)
	if !h.m.quitting || h.m.fatal != fatal.err {
		t.Error("it goes on")
	}
}

func TestUpdatePanicEndsTheDashboard(t *testing.T) {
	h := withFixture(t, 80, 24, "default")
	h.m.table.rows = []*inspector.Lock{nil}
	_, cmd := h.m.Update(tickMsg{})
	if h.m.fatal == nil || cmd == nil {
		t.Fatal("the panic was not caught")
	}
	if _, ok := cmd().(tea.QuitMsg); !ok {
		t.Error("it does not quit")
	}
}

func TestOutputBracketsFrames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "terminal")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	t.Setenv("TMUX", "")
	t.Setenv("STY", "")
	o := &output{File: f, sync: true}
	if n, err := o.Write([]byte("frame")); n != 5 || err != nil {
		t.Fatalf("wrote %d, %v", n, err)
	}
	if _, err := o.WriteString("mode"); err != nil {
		t.Fatal(err)
	}
	if err := o.copy("orders:1"); err != nil {
		t.Fatal(err)
	}
	if err := o.copy(strings.Repeat("x", maxCopy+1)); err == nil {
		t.Error("too much was copied")
	}
	t.Setenv("STY", "1.a") // within screen
	if err := o.copy("x"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "\x1b[?2026hframe\x1b[?2026lmode\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte("orders:1")) + "\a" +
		"\x1bP\x1b]52;c;eA==\a\x1b\\"
	if string(got) != want {
		t.Errorf("written %q, want %q", got, want)
	}
}

func TestDurationsAtTheEnds(t *testing.T) {
	const least, greatest = time.Duration(math.MinInt64), time.Duration(math.MaxInt64)
	for got, want := range map[string]string{
		countdown(least): "0:00", countdown(greatest): "2,562,047:47:17", countdown(1): "0:01", countdown(time.Minute): "1:00",
		offsetSentence(least): "106751d behind ours", offsetSentence(greatest): "106751d ahead of ours",
		clockOffsetText(least): "-106751d", clockOffsetText(greatest): "+106751d", fine(least): "-106751d", fine(greatest): "106751d",
		wholeSeconds(greatest): "106751d", spanText(greatest): "2,562,047 hours",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if word, late := dueText(least, time.Second, 0); word != "106751d late" || !late {
		t.Errorf("a renewal that is late for ever is %q", word)
	}
}
