//go:build !windows

package cli

// terminalDevice is the controlling terminal.
const terminalDevice = "/dev/tty"
