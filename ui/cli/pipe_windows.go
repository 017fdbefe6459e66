package cli

import (
	"errors"
	"io/fs"
	"syscall"

	"golang.org/x/sys/windows"
)

// isBrokenPipe says whether a write failed because nobody reads the output any more. Files fail with an fs.PathError; the
// same error of a connection says nothing of who reads.
func isBrokenPipe(err error) bool {
	file := (*fs.PathError)(nil)
	return errors.As(err, &file) && (errors.Is(file.Err, syscall.EPIPE) ||
		errors.Is(file.Err, windows.ERROR_BROKEN_PIPE) || errors.Is(file.Err, windows.ERROR_NO_DATA))
}
