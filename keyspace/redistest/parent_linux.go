package redistest

import "syscall"

// dieWithParent makes the kernel kill the server when the test binary dies. The signal comes when the thread that
// started the process ends, which the Go runtime does not let happen while the test runs.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
