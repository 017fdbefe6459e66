//go:build unix

package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktop/keyspace/redistest"
)

// TestProductionDemandsTheName releases a lock in a profile of production: not by a wrong name, not by a pasted one, not by Enter, but
// by the name that was typed. The reason is in the audit then. A probe is refused.
func TestProductionDemandsTheName(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "lock:orders", "worker-7", "PX", 600000)
	state := t.TempDir()
	term := openTerminal(t, 100, 30, "XDG_STATE_HOME="+state,
		configured(t, fmt.Sprintf("[profile.shop]\nurl = \"redis://%s\"\nenvironment = \"production\"\n", s.Addr)))
	stillThere := func() {
		t.Helper()
		if s.Do("EXISTS", "lock:orders") != int64(1) {
			t.Fatal("the lock was released")
		}
	}
	// typeName waits for each letter to be there: what is read at once is a paste.
	typeName := func(name string) {
		t.Helper()
		for i := range name {
			term.typeText(name[i : i+1])
			term.waitFor("› " + name[:i+1])
		}
	}
	term.run("--profile shop")
	term.waitFor("lock:orders", "PRODUCTION")
	term.keys("P")
	term.waitFor("production", "--probe allow")
	term.keys("r")
	term.waitFor("PRODUCTION · release lock:orders", "type the name first", "[ Cancel ]")
	term.keys("BTab")
	typeName("lock:order")
	term.waitFor("type the name first")
	term.keys("Enter", "Enter") // to Cancel, and out: the button cannot be reached
	term.waitGone("[ Cancel ]")
	stillThere()

	term.keys("r")
	term.waitFor("type the name first")
	term.keys("BTab")
	term.tmux("set-buffer", "lock:orders")
	term.tmux("paste-buffer", "-p") // bracketed, as a terminal pastes
	term.waitFor("it is not pasted but typed, letter by letter")
	term.keys("BTab")
	term.typeText("INC-42")
	term.waitFor("INC-42")
	term.keys("Tab")
	typeName("lock:orders")
	stillThere()
	term.waitGone("type the name first")
	term.keys("Tab", "Tab", "Enter") // over Cancel
	term.waitFor("◌ freed")
	if s.Do("EXISTS", "lock:orders") != int64(0) {
		t.Fatal("the lock is still there")
	}
	term.keys("A")
	term.waitFor("the last actions", "INC-42", "worker-7")
	term.escape("the last actions")
	term.keys("q")
	term.mustBeSane(0)
	audit, err := os.ReadFile(filepath.Join(state, "locktop", "audit.jsonl"))
	if err != nil || !strings.Contains(string(audit), `"reason":"INC-42"`) {
		t.Errorf("the audit is %s, %v", audit, err)
	}
}
