package keyspace_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// Lists, sets and streams change without an event under the flags that we ask for: that is no reason to doubt the others.
func TestTypesThatAreNotAnnouncedRaiseNoDoubts(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	add := func() {
		for i := range 4 {
			s.Do("RPUSH", fmt.Sprintf("lock:list:%d", i), "x")
			s.Do("SADD", fmt.Sprintf("lock:set:%d", i), time.Now().String())
			s.Do("XADD", fmt.Sprintf("lock:stream:%d", i), "*", "f", "v")
		}
	}
	add()
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{PassInterval: time.Hour})
	gaps := p.reaches(t, "push", live).Gaps
	add()
	redistest.Eventually(t, 10*time.Second, func() (bool, string) { // the invalidations had them read again
		p.mu.Lock()
		defer p.mu.Unlock()
		grown := 0
		for _, r := range p.records {
			if r.Size == 2 {
				grown++
			}
		}
		return grown == 12, fmt.Sprintf("%d of 12 keys have grown", grown)
	})
	for read := time.Now(); time.Since(read) < 3*time.Second; time.Sleep(5 * time.Millisecond) { // and a verdict would come
		if _, st, _ := p.look(); st.Feed != keyspace.FeedPush || st.Gaps != gaps {
			t.Fatalf("%s: %s; %d gaps, were %d", st.Feed, st.FeedReason, st.Gaps, gaps)
		}
	}
}

// Events that come after all are believed again, but not at once: they may be filtered.
func TestNotificationsAreBelievedAgain(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	p, o := watch(t, connect(t, s), keyspace.ObserveOptions{PassInterval: time.Hour})
	first := p.reaches(t, "push", live).LastPass.Generation
	s.Do("CONFIG", "SET", "maxmemory", 0) // has everything read again, so that the next ones do not
	p.reaches(t, "another pass", func(st keyspace.Status) bool { return st.LastPass.Generation > first })
	s.Do("CONFIG", "SET", "notify-keyspace-events", "")
	for i := range 5 {
		s.Do("SET", fmt.Sprintf("lock:%d", i), i)
	}
	s.Do("CONFIG", "SET", "notify-keyspace-events", redistest.Flags) // so that only the doubts can tell
	deaf := func(st keyspace.Status) bool {
		return st.Feed == keyspace.FeedTracking && strings.Contains(st.FeedReason, "without an event")
	}
	p.reaches(t, "doubt", deaf)
	s.Do("SET", "lock:a", "2")
	p.agrees(t, s)
	if _, st, _ := p.look(); !deaf(st) {
		t.Errorf("believed at once: %+v", st)
	}
	keyspace.EndDeafness(o)
	s.Do("SET", "lock:a", "3")
	p.reaches(t, "push", live)
}
