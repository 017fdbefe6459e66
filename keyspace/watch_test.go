package keyspace_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// byHand is a watch whose masters the test names, with a consumer that takes nothing unless it is let.
type byHand struct {
	*keyspace.Hand

	t    *testing.T
	seen *several
	// told are the updates in words, in their order.
	told []string
}

func watchByHand(t *testing.T, first *redistest.Server) *byHand {
	t.Helper()
	servers := dial(t, keyspace.Place{Servers: addresses(first)})
	ctx, cancel := context.WithCancel(t.Context())
	hand, err := keyspace.ObserveByHand(ctx, servers, keyspace.ObserveOptions{Patterns: []keyspace.Pattern{{Glob: "lock:*"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		for range hand.Updates() {
		}
	})
	return &byHand{Hand: hand, t: t, seen: &several{
		picture: newPicture(),
		nodes:   make(map[keyspace.Node]keyspace.Status), gone: make(map[string]int),
	}}
}

// until takes updates until it is enough.
func (h *byHand) until(what string, enough func() bool) {
	h.t.Helper()
	late := time.After(20 * time.Second)
	for !enough() {
		select {
		case u := <-h.Updates():
			h.seen.take(u)
			switch {
			case u.Left:
				h.told = append(h.told, "left "+string(u.Node))
			case u.Status != nil:
				h.told = append(h.told, fmt.Sprintf("%s connected %v", u.Node, u.Status.Connected))
			}
		case <-late:
			h.t.Fatalf("no %s: %v", what, h.told)
		}
	}
}

func (h *byHand) has(key string) func() bool {
	return func() bool { _, has := h.seen.records[key]; return has }
}

func (h *byHand) hasLeft(s *redistest.Server) bool { return slices.Contains(h.told, "left "+s.Addr) }

// stuck waits until so much waits for the consumer that nothing more of this server gets out of its feed.
func (h *byHand) stuck(s *redistest.Server) {
	h.t.Helper()
	redistest.Eventually(h.t, 10*time.Second, func() (bool, string) {
		return h.Waits(keyspace.Node(s.Addr), ""), "the feed is not stuck"
	})
}

// TestLastWordsOfAMaster: what a master that leaves had told before, and nobody has taken yet, is told all the same. A key that is
// gone is in no books, so that nobody would ask for it again.
func TestLastWordsOfAMaster(t *testing.T) {
	t.Parallel()
	first, second := redistest.Start(t), redistest.Start(t)
	first.Do("SET", "lock:a", "worker")
	h := watchByHand(t, first)
	h.until("lock", h.has("lock:a"))
	h.stuck(first)
	first.Do("DEL", "lock:a")
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		return h.Waits(keyspace.Node(first.Addr), "lock:a"), "nobody has read it"
	})
	h.Master(addresses(second)[0])
	h.until("end of the first", func() bool { return h.hasLeft(first) })
	if h.has("lock:a")() {
		t.Error("nobody ever tells that it is gone")
	}
}

// TestMasterIsBackAtOnce: a master leaves and comes back before the consumer has heard of either. It is told to have left first, and
// to be there then.
func TestMasterIsBackAtOnce(t *testing.T) {
	t.Parallel()
	first, second := redistest.Start(t), redistest.Start(t)
	h := watchByHand(t, first)
	h.until("first status", func() bool { return len(h.told) > 0 })
	h.stuck(first)
	masters := func(want *redistest.Server) {
		t.Helper()
		redistest.Eventually(t, 10*time.Second, func() (bool, string) {
			nodes := h.Members()
			return !slices.Contains(nodes, keyspace.Node(want.Addr)), fmt.Sprint(nodes)
		})
	}
	h.Master(addresses(second)[0])
	masters(first)
	first.Do("SET", "lock:a", "worker")
	h.Master(addresses(first)[0])
	masters(second)
	h.until("end of both", func() bool { return h.hasLeft(first) && h.hasLeft(second) })
	h.until("lock", h.has("lock:a"))
	h.until("new status", func() bool { return h.told[len(h.told)-1] == first.Addr+" connected true" })
	if last, left := lastOf(h.told, first.Addr+" connected false"), lastOf(h.told, "left "+first.Addr); last < left {
		t.Errorf("it is told to have left after it came back: %v", h.told)
	}
}

