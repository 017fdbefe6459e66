package demo

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"locktop/keyspace/redistest"
)

func TestClockChangesItsRateWhileWorkersSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock(2)
		began := time.Now()
		woke := make(chan time.Duration, 1)
		go func() {
			c.sleep(t.Context(), 10*time.Second)
			woke <- time.Since(began)
		}()
		time.Sleep(2 * time.Second) // 4 s are over
		c.set(0.5)
		time.Sleep(4 * time.Second) // 6 s are over
		c.set(4)
		if took := <-woke; took != 7*time.Second {
			t.Fatalf("ten seconds took %v, want 2 s + 4 s + 1 s", took)
		}
		if now := c.now(); now != moment(10*time.Second) {
			t.Fatalf("the clock says %v", now)
		}
		if d := c.scaled(8 * time.Second); d != 2*time.Second {
			t.Fatalf("8 s take %v", d)
		}
		if d := c.scaled(time.Microsecond); d != time.Millisecond {
			t.Fatalf("a lease of %v", d)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if c.sleep(ctx, time.Hour) || c.sleep(ctx, 0) {
			t.Fatal("it slept after the end")
		}
	})
}

func TestWhatIsToldDoesNotGrowWhileHeld(t *testing.T) {
	s := newShow(t.Context(), Options{Speed: 2}, nil, nil, "", nil)
	if got := s.told(12 * time.Second); got != "6 s" {
		t.Errorf("at speed 2 twelve seconds are told as %q", got)
	}
	for _, hold := range []func(context.Context) error{s.hold, s.step} {
		if err := hold(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.say("what the step waited for")
	s.group.Wait()
	if got := s.told(12 * time.Second); got != "6 s" || !s.director.now().Held {
		t.Errorf("held %v, twelve seconds are told as %q", s.director.now().Held, got)
	}
}

func TestFaultsOnDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShow(t.Context(), Options{Speed: 1}, nil, nil, "", []lane{{}, {}})
		due := func(what string) bool { return s.due(what, time.Minute, time.Hour) }
		if due("a") || due("b") {
			t.Fatal("too early")
		}
		s.letHappen()
		if !due("a") || due("a") || !due("b") || due("b") {
			t.Fatal("asked for, each kind of fault happens once")
		}
		time.Sleep(time.Hour)
		if !due("a") || due("a") {
			t.Fatal("an hour after the last time")
		}
		s.letHappen()
		s.postpone("a", 2*time.Hour)
		time.Sleep(time.Hour)
		if due("a") {
			t.Fatal("it was postponed")
		}
		began := time.Now()
		go func() {
			time.Sleep(time.Second)
			s.letHappen()
		}()
		if !s.rest(t.Context(), time.Minute) || time.Since(began) != time.Second {
			t.Fatalf("rested for %v", time.Since(began))
		}
	})
}

// Whatever the tempo, a lock is there for as long as its worker thinks.
func TestLeasesFollowTheTempo(t *testing.T) {
	s := newTestStage(t)
	w := newTestWorker(t, s)
	l := w.tokenLock("lock:a", time.Minute)
	if !must(l.acquire(t.Context()))(t) {
		t.Fatal("not acquired")
	}
	near := func(want time.Duration) {
		t.Helper()
		left := w.client.PTTL(t.Context(), l.key).Val()
		if left > want+want/10 || left < want-want/10 {
			t.Fatalf("the lease has %v left, want about %v", left, want)
		}
	}
	near(time.Minute)
	for _, step := range []struct {
		set  func(*Tempo)
		want time.Duration
	}{
		{func(t *Tempo) { t.Rate = 0.5 }, 2 * time.Minute},
		{func(t *Tempo) { t.Held = true }, 100 * time.Minute},
		{func(t *Tempo) { t.Rate = 4 }, 100 * time.Minute},
		{func(t *Tempo) { t.Held = false }, 15 * time.Second},
		{func(t *Tempo) { t.Rate = 1 }, time.Minute},
	} {
		if err := s.change(t.Context(), step.set); err != nil {
			t.Fatal(err)
		}
		near(step.want)
	}
	if left := s.clock.now().until(l.until); left > time.Minute || left < 40*time.Second {
		t.Fatalf("the worker thinks that it has %v left", left)
	}
	if !must(l.extend(t.Context()))(t) {
		t.Fatal("not extended")
	}
	near(time.Minute)
}

func TestStepsFromSentenceToSentence(t *testing.T) {
	s := newTestStage(t)
	ctx := t.Context()
	held := func(want bool) {
		t.Helper()
		redistest.Eventually(t, patience, func() (bool, string) { return s.director.now().Held == want, "held or not" })
	}
	w := newTestWorker(t, s)
	l := w.tokenLock("lock:a", time.Minute)
	s.news("one")
	if err := s.hold(ctx); err != nil {
		t.Fatal(err)
	}
	held(true)
	s.news("two") // somebody was just saying it
	if err := s.step(ctx); err != nil {
		t.Fatal(err)
	}
	if now := s.narrator.current().Text; now != "two" || !s.director.now().Held {
		t.Fatalf("%q, %+v", now, s.director.now())
	}
	asked, answered := context.WithCancel(ctx)
	if err := s.step(asked); err != nil {
		t.Fatal(err)
	}
	answered() // whoever asks for a step does not wait for its end
	if tempo := s.director.now(); tempo.Held || !tempo.Stepping {
		t.Fatalf("%+v: it must go on until there is a sentence", tempo)
	}
	if !must(l.acquire(ctx))(t) {
		t.Fatal("not acquired")
	}
	s.say("three")
	held(true)
	redistest.Eventually(t, patience, func() (bool, string) {
		left := w.client.PTTL(ctx, l.key).Val()
		return left > 90*time.Minute, "the lease has " + left.String() + " left: it is not held with the rest"
	})
	s.say("four")
	if now := s.narrator.current().Text; now != "three" || s.director.now().Stepping {
		t.Fatalf("%q, %+v", now, s.director.now())
	}
	if err := s.hold(ctx); err != nil {
		t.Fatal(err)
	}
	held(false)
	s.group.Wait()
	if log := s.narrator.sentences(); len(log) != 3 || log[2].Text != "three" {
		t.Fatalf("told: %+v", log)
	}
}

// A sentence that comes while somebody makes up his mind to step is the one that the step ends at.
func TestStepEndsAtASentenceThatWaits(t *testing.T) {
	s := newTestStage(t)
	if err := s.hold(t.Context()); err != nil {
		t.Fatal(err)
	}
	told := 0
	s.news("one")
	s.narrator.awaitNext(func() { told++ })
	s.narrator.awaitNext(func() { told++ })
	s.news("two")
	s.news("three")
	if log := s.narrator.current().Text; told != 2 || log != "two" {
		t.Fatalf("told %d times, and it is at %q", told, log)
	}
}
