//go:build !linux

package redistest

import "syscall"

// dieWithParent has no counterpart on this system: a killed test binary leaves its servers behind.
func dieWithParent() *syscall.SysProcAttr { return nil }
