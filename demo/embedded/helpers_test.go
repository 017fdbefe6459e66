package embedded_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"locktop/demo/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start starts a server, on a socket unless the options name another place, and closes it with the
// test; no command may have panicked.
func start(tb testing.TB, o embedded.Options) *embedded.Server {
	tb.Helper()
	if o.Network == "" && o.Password == "" {
		o.Network, o.Addr = "unix", socketPath(tb)
	}
	s, err := embedded.Start(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// socketPath is a free path in a directory of the test's own that only this user may enter.
func socketPath(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "embedded") // not TempDir: its path can be too long for a socket, and others may enter it
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	return filepath.Join(dir, "redis.sock")
}

// networkOf is the network of an address: a path is a socket's.
func networkOf(addr string) string {
	if filepath.IsAbs(addr) {
		return "unix"
	}
	return "tcp"
}

func client(tb testing.TB, s *embedded.Server, options ...func(*redis.Options)) *redis.Client {
	tb.Helper()
	o := &redis.Options{Network: networkOf(s.Addr()), Addr: s.Addr(), MaxRetries: -1, ContextTimeoutEnabled: true}
	for _, set := range options {
		set(o)
	}
	c := redis.NewClient(o)
	tb.Cleanup(func() { _ = c.Close() }) // the test may have closed it already
	return c
}
