//go:build unix

package e2e_test

import (
	"testing"

	"locktop/keyspace/redistest"
)

// TestForceExpireWithADelay leaves the holder a few seconds to notice, and ends the lock then.
func TestForceExpireWithADelay(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "lock:orders", "worker-7")
	term := openTerminal(t, 100, 30)
	term.run(connection(s))
	term.waitFor("lock:orders", "✖ stuck", "push")
	term.keys("x")
	term.waitFor("force-expire lock:orders", "no TTL", "0: now; else its holder may notice until then")
	term.keys("BTab", "BTab", "BSpace", "5") // over the reason to the delay
	term.waitFor("in       5")
	term.keys("Tab", "Tab", "Tab", "Enter")
	term.waitGone("[ Cancel ]")
	term.waitFor("● held", "4.") // a lease of five seconds has begun
	if ttl, is := s.Do("PTTL", "lock:orders").(int64); !is || ttl > 5000 {
		t.Fatalf("after a force-expiry in five seconds the key has %d ms", ttl)
	}
	term.waitFor("◌ freed")
	term.keys("3")
	term.waitFor("expired", "lock:orders")
	term.keys("q")
	term.mustBeSane(0)
}
