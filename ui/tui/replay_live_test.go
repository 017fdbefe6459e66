package tui

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"locktop/demo"
	"locktop/inspector"
	"locktop/inspector/recording"
	"locktop/keyspace"
)

// TestADemoIsRecordedAsItWasSeen records what is seen of real workers on a real server, and compares the screens of every frame with
// those of the snapshot that it was made of.
func TestADemoIsRecordedAsItWasSeen(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"contention", "crash", "reentrant"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			running, err := demo.Start(ctx, demo.Options{Scenario: scenario, Seed: 7, Speed: 8})
			if err != nil {
				t.Fatal(err)
			}
			defer running.Close()
			live := seenOf(ctx, t, running)
			path := filepath.Join(t.TempDir(), "rec.jsonl.gz")
			seen := recordedOf(t, live, path)

			tape, err := recording.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer tape.Close()
			if tape.Len() != len(seen) {
				t.Fatalf("%d frames of %d snapshots", tape.Len(), len(seen))
			}
			for i, s := range seen {
				read, err := tape.Snapshot(i)
				if err != nil {
					t.Fatal(err)
				}
				for _, keys := range [][]string{{"1"}, {"2"}, {"2", "enter"}, {"3"}, {"4"}, {"enter"}, {"enter", "z", "left"}, {"G", "enter"}} {
					if got, want, same := sameScreens(t, read, s, keys); !same {
						t.Fatalf("frame %d, after %q: the recording shows\n%s\nand it was\n%s", i, keys, got, want)
					}
				}
			}
		})
	}
}

// seenOf looks at a demo as the dashboard does.
func seenOf(ctx context.Context, t *testing.T, running *demo.Demo) *inspector.Inspector {
	t.Helper()
	servers, err := keyspace.Dial(ctx, running.Place())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = servers.Close() })
	rules := inspector.Rules(nil)
	observation, err := servers.Observe(ctx, keyspace.ObserveOptions{
		Patterns: inspector.DefaultPatterns(), Nudge: true, Clients: true, Follow: rules.Follow, Companions: rules,
	})
	if err != nil {
		t.Fatal(err)
	}
	return inspector.Start(context.WithoutCancel(ctx), observation, inspector.Options{Masters: servers.Masters(), Thresholds: running.Thresholds()})
}

// recordedOf records some snapshots, and returns them.
func recordedOf(t *testing.T, live *inspector.Inspector, path string) []*inspector.Snapshot {
	t.Helper()
	w, err := recording.Create(path, recording.Header{Where: "prod-cache"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var seen []*inspector.Snapshot
	var shot, event uint64
	for len(seen) < 30 {
		s, err := live.Next(t.Context(), shot)
		if err != nil {
			t.Fatal(err)
		}
		shot = s.Seq
		if len(seen) == 10 && len(s.Locks) > 0 {
			live.Keep(sampleOf(s.Locks[0]))
		}
		var news []inspector.Event // as many as the snapshot has, so that it can be compared with
		for _, e := range s.Events {
			if e.Seq > event {
				news, event = append(news, e), e.Seq
			}
		}
		if err := w.Frame(s, news); err != nil {
			t.Fatal(err)
		}
		seen = append(seen, s)
	}
	if err := w.Close("enough"); err != nil {
		t.Fatal(err)
	}
	if last := seen[len(seen)-1]; last.Roll == nil || last.Unseen == nil {
		t.Errorf("nobody told who is connected, or what was not seen: %+v", last)
	}
	return seen
}

// sampleOf is what a contention probe may have found of a lock.
func sampleOf(l *inspector.Lock) *inspector.Sample {
	now := time.Now()
	counts := inspector.Sampled{Attempts: 21, Acquired: 2, Failed: 18, Waits: 1}
	return &inspector.Sample{
		Ref: l.Ref, From: now.Add(-2 * time.Second), To: now, Ended: keyspace.ProbeTime, Sampled: counts, Waiting: 1, Lines: 300, Bytes: 9000,
		Clients: []inspector.SampledClient{{
			Addr: "10.0.0.9:41234", Connections: 1, Name: "worker-5", Library: "jedis", LibraryVersion: "5.1", Owner: "abc", Owners: 1,
			Sampled: counts, First: now.Add(-2 * time.Second), Last: now, Waiting: true,
		}},
		Nodes: []inspector.SampledNode{{Node: l.Node, Lines: 300, Bytes: 9000, LoadKnown: true, OpsBefore: 100, OpsDuring: 120, CPU: 0.03}},
	}
}

// sameScreens compares the screens of two snapshots. A recording has microseconds, so that once in a while a figure is shown as the one
// beside it; it is not at another moment as well.
func sameScreens(t *testing.T, read, live *inspector.Snapshot, keys []string) (got, want string, same bool) {
	t.Helper()
	for n := range 3 {
		at := live.TakenAt.Truncate(time.Microsecond).Add(time.Duration(n) * 37 * time.Millisecond)
		screen := func(s *inspector.Snapshot) string {
			h := newHarness(t, 160, 200, "default")
			h.now = at
			h.stageReel(fixtureReel(noon))
			h.show(s)
			h.keys(keys...)
			return h.screen()
		}
		if got, want = screen(read), screen(live); got == want {
			return got, want, true
		}
	}
	return got, want, false
}
