package keyspace_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// agrees waits until the picture is what a fresh read of the server says.
func (p *picture) agrees(t testing.TB, s *redistest.Server) {
	t.Helper()
	redistest.Eventually(t, 15*time.Second, func() (bool, string) {
		want := make(map[string]string)
		for _, key := range s.Do("KEYS", "lock:*").([]any) {
			if value, ok := s.Do("GETRANGE", key, 0, 511).(string); ok {
				want[key.(string)] = value
			}
		}
		got, st, _ := p.look()
		return maps.Equal(got, want), fmt.Sprintf("%d keys, want %d; %+v", len(got), len(want), st)
	})
}

func TestEvictionIsSeen(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t, "--maxmemory", "4mb", "--maxmemory-policy", "allkeys-random")
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{PassInterval: time.Hour})
	p.reaches(t, "push", live)
	s.Do("EVAL", "for i=1,300 do redis.call('SET', 'lock:'..i, i) end", 0)
	for i := range 6000 {
		s.Do("SET", fmt.Sprintf("cache:%d", i), strings.Repeat("x", 1024))
	}
	p.agrees(t, s)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.ContainsFunc(p.hints, func(h keyspace.Hint) bool { return h.Event == "evicted" }) {
		t.Error("nothing was evicted: the test proves nothing")
	}
}

func TestHostileKeysAreFollowed(t *testing.T) {
	s := redistest.Start(t)
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{Nudge: true, PassInterval: time.Hour})
	p.reaches(t, "push", live)
	want := make(map[string]string)
	for i, tail := range []string{"", "\x00", "\xff\xfe", "\r\n+OK\r\n", "\x1b[2J", "*", "[a]", "\\", "é", ":", "@__", strings.Repeat("k", 10000)} {
		want["lock:"+tail] = fmt.Sprint(i)
		s.Do("SET", "lock:"+tail, i)
	}
	p.shows(t, want)
	for key := range want {
		s.Do("DEL", key)
	}
	p.shows(t, map[string]string{})
}

func TestDeniedKeysDoNotHideTheOthers(t *testing.T) {
	s := redistest.Start(t)
	s.Do("SET", "lock:secret", "1")
	s.Do("SET", "lock:open:1", "1")
	c := user(t, s, "~lock:open:* &* +@all")
	p, _ := watch(t, c, keyspace.ObserveOptions{PassInterval: 50 * time.Millisecond})
	p.reaches(t, "push", live)
	p.shows(t, map[string]string{"lock:open:1": "1"})
	s.Do("SET", "lock:secret", "2")
	s.Do("SET", "lock:open:2", "2")
	p.shows(t, map[string]string{"lock:open:1": "1", "lock:open:2": "2"})
	p.reaches(t, "passes", func(st keyspace.Status) bool { return st.LastPass.Generation > 3 && st.Connected })
	p.mu.Lock()
	defer p.mu.Unlock()
	if !strings.HasPrefix(p.denied["lock:secret"], "NOPERM") {
		t.Errorf("denied = %v", p.denied)
	}
}

// In strict mode nobody but the server itself ends a key whose time has passed.
func TestStrictModeNeverTouchesAnOverdueKey(t *testing.T) {
	t.Parallel()
	for _, notify := range []keyspace.Notify{keyspace.NotifyAuto, keyspace.NotifyOff} {
		t.Run(string(notify), func(t *testing.T) {
			s := redistest.Start(t, "--enable-debug-command", "yes")
			s.Do("DEBUG", "SET-ACTIVE-EXPIRE", 0)
			s.Do("SET", "lock:a", "1", "PX", 300)
			s.Do("SET", "lock:b", "1")
			p, o := watch(t, connect(t, s), keyspace.ObserveOptions{Notify: notify, Poll: 10 * time.Millisecond, PassInterval: 3 * time.Second})
			p.reaches(t, "a pass", func(st keyspace.Status) bool { return st.Connected && st.LastPass.Generation > 0 })
			p.shows(t, map[string]string{"lock:a": "1", "lock:b": "1"})
			p.mu.Lock()
			ends := p.records["lock:a"].ExpiresAt
			p.mu.Unlock()
			redistest.Eventually(t, time.Second, func() (bool, string) { return time.Since(ends) > 50*time.Millisecond, "the lease goes on" })
			before := keyCount(s)
			asked := time.Now()
			o.Reread("lock:a", "lock:b")
			redistest.Eventually(t, time.Second, func() (bool, string) { // the other one is read
				p.mu.Lock()
				defer p.mu.Unlock()
				return p.records["lock:b"].ReadAt.After(asked), "lock:b is not read again"
			})
			if before != 2 || keyCount(s) != 2 {
				t.Error("somebody has read the overdue key, so that it is gone")
			}
			s.Do("SET", "lock:a", "2", "PX", 60000) // the next holder is seen all the same
			p.shows(t, map[string]string{"lock:a": "2", "lock:b": "1"})
		})
	}
}

