package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// What each way of releasing does when the lock was lost and another has it: whether it looks, and how late it may act on that.
func TestLateReleases(t *testing.T) {
	for _, l := range tokenLanes() {
		t.Run(l.label, func(t *testing.T) {
			s := newTestStage(t)
			late, next := newTestWorker(t, s), newTestWorker(t, s)
			release := l.release(late)
			ctx := t.Context()
			own, other := late.tokenLock(l.label, time.Minute), next.tokenLock(l.label, time.Minute)
			atOnce := func(context.Context) error { return nil }
			if !must(own.acquire(ctx))(t) || !must(release(ctx, own, atOnce))(t) || value(ctx, t, next.client, l.label) != "" {
				t.Fatal("its own lock, in time: not released")
			}
			if !must(own.acquire(ctx))(t) {
				t.Fatal("not acquired again")
			}
			stalls := 0
			released := must(release(ctx, own, func(ctx context.Context) error {
				stalls++
				return errors.Join(next.client.Del(ctx, own.key).Err(), wasAcquired(other.acquire(ctx)))
			}))(t)
			if stalls != 1 || released != l.flawed || (value(ctx, t, next.client, l.label) == "") != l.flawed {
				t.Fatalf("it stalled %d times and released the next one's lock: %v, want %v", stalls, released, l.flawed)
			}
			if aborted := slices.Contains(s.ledger.verdict(Variant{}).Said, "a release by WATCH was aborted, because the lock had changed, and tried again"); aborted != (l.label == labelsLock) {
				t.Errorf("EXEC was aborted: %v", aborted)
			}
			over := errors.New("the demo is over")
			if !must(own.acquire(ctx))(t) && l.flawed {
				t.Fatal("not acquired a third time")
			}
			if l.flawed || must(other.release(ctx))(t) && must(own.acquire(ctx))(t) {
				if _, err := release(ctx, own, func(context.Context) error { return over }); !errors.Is(err, over) || value(ctx, t, next.client, l.label) != own.owner {
					t.Errorf("the end of the demo while it stalls: %v", err)
				}
			}
		})
	}
}

// wasAcquired makes an error of a lock that was not acquired.
func wasAcquired(won bool, err error) error {
	if err == nil && !won {
		return errors.New("not acquired")
	}
	return err
}

// A worker that was held up between the acquisition and the critical section does not go in when its lease may be over.
func TestTooLateToGoIn(t *testing.T) {
	s := newTestStage(t)
	l := tokenLanes()[0]
	w := newTestWorker(t, s)
	c := w.tokenLock(l.label, tokenLease)
	c.until = w.clock.now().add(tokenLease / 10)
	if _, in := l.enter(w, c); in {
		t.Error("it went in shortly before the end of its lease")
	}
	c.until = w.clock.now().add(tokenLease)
	if _, in := l.enter(w, c); !in {
		t.Error("it did not go in")
	}
}

func TestToken(t *testing.T) {
	play(t, "token", func(t *testing.T, d *Demo, _ *redis.Client) {
		eventually(t, "every lane has played a late release, and the flawed ones have shown what comes of it", func(context.Context) bool {
			return playedOut(d.Verdict())
		})
		for i, l := range d.Verdict().Lanes {
			said := fmt.Sprint(l.Said)
			want := "a late release was refused"
			if l.Flawed {
				want = "a late release deleted the lock of the next holder"
			}
			if l.Flawed != (l.Violations > 0) || !strings.Contains(said, want) {
				t.Errorf("%s: %s", l.Name, said)
			}
			if strings.Contains(said, "aborted") != (i == 1) {
				t.Errorf("%s: only a transaction is aborted: %s", l.Name, said)
			}
		}
	})
}
