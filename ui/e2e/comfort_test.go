//go:build unix

package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"locktop/keyspace/redistest"
)

// sickLocks are some locks of which each theme has something to tell.
func sickLocks(t *testing.T) *redistest.Server {
	t.Helper()
	s := redistest.Start(t)
	s.Do("SET", "lock:checkout", "worker-7", "PX", 300000)
	s.Do("SET", "lock:invoice", "worker-3")
	s.Do("SET", "lock:import", fmt.Sprint(time.Now().Unix()-90))
	s.Do("RPUSH", "lock:orders", "x")
	s.Do("SET", "lock:käse", "jörg", "PX", 300000)
	return s
}

// TestThemes shows each theme as it is, and draws them side by side for the README.
func TestThemes(t *testing.T) {
	t.Parallel()
	s := sickLocks(t)
	const width, height, gap = 64, 15, 26.0
	var all sheet
	for i, c := range []struct {
		name, env string
		writes    string // what only this theme writes
		on        *paper
	}{
		{"default", "", "\x1b[96m", dark},
		{"light", "", "\x1b[34m", light},
		{"high-contrast", "", "\x1b[92m", dark},
		{"deuteranopia", "", "\x1b[38;5;32m", dark},
		{"tritanopia", "", "\x1b[38;5;220m", dark},
		{"mono", "NO_COLOR=1", "", dark},
	} {
		env := []string{}
		flag := " --theme " + c.name
		if c.env != "" {
			env, flag = append(env, c.env), " --theme light" // NO_COLOR has the last word
		}
		term := openTerminal(t, width, height, env...)
		term.run(connection(s) + flag)
		term.waitFor("lock:checkout", "✖ stuck", "▲ wrong", "◑ lapsed", "● held", "▌", "worker-7")
		screen := term.tmux("capture-pane", "-e", "-p")
		colours := regexp.MustCompile(`\x1b\[[0-9;]*(3[0-8]|4[0-7]|9[0-7])[;m]`).MatchString(screen)
		if c.writes != "" && !strings.Contains(screen, c.writes) || colours != (c.name != "mono") {
			t.Errorf("%s: it is not to be seen in\n%q", c.name, screen)
		}
		if !strings.Contains(screen, "\x1b[1m") {
			t.Errorf("%s: the row of the cursor is not bold in\n%q", c.name, screen)
		}
		x, y := float64(i%2)*(width*cellWidth+2*margin+gap), float64(i/2)*(height*cellHeight+2*margin+gap)+gap
		all.caption(c.name, x+margin, y-8)
		all.screen(screen, x, y, width, height, c.on)
		if c.name == "default" {
			term.keys("t")
			term.waitFor("theme: light")
		}
		term.keys("q")
		term.mustBeSane(0)
	}
	all.keep(t, "themes")
}

// TestASCII: a locale without UTF-8 gets nothing but ASCII, from the dashboard and from what people read; a machine gets
// UTF-8 all the same.
func TestASCII(t *testing.T) {
	t.Parallel()
	s := sickLocks(t)
	term := openTerminal(t, 80, 24, "LC_ALL=C")
	term.run(connection(s))
	beyond := func(screen string) bool {
		return strings.ContainsFunc(screen, func(r rune) bool { return r > unicode.MaxASCII })
	}
	for _, c := range []struct {
		keys []string
		want []string
	}{
		{nil, []string{`lock:k\u00e4se`, `j\u00f6rg`, "x stuck", "& lapsed", "* held", "Enter detail"}},
		{[]string{"Enter"}, []string{"waiters", "more lines"}},
		{[]string{"r"}, []string{"+- release", "[ Cancel ]"}},
		{[]string{"Enter", "4"}, []string{"* push"}},
		{[]string{"?"}, []string{"Space     freeze"}},
	} {
		term.keys(c.keys...)
		if screen := term.waitFor(c.want...); beyond(screen) {
			t.Errorf("after %v there is more than ASCII on the screen:\n%s", c.keys, screen)
		}
	}
	term.keys("C-c")
	term.mustBeSane(130)
	term.run("list " + connection(s))
	if screen := term.waitFor("exit=0", `lock:k\u00e4se`, "stuck"); beyond(screen) {
		t.Errorf("list writes more than ASCII:\n%s", screen)
	}
	term.run("list -o json " + connection(s) + ` | od -An -v -tx1 | tr -d ' \n' | grep -c c3a4 | sed 's/^/counted /'`) // the two bytes of ä
	term.waitFor("\ncounted 1\n")
}

