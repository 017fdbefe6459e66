package demo

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// stampLaneOf is the lane of the scenario with this lock.
func stampLaneOf(t *testing.T, label string) stampLane {
	t.Helper()
	for _, l := range stampLanes() {
		if l.label == label {
			return l
		}
	}
	t.Fatalf("no lane has %s", label)
	return stampLane{}
}

// lapsedLock makes a lock whose time is over, and two workers who have both seen that.
func lapsedLock(t *testing.T, s *stage, l stampLane, lease time.Duration) (first, second *stamp) {
	t.Helper()
	first, second = l.stamp(newTestWorker(t, s), lease), l.stamp(newTestWorker(t, s), lease)
	if err := first.worker.client.Set(t.Context(), first.key, time.Now().UnixMilli()-1000, 0).Err(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*stamp{first, second} {
		if l.way.look != nil && !must(c.looks(t.Context()))(t) {
			t.Fatalf("%s has not seen that %s has lapsed", c.worker.name, c.label)
		}
	}
	return first, second
}

// A lock that was released since it was seen to have lapsed belongs to who has written into it, and is not locked for nobody.
func TestGetSetOfAFreeLock(t *testing.T) {
	first, second := lapsedLock(t, newTestStage(t), stampLaneOf(t, getSetLock), time.Minute)
	if !must(first.takes(t.Context()))(t) || !must(first.way.release(first, t.Context()))(t) {
		t.Fatal("the first taker did not get it, or could not release it")
	}
	if !must(second.takes(t.Context()))(t) || !must(second.way.release(second, t.Context()))(t) {
		t.Fatal("the second did not get what was free then")
	}
}

func TestWhoTakesOverWhatHasLapsed(t *testing.T) {
	for label, both := range map[string]bool{scriptLock: false, getSetLock: false, skewedLock: false, deleteLock: true} {
		t.Run(label, func(t *testing.T) {
			first, second := lapsedLock(t, newTestStage(t), stampLaneOf(t, label), time.Minute)
			if !must(first.takes(t.Context()))(t) {
				t.Fatal("the first taker did not get it")
			}
			if must(second.takes(t.Context()))(t) != both {
				t.Fatalf("the second got it, too: %v, want %v", !both, both)
			}
		})
	}
}

// The loser of GETSET moves the end, and the winner can release the lock nevertheless, but not the next holder's.
func TestReleaseOfWhatALoserMoved(t *testing.T) {
	s := newTestStage(t)
	l := stampLaneOf(t, getSetLock)
	winner, loser := lapsedLock(t, s, l, time.Minute)
	if !must(winner.takes(t.Context()))(t) || !winner.worker.pause(t.Context(), 2*time.Millisecond) || must(loser.takes(t.Context()))(t) {
		t.Fatal("the race went wrong")
	}
	key := winner.key
	if now := value(t.Context(), t, winner.worker.client, key); now != loser.wrote || !endOf(now).After(endOf(winner.wrote)) {
		t.Fatalf("the end is %s, was %s", now, winner.wrote)
	}
	loser.tellMoved(winner)
	if log := s.narrator.sentences(); len(log) != 1 || !strings.Contains(log[0].Text, "and only moved it by ") {
		t.Errorf("told: %+v", log)
	}
	if !must(winner.way.release(winner, t.Context()))(t) || value(t.Context(), t, winner.worker.client, key) != "" {
		t.Fatal("the winner could not release it")
	}
	if must(winner.way.release(winner, t.Context()))(t) {
		t.Fatal("it was released twice")
	}

	late, _ := lapsedLock(t, s, l, time.Millisecond)
	if !must(late.takes(t.Context()))(t) || !late.worker.pause(t.Context(), 5*time.Millisecond) {
		t.Fatal("not taken over")
	}
	next := l.stamp(newTestWorker(t, s), time.Minute)
	if !must(next.looks(t.Context()))(t) || !must(next.takes(t.Context()))(t) {
		t.Fatal("what has lapsed again was not taken over again")
	}
	if must(late.way.release(late, t.Context()))(t) || value(t.Context(), t, winner.worker.client, key) != next.wrote {
		t.Fatal("the late one deleted the next one's lock")
	}
}

// A worker whose clock is ahead takes a lock that others leave alone, and says who it is.
func TestClockThatIsAhead(t *testing.T) {
	s := newTestStage(t)
	l := stampLaneOf(t, skewedLock)
	holder, right, wrong := l.stamp(newTestWorker(t, s), 0), l.stamp(newTestWorker(t, s), 0), l.stamp(newTestWorker(t, s), time.Minute)
	right.lapsed = func() { t.Error("it seems to have lapsed") }
	wrong.ahead = l.ahead
	if !must(holder.acquire(t.Context()))(t) || must(right.acquire(t.Context()))(t) || must(right.looks(t.Context()))(t) {
		t.Fatal("a lock that is held was not left alone")
	}
	if !must(wrong.looks(t.Context()))(t) || !must(wrong.takes(t.Context()))(t) {
		t.Fatal("an hour ahead, it was not taken")
	}
	if now := value(t.Context(), t, holder.worker.client, l.label); !strings.HasPrefix(now, wrong.worker.name+":") ||
		endOf(now).Before(time.Now().Add(l.ahead)) || time.Until(wrong.ends) > time.Minute {
		t.Fatalf("it wrote %s, and works until %v", now, wrong.ends)
	}
	if must(holder.way.release(holder, t.Context()))(t) || !must(wrong.way.release(wrong, t.Context()))(t) {
		t.Fatal("only the last one to write its end may release it")
	}
}

// Time all but stands still for the workers, but not for the lease: the holder leaves when that is nearly over.
func TestHolderLeavesInTimeWhateverTheTempo(t *testing.T) {
	s := newTestStage(t)
	s.clock.set(stampLease.Seconds()) // a lease lasts for a second
	c := stampLaneOf(t, scriptLock).stamp(newTestWorker(t, s), 0)
	if !must(c.acquire(t.Context()))(t) {
		t.Fatal("not acquired")
	}
	v, in := c.enter(t.Context())
	if !in {
		t.Fatal("it was not too late to go in")
	}
	if err := s.hold(t.Context()); err != nil {
		t.Fatal(err)
	}
	left := make(chan bool)
	go func() { left <- c.work(t.Context(), time.Hour) }()
	select {
	case done := <-left:
		if done {
			t.Fatal("a job of an hour is done in a second")
		}
	case <-time.After(patience):
		t.Fatal("it stays inside although its lease is over")
	}
	v.die()
	if !wait(t.Context(), time.Until(c.stop())) {
		t.Fatal("the test is over")
	}
	if _, in := c.enter(t.Context()); in {
		t.Fatal("it went in when it was too late for that")
	}
	if now := value(t.Context(), t, c.worker.client, c.key); now != "" {
		t.Fatalf("what it could not use is still there: %s", now)
	}
}

func TestTimestamp(t *testing.T) {
	play(t, "timestamp", func(t *testing.T, d *Demo, client *redis.Client) {
		for _, label := range []string{scriptLock, getSetLock, deleteLock} {
			var lapsed string
			eventually(t, "a lock whose time is over, without a TTL", func(ctx context.Context) bool {
				lapsed = value(ctx, t, client, label)
				end, err := strconv.ParseInt(lapsed, 10, 64)
				return err == nil && end < time.Now().UnixMilli() && client.PTTL(ctx, label).Val() == -1
			})
			eventually(t, "somebody takes it over", func(ctx context.Context) bool { return value(ctx, t, client, label) > lapsed })
		}
		eventually(t, "the end of the lease is moved, and two are inside", func(context.Context) bool {
			v := d.Verdict()
			return slices.Contains(v.Lanes[1].Said, "a taker that lost the race moved the end of the winner's lease") &&
				v.Lanes[2].Violations > 0 && v.Lanes[3].Violations > 0
		})
		for _, l := range d.Verdict().Lanes {
			if l.Flawed != (l.Faults > 0) {
				t.Errorf("%s: %q", l.Name, l.Said)
			}
		}
	})
}

// Nobody is in danger in a sound variant when the user changes the tempo while somebody is inside.
func TestTimestampWhateverTheTempo(t *testing.T) {
	t.Parallel()
	d := begin(t, Options{Scenario: "timestamp", Server: ServerEmbedded, Seed: 7, Speed: 4})
	for _, at := range []int{0, 1} {
		label := []string{scriptLock, getSetLock}[at]
		account := d.show.Load().stages[at].ledger
		for range 2 {
			// What is written by one that dies while time goes slowly would last for half a minute.
			d.show.Load().postpone("fault in "+label, time.Hour)
			holder := ""
			eventually(t, "somebody is inside", func(context.Context) bool {
				holder = account.holder(label)
				return holder != ""
			})
			for range 4 { // a job of a second takes four now, and the lease is over after two
				if err := d.Slower(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			eventually(t, "the holder has left", func(context.Context) bool { return account.holder(label) != holder })
			before := account.verdict(Variant{}).Acquisitions
			for range 4 {
				if err := d.Faster(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			eventually(t, "the lock goes on to others", func(context.Context) bool { return account.verdict(Variant{}).Acquisitions > before+2 })
		}
	}
	for _, l := range d.Verdict().Lanes {
		if !l.Flawed && l.Faults > 0 || l.Failures > 0 {
			t.Errorf("%s: %q", l.Name, l.Said)
		}
	}
}

// A loser of GETSET who wrote a shorter lease than the winner would bring the winner's end forward, and a third one in. So a
// tempo that changes between the two changes nothing.
func TestLoserMovesTheEndToALaterTime(t *testing.T) {
	s := newTestStage(t)
	l := stampLaneOf(t, getSetLock)
	l.rivals = 2 * time.Second
	first, second := newTestWorker(t, s), newTestWorker(t, s)
	lapsed := strconv.FormatInt(time.Now().UnixMilli()-1000, 10)
	if err := first.client.Set(t.Context(), l.label, lapsed, 0).Err(); err != nil {
		t.Fatal(err)
	}
	shown := make(chan bool, 1)
	s.group.Go(func() { shown <- l.race(t.Context(), first, second) })
	written := func(before string) (now string) {
		eventually(t, "another end", func(ctx context.Context) bool {
			now = value(ctx, t, first.client, l.label)
			return now != "" && now != before
		})
		return now
	}
	winners := written(lapsed)
	if err := s.change(t.Context(), func(t *Tempo) { t.Rate = 4 }); err != nil {
		t.Fatal(err)
	}
	if losers := written(winners); !endOf(losers).After(endOf(winners)) {
		t.Errorf("the end was %s, and is %s", winners, losers)
	}
	s.group.Wait()
	if !<-shown {
		t.Error("the race went wrong")
	}
}
