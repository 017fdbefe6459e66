package cli

import (
	"context"

	"locktop/demo"
	"locktop/ui/tui"
)

// play is a running demo as the dashboard sees it.
type play struct{ running *demo.Demo }

func (p play) Scene() tui.Scene {
	scenario, tempo := p.running.Scenario(), p.running.Tempo()
	scene := tui.Scene{
		Name: scenario.Name, Shows: scenario.Shows, LookFor: scenario.LookFor, Fault: scenario.Fault,
		Rate: tempo.Rate, Held: tempo.Held, Stepping: tempo.Stepping,
		Now: tui.Sentence(p.running.Narration()), Table: p.running.Table(),
	}
	for _, told := range p.running.Narrated() {
		scene.Told = append(scene.Told, tui.Sentence(told))
	}
	for _, l := range p.running.Verdict().Lanes {
		scene.Lanes = append(scene.Lanes, tui.Lane{
			Name: l.Name, Shows: l.Shows, Flawed: l.Flawed,
			Acquisitions: l.Acquisitions, Faults: l.Faults, Played: l.Played, Said: l.Said,
		})
	}
	return scene
}

func (p play) Control(ctx context.Context, c tui.Control) error {
	switch c {
	case tui.ControlFault:
		p.running.LetHappen()
		return nil
	case tui.ControlStep:
		return p.running.Step(ctx)
	case tui.ControlHold:
		return p.running.Hold(ctx)
	case tui.ControlSlower:
		return p.running.Slower(ctx)
	case tui.ControlFaster:
		return p.running.Faster(ctx)
	case tui.ControlRestart:
		return p.running.Restart(ctx)
	case tui.ControlBack, tui.ControlForward, tui.ControlBackMinute, tui.ControlForwardMinute: // of a recording
	}
	return nil
}
