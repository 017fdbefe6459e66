package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/inspector"
	"locktop/keyspace"
)

func withHolders(t testing.TB, width, height int) *harness {
	h := newHarness(t, width, height, "default")
	h.show(holdersFixture())
	h.keys("2")
	return h
}

// A client with a new token for each lock is one row; who is gone comes first.
func TestHoldersAreGathered(t *testing.T) {
	h := withHolders(t, 160, 40)
	rows := h.m.holders.rows
	if rows[0].name != "worker-7" || rows[0].connection != inspector.ConnectionGone || rows[0].suspects != 1 {
		t.Errorf("the first row is %+v", rows[0])
	}
	held := 0
	for _, r := range rows {
		held += len(r.locks)
		if r.name == "worker-1" && (!r.joined || len(r.locks) != 3 || r.presence == nil) {
			t.Errorf("%+v", r)
		}
	}
	if held != 22 { // 14 carts, and 8 others, of which one is freed, one is none, and one has two holders
		t.Errorf("%d locks", held)
	}
	h.wantSeen("✖ gone     worker-7", "● alive    worker-1", "name", "? unknown  0f4d3a52 thread 42", "label", "10.0.0.1:41210 +1", "go-redis 9.23.0")
	h.wantUnseen("b3c1f6f2", "mutex:queue")
}

func TestHoldersAreSortedAndFiltered(t *testing.T) {
	h := withHolders(t, 120, 40)
	first := func(want string) {
		t.Helper()
		if got := h.m.holders.rows[0].name; got != want {
			t.Errorf("the first holder is %s, want %s", got, want)
		}
	}
	h.keys("s")
	h.wantSeen("by holder", "HOLDER↓")
	first("0f4d3a52 thread 42")
	h.keys("I")
	h.wantSeen("by holder, turned", "HOLDER↑")
	first("工人-1")
	h.keys("s")
	h.wantSeen("by locks")
	first("worker-0")
	h.keys("s", "s")
	h.wantSeen("by oldest")
	first("worker-7")
	h.keys("s")
	h.wantSeen("by waiters")
	first("worker-5")
	h.keys("s")
	h.wantUnseen("by waiters", "by gone")
	for filter, want := range map[string]string{"10.0.0.7": "worker-7", "go-redis": "worker-7", "gone": "worker-7", "checkout": "0f4d3a52 thread 42"} {
		h.keys("/")
		h.keys(strings.Split(filter, "")...)
		h.keys("enter")
		first(want)
		h.keys("esc")
	}
	h.keys("!")
	h.wantSeen("worker-7", "77ab01c2")
	h.wantUnseen("worker-1 ")
	h.keys("esc")
	h.keys("/", "z", "z", "z", "enter")
	h.wantSeen("no holder passes the filter", "0 holders")
}

// The cursor stays on its holder, wherever that goes.
func TestTheCursorFollowsTheHolder(t *testing.T) {
	h := withHolders(t, 120, 40)
	h.keys("j", "j", "j")
	chosen := h.m.holders.current().holderID
	s := holdersFixture()
	for range 3 { // another one is gone, and has more locks
		l := *s.Locks[1]
		l.Ref = ref(fmt.Sprintf("lock:more:%d", len(s.Locks)))
		p := *l.Holders[0].Presence
		p.Name = "worker-99"
		l.Holders = []inspector.Holder{{Owner: "worker-99", Label: "worker-99", Presence: &p}}
		s.Locks = append(s.Locks, &l)
	}
	s.Seq++
	h.show(s)
	if got := h.m.holders.current().holderID; got != chosen || h.m.holders.index != 4 {
		t.Errorf("the cursor is on %v in row %d, want %v", got, h.m.holders.index, chosen)
	}
	if h.m.holders.rows[0].name != "worker-99" {
		t.Errorf("%+v", h.m.holders.rows[0])
	}
}

// esc goes back step by step: lock, holder, holders, locks.
func TestTheWayIntoAHolderAndBack(t *testing.T) {
	h := withHolders(t, 120, 40)
	h.keys("/", "w", "o", "r", "k", "e", "r", "-", "1", "enter")
	for h.m.holders.current().name != "worker-1" {
		h.keys("j")
	}
	h.keys("enter")
	h.wantSeen("● alive  worker-1  3 locks", "the connection's name is a part of the owner", "worker-1 at 10.0.0.1:41210, connected for", "cart:")
	h.keys("j")
	lock := h.m.selected()
	if lock == nil || lock.Holders[0].Label != "worker-1" {
		t.Fatalf("%+v is selected", lock)
	}
	h.keys("enter")
	h.wantSeen("client", "● alive", "idle for 3 s", "worker-1 at 10.0.0.1:41211") // of the lock
	h.keys("esc")
	if !h.m.onHolderPage() || h.m.selected() != lock {
		t.Fatal("the page of the holder is not shown again")
	}
	h.keys("r")
	if h.m.dialog == nil || h.m.dialog.lock != lock {
		t.Fatal("a key acts on another lock")
	}
	h.keys("esc", "esc")
	if h.m.onHolderPage() || !h.m.onHolders() || h.m.holders.current().name != "worker-1" {
		t.Fatal("the list of holders is not shown again")
	}
	h.keys("esc")
	if !h.m.order.filter.empty() || h.m.view != viewHolders {
		t.Error("the filter goes before the view does")
	}
	h.keys("esc")
	if h.m.view != viewLocks {
		t.Error("the view of locks is not shown again")
	}
}

