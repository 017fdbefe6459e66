package tui

import (
	"fmt"
	"strings"
)

// style is how a run of text looks, as SGR sequences that are made once when the theme is loaded: a style made for each
// cell costs more than all the rest of a frame.
type style struct {
	// normal, selected and dimmed are the opening sequences by [tone]; empty: plain.
	normal, selected, dimmed string
}

// tone is how the line looks that a run of text belongs to.
type tone int

// The tones: a common line, the line of the cursor, and one that is over or old.
const (
	toneNormal tone = iota
	toneSelected
	toneDimmed
)

const resetSGR = "\x1b[0m"

func (s style) open(t tone) string {
	switch t {
	case toneSelected:
		return s.selected
	case toneDimmed:
		return s.dimmed
	case toneNormal:
		return s.normal
	}
	return s.normal
}

// theme is a palette of the 16 ANSI colours and the attributes, so that the user's own terminal decides what they look
// like. No state is told by colour alone.
type theme struct {
	name string

	plain, faint, strong, accent, title style
	good, warn, bad, odd                style // states and severities
	cursor, key                         style // the mark of the selected row; the keys in hints
	badge, badgeWarn, badgeBad          style
	toastGood, toastBad, toastInfo      style
	frame                               style // the border of a dialog
	button, buttonOn, buttonDanger      style
}

// palette names the SGR parameters that differ between themes.
type palette struct {
	accent, good, warn, bad, odd string
}

// themeNames are the themes that [Config.Theme] may name.
var themeNames = []string{"default", "light", "mono"}

// newTheme makes the theme of a name; an empty name stands for default, and noColor for mono. Mono sets no colour at all
// but keeps bold, faint, underline and reverse, which NO_COLOR does not forbid.
func newTheme(name string, noColor bool) (*theme, error) {
	if noColor {
		name = "mono"
	}
	switch name {
	case "", "default":
		return buildTheme("default", palette{accent: "36", good: "32", warn: "33", bad: "31", odd: "35"}), nil
	case "light":
		// Yellow cannot be read on white, and cyan hardly.
		return buildTheme("light", palette{accent: "34", good: "32", warn: "35", bad: "31", odd: "34"}), nil
	case "mono":
		return buildTheme("mono", palette{}), nil
	default:
		return nil, fmt.Errorf("no theme %q: choose one of %s", name, strings.Join(themeNames, ", "))
	}
}

func buildTheme(name string, p palette) *theme {
	const bold, faint, reverse = "1", "2", "7"
	mono := p == palette{}
	warnBold, badBold := "", bold
	if mono {
		warnBold = bold
	}
	return &theme{
		name:         name,
		plain:        newStyle(),
		faint:        newStyle(faint),
		strong:       newStyle(bold),
		accent:       newStyle(p.accent),
		title:        newStyle(faint),
		good:         newStyle(p.good),
		warn:         newStyle(p.warn, warnBold),
		bad:          newStyle(p.bad, badBold),
		odd:          newStyle(p.odd, warnBold),
		cursor:       newStyle(p.accent, bold),
		key:          newStyle(p.accent, bold),
		badge:        newStyle(p.accent, reverse),
		badgeWarn:    newStyle(p.warn, reverse),
		badgeBad:     newStyle(p.bad, reverse, bold),
		toastGood:    newStyle(p.good, reverse),
		toastBad:     newStyle(p.bad, reverse, bold),
		toastInfo:    newStyle(p.accent, reverse),
		frame:        newStyle(p.accent),
		button:       newStyle(faint),
		buttonOn:     newStyle(bold, reverse),
		buttonDanger: newStyle(p.bad, bold, reverse),
	}
}

// newStyle makes the three variants of a style from SGR parameters; empty ones are left out.
func newStyle(parameters ...string) style {
	kept := make([]string, 0, len(parameters)+1)
	reversed := false
	for _, p := range parameters {
		if p != "" {
			kept = append(kept, p)
			reversed = reversed || p == "7"
		}
	}
	dimmed := []string{"2"}
	if reversed {
		dimmed = append(dimmed, "7")
	}
	return style{normal: sgr(kept), selected: sgr(append([]string{"1"}, kept...)), dimmed: sgr(dimmed)}
}

func sgr(parameters []string) string {
	if len(parameters) == 0 {
		return ""
	}
	return "\x1b[" + strings.Join(parameters, ";") + "m"
}
