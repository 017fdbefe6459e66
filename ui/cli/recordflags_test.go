package cli

import (
	"strings"
	"testing"
)

// Somebody who asked for a recording is never left without one: not by a variable that is not set, and not by a file named "-".
func TestRecordNamesAFile(t *testing.T) {
	for _, name := range []string{"", "-"} {
		code, _, stderr := run(t, "watch", "-p", "1", "--record", name, "--for", "1s")
		if code != exitUsage || !strings.Contains(stderr, "--record") {
			t.Errorf("%q: %d %s", name, code, stderr)
		}
	}
}
