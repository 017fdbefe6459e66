package inspector_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// scene is a server that is looked at as the product does, over a link that can be broken, and a client beside it that tells
// how things really are.
type scene struct {
	t      testing.TB
	server *redistest.Server
	link   *redistest.Link
	// beside is one connection by the server's socket: it outlives new passwords and full servers.
	beside *redis.Client
	// feed is the way by which it is looked at.
	feed        keyspace.Feed
	i           *inspector.Inspector
	observation *keyspace.Observation
	// strangers is how many connections the server had before anybody looked.
	strangers int
	end       func()
	// broken is from when on nothing was well, gaps how many there had been by then.
	broken time.Time
	gaps   uint64
}

// newScene starts a server, fills it by the client beside, and looks at it.
func newScene(t testing.TB, args []string, set func(*scene, *keyspace.Options)) *scene {
	t.Helper()
	return newSceneBy(t, keyspace.FeedPush, args, set)
}

// newSceneBy looks at it by another feed.
func newSceneBy(t testing.TB, feed keyspace.Feed, args []string, set func(*scene, *keyspace.Options)) *scene {
	t.Helper()
	if feed != keyspace.FeedPush {
		args = append([]string{"--notify-keyspace-events", ""}, args...)
	}
	c := &scene{t: t, feed: feed, server: redistest.Start(t, args...)}
	c.link = redistest.NewLink(t, c.server)
	c.beside = c.server.Client(func(o *redis.Options) { o.PoolSize = 1 })
	c.fill()
	c.strangers = c.connections()
	at := keyspace.Options{Addr: c.link.Addr, ClientName: "scene", CommandTimeout: time.Second}
	if set != nil {
		set(c, &at)
	}
	c.look(at)
	return c
}

// look observes, until the end is called: then nothing is left of it, neither here nor there.
func (c *scene) look(at keyspace.Options) {
	c.t.Helper()
	connection, err := keyspace.Connect(c.t.Context(), at)
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(c.t.Context())
	how := keyspace.ObserveOptions{
		Patterns: inspector.DefaultPatterns(), Follow: inspector.Rules(nil).Follow, Nudge: true, Companions: inspector.Rules(nil),
		PassInterval: time.Hour, // so that a pass is made only because something was missed
	}
	if c.feed == keyspace.FeedPoll {
		how.Notify, how.Poll, how.PassInterval = keyspace.NotifyOff, 50*time.Millisecond, 100*time.Millisecond
	}
	c.observation, err = connection.Observe(ctx, how)
	if err != nil {
		c.t.Fatal(err)
	}
	c.i = inspector.Start(ctx, c.observation, inspector.Options{Interval: time.Millisecond, Linger: 100 * time.Millisecond})
	ended := false
	c.end = func() {
		if ended {
			return
		}
		ended = true
		cancel()
		redistest.Eventually(c.t, 5*time.Second, func() (bool, string) { return c.i.Latest().Done, "the inspector still runs" })
		for range c.observation.Updates() { // closed after the feed's last goroutine
		}
		if err := connection.Close(); err != nil {
			c.t.Error(err)
		}
	}
	c.t.Cleanup(c.end)
	c.reaches("a live feed", c.live)
}

// live says that nothing is wrong, and that everything was read since something last was.
func (c *scene) live(st keyspace.Status) bool {
	return st.Connected && st.Feed == c.feed && st.Err == "" && st.StaleSince.IsZero() && !st.LastPass.Started.Before(st.LastGap)
}

// do is a command of the client beside.
func (c *scene) do(args ...any) any {
	c.t.Helper()
	answer, err := c.beside.Do(context.Background(), args...).Result()
	if err != nil && err != redis.Nil { //nolint:errorlint // the library hands it on as it is
		c.t.Fatalf("%v: %v", args, err)
	}
	return answer
}

func (c *scene) status() keyspace.Status {
	if nodes := c.i.Latest().Nodes; len(nodes) == 1 {
		return nodes[0]
	}
	return keyspace.Status{}
}

// reaches waits until the status is such.
func (c *scene) reaches(what string, ok func(keyspace.Status) bool) keyspace.Status {
	c.t.Helper()
	var last keyspace.Status
	redistest.Eventually(c.t, 20*time.Second, func() (bool, string) {
		last = c.status()
		return ok(last), fmt.Sprintf("no %s: %+v", what, last)
	})
	return last
}

// connections counts the clients that the server has.
func (c *scene) connections() int {
	c.t.Helper()
	return strings.Count(c.do("CLIENT", "LIST").(string), "\n")
}

// scenery makes a lock as one library or another does, each under names of its own.
const scenery = `
local function put(kind, i, owner, lease)
	local key = 'lock:' .. kind .. ':' .. i
	redis.call('DEL', key)
	if kind == 'order' then
		redis.call('SET', key, owner, 'PX', lease)
	elseif kind == 'invoice' then
		redis.call('SET', key, owner)
	elseif kind == 'report' then
		redis.call('HSET', key, '0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:' .. owner, 2)
		redis.call('PEXPIRE', key, lease)
	else
		local now = redis.call('TIME')
		redis.call('SET', key, string.format('%d', now[1] * 1000 + math.floor(now[2] / 1000) + lease))
	end
end
local kinds = {'order', 'invoice', 'report', 'account'}
`

