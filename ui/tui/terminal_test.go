package tui

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"locktop/keyspace/redistest"
)

// terminal is a shell in a tmux server of its own, in which this test binary runs the dashboard.
type terminal struct {
	t      *testing.T
	socket string
	shell  string // its process id
}

func openTerminal(t *testing.T, width, height int, env string) *terminal {
	t.Helper()
	redistest.Require(t, "tmux")
	term := &terminal{t: t, socket: fmt.Sprintf("locktop-tui-%d-%s", os.Getpid(), strings.ReplaceAll(t.Name(), "/", "-"))}
	term.tmux("-f", os.DevNull, "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height),
		"env -u NO_COLOR PS1='ready> ' LC_ALL=C.UTF-8 sh")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the screen at the end:\n%s", term.screen())
		}
		_ = exec.Command("tmux", "-L", term.socket, "kill-server").Run() // it is gone where its shell has ended
	})
	term.shell = strings.TrimSpace(term.tmux("display-message", "-p", "#{pane_pid}"))
	term.waitFor("ready>")
	term.typeLine(env + " LOCKTOP_TUI_RUN=1 " + os.Args[0] + "; echo exit=$?")
	return term
}

func (term *terminal) tmux(args ...string) string {
	term.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-u", "-L", term.socket}, args...)...).CombinedOutput()
	if err != nil {
		term.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (term *terminal) keys(keys ...string) {
	term.t.Helper()
	term.tmux(append([]string{"send-keys"}, keys...)...)
}

func (term *terminal) typeLine(line string) {
	term.t.Helper()
	term.tmux("send-keys", "-l", line)
	term.keys("Enter")
}

func (term *terminal) screen() string {
	out, err := exec.Command("tmux", "-u", "-L", term.socket, "capture-pane", "-p").CombinedOutput()
	if err != nil {
		return err.Error()
	}
	return string(out)
}

func (term *terminal) waitFor(texts ...string) {
	term.t.Helper()
	term.until(func() bool {
		screen := term.screen()
		for _, s := range texts {
			if !strings.Contains(screen, s) {
				return false
			}
		}
		return true
	}, fmt.Sprintf("the screen shows %q", texts))
}

// until polls; what says in words what is waited for.
func (term *terminal) until(ok func() bool, what string) {
	term.t.Helper()
	redistest.Eventually(term.t, 20*time.Second, func() (bool, string) { return ok(), what })
}

// mustBeSane checks that the program has ended with a code, and left the terminal as a shell needs it.
func (term *terminal) mustBeSane(code int) {
	term.t.Helper()
	term.waitFor(fmt.Sprintf("exit=%d", code))
	if got := strings.TrimSpace(term.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag} #{mouse_any_flag}")); got != "0 1 0" {
		term.t.Errorf("alternate screen, cursor and mouse are %q, want 0, 1 and 0", got)
	}
	term.typeLine("stty -a | tr ' ' '\\n' | grep -cx -e echo -e icanon -e isig -e icrnl")
	term.waitFor("\n4\n")
}

// program is the process id of the dashboard.
func (term *terminal) program() string {
	term.t.Helper()
	var id string
	term.until(func() bool {
		out, err := exec.Command("pgrep", "-P", term.shell).Output()
		id = strings.TrimSpace(string(out))
		return err == nil && id != ""
	}, "the dashboard runs")
	return id
}

func TestTerminalIsSaneAfterwards(t *testing.T) {
	t.Parallel()
	const up = "lock:invoice:7731"
	for name, c := range map[string]struct {
		env  string
		end  func(term *terminal)
		code int
		says string
	}{
		"quit":      {end: func(term *terminal) { term.keys("q") }, says: "bye"},
		"interrupt": {end: func(term *terminal) { term.keys("C-c") }, code: 130, says: "interrupted"},
		"dialog":    {end: func(term *terminal) { term.keys("r", "C-c") }, code: 130},
		"sigterm":   {end: func(term *terminal) { kill(term, "-TERM") }, says: "bye"},
		"sighup":    {end: func(term *terminal) { kill(term, "-HUP") }, says: "bye"},
		"sigint":    {end: func(term *terminal) { kill(term, "-INT") }, code: 130, says: "interrupted"},
		"panic": {
			env: "LOCKTOP_TUI_PANIC=1", end: func(*terminal) {}, code: 2,
			says: `the dashboard broke, which is a fault of locktop: the source broke\x1b[2J`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := openTerminal(t, 100, 40, c.env+" LOCKTOP_TUI_MOUSE=1")
			if c.code != 2 {
				term.waitFor(up, "mouse on")
				term.until(func() bool {
					return strings.TrimSpace(term.tmux("display-message", "-p", "#{mouse_any_flag}")) == "1"
				}, "the mouse is asked for")
			}
			c.end(term)
			term.mustBeSane(c.code)
			term.waitFor(c.says)
		})
	}
}

