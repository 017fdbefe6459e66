package tui

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func idsOf(columns []column) []columnID {
	var ids []columnID
	for _, c := range columns {
		ids = append(ids, c.id)
	}
	return ids
}

// TestHiddenColumnsGiveTheirRoomAway: whatever is hidden, the rest fits, nothing that was there before is lost, and no
// hidden column is shown.
func TestHiddenColumnsGiveTheirRoomAway(t *testing.T) {
	var choosable []columnID
	for _, c := range columnChoices {
		if !c.always {
			choosable = append(choosable, c.id)
		}
	}
	for bits := range 1 << len(choosable) {
		var hidden columnSet
		for i, id := range choosable {
			if bits>>i&1 > 0 {
				hidden = hidden.toggled(id)
			}
		}
		for width := 20; width <= 240; width += 7 {
			for _, votes := range []bool{false, true} {
				standard, _ := planColumns(width, 40, 40, votes, 0)
				columns, gap := planColumns(width, 40, 40, votes, hidden)
				total := rowPrefix + gap*(len(columns)-1)
				for _, c := range columns {
					total += c.width
					if hidden.has(c.id) || c.width <= 0 {
						t.Fatalf("%d, hidden %b: %s is %d wide", width, hidden, c.title, c.width)
					}
				}
				if total > width {
					t.Fatalf("%d, hidden %b: the columns take %d", width, hidden, total)
				}
				for _, c := range standard {
					if !hidden.has(c.id) && !slices.Contains(idsOf(columns), c.id) {
						t.Fatalf("%d, hidden %b: %s has gone too", width, hidden, c.title)
					}
				}
			}
		}
	}
	columns, _ := planColumns(100, 20, 20, false, 1<<columnHolder)
	if !slices.Contains(idsOf(columns), columnScheme) {
		t.Errorf("at 100 columns without the holder: %v", idsOf(columns))
	}
	columns, _ = planColumns(120, 20, 12, false, 1<<columnHeld|1<<columnWaiters|1<<columnCount)
	if ids := idsOf(columns); !slices.Contains(ids, columnSpark) || slices.Contains(ids, columnFinding) {
		t.Errorf("at 120 columns without three figures: %v", ids)
	}
}

func TestTheChooserSaysWhatHasNoRoom(t *testing.T) {
	h := withFixture(t, 80, 24, "mono")
	h.keys("c")
	h.wantSeen("[x] scheme        no room at this width", "[x] votes         no Redlock here", "[x] waiters       who waits for it")
	h.keys("j", "enter", "j", "j", "j", "j", "enter")
	h.wantSeen("[ ] holder        who has it now", "[ ] held          since when", "[x] scheme        whose layout it is")
	h.keys("g", "j", "enter")
	h.wantSeen("[x] key           always shown", "the column key is always shown")
	h.keys("esc", "esc", "3", "c")
	h.wantSeen("columns are chosen in the view of locks (1)")
	h.wantUnseen("╭─ columns")
}

func TestSortingGoesThroughTheColumnsThatAreShown(t *testing.T) {
	h := withFixture(t, 80, 24, "mono")
	chosen := h.m.table.current().Ref
	var orders []sortColumn
	for range 7 {
		h.keys("s")
		orders = append(orders, h.m.order.column)
		if h.m.table.current().Ref != chosen {
			t.Errorf("sorted by %s, the cursor left its lock", orderNames[h.m.order.column])
		}
	}
	if want := []sortColumn{sortKey, sortHolder, sortCount, sortTTL, sortHeld, sortWaiters, sortWorst}; !reflect.DeepEqual(orders, want) {
		t.Errorf("the orders are %v, want %v", orders, want)
	}
	h.m.hidden = 1<<columnHolder | 1<<columnCount
	h.keys("s", "s", "s")
	if h.m.order.column != sortTTL { // the scheme came in where the holder was
		t.Errorf("after the scheme comes %s", orderNames[h.m.order.column])
	}
	h.m.sortBy(sortHeld)
	h.wantUnseen("HELD↑")
	h.m.sortBy(sortHeld)
	h.send(tickMsg{})
	h.wantSeen("HELD↑", "by held, turned")
	if h.m.sortBy(-1); h.m.order.column != sortHeld {
		t.Error("a column without an order was sorted by")
	}
	if h.m.table.current().Ref != chosen {
		t.Error("the cursor left its lock")
	}
}