// fill makes locks of several layouts, and keys that are none.
func (c *scene) fill() {
	c.t.Helper()
	c.do("EVAL", scenery+`
		for i = 1, 100 do
			for _, kind in ipairs(kinds) do put(kind, i, 'worker-' .. i, 600000) end
			redis.call('SET', 'cache:' .. i, i)
		end`, 0)
}

// stir changes much: some locks are released, others taken over, renewed, and new; one has a short lease.
func (c *scene) stir() {
	c.t.Helper()
	c.do("EVAL", scenery+`
		for i = 1, 100 do
			for _, kind in ipairs(kinds) do
				local key = 'lock:' .. kind .. ':' .. i
				if i % 5 == 0 then redis.call('DEL', key)
				elseif i % 5 == 1 then put(kind, i, 'worker-' .. 1000 + i, 700000)
				elseif i % 5 == 2 then put(kind, 200 + i, 'worker-' .. i, 600000)
				elseif i % 5 == 3 and redis.call('PTTL', key) > 0 then redis.call('PEXPIRE', key, 900000)
				end
			end
		end
		put('order', 999, 'short', 300)`, 0)
}

// truthScript reads every lock of a server, whatever its name.
const truthScript = `
	local rows = {}
	for _, key in ipairs(redis.call('KEYS', 'lock:*')) do
		local type, fields = redis.call('TYPE', key).ok, {}
		if type == 'string' then
			fields = {redis.call('GET', key)}
		elseif type == 'hash' then
			fields = redis.call('HGETALL', key)
		end
		rows[#rows + 1] = {key, redis.call('PEXPIRETIME', key), type, unpack(fields)}
	end
	return rows`

// truth is what the server holds: of each key what a lock is compared by.
func (c *scene) truth() map[string]string {
	c.t.Helper()
	rows, ok := c.do("EVAL", truthScript, 0).([]any)
	if !ok {
		c.t.Fatal("no rows")
	}
	truth := make(map[string]string, len(rows))
	for _, row := range rows {
		row := row.([]any)
		truth[row[0].(string)] = told(row[1].(int64), row[2:]...)
	}
	return truth
}

// told is one line: what the key holds, and when it expires.
func told(expires int64, what ...any) string { return fmt.Sprint(expires, " ", what) }

// expiryDiffers is by how much an expiry may differ: by what a clock cannot be measured better over a link that is delayed.
const expiryDiffers = 60 * time.Millisecond

// differences compares a snapshot with what the server holds. An end of a lease that is about the same is taken for the same.
func differences(shot *inspector.Snapshot, truth map[string]string) []string {
	var wrong []string
	seen := make(map[string]bool, len(truth))
	for _, l := range shot.Locks {
		want, there := truth[l.Key]
		switch {
		case l.State == inspector.StateFreed:
			if there {
				wrong = append(wrong, fmt.Sprintf("%s is told to be free, and is %s", l.Key, want))
			}
			seen[l.Key] = true
			continue
		case !there:
			wrong = append(wrong, fmt.Sprintf("%s is told to be %s, and is not there", l.Key, l.State))
			continue
		}
		seen[l.Key] = true
		if got := lineOf(l, want); got != want {
			wrong = append(wrong, fmt.Sprintf("%s is told to be %s, and is %s", l.Key, got, want))
		}
	}
	for key, what := range truth {
		if !seen[key] {
			wrong = append(wrong, fmt.Sprintf("%s is not told of, and is %s", key, what))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// lineOf is the line of a lock as [told] makes it: of its holders, and of the read behind it.
func lineOf(l *inspector.Lock, want string) string {
	expires := int64(-1)
	if !l.ExpiresAt.IsZero() {
		expires = l.ExpiresAt.UnixMilli()
		var about int64
		if _, err := fmt.Sscan(want, &about); err == nil && max(expires-about, about-expires) <= expiryDiffers.Milliseconds() {
			expires = about
		}
	}
	var what []any
	switch {
	case l.Observed.Type == keyspace.TypeHash:
		for _, h := range l.Holders {
			what = append(what, h.Owner, h.Count.N)
		}
	case l.Scheme == inspector.SchemeToken, l.Scheme == inspector.SchemeSetNX:
		for _, h := range l.Holders {
			what = append(what, h.Owner)
		}
	default:
		what = append(what, l.Observed.Value.Text)
	}
	return told(expires, slices.Concat([]any{string(l.Observed.Type)}, what)...)
}

// agrees waits until the picture is what a fresh read of the server says.
func (c *scene) agrees() {
	c.t.Helper()
	redistest.Eventually(c.t, 20*time.Second, func() (bool, string) {
		truth := c.truth()
		shot := c.i.Latest()
		wrong := differences(shot, truth)
		return len(wrong) == 0, fmt.Sprintf("%d of %d locks are not told right, as %.500q; %+v", len(wrong), len(truth), wrong, shot.Nodes)
	})
}

// leaves ends the looking, and waits until the server has the connections that it had before.
func (c *scene) leaves() {
	c.t.Helper()
	c.end()
	redistest.Eventually(c.t, 5*time.Second, func() (bool, string) {
		n := c.connections()
		return n <= c.strangers, fmt.Sprintf("%d connections, were %d: %s", n, c.strangers, c.do("CLIENT", "LIST"))
	})
}