func lastOf(all []string, what string) int {
	last := -1
	for i, s := range all {
		if s == what {
			last = i
		}
	}
	return last
}

// TestNewMasterIsNamedAtOnce: a new master that does not answer is known of before the old one has left, so that what is seen of the
// others is never taken for everything.
func TestNewMasterIsNamedAtOnce(t *testing.T) {
	t.Parallel()
	first, second := redistest.Start(t), redistest.Start(t)
	second.Pause()
	h := watchByHand(t, first)
	h.until("first status", func() bool { return len(h.told) > 0 })
	h.Master(addresses(second)[0])
	h.until("end of the first", func() bool { return h.hasLeft(first) })
	if !slices.Contains(h.told, second.Addr+" connected false") {
		t.Errorf("nothing is said of the second: %v", h.told)
	}
	second.Resume()
	h.until("second", func() bool { return slices.Contains(h.told, second.Addr+" connected true") })
}

// TestAdoptedKeysAreHandedOn: keys that a master was given, and has not looked at before it left, are not forgotten.
func TestAdoptedKeysAreHandedOn(t *testing.T) {
	t.Parallel()
	c, err := keyspace.Connect(t.Context(), addresses(redistest.Start(t))[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if handed := keyspace.Relieved(t.Context(), c, "lock:a", "lock:b"); len(handed) != 2 {
		t.Errorf("handed on: %v", handed)
	}
}

// TestVote: what most say, and what was believed where as many say otherwise. Whoever hangs is not waited for if it cannot matter.
func TestVote(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		before, want string
		votes        int
		early        bool
		answers      []string
	}{
		{"", "x", 2, true, []string{"x", "", "x"}},
		{"y", "x", 2, true, []string{"y", "x", "x"}},
		{"y", "y", 1, true, []string{"x", "y"}},
		{"", "x", 1, true, []string{"x", "y"}},
		{"y", "y", 1, false, []string{"x", "", "y"}},
		{"", "", 0, false, []string{"", ""}},
		{"", "", 0, true, nil},
	} {
		words, votes, early := keyspace.Vote(t.Context(), test.before, test.answers...)
		if words != test.want || votes != test.votes || early != test.early {
			t.Errorf("%q: %q with %d votes, early %v", test.answers, words, votes, early)
		}
	}
}

// TestCloseWhileConnecting: servers that are closed do not wait for one that is being connected and does not answer; what comes of
// that is closed, too.
func TestCloseWhileConnecting(t *testing.T) {
	t.Parallel()
	masters := redistest.StartMasters(t, 2)
	link := redistest.NewLink(t, masters[1])
	link.Cut()
	all := addresses(masters[0])
	all = append(all, keyspace.Options{Addr: link.Addr, CommandTimeout: time.Minute, DialTimeout: time.Minute})
	before := connections(masters[1])
	servers, err := keyspace.Dial(t.Context(), keyspace.Place{Servers: all})
	if err != nil {
		t.Fatal(err)
	}
	link.Heal()
	link.Stall(redistest.FromServer)
	result := make(chan error, 1)
	go func() {
		_, err := servers.Connection(t.Context(), keyspace.Node(link.Addr))
		result <- err
	}()
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		return connections(masters[1]) > before, "it is not being connected"
	})
	if err := servers.Close(); err != nil {
		t.Error(err)
	}
	select {
	case err := <-result:
		t.Fatalf("closing waited for the connection: %v", err)
	default:
	}
	link.Heal()
	if err := <-result; err == nil {
		t.Error("it was connected, and nobody closes it")
	}
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		n := connections(masters[1])
		return n <= before, fmt.Sprintf("%d connections, were %d", n, before)
	})
}

// connections counts the clients that a server has, beside the one that asks.
func connections(s *redistest.Server) int {
	return strings.Count(s.Do("CLIENT", "LIST").(string), "\n") - 1
}