func kill(term *terminal, signal string) {
	if out, err := exec.Command("kill", signal, term.program()).CombinedOutput(); err != nil {
		term.t.Fatalf("kill: %v %s", err, out)
	}
}

func TestTerminalSuspendAndResume(t *testing.T) {
	t.Parallel()
	term := openTerminal(t, 100, 30, "")
	term.waitFor("lock:invoice:7731")
	term.keys("C-z")
	term.waitFor("Stopped", "exit=148")
	term.typeLine("echo in the shell; fg")
	term.waitFor("lock:invoice:7731", "push")
	term.keys("3")
	term.waitFor("EVENT")
	term.keys("q")
	term.waitFor("bye")
}

func TestTerminalResize(t *testing.T) {
	t.Parallel()
	term := openTerminal(t, 100, 30, "NO_COLOR=1")
	term.waitFor("lock:invoice:7731", "WAITERS")
	for _, size := range [][2]int{{45, 20}, {1, 1}, {3, 2}, {200, 50}} {
		term.tmux("resize-window", "-x", fmt.Sprint(size[0]), "-y", fmt.Sprint(size[1]))
	}
	term.waitFor("FINDING", "LAST MINUTE", "no-ttl")
	if colours := term.tmux("capture-pane", "-ep"); regexp.MustCompile("[[;][34][0-7][;m]").MatchString(colours) || !strings.Contains(colours, "\x1b[1m") {
		t.Error("NO_COLOR sets no colour, but keeps bold")
	}
	term.keys("q")
	term.mustBeSane(0)
}

// TestTerminalProduction types the name of a lock, and of the profile, which a paste does not do.
func TestTerminalProduction(t *testing.T) {
	t.Parallel()
	term := openTerminal(t, 100, 40, "LOCKTOP_TUI_PRODUCTION=prod-eu")
	term.waitFor("lock:invoice:7731", " PRODUCTION ")
	term.keys("g", "x")
	term.waitFor("PRODUCTION · force-expire lock:invoice:7731", "type the name first")
	term.keys("BTab")
	term.tmux("set-buffer", "lock:invoice:7731")
	term.tmux("paste-buffer", "-p")
	term.waitFor("it is not pasted but typed")
	for i, letter := range "lock:invoice:7731" {
		term.keys(string(letter))
		term.waitFor("› " + "lock:invoice:7731"[:i+1]) // many that were read at once would be a paste
	}
	term.waitFor("✔")
	term.keys("Tab", "Tab", "Enter")
	term.waitFor("was not force-expired", "worker-3")
	term.keys("Escape") // what followed at once would be read as alt and that key
	term.until(func() bool { return !strings.Contains(term.screen(), "was not force-expired") }, "the message is gone")
	term.keys("m", "m", "r")
	term.waitFor("PRODUCTION · release 2 marked locks", "prod-eu")
	term.keys("C-c")
	term.mustBeSane(130)
}

func TestTerminalDemo(t *testing.T) {
	t.Parallel()
	term := openTerminal(t, 100, 30, "LOCKTOP_TUI_DEMO=1")
	term.waitFor("▶ 1x", "worker-4 died at work")
	term.keys("p")
	term.waitFor("‖ held", "p go on")
	term.keys("5")
	term.waitFor("look for", "VARIANT", "more lines")
	term.keys("q")
	term.mustBeSane(0)
}
