package demo

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/demo/servers"
	"locktop/inspector"
	"locktop/keyspace"
)

// newTestVoters are voters on five masters of the test's own, whom the test leads by the hand.
func newTestVoters(t *testing.T, server Server, speed float64, count int) (*stage, *servers.Masters, []*voter) {
	t.Helper()
	m := raise(t, server)
	var conns []*keyspace.Connection
	for _, o := range m.Connections() {
		conn, err := keyspace.Connect(t.Context(), o)
		succeed(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		conns = append(conns, conn)
	}
	s := newShow(t.Context(), Options{Seed: 1, Speed: speed}, m, conns, "", []lane{{}}).stages[0]
	var voters []*voter
	for range count {
		v := s.newVoter()
		t.Cleanup(v.close)
		voters = append(voters, v)
	}
	return s, m, voters
}

func TestQuorumLock(t *testing.T) {
	onServers(t, func(t *testing.T, server Server) {
		s, m, voters := newTestVoters(t, server, 1, 2)
		ctx := t.Context()
		l, rival := voters[0].quorumLock("lock:a", time.Minute), voters[1].quorumLock("lock:a", time.Minute)
		votes := func(of *quorumLock, want int) {
			t.Helper()
			if n := voters[1].votesOf(ctx, of); n != want {
				t.Fatalf("%s has %d votes, want %d", of.worker.name, n, want)
			}
		}
		if !must(l.acquire(ctx))(t) || l.votes != 5 {
			t.Fatalf("%d votes for a free lock", l.votes)
		}
		most := time.Minute - inspector.Drift(time.Minute)
		if l.validity > most || l.validity < most-masterPatience || s.clock.now().until(l.until) > l.validity {
			t.Fatalf("a validity of %v, want almost %v", l.validity, most)
		}
		votes(l, 5)
		if must(rival.acquire(ctx))(t) || rival.votes != 0 {
			t.Fatalf("the rival got %d votes", rival.votes)
		}
		succeed(t, m.Kill(0))
		succeed(t, m.Kill(3))
		if !must(l.extend(ctx))(t) || l.votes != 3 {
			t.Fatalf("extended with %d votes of the three masters left", l.votes)
		}
		if !must(l.release(ctx))(t) {
			t.Fatal("not released with three masters")
		}
		votes(l, 0)
		if !must(rival.acquire(ctx))(t) || rival.votes != 3 {
			t.Fatalf("acquired with %d votes of the three masters left", rival.votes)
		}
		succeed(t, m.Kill(1))
		if must(rival.extend(ctx))(t) || must(l.acquire(ctx))(t) {
			t.Fatal("two masters made a quorum")
		}
		succeed(t, m.Mend(ctx))
		if must(l.acquire(ctx))(t); l.votes != 3 {
			t.Fatalf("three masters came back empty, and two kept their votes: %d", l.votes)
		}
		votes(rival, 2)
	})
}

// An attempt that fails leaves nothing behind, and one that is not of this worker is left alone.
func TestFailedAttemptGivesItsVotesBack(t *testing.T) {
	_, m, voters := newTestVoters(t, ServerEmbedded, 1, 2)
	ctx := t.Context()
	l, rival := voters[0].quorumLock("lock:a", time.Minute), voters[1].quorumLock("lock:a", time.Minute)
	if got, err := l.attempt(ctx, l.links[:3]); !got || err != nil {
		t.Fatalf("%v, %v", got, err)
	}
	if must(rival.acquire(ctx))(t) || rival.votes != 2 {
		t.Fatalf("the rival got %d votes of two free ones", rival.votes)
	}
	for i, want := range []int64{1, 1, 1, 0, 0} {
		if n := ask(t, m.Connections()[i], "DBSIZE").(int64); n != want {
			t.Fatalf("master %d has %d keys, want %d", i, n, want)
		}
	}
	first := rival.owner
	if must(rival.acquire(ctx))(t) || rival.owner == first {
		t.Fatalf("two attempts with the token %q", first)
	}
}

// A master that says no of its own accord is no master that is silent.
func TestRefusalsAreErrors(t *testing.T) {
	_, m, voters := newTestVoters(t, ServerEmbedded, 1, 1)
	ask(t, m.Connections()[2], "SADD", "lock:a", "x")
	succeed(t, m.Kill(4))
	l := voters[0].quorumLock("lock:a", time.Minute)
	n, err := poll(t.Context(), l.links, func(ctx context.Context, k *link) (bool, error) {
		return k.client.Get(ctx, "lock:a").Err() == nil, k.client.Append(ctx, "lock:a", "x").Err()
	})
	var said redis.Error
	if n != 0 || !errors.As(err, &said) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "WRONGTYPE") {
		t.Fatalf("%d votes, %v", n, err)
	}
}

// A master is asked again as soon as it is back, however often it was asked while it was dead: the client library would not
// dial for a second.
func TestMasterIsAskedAgainAtOnce(t *testing.T) {
	_, m, voters := newTestVoters(t, ServerEmbedded, 1, 1)
	succeed(t, m.Kill(2))
	l := voters[0].quorumLock("lock:a", time.Minute)
	for range 40 {
		if !must(l.acquire(t.Context()))(t) || l.votes != 4 {
			t.Fatalf("%d votes of four", l.votes)
		}
		must(l.release(t.Context()))(t)
	}
	succeed(t, m.Restart(2))
	if !must(l.acquire(t.Context()))(t) || l.votes != 5 {
		t.Fatalf("%d votes of five", l.votes)
	}
}

// A change of the tempo scales the votes that there are, and does not wait for masters that are dead.
func TestTempoWithDeadMasters(t *testing.T) {
	onServers(t, func(t *testing.T, server Server) {
		s, m, voters := newTestVoters(t, server, 1, 1)
		l := voters[0].quorumLock("lock:a", time.Minute)
		if !must(l.acquire(t.Context()))(t) {
			t.Fatal("not acquired")
		}
		succeed(t, m.Kill(0))
		succeed(t, m.Kill(2))
		if err := s.change(t.Context(), func(t *Tempo) { t.Rate = 0.5 }); err != nil {
			t.Fatal(err)
		}
		for i, o := range m.Connections() {
			if !m.Alive(i) {
				continue
			}
			if left := ask(t, o, "PTTL", "lock:a").(int64); left < 110_000 || left > 121_000 {
				t.Errorf("master %d: at half the speed %d ms are left of a minute", i, left)
			}
		}
	})
}
