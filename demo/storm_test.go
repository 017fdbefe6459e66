package demo

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAnswers().(*answers)
		if said := a.said(); said != nil {
			t.Fatalf("nobody has asked: %q", said)
		}
		for range 98 {
			a.add(time.Millisecond, true)
		}
		a.add(200*time.Millisecond, false)
		time.Sleep(2 * time.Second)
		a.add(time.Hour, false) // longer than any slot
		time.Sleep(time.Hour)   // after the end of the demo
		if near := a.percentile(0.1); near < time.Millisecond || near > 1100*time.Microsecond {
			t.Errorf("90 of 100 within %v", near)
		}
		if near := a.percentile(0.01); near < 200*time.Millisecond || near > 220*time.Millisecond {
			t.Errorf("99 of 100 within %v", near)
		}
		if said := a.said(); len(said) != 1 || !strings.HasPrefix(said[0], "49.0 acquisitions a second; ") || !strings.HasSuffix(said[0], " 2% were told that somebody has it") {
			t.Errorf("%q", said)
		}
	})
}

// As many workers as asked on as many locks, and few connections.
func TestStormIsAsLargeAsAsked(t *testing.T) {
	onServers(t, func(t *testing.T, server Server) {
		const workers, locks = 300, 7
		d := begin(t, Options{Scenario: Storm, Server: server, Seed: 7, Workers: workers, Locks: locks})
		client := look(t, d.address())
		s := d.show.Load()
		eventually(t, "all workers and all locks", func(context.Context) bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.hired >= workers && s.known[shipment(0)] && s.known[shipment(locks-1)] && s.known[parcel(0)] &&
				s.stages[0].measures.said() != nil // which is more than to ask
		})
		for _, key := range s.keys() {
			if strings.HasPrefix(key, "lock:shipment:") && key > shipment(locks-1) {
				t.Errorf("%s was not asked for", key)
			}
		}
		list := strings.Split(client.ClientList(t.Context()).Val(), "\n")
		shared := slices.DeleteFunc(list, func(line string) bool { return !strings.Contains(line, "name=demo-storm ") })
		if len(shared) == 0 || len(shared) > 32 {
			t.Errorf("%d connections", len(shared))
		}
		if v := d.Verdict(); unsound(v) || v.Lanes[0].Failures > 0 {
			t.Error(v.Text)
		}
	})
}

// Whose lock a dead worker's was, its successor gets when the lease is over, and not before.
func TestSuccessor(t *testing.T) {
	s := newTestStage(t)
	s.measures = newAnswers()
	s.clock.set(20)
	dead, next := hand{newTestWorker(t, s), newQueue(1)}, hand{newTestWorker(t, s), newQueue(1)}
	l := dead.timed("lock:a", stormLease)
	if !must(l.acquire(t.Context()))(t) {
		t.Fatal("not acquired")
	}
	if !next.succeed(t.Context(), &death{worker: dead.name, lock: "lock:a", at: time.Now()}) {
		t.Fatal("it did not succeed")
	}
	if now := s.clock.now(); now < l.until-moment(stormLease)/10 {
		t.Fatalf("it got the lock at %v, and its lease was until %v", time.Duration(now), time.Duration(l.until))
	}
	if v := judge(s.ledger); v.Played != 1 || v.Faults != 0 || v.Failures != 0 || must(next.client.Exists(t.Context(), "lock:a").Result())(t) != 0 {
		t.Fatalf("%+v", v)
	}
}

func TestCarelessOf(t *testing.T) {
	for workers, want := range map[int]int{1: 2, 24: 2, 200: 4, 2000: 40} {
		if got := carelessOf(workers); got != want {
			t.Errorf("%d of %d", got, workers)
		}
	}
}

// Who is hired when must not depend on which lane is faster, for the number of a worker settles its dice.
func TestCrewsAreHiredInOrder(t *testing.T) {
	conns := newTestStage(t).conns
	for _, c := range []struct {
		script script
		hired  []int // after each lane
	}{{storm(), []int{196, 200}}, {market(), []int{11, 22, 33, 44}}} {
		ctx, end := context.WithCancel(t.Context())
		end() // they are hired, and have nothing to do
		s := newShow(ctx, Options{Speed: 1}, nil, conns, "", c.script.lanes)
		for i, stage := range s.stages {
			stage.lane.play(ctx, stage)
			s.mu.Lock()
			hired := s.hired
			s.mu.Unlock()
			if hired != c.hired[i] {
				t.Errorf("%s: %d are hired when lane %d begins to play, not %d", c.script.Name, hired, i, c.hired[i])
			}
		}
		s.group.Wait()
	}
}
