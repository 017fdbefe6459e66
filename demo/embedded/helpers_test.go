package embedded_test

import (
	"testing"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"locktop/demo/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start starts a server and closes it with the test; no command may have panicked.
func start(tb testing.TB, o embedded.Options) *embedded.Server {
	tb.Helper()
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

func client(tb testing.TB, s *embedded.Server, options ...func(*redis.Options)) *redis.Client {
	tb.Helper()
	o := &redis.Options{Addr: s.Addr(), MaxRetries: -1, ContextTimeoutEnabled: true}
	for _, set := range options {
		set(o)
	}
	c := redis.NewClient(o)
	tb.Cleanup(func() { _ = c.Close() }) // the test may have closed it already
	return c
}