func TestActingOnAHolder(t *testing.T) {
	h := withHolders(t, 120, 40)
	for _, press := range []string{"r", "e", "x"} {
		h.keys(press)
		h.wantSeen("1 lock of worker-7", "lock:invoice:7731")
		if h.m.dialog == nil || h.m.dialog.bulk == nil || len(h.m.dialog.bulk.items) != 1 {
			t.Errorf("%s does not ask about all locks of worker-7", press)
		}
		h.keys("esc")
	}
	h.m.toast = toast{}
	h.keys("y")
	h.answer()
	if len(h.copied) != 1 || h.copied[0] != "lock:invoice:7731" {
		t.Errorf("copied %q", h.copied)
	}
	h.keys("1")
	h.wantSeen("worker-7 (gone)")
}

// TestAHoldersPageBeginsWithItsWorstLock: the locks of a page are put in order after it was opened, and the cursor is on the first of
// them all the same, until it is moved.
func TestAHoldersPageBeginsWithItsWorstLock(t *testing.T) {
	locks := manyLocks(inlineRows+1, noon)
	for _, l := range locks {
		l.Holders[0].Owner, l.Holders[0].Label = "worker-1", "worker-1"
	}
	slices.Reverse(locks)
	h := newHarness(t, 120, 40, "default")
	h.show(snapshotOf(1, noon, locks))
	h.keys("2")
	h.run(func() bool { return h.m.holders.made })
	h.keys("enter")
	h.run(func() bool { return h.m.holders.page.row.ordered })
	page := h.m.holders.page
	if page.table.index != 0 || page.table.offset != 0 {
		t.Fatalf("the cursor is on row %d, and the first that is seen is row %d", page.table.index, page.table.offset)
	}
	h.keys("j", "j")
	chosen := page.table.current().Key
	h.show(snapshotOf(2, noon, locks))
	h.run(func() bool { return h.m.holders.page.row.ordered })
	if got := page.table.current().Key; got != chosen {
		t.Errorf("the cursor went from %s to %s", chosen, got)
	}
}

// A holder of whose connections there are more than are kept has at least so many.
func TestAHolderOfManyConnections(t *testing.T) {
	s := holdersFixture()
	many := &inspector.Presence{Connection: inspector.ConnectionAlive, Name: "worker-0", By: "the connection's name is a part of the owner"}
	for i := range 64 {
		many.Clients = append(many.Clients, clientAt(int64(1000+i), "worker-0", fmt.Sprintf("10.0.0.1:%d", 40000+i)))
	}
	for _, l := range s.Locks {
		for i := range l.Holders {
			if l.Holders[i].Label == "worker-0" {
				l.Holders[i].Presence = many
			}
		}
	}
	h := newHarness(t, 160, 40, "default")
	h.show(s)
	h.keys("2")
	h.wantSeen("10.0.0.1:40000 +≥63")
	for h.m.holders.current().name != "worker-0" {
		h.keys("j")
	}
	h.keys("enter")
	h.wantSeen("and at least ", " more connections")
	h.send(tea.WindowSizeMsg{Width: 45, Height: 20}) // where each connection takes several lines
	h.wantSeen("and at least ", "cart:")
}

// The keys that act on all that a holder has are hinted at, and the dialogs say whose connection is gone.
func TestTheHintsAndDialogsOfHolders(t *testing.T) {
	h := withHolders(t, 160, 40)
	h.wantSeen("r release all", "x force-expire all")
	h.keys("r")
	h.wantSeen("release 1 lock of worker-7", "worker-7 (gone)  ")
	h.keys("esc", "enter", "r")
	h.wantSeen("holder   worker-7 (gone)")
}

// In a recording nothing can be acted on, and its holders are what was known of them.
func TestHoldersOfARecording(t *testing.T) {
	h := newHarness(t, 120, 40, "default")
	h.stageReel(fixtureReel(noon))
	s := holdersFixture()
	s.Roll = nil
	h.show(s)
	h.keys("2")
	h.wantSeen("✖ gone     worker-7")
	h.wantUnseen("not listed yet")
	h.keys("r")
	h.wantSeen("release is off: a recording cannot be acted on")
}

