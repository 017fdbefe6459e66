package recording

import (
	"context"
	"testing"
	"time"

	"locktop/inspector"
)

// played is a player whose outer time stands still unless a test moves it.
func played(t *testing.T, n int) (*Player, []*inspector.Snapshot, *time.Time) {
	t.Helper()
	list := story(3, n)
	now := time.Now()
	p := NewPlayer(opened(t, written(t, "rec.jsonl", list)), time.Time{}, 1)
	p.now = func() time.Time { return now }
	p.since = now
	return p, list, &now
}

func next(t *testing.T, p *Player) *inspector.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	s, err := p.Next(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPlayer(t *testing.T) {
	p, list, now := played(t, 60)
	s := next(t, p)
	wantSame(t, s, list[0])
	if s.Seq != 1 || !p.Clock().Equal(list[0].TakenAt) {
		t.Errorf("it begins with number %d at %v", s.Seq, p.Clock())
	}

	*now = now.Add(list[5].TakenAt.Sub(list[0].TakenAt))
	wantSame(t, next(t, p), list[5]) // those between are passed over
	p.Faster()
	*now = now.Add(list[9].TakenAt.Sub(list[5].TakenAt) / 2)
	wantSame(t, next(t, p), list[9])

	p.Hold()
	*now = now.Add(time.Hour)
	if !p.Clock().Equal(list[9].TakenAt) || !p.Progress().Held {
		t.Errorf("held, and it is %v", p.Clock())
	}
	before := p.Clock()
	p.Jump(time.Minute)
	s = next(t, p)
	if at := p.Clock(); !at.Equal(before.Add(time.Minute)) || s.TakenAt.After(at) {
		t.Errorf("a minute later it is %v, and the snapshot of %v", at, s.TakenAt)
	}
	p.Jump(-10 * time.Second)
	p.Jump(-10 * time.Second)
	s = next(t, p)
	if at := p.Clock(); !at.Equal(before.Add(40 * time.Second)) {
		t.Errorf("two jumps that come at once do not add up: %v", at.Sub(before))
	}
	wantSame(t, s, list[p.frame])
	if s.Seq != 5 {
		t.Errorf("the numbers do not go on: %d", s.Seq)
	}

	at := p.frame
	p.Step()
	next(t, p)
	if p.frame <= at || p.marks[p.frame].news == 0 || !p.Progress().Held {
		t.Errorf("a step led from frame %d to %d", at, p.frame)
	}

	p.Jump(10 * time.Hour)
	wantSame(t, next(t, p), list[len(list)-1])
	if got := p.Progress(); !got.Ended || got.Why != "the story is over" {
		t.Errorf("at the end: %+v", got)
	}
	p.Step()
	wantSame(t, next(t, p), list[len(list)-1])
	p.Restart()
	wantSame(t, next(t, p), list[0])
	if got := p.Progress(); got.Held || got.Speed != 1 || got.Ended {
		t.Errorf("from the beginning: %+v", got)
	}
	for range 20 {
		p.Slower()
	}
	if got := p.Progress().Speed; got != Slowest {
		t.Errorf("the slowest is %v", got)
	}
	for range 20 {
		p.Faster()
	}
	if got := p.Progress().Speed; got != Fastest {
		t.Errorf("the fastest is %v", got)
	}
}

func TestPlayerWaits(t *testing.T) {
	p, list, _ := played(t, 10)
	next(t, p)
	p.Hold()
	got := make(chan *inspector.Snapshot, 1)
	go func() {
		s, _ := p.Next(t.Context(), 1)
		got <- s
	}()
	p.Jump(time.Hour) // wakes whoever waits
	select {
	case s := <-got:
		wantSame(t, s, list[len(list)-1])
	case <-time.After(20 * time.Second):
		t.Fatal("nobody was woken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Next(ctx, 0); err == nil {
		t.Error("the end of the context is no end")
	}
}
