package inspector_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// realm is several servers that belong together and are looked at as the product does.
type realm struct {
	t testing.TB
	// all are the servers as they are now, whatever their part; masters are those whose keys are locks.
	all, masters func() []*redistest.Server
	// do sends a command about a key to whoever has it.
	do      func(key string, args ...any) error
	servers *keyspace.Servers
	i       *inspector.Inspector
	round   int
	end     func()
}

// realmName is how our connections are called, for us to find any that are left.
const realmName = "realm"

// realmAt is where to dial servers.
func realmAt(servers ...*redistest.Server) []keyspace.Options {
	var all []keyspace.Options
	for _, s := range servers {
		all = append(all, keyspace.Options{Addr: s.Addr, ClientName: realmName, CommandTimeout: time.Second, DialTimeout: time.Second})
	}
	return all
}

// look observes, until the end.
func (r *realm) look(place keyspace.Place) {
	r.t.Helper()
	place.Master.ClientName, place.Master.CommandTimeout, place.Master.DialTimeout = realmName, time.Second, time.Second
	ctx, cancel := context.WithCancel(r.t.Context())
	var err error
	if r.servers, err = keyspace.Dial(ctx, place); err != nil {
		r.t.Fatal(err)
	}
	observation, err := r.servers.Observe(ctx, keyspace.ObserveOptions{
		Patterns: inspector.DefaultPatterns(), Follow: inspector.Rules(nil).Follow, Nudge: true, Companions: inspector.Rules(nil),
		PassInterval: time.Hour, // so that a pass is made only because something was missed
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.i = inspector.Start(ctx, observation, inspector.Options{
		Interval: time.Millisecond, Linger: 100 * time.Millisecond, Masters: r.servers.Masters(),
	})
	ended := false
	r.end = func() {
		if ended {
			return
		}
		ended = true
		cancel()
		redistest.Eventually(r.t, 5*time.Second, func() (bool, string) { return r.i.Latest().Done, "the inspector still runs" })
		for range observation.Updates() { // closed after the last goroutine
		}
		if err := r.servers.Close(); err != nil {
			r.t.Error(err)
		}
	}
	r.t.Cleanup(r.end)
}

// clusterRealm looks at a cluster by one of its nodes.
func clusterRealm(t testing.TB, c *redistest.Cluster) *realm {
	t.Helper()
	client := c.Client(func(o *redis.ClusterOptions) { o.MaxRedirects = 16 })
	r := &realm{
		t: t, masters: c.Masters, all: func() []*redistest.Server { return c.Nodes },
		do: func(_ string, args ...any) error { return client.Do(context.Background(), args...).Err() },
	}
	r.stir()
	r.look(keyspace.Place{Servers: realmAt(c.Nodes...)})
	r.agrees()
	return r
}

// stir changes much: each time other locks are released, taken over, renewed, and new.
func (r *realm) stir() {
	r.t.Helper()
	r.round++
	for n := range 24 {
		for _, kind := range []string{"order", "invoice", "report"} {
			key := fmt.Sprintf("lock:%s:%d", kind, n)
			owner := fmt.Sprintf("worker-%d-%d", r.round, n)
			lease := 600_000 + r.round*10_000
			var args []any
			switch {
			case (n+r.round)%4 == 0:
				args = []any{"DEL", key}
			case (n+r.round)%4 == 1:
				continue
			case kind == "order":
				args = []any{"SET", key, owner, "PX", lease}
			case kind == "invoice":
				args = []any{"SET", key, owner}
			default:
				args = []any{
					"EVAL", "redis.call('DEL', KEYS[1]) redis.call('HSET', KEYS[1], ARGV[1], 2) return redis.call('PEXPIRE', KEYS[1], ARGV[2])",
					1, key, "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:" + owner, lease,
				}
			}
			if err := r.do(key, args...); err != nil {
				r.t.Fatalf("%v: %v", args, err)
			}
		}
	}
}

// truthOf is what one server holds: see [scene.truth].
func truthOf(s *redistest.Server) map[string]string {
	truth := make(map[string]string)
	for _, row := range s.Do("EVAL", truthScript, 0).([]any) {
		row := row.([]any)
		truth[row[0].(string)] = told(row[1].(int64), row[2:]...)
	}
	return truth
}

// truth is what all masters hold together.
func (r *realm) truth() map[string]string {
	r.t.Helper()
	truth := make(map[string]string)
	for _, m := range r.masters() {
		maps.Copy(truth, truthOf(m))
	}
	return truth
}

// troubled is what is not as it should be with the nodes; empty: they are the present masters, each is live, and everything was read
// since something last was missed.
func (r *realm) troubled() []string {
	var trouble []string
	shot := r.i.Latest()
	for _, n := range shot.Nodes {
		if !n.Connected || n.Feed != keyspace.FeedPush || n.Err != "" || n.LastPass.Started.Before(n.LastGap) {
			trouble = append(trouble, fmt.Sprintf("%s: connected %v, by %s (%s), %s", n.Node, n.Connected, n.Feed, n.FeedReason, n.Err))
		}
	}
	if masters := len(r.masters()); len(shot.Nodes) != masters || !shot.Complete {
		trouble = append(trouble, fmt.Sprintf("%d of %d masters, complete %v", len(shot.Nodes), masters, shot.Complete))
	}
	return trouble
}

// agrees waits until the picture is what a fresh read of all masters says, and all of them are live.
func (r *realm) agrees() {
	r.t.Helper()
	redistest.Eventually(r.t, 30*time.Second, func() (bool, string) {
		wrong := slices.Concat(r.troubled(), differences(r.i.Latest(), r.truth()))
		return len(wrong) == 0, fmt.Sprintf("%d: %.600q", len(wrong), wrong)
	})
}

// tells waits until the status of each of these servers says that it does not serve, in one of these words; and so the picture is
// not complete.
func (r *realm) tells(words []string, of ...string) {
	r.t.Helper()
	redistest.Eventually(r.t, 20*time.Second, func() (bool, string) {
		shot := r.i.Latest()
		if shot.Complete {
			return false, "it is said to be complete"
		}
		for _, addr := range of {
			if !slices.ContainsFunc(shot.Nodes, func(n keyspace.Status) bool {
				says := slices.ContainsFunc(words, func(w string) bool { return strings.Contains(n.Err, w) })
				return string(n.Node) == addr && !n.Connected && !n.StaleSince.IsZero() && says
			}) {
				return false, fmt.Sprintf("nobody says so of %s: %.600q", addr, fmt.Sprintf("%+v", shot.Nodes))
			}
		}
		return true, ""
	})
}

// What is said of a server that is dead, and of one that hangs.
var (
	dead  = []string{"nothing answers", "refused", "the connection was closed"}
	hangs = []string{"no answer in time", "has not answered for"}
)

// leaves ends the looking, and waits until no server has a connection of ours.
func (r *realm) leaves() {
	r.t.Helper()
	r.end()
	for _, s := range r.all() {
		redistest.Eventually(r.t, 10*time.Second, func() (bool, string) {
			list := s.Do("CLIENT", "LIST").(string)
			return !strings.Contains(list, "name="+realmName), s.Addr + " still has " + list
		})
	}
}
