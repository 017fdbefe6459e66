package tui

import (
	"fmt"
	"io"
	"slices"
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

// theme is how everything looks. No state is told by colour alone.
type theme struct {
	name string

	plain, faint, strong, accent, title style // faint is what matters less, and readable all the same
	good, warn, bad, odd                style // states and severities
	cursor, key                         style // the mark of the selected row; the keys in hints
	badge, badgeWarn, badgeBad          style
	toastGood, toastBad, toastInfo      style
	frame                               style // the border of a dialog
	behind                              style // what a dialog lies over
	button, buttonOn, buttonDanger      style
}

// palette is what differs between themes. Each is a whole style and not only a colour, so that a theme which has too few
// colours can use an attribute.
type palette struct {
	accent, faint, good, warn, bad, odd lipgloss.Style
	// behind is what a dialog lies over: it takes no key, and is the one thing that may be hard to read.
	behind lipgloss.Style
}

// The ANSI colours that themes use.
const (
	red, green, blue, magenta, cyan    = lipgloss.Color("1"), lipgloss.Color("2"), lipgloss.Color("4"), lipgloss.Color("5"), lipgloss.Color("6")
	brightRed, brightGreen             = lipgloss.Color("9"), lipgloss.Color("10")
	brightYellow, brightCyan           = lipgloss.Color("11"), lipgloss.Color("14")
	cubeSky, cubeTeal, cubeAqua        = lipgloss.Color("32"), lipgloss.Color("37"), lipgloss.Color("45")
	cubeViolet, cubeBrick, cubeRust    = lipgloss.Color("134"), lipgloss.Color("167"), lipgloss.Color("166")
	cubeMustard, cubeGold, cubeBlossom = lipgloss.Color("184"), lipgloss.Color("220"), lipgloss.Color("219")
	cubeGrey                           = lipgloss.Color("246")
)

// themes are all there are, in the order in which they follow one another; the first is the one without a name.
//
// What they must do is measured by tests, on the palettes of several terminals: each style can be read on the ground that
// the theme is for (WCAG AA, high-contrast AAA), and what a theme for colour-blind people tells apart stays apart for them.
//
//   - default, light and high-contrast take the 16 ANSI colours, so that the user's own palette decides. On black all of
//     these palettes make dark red, yellow, blue and magenta too dark, and the brighter magenta and blue some of them; on
//     white nothing but black, red, blue and magenta can be read. Nor can faint (SGR 2) anywhere, which halves a colour.
//   - Too few of the 16 are left for a theme that must not rest on red against green, and nobody knows what they look like.
//     The two that claim something of colours take the cube of 256, which looks the same in all terminals: deuteranopia
//     (for protanopia as well) goes from blue to yellow, tritanopia from red to blue-green, both with steps of lightness.
//   - mono sets no colour at all but keeps bold, underline and reverse, which NO_COLOR does not forbid.
var themes = []struct {
	name    string
	palette func(plain lipgloss.Style) palette
}{
	{"default", func(plain lipgloss.Style) palette {
		ink := plain.Foreground
		return palette{
			accent: ink(brightCyan), faint: ink(cyan), good: ink(green), warn: ink(brightYellow), bad: ink(brightRed).Bold(true),
			odd: ink(brightYellow).Underline(true), behind: plain.Faint(true),
		}
	}},
	{"light", func(plain lipgloss.Style) palette {
		ink := plain.Foreground
		return palette{
			accent: ink(blue), faint: plain, good: plain, warn: ink(magenta), bad: ink(red).Bold(true),
			odd: ink(magenta).Underline(true), behind: plain.Faint(true),
		}
	}},
	{"high-contrast", func(plain lipgloss.Style) palette {
		ink := plain.Foreground
		return palette{
			accent: ink(brightCyan), faint: plain, good: ink(brightGreen), warn: ink(brightYellow),
			bad: ink(brightYellow).Bold(true).Reverse(true), odd: ink(brightCyan).Bold(true).Reverse(true), behind: plain,
		}
	}},
	{"deuteranopia", func(plain lipgloss.Style) palette {
		ink := plain.Foreground
		return palette{
			accent: ink(cubeTeal), faint: ink(cubeGrey), good: ink(cubeSky), warn: ink(cubeMustard), bad: ink(cubeBrick).Bold(true),
			odd: ink(cubeBlossom), behind: plain.Faint(true),
		}
	}},
	{"tritanopia", func(plain lipgloss.Style) palette {
		ink := plain.Foreground
		return palette{
			accent: ink(cubeAqua), faint: ink(cubeGrey), good: ink(cubeSky), warn: ink(cubeGold), bad: ink(cubeRust).Bold(true),
			odd: ink(cubeViolet), behind: plain.Faint(true),
		}
	}},
	{monoName, func(plain lipgloss.Style) palette {
		return palette{
			accent: plain.Bold(true), faint: plain, good: plain, warn: plain.Bold(true), bad: plain.Bold(true),
			odd: plain.Bold(true).Underline(true), behind: plain.Faint(true),
		}
	}},
}

const monoName = "mono"

// Themes are the names that [Settings.Theme] may have.
func Themes() []string {
	names := make([]string, len(themes))
	for i := range themes {
		names[i] = themes[i].name
	}
	return names
}

// newTheme makes the theme of a name; an empty name stands for the first, and noColor for mono.
func newTheme(name string, noColor bool) (*theme, error) {
	if noColor {
		name = monoName
	}
	for _, t := range themes {
		if t.name == name || name == "" {
			return buildTheme(t.name, t.palette(renderer.NewStyle())), nil
		}
	}
	return nil, fmt.Errorf("no theme %q: choose one of %s", name, strings.Join(Themes(), ", "))
}

// after is the theme that follows this one.
func (t *theme) after() *theme {
	i := slices.Index(Themes(), t.name) + 1
	next := themes[i%len(themes)]
	return buildTheme(next.name, next.palette(renderer.NewStyle()))
}

// forGround is the theme to begin with: on a ground that is known to be light the colours of the default theme cannot be
// read.
func forGround(name string, dark bool) string {
	if !dark && isDefaultTheme(name) {
		return "light"
	}
	return name
}

// isDefaultTheme says whether the theme depends on the ground.
func isDefaultTheme(name string) bool { return name == "" || name == themes[0].name }

// renderer writes colours whatever the environment says: NO_COLOR and CI are heeded by the choice of the theme, where the
// library would drop bold and reverse with them.
var renderer = func() *lipgloss.Renderer {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.ANSI256)
	return r
}()

