package keyspace_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// Several patterns cost one pass over all keys, of which it takes those that a pattern names, and no event twice.
func TestSeveralPatternsCountNothingTwice(t *testing.T) {
	s := redistest.Start(t)
	s.Do("EVAL", "for i=1,50 do redis.call('SET', 'other:'..i, 'v') redis.call('SET', 'lock:'..i, 'v') end", 0)
	s.Do("SET", "a-mutex", "v")
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{
		Patterns: []keyspace.Pattern{{Glob: "lock:*"}, {Glob: "*mutex"}}, PassInterval: 50 * time.Millisecond,
	})
	st := p.reaches(t, "second pass", func(st keyspace.Status) bool { return live(st) && st.LastPass.Generation > 1 })
	if st.LastPass.Matched != 51 || st.Followed != 51 || st.Seen != 51 {
		t.Errorf("%d keys matched, %d followed, %d seen, want 51", st.LastPass.Matched, st.Followed, st.Seen)
	}
	if got, _, _ := p.look(); len(got) != 51 {
		t.Errorf("%d keys were read", len(got))
	}
	s.Do("SET", "lock:mutex", "1") // both patterns name it
	s.Do("SET", "lock:last", "1")  // its events come after all of those
	redistest.Eventually(t, 5*time.Second, func() (bool, string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return slices.ContainsFunc(p.hints, func(h keyspace.Hint) bool { return h.Key == "lock:last" && h.Event == "set" }), fmt.Sprint(p.hints)
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	events := make(map[string]int)
	for _, h := range p.hints {
		if h.Key == "lock:mutex" {
			events[h.Event]++
		}
	}
	if len(events) != 2 || events["new"] != 1 || events["set"] != 1 {
		t.Errorf("hints of one SET: %v", events)
	}
}
