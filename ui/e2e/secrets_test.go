//go:build unix

package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/keyspace/redistest"
)

// A password with what has to be escaped in a URL, and the part of it that is the same when it is.
const (
	marker   = "hUsh7Qz"
	password = "p@" + marker + "/#? %x"
)

// way is how a password is given.
type way struct {
	name  string
	args  []string
	env   []string
	stdin string
	// files are put into the configuration directory.
	config string
}

// waysTo are all ways in which a password is given for a user of a server.
func waysTo(addr string) []way {
	host, port, _ := net.SplitHostPort(addr)
	there := []string{"-h", host, "-p", port, "--user", "me"}
	u := (&url.URL{Scheme: "redis", Host: addr, User: url.UserPassword("me", password)}).String()
	return []way{
		{name: "--pass", args: append([]string{"--pass", password}, there...)},
		{name: "--askpass", args: append([]string{"--askpass"}, there...), stdin: password + "\n"},
		{name: "REDISCLI_AUTH", args: there, env: []string{"REDISCLI_AUTH=" + password}},
		{name: "LOCKTOP_PASS", args: there, env: []string{"LOCKTOP_PASS=" + password}},
		{name: "--url", args: []string{"--url", u}},
		{name: "REDIS_URL", env: []string{"REDIS_URL=" + u}},
		{name: "LOCKTOP_URL", env: []string{"LOCKTOP_URL=" + u}},
	}
}

// secretive runs the program, and looks for the password in everything that it leaves.
type secretive struct {
	t       *testing.T
	running chan struct{} // as many as may run at the same time
	wait    sync.WaitGroup
}

// run runs a command line; wants is the exit code, negative where any will do but a success.
func (s *secretive) run(wants int, w way, args ...string) {
	s.wait.Go(func() {
		s.running <- struct{}{}
		defer func() { <-s.running }()
		s.runNow(wants, w, args...)
	})
}

func (s *secretive) runNow(wants int, w way, args ...string) {
	home := s.t.TempDir()
	what := fmt.Sprintf("%s by %s", strings.Join(args, " "), w.name)
	if w.config != "" {
		if err := os.MkdirAll(filepath.Join(home, "config", "locktop"), 0o700); err != nil {
			s.t.Error(err)
		}
		if err := os.WriteFile(filepath.Join(home, "config", "locktop", "config.toml"), []byte(w.config), 0o600); err != nil {
			s.t.Error(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, append(args, w.args...)...)
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + filepath.Join(home, "state"), "XDG_CONFIG_HOME=" + filepath.Join(home, "config"),
		"XDG_CACHE_HOME=" + filepath.Join(home, "cache"), "XDG_DATA_HOME=" + filepath.Join(home, "data"), "TMPDIR=" + home, "TERM=tmux-256color",
	}, w.env...)
	cmd.Stdin = strings.NewReader(w.stdin)
	out, err := cmd.CombinedOutput()
	code := cmd.ProcessState.ExitCode()
	if wants >= 0 && code != wants || wants < 0 && code == 0 {
		s.t.Errorf("%s: exit code %d (%v), want %d: %s", what, code, err, wants, out)
	}
	if bytes.Contains(out, []byte(marker)) {
		s.t.Errorf("%s: the output has the password: %s", what, out)
	}
	err = filepath.WalkDir(home, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, "config.toml") {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.Contains(path, marker) || bytes.Contains(content, []byte(marker)) {
			s.t.Errorf("%s: the password is in %s: %s", what, path, content)
		}
		return err
	})
	if err != nil {
		s.t.Error(err)
	}
}

func newSecretive(t *testing.T) *secretive { return &secretive{t: t, running: make(chan struct{}, 4)} }

