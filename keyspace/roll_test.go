package keyspace

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace/redistest"
)

// named is a client of a server that calls itself so.
func named(t *testing.T, s *redistest.Server, name string) *redis.Client {
	t.Helper()
	c := s.Client(func(o *redis.Options) { o.ClientName, o.PoolSize = name, 1 })
	if err := c.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	return c
}

// names are those of a roll's clients that have one, but for our own.
func (r *Roll) names() []string {
	var names []string
	for _, c := range r.Clients {
		if c.Name != "" && !strings.HasPrefix(c.Name, "locktop") {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return names
}

// A feed tells who is connected, soon after somebody came or went; one list answers who is blocked, too.
func TestTheRollIsCalled(t *testing.T) {
	s := redistest.Start(t)
	first := named(t, s, "worker-1")
	named(t, s, "worker-2")
	f := insideFeed(t, s)
	var lists atomic.Int32
	sees := func(name string) {
		if name == "CLIENT LIST" {
			lists.Add(1)
		}
	}
	f.connection.meter.sees.Store(&sees)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began := time.Now()
	o, err := f.connection.Observe(ctx, ObserveOptions{Clients: true, Notify: NotifyOff})
	if err != nil {
		t.Fatal(err)
	}
	next := func() *Roll {
		for u := range o.Updates() {
			if u.Roll != nil {
				return u.Roll
			}
		}
		t.Fatal("the feed has ended")
		return nil
	}
	roll := next()
	if got := roll.names(); !slices.Equal(got, []string{"worker-1", "worker-2"}) || roll.Partial != "" || roll.Node != f.connection.Node() {
		t.Fatalf("%+v", roll)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	go named(t, s, "worker-3").BLPop(ctx, time.Minute, "nobody pushes here")
	second := next()
	if got := second.names(); !slices.Equal(got, []string{"worker-2", "worker-3"}) {
		t.Errorf("%v", got)
	}
	if apart := second.TakenAt.Sub(roll.TakenAt); apart < rollEvery*9/10 {
		t.Errorf("two lists are %v apart", apart)
	}
	before := lists.Load()
	counts, known, err := f.connection.blockedClients(ctx)
	if err != nil || !known || counts["blpop"] != 1 {
		t.Errorf("%v, %v, %v", counts, known, err)
	}
	if n := lists.Load(); n != before || time.Duration(n-1)*rollEvery > time.Since(began) {
		t.Errorf("CLIENT LIST was asked %d times, and %d times by then", n, before)
	}
	cancel()
	for range o.Updates() {
	}
}

// What may not be listed is said, and takes nothing else away.
func TestARollThatIsNotToBeHad(t *testing.T) {
	s := redistest.Start(t)
	named(t, s, "worker-1")
	s.Do("ACL", "SETUSER", "blind", "on", "nopass", "~*", "+@all", "-client|list")
	connected := func(o Options) *Connection {
		c, err := Connect(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	for name, c := range map[string]struct {
		options Options
		most    int64
		want    string
		denied  bool
	}{
		"denied":   {Options{Addr: s.Addr, Username: "blind", Password: "any"}, rollMost, "NOPERM", true},
		"too many": {Options{Addr: s.Addr}, 1, "clients are connected, and more than 1 are not listed", false},
	} {
		t.Run(name, func(t *testing.T) {
			on := connected(c.options)
			on.registrar.most = c.most
			observation, err := on.Observe(t.Context(), ObserveOptions{Clients: true, Once: true})
			if err != nil {
				t.Fatal(err)
			}
			var roll *Roll
			passed := false
			for u := range observation.Updates() {
				if u.Roll != nil {
					roll = u.Roll
				}
				passed = passed || u.PassEnded != nil
			}
			if roll == nil || !passed {
				t.Fatalf("%+v, the pass ended: %v", roll, passed)
			}
			if !strings.Contains(roll.Partial, c.want) || roll.Denied != c.denied || len(roll.Clients) > 0 {
				t.Errorf("%+v", roll)
			}
		})
	}
}

// One look has the list before it is over, and after all reads; what has changed since then is told.
func TestOneLookHasARoll(t *testing.T) {
	s := redistest.Start(t)
	named(t, s, "worker-1")
	for _, key := range []string{"lock:kept", "lock:released", "lock:renewed"} {
		s.Do("SET", key, "1", "PX", 60000)
	}
	f := insideFeed(t, s)
	sees := func(name string) {
		if name == "CLIENT LIST" {
			s.Do("DEL", "lock:released")
			s.Do("PEXPIRE", "lock:renewed", 90000)
		}
	}
	f.connection.meter.sees.Store(&sees)
	o, err := f.connection.Observe(t.Context(), ObserveOptions{Clients: true, Once: true})
	if err != nil {
		t.Fatal(err)
	}
	last := make(map[string]Record)
	var roll *Roll
	for u := range o.Updates() {
		for _, r := range u.Records {
			last[r.Key] = r
		}
		if u.Roll != nil {
			roll = u.Roll
		}
		if u.PassEnded != nil && roll == nil {
			t.Error("the pass ended before the list came")
		}
	}
	if roll == nil || fmt.Sprint(roll.names()) != "[worker-1]" {
		t.Fatalf("%+v", roll)
	}
	if r := last["lock:kept"]; !r.Exists() || r.ReadAt.After(roll.TakenAt) {
		t.Errorf("what is as it was is told of once more: %+v", r)
	}
	if r := last["lock:renewed"]; !r.Exists() || !r.ReadAt.After(roll.TakenAt) {
		t.Errorf("%+v", r)
	}
	if r, told := last["lock:released"]; told && r.Exists() {
		t.Errorf("%+v", r)
	}
}
