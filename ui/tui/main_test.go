package tui

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"locktop/actions"
	"locktop/inspector"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestMain runs the dashboard itself over a fake source where the environment asks for it: the tests in tmux, and whoever
// wants to look at it, start this test binary with LOCKTOP_TUI_RUN=1.
func TestMain(m *testing.M) {
	if os.Getenv("LOCKTOP_TUI_RUN") == "" {
		os.Exit(m.Run())
	}
	source := &liveSource{seed: fixtureLocks(time.Now()), begun: time.Now()}
	config := Config{
		Source: source, Operator: &fakeOperator{
			readOnly: os.Getenv("LOCKTOP_TUI_READONLY") != "",
			outcome:  actions.Outcome{Result: actions.ResultNotHolder, Holder: "worker-3"},
		},
		Where: "prod-cache", Settings: Settings{Theme: os.Getenv("LOCKTOP_TUI_THEME")}, NoColor: os.Getenv("NO_COLOR") != "", Sync: true,
		Mouse: os.Getenv("LOCKTOP_TUI_MOUSE") != "",
	}
	if os.Getenv("LOCKTOP_TUI_DEMO") != "" {
		config.Play = &fakePlay{scene: fixtureScene(time.Now())}
	}
	if profile := os.Getenv("LOCKTOP_TUI_PRODUCTION"); profile != "" {
		config.Profile, config.Production = profile, true
	}
	err := Run(context.Background(), config)
	var broken *PanicError
	switch {
	case err == nil:
		fmt.Println("bye")
	case errors.Is(err, ErrInterrupted):
		fmt.Println("interrupted")
		os.Exit(130)
	case errors.As(err, &broken):
		fmt.Printf("%v\n%s", broken, broken.Stack)
		os.Exit(2)
	default:
		fmt.Println(err)
		os.Exit(1)
	}
}

// liveSource makes a snapshot every 100 ms in which some locks change hands.
type liveSource struct {
	seed  []*inspector.Lock
	begun time.Time
	seq   uint64
}

func (s *liveSource) Next(ctx context.Context, _ uint64) (*inspector.Snapshot, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(100 * time.Millisecond):
	}
	if os.Getenv("LOCKTOP_TUI_PANIC") != "" && time.Since(s.begun) > 500*time.Millisecond {
		panic("the source broke\x1b[2J")
	}
	now := time.Now()
	for i, l := range s.seed {
		if l.State != inspector.StateHeld || l.ExpiresAt.After(now.Add(time.Second)) && rand.IntN(100) > 2 {
			continue
		}
		next := *l
		next.HeldSince, next.ExpiresAt = now, now.Add(time.Duration(4+rand.IntN(20))*time.Second)
		next.History = append([]inspector.Hold(nil), l.History[max(0, len(l.History)-30):]...)
		if n := len(next.History); n > 0 {
			next.History[n-1].Until, next.History[n-1].UntilExact = now, true
			next.History[n-1].Cause = inspector.CauseReleased
		}
		owner := fmt.Sprintf("worker-%d", rand.IntN(4))
		next.Holders = []inspector.Holder{holder(owner, owner, next.Holders[0].Count.N)}
		next.History = append(next.History, inspector.Hold{Owner: owner, Label: owner, Since: now, SinceExact: true})
		next.Acquisitions[inspector.SparkBuckets-1]++
		s.seed[i] = &next
	}
	s.seq++
	snapshot := snapshotOf(s.seq, now, append([]*inspector.Lock(nil), s.seed...))
	return snapshot, nil
}

func (s *liveSource) Note(inspector.Event) {}