func buildTheme(name string, p palette) *theme {
	plain := renderer.NewStyle()
	// A badge is the style turned round; what is that already stays so.
	reversed := func(s lipgloss.Style) lipgloss.Style { return s.Underline(false).Reverse(true) }
	return &theme{
		name:         name,
		plain:        newStyle(plain),
		faint:        newStyle(p.faint),
		strong:       newStyle(plain.Bold(true)),
		accent:       newStyle(p.accent),
		title:        newStyle(p.faint),
		good:         newStyle(p.good),
		warn:         newStyle(p.warn),
		bad:          newStyle(p.bad),
		odd:          newStyle(p.odd),
		cursor:       newStyle(p.accent.Bold(true)),
		key:          newStyle(p.accent.Bold(true)),
		badge:        newStyle(reversed(p.accent)),
		badgeWarn:    newStyle(reversed(p.warn)),
		badgeBad:     newStyle(reversed(p.bad)),
		toastGood:    newStyle(reversed(p.good)),
		toastBad:     newStyle(reversed(p.bad)),
		toastInfo:    newStyle(reversed(p.accent)),
		frame:        newStyle(p.accent.Bold(false)),
		behind:       newStyle(p.behind),
		button:       newStyle(plain),
		buttonOn:     newStyle(plain.Bold(true).Reverse(true)),
		buttonDanger: newStyle(reversed(p.bad)),
	}
}

// newStyle makes the variants of a style: on the line of the cursor it is bold, and on a line that is over or old only
// its being reversed is left of it: what has lost its colour is no news any more.
func newStyle(s lipgloss.Style) style {
	return style{
		normal:   openingSGR(s),
		selected: openingSGR(s.Bold(true)),
		dimmed:   openingSGR(renderer.NewStyle().Reverse(s.GetReverse())),
	}
}

// openingSGR is what a style writes before a text.
func openingSGR(s lipgloss.Style) string {
	opening, _, _ := strings.Cut(s.Render("x"), "x")
	return opening
}