func TestSettingsComeBack(t *testing.T) {
	h := withFixture(t, 140, 30, "light")
	h.keys("c", "j", "enter", "esc", "2", "s", "s", "I", "3", "!", "1", "s", "s", "I", "!", "/", "o", "r", "enter")
	var saved Settings
	h.m.config.Save = func(s Settings) (string, error) {
		saved = s
		return "", nil
	}
	h.keys("S")
	h.answer()
	want := Settings{
		View: "locks", Sort: "scheme", Reverse: true, Filter: "or", Suspects: true, Theme: "light",
		HoldersSort: "locks", HoldersReverse: true, Trouble: true,
		Columns: []string{"state", "key", "scheme", "count", "votes", "ttl", "held", "waiters", "acquisitions", "renewals", "finding"},
	}
	if !reflect.DeepEqual(saved, want) {
		t.Errorf("saved %+v, want %+v", saved, want)
	}
	if err := saved.Check(); err != nil {
		t.Error(err)
	}
	for i, fields := 0, reflect.ValueOf(saved); i < fields.NumField(); i++ {
		if fields.Field(i).IsZero() {
			t.Errorf("%s is not tried", fields.Type().Field(i).Name)
		}
	}
	for _, view := range []string{"events", "nodes"} {
		waiting := newHarness(t, 100, 20, "light")
		waiting.m.apply(Settings{View: view})
		waiting.send(tickMsg{})
		waiting.wantSeen("connecting to prod-cache")
	}
	again := newHarness(t, 140, 30, "light")
	again.m.apply(saved)
	again.show(fixture())
	again.wantSeen("/or", "SUSPECTS ONLY", "by scheme, turned")
	again.wantUnseen("HOLDER")
	again.keys("2")
	again.wantSeen("by locks, turned")
	again.keys("3")
	again.wantSeen("TROUBLE ONLY")
	again.keys("1")
	if again.m.settings().Columns == nil || !reflect.DeepEqual(again.m.settings(), saved) {
		t.Errorf("it came back as %+v", again.m.settings())
	}
	for _, view := range []string{"events", "nodes", "demo"} {
		again.m.apply(Settings{View: view})
		if got := again.m.settings().View; got != view && view != "demo" {
			t.Errorf("the view %s came back as %s", view, got)
		}
	}
	if again.m.view == viewDemo {
		t.Error("there is a view of a demo without one")
	}
}

func TestSettingsOfUnknownNamesAreRefused(t *testing.T) {
	for _, c := range []struct {
		settings Settings
		want     string
	}{
		{Settings{View: "lock"}, `no view "lock": choose one of locks, `},
		{Settings{Columns: []string{"key", "colour"}}, `no column "colour": choose one of state, key, scheme, `},
		{Settings{Sort: "size"}, `no order "size": choose one of worst, key, `},
		{Settings{HoldersSort: "size"}, `no order of holders "size": choose one of gone, holder, `},
		{Settings{Theme: "neon"}, `no theme "neon": choose one of default, `},
	} {
		err := c.settings.Check()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.settings, err, c.want)
		}
		if got := Run(t.Context(), Config{Settings: c.settings}); got == nil || got.Error() != err.Error() {
			t.Errorf("Run says %v", got)
		}
	}
	if err := (Settings{}).Check(); err != nil {
		t.Error(err)
	}
}

func TestWhatCannotBeSavedSaysSo(t *testing.T) {
	h := withFixture(t, 120, 30, "mono")
	h.keys("S")
	h.wantSeen("the view cannot be kept: this dashboard was given no place")
	h.m.config.Save = func(Settings) (string, error) { return "", errors.New("read-only file\x1b system") }
	h.keys("S")
	h.run(func() bool { return h.m.toast.kind == toastBad })
	h.wantSeen(`✖ the view cannot be kept: read-only file\x1b system`)
}

// TestNothingButSIsSaved presses every key but S.
func TestNothingButSIsSaved(t *testing.T) {
	h := withFixture(t, 120, 30, "mono")
	h.m.config.Save = func(Settings) (string, error) {
		t.Error("the view was saved")
		return "", nil
	}
	h.m.copy = func(string) error { return nil } // several commands run at once
	for _, name := range everyKey {
		if name == "S" {
			continue
		}
		h.keys(name)
		h.keys("esc", "esc")
		h.m.quitting = false
	}
	h.run()
}
