package keyspace_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// picture is what a consumer knows after all the updates it got.
type picture struct {
	mu      sync.Mutex
	records map[string]keyspace.Record
	denied  map[string]string
	gone    map[string]keyspace.Record
	hints   []keyspace.Hint
	status  keyspace.Status
	passes  int
	ended   bool
}

// watch observes the server and keeps a picture of it until the test ends.
func watch(t testing.TB, c *keyspace.Connection, o keyspace.ObserveOptions) (*picture, *keyspace.Observation) {
	t.Helper()
	if o.Patterns == nil {
		o.Patterns = []keyspace.Pattern{{Glob: "lock:*"}}
	}
	ctx, cancel := context.WithCancel(t.Context())
	observation, err := c.Observe(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	p := newPicture()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for u := range observation.Updates() {
			p.take(u)
		}
		p.mu.Lock()
		p.ended = true
		p.mu.Unlock()
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return p, observation
}

func newPicture() *picture {
	return &picture{records: make(map[string]keyspace.Record), denied: make(map[string]string), gone: make(map[string]keyspace.Record)}
}

func (p *picture) take(u keyspace.Update) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hints = append(p.hints, u.Hints...)
	for _, r := range u.Records {
		if r.Denied() != "" {
			p.denied[r.Key] = r.Denied()
		}
		if r.Exists() {
			p.records[r.Key] = r
		} else {
			delete(p.records, r.Key)
			p.gone[r.Key] = r
		}
	}
	if u.PassEnded != nil {
		p.passes++
	}
	if u.Status != nil {
		p.status = *u.Status
	}
}

func (p *picture) look() (records map[string]string, status keyspace.Status, passes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	records = make(map[string]string)
	for key, r := range p.records {
		records[key] = r.Value.Text
	}
	return records, p.status, p.passes
}

// shows waits until the picture holds exactly these keys and values.
func (p *picture) shows(t testing.TB, want map[string]string) {
	t.Helper()
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		got, status, _ := p.look()
		return maps.Equal(got, want), fmt.Sprintf("%v, want %v; %+v", got, want, status)
	})
}

// knows waits until the picture holds exactly these keys.
func (p *picture) knows(t testing.TB, keys ...string) {
	t.Helper()
	slices.Sort(keys)
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		got, status, _ := p.look()
		known := slices.Sorted(maps.Keys(got))
		return slices.Equal(known, keys), fmt.Sprintf("%.200q, want %.200q; %+v", known, keys, status)
	})
}

// reaches waits for a status.
func (p *picture) reaches(t testing.TB, what string, ok func(keyspace.Status) bool) keyspace.Status {
	t.Helper()
	var last keyspace.Status
	redistest.Eventually(t, 15*time.Second, func() (bool, string) {
		_, last, _ = p.look()
		return ok(last), fmt.Sprintf("no %s: %+v", what, last)
	})
	return last
}

func live(s keyspace.Status) bool {
	return s.Connected && s.Feed == keyspace.FeedPush && s.LastPass.Generation > 0
}

func TestPushFollowsEveryKindOfChange(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "lock:a", "1")
	s.Do("SET", "other", "1")
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{Nudge: true, PassInterval: time.Hour})
	p.reaches(t, "push", live)
	p.shows(t, map[string]string{"lock:a": "1"})
	steps := []struct {
		command []any
		want    map[string]string
	}{
		{[]any{"SET", "lock:b", "2", "PX", 60000}, map[string]string{"lock:a": "1", "lock:b": "2"}},
		{[]any{"GETSET", "lock:a", "3"}, map[string]string{"lock:a": "3", "lock:b": "2"}},
		{[]any{"RENAME", "lock:a", "lock:b"}, map[string]string{"lock:b": "3"}},
		{[]any{"RENAME", "lock:b", "gone"}, map[string]string{}},
		{[]any{"COPY", "gone", "lock:c"}, map[string]string{"lock:c": "3"}},
		{
			[]any{"EVAL", "redis.call('SET', KEYS[1], 'x') redis.call('DEL', KEYS[2])", 2, "lock:d", "lock:c"},
			map[string]string{"lock:d": "x"},
		},
		{[]any{"FLUSHDB"}, map[string]string{}},
		{[]any{"SET", "lock:e", "y"}, map[string]string{"lock:e": "y"}},
		{[]any{"SWAPDB", 0, 5}, map[string]string{}},
	}
	for _, step := range steps {
		s.Do(step.command...)
		p.shows(t, step.want)
	}
}