func keyCount(s *redistest.Server) int64 { return s.Do("DBSIZE").(int64) }

func TestSilentNotificationsAreDoubted(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{PassInterval: time.Hour})
	p.reaches(t, "push", live)
	// Nobody tells of this, and CONFIG GET is not asked again for half a minute.
	s.Do("CONFIG", "SET", "notify-keyspace-events", "")
	for i := range 5 {
		s.Do("SET", fmt.Sprintf("lock:%d", i), i)
	}
	st := p.reaches(t, "tracking", func(st keyspace.Status) bool { return st.Feed == keyspace.FeedTracking })
	if st.FeedReason == "" {
		t.Error("no reason is given")
	}
	p.agrees(t, s)
}

func TestEventsProveNotificationsWhereConfigIsDenied(t *testing.T) {
	s := redistest.Start(t)
	c := user(t, s, "~* &* +@all -config")
	p, _ := watch(t, c, keyspace.ObserveOptions{Patterns: []keyspace.Pattern{{Glob: "*lock*"}}, PassInterval: time.Hour})
	p.reaches(t, "tracking", func(st keyspace.Status) bool {
		return st.Feed == keyspace.FeedTracking && strings.Contains(st.FeedReason, "cannot be read")
	})
	s.Do("SET", "a-lock", "1")
	p.reaches(t, "push", func(st keyspace.Status) bool { return st.Feed == keyspace.FeedPush && !st.FlagsKnown })
	s.Do("SET", "a-lock", "2")
	p.shows(t, map[string]string{"a-lock": "2"})
}

func TestKeysThatAreNotFollowedCostLittle(t *testing.T) {
	s := redistest.Start(t)
	c := connect(t, s)
	follow := func(r keyspace.Record) bool { return r.Exists() && strings.HasPrefix(r.Value.Text, "token") }
	p, _ := watch(t, c, keyspace.ObserveOptions{Follow: follow, PassInterval: time.Hour})
	p.reaches(t, "push", live)
	before := keyspace.CommandsSent(c)
	client := s.Client()
	writes := uint64(0)
	for start := time.Now(); time.Since(start) < 500*time.Millisecond; writes += 100 { // like busy counters
		pipe := client.Pipeline()
		for i := range 100 {
			pipe.Incr(t.Context(), fmt.Sprintf("lock:counter:%d", i))
		}
		if _, err := pipe.Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	p.reaches(t, "hints", func(st keyspace.Status) bool { return st.Hints >= writes })
	if n := keyspace.CommandsSent(c) - before; n > 100*4*5 {
		t.Errorf("%d writes to 100 counters cost %d commands", writes, n)
	}
	s.Do("SET", "lock:counter:7", "token of somebody") // it becomes a lock
	redistest.Eventually(t, 3*time.Second, func() (bool, string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return strings.HasPrefix(p.records["lock:counter:7"].Value.Text, "token"), "not seen as a lock"
	})
	p.reaches(t, "follower", func(st keyspace.Status) bool { return st.Followed == 1 && st.Seen == 100 })
}

// A key that is followed stays so as long as Keep wants it, and one that never was followed does not begin by it.
func TestKeptKeysStayFollowed(t *testing.T) {
	s := redistest.Start(t)
	s.Do("SET", "lock:a", "token", "PX", "60000")
	s.Do("SET", "lock:b", "token")
	leased := func(r keyspace.Record) bool { return r.Exists() && !r.ExpiresAt.IsZero() }
	keep := func(r keyspace.Record) bool { return r.Value.Text == "token" }
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{Follow: leased, Keep: keep, PassInterval: time.Hour})
	p.reaches(t, "one followed", func(st keyspace.Status) bool { return live(st) && st.Followed == 1 && st.Seen == 2 })
	s.Do("PERSIST", "lock:a")
	s.Do("SET", "lock:c", "token") // whatever was heard of the first was answered by then
	p.reaches(t, "still followed", func(st keyspace.Status) bool { return st.Followed == 1 && st.Seen == 3 })
	s.Do("SET", "lock:a", "something else")
	p.reaches(t, "none followed", func(st keyspace.Status) bool { return st.Followed == 0 && st.Seen == 3 })
}

