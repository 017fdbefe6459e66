//go:build unix

package e2e_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace/redistest"
)

// monitored waits until somebody monitors the server, or nobody does.
func monitored(t *testing.T, s *redistest.Server, want bool) {
	t.Helper()
	redistest.Eventually(t, patience, func() (bool, string) {
		list, _ := s.Do("CLIENT", "LIST").(string)
		return strings.Contains(list, "cmd=monitor") == want, list
	})
}

// An operator asks who waits for a lock that a polling client cannot be seen waiting for, ends a long probe, and suspends locktop during
// another one: nothing may be left that the server writes to and nobody reads.
func TestProbeSaysWhoWaits(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "lock:orders", "the-holder", "PX", 600_000)
	worker := redis.NewClient(&redis.Options{Addr: s.Addr, ClientName: "worker-7", PoolSize: 1})
	ctx, cancel := context.WithCancel(t.Context())
	var working sync.WaitGroup
	working.Go(func() {
		for ctx.Err() == nil {
			worker.Do(ctx, "SET", "lock:orders", "worker-7-token", "NX", "PX", 1000)
			time.Sleep(10 * time.Millisecond) // it polls
		}
		_ = worker.Close() // nothing is owed to it
	})
	defer working.Wait()
	defer cancel()

	term := openTerminal(t, 110, 30)
	term.run(connection(s))
	term.waitFor("lock:orders", "the-holder", "push")
	term.keys("P")
	term.waitFor("probe lock:orders", "commands a second now", "half of the throughput", "[ Probe ]")
	monitored(t, s, false)
	term.keys("Enter") // Cancel has the focus
	term.waitGone("[ Cancel ]")
	term.keys("P")
	term.waitFor("[ Probe ]")
	term.keys("Tab", "Enter")
	term.waitFor("Waiters (sampled 2", "1 client at least", "worker-7", "IN VAIN", "commands a second before")
	monitored(t, s, false)
	term.escape("Waiters (sampled")
	term.waitFor("≥1") // in the table

	term.keys("P")
	term.waitFor("[ Probe ]")
	term.keys("BTab", "BSpace", "BSpace", "3", "0", "s", "Tab", "Tab", "Enter")
	term.waitFor("of 30 s", "ends it")
	monitored(t, s, true)
	term.keys("Escape")
	term.waitFor("cancelled", "worker-7")
	monitored(t, s, false)

	term.keys("P")
	term.waitFor("[ Probe ]")
	term.keys("BTab", "BSpace", "BSpace", "3", "0", "s", "Tab", "Tab", "Enter")
	term.waitFor("of 30 s", "ends it")
	monitored(t, s, true)
	term.keys("C-z")
	term.waitFor("Stopped", "exit=148")
	monitored(t, s, false)
	term.typeText("clear; fg; echo exit=$?")
	term.keys("Enter")
	term.waitFor("cancelled", "worker-7")
	term.keys("q")
	term.waitFor("lock:orders")
	term.keys("q")
	term.mustBeSane(0)

	term.typeText("clear")
	term.keys("Enter")
	term.run("show lock:orders --probe 30s " + connection(s) + " | head -24 | cut -c 1-90") // the commands after it are long
	term.waitFor("probing for 30 s, ctrl-c ends it: MONITOR")
	monitored(t, s, true)
	term.keys("C-z")
	term.waitFor("Stopped")
	monitored(t, s, false)
	term.typeText("fg")
	term.keys("Enter")
	term.waitFor(", cancelled", "commands a second before", "ready>")
}

// withoutRedis is a PATH with what the tests' shell uses, and no server.
func withoutRedis(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"sh", "clear", "stty", "tr", "grep"} {
		path, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(path, filepath.Join(dir, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The demo needs no Redis for it. Where probes are off, the key says so.
func TestProbeOfTheDemo(t *testing.T) {
	t.Parallel()
	term := openTerminal(t, 100, 36, "PATH="+withoutRedis(t))
	term.run("demo --seed 7")
	term.waitFor("embedded", "contention", "▶ 1x", "lock:", "● held")
	term.keys("G", "P")
	term.waitFor("[ Probe ]", "commands a second now")
	term.keys("Tab", "Enter")
	term.waitFor("Waiters (sampled 2", "attempts", "commands a second before")
	term.keys("q")
	term.waitGone("Waiters (sampled")
	term.keys("q")
	term.mustBeSane(0)
	term.typeText("clear")
	term.keys("Enter")
	term.run("demo --server embedded --probe off")
	term.waitFor("▶ 1x", "lock:", "● held")
	term.keys("P")
	term.waitFor("the probe is off")
	term.keys("q")
	term.mustBeSane(0)
}
