package redistest_test

import (
	"testing"
	"time"

	"locktop/keyspace/redistest"
)

func TestServerLifecycle(t *testing.T) {
	s := redistest.Start(t)
	s.Do("SET", "k", "v")
	s.Restart()
	if v := s.Do("GET", "k"); v != nil {
		t.Fatalf("after a restart GET k = %v, want nothing", v)
	}
	s.Kill()
	s.Revive()
	redistest.Eventually(t, time.Second, func() (bool, string) {
		v := s.Do("PING")
		return v == "PONG", v.(string)
	})
}