func TestExpiryIsNudgedOutOfTheServer(t *testing.T) {
	s := redistest.Start(t)
	s.Do("EVAL", "for i=1,10000 do redis.call('SET', 'cache:'..i, 'v', 'PX', 3600000) end", 0)
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{Nudge: true, PassInterval: time.Hour})
	p.reaches(t, "push", live)
	s.Do("SET", "lock:a", "1", "PX", 300)
	p.shows(t, map[string]string{"lock:a": "1"})
	set := time.Now()
	p.shows(t, map[string]string{})
	if took := time.Since(set); took > 800*time.Millisecond {
		t.Errorf("the end of a lease of 0.3 s was seen after %v", took)
	}
	redistest.Eventually(t, time.Second, func() (bool, string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		last := p.hints[len(p.hints)-1].Event
		return last == "expired", "the last hint is " + last
	})
}

func TestKilledSubscriptionHeals(t *testing.T) {
	s := redistest.Start(t)
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{PassInterval: time.Hour})
	gaps := p.reaches(t, "push", live).Gaps
	s.Do("CLIENT", "KILL", "TYPE", "pubsub")
	s.Do("SET", "lock:a", "1") // nobody hears it
	p.shows(t, map[string]string{"lock:a": "1"})
	p.reaches(t, "gap", func(st keyspace.Status) bool { return live(st) && st.Gaps > gaps && st.LastGapWhy != "" })
	s.Do("SET", "lock:b", "2")
	p.shows(t, map[string]string{"lock:a": "1", "lock:b": "2"})
}

func TestRestartIsNoticedAndFallsToTracking(t *testing.T) {
	s := redistest.Start(t, "--notify-keyspace-events", "")
	s.Do("CONFIG", "SET", "notify-keyspace-events", redistest.Flags)
	s.Do("SET", "lock:a", "1")
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{PassInterval: time.Hour})
	p.reaches(t, "push", live)
	p.shows(t, map[string]string{"lock:a": "1"})
	s.Kill()
	down := p.reaches(t, "stale", func(st keyspace.Status) bool { return !st.Connected && !st.StaleSince.IsZero() })
	if got, _, _ := p.look(); got["lock:a"] != "1" {
		t.Errorf("the picture did not outlive the server: %v", got)
	}
	if !strings.Contains(down.Err, s.Addr) {
		t.Errorf("the error does not say which server: %q", down.Err)
	}
	s.Revive()
	p.shows(t, map[string]string{})
	st := p.reaches(t, "tracking", func(st keyspace.Status) bool { return st.Connected && st.Feed == keyspace.FeedTracking })
	if !strings.Contains(st.FeedReason, "CONFIG SET notify-keyspace-events") {
		t.Errorf("the reason offers no mend: %q", st.FeedReason)
	}
	s.Do("SET", "lock:b", "2")
	p.shows(t, map[string]string{"lock:b": "2"})
}

func TestStoppedServerIsNoticed(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{PassInterval: time.Hour})
	gaps := p.reaches(t, "push", live).Gaps
	s.Pause()
	stopped := time.Now()
	first := p.reaches(t, "stale", func(st keyspace.Status) bool { return !st.Connected && st.Err != "" && !st.StaleSince.IsZero() })
	if took := time.Since(stopped); took > 6*time.Second {
		t.Errorf("noticed after %v", took)
	}
	if since := first.StaleSince; since.After(time.Now()) || since.Before(stopped.Add(-time.Minute)) {
		t.Errorf("stale since %v, stopped at %v", since, stopped)
	}
	failed := p.reaches(t, "failed command", func(st keyspace.Status) bool {
		return !st.Connected && !strings.Contains(st.Err, "has not answered")
	})
	if !failed.StaleSince.Equal(first.StaleSince) {
		t.Errorf("stale since %v, and later since %v", first.StaleSince, failed.StaleSince)
	}
	s.Resume()
	p.reaches(t, "push", live)
	s.Do("SET", "lock:a", "1")
	p.shows(t, map[string]string{"lock:a": "1"})
	if _, st, _ := p.look(); st.Gaps != gaps+1 {
		t.Errorf("%d gaps, were %d", st.Gaps, gaps)
	}
}

