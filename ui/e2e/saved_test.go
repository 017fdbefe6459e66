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

// configured writes a configuration, and returns what makes a terminal read it.
func configured(t *testing.T, content string) (env string) {
	t.Helper()
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "locktop"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "locktop", "config.toml"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return "XDG_CONFIG_HOME=" + home
}

// TestAViewIsSavedForItsProfile arranges a view, finds it gone after a start, arranges and saves another one, and finds that one
// again: in its profile, and in no other.
func TestAViewIsSavedForItsProfile(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	for _, key := range []string{"lock:orders", "lock:refunds", "lock:imports"} {
		s.Do("SET", key, "worker-7", "PX", 600000)
	}
	term := openTerminal(t, 100, 30, configured(t, fmt.Sprintf("[profile.shop]\nurl = \"redis://%s\"\n[profile.other]\nurl = \"redis://%s\"\n", s.Addr, s.Addr)))
	asItWas := func(profile string) {
		t.Helper()
		term.typeText("clear")
		term.keys("Enter")
		term.run("--profile " + profile)
		if screen := term.waitFor("lock:orders", "lock:refunds", "lock:imports", "WAITERS"); strings.Contains(screen, "by key") {
			t.Errorf("%s does not begin as it comes:\n%s", profile, screen)
		}
	}
	arrange := func() {
		t.Helper()
		term.keys("c")
		term.waitFor("[x] scheme", "[x] waiters")
		term.keys("j", "j", "j", "j", "j", "j", "Space")
		term.waitFor("[ ] waiters")
		term.escape("─ columns")
		term.keys("s")
		term.waitFor("KEY↓")
		term.keys("I")
		term.waitFor("KEY↑")
		term.keys("t")
		term.waitFor("theme: light")
		term.keys("/")
		term.waitFor("⏎ keep")
		term.typeText("lock:*d*")
		term.keys("Enter")
		term.waitFor("/lock:*d*", "lock:orders", "lock:refunds", "2 rows")
	}
	asItWas("shop")
	arrange()
	term.keys("q")
	term.mustBeSane(0)

	asItWas("shop") // nothing is kept by surprise
	arrange()
	term.keys("S")
	term.waitFor("✔ saved: ")
	term.keys("I") // what is not saved is not kept
	term.waitFor("KEY↓")
	term.keys("q")
	term.mustBeSane(0)

	term.run("--profile shop")
	screen := term.waitFor("/lock:*d*", "2 rows", "KEY↑", "by key, turned", "lock:refunds", "lock:orders")
	if strings.Contains(screen, "WAITERS") || strings.Contains(screen, "lock:imports") {
		t.Errorf("a hidden column or lock is back:\n%s", screen)
	}
	if strings.Index(screen, "lock:refunds") > strings.Index(screen, "lock:orders") {
		t.Errorf("the order is not what was saved:\n%s", screen)
	}
	term.keys("t")
	term.waitFor("theme: high-contrast") // the one that follows light
	term.keys("q")
	term.mustBeSane(0)

	asItWas("other")
	term.keys("q")
	term.mustBeSane(0)
}

// TestTheViewItselfIsSaved begins where it was saved.
func TestTheViewItselfIsSaved(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "lock:orders", "worker-7", "PX", 600000)
	term := openTerminal(t, 80, 24)
	term.run(connection(s))
	term.waitFor("lock:orders")
	term.keys("2")
	term.waitFor("CLIENT", "worker-7")
	term.keys("S")
	term.waitFor("✔ saved")
	term.keys("q")
	term.mustBeSane(0)
	term.run(connection(s))
	term.waitFor("CLIENT", "worker-7", "⏎ its locks")
	term.keys("q")
	term.mustBeSane(0)
}
