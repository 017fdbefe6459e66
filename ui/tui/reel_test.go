package tui

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/inspector"
)

// fixtureReel is a recording of an hour, of which a third was seen.
func fixtureReel(now time.Time) Scene {
	return Scene{Rate: 2, Reel: &Reel{First: now.Add(-20 * time.Minute), Last: now.Add(40 * time.Minute), At: now}}
}

// stageReel plays a recording.
func (h *harness) stageReel(s Scene) {
	h.t.Helper()
	h.play = &fakePlay{scene: s}
	h.m.config.Play = h.play
	h.m.config.Clock = func() time.Time { return h.now }
	h.m.keys.setDemo(false)
	h.m.keys.setReplay(true)
	h.operator.readOnly = true
	h.m.keys.setReadOnly(true)
	h.send(tickMsg{})
}

func withReel(t testing.TB, width, height int, themeName string) *harness {
	t.Helper()
	h := withFixture(t, width, height, themeName)
	h.stageReel(fixtureReel(noon))
	return h
}

// wantReelControl is a test of a key that only a recording has.
func wantReelControl(c Control) func(t *testing.T, h *harness, press string) {
	return func(t *testing.T, h *harness, press string) {
		h.stageReel(fixtureReel(noon))
		h.keys(press)
		h.control(1)
		wantControls(t, h, c)
	}
}

func TestGoldenReel(t *testing.T) {
	for name, prepare := range map[string]func(h *harness){
		"playing": func(*harness) {},
		"detail":  func(h *harness) { h.keys("enter") },
		"held":    func(h *harness) { h.play.scene.Held = true },
		"keys":    func(h *harness) { h.keys("?") },
		"end": func(h *harness) {
			h.play.scene.Reel.At, h.play.scene.Reel.Ended = h.play.scene.Reel.Last, true
			h.play.scene.Reel.End = "line 4711 is cut off, as where whoever recorded it was killed or goes on"
		},
	} {
		for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 40}, {200, 50}, {45, 20}} {
			for _, themeName := range []string{"default", "mono"} {
				if themeName == "mono" && size[0] != 80 && name != "playing" {
					continue
				}
				t.Run(fmt.Sprintf("reel-%s-%dx%d-%s", name, size[0], size[1], themeName), func(t *testing.T) {
					h := withReel(t, size[0], size[1], themeName)
					prepare(h)
					h.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
					frame := h.m.View()
					if err := checkFrame(frame, size[0], size[1]); err != nil {
						t.Error(err)
					}
					compareGolden(t, frame)
				})
			}
		}
	}
}

func TestARecordingCannotBeActedOn(t *testing.T) {
	h := withReel(t, 120, 30, "default")
	for _, press := range []string{"r", "e", "x"} {
		h.keys(press)
		h.wantSeen("a recording cannot be acted on")
	}
	h.keys("P")
	h.wantSeen("the probe is off: a recording has no server")
	h.keys("A")
	h.wantSeen("what was done while it was made is among the events")
	h.keys("2", "r")
	h.wantSeen("release is off: a recording cannot be acted on")
	h.keys("1", "Y")
	h.wantSeen("a recording has no redis-cli commands")
	h.keys("f", "5")
	h.wantSeen("REPLAY", "lock:invoice:7731")
	h.wantUnseen("READ-ONLY", "no fault", "PRODUCTION")
	h.m.config.Production = true // as the recording says
	h.send(tickMsg{})
	h.wantSeen("REPLAY", "PRODUCTION")
	if h.m.dialog != nil || h.m.probe != nil || h.m.lastActions != nil || len(h.operator.requests) > 0 || len(h.play.told()) > 0 {
		t.Error("something was done")
	}
}

// TestToastsGoWhileTimeStandsStill: a recording that is held has a clock that stands still, and one that goes back may never come to a
// toast's end.
func TestToastsGoWhileTimeStandsStill(t *testing.T) {
	h := withReel(t, 120, 30, "default")
	h.keys("r")
	h.now = h.now.Add(-time.Hour)
	h.send(tickMsg{})
	h.wantSeen("a recording cannot be acted on")
	h.m.ends = time.Now() // as if its time were over
	h.send(tickMsg{})
	h.wantUnseen("a recording cannot be acted on")
}

