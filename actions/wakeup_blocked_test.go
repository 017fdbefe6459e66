package actions

import (
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace/redistest"
)

// blockedOn is a client that waits as those of a library do: blocked on a list.
type blockedOn struct {
	fixture string
	list    string
	// deleted is what a bare deletion of the lock deletes.
	deleted string
	element string // what the client gets
}

var blockedClients = []blockedOn{
	{"python-redis-lock 4.0.1", "lock-signal:orders", "lock:orders", "1"},
	{"redis-semaphore (Ruby) 0.3.1, two of two tokens", "SEMAPHORE:orders:AVAILABLE", "SEMAPHORE:orders:GRABBED", "0"},
	{"sidekiq-unique-jobs 8.1.0", uniqueDigest + ":QUEUED", uniqueDigest + ":LOCKED", "1"},
}

// TestBlockedClientsAreWoken: a release wakes a client that is blocked, and a bare deletion leaves it asleep.
func TestBlockedClientsAreWoken(t *testing.T) {
	s := newFixtureServer(t)
	for _, b := range blockedClients {
		t.Run(b.fixture, func(t *testing.T) {
			f := fixtureNamed(t, b.fixture)
			s.leave(t, f)
			woken := make(chan string, 1)
			waiter := s.client.Conn()
			defer func() { _ = waiter.Close() }() // whatever becomes of it, the test is over
			go func() {
				got, err := waiter.BLPop(t.Context(), 0, b.list).Result()
				if err != nil {
					woken <- err.Error()
					return
				}
				woken <- got[1]
			}()
			redistest.Eventually(t, 10*time.Second, func() (bool, string) { return s.blocked(t) == "1", "nobody is blocked" })
			s.client.Del(t.Context(), b.deleted)
			select {
			case got := <-woken:
				t.Fatalf("a bare deletion wakes it with %q: then a release needs no wake-up", got)
			case <-time.After(300 * time.Millisecond):
			}
			for _, command := range f.setup(time.Now()) {
				s.client.Do(t.Context(), command...)
			}
			lock := s.see(t, f)
			if lock == nil || lock.Waiters.By == inspector.WaitersBlocked && lock.Waiters.Count != 1 {
				t.Fatalf("not seen as waited for: %+v", lock)
			}
			began := time.Now()
			r := Request{Verb: VerbRelease, Lock: lock, Owner: lock.Holders[0].Owner}
			if out := s.operator().Do(t.Context(), r); !out.Result.Done() {
				t.Fatal(out.Sentence(r))
			}
			select {
			case got := <-woken:
				t.Logf("woken with %q after %v", got, time.Since(began))
				if got != b.element {
					t.Errorf("it got %q, want %q", got, b.element)
				}
			case <-time.After(10 * time.Second):
				t.Error("it was not woken")
			}
		})
	}
}

// blocked is how many clients are blocked.
func (s fixtureServer) blocked(t *testing.T) string {
	t.Helper()
	return s.client.InfoMap(t.Context(), "clients").Item("Clients", "blocked_clients")
}
