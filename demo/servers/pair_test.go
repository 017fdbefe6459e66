package servers

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"locktop/keyspace/redistest"
)

// couple starts a pair that must close well when the test ends.
func couple(t *testing.T) *Pair {
	t.Helper()
	redistest.Require(t, "redis-server")
	p, err := openPair(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { succeed(t, p.Close()) })
	return p
}

// replicas writes a key at the endpoint and says how many replicas have it within a time, which is over at once if one has.
func replicas(t *testing.T, p *Pair, key string, within time.Duration) int64 {
	t.Helper()
	client := orderly(p.endpoint())
	defer client.Close()
	var counted *redis.Cmd
	_, err := client.Pipelined(t.Context(), func(one redis.Pipeliner) error {
		one.Set(t.Context(), key, "v", 0)
		counted = one.Do(t.Context(), "WAIT", 1, within.Milliseconds())
		return nil
	})
	succeed(t, err)
	return counted.Val().(int64)
}

// has says whether a key is at the endpoint.
func has(t *testing.T, p *Pair, key string) bool {
	t.Helper()
	return ask(t, p.endpoint(), "EXISTS", key).(int64) == 1
}

// expectReplica sees that what is written from now on reaches the replica at once.
func expectReplica(t *testing.T, p *Pair) {
	t.Helper()
	if n := replicas(t, p, "probe", patience); n != 1 {
		t.Fatalf("%d replicas have what is written", n)
	}
	if n := ask(t, p.replica.options, "EXISTS", "probe").(int64); n != 1 {
		t.Fatal("the replica does not have what was written")
	}
}

// TestFailover loses what was written after the cut, and nothing else.
func TestFailover(t *testing.T) {
	p := couple(t)
	if !strings.HasSuffix(p.Name(), " with a replica (private)") {
		t.Errorf("it is called %q", p.Name())
	}
	where := p.endpoint()
	client := look(t, where) // it lives through all of it
	for range 3 {            // each is the master again and again
		master := p.master.options.Addr
		if replicas(t, p, "before", patience) != 1 {
			t.Fatal("before the cut, the replica does not follow")
		}
		succeed(t, p.WaitSynced(t.Context()))
		p.CutReplication()
		if n := replicas(t, p, "after", 50*time.Millisecond); n != 0 {
			t.Fatalf("%d replicas have what was written after the cut", n)
		}
		succeed(t, p.KillMaster())
		succeed(t, p.KillMaster()) // the dead stay dead
		if _, err := order(t.Context(), where, "PING"); err == nil {
			t.Fatal("a dead master answers")
		}
		p.healReplication() // too late
		succeed(t, p.Promote(t.Context()))
		if !has(t, p, "before") || has(t, p, "after") {
			t.Fatalf("after the fail-over: before %v, after %v", has(t, p, "before"), has(t, p, "after"))
		}
		succeed(t, p.Rejoin(t.Context()))
		if p.replica.options.Addr != master || p.endpoint() != where {
			t.Errorf("the replica is at %s, which was %s; the master at %v", p.replica.options.Addr, master, p.endpoint())
		}
		expectReplica(t, p)
		eventually(t, "a client that was connected before goes on", func(ctx context.Context) bool {
			return client.Exists(ctx, "before").Val() == 1
		})
		succeed(t, p.Reset(t.Context()))
	}
}

// TestReplicationHeals lets the replica have what it missed.
func TestReplicationHeals(t *testing.T) {
	p := couple(t)
	p.CutReplication()
	if n := replicas(t, p, "after", 50*time.Millisecond); n != 0 {
		t.Fatalf("%d replicas have what was written after the cut", n)
	}
	if n := ask(t, p.replica.options, "EXISTS", "after").(int64); n != 0 {
		t.Fatal("what was written after the cut reached the replica")
	}
	p.healReplication()
	succeed(t, p.WaitSynced(t.Context()))
	if n := ask(t, p.replica.options, "EXISTS", "after").(int64); n != 1 {
		t.Fatal("what was written after the cut did not reach the replica after that")
	}
}

// TestPairReset makes whatever has become of a pair good again.
func TestPairReset(t *testing.T) {
	p := couple(t)
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T)
	}{
		{"nothing", func(*testing.T) {}},
		{"cut", func(*testing.T) { p.CutReplication() }},
		{"dead", func(t *testing.T) { succeed(t, p.KillMaster()) }},
		{"cut and dead", func(t *testing.T) {
			p.CutReplication()
			succeed(t, p.KillMaster())
		}},
		{"promoted", func(t *testing.T) {
			succeed(t, p.KillMaster())
			succeed(t, p.Promote(t.Context()))
		}},
		{"both dead", func(t *testing.T) {
			succeed(t, p.KillMaster())
			succeed(t, p.Promote(t.Context()))
			succeed(t, p.KillMaster())
		}},
		{"two masters", func(t *testing.T) { // the old one goes on, as one does that nobody has told
			succeed(t, p.Promote(t.Context()))
			ask(t, p.replica.options, "SET", "unheard", "v")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ask(t, p.endpoint(), "SET", "k", "v")
			c.spoil(t)
			succeed(t, p.Reset(t.Context()))
			for _, m := range []*member{p.master, p.replica} {
				if n := ask(t, m.options, "DBSIZE").(int64); n != 0 {
					t.Errorf("%s has %d keys", m.options.Addr, n)
				}
			}
			expectReplica(t, p)
		})
	}
}

