//go:build unix

package settings

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// exposed says who else can write to a file, or put another one in its place; nil: nobody but its owner, and those whom he has let
// into his group.
func exposed(path string) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("who can write to the configuration cannot be seen: %w", err)
	}
	for _, at := range []string{path, filepath.Dir(path)} {
		info, err := os.Stat(at)
		if err != nil {
			return fmt.Errorf("who can write to the configuration cannot be seen: %w", err)
		}
		if info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return fmt.Errorf("everybody on this machine can write to %s; run: chmod o-w %s", at, at)
		}
		if owner, is := info.Sys().(*syscall.Stat_t); is && owner.Uid != 0 && int64(owner.Uid) != int64(os.Geteuid()) {
			return fmt.Errorf("%s belongs to another user (%d), who can write to it; make a copy of your own", at, owner.Uid)
		}
	}
	return nil
}
