package keyspace_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// Who is not let in is not told which keys are denied, but that nobody is let in.
func TestARefusedUserIsDeniedNoKey(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("EVAL", "for i=1,100 do redis.call('SET', 'lock:'..i, 'token') end", 0)
	c := user(t, s, "~* &* +@all")
	p, _ := watch(t, c, keyspace.ObserveOptions{Notify: keyspace.NotifyOff, Poll: time.Millisecond, PassInterval: time.Hour})
	p.reaches(t, "pass", func(st keyspace.Status) bool { return st.LastPass.Generation > 0 })
	s.Do("ACL", "DELUSER", "somebody")
	p.reaches(t, "word of it", func(st keyspace.Status) bool {
		return !st.Connected && strings.Contains(st.Err, "wrong user or password")
	})
	got, _, _ := p.look()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.denied) > 0 || len(got) != 100 {
		t.Errorf("%d keys are denied, %d are there", len(p.denied), len(got))
	}
}

// rejected is how often the server has refused a command, as INFO commandstats tells.
func rejected(s *redistest.Server, command string) int {
	_, line, _ := strings.Cut(s.Do("INFO", "commandstats").(string), "cmdstat_"+command+":")
	line, _, _ = strings.Cut(line, "\n")
	_, count, _ := strings.Cut(line, "rejected_calls=")
	var n int
	_, _ = fmt.Sscan(strings.ReplaceAll(count, ",", " "), &n) // 0 where it was never called
	return n
}

// A ping that is refused has reached the server, and its refusal has reached us: nothing is missed.
func TestARefusedPingIsNoGap(t *testing.T) {
	t.Parallel()
	t.Run("denied", func(t *testing.T) {
		t.Parallel()
		s := redistest.Start(t)
		p, _ := watch(t, user(t, s, "~* &* +@all -ping"), keyspace.ObserveOptions{PassInterval: time.Hour})
		before := p.reaches(t, "push", live)
		heardAll(t, s, p, before.Gaps)
	})
	t.Run("the disk is full", func(t *testing.T) {
		t.Parallel()
		s := redistest.Start(t)
		dir := s.Do("CONFIG", "GET", "dir").(map[any]any)["dir"].(string)
		s.Do("CONFIG", "SET", "save", "3600 1")
		if err := os.Mkdir(filepath.Join(dir, "dump.rdb"), 0o700); err != nil { // so that no file can take its place
			t.Fatal(err)
		}
		client := s.Client()
		redistest.Eventually(t, 10*time.Second, func() (bool, string) {
			_ = client.BgSave(context.Background()).Err() // it may be saving already
			err := client.Ping(context.Background()).Err()
			return err != nil && strings.HasPrefix(err.Error(), "MISCONF"), fmt.Sprint(err)
		})
		p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{PassInterval: time.Hour}) // one can come, too
		before := p.reaches(t, "push", live)
		heardAll(t, s, p, before.Gaps)
	})
}

// heardAll waits for some more pings, and says that they were no gap.
func heardAll(t *testing.T, s *redistest.Server, p *picture, gaps uint64) {
	t.Helper()
	first := rejected(s, "ping")
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		n := rejected(s, "ping")
		return n > first+1, fmt.Sprintf("%d pings were refused, %d before", n, first)
	})
	if _, st, _ := p.look(); st.Gaps != gaps || !live(st) {
		t.Errorf("%d gaps, were %d: %+v", st.Gaps, gaps, st)
	}
}

// A connection that was closed while it was idle is not used again.
func TestClosedIdleConnectionsAreReplaced(t *testing.T) {
	s := redistest.Start(t)
	c := connect(t, s)
	keys := make([]string, 2500) // so many that several connections read them
	for i := range keys {
		keys[i] = fmt.Sprint("lock:", i)
	}
	if _, err := c.Read(t.Context(), keys...); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		s.Do("CLIENT", "KILL", "TYPE", "normal")
		if _, err := c.Read(t.Context(), keys...); err != nil {
			t.Fatal(err)
		}
	}
}

// Notifications that are off for a moment only: what they did not tell of is read all the same.
func TestAMomentWithoutNotificationsIsReadAgain(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("EVAL", "for i=1,100 do redis.call('SET', 'lock:'..i, 'one') end", 0)
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{Patterns: []keyspace.Pattern{{Glob: "*lock*"}}, PassInterval: time.Hour})
	p.reaches(t, "push", live)
	s.Do("CONFIG", "SET", "notify-keyspace-events", "")
	s.Do("EVAL", "for i=1,100 do redis.call('SET', 'lock:'..i, 'two') end", 0)
	s.Do("CONFIG", "SET", "notify-keyspace-events", redistest.Flags)
	p.agrees(t, s)
	if _, st, _ := p.look(); !live(st) {
		t.Errorf("notifications are on: %+v", st)
	}
}
