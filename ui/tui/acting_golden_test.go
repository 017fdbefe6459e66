package tui

import (
	"fmt"
	"testing"
	"time"

	"locktop/actions"
)

// TestGoldenActing holds the dialogs, the report and the panel of actions to their pictures at every size.
func TestGoldenActing(t *testing.T) {
	many := []string{"lock:invoice:7731", "orders:checkout", "cart:100", "cart:991", "mutex:queue", "锁:订单:42"}
	screens := map[string]func(h *harness){
		"acting-bulk":   func(h *harness) { markKeys(h, many...); h.keys("r") },
		"acting-hidden": func(h *harness) { markKeys(h, many...); h.keys("/", "c", "a", "r", "t", "enter", "x") },
		"acting-production": func(h *harness) {
			h.m.config.Production, h.m.config.Profile = true, "prod-eu"
			h.keys("x", "shift+tab")
			h.typing("lock:inv")
		},
		"acting-production-bulk": func(h *harness) {
			h.m.config.Production, h.m.config.Profile = true, "prod-eu"
			markKeys(h, many...)
			h.keys("x")
		},
		"acting-report": func(h *harness) {
			h.operator.answers = func(r actions.Request) actions.Outcome {
				if r.Lock.Key == "cart:100" {
					return actions.Outcome{Result: actions.ResultNotHolder, Holder: "worker-8", Woken: -1}
				}
				return actions.Outcome{Result: actions.ResultReleased, Woken: 2}
			}
			markKeys(h, many...)
			h.keys("r", "tab", "enter")
			h.finishRun()
		},
		"acting-progress": func(h *harness) {
			markKeys(h, many...)
			h.keys("r", "tab", "enter", "esc")
		},
		"acting-writing": func(h *harness) { h.operator.until = noon.Add(30 * time.Second); h.send(tickMsg{}) },
		"acting-rearm":   func(h *harness) { h.operator.until = noon.Add(-time.Second); h.keys("r") },
		"acting-panel": func(h *harness) {
			h.operator.lines = fixtureActions(noon)
			h.keys("A")
			h.run(func() bool { return h.m.lastActions.read })
		},
	}
	for name, prepare := range screens {
		for _, size := range [][2]int{{45, 20}, {60, 15}, {80, 24}, {120, 40}, {200, 50}} {
			for _, themeName := range []string{"default", "mono"} {
				t.Run(fmt.Sprintf("%s-%dx%d-%s", name, size[0], size[1], themeName), func(t *testing.T) {
					h := withFixture(t, size[0], size[1], themeName)
					prepare(h)
					h.m.toast = toast{}
					h.send(nil)
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