func TestPairRefuses(t *testing.T) {
	p := couple(t)
	succeed(t, p.KillMaster())
	if err := p.Rejoin(t.Context()); err == nil || !strings.Contains(err.Error(), "promote the replica first") {
		t.Errorf("rejoin without a master: %v", err)
	}
	succeed(t, p.Promote(t.Context()))
	if err := p.Promote(t.Context()); err == nil || !strings.Contains(err.Error(), "is dead") {
		t.Errorf("promote a dead replica: %v", err)
	}
	succeed(t, p.Rejoin(t.Context()))
	p.CutReplication()
	ask(t, p.endpoint(), "SET", "k", "v")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := p.WaitSynced(ctx)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "the replica is not in step") {
		t.Errorf("in step in spite of a cut: %v", err)
	}
}

func TestPairNeedsServer(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := openPair(t.Context())
	if !errors.Is(err, ErrNoServer) || strings.Contains(err.Error(), "\n") {
		t.Fatal(err)
	}
	for _, want := range []string{"a master with a replica cannot be embedded", "install Redis 6.2 or later"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q, want %q", err, want)
		}
	}
	if strings.Contains(err.Error(), "--server embedded") {
		t.Errorf("%q advises what does not help", err)
	}
}

func TestNothingIsLeftOfPair(t *testing.T) {
	redistest.Require(t, "redis-server")
	for name, spoil := range map[string]func(t *testing.T, p *Pair){
		"at once": func(*testing.T, *Pair) {},
		"cut":     func(_ *testing.T, p *Pair) { p.CutReplication() },
		"dead":    func(t *testing.T, p *Pair) { succeed(t, p.KillMaster()) },
		"promoted": func(t *testing.T, p *Pair) {
			succeed(t, p.KillMaster())
			succeed(t, p.Promote(t.Context()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			files := tempDirs(t)
			p := must(openPair(t.Context()))(t)
			if made := files(); len(made) != 2 {
				t.Errorf("files while they run: %v", made)
			}
			spoil(t, p)
			for range 2 {
				succeed(t, p.Close())
			}
			expectNothingOf(t, p, files)
			goleak.VerifyNone(t, before)
		})
	}
}

// TestPairClosesMidWay ends it while it does something that takes time, or would never end.
func TestPairClosesMidWay(t *testing.T) {
	redistest.Require(t, "redis-server")
	for name, c := range map[string]struct {
		prepare func(t *testing.T, p *Pair)
		act     func(*Pair, context.Context) error
	}{
		"rejoin": {func(t *testing.T, p *Pair) {
			succeed(t, p.KillMaster())
			succeed(t, p.Promote(t.Context()))
		}, (*Pair).Rejoin},
		"wait": {func(t *testing.T, p *Pair) {
			p.CutReplication()
			ask(t, p.endpoint(), "SET", "k", "v")
		}, (*Pair).WaitSynced},
	} {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			files := tempDirs(t)
			p := must(openPair(t.Context()))(t)
			ended := make(chan error, 1)
			c.prepare(t, p)
			go func() { ended <- c.act(p, context.Background()) }()
			eventually(t, "it is at it", func(context.Context) bool {
				if p.mu.TryLock() {
					p.mu.Unlock()
					return false
				}
				return true
			})
			succeed(t, p.Close())
			if err := <-ended; err == nil {
				t.Error("it was done in spite of the end")
			}
			expectNothingOf(t, p, files)
			goleak.VerifyNone(t, before)
		})
	}
}

// TestPairStartsNot ends a start before it is through.
func TestPairStartsNot(t *testing.T) {
	redistest.Require(t, "redis-server")
	before := goleak.IgnoreCurrent()
	files := tempDirs(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := openPair(ctx)
		ended <- err
	}()
	eventually(t, "the first one is being started", func(context.Context) bool { return len(files()) > 0 })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("a start that was given up: %v", err)
	}
	if left := files(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	goleak.VerifyNone(t, before)
}

func expectNothingOf(t *testing.T, p *Pair, files func() []string) {
	t.Helper()
	for _, addr := range []string{p.endpoint().Addr, p.link.addr(), p.master.options.Addr, p.replica.options.Addr} {
		if conn, err := net.DialTimeout("tcp", addr, patience); err == nil {
			t.Errorf("%s still takes connections: %v", addr, conn.Close())
		}
	}
	if left := files(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := p.Promote(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("promote after the end: %v", err)
	}
}
