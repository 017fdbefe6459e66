package text

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// asciiOnly says that the terminal shows nothing else. It belongs to the process as its locale does: there is one
// terminal, and what the two faces write to it has one alphabet.
var asciiOnly atomic.Bool

// SetASCII says whether the terminal shows nothing but ASCII. From then on [Escape] escapes all else, still one to one, and
// our own signs are to be written by [Drawable].
func SetASCII(on bool) { asciiOnly.Store(on) }

// ASCII says whether the terminal shows nothing but ASCII.
func ASCII() bool { return asciiOnly.Load() }

// twins are our own signs in ASCII. A sign takes as many cells there as here, so that nothing moves, but for the names of
// keys and the fractions, which nobody would understand in one cell: whoever aligns these measures their twins.
var twins = map[rune]string{
	// States, ballots, feeds, events.
	'●': "*", '✖': "x", '↻': "@", '◌': "o", '◔': "%", '◑': "&", '◒': "u", '◇': "_", '▲': "!", '≠': "#", '⊕': "+", '⇄': "=",
	'▸': ">", '⊘': "/", '⧗': "8", '◐': "d", '○': "o", '✔': "+",
	// Bars, lanes, sparklines.
	'━': "=", '─': "-", '█': "#", '■': "#", '▓': "#", '▒': ":", '░': ".",
	'▁': "_", '▂': ".", '▃': ":", '▄': "-", '▅': "=", '▆': "+", '▇': "*",
	// What becomes of holds, and the axis below them.
	'╳': "X", '╱': "/", '▽': "v", '▼': "V", '≈': "~", '╵': "'", '◦': "\"",
	// Boxes, cursors, arrows.
	'╭': "+", '╮': "+", '╰': "+", '╯': "+", '│': "|", '┃': "|", '├': "+", '┤': "+", '┬': "+", '┴': "+", '┼': "+", '┌': "+", '┐': "+", '└': "+", '┘': "+",
	'▌': ">", '▶': ">", '◀': "<", '‖': "=", '‹': "<", '›': ">", '↑': "^", '↓': "v", '←': "<", '→': ">",
	// In sentences.
	'…': "~", '·': ".", '≥': ">", '≤': "<", '×': "x", 'µ': "u", '±': "~", '–': "-", '—': "-", '•': "*",
	'⏎': "Enter", '␣': "Space", '⇥': "Tab", '⇤': "S-Tab", '½': "1/2", '¼': "1/4", '⅛': "1/8",
}

// Drawable is a text of our own as the terminal can show it: as it is, or where there is only ASCII with twins in the place
// of its signs. What has no twin is escaped as [Escape] does it. Names must have been through Escape before: a sign in a
// name is none of ours.
func Drawable(s string) string {
	if !ASCII() {
		return s
	}
	return inASCII(s)
}

// inASCII writes twins for our signs, and escapes all else.
func inASCII(s string) string {
	if ascii(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch twin, ours := twins[r]; {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case ours:
			b.WriteString(twin)
		default:
			writeEscaped(&b, r)
		}
	}
	return b.String()
}

// Cells is the width of a text of our own as it will be drawn.
func Cells(s string) int { return Width(Drawable(s)) }

// escapeRest escapes what a printable text has beyond ASCII.
func escapeRest(s string) string {
	if ascii(s) {
		return s
	}
	var b strings.Builder
	b.Grow(2 * len(s))
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			writeEscaped(&b, r)
		}
	}
	return b.String()
}

// writeEscaped writes a rune beyond ASCII as [Escape] writes one that cannot be shown.
func writeEscaped(b *strings.Builder, r rune) {
	if r <= 0xffff {
		fmt.Fprintf(b, `\u%04x`, r)
	} else {
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

// ASCIIWriter is a terminal or a file that takes nothing but ASCII: what is written to it gets its twins on its way.
// Lines may come in pieces; a character that is cut in two waits for its rest.
type ASCIIWriter struct {
	io.Writer
	cut []byte
}

func (w *ASCIIWriter) Write(p []byte) (int, error) {
	all := append(w.cut, p...)
	whole := len(all)
	for n := 1; n < utf8.UTFMax && n <= len(all); n++ {
		if tail := all[len(all)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				whole -= n
			}
			break
		}
	}
	w.cut = append([]byte(nil), all[whole:]...)
	_, err := io.WriteString(w.Writer, inASCII(string(all[:whole])))
	return len(p), err
}
