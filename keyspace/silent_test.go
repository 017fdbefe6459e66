package keyspace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// Where the flags leave out lists and sets, what happens to them is seen all the same, and soon: several changes, for a
// verification may find one of them by chance.
func TestListsAndSetsAreReadAgain(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t, "--notify-keyspace-events", "Kg$hzxen")
	s.Do("ACL", "SETUSER", "oneear", "on", "nopass", "~*", "&*", "+@all", "-client|tracking")
	s.Do("SET", "base:a", "1")
	s.Do("RPUSH", "queue:a", "w0")
	s.Do("SADD", "base:readers", "r0")
	for n := range 100 { // verifications are busy with these
		s.Do("SET", fmt.Sprintf("base:other %d", n), "1")
	}
	c := connect(t, s, func(o *keyspace.Options) { o.Username, o.Password = "oneear", "any" })
	p, _ := watch(t, c, keyspace.ObserveOptions{
		Patterns: []keyspace.Pattern{{Glob: "base:*"}}, Companions: family{},
		Follow: func(r keyspace.Record) bool { return strings.HasPrefix(r.Key, "base:") },
	})
	p.reaches(t, "push", func(status keyspace.Status) bool {
		return status.Feed == keyspace.FeedPush && status.LastPass.Generation > 0
	})
	readers, queue := []string{"r0"}, []string{"w0"}
	for n := range 3 {
		reader, waiter := fmt.Sprintf("r%d", n+1), fmt.Sprintf("w%d", n+1)
		s.Do("SADD", "base:readers", reader)
		s.Do("RPUSH", "queue:a", waiter)
		readers, queue = append(readers, reader), append(queue, waiter)
		redistest.Eventually(t, 10*time.Second, func() (bool, string) {
			p.mu.Lock()
			defer p.mu.Unlock()
			got := names(p.records["base:readers"])
			var waiting []string
			for _, companion := range p.records["base:a"].Companions {
				if companion.Key == "queue:a" {
					waiting = names(companion)
				}
			}
			return slices.Equal(got, readers) && slices.Equal(waiting, queue), fmt.Sprintf("readers %q, waiters %q; want %q, %q", got, waiting, readers, queue)
		})
	}
}

func names(r keyspace.Record) []string {
	var names []string
	for _, f := range r.Value.Fields {
		names = append(names, f.Name)
	}
	return names
}

// What belongs to a key, and no pattern of the user's names, is seen all the same.
func TestStrangersAreReadAgain(t *testing.T) {
	for _, flags := range []string{"KEA", ""} { // push, and tracking
		t.Run(flags, func(t *testing.T) {
			t.Parallel()
			s := redistest.Start(t, "--notify-keyspace-events", flags)
			s.Do("SET", "base:a", "1")
			s.Do("ZADD", "ends:a", "1", "w0")
			for n := range 100 { // verifications are busy with these
				s.Do("SET", fmt.Sprintf("base:other %d", n), "1")
			}
			p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{
				Patterns: []keyspace.Pattern{{Glob: "base:*"}}, Companions: family{},
			})
			want := []string{"w0"}
			for n := range 3 {
				p.companionsReach(t, "base:a", fmt.Sprintf("zset ends:a %d %s=1", n+1, strings.Join(want, "=1 ")), "channel ch:a 0", "clients blpop 0")
				waiter := fmt.Sprintf("w%d", n+1)
				want = append(want, waiter)
				s.Do("ZADD", "ends:a", "1", waiter)
			}
		})
	}
}