// TestEventsGoBackWithTheRecording: after a jump the view has the events of the snapshot, and nothing is said to be missing.
func TestEventsGoBackWithTheRecording(t *testing.T) {
	h := withReel(t, 120, 30, "default")
	h.keys("3")
	shot := func(seq, from, to uint64) *inspector.Snapshot {
		s := snapshotOf(seq, noon, nil)
		s.Events = nil
		for i := from; i <= to; i++ {
			s.Events = append(s.Events, inspector.Event{Seq: i, At: noon, Ref: ref(fmt.Sprintf("key:%d", i)), Kind: inspector.EventAcquired})
		}
		return s
	}
	h.show(shot(2, 90, 100))
	h.wantSeen("key:100", "key:90")
	h.show(shot(3, 10, 12))
	h.wantSeen("key:12", "key:10")
	h.wantUnseen("key:90", "key:100")
	h.show(shot(4, 500, 510))
	h.wantSeen("key:510")
	h.wantUnseen("key:12", "too fast to be kept")
	h.show(shot(5, 1, 0))
	h.wantUnseen("key:")
}

// TestRowsAreArrangedAfterAJumpBack: what was sorted at a later time of the recording does not keep back what is sorted now.
func TestRowsAreArrangedAfterAJumpBack(t *testing.T) {
	h := withReel(t, 120, 30, "default")
	h.m.table.took = time.Millisecond
	h.now = h.now.Add(-time.Hour)
	h.m.arrangedAt = time.Now().Add(-time.Second)
	h.send(snapshotMsg{snapshot: snapshotOf(2, h.now, manyLocks(1, h.now))})
	h.wantSeen("lock:0000000")
	h.wantUnseen("lock:invoice:7731")
}

type fakeRecorder struct {
	bytes int64
	err   error
}

func (f *fakeRecorder) Status() (int64, error) { return f.bytes, f.err }

func TestRecordingIsShown(t *testing.T) {
	h := withFixture(t, 80, 24, "default")
	r := &fakeRecorder{bytes: 12_345_678}
	h.m.config.Recorder = r
	h.send(tickMsg{})
	h.wantSeen("● REC 12 MB")
	r.err = errors.New("no space left on \x1b[2Jdevice")
	h.send(tickMsg{})
	h.wantSeen("NOT RECORDING", "✖ not recording any more: no space left")
	h.keys("esc")
	h.send(tickMsg{})
	h.wantSeen("NOT RECORDING")
	h.wantUnseen("not recording any more")
}

func TestReportIsOfWhatWasChosen(t *testing.T) {
	for name, c := range map[string]struct {
		keys []string
		want int
		all  bool
	}{
		"detail": {[]string{"j", "enter"}, 1, false},
		"marks":  {[]string{"m", "m", "m"}, 3, false},
		"events": {[]string{"3"}, 4, true},
		"nodes":  {[]string{"4"}, 4, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := withFixture(t, 120, 30, "default")
			var got Incident
			h.m.config.Report = func(_ context.Context, i Incident) (string, error) {
				got = i
				return "r.md", nil
			}
			h.keys(c.keys...)
			h.keys("w")
			h.answer()
			if len(got.Locks) != c.want || got.All != c.all || got.At != noon {
				t.Errorf("the report is of %d locks, all=%t, at %v", len(got.Locks), got.All, got.At)
			}
			h.keys("y")
			h.run(func() bool { return len(h.copied) > 0 })
			if h.copied[0] != "r.md" {
				t.Errorf("copied %q, not the path", h.copied)
			}
		})
	}
	h := withFixture(t, 120, 30, "default")
	h.m.config.Report = func(context.Context, Incident) (string, error) { return "", errors.New("no room") }
	h.keys("w")
	h.answer()
	h.wantSeen("✖ no report was written: no room")
}

// TestAJumpKeepsTheTrouble: after a jump the events are others, and what is shown of them is chosen as before.
func TestAJumpKeepsTheTrouble(t *testing.T) {
	h := newHarness(t, 120, 30, "mono")
	h.stageReel(fixtureReel(noon))
	h.show(fixture())
	h.keys("3", "!")
	earlier := snapshotOf(2, noon, fixtureLocks(noon))
	earlier.Events = earlier.Events[:5]
	h.show(earlier)
	h.wantSeen("TROUBLE ONLY", "lost")
	h.wantUnseen("acquired")
}
