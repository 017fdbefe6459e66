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

// TestTheQuestionIsAboutOneHold: while a person reads what a release would do, the lock is renewed, which is no reason to refuse,
// or it is released and acquired again with the same bytes, and then nothing is done.
func TestTheQuestionIsAboutOneHold(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("CONFIG", "SET", "notify-keyspace-events", "KEA")
	term := openTerminal(t, 120, 24)
	ask := func() {
		t.Helper()
		term.typeText("clear")
		term.keys("Enter")
		term.run("release lock_key --holder 1 " + connection(s))
		term.waitFor("Release? [y/N]")
	}
	s.Do("SET", "lock_key", "1", "PX", 60_000)
	ask()
	s.Do("PEXPIRE", "lock_key", 90_000)
	term.keys("y", "Enter")
	term.waitFor("released lock_key", "exit=0")

	s.Do("SET", "lock_key", "1", "PX", 60_000)
	ask()
	s.Do("DEL", "lock_key")
	s.Do("SET", "lock_key", "1", "NX", "PX", 90_000)
	term.keys("y", "Enter")
	term.waitFor("lock_key was not released", "exit=3") // in words that depend on which news came first
	if s.Do("GET", "lock_key") != "1" {
		t.Error("the next hold is gone")
	}
}
