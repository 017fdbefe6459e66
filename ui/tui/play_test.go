package tui

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// fakePlay shows the scene that a test gives it, and records what it is told.
type fakePlay struct {
	mu       sync.Mutex
	scene    Scene
	looked   int // how often the scene was asked for
	controls []Control
	err      error
}

func (f *fakePlay) Scene() Scene {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looked++
	return f.scene
}

func (f *fakePlay) Control(_ context.Context, c Control) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.controls = append(f.controls, c)
	if f.err != nil {
		return f.err
	}
	switch c {
	case ControlHold:
		f.scene.Held = !f.scene.Held
	case ControlSlower:
		f.scene.Rate /= 2
	case ControlFaster:
		f.scene.Rate *= 2
	case ControlStep:
		f.scene.Stepping = true
	case ControlFault, ControlRestart, ControlBack, ControlForward, ControlBackMinute, ControlForwardMinute:
	}
	return nil
}

// stage puts a demo below the dashboard.
func (h *harness) stage(s Scene) {
	h.t.Helper()
	h.play = &fakePlay{scene: s}
	h.m.config.Play = h.play
	h.m.keys.setDemo(true)
	h.send(tickMsg{})
}

// withDemo is a harness that has got the fixture's snapshot and its demo.
func withDemo(t testing.TB, width, height int, themeName string) *harness {
	t.Helper()
	h := withFixture(t, width, height, themeName)
	h.stage(fixtureScene(noon))
	return h
}

// fixtureScene is a demo with sound and flawed variants in the midst of its fault.
func fixtureScene(now time.Time) Scene {
	at := func(seconds int) time.Time { return now.Add(-time.Duration(seconds) * time.Second) }
	s := Scene{
		Name:    "crash",
		Shows:   "What becomes of a lock whose holder dies: with a lease it waits, without one it is stuck for good.",
		LookFor: "A lock of the state stuck, whose holder is gone, and the waiters behind it that come no further.",
		Fault:   "a holder dies", Rate: 1,
		Told: []Sentence{
			{at(58), "worker-1 took orders:checkout for 12 s: if it dies now, nobody else can go on before that", false},
			{at(51), "worker-2 got orders:checkout 0.1 s after worker-1 had left it; 3 more wait for it", false},
			{at(43), "worker-7 died between SETNX and EXPIRE: lock:invoice:7731 has no TTL, and nobody is left to release it", true},
			{at(35), "worker-3 gave up on lock:invoice:7731, which is stuck for 8.1 s; it will try again", false},
			{at(26), "worker-5 found lock:invoice:7731 without a TTL and gave it one: waiters that repair make the crash harmless", true},
			{at(15), "worker-3 got lock:invoice:7731, which had been stuck for 28 s: the queue moves again", true},
			{at(9), "worker-4 took orders:checkout for 12 s: if it dies now, nobody else can go on before that", false},
			{at(2), "worker-4 died at work: orders:checkout stays locked until its lease of 12 s is over, and then goes on; 3 workers wait for it meanwhile", true},
		},
		Lanes: []Lane{
			{
				Name: "set nx px", Shows: "the lease comes with the lock, in one command", Acquisitions: 1284, Played: 4,
				Said: []string{"A holder died 4 times; each time the lock was free again when its lease was over, after 12 s at most."},
			},
			{
				Name: "setnx, then expire", Shows: "two commands, with a gap in which a holder may die", Flawed: true,
				Acquisitions: 61, Faults: 3, Played: 3,
				Said: []string{
					"A holder died 3 times between the two commands: each time the lock was stuck.",
					"Nobody got lock:invoice:7731 for 28 s, 31 s and 44 s.",
				},
			},
			{
				Name: "setnx with repair", Shows: "waiters give a TTL to a lock that has none", Acquisitions: 77, Played: 3,
				Said: []string{"A holder died 3 times; a waiter repaired it each time, after 5 s at most."},
			},
		},
		Table: [][]string{
			{"variant", "waited p50", "waited p99", "stuck for"},
			{"set nx px", "0.2 s", "12.1 s", "0 s"},
			{"setnx, then expire", "0.4 s", "44.0 s", "103 s"},
			{"setnx with repair", "0.3 s", "5.2 s", "14 s"},
		},
	}
	s.Now = s.Told[len(s.Told)-1]
	return s
}

// hostileScene says a text wherever a demo may say anything.
func hostileScene(text string) Scene {
	told := Sentence{At: noon, Text: text, News: true}
	return Scene{
		Name: text, Shows: text, LookFor: text, Fault: text + "fault", Now: told, Told: []Sentence{told, {At: noon, Text: text}},
		Lanes: []Lane{{Name: text, Shows: text, Faults: -1, Said: []string{text, ""}}, {Flawed: true}},
		Table: [][]string{{text, text}, {}, {text, text, text}},
	}
}

func TestGoldenDemo(t *testing.T) {
	for name, prepare := range map[string]func(h *harness){
		"playing": func(*harness) {},
		"demo":    func(h *harness) { h.keys("5") },
		"held":    func(h *harness) { h.play.scene.Held = true },
		"keys":    func(h *harness) { h.keys("?") },
		"begun":   func(h *harness) { h.play.scene.Now, h.play.scene.Told, h.play.scene.Lanes = Sentence{}, nil, nil },
	} {
		for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 40}, {200, 50}, {45, 20}} {
			for _, look := range looksAt(size, false) {
				t.Run(fmt.Sprintf("play-%s-%dx%d-%s", name, size[0], size[1], look), func(t *testing.T) {
					h := withDemo(t, size[0], size[1], themeOf(t, look))
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
