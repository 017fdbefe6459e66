//go:build unix

package e2e_test

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// paper is a terminal's colours: its ground, its ink, and its 16.
type paper struct {
	ground, ink string
	palette     [16]string
}

var dark = &paper{"#16181d", "#d4d7dd", [16]string{
	"#3b4048", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#c8ccd4",
	"#7f8793", "#f28b94", "#b5dc96", "#f3d79b", "#8cc6f7", "#dda2ee", "#83d3dd", "#ffffff",
}}

var light = &paper{"#fafafa", "#24272e", [16]string{
	"#24272e", "#c0262d", "#2f7d32", "#8a6500", "#1f5fbf", "#9c27a0", "#0f7482", "#a0a4ab",
	"#6a6f78", "#d8434a", "#43a047", "#b58900", "#3f7fdf", "#b850bc", "#1d93a4", "#ffffff",
}}

// look is how a run of characters is drawn.
type look struct {
	on                               *paper
	fore, back                       string
	bold, faint, underlined, reverse bool
}

// sheet is a picture of one or more screens.
type sheet struct {
	drawn         strings.Builder
	width, height float64
}

const (
	cellWidth, cellHeight = 8.4, 18.0
	margin                = 12.0
)

// svg is the picture as a file.
func (s *sheet) svg() string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">`+"\n",
		s.width, s.height) + s.drawn.String() + "</svg>\n"
}

// caption writes a line above a screen.
func (s *sheet) caption(said string, x, y float64) {
	fmt.Fprintf(&s.drawn, `<text x="%.1f" y="%.1f" fill="#7f8793">%s</text>`+"\n", x, y, html.EscapeString(said))
}

// screen draws a screen that was captured with its escape sequences, with its corner at x and y.
func (s *sheet) screen(captured string, x, y float64, width, height int, on *paper) {
	wide, high := float64(width)*cellWidth+2*margin, float64(height)*cellHeight+2*margin
	s.width, s.height = max(s.width, x+wide), max(s.height, y+high)
	fmt.Fprintf(&s.drawn, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="8" fill="%s"/>`+"\n", x, y, wide, high, on.ground)
	now := look{on: on}
	row := 0
	for line := range strings.Lines(captured) {
		if row == height {
			break
		}
		column, start, run := 0, 0, ""
		flush := func() {
			drawRun(&s.drawn, run, x+margin+float64(start)*cellWidth, y+margin+float64(row)*cellHeight, column-start, now)
			start, run = column, ""
		}
		for rest, state := strings.TrimRight(line, "\n"), byte(0); rest != ""; {
			sequence, cells, n, next := ansi.DecodeSequence(rest, state, nil)
			rest, state = rest[n:], next
			if cells == 0 {
				if parameters, isStyle := strings.CutPrefix(sequence, "\x1b["); isStyle && strings.HasSuffix(parameters, "m") {
					flush()
					now = now.after(strings.TrimSuffix(parameters, "m"))
				}
				continue
			}
			run += sequence
			column += cells
		}
		flush()
		row++
	}
}

// after is the look that an SGR sequence leaves.
func (l look) after(parameters string) look {
	fields := strings.Split(parameters, ";")
	for i := 0; i < len(fields); i++ {
		n, err := strconv.Atoi(fields[i])
		if err != nil {
			n = 0 // an empty parameter stands for zero
		}
		switch {
		case n == 0:
			l = look{on: l.on}
		case n == 1:
			l.bold = true
		case n == 2:
			l.faint = true
		case n == 4:
			l.underlined = true
		case n == 7:
			l.reverse = true
		case n == 22:
			l.bold, l.faint = false, false
		case n == 24:
			l.underlined = false
		case n == 27:
			l.reverse = false
		case n == 38 && i+2 < len(fields) && fields[i+1] == "5":
			l.fore = l.on.cube(fields[i+2])
			i += 2
		case n >= 30 && n <= 37:
			l.fore = l.on.palette[n-30]
		case n == 39:
			l.fore = ""
		case n >= 40 && n <= 47:
			l.back = l.on.palette[n-40]
		case n == 49:
			l.back = ""
		case n >= 90 && n <= 97:
			l.fore = l.on.palette[n-90+8]
		case n >= 100 && n <= 107:
			l.back = l.on.palette[n-100+8]
		}
	}
	return l
}

// cube is one of the 256 colours that all terminals share.
func (on *paper) cube(number string) string {
	n, _ := strconv.Atoi(number) // what is no number does not come from a terminal
	switch {
	case n < 16:
		return on.palette[max(n, 0)]
	case n < 232:
		levels := [6]int{0, 95, 135, 175, 215, 255}
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", levels[n/36], levels[n/6%6], levels[n%6])
	}
	grey := 8 + 10*(n-232)
	return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
}

// drawRun writes one run of characters of the same look, stretched to its cells so that every font keeps the columns.
func drawRun(b *strings.Builder, run string, x, y float64, cells int, l look) {
	if cells <= 0 {
		return
	}
	fore, back := l.fore, l.back
	if fore == "" {
		fore = l.on.ink
	}
	if l.reverse {
		if back == "" {
			back = l.on.ground
		}
		fore, back = back, fore
	}
	wide := float64(cells) * cellWidth
	if back != "" {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x, y, wide, cellHeight, back)
	}
	if strings.TrimSpace(run) == "" {
		return
	}
	attributes := ""
	if l.bold {
		attributes += ` font-weight="bold"`
	}
	if l.faint {
		attributes += ` opacity="0.6"`
	}
	if l.underlined {
		attributes += ` text-decoration="underline"`
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="%s" textLength="%.1f" lengthAdjust="spacingAndGlyphs" xml:space="preserve"%s>%s</text>`+"\n",
		x, y+13.5, fore, wide, attributes, html.EscapeString(run))
}
