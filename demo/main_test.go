package demo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// TestMain runs many tests at once: workers sleep most of the time.
func TestMain(m *testing.M) { redistest.Main(m) }

// patience is how long a test waits for something; it is over in a fraction of that unless something is wrong.
const patience = 30 * time.Second

// onServersFor runs a test on the servers of [onServers] that the scenario can run on.
func onServersFor(t *testing.T, needs Needs, test func(t *testing.T, server Server)) {
	t.Helper()
	onServers(t, func(t *testing.T, server Server) {
		t.Helper()
		if server == ServerEmbedded && (needs == NeedsReal || needs == NeedsPair) {
			return // TestStartRefuses has what is said then
		}
		test(t, server)
	})
}

// onServers runs a test on a server process of the demo's own and on the embedded server.
func onServers(t *testing.T, test func(t *testing.T, server Server)) {
	t.Helper()
	t.Run("redis", func(t *testing.T) {
		redistest.Require(t, "redis-server")
		test(t, ServerRedis)
	})
	t.Run("embedded", func(t *testing.T) { test(t, ServerEmbedded) })
}

// begin starts a demo that is closed, and must close well, when the test ends.
func begin(t *testing.T, o Options) *Demo {
	t.Helper()
	d, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// address is that of a demo with one server.
func (d *Demo) address() keyspace.Options { return d.Place().Servers[0] }

// laneOf is the verdict so far on one variant.
func laneOf(t *testing.T, d *Demo, name string) LaneVerdict {
	t.Helper()
	v := d.Verdict()
	at := slices.IndexFunc(v.Lanes, func(l LaneVerdict) bool { return l.Name == name })
	if at < 0 {
		t.Fatalf("there is no variant %q in %s", name, v.Text)
	}
	return v.Lanes[at]
}

// look connects to a demo's server as a dashboard would.
func look(t *testing.T, o keyspace.Options) *redis.Client {
	t.Helper()
	conn, err := keyspace.Connect(context.WithoutCancel(t.Context()), o)
	if err != nil {
		t.Fatal(err)
	}
	client := conn.NewClient("test")
	t.Cleanup(func() {
		if err := errors.Join(client.Close(), conn.Close()); err != nil {
			t.Error(err)
		}
	})
	return client
}

// must fails the test on an error, and else passes the value on.
func must[T any](value T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// tempDirs makes an empty directory the place of temporary files, and returns a function that lists what is in it.
func tempDirs(t *testing.T) func() []string {
	t.Helper()
	dir, err := os.MkdirTemp("", "t") // not TempDir: its path can be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	t.Setenv("TMPDIR", dir)
	return func() []string { return must(filepath.Glob(filepath.Join(dir, "*")))(t) }
}