func TestSlowConsumerIsBoundedAndEndsUpRight(t *testing.T) {
	s := redistest.Start(t)
	observation, err := connect(t, s).Observe(t.Context(), keyspace.ObserveOptions{PassInterval: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	p := newPicture()
	p.take(<-observation.Updates())
	for range 20 { // 80,000 events, and nobody takes anything
		s.Do("EVAL", "for i=1,1000 do redis.call('SET', 'lock:'..i, math.random(1000), 'PX', 60000) end", 0)
		s.Do("EVAL", "for i=1,1000 do redis.call('PEXPIRE', 'lock:'..i, 90000) redis.call('PERSIST', 'lock:'..i) end", 0)
	}
	deadline := time.After(10 * time.Second)
	for p.status.HintsDropped == 0 || len(p.records) < 1000 {
		select {
		case u := <-observation.Updates():
			if len(u.Hints) > 20_000 {
				t.Fatalf("%d hints at once", len(u.Hints))
			}
			p.take(u)
		case <-deadline:
			t.Fatalf("%d records, %+v", len(p.records), p.status)
		}
	}
	go func() {
		for u := range observation.Updates() {
			p.take(u)
		}
	}()
	p.agrees(t, s)
}

// A server that knows no CONFIG, CLIENT TRACKING, INFO server or MEMORY is polled, and read all the same.
func TestBareServerIsPolled(t *testing.T) {
	s := miniredis.RunT(t)
	s.HSet("lock:h", "holder", "2")
	c, err := keyspace.Connect(t.Context(), keyspace.Options{Addr: s.Addr()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if server := c.Server(); server.Software != "miniredis" || server.Limited == "" {
		t.Errorf("server = %+v", server)
	}
	p, _ := watch(t, c, keyspace.ObserveOptions{Poll: 10 * time.Millisecond, Nudge: true})
	redistest.Eventually(t, 5*time.Second, func() (bool, string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		st, fields := p.status, p.records["lock:h"].Value.Fields
		return st.Connected && st.Feed == keyspace.FeedPoll && strings.Contains(st.FeedReason, "CLIENT TRACKING") && len(fields) == 1,
			fmt.Sprintf("%+v, %+v", p.records, st)
	})
}

// Updates end, and with them everything that runs, however the feed is doing when its context ends.
func TestEndsWithItsContext(t *testing.T) {
	s := redistest.Start(t)
	c := connect(t, s)
	for _, trouble := range []func(){func() {}, func() { s.Pause() }, s.Kill} {
		ctx, cancel := context.WithCancel(t.Context())
		observation, err := c.Observe(ctx, keyspace.ObserveOptions{})
		if err != nil {
			t.Fatal(err)
		}
		<-observation.Updates()
		trouble()
		cancel()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for range observation.Updates() { // what was under way
			}
		}()
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			t.Fatal("it goes on after its context has ended")
		}
		s.Resume()
	}
}
