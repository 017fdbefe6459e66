package keyspace

import (
	"testing"
	"time"

	"locktop/keyspace/redistest"
)

// Another process at the address may be another machine, with a clock of its own: nothing of the former one's is believed.
func TestAnotherServerHasAnotherClock(t *testing.T) {
	f := insideFeed(t, redistest.Start(t))
	const ahead = 300 * time.Millisecond // less than what is taken for a jump
	f.connection.clock.samples = []clockSample{{offset: ahead}}
	f.reckonedBy = ahead
	f.health.runID = "of another process"
	f.nextClock = time.Now().Add(time.Hour)
	if err := f.check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if off := f.connection.clock.offset().Abs(); off > ahead/2 {
		t.Errorf("off by %v", off)
	}
}

// Our own clock, when it is set, is no reason to wait for the next measurement.
func TestOwnClockThatIsSet(t *testing.T) {
	start := time.Now()
	var own ownClock
	for n, step := range []struct {
		shows   time.Duration
		running time.Duration
		want    bool
	}{
		{0, 0, false},
		{time.Second, time.Second, false},
		{time.Hour, 2 * time.Second, true},
		{time.Hour + time.Second, 3 * time.Second, false},
		{0, 4 * time.Second, true},
		{1050 * time.Millisecond, 5 * time.Second, false}, // it is being corrected
	} {
		if got := own.wasSet(start.Add(step.shows), step.running); got != step.want {
			t.Errorf("step %d: %v", n, got)
		}
	}
	f := insideFeed(t, redistest.Start(t))
	const ahead = time.Hour
	f.connection.clock.samples = []clockSample{{offset: -ahead}} // as it was measured before ours was set back
	f.reckonedBy = -ahead
	f.hurry = ""
	f.own = ownClock{wall: time.Now().Add(ahead), running: time.Since(f.began)}
	f.nextClock = time.Now().Add(time.Hour)
	if err := f.check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if off := f.connection.clock.offset().Abs(); off > time.Second || f.hurry == "" {
		t.Errorf("off by %v; read again because %q", off, f.hurry)
	}
}
