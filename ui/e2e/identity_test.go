//go:build unix

package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace/redistest"
)

// A client dies with its locks: they are found, its row comes to the top, and the way there and back holds.
func TestADeadClientsLocksAreFound(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t, "--notify-keyspace-events", "Kg$hzxen")
	client := func(name string) *redis.Client {
		c := s.Client(func(o *redis.Options) { o.ClientName, o.PoolSize = name, 1 })
		if err := c.Ping(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	dead := client("worker-7")
	client("worker-8")
	s.Do("SET", "lock:a", "worker-7:3f9c", "PX", 600000)
	s.Do("SET", "lock:b", "worker-7:77aa")
	s.Do("SET", "lock:c", "worker-8:1", "PX", 600000)
	s.Do("SET", "lock:d", "worker-8:2", "PX", 600000)
	s.Do("SET", "lock:e", "worker-8:3", "PX", 600000)
	term := openTerminal(t, 80, 24)
	term.run(connection(s))
	term.waitFor("lock:a", "push")
	term.keys("2")
	term.waitFor("● alive    worker-7", "● alive    worker-8")
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	term.waitFor("▌ ✖ gone     worker-7") // the cursor was on it, on the second row
	term.keys("g", "Enter")
	term.waitFor("✖ gone  worker-7  2 locks", "lock:a", "lock:b")
	term.keys("g", "Enter")
	term.waitFor("lock:b", "✖ gone since")
	term.keys("C-d")
	term.waitFor("orphaned (critical)", "worker-7 was last seen at")
	term.escape("orphaned (critical)")
	term.waitFor("✖ gone  worker-7  2 locks")
	term.escape("✖ gone  worker-7  2 locks")
	term.keys("1")
	term.waitFor("(gone)")
	client("worker-7") // it is there again, under its name
	term.waitGone("(gone)")
	term.keys("q")
	term.mustBeSane(0)
}

// A client dies with its locks, and all of them are released from its row in the view of holders: after a preview that lists each, and
// nobody else's. The README shows that preview.
func TestADeadClientsLocksAreReleased(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	client := func(name string) *redis.Client {
		c := redis.NewClient(&redis.Options{Addr: s.Addr, ClientName: name, PoolSize: 1})
		t.Cleanup(func() { _ = c.Close() }) // one was closed before
		if err := c.Ping(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	dead := client("worker-7")
	for i, key := range []string{"lock:invoice:7731", "lock:invoice:7732", "lock:refund:4711"} {
		s.Do("SET", key, fmt.Sprintf("worker-7:%02x3f9c", i+1), "PX", 600000)
	}
	for i, name := range []string{"worker-8", "worker-9", "mailer-1"} {
		client(name)
		for j := range 4 - i {
			s.Do("SET", fmt.Sprintf("lock:order:%d%d", i+1, j), fmt.Sprintf("%s:%d1c07", name, j), "PX", 90000+7000*i)
		}
	}
	const width, height = 120, 32
	term := openTerminal(t, width, height)
	term.run(connection(s))
	term.waitFor("lock:refund:4711", "push")
	term.keys("2")
	term.waitFor("● alive    worker-7")
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	term.waitFor("✖ gone     worker-7")
	term.keys("g", "r")
	screen := term.waitFor("release 3 locks of worker-7", "3 locks of worker-7, 3 will be released",
		"lock:invoice:7731", "lock:invoice:7732", "lock:refund:4711", "[ Release 3 ]")
	if strings.Contains(screen, "lock:order:") {
		t.Errorf("the preview lists another holder's lock:\n%s", screen)
	}
	var picture sheet
	picture.screen(term.tmux("capture-pane", "-e", "-p"), 0, 0, width, height, dark)
	picture.keep(t, "holders")
	term.keys("Tab", "Enter")
	term.waitFor("3 in all: 3 released")
	if s.Do("EXISTS", "lock:invoice:7731", "lock:invoice:7732", "lock:refund:4711") != int64(0) || s.Do("EXISTS", "lock:order:10") != int64(1) {
		t.Fatal("what was released is not what was listed")
	}
	term.escape("3 in all")
	term.keys("q")
	term.mustBeSane(0)
}
