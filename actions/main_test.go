package actions

import (
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"locktop/keyspace/redistest"
)

func TestMain(m *testing.M) { redistest.Main(m) }

// onServers runs a test on a real server and on the one that is embedded in the demo.
func onServers(t *testing.T, test func(t *testing.T, client *redis.Client)) {
	t.Helper()
	t.Run("redis", func(t *testing.T) { test(t, redistest.Start(t).Client()) })
	t.Run("embedded", func(t *testing.T) { test(t, embeddedClient(t)) })
}

func embeddedClient(t *testing.T) *redis.Client {
	t.Helper()
	server := miniredis.RunT(t)
	server.SetTime(time.Now()) // its leases do not run, and end at the same instant as long as its clock stands
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), MaxRetries: -1})
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return client
}

// must fails the test on an error, and else passes the value on.
func must[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
