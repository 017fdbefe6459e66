package tui

import (
	"fmt"
	"runtime/debug"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/ui/text"
)

// PanicError is what [Run] returns where the dashboard itself broke. The terminal is as it was by then, so whoever gets
// it can print the trace.
type PanicError struct {
	// Value is what the panic was called with; Stack is where, as runtime/debug prints it.
	Value any
	Stack []byte
}

// Error is the panic in one printable line, without its trace.
func (e *PanicError) Error() string {
	return "the dashboard broke, which is a fault of locktop: " + text.Escape(fmt.Sprint(e.Value))
}

func newPanicError(value any) *PanicError {
	return &PanicError{Value: value, Stack: debug.Stack()}
}

// guard makes a command whose panic ends the dashboard in an orderly way. Bubble Tea's own recovery would print the trace
// before it leaves the alternate screen, where nobody can read it.
func guard(work func() tea.Msg) tea.Cmd {
	return func() (msg tea.Msg) {
		defer func() {
			if value := recover(); value != nil {
				msg = fatalMsg{newPanicError(value)}
			}
		}()
		return work()
	}
}
