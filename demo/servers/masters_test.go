package servers

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// raise starts servers that must close well when the test ends.
func raise(t *testing.T, kind Kind) *Masters {
	t.Helper()
	m, err := openMasters(t.Context(), 5, kind)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// keysOf are how many keys each has; -1 where a dead one refuses every connection.
func keysOf(t *testing.T, m *Masters) []int64 {
	t.Helper()
	var counts []int64
	for i, o := range m.Connections() {
		if m.Alive(i) {
			counts = append(counts, ask(t, o, "DBSIZE").(int64))
			continue
		}
		if conn, err := net.DialTimeout(o.Network, o.Addr, patience); err == nil {
			t.Errorf("dead, %s takes a connection: %v", o.Addr, conn.Close())
		}
		counts = append(counts, -1)
	}
	return counts
}

func expectKeys(t *testing.T, m *Masters, want ...int64) {
	t.Helper()
	got := keysOf(t, m)
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("keys of each: %d, want %d", got, want)
		}
	}
}

func TestMasters(t *testing.T) {
	onServers(t, func(t *testing.T, kind Kind) {
		m := raise(t, kind)
		addresses := map[string]bool{}
		for _, o := range m.Connections() {
			addresses[o.Addr] = true
			if len(o.Password) < 20 || o.Password != m.Connections()[0].Password {
				t.Error("they have not all the same random password")
			}
			ask(t, o, "SET", "k", "v")
		}
		if len(addresses) != 5 {
			t.Fatalf("the addresses of five: %v", addresses)
		}
		if name := m.Name(); kind == Embedded && name != "5 embedded demo servers" ||
			kind == Redis && (!strings.HasPrefix(name, "5 x ") || !strings.HasSuffix(name, " (private)")) {
			t.Errorf("they are called %q", name)
		}
		expectKeys(t, m, 1, 1, 1, 1, 1)
		for range 2 { // the dead stay dead, and the living alive
			succeed(t, m.Kill(2))
			expectKeys(t, m, 1, 1, -1, 1, 1)
		}
		for range 2 {
			succeed(t, m.Restart(2))
			expectKeys(t, m, 1, 1, 0, 1, 1)
		}
		succeed(t, m.Kill(4))
		succeed(t, m.Reset(t.Context()))
		expectKeys(t, m, 0, 0, 0, 0, 0)
		flags := ask(t, m.Connections()[4], "CONFIG", "GET", "notify-keyspace-events")
		for _, flag := range notifyFlags {
			if said := flags.([]any)[1].(string); !strings.ContainsRune(said, flag) {
				t.Errorf("one that came back notifies of %q", said)
			}
		}
	})
}

// TestRestartAmidClients lets one die again and again while clients are connected.
func TestRestartAmidClients(t *testing.T) {
	onServers(t, func(t *testing.T, kind Kind) {
		m := raise(t, kind)
		o := m.Connections()[0]
		for range 3 {
			client := look(t, o)
			succeed(t, client.Set(t.Context(), "k", "v", 0).Err())
			succeed(t, m.Kill(0))
			succeed(t, m.Restart(0))
			expectKeys(t, m, 0, 0, 0, 0, 0)
		}
	})
}

func TestMastersClocks(t *testing.T) {
	m := raise(t, Auto)
	o := m.Connections()
	for i := range o {
		ask(t, o[i], "SET", "k", "v", "EX", 60)
	}
	succeed(t, m.Jump(1, 2*time.Minute))
	succeed(t, m.Jump(3, 30*time.Second))
	expectKeysNamed(t, m, 1, 0, 1, 1, 1)
	if left := ask(t, o[3], "TTL", "k").(int64); left > 30 {
		t.Errorf("half a minute ahead, %d s are left", left)
	}
	succeed(t, m.Kill(4))
	if err := m.Jump(4, time.Minute); err == nil || !strings.Contains(err.Error(), "is dead") {
		t.Errorf("the clock of a dead one: %v", err)
	}
	succeed(t, m.Reset(t.Context()))
	for i := range o {
		ask(t, o[i], "SET", "k", "v", "EXAT", time.Now().Add(time.Minute).Unix())
		if left := ask(t, o[i], "TTL", "k").(int64); left < 45 || left > 60 {
			t.Errorf("after all was set right, server %d gives a minute %d s", i, left)
		}
	}
}

// expectKeysNamed asks for the key by its name, whereby one whose deadline is over is gone.
func expectKeysNamed(t *testing.T, m *Masters, want ...int64) {
	t.Helper()
	for i, o := range m.Connections() {
		if got := ask(t, o, "EXISTS", "k").(int64); got != want[i] {
			t.Errorf("server %d: EXISTS %d, want %d", i, got, want[i])
		}
	}
}

func TestRealClocksStay(t *testing.T) {
	redistest.Require(t, "redis-server")
	m := raise(t, Redis)
	if err := m.Jump(0, time.Minute); !errors.Is(err, ErrNoJump) {
		t.Errorf("a jump of a real server's clock: %v", err)
	}
	succeed(t, m.Reset(t.Context()))
}

func TestNothingIsLeftOfMasters(t *testing.T) {
	onServers(t, func(t *testing.T, kind Kind) {
		before := goleak.IgnoreCurrent()
		files := tempDirs(t)
		m, err := openMasters(t.Context(), 3, kind)
		succeed(t, err)
		if made := files(); kind == Redis && len(made) != 3 {
			t.Errorf("files while they run: %v", made)
		}
		succeed(t, m.Kill(1))
		for range 2 {
			succeed(t, m.Close())
		}
		for i, o := range m.Connections() {
			if conn, err := net.DialTimeout(o.Network, o.Addr, patience); err == nil || m.Alive(i) {
				t.Errorf("%s still lives: %v", o.Addr, conn)
			}
		}
		for name, err := range map[string]error{"restart": m.Restart(1), "reset": m.Reset(t.Context())} {
			if !errors.Is(err, errClosed) {
				t.Errorf("%s after the end: %v", name, err)
			}
		}
		if left := files(); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		goleak.VerifyNone(t, before)
	})
}

func TestMastersRefuse(t *testing.T) {
	if _, err := openMasters(t.Context(), 5, "sqlite"); err == nil || !strings.Contains(err.Error(), "unknown kind of server") {
		t.Errorf("%v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := openMasters(t.Context(), 5, Redis); !errors.Is(err, ErrNoServer) {
		t.Errorf("%v", err)
	}
	m := raise(t, Auto)
	expectKeys(t, m, 0, 0, 0, 0, 0)
}

// An address that is taken for a moment only, by a process that is just being started, is waited for.
func TestEmbeddedWaitsForItsAddress(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	freed := time.AfterFunc(50*time.Millisecond, func() { _ = other.Close() })
	defer freed.Stop()
	s, err := embeddedAt(t.Context(), keyspace.Options{Network: "tcp", Addr: other.Addr().String(), Password: "open sesame"})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Connections()[0].Addr; got != other.Addr().String() {
		t.Errorf("it listens on %s", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
