//go:build unix

package e2e_test

import (
	"os"
	"path/filepath"
	"testing"

	"locktop/keyspace/redistest"
)

// TestAShellScript uses what is made for scripts: exit codes for alerting, and a check of the configuration.
func TestAShellScript(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "lock:sound", "5f2c7a0e-1c7b-4c3b-9a55-0d7c2f1e8a11", "PX", 600000)
	config := filepath.Join(t.TempDir(), "config.toml")
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(config, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	term := openTerminal(t, 100, 24)
	run := func(arguments string, wants ...string) {
		t.Helper()
		term.typeText("clear")
		term.keys("Enter")
		term.run(arguments)
		term.waitFor(wants...)
	}
	list := "list --quiet --fail-on critical " + connection(s)
	run(list, "exit=0")
	s.Do("SET", "lock:stuck", "worker-7")
	run(list, "lock:stuck", "--fail-on found critical 1", "exit=4")
	run("list --fail-on any -p 1", "127.0.0.1:1", "exit=1")

	write("theme = \"dracula\"\n\n[profile.shop]\nurl = \"redis://:secret@cache\"\nwrite-for = 10\nkolour = 1\n")
	run("check --config "+config, "config.toml:1", "config.toml:4", "config.toml:5", "config.toml:6", "high-contrast", "exit=2")
	run("--config "+config, "exit=2") // and no dashboard
	write("[profile.shop]\nurl = \"redis://cache\"\nwrite-for = \"10m\"\n")
	run("check --config "+config, "shop", "10m", "exit=0")
}
