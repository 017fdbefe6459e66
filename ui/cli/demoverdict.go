package cli

import (
	"fmt"
	"strings"

	"locktop/demo"
	"locktop/ui/report"
	"locktop/ui/text"
)

// readyJSON says that a demo runs, and where.
type readyJSON struct {
	Schema   string   `json:"schema"`
	Scenario string   `json:"scenario"`
	Server   string   `json:"server"`
	URLs     []string `json:"urls"`
	Prefix   string   `json:"prefix"`
	Seed     uint64   `json:"seed"`
	Speed    float64  `json:"speed"`
}

// verdictJSON is what the workers of a demo really did.
type verdictJSON struct {
	Schema       string        `json:"schema"`
	Scenario     string        `json:"scenario"`
	Seed         uint64        `json:"seed"`
	Acquisitions int           `json:"acquisitions"`
	Violations   int           `json:"violations"`
	Faults       int           `json:"faults"`
	Variants     []accountJSON `json:"variants"`
	Table        [][]string    `json:"table,omitempty"`
}

type accountJSON struct {
	variantJSON
	Acquisitions  int      `json:"acquisitions"`
	Violations    int      `json:"violations"`
	LostUpdates   int      `json:"lost_updates"`
	RefusedWrites int      `json:"refused_writes"`
	Played        int      `json:"played"`
	Faults        int      `json:"faults"`
	Failures      int      `json:"failures"`
	Said          []string `json:"said"`
}

// sayReady tells where the demo runs.
func (a *app) sayReady(d *showing, running *demo.Demo) error {
	if d.output == "json" {
		return report.WriteJSON(a.stdout, readyJSON{
			Schema: readySchema, Scenario: running.Scenario().Name, Server: running.ServerName(), URLs: strings.Fields(running.URL()),
			Prefix: running.KeyPrefix(), Seed: running.Seed(), Speed: d.options.Speed,
		})
	}
	_, err := fmt.Fprintf(a.stdout, "%s\nready: %s on %s, --seed %d\n",
		running.URL(), running.Scenario().Name, text.Escape(running.ServerName()), running.Seed())
	return err
}

// sayVerdict tells how it ended: after a dashboard in a line, what was measured besides, and else in full.
func (a *app) sayVerdict(d *showing, running *demo.Demo) error {
	verdict, table := running.Verdict(), running.Table()
	if d.output == "json" {
		return report.WriteJSON(a.stdout, verdictOf(running, verdict, table))
	}
	lines := strings.Split(verdict.Text, "\n")
	if !d.serve {
		lines[0] = fmt.Sprintf("%s with --seed %d: %s", running.Scenario().Name, running.Seed(), lines[0])
	}
	out := a.stdout
	if !d.serve {
		out = a.stderr
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(out, text.Escape(line)); err != nil {
			return err
		}
	}
	if len(table) == 0 {
		return nil
	}
	return writeAligned(out, table)
}

func verdictOf(running *demo.Demo, v demo.Verdict, table [][]string) verdictJSON {
	out := verdictJSON{
		Schema: verdictSchema, Scenario: running.Scenario().Name, Seed: running.Seed(),
		Acquisitions: v.Acquisitions, Violations: v.Violations, Faults: v.Faults, Table: table,
	}
	for _, l := range v.Lanes {
		out.Variants = append(out.Variants, accountJSON{
			variantJSON: variantJSON(l.Variant), Acquisitions: l.Acquisitions, Violations: l.Violations, LostUpdates: l.LostUpdates,
			RefusedWrites: l.Refused, Played: l.Played, Faults: l.Faults, Failures: l.Failures, Said: l.Said,
		})
	}
	return out
}
