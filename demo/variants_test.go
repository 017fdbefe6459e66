package demo

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"locktop/keyspace/redistest"
)

// repetitions is how often every scenario is played, each time with other dice.
var repetitions = flag.Uint64("repetitions", 20, "play every scenario with so many `seeds`")

// raceDetector: it looks on, and makes everything some times slower.
var raceDetector bool

// atOnce is how many of them are played at the same time: workers sleep most of the time.
func atOnce() int {
	if raceDetector {
		return 2
	}
	return 5
}

// atSpeed are the options of a scenario in these tests: fast, and on embedded servers where they will do.
func atSpeed(s script, seed uint64) Options {
	o := Options{Scenario: s.Name, Seed: seed, Speed: testSpeed, Workers: 24, Locks: 60} // some storms at once are enough
	if s.Needs == NeedsOne || s.Needs == NeedsMasters {
		o.Server = ServerEmbedded
	}
	return o
}

// besideOthers lets a scenario be played beside others, unless it takes all that the machine has: the others' leases are
// short here, and what makes them late is not what they are tested for. It skips what needs a server that is missing.
func besideOthers(t *testing.T, s script) {
	t.Helper()
	if s.Needs == NeedsReal || s.Needs == NeedsPair {
		redistest.Require(t, "redis-server")
	}
	if s.Name != "market" && s.Name != Storm {
		t.Parallel()
	}
}

// Every scenario shows its fault in the flawed variants, and none in the sound ones, whatever the dice.
func TestVariants(t *testing.T) {
	for _, s := range scripts() {
		t.Run(s.Name, func(t *testing.T) {
			besideOthers(t, s)
			all, ctx := errgroup.WithContext(t.Context()) // the first failure ends the others
			all.SetLimit(atOnce())
			for seed := range *repetitions {
				all.Go(func() error {
					began := time.Now()
					if ctx.Err() != nil {
						return nil
					}
					v, err := playOut(ctx, s, seed+1)
					if err != nil {
						return fmt.Errorf("seed %d, after %v: %w\n%s", seed+1, time.Since(began), err, v.Text)
					}
					return nil
				})
			}
			if err := all.Wait(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// playOut plays a scenario until every variant's fault was played to its end, and judges it.
func playOut(ctx context.Context, s script, seed uint64) (v Verdict, err error) {
	d, err := Start(ctx, atSpeed(s, seed))
	if err != nil {
		return Verdict{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	for clock := newClock(1); !playedOut(d.Verdict()) && clock.sleep(ctx, 20*time.Millisecond); {
	}
	if err := d.Close(); err != nil {
		return Verdict{}, err
	}
	v = d.Verdict()
	for _, l := range v.Lanes {
		switch {
		case l.Failures > 0:
			return v, fmt.Errorf("%s: commands failed", l.Name)
		case l.Played == 0:
			return v, fmt.Errorf("%s: the fault was never played to its end", l.Name)
		case l.Flawed && l.Faults == 0:
			return v, fmt.Errorf("%s is flawed, and has no fault", l.Name)
		case !l.Flawed && l.Faults > 0:
			return v, fmt.Errorf("%s is sound, and has a fault", l.Name)
		}
	}
	return v, nil
}

// playedOut: every lane has played its fault, and the flawed ones have shown it.
func playedOut(v Verdict) bool {
	for _, l := range v.Lanes {
		if l.Played == 0 || l.Flawed && l.Faults == 0 {
			return false
		}
	}
	return true
}

// unsound: a sound variant has a fault.
func unsound(v Verdict) bool {
	return slices.ContainsFunc(v.Lanes, func(l LaneVerdict) bool { return !l.Flawed && l.Faults > 0 })
}

// A scenario that is restarted is played from its beginning on servers that are as they were.
func TestRestart(t *testing.T) {
	for _, s := range scripts() {
		t.Run(s.Name, func(t *testing.T) {
			besideOthers(t, s)
			d := begin(t, atSpeed(s, 3))
			for range 2 {
				eventually(t, "acquisitions", func(context.Context) bool { return d.Verdict().Acquisitions >= 3 })
				first := d.show.Load()
				if err := d.Restart(t.Context()); err != nil {
					t.Fatal(err)
				}
				if d.show.Load() == first || d.Tempo().Rate != 1 {
					t.Fatal("the same performance goes on")
				}
			}
			eventually(t, "acquisitions after a restart", func(context.Context) bool { return d.Verdict().Acquisitions >= 3 })
			if v := d.Verdict(); v.Lanes[0].Failures > 0 {
				t.Fatal(v.Text)
			}
		})
	}
}

// However a user plays with the tempo, what is sound stays so.
func TestTempoDoesNoHarm(t *testing.T) {
	for _, s := range scripts() {
		t.Run(s.Name, func(t *testing.T) {
			besideOthers(t, s)
			d := begin(t, atSpeed(s, 5))
			ctx, clock := t.Context(), newClock(1)
			for n, control := range []func(context.Context) error{
				d.Slower, d.Faster, d.Hold, d.Hold, d.Step, d.Step, d.Step, d.Hold, d.Hold, d.Slower, d.Slower, d.Hold, d.Faster,
				d.Hold, d.Faster, d.Hold, d.Step, d.Hold, d.Hold,
			} {
				if err := control(ctx); err != nil {
					t.Fatalf("control %d: %v", n, err)
				}
				if n%5 == 0 {
					d.LetHappen()
				}
				seen := d.Verdict().Acquisitions
				for range 20 { // let something happen, unless time stands still
					if d.Verdict().Acquisitions > seen+2 || !clock.sleep(ctx, 20*time.Millisecond) {
						break
					}
				}
			}
			for d.Tempo().Held || d.Tempo().Stepping { // where the last step has not met a sentence yet, it is held first
				if err := d.Hold(ctx); err != nil {
					t.Fatal(err)
				}
			}
			seen := d.Verdict().Acquisitions
			eventually(t, "the demo goes on", func(context.Context) bool { return d.Verdict().Acquisitions > seen })
			if v := d.Verdict(); unsound(v) || d.Tempo() != (Tempo{Rate: 1}) {
				t.Fatalf("%+v\n%s", d.Tempo(), v.Text)
			}
		})
	}
}
