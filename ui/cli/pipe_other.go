//go:build !windows

package cli

import (
	"errors"
	"syscall"
)

// isBrokenPipe says whether a write failed because nobody reads any more.
func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
