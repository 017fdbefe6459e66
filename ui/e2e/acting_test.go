//go:build unix

package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktop/keyspace/redistest"
)

// TestBulkReleaseIsReported marks three locks, one of which changes hands while the preview is read, and releases them.
func TestBulkReleaseIsReported(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	for _, key := range []string{"lock:a", "lock:b", "lock:c", "lock:d"} {
		s.Do("SET", key, "worker-1", "PX", 300000)
	}
	term := openTerminal(t, 100, 30)
	term.run(connection(s))
	term.waitFor("lock:a", "lock:d", "push")
	term.keys("m", "m", "m")
	term.waitFor("+3 marked")
	term.keys("r")
	term.waitFor("release 3 marked locks", "3 marked, 3 will be released", "lock:a", "lock:b", "lock:c", "[ Release 3 ]")
	term.keys("Enter")
	term.waitGone("Cancel")
	if s.Do("DBSIZE") != int64(4) {
		t.Fatal("Enter in a fresh preview released something")
	}
	term.keys("r")
	term.waitFor("[ Release 3 ]")
	s.Do("SET", "lock:b", "worker-2", "PX", 300000)
	term.waitFor("1 lock changed since")
	term.keys("BTab") // the reason comes before Cancel
	term.typeText("INC-7")
	term.keys("Tab", "Tab", "Enter")
	term.waitFor("3 in all: 2 released, 1 not holder", "lock:b was not released", "now held by worker-2")
	if s.Do("GET", "lock:b") != "worker-2" || s.Do("EXISTS", "lock:a", "lock:c") != int64(0) || s.Do("EXISTS", "lock:d") != int64(1) {
		t.Fatal("what was done is not what is reported")
	}
	term.escape("3 in all")
	term.waitFor("+1 marked") // what was not done
	term.keys("A")
	term.waitFor("the last actions", "INC-7", "here", "not holder")
	term.escape("the last actions")
	term.keys("q")
	term.mustBeSane(0)
}

// TestWritingLapsesAndIsArmed leaves a dashboard that may write for a moment, and lets it write for another one.
func TestWritingLapsesAndIsArmed(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "lock:a", "worker-1", "PX", 300000)
	state := t.TempDir()
	term := openTerminal(t, 100, 30, "XDG_STATE_HOME="+state)
	term.run(connection(s) + " --write-for 1s")
	term.waitFor("lock:a", "READ-ONLY")
	term.keys("x")
	term.waitFor("Write for another 1s?", "[ Cancel ]")
	term.keys("Tab", "Enter")
	term.waitFor("writing until")
	term.keys("x")
	term.waitFor("writing has lapsed", "READ-ONLY") // in a dialog that was open meanwhile, or in the question
	if s.Do("EXISTS", "lock:a") != int64(1) {
		t.Fatal("the lock was ended")
	}
	term.escape("Cancel")
	term.keys("q")
	term.mustBeSane(0)
	text, err := os.ReadFile(filepath.Join(state, "locktop", "audit.jsonl"))
	if err != nil || !strings.Contains(string(text), `"verb":"lapse"`) || !strings.Contains(string(text), `"verb":"rearm"`) {
		t.Errorf("the audit is %s, %v", text, err)
	}
}
