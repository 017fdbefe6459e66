package servers

import "syscall"

// attributes put the server out of reach of the terminal's Ctrl-C, which we must see first, and make the kernel kill it
// when we die. The kernel watches the thread that started it; the Go runtime ends no thread while a program runs, unless
// a goroutine that is locked to one ends.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
