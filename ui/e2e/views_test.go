//go:build unix

package e2e_test

import (
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace/redistest"
)

// Somebody opens the wrong database, finds out, and then makes the views his own.
func TestViewsFromTheFirstRunOn(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	for i := range 5 {
		s.Do("RPUSH", fmt.Sprint("lock:list:", i), "x")
	}
	other := s.Client(func(o *redis.Options) { o.DB = 3 })
	if err := other.MSet(t.Context(), "lock:a", "worker-1", "lock:b", "worker-2").Err(); err != nil {
		t.Fatal(err)
	}
	term := openTerminal(t, 80, 24)
	term.run(connection(s))
	term.waitFor("no locks in database 0", "looked for *lock*", "other databases: db3 2 keys", "locktop -n 3", "5 keys match, and none is laid out like a lock")
	term.resize(45, 20)
	term.waitFor("other databases: db3 2 keys", "locktop -n 3", "? help", "q quit")
	term.keys("q")
	term.mustBeSane(0)

	term.resize(100, 30)
	term.run(connection(s) + " -n 3")
	term.waitFor("lock:a", "lock:b", "WAITERS", "HOLDER")
	term.keys("c")
	term.waitFor("─ columns", "[x] holder", "[x] waiters", "esc close")
	term.keys("j", "Space", "j", "j", "j", "j", "j", "Space") // from the scheme on
	term.waitFor("[ ] holder", "[ ] waiters")
	term.escape("─ columns")
	term.waitGone("WAITERS", "HOLDER")
	term.keys("s")
	term.waitFor("KEY↓", "by key")
	term.keys("I")
	term.waitFor("KEY↑", "by key, turned")

	term.keys("3")
	term.waitFor("EVENT", "! trouble")
	if err := other.Set(t.Context(), "lock:c", "worker-3", 0).Err(); err != nil {
		t.Fatal(err)
	}
	term.waitFor("acquired", "lock:c")
	if err := other.Del(t.Context(), "lock:c").Err(); err != nil {
		t.Fatal(err)
	}
	term.waitFor("freed")
	term.keys("/")
	term.waitFor("⏎ keep")
	term.typeText("lock:x")
	term.keys("Enter")
	term.waitGone("freed")
	term.escape("/lock:x")
	term.waitFor("freed")
	term.keys("k")
	term.waitFor("newer event", "below; G follows again")
	term.keys("!")
	term.waitFor("TROUBLE ONLY", "no trouble since locktop looks")
	term.escape("TROUBLE ONLY")
	term.keys("4")
	term.waitFor("commands/s", "so far")
	term.keys("q")
	term.mustBeSane(0)
}

// A server that lets nobody in any more says so, why, and what mends it, with and without locks on the screen.
func TestTroubleSaysTheMend(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("ACL", "SETUSER", "somebody", "on", ">secret", "~*", "&*", "+@all")
	term := openTerminal(t, 100, 24, "REDISCLI_AUTH=secret")
	term.run(connection(s) + " --user somebody")
	term.waitFor("no locks in database 0")
	s.Do("ACL", "SETUSER", "somebody", "resetpass", ">another")
	s.Do("CLIENT", "KILL", "USER", "somebody")
	term.waitFor("does not let us in: wrong user or password", "WRONGPASS", "mend  give the right ones with --user and REDISCLI_AUTH")
	s.Do("ACL", "SETUSER", "somebody", ">secret")
	s.Do("SET", "lock:a", "worker-1", "PX", 300_000)
	term.waitFor("lock:a", "worker-1")
	s.Do("ACL", "SETUSER", "somebody", "-scan", "-type", "-time", "-pexpiretime", "-ping")
	s.Do("CLIENT", "KILL", "USER", "somebody")
	term.waitFor("stale since", "no permission", "→ the user needs the ACL rules that `locktop check` prints", "lock:a")
	term.keys("q")
	term.mustBeSane(0)
}
