package demo

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

func TestPause(t *testing.T) {
	play(t, "pause", func(t *testing.T, d *Demo, client *redis.Client) {
		eventually(t, "all lanes have played their fault, and where no token is checked updates are lost", func(context.Context) bool {
			v := d.Verdict()
			return playedOut(v) && v.Lanes[1].LostUpdates > 0 && v.Lanes[2].LostUpdates > 0
		})
		fenced := laneOf(t, d, "fenced")
		if fenced.Violations == 0 || fenced.Refused == 0 || fenced.Faults != 0 {
			t.Errorf("two were to be inside, and one to be refused: %+v", fenced)
		}
		if n, err := client.Get(t.Context(), "redisson_lock_token:{"+fencedLock+"}").Int(); err != nil || n < fenced.Acquisitions {
			t.Errorf("the counter of fencing tokens is %d, %v", n, err)
		}
	})
}

func TestFencingTokenIsSeen(t *testing.T) {
	d := begin(t, Options{Scenario: "pause", Variant: "fenced", Server: ServerEmbedded, Seed: 7, Speed: testSpeed})
	i := inspect(t, d)
	eventually(t, "the lock with its fencing token, and nothing else", func(context.Context) bool {
		for _, l := range i.Latest().Locks {
			if l.Key != fencedLock {
				t.Fatalf("%s is shown as a lock", l.Key)
			}
			if l.FencingToken != nil && *l.FencingToken > 1 {
				return true
			}
		}
		return false
	})
}

func TestPauseNeedsTheCounter(t *testing.T) {
	server := redistest.Start(t)
	server.Do("ACL", "SETUSER", "anna", "on", ">p", "~locktop:demo:*", "&*", "+@all")
	d, err := Start(t.Context(), Options{
		Scenario: "pause", Target: &keyspace.Options{Network: "unix", Addr: server.Socket, Username: "anna", Password: "p"},
	})
	if err == nil {
		t.Fatalf("started: %v", d.Close())
	}
	if want := "that may also write redisson_lock_token:{locktop:demo:*"; !strings.Contains(err.Error(), want) {
		t.Errorf("%q, want %q", err, want)
	}
}

// stay is a worker who holds the lock of a lane, for the test to lead.
type stay struct {
	w *worker
	l pausedLock
	v *visit
}

func comeIn(t *testing.T, s *stage, p *pausedState) stay {
	t.Helper()
	w := newTestWorker(t, s)
	l := p.newLock(w, w.redissonOwner())
	if !must(l.acquire(t.Context()))(t) {
		t.Fatalf("%s did not get the lock", w.name)
	}
	return stay{w, l, w.ledger.enterFenced(p.label, w.name, l.fencingToken())}
}

// lapse ends the lease of a lock, as time does.
func lapse(t *testing.T, s *stage, label string) {
	t.Helper()
	client := s.conns[0].NewClient("test")
	defer client.Close()
	if err := client.PExpire(t.Context(), s.key(label), -time.Second).Err(); err != nil {
		t.Fatal(err)
	}
}

func TestLateWrite(t *testing.T) {
	for name, c := range map[string]struct {
		lane          pauseLane
		lost, refused int
		told          string
	}{
		"unfenced": {pauseLane{label: "lock:a"}, 1, 0, "an update is lost"},
		"fenced":   {pauseLane{label: "lock:a", fenced: true}, 0, 1, "with token 1: refused"},
		"rechecks": {pauseLane{label: "lock:a", rechecks: true}, 0, 0, "no longer its own, so it did not"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestStage(t)
			p := &pausedState{pauseLane: c.lane}
			first := comeIn(t, s, p)
			lapse(t, s, p.label)
			second := comeIn(t, s, p)
			p.write(t.Context(), second.w, second.l, second.v, "")
			p.write(t.Context(), first.w, first.l, first.v, " woke up and")
			v := s.ledger.verdict(Variant{})
			if v.Violations != 1 || v.LostUpdates != c.lost || v.Refused != c.refused {
				t.Errorf("%+v", v)
			}
			told := s.narrator.sentences()
			if len(told) == 0 || !strings.Contains(told[len(told)-1].Text, c.told) {
				t.Errorf("told %+v, and not that %q", told, c.told)
			}
		})
	}
}

// What a worker knows from a look at its token may be over when it acts on it.
func TestLookBeforeWriteLeavesAGap(t *testing.T) {
	s := newTestStage(t)
	p := &pausedState{pauseLane: pauseLane{label: "lock:a", rechecks: true}}
	first := comeIn(t, s, p)
	if !p.isOurs(t.Context(), first.w, first.l) {
		t.Fatal("it is its own")
	}
	lapse(t, s, p.label)
	if p.isOurs(t.Context(), first.w, first.l) {
		t.Fatal("nobody has it")
	}
	second := comeIn(t, s, p)
	if p.isOurs(t.Context(), first.w, first.l) {
		t.Fatal("it is another one's")
	}
	p.writeAtOnce(first.w, first.l, first.v, "")
	p.write(t.Context(), second.w, second.l, second.v, "")
	if v := s.ledger.verdict(Variant{}); v.LostUpdates != 1 {
		t.Fatalf("%+v", v)
	}
}

// Fencing tokens go up with every acquisition, also where a lease was lost in between.
func TestFencingTokensGoUp(t *testing.T) {
	s := newTestStage(t)
	w := newTestWorker(t, s)
	for want := range int64(4) {
		l := w.fencedLock("lock:a", w.redissonOwner(), time.Minute)
		if !must(l.acquire(t.Context()))(t) || l.token != want+1 {
			t.Fatalf("token %d, want %d", l.token, want+1)
		}
		if want%2 == 0 {
			lapse(t, s, "lock:a")
		} else if !must(l.release(t.Context()))(t) {
			t.Fatal("not released")
		}
	}
	other := newTestWorker(t, s)
	held := other.fencedLock("lock:a", other.redissonOwner(), time.Minute)
	late := w.fencedLock("lock:a", w.redissonOwner(), time.Minute)
	if !must(held.acquire(t.Context()))(t) || must(late.acquire(t.Context()))(t) || late.token != 0 {
		t.Fatalf("a lock that is held was acquired, or counted: %d", late.token)
	}
}
