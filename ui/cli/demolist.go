package cli

import (
	"fmt"
	"strings"

	"locktop/demo"
	"locktop/ui/report"
	"locktop/ui/text"
)

// The JSON of the demo. Additive changes only.
const (
	scenariosSchema = "locktop.scenarios/1"
	readySchema     = "locktop.demo/1"
	verdictSchema   = "locktop.verdict/1"
)

type scenariosJSON struct {
	Schema    string         `json:"schema"`
	Scenarios []scenarioJSON `json:"scenarios"`
}

type scenarioJSON struct {
	Name     string        `json:"name"`
	Shows    string        `json:"shows"`
	LookFor  string        `json:"look_for"`
	Fault    string        `json:"fault"`
	Needs    string        `json:"needs"`
	Variants []variantJSON `json:"variants"`
}

type variantJSON struct {
	Name   string `json:"name"`
	Shows  string `json:"shows"`
	Flawed bool   `json:"flawed"`
}

// needs says in words what a scenario runs on.
func needs(n demo.Needs) string {
	switch n {
	case demo.NeedsReal:
		return "redis-server or valkey-server on PATH, or --url"
	case demo.NeedsMasters:
		return "nothing: it brings five servers of its own, and so runs on no --url"
	case demo.NeedsPair:
		return "redis-server or valkey-server on PATH: it brings a master and a replica of its own, and so runs on no --url"
	case demo.NeedsOne:
	}
	return "nothing: it brings a server of its own, or runs on --url"
}

// listScenarios prints them, the default first, or the one that is named.
func (a *app) listScenarios(d *showing) error {
	all := demo.Scenarios()
	standard := all[0].Name
	if name := d.options.Scenario; name != "" {
		all = all[scenarioNamed(name) : scenarioNamed(name)+1]
	}
	if d.output == "json" {
		out := scenariosJSON{Schema: scenariosSchema}
		for _, s := range all {
			out.Scenarios = append(out.Scenarios, describe(s))
		}
		return report.WriteJSON(a.stdout, out)
	}
	var b strings.Builder
	for i, s := range all {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(s.Name)
		if s.Name == standard {
			b.WriteString(" (the default)")
		}
		fmt.Fprintf(&b, "\n  shows     %s\n  look for  %s\n", s.Shows, s.LookFor)
		if s.Fault != "" {
			fmt.Fprintf(&b, "  f         %s\n", s.Fault)
		}
		fmt.Fprintf(&b, "  needs     %s\n", needs(s.Needs))
		widest := 0
		for _, v := range s.Variants {
			widest = max(widest, text.Width(v.Name))
		}
		for i, v := range s.Variants {
			title := ""
			if i == 0 {
				title = "variants"
			}
			mark := "✔ sound "
			if v.Flawed {
				mark = "✖ flawed"
			}
			fmt.Fprintf(&b, "  %s  %s  %s  %s\n", text.PadRight(title, len("variants")), mark, text.PadRight(v.Name, widest), v.Shows)
		}
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

func describe(s demo.Scenario) scenarioJSON {
	out := scenarioJSON{Name: s.Name, Shows: s.Shows, LookFor: s.LookFor, Fault: s.Fault, Needs: string(s.Needs)}
	if out.Needs == "" {
		out.Needs = "one"
	}
	for _, v := range s.Variants {
		out.Variants = append(out.Variants, variantJSON(v))
	}
	return out
}
