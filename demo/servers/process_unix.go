//go:build unix && !linux

package servers

import "syscall"

// attributes put the server out of reach of the terminal's Ctrl-C, which we must see first. That it dies with us is the
// guard's work alone: only Linux has a kernel that does it.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
