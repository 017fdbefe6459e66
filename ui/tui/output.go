package tui

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// output is the terminal as Bubble Tea writes to it. It brackets every frame in synchronized output (DEC mode 2026), so
// that a terminal which knows it never shows half a frame; and it puts clipboard copies between frames, never into one.
// The embedded file keeps its descriptor visible, by which Bubble Tea finds the size of the window.
type output struct {
	*os.File
	sync bool

	mu  sync.Mutex
	buf []byte
}

// Write writes one frame: the renderer flushes each with exactly one call.
func (o *output) Write(frame []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.sync {
		return o.File.Write(frame)
	}
	o.buf = append(o.buf[:0], ansi.SetModeSynchronizedOutput...)
	o.buf = append(o.buf, frame...)
	o.buf = append(o.buf, ansi.ResetModeSynchronizedOutput...)
	n, err := o.File.Write(o.buf)
	return min(max(n-len(ansi.SetModeSynchronizedOutput), 0), len(frame)), err
}

// WriteString writes a change of mode; the renderer uses it for those, and they belong to no frame.
func (o *output) WriteString(s string) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.File.WriteString(s)
}

// maxCopy bounds what is sent to the clipboard: terminals drop longer sequences.
const maxCopy = 64 << 10

// maxScreen is how much GNU screen lets through in one piece.
const maxScreen = 768

// copy puts a text on the clipboard of the terminal by OSC 52, which works over SSH too. Within tmux and screen it is also
// sent through to the terminal outside.
func (o *output) copy(s string) error {
	if len(s) > maxCopy {
		return fmt.Errorf("%d bytes are too many for the clipboard of a terminal; it takes %d", len(s), maxCopy)
	}
	sequence := ansi.SetSystemClipboard(s)
	switch multiplexer() {
	case "tmux":
		sequence += ansi.TmuxPassthrough(sequence)
	case "screen":
		sequence = ansi.ScreenPassthrough(sequence, maxScreen)
	}
	if _, err := o.WriteString(sequence); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return nil
}

// multiplexer is what the terminal is in, and what keeps copies from it unless it is told otherwise; empty: nothing.
func multiplexer() string {
	switch {
	case os.Getenv("TMUX") != "":
		return "tmux"
	case os.Getenv("STY") != "":
		return "screen"
	}
	return ""
}

// proviso is what a copy needs that nobody can see from here: no terminal answers one, and tmux drops it as it comes from
// its makers.
func proviso() string {
	if multiplexer() == "tmux" {
		return "; tmux passes it on with \"set-clipboard on\""
	}
	return ""
}

// joinSorted joins lines in their order, so that a copy of marked keys is the same every time.
func joinSorted(lines []string) string {
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
