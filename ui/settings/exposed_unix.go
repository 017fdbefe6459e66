//go:build unix

package settings

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// exposed says who else can write to a file, or put another one in its place: by a directory on the way to it. nil: nobody but its
// owner and the superuser. A group counts as others, for its members are not seen in the file's mode.
func exposed(path string) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("who can write to the configuration cannot be seen: %w", err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return fmt.Errorf("who can write to the configuration cannot be seen: %w", err)
	}
	for at, up := path, ""; at != up; at, up = filepath.Dir(at), at {
		info, err := os.Stat(at)
		if err != nil {
			return fmt.Errorf("who can write to the configuration cannot be seen: %w", err)
		}
		switch sticky := info.IsDir() && info.Mode()&fs.ModeSticky != 0; { // in such a directory nobody replaces the files of others
		case info.Mode().Perm()&0o002 != 0 && !sticky:
			return fmt.Errorf("everybody on this machine can write to %s; run: chmod o-w %s", at, at)
		case info.Mode().Perm()&0o020 != 0 && !sticky:
			return fmt.Errorf("a group can write to %s; run: chmod g-w %s", at, at)
		}
		if owner, is := info.Sys().(*syscall.Stat_t); is && owner.Uid != 0 && int64(owner.Uid) != int64(os.Geteuid()) {
			return fmt.Errorf("%s belongs to another user (%d), who can write to it; make a copy of your own", at, owner.Uid)
		}
	}
	return nil
}
