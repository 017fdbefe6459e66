package inspector

import (
	"fmt"
	"reflect"
	"testing"
	"time"
)

// bare is a lock as a recording has it: its exported fields, and what was kept beside them.
func bare(l *Lock) *Lock {
	out := &Lock{}
	from, to := reflect.ValueOf(l).Elem(), reflect.ValueOf(out).Elem()
	for i := range from.NumField() {
		if from.Type().Field(i).IsExported() {
			to.Field(i).Set(from.Field(i))
		}
	}
	out.Keep(l.Kept())
	return out
}

// TestKeptTellsWhatTheLockTold: whatever is shown of a lock's past is told by a recording as well, also where the history is too short
// for it.
func TestKeptTellsWhatTheLockTold(t *testing.T) {
	same := func(when string, l *Lock, now time.Time) {
		t.Helper()
		told := func(l *Lock) string {
			waiters, seen := l.WaitersPerMinute(now)
			return fmt.Sprintf("%+v\n%v\n%v %v\n%+v\n%v %v %v", l.HoldTimes(), l.AcquisitionsPerMinute(now), waiters, seen, l.Rhythm(),
				l.RememberedSince(), l.Lease(), l.Cooling())
		}
		again := bare(bare(l)) // a recording of a recording
		if got, want := told(again), told(l); got != want {
			t.Errorf("%s: kept is\n%s\nand it told\n%s", when, got, want)
		}
		if !reflect.DeepEqual(again.Kept(), l.Kept()) {
			t.Errorf("%s: of what was kept, %+v is kept, and not %+v", when, again.Kept(), l.Kept())
		}
	}
	c, _ := held(t)
	same("at first", c.must(StateHeld), c.now)
	for n := range 40 {
		c.after(10*time.Second+time.Duration(n)*time.Millisecond).hints("expire").text("a", c.in(lease))
		if n == 3 || n == 39 {
			same(fmt.Sprint("renewed ", n), c.must(StateHeld), c.now)
		}
	}
	for n := range 2 * maxHolds {
		c.after(3*time.Second).hints("del", "new", "set", "expire").text(fmt.Sprint("w", n), c.in(lease))
		if n == 2 {
			same("handed over", c.must(StateHeld), c.now)
		}
	}
	same("more holds than the history has", c.must(StateHeld), c.now)
	same("minutes later", c.must(StateHeld), c.now.Add(5*time.Minute))
	c.store.round++
	c.store.chronicleWaited(c.store.edit(0), c.now, 3)
	same("somebody waits", c.must(StateHeld), c.now.Add(2*time.Minute))
}
