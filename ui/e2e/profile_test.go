//go:build unix

package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"locktop/keyspace/redistest"
)

// TestAProfile starts the dashboard by the name of a profile alone: its server, its password, its patterns, its keys, and the view
// that was kept for it.
func TestAProfile(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "job:7", "worker-7", "PX", 300000)
	s.Do("SET", "lock:orders", "worker-8", "PX", 300000)
	s.Do("ACL", "SETUSER", "oncall", "on", ">"+marker, "~*", "&*", "+@all")
	home := t.TempDir()
	secret := filepath.Join(home, "secret")
	for path, content := range map[string]string{
		secret: marker + "\n",
		filepath.Join(home, "config", "locktop", "config.toml"): fmt.Sprintf(`
theme = "light"
default-profile = "prod"
[profile.prod]
url = "redis://%s"
user = "oncall"
environment = "production"
password-command = ["cat", %q]
pattern = "job:*"
scheme-rule = "job:*=token"
[profile.prod.keys]
help = ["f1", "ctrl+g"]
`, s.Addr, secret),
		filepath.Join(home, "state", "locktop", "views.toml"): "[prod]\ntheme = \"mono\"\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	term := openTerminal(t, 100, 30, "XDG_CONFIG_HOME="+filepath.Join(home, "config"), "XDG_STATE_HOME="+filepath.Join(home, "state"))
	colours := regexp.MustCompile(`\x1b\[([0-9]+;)*3[1-6]m`)
	coloured := func() bool { return colours.MatchString(term.tmux("capture-pane", "-p", "-e")) }
	term.run("")
	term.waitFor("job:7", "worker-7", "f1 help")
	if screen := term.screen(); strings.Contains(screen, "lock:orders") || strings.Contains(screen, marker) {
		t.Error("the profile's pattern is not used, or its password is shown")
	}
	if coloured() {
		t.Error("the view that was kept for the profile is not used")
	}
	term.keys("C-g")
	term.waitFor("half a page up")
	term.keys("F1")
	term.waitGone("half a page up")
	term.keys("q")
	term.mustBeSane(0)

	// What is said for this run goes before what was kept.
	term.typeText("clear")
	term.keys("Enter")
	term.run("--theme default --pattern default")
	term.waitFor("lock:orders", "f1 help")
	if !coloured() {
		t.Error("--theme does not go before the view that was kept")
	}
	term.keys("q")
	term.mustBeSane(0)
}
