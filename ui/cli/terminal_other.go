//go:build !windows

package cli

// terminalDevice is the controlling terminal, and terminalInput is where answers are read from it.
const (
	terminalDevice = "/dev/tty"
	terminalInput  = "/dev/tty"
)