func TestFeedsBelowPush(t *testing.T) {
	for _, test := range []struct {
		name   string
		notify keyspace.Notify
		acl    []any
		want   keyspace.Feed
		why    string
	}{
		{"no flags", keyspace.NotifyAuto, nil, keyspace.FeedTracking, "CONFIG SET"},
		{"off", keyspace.NotifyOff, nil, keyspace.FeedPoll, "--notify off"},
		{"config denied", keyspace.NotifyAuto, []any{"+@all", "-config"}, keyspace.FeedTracking, "cannot be read"},
		{"config and tracking denied", keyspace.NotifyAuto, []any{"+@all", "-config", "-client|tracking"}, keyspace.FeedPoll, "NOPERM"},
		{"channels denied", keyspace.NotifyAuto, []any{"+@all", "resetchannels"}, keyspace.FeedTracking, "denied"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := redistest.Start(t, "--notify-keyspace-events", "")
			acl := append([]any{"ACL", "SETUSER", "observer", "on", ">secret", "~*", "&*"}, test.acl...)
			if test.acl == nil {
				acl = append(acl, "+@all")
			}
			s.Do(acl...)
			c := connect(t, s, func(o *keyspace.Options) { o.Username, o.Password = "observer", "secret" })
			p, _ := watch(t, c, keyspace.ObserveOptions{Notify: test.notify, Poll: 50 * time.Millisecond, PassInterval: 100 * time.Millisecond})
			st := p.reaches(t, string(test.want), func(st keyspace.Status) bool {
				return st.Feed == test.want && strings.Contains(st.FeedReason, test.why) && st.LastPass.Generation > 0
			})
			if !st.Connected {
				t.Errorf("not connected: %s", st.Err)
			}
			s.Do("SET", "lock:a", "1")
			p.shows(t, map[string]string{"lock:a": "1"})
			s.Do("SET", "lock:a", "2")
			p.shows(t, map[string]string{"lock:a": "2"})
			s.Do("DEL", "lock:a")
			p.shows(t, map[string]string{})
		})
	}
}

// TestTrackingWhereEventsAreOnAndNotHeard: if the server sends events, but not to this user, CLIENT TRACKING
// reports every change.
func TestTrackingWhereEventsAreOnAndNotHeard(t *testing.T) {
	for _, test := range []struct {
		name, acl, why string
		server         []string // its arguments
		mends          bool
	}{
		{"channels denied", "+@all resetchannels", "denied", nil, true},
		{"command denied", "+@all -psubscribe", "denied", nil, true},
		{"command absent", "+@all", "cannot be subscribed to", []string{"--rename-command", "PSUBSCRIBE", ""}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := redistest.Start(t, append([]string{"--notify-keyspace-events", redistest.Flags}, test.server...)...)
			p, _ := watch(t, user(t, s, "~* &* "+test.acl), keyspace.ObserveOptions{
				Patterns: []keyspace.Pattern{{Glob: "*lock*"}}, PassInterval: time.Minute,
			})
			st := p.reaches(t, "tracking", func(st keyspace.Status) bool {
				return st.Feed == keyspace.FeedTracking && st.LastPass.Generation > 0
			})
			if !strings.Contains(st.FeedReason, test.why) || strings.Contains(st.FeedReason, "ACL SETUSER") != test.mends {
				t.Errorf("the reason is %q", st.FeedReason)
			}
			s.Do("SET", "lock:a", "1")
			p.shows(t, map[string]string{"lock:a": "1"})
			s.Do("DEL", "lock:a")
			p.shows(t, map[string]string{})
		})
	}
}

func TestOnceEndsAfterACompletePass(t *testing.T) {
	s := redistest.Start(t)
	s.Do("EVAL", "for i=1,5000 do redis.call('SET', 'x:'..i, 'v') redis.call('SET', 'lock:'..i, i) end", 0)
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{Once: true})
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.ended, fmt.Sprintf("%d records", len(p.records))
	})
	got, st, passes := p.look()
	if len(got) != 5000 || passes != 1 || st.LastPass.Matched != 5000 || st.LastPass.KeysInDB != 10000 {
		t.Errorf("%d records, %d passes, %+v", len(got), passes, st.LastPass)
	}
}

func TestRequireNamesTheCommandThatMends(t *testing.T) {
	s := redistest.Start(t, "--notify-keyspace-events", "KEx")
	_, err := connect(t, s).Observe(t.Context(), keyspace.ObserveOptions{Notify: keyspace.NotifyRequire})
	if err == nil || !strings.Contains(err.Error(), "CONFIG SET notify-keyspace-events xKEg$hzen") {
		t.Errorf("err = %v", err)
	}
}
