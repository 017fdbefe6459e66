//go:build unix

package e2e_test

import (
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// The README's pictures are real screens of `locktop demo`, taken by:
//
//	go test ./ui/e2e -run TestPictures -timeout 20m -args -pictures ../../.github
var pictures = flag.String("pictures", "", "write the screens to SVG files in this `directory`")

// Every picture of the README is taken each time, only less patiently where it is not written: what the README shows can
// be seen.
func TestPictures(t *testing.T) {
	const width, height = 120, 30
	if *pictures != "" {
		patience = 2 * time.Minute
	}
	for name, take := range map[string]struct {
		arguments string
		pose      func(term *terminal)
	}{
		"dashboard": {"demo --seed 7", poseDashboard},
		"crash":     {"demo crash --seed 7", poseCrash},
		"token":     {"demo token --seed 7 --variant bare-del", poseToken},
		"pause":     {"demo pause --seed 7 --variant fenced", posePause},
		"redlock":   {"demo redlock --seed 7 --server embedded --variant restart", poseRedlock},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := openTerminal(t, width, height)
			term.run(take.arguments)
			take.pose(term)
			svg := toSVG(term.tmux("capture-pane", "-e", "-p"), width, height)
			if !strings.Contains(svg, "worker-") || !strings.HasSuffix(svg, "</svg>\n") {
				t.Errorf("the picture does not show the screen:\n%s", svg)
			}
			if *pictures != "" {
				if err := os.WriteFile(filepath.Join(*pictures, name+".svg"), []byte(svg), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			term.keys("C-c")
			term.mustBeSane(130)
		})
	}
}

// poseDashboard selects the most wanted lock, and lets a minute of history fill its swim-lane.
func poseDashboard(term *terminal) {
	term.waitFor("held", "worker-", "lock:orders:checkout")
	// The filter finds the lock, and the selection stays on it when the filter is gone.
	term.keys("/")
	term.typeText("checkout")
	term.keys("Enter")
	term.waitFor("/checkout", "1 row")
	term.escape("/checkout")
	term.waitFor("lock:orders:checkout · who held it", "lock:reports")
	if *pictures != "" {
		term.waitUntil("a swim-lane that is full", func(screen string) bool { return strings.Count(screen, "█") > 60 })
	}
}

// poseCrash opens the dialog that breaks a stuck lock.
func poseCrash(term *terminal) {
	term.waitFor("f a holder dies")
	term.keys("f")
	term.waitFor("✖ stuck", "died")
	term.keys("g", "x")
	term.waitFor("force-expire", "Cancel", "no TTL")
}

// poseToken waits until a bare DEL has let two in, and looks at what was told of it.
func poseToken(term *terminal) {
	term.waitFor("f a holder is late")
	term.keys("f", "5")
	term.waitFor("mutual exclusion violated", "inside together")
}

// posePause waits until a late write was refused.
func posePause(term *terminal) {
	term.waitFor("f a holder stands still")
	term.keys("f", "5")
	term.waitFor("refused, a higher one", "no update was lost")
}

// poseRedlock opens the map of locks and masters at the moment at which two workers have a majority.
func poseRedlock(term *terminal) {
	term.waitFor("redlock", "lock:invoices:send")
	term.keys("4")
	term.waitFor("≠ split")
	term.keys("p")
	term.waitFor("‖ held")
}

// The colours of the picture: a terminal's 16, on a dark ground.
const (
	cellWidth, cellHeight = 8.4, 18.0
	ground, ink           = "#16181d", "#d4d7dd"
)

var palette = [16]string{
	"#3b4048", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#c8ccd4",
	"#7f8793", "#f28b94", "#b5dc96", "#f3d79b", "#8cc6f7", "#dda2ee", "#83d3dd", "#ffffff",
}

// look is how a run of characters is drawn.
type look struct {
	fore, back                       string
	bold, faint, underlined, reverse bool
}

// toSVG draws a screen that was captured with its escape sequences.
func toSVG(screen string, width, height int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">`+"\n",
		float64(width)*cellWidth+24, float64(height)*cellHeight+24)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", ground)
	now := look{}
	row := 0
	for line := range strings.Lines(screen) {
		if row == height {
			break
		}
		column, start, run := 0, 0, ""
		flush := func() {
			drawRun(&b, run, start, column, row, now)
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
	b.WriteString("</svg>\n")
	return b.String()
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
			l = look{}
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
		case n >= 30 && n <= 37:
			l.fore = palette[n-30]
		case n == 39:
			l.fore = ""
		case n >= 40 && n <= 47:
			l.back = palette[n-40]
		case n == 49:
			l.back = ""
		case n >= 90 && n <= 97:
			l.fore = palette[n-90+8]
		case n >= 100 && n <= 107:
			l.back = palette[n-100+8]
		}
	}
	return l
}

// drawRun writes one run of characters of the same look, stretched to its cells so that every font keeps the columns.
func drawRun(b *strings.Builder, run string, start, end, row int, l look) {
	if end <= start {
		return
	}
	fore, back := l.fore, l.back
	if fore == "" {
		fore = ink
	}
	if l.reverse {
		if back == "" {
			back = ground
		}
		fore, back = back, fore
	}
	x, y, wide := 12+float64(start)*cellWidth, 12+float64(row)*cellHeight, float64(end-start)*cellWidth
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
