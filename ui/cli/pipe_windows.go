package cli

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

// isBrokenPipe says whether a write failed because nobody reads any more.
func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}