// TestNoSecretIsShown gives a password in every way, to every command, well and with every failure.
func TestNoSecretIsShown(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	server.Do("ACL", "SETUSER", "me", "on", ">"+password, "~*", "&*", "+@all")
	locked := redistest.Start(t)
	locked.Do("ACL", "SETUSER", "me", "on", ">another")
	poor := redistest.Start(t)
	poor.Do("ACL", "SETUSER", "me", "on", ">"+password, "~*", "&*", "-@all", "+ping")
	ignorant := redistest.Start(t, "--rename-command", "AUTH", "", "--rename-command", "HELLO", "")
	secure := redistest.StartTLS(t)
	for i := range 12 {
		server.Do("SET", fmt.Sprintf("lock:%d", i), "worker-7", "PX", 600000)
	}
	s := newSecretive(t)
	commands := [][]string{
		{"list"},
		{"list", "-o", "json"},
		{"list", "-o", "csv"},
		{"watch", "--for", "300ms"},
		{"watch", "--for", "300ms", "-o", "json"},
		{"--for", "300ms"},
		{"show", "lock:1"},
		{"show", "lock:1", "-o", "json"},
		{"release", "lock:2", "--holder", "worker-7", "--dry-run"},
		{"extend", "lock:3", "--holder", "worker-7", "--ttl", "1h", "--yes"},
		{"expire", "lock:4", "--holder", "worker-7", "--yes"},
		{"release", "lock:5", "--holder", "worker-7", "--yes"},
		{"check"},
		{"check", "-o", "json"},
		{"check", "--discover"},
	}
	for i, command := range commands {
		s.run(0, waysTo(server.Addr)[i%7], command...)
		s.run(-1, waysTo(locked.Addr)[(i+1)%7], command...)
		s.run(-1, way{name: "a URL that cannot be read", env: []string{"REDIS_URL=redis://me:" + password + "@host"}}, command...)
	}
	told := fmt.Sprintf("[profile.prod]\nurl = \"redis://%s\"\nuser = \"me\"\nenvironment = \"production\"\npassword-command = [\"printf\", \"%%s\", %q]", server.Addr, password)
	s.run(0, way{name: "password-command", config: told}, "list", "--profile", "prod")
	s.run(0, way{name: "password-command", config: told}, "release", "lock:6", "--holder", "worker-7", "--yes", "--confirm", "lock:6", "--profile", "prod")
	s.run(0, way{name: "password-command", config: told}, "check", "--profile", "prod")
	s.run(0, way{name: "password-command", config: told}, "check", "--config")
	for i, w := range waysTo(server.Addr) {
		s.run(0, w, "check")
		s.run(1, waysTo("127.0.0.1:1")[i], "list")
		s.run(1, waysTo(locked.Addr)[i], "list")
		s.run(-1, waysTo(poor.Addr)[i], "list")
		s.run(-1, waysTo(poor.Addr)[i], "release", "lock:1", "--holder", "worker-7", "--yes")
		s.run(1, waysTo(ignorant.Addr)[i], "list")
		s.run(1, waysTo(secure.Addr)[i], "list")
		tls := waysTo(server.Addr)[i]
		tls.args = append([]string{"--tls", "--insecure"}, tls.args...)
		s.run(1, tls, "list")
	}
	s.misplaced()
	s.wait.Wait()
}

// misplaced gives passwords where none belong, and URLs in which they are not escaped.
func (s *secretive) misplaced() {
	for _, raw := range []string{
		"redis://me:" + marker + "#x@host:1", "redis://" + marker + "#@host", "redis://" + marker + "?@host:1", "redis://" + marker + "?db=1@host",
		"redis://me:1/" + marker + "@host", "redis://" + marker + "/x@host", "redis://me:" + marker + "%zz@host", "redis://me:" + marker + "@host:x",
		"redis://me:" + marker + "@host/" + marker, "redis://me:" + marker + "@host?" + marker + "=1", "redis://me:" + marker + "@[::1", "unix://" + marker + "/x@/run/r.sock",
		"http://me:" + marker + "@host", "me:" + marker + "@host", marker, "redis://me:" + marker + "\x7f@host", "redis://me:" + marker + " x@host",
		"redis://me:" + marker + "@host?dial_timeout=" + marker, "redis://me:" + marker + "@host?skip_verify=" + marker,
	} {
		s.run(2, way{name: "--url", args: []string{"--url", raw}}, "list")
		s.run(2, way{name: "REDIS_URL", env: []string{"REDIS_URL=" + raw}}, "list")
		s.run(2, way{name: "--sentinel", args: []string{"--sentinel", "m", "--url", raw}}, "list")
		s.run(2, way{name: "demo", args: []string{"demo", "--serve", "--url", raw}})
	}
	secretURL := "redis://me:" + marker + "@127.0.0.1:1"
	s.run(2, way{name: "no flag"}, secretURL)
	s.run(2, way{name: "no flag"}, "list", secretURL)
	s.run(2, way{name: "-p"}, "list", "-p"+marker)
	s.run(2, way{name: "-p"}, "list", "-p", marker)
	s.run(2, way{name: "-P"}, "list", "-P"+marker)
	s.run(2, way{name: "--askpass="}, "list", "--askpass="+marker)
	s.run(2, way{name: "--password"}, "list", "--password="+marker)
	s.run(2, way{name: "LOCKTOP_PORT", env: []string{"LOCKTOP_PORT=" + marker}}, "list")
	s.run(1, way{name: "--sentinel-pass", args: []string{"-p", "1", "--sentinel", "m", "--sentinel-pass", marker}}, "list")
	s.run(1, way{name: "LOCKTOP_SENTINEL_PASS", args: []string{"-p", "1", "--sentinel", "m"}, env: []string{"LOCKTOP_SENTINEL_PASS=" + marker}}, "list")
	for _, config := range []string{
		"pass = \"" + marker + "\"", "pass = " + marker, "pass = \"" + marker, "url = \"" + secretURL + "\"", "url = " + secretURL, "[profile." + "prod]\npass = \"" + marker + "\"",
		"pass = \"\\q" + marker + "\"", "[profile.prod]\nurl = \"" + secretURL + "\"", "[profile.prod]\nurl = [\"redis://" + marker + "@a\"]",
		"[profile.prod]\nurl = \"http://" + marker + "\"", "[profile.prod]\nport = \"" + marker + "\"", "[profile.prod]\nsentinel-pass = \"" + marker + "\"",
		"[profile.prod]\npassword-command = \"" + marker + "\"", "[profile.prod]\npassword-command = [" + marker + "]", "[profile.prod]\nREDISCLI_AUTH = \"" + marker + "\"",
	} {
		s.run(2, way{name: "the configuration", config: config}, "list", "-p", "1")
		s.run(2, way{name: "the configuration", config: config}, "check", "--config")
	}
	for _, command := range []string{`["printf", "` + marker + `"]`, `["sh", "-c", "echo ` + marker + `; echo ` + marker + `; exit 3"]`, `["/nowhere/` + "pass" + `", "` + marker + `"]`} {
		prod := "[profile.prod]\nurl = \"redis://127.0.0.1:1\"\nuser = \"me\"\npassword-command = " + command
		s.run(1, way{name: "password-command", config: prod}, "list", "--profile", "prod")
		s.run(0, way{name: "password-command", config: prod}, "check", "--config")
		s.run(0, way{name: "password-command", config: prod}, "check", "--config", "-o", "json")
	}
}

