package tui

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// style is how a run of text looks, as SGR sequences that are taken once from a Lip Gloss style when the theme is loaded:
// rendering a style for each cell costs more than all the rest of a frame.
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

// palette names the colours that differ between themes; nil: none.
type palette struct {
	accent, good, warn, bad, odd lipgloss.TerminalColor
}

// The ANSI colours that themes use.
const (
	red, green, yellow, blue, magenta, cyan = lipgloss.Color("1"), lipgloss.Color("2"), lipgloss.Color("3"), lipgloss.Color("4"), lipgloss.Color("5"), lipgloss.Color("6")
)

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
		return buildTheme("default", palette{accent: cyan, good: green, warn: yellow, bad: red, odd: magenta}), nil
	case "light":
		// Yellow cannot be read on white, and cyan hardly.
		return buildTheme("light", palette{accent: blue, good: green, warn: magenta, bad: red, odd: blue}), nil
	case "mono":
		return buildTheme("mono", palette{none, none, none, none, none}), nil
	default:
		return nil, fmt.Errorf("no theme %q: choose one of %s", name, strings.Join(themeNames, ", "))
	}
}

// none leaves the terminal's own colour.
var none = lipgloss.NoColor{}

// renderer writes colours whatever the environment says: NO_COLOR and CI are heeded by the choice of the theme, where the
// library would drop bold and reverse with them.
var renderer = func() *lipgloss.Renderer {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.ANSI)
	return r
}()

func buildTheme(name string, p palette) *theme {
	mono := p.accent == none
	plain := renderer.NewStyle()
	colour := plain.Foreground
	return &theme{
		name:         name,
		plain:        newStyle(plain),
		faint:        newStyle(plain.Faint(true)),
		strong:       newStyle(plain.Bold(true)),
		accent:       newStyle(colour(p.accent)),
		title:        newStyle(plain.Faint(true)),
		good:         newStyle(colour(p.good)),
		warn:         newStyle(colour(p.warn).Bold(mono)),
		bad:          newStyle(colour(p.bad).Bold(true)),
		odd:          newStyle(colour(p.odd).Bold(mono)),
		cursor:       newStyle(colour(p.accent).Bold(true)),
		key:          newStyle(colour(p.accent).Bold(true)),
		badge:        newStyle(colour(p.accent).Reverse(true)),
		badgeWarn:    newStyle(colour(p.warn).Reverse(true)),
		badgeBad:     newStyle(colour(p.bad).Reverse(true).Bold(true)),
		toastGood:    newStyle(colour(p.good).Reverse(true)),
		toastBad:     newStyle(colour(p.bad).Reverse(true).Bold(true)),
		toastInfo:    newStyle(colour(p.accent).Reverse(true)),
		frame:        newStyle(colour(p.accent)),
		button:       newStyle(plain.Faint(true)),
		buttonOn:     newStyle(plain.Bold(true).Reverse(true)),
		buttonDanger: newStyle(colour(p.bad).Bold(true).Reverse(true)),
	}
}

// newStyle makes the variants of a style: on the line of the cursor it is bold, and on a line that is over or old only
// its being reversed is left of it.
func newStyle(s lipgloss.Style) style {
	return style{
		normal:   openingSGR(s),
		selected: openingSGR(s.Bold(true)),
		dimmed:   openingSGR(renderer.NewStyle().Faint(true).Reverse(s.GetReverse())),
	}
}

// openingSGR is what a style writes before a text.
func openingSGR(s lipgloss.Style) string {
	opening, _, _ := strings.Cut(s.Render("x"), "x")
	return opening
}