// TestMouse drives the mouse as a terminal reports it. tmux would swallow a real one.
func TestMouse(t *testing.T) {
	t.Parallel()
	s := sickLocks(t)
	term := openTerminal(t, 160, 30)
	asked := func(want bool) {
		t.Helper()
		term.waitUntil(fmt.Sprintf("the mouse is asked for: %v", want), func(string) bool {
			return (strings.TrimSpace(term.tmux("display-message", "-p", "#{mouse_button_flag} #{mouse_sgr_flag}")) == "1 1") == want
		})
	}
	// report sends a press, and the release behind it.
	report := func(button, column, line int) {
		t.Helper()
		term.typeText(fmt.Sprintf("\x1b[<%d;%d;%dM\x1b[<%d;%d;%dm", button, column+1, line+1, button, column+1, line+1))
	}
	click := func(wanted string) {
		t.Helper()
		for y, line := range strings.Split(term.waitFor(wanted), "\n") {
			if before, _, found := strings.Cut(line, wanted); found {
				report(0, len([]rune(before)), y)
				return
			}
		}
	}
	term.run(connection(s))
	term.waitFor("lock:checkout")
	asked(false)
	term.keys("M")
	term.waitFor("mouse on, M off")
	asked(true)
	selected := func(key string) {
		t.Helper()
		term.waitUntil(key+" is selected", func(screen string) bool {
			return regexp.MustCompile(`▌.*` + key).MatchString(screen)
		})
	}
	click("lock:checkout")
	selected("lock:checkout")
	report(64, 5, 8) // the wheel, up
	selected("lock:i")
	click("KEY")
	term.waitFor("KEY↓", "by key")
	click("3 events")
	term.waitFor("EVENT", "1 locks")
	click("1 locks")
	term.waitFor("STATE")
	click("lock:checkout")
	selected("lock:checkout")
	click("lock:checkout")
	click("lock:checkout")
	term.waitFor("token · exclusive")
	term.keys("r")
	click("[ Release ]")
	click("[ Cancel ]")
	term.waitGone("[ Cancel ]")
	if s.Do("EXISTS", "lock:checkout") != int64(1) {
		t.Fatal("the mouse has released a lock")
	}
	term.keys("C-z")
	term.waitFor("Stopped", "exit=148")
	asked(false)
	term.typeText("clear; fg; echo exit=$?")
	term.keys("Enter")
	term.waitFor("token · exclusive")
	asked(true)
	term.keys("M")
	term.waitFor("mouse off")
	asked(false)
	term.keys("M")
	asked(true)
	shell := strings.TrimSpace(term.tmux("display-message", "-p", "#{pane_pid}"))
	if out, err := exec.Command("pkill", "-TERM", "-P", shell).CombinedOutput(); err != nil {
		t.Fatalf("pkill: %v %s", err, out)
	}
	term.mustBeSane(130)
	asked(false)
}

// TestCopyThroughTmux: a copy reaches the clipboard of the terminal, where tmux is told to pass it on; within another tmux
// as well.
func TestCopyThroughTmux(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "lock:checkout", "worker-7", "PX", 300000)
	for _, c := range []struct{ name, inner, through string }{
		{"set-clipboard", "on", "off"},
		{"allow-passthrough", "external", "on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			outer := openTerminal(t, 100, 30, "TMUX=")
			outer.tmux("set-option", "-s", "set-clipboard", "on")
			inner := &terminal{t: t, socket: outer.socket + "-inner"}
			t.Cleanup(func() { _ = exec.Command("tmux", "-L", inner.socket, "kill-server").Run() })
			outer.typeText("tmux -u -L " + inner.socket + " -f /dev/null new-session '" + binary + " " + connection(s) + "'")
			outer.keys("Enter")
			outer.waitFor("lock:checkout")
			inner.tmux("set-option", "-s", "set-clipboard", c.inner)
			inner.tmux("set-option", "-g", "allow-passthrough", c.through)
			outer.keys("y")
			outer.waitFor("copied the key lock:checkout; tmux passes it on")
			outer.waitUntil("the copy has arrived outside", func(string) bool {
				buffer, _ := exec.Command("tmux", "-L", outer.socket, "show-buffer").Output() // an error: there is none yet
				return string(buffer) == "lock:checkout"
			})
			outer.keys("q")
		})
	}
}

// TestFramesAreSynchronized looks at what the terminal is sent.
func TestFramesAreSynchronized(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "lock:a", "worker-1", "PX", 300000)
	for _, flag := range []string{"", " --no-sync"} {
		term := openTerminal(t, 80, 24)
		sent := filepath.Join(t.TempDir(), "sent")
		term.run(connection(s) + flag)
		term.tmux("pipe-pane", "-O", "cat > "+sent)
		term.waitFor("lock:a")
		term.keys("3")
		term.waitFor("EVENT")
		term.keys("q")
		term.mustBeSane(0)
		raw, err := os.ReadFile(sent)
		if err != nil {
			t.Fatal(err)
		}
		begun, ended := strings.Count(string(raw), "\x1b[?2026h"), strings.Count(string(raw), "\x1b[?2026l")
		if synced := begun > 0 && begun == ended; synced != (flag == "") {
			t.Errorf("locktop%s: %d frames begin, %d end", flag, begun, ended)
		}
	}
}