// TestNoSecretGoesToChildren looks at what the demo's server and its guard were started with.
func TestNoSecretGoesToChildren(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skipf("SKIPPED, NOT PASSED: this system has no /proc: %v", err)
	}
	redistest.Require(t, "redis-server")
	cmd := exec.Command(binary, "demo", "--serve", "--server", "redis", "--for", "1m")
	cmd.Env = append(os.Environ(), "REDISCLI_AUTH="+password, "LOCKTOP_PASS="+password, "REDIS_URL=redis://:"+marker+"@host", "REDIS_PASSWORD="+marker, "TMPDIR="+t.TempDir())
	var out lockedBuffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // it was interrupted
	}()
	redistest.Eventually(t, patience, func() (bool, string) { return strings.Contains(out.String(), "ready:"), out.String() })
	seen := 0
	children, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range children {
		list, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for pid := range strings.FieldsSeq(string(list)) {
			seen++
			for _, what := range []string{"environ", "cmdline"} {
				content, err := os.ReadFile("/proc/" + pid + "/" + what)
				if err != nil || bytes.Contains(content, []byte(marker)) {
					t.Errorf("%s of a child: %v, %s", what, err, content)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("there is no child")
	}
	if strings.Contains(out.String(), marker) {
		t.Errorf("the output has the password: %s", out.String())
	}
}

// lockedBuffer may be read while it is written.
type lockedBuffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}

// TestTheDashboardKeepsTheSecret looks at the screen, at the window's title and at all that was written, before and after the server
// takes another password.
func TestTheDashboardKeepsTheSecret(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	server.Do("ACL", "SETUSER", "me", "on", ">"+password, "~*", "&*", "+@all")
	server.Do("SET", "lock:a", "worker-7", "PX", 600000)
	u := (&url.URL{Scheme: "redis", Host: server.Addr, User: url.UserPassword("me", password)}).String()
	written := filepath.Join(t.TempDir(), "written")
	term := openTerminal(t, 120, 30, "LOCKTOP_URL="+u)
	term.tmux("pipe-pane", "-O", "cat > "+written)
	quiet := func() {
		t.Helper()
		content, err := os.ReadFile(written)
		if err != nil {
			t.Fatal(err)
		}
		title := term.tmux("display-message", "-p", "#{pane_title} #{window_name}")
		if all := term.screen() + title + string(content); strings.Contains(all, marker) {
			t.Errorf("the password is on the screen, in the title, or was written: %q", all)
		}
	}
	term.run("")
	term.waitFor("lock:a", "push")
	term.keys("Enter")
	term.waitFor("worker-7", "waiters")
	term.keys("G")
	term.waitFor("redis-cli")
	quiet()
	term.escape("esc back")
	server.Do("ACL", "SETUSER", "me", "resetpass", ">another")
	server.Do("CLIENT", "KILL", "USER", "me")
	term.waitFor("stale since")
	quiet()
	term.keys("q")
	term.mustBeSane(0)
	quiet()
}
