package servers

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

func TestMain(m *testing.M) { redistest.Main(m) }

// patience is how long a test waits for something; it is over in a fraction of that unless something is wrong.
const patience = 30 * time.Second

// onServers runs a test on server processes and on embedded servers.
func onServers(t *testing.T, test func(t *testing.T, kind Kind)) {
	t.Helper()
	t.Run("redis", func(t *testing.T) {
		redistest.Require(t, "redis-server")
		test(t, Redis)
	})
	t.Run("embedded", func(t *testing.T) { test(t, Embedded) })
}

// open opens servers that are closed, and must close well, when the test ends.
func open(t *testing.T, o Options) Servers {
	t.Helper()
	s := must(Open(t.Context(), o))(t)
	t.Cleanup(func() { succeed(t, s.Close()) })
	return s
}

// look connects to a server as a dashboard would.
func look(t *testing.T, o keyspace.Options) *redis.Client {
	t.Helper()
	conn := must(keyspace.Connect(context.WithoutCancel(t.Context()), o))(t)
	client := conn.NewClient("test")
	t.Cleanup(func() { succeed(t, errors.Join(client.Close(), conn.Close())) })
	return client
}

// must fails the test on an error, and else passes the value on.
func must[T any](value T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		succeed(t, err)
		return value
	}
}

// succeed fails the test on an error.
func succeed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, what string, ok func(ctx context.Context) bool) {
	t.Helper()
	redistest.Eventually(t, patience, func() (bool, string) { return ok(t.Context()), what })
}

// ask gives a server one command that must succeed.
func ask(t *testing.T, o keyspace.Options, words ...any) any {
	t.Helper()
	said, err := order(t.Context(), o, words...)
	if err != nil {
		t.Fatalf("%v: %v", words[0], err)
	}
	return said
}

// tempDirs makes an empty directory the place of temporary files, and returns a function that lists what is in it.
func tempDirs(t *testing.T) func() []string {
	t.Helper()
	dir := must(os.MkdirTemp("", "t"))(t) // not TempDir: its path can be too long for a socket
	t.Cleanup(func() { succeed(t, os.RemoveAll(dir)) })
	t.Setenv("TMPDIR", dir)
	return func() []string { return must(filepath.Glob(filepath.Join(dir, "*")))(t) }
}
