//go:build unix

package e2e_test

import (
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"locktop/keyspace/redistest"
)

// connection is how the program reaches a test's server.
func connection(s *redistest.Server) string {
	_, port, _ := strings.Cut(s.Addr, ":")
	return "-p " + port
}

func TestDashboardShowsAndReleasesARealLock(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "lock:orders:checkout", "worker-7", "PX", 300000)
	term := openTerminal(t, 100, 30)
	term.run(connection(s))
	term.waitFor("lock:orders:checkout", "worker-7", "● held", "push")

	s.Do("SET", "invoice_lock", "host-1:4242") // acquired elsewhere: it must appear by itself
	term.waitFor("invoice_lock", "✖ stuck")

	term.keys("g") // the stuck one is on top
	term.keys("r")
	term.waitFor("release invoice_lock", "Cancel")
	term.keys("Enter") // Cancel has the focus
	term.waitGone("Cancel")
	if s.Do("EXISTS", "invoice_lock") != int64(1) {
		t.Fatal("Enter in a fresh dialog released the lock")
	}
	term.keys("r")
	term.waitFor("release invoice_lock", "Cancel")
	term.keys("Tab", "Enter")
	term.waitFor("released")
	term.waitFor("◌ freed")
	if s.Do("EXISTS", "invoice_lock") != int64(0) {
		t.Fatal("the lock is still there")
	}

	term.keys("G", "Enter")
	term.waitFor("lock:orders:checkout", "waiters")
	term.keys("G")
	term.waitFor("PEXPIRETIME") // in the last command line
	term.escape("esc back")
	term.keys("3")
	term.waitFor("acquired", "released", "invoice_lock")
	term.keys("?")
	term.waitFor("In a dialog", "filter")
	term.escape("In a dialog")
	term.keys("1", "q")
	term.mustBeSane(0)
}

func TestTwoOperatorsOneRelease(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "lock:a", "worker-1", "PX", 300000)
	term := openTerminal(t, 100, 30)
	term.run(connection(s))
	term.waitFor("lock:a", "worker-1")
	term.keys("r")
	term.waitFor("release lock:a", "Cancel")
	// While the dialog is open another operator releases it, and another worker acquires it.
	s.Do("DEL", "lock:a")
	s.Do("SET", "lock:a", "worker-2", "PX", 300000)
	term.waitFor("by now it is held by worker-2", "Look again")
	term.keys("Tab", "Enter") // it shows the lock of the other worker, and the focus is on Cancel
	term.waitFor("holder   worker-2", "[ Release ]")
	term.keys("Enter")
	term.waitGone("Cancel")
	term.waitFor("worker-2")
	if s.Do("GET", "lock:a") != "worker-2" {
		t.Fatal("the release removed somebody else's lock")
	}
	term.keys("q")
	term.mustBeSane(0)
}

func TestReadOnlyRefuses(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "lock:a", "worker-1", "PX", 300000)
	term := openTerminal(t, 80, 24)
	term.run(connection(s) + " --read-only")
	term.waitFor("lock:a", "READ-ONLY")
	term.keys("x")
	term.waitFor("read-only")
	term.keys("Tab", "y")
	if s.Do("EXISTS", "lock:a") != int64(1) {
		t.Fatal("read-only mode let an action through")
	}
	term.keys("C-c")
	term.mustBeSane(130)
}

func TestServerDiesAndComesBack(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "lock:a", "worker-1", "PX", 300000)
	term := openTerminal(t, 80, 24)
	term.run(connection(s))
	term.waitFor("lock:a", "push")
	s.Kill()
	term.waitFor("stale since", "lock:a")
	s.Revive()
	term.waitGone("stale since")
	s.Do("SET", "lock:b", "worker-2", "PX", 300000)
	term.waitFor("lock:b", "worker-2")
	s.Signal(syscall.SIGSTOP)
	term.waitFor("stale since")
	term.keys("q") // it must not wait for the server
	term.mustBeSane(0)
	s.Signal(syscall.SIGCONT)
}

func TestEverySizeAndEverySignal(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	for i := range 40 {
		s.Do("SET", fmt.Sprintf("lock:order:%d", i), "worker-1", "PX", 300000)
	}
	for _, signal := range []string{"TERM", "HUP", "QUIT", "INT"} {
		t.Run(signal, func(t *testing.T) {
			t.Parallel()
			term := openTerminal(t, 120, 40)
			term.run(connection(s))
			term.waitFor("lock:order:1", "q quit")
			for _, size := range [][2]int{{200, 50}, {45, 12}, {1, 1}, {80, 24}} {
				term.resize(size[0], size[1])
			}
			term.waitFor("lock:order:1", "held", "q quit")
			term.keys("C-z")
			term.waitFor("Stopped", "exit=148")
			term.typeText("clear; fg; echo exit=$?")
			term.keys("Enter")
			term.waitFor("lock:order:1", "q quit")
			shell := strings.TrimSpace(term.tmux("display-message", "-p", "#{pane_pid}"))
			if out, err := exec.Command("pkill", "-"+signal, "-P", shell).CombinedOutput(); err != nil {
				t.Fatalf("pkill: %v %s", err, out)
			}
			term.mustBeSane(130)
		})
	}
}

func TestHostileTextIsShownEscaped(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "lock:\x1b]0;pwned\x07\x1b[2J\x1b[31mred", "tok\r\nen\u202e\x9b31m", "PX", 300000)
	s.Do("SETRANGE", "lock:huge", 100<<20, "x")
	s.Do("RPUSH", "lock:orders", "x")
	term := openTerminal(t, 120, 24)
	term.run(connection(s))
	term.waitFor(`lock:\x1b]0;pwned\x07`, "wrong")
	if title := term.tmux("display-message", "-p", "#{pane_title}"); strings.Contains(title, "pwned") && !strings.Contains(title, `\x1b`) {
		t.Errorf("a key set the window's title: %q", title)
	}
	term.keys("G", "Enter")
	term.waitFor("waiters")
	term.keys("G")
	term.waitFor("do 2 DEL", `\x1b]0;pwned`)
	term.escape("esc back")
	term.keys("q")
	term.mustBeSane(0)
}

func TestNothingAnswers(t *testing.T) {
	t.Parallel()
	term := openTerminal(t, 100, 24)
	term.run("-p 1")
	term.waitFor("127.0.0.1:1", "locktop demo")
	term.mustBeSane(1)
}