// A holder that lets everything go is shown as it was seen last.
func TestAHolderThatHoldsNothingAnyMore(t *testing.T) {
	h := withHolders(t, 120, 40)
	h.keys("enter")
	h.show(snapshotOf(2, noon, nil))
	h.wantSeen("it holds nothing any more", "lock:invoice:7731")
	if h.m.selected() != nil {
		t.Error("what it held can be acted on")
	}
	h.keys("esc")
	h.wantSeen("nobody holds a lock")
	h.keys("enter", "r", "y", "j", "G")
	h.wantSeen("there is no holder here to act on")
}

func TestWhyNobodyIsGone(t *testing.T) {
	h := withFixture(t, 120, 40, "default")
	h.keys("2")
	h.wantSeen("the servers' clients are not listed")
	s := fixture()
	s.Roll = inspector.NewRoll([]*keyspace.Roll{{Node: testNode, TakenAt: noon, Partial: "CLIENT LIST: NOPERM \x1b[2J", Denied: true}}, 1)
	s.Seq++
	h.show(s)
	h.wantSeen(`nobody is said to be gone: CLIENT LIST: NOPERM \x1b[2J`)
	s = fixture()
	s.Roll = inspector.NewRoll([]*keyspace.Roll{{Node: testNode, TakenAt: noon}}, 1)
	s.OwnerNames = []inspector.OwnerNameUse{{Rule: "*={name}:*", Holders: 93, Matched: 12}}
	s.Seq += 2
	h.show(s)
	h.wantSeen("--owner-name *={name}:* matched 12 of 93 holders: the rule looks wrong, so it makes no lock orphaned")
}

// Very many locks are gathered outside Update.
func TestManyHolders(t *testing.T) {
	h := newHarness(t, 120, 40, "default")
	h.show(snapshotOf(1, noon, manyLocks(inlineRows+1, noon)))
	h.keys("2")
	h.wantSeen("gathering the locks of each holder")
	h.run(func() bool { return h.m.holders.made })
	h.wantSeen("worker-18     label     207")
	if len(h.m.holders.rows) != 97 {
		t.Errorf("%d holders", len(h.m.holders.rows))
	}
}

// Nothing of what clients say of themselves reaches the terminal as it is, at any size.
func TestHostileClients(t *testing.T) {
	s := holdersFixture()
	evil := clientAt(99, "evil\x1b[2J\u202e", "\x1b]0;x\a")
	evil.Library, evil.User = "lib\x1b[2J", "us\ner"
	for _, l := range s.Locks {
		for i := range l.Holders {
			l.Holders[i].Presence = &inspector.Presence{
				Connection: inspector.ConnectionAlive, Name: evil.Name, Clients: []keyspace.Client{evil}, By: "by\x1b[2J", Seen: noon, Since: noon.Add(-time.Minute),
			}
		}
	}
	for _, size := range [][2]int{{200, 50}, {80, 24}, {45, 20}, {20, 6}, {7, 3}} {
		h := newHarness(t, size[0], size[1], "default")
		h.show(s)
		for _, press := range []string{"2", "enter", "enter", "esc", "G", "!", "s", "I", "esc", "esc"} {
			h.keys(press)
			if err := checkFrame(h.m.View(), size[0], size[1]); err != nil {
				t.Fatalf("%v after %s: %v", size, press, err)
			}
		}
	}
}

// TestDeadlinesAreNoHolders: locks whose keys name only a time are in one row, and not in a row for each time.
func TestDeadlinesAreNoHolders(t *testing.T) {
	h := newHarness(t, 120, 40, "default")
	s := holdersFixture()
	now := s.TakenAt
	for i := range 3 {
		end := now.Add(time.Duration(i+1) * time.Minute)
		value := fmt.Sprint(end.UnixMilli())
		r := keyspace.Record{Ref: keyspace.Ref{Node: "n", Key: fmt.Sprintf("lock:%d", i)}, Type: keyspace.TypeString, Value: keyspace.Value{Text: value}, Size: 13, ReadAt: now}
		l, is := inspector.Rules(nil).Inspect(r, now)
		if !is {
			t.Fatal("it is no lock")
		}
		s.Locks = append(s.Locks, l)
	}
	h.show(s)
	h.keys("2")
	rows := 0
	for _, r := range h.m.holders.rows {
		if r.name == inspector.UnknownHolder {
			rows++
			if len(r.locks) != 4 || r.by() != "-" { // the fixture has one besides
				t.Errorf("%d locks by %s", len(r.locks), r.by())
			}
		}
	}
	if rows != 1 {
		t.Errorf("%d rows of unknown holders", rows)
	}
	h.m.holders.move(slices.IndexFunc(h.m.holders.rows, func(r *holderRow) bool { return r.name == inspector.UnknownHolder }))
	h.keys("r")
	if h.m.dialog != nil {
		t.Error("locks of nobody knows how many clients are released at once")
	}
	h.wantSeen("these locks name no holder")
	h.wantUnseen(fmt.Sprint(now.Add(time.Minute).UnixMilli()))
}
