package inspector_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// fault is something that goes wrong with one server, or on the way to it.
type fault struct {
	name string
	// server are more options of the server; user says as whom we look.
	server []string
	user   func(*scene, *keyspace.Options)
	breaks func(*scene)
	// told is what the status must come to say while it lasts.
	told func(*scene, keyspace.Status) bool
	// slow says that it takes seconds to be noticed.
	slow bool
	// blind says that nothing can be changed there meanwhile.
	blind bool
	heals func(*scene)
	// compares says that heals compares the picture with the server, so that nothing may change meanwhile.
	compares bool
	// gaps is how many it counts as, and more how many more there may be, where chance decides what is noticed first.
	gaps, more uint64
}

// away says that the status tells of a server that does not serve, in these words.
func away(words string) func(*scene, keyspace.Status) bool {
	return func(_ *scene, st keyspace.Status) bool {
		return !st.Connected && strings.Contains(st.Err, words) && !strings.Contains(st.Err, "has not answered")
	}
}

// disconnect ends our connections, and lets that of the client beside be.
func disconnect(c *scene) {
	c.do("CLIENT", "KILL", "TYPE", "normal")
	c.do("CLIENT", "KILL", "TYPE", "pubsub")
}

// cutShort ends each connection after so many bytes of answers, in the middle of many.
func (c *scene) cutShort(after int) {
	c.link.Truncate(after)
	c.stir()
	c.broken = time.Now().Add(time.Minute) // nobody knows when the end was heard
}

// blocked runs a command on a connection of its own, which may take as long as it likes, and ends with the test.
func blocked(c *scene, args ...any) {
	client := c.server.Client(func(o *redis.Options) { o.ReadTimeout = time.Minute })
	done := make(chan struct{})
	go func() {
		defer close(done)
		client.Do(context.Background(), args...) // its error is what the test does to it
		_ = client.Close()
	}()
	c.t.Cleanup(func() { <-done })
}

// notificationsOff can only befall those who go by them.
const notificationsOff = "notifications are switched off"

var faults = []fault{
	{
		name:   "killed and restarted empty",
		breaks: func(c *scene) { c.server.Kill() }, told: away("nothing answers"), blind: true,
		heals: func(c *scene) { c.server.Revive(); c.serves(); c.stir() }, gaps: 1,
	},
	{
		// As long as it takes that the listener gives up, and that a command does: longer is no different.
		name: "stopped", slow: true,
		breaks: func(c *scene) { c.server.Pause() }, told: away("no answer in time"), blind: true,
		heals: func(c *scene) { c.server.Resume() }, gaps: 1,
	},
	{
		name:   "network cut",
		breaks: func(c *scene) { c.link.Cut() }, told: away("nothing answers"),
		heals: func(c *scene) { c.link.Heal() }, gaps: 1,
	},
	{
		name:   "connections are reset",
		breaks: func(c *scene) { c.link.Reset() }, told: gap, heals: func(*scene) {}, gaps: 1,
	},
	{
		name:   "answers are cut short, in a scan",
		breaks: func(c *scene) { c.cutShort(3000) }, told: away("nothing answers"),
		heals: func(c *scene) { c.link.Heal() }, gaps: 1, more: 9,
	},
	{
		name:   "answers are cut short, in a pipeline",
		breaks: func(c *scene) { c.cutShort(20_000) }, told: away("nothing answers"),
		heals: func(c *scene) { c.link.Heal() }, gaps: 1, more: 9,
	},
	{
		name: "nothing passes", slow: true,
		breaks: func(c *scene) { c.link.Stall(redistest.BothWays) }, told: away("no answer in time"),
		heals: func(c *scene) { c.link.Heal() }, gaps: 1,
	},
	{
		name: "nothing comes back", slow: true,
		breaks: func(c *scene) { c.link.Stall(redistest.FromServer) }, told: away("no answer in time"),
		heals: func(c *scene) { c.link.Heal() }, gaps: 1,
	},
	{
		name:   "the way is slow",
		breaks: func(c *scene) { c.link.Delay(200 * time.Millisecond) },
		told:   func(c *scene, st keyspace.Status) bool { return c.live(st) && st.Lag > 50*time.Millisecond },
		heals:  func(c *scene) { c.link.Delay(0) },
	},
	{
		// A gap has it measured, so that nobody need wait for the next time.
		name: "the server's clock is set", compares: true,
		breaks: func(c *scene) {
			c.link.ShiftClock(time.Hour)
			c.do("CLIENT", "KILL", "TYPE", "pubsub")
		},
		told: func(c *scene, st keyspace.Status) bool { return c.live(st) && st.ClockOffset > time.Hour-time.Minute },
		heals: func(c *scene) {
			c.agrees()
			c.link.ShiftClock(0)
			c.do("CLIENT", "KILL", "TYPE", "pubsub")
			c.reaches("its own clock", func(st keyspace.Status) bool { return c.live(st) && st.ClockOffset < time.Minute })
		},
		gaps: 2,
	},
	{
		name:   "a script that does not end",
		server: []string{"--lua-time-limit", "20"},
		breaks: func(c *scene) {
			blocked(c, "EVAL", "while true do end", 0)
			redistest.Eventually(c.t, 10*time.Second, func() (bool, string) {
				err := c.beside.Ping(context.Background()).Err()
				return err != nil && strings.HasPrefix(err.Error(), "BUSY"), fmt.Sprint(err)
			})
		},
		told: away("a script runs there"), blind: true,
		heals: func(c *scene) { c.do("SCRIPT", "KILL"); c.serves() }, gaps: 1,
	},
	{
		name:   "loading",
		server: []string{"--enable-debug-command", "yes", "--loading-process-events-interval-bytes", "1024"},
		breaks: func(c *scene) {
			c.do("CONFIG", "SET", "key-load-delay", 5000)
			blocked(c, "DEBUG", "RELOAD")
			redistest.Eventually(c.t, 10*time.Second, func() (bool, string) {
				info := c.do("INFO", "persistence").(string)
				return strings.Contains(info, "\nloading:1"), info
			})
			c.broken = time.Now().Add(time.Minute) // it saves its data first, and nobody knows when the flush was heard
		},
		told: away("LOADING"), blind: true, heals: (*scene).serves, gaps: 1, more: 1,
	},
	{
		name: "a replica, and a master again", slow: true,
		breaks: func(c *scene) { c.do("REPLICAOF", "127.0.0.1", 1) },
		told:   func(_ *scene, st keyspace.Status) bool { return st.Role == "replica" && st.Connected }, blind: true,
		heals: func(c *scene) {
			c.do("REPLICAOF", "NO", "ONE")
			c.reaches("role", func(st keyspace.Status) bool { return st.Role == "master" })
		},
		gaps: 2,
	},
	{
		name: "a replica without its master",
		breaks: func(c *scene) {
			c.do("CONFIG", "SET", "replica-serve-stale-data", "no")
			c.do("REPLICAOF", "127.0.0.1", 1)
		},
		told: away("MASTERDOWN"), blind: true,
		heals: func(c *scene) {
			c.do("REPLICAOF", "NO", "ONE")
			c.do("CONFIG", "SET", "replica-serve-stale-data", "yes")
		},
		gaps: 1, more: 1,
	},
	{
		name: "the disk is full",
		breaks: func(c *scene) {
			c.do("CONFIG", "SET", "save", "3600 1")
			_ = os.Remove(c.dump())                           // there may be none
			if err := os.Mkdir(c.dump(), 0o700); err != nil { // so that no file can take its place
				c.t.Fatal(err)
			}
			c.saves("err")
		},
		told: rejected("ping"), blind: true,
		heals: func(c *scene) {
			if err := os.Remove(c.dump()); err != nil {
				c.t.Fatal(err)
			}
			c.saves("ok")
			c.do("CONFIG", "SET", "save", "")
		},
	},
	{
		name: "out of memory",
		breaks: func(c *scene) {
			c.stir()
			c.do("CONFIG", "SET", "maxmemory", 1)
		},
		told: func(c *scene, st keyspace.Status) bool {
			return c.live(st) && strings.HasPrefix(fmt.Sprint(c.beside.Set(context.Background(), "cache:more", 1, 0).Err()), "OOM")
		},
		blind: true,
		heals: func(c *scene) { c.do("CONFIG", "SET", "maxmemory", 0) },
	},
	{
		name: "the password is new",
		user: func(c *scene, o *keyspace.Options) {
			c.do("CONFIG", "SET", "requirepass", "old")
			o.Password = "old"
		},
		breaks: func(c *scene) {
			c.do("CONFIG", "SET", "requirepass", "new")
			disconnect(c)
		},
		told: away("wrong user or password"), heals: func(c *scene) { c.do("CONFIG", "SET", "requirepass", "old") }, gaps: 1,
	},
	{
		name: "a password where none was",
		breaks: func(c *scene) {
			c.do("CONFIG", "SET", "requirepass", "new")
			disconnect(c)
		},
		told: away("wants a password"), heals: func(c *scene) { c.do("CONFIG", "SET", "requirepass", "") }, gaps: 1,
	},
	{
		name: "the user is deleted",
		user: func(c *scene, o *keyspace.Options) {
			observer(c)
			o.Username, o.Password = "observer", "secret"
		},
		breaks: func(c *scene) { c.do("ACL", "DELUSER", "observer") },
		told:   away("wrong user or password"), heals: observer, gaps: 1,
	},
	{
		name: "rights are taken, and given back",
		user: func(c *scene, o *keyspace.Options) {
			observer(c)
			o.Username, o.Password = "observer", "secret"
		},
		breaks: func(c *scene) {
			c.do("ACL", "SETUSER", "observer", "-type")
			c.stir()
		},
		told: func(_ *scene, st keyspace.Status) bool {
			return st.Connected && st.Denied > 0 && strings.Contains(st.Err, "NOPERM")
		},
		heals: func(c *scene) {
			c.do("ACL", "SETUSER", "observer", "+type")
			c.do("CLIENT", "KILL", "TYPE", "pubsub") // so that nobody need wait for the next pass
		},
		gaps: 1,
	},
	{
		name: "too many clients",
		breaks: func(c *scene) {
			c.do("CONFIG", "SET", "maxclients", 1)
			disconnect(c)
		},
		told: away("max number of clients"), heals: func(c *scene) { c.do("CONFIG", "SET", "maxclients", 100) }, gaps: 1,
	},
	{
		name:   "our connections are killed",
		breaks: disconnect, told: gap, heals: func(*scene) {}, gaps: 1,
	},
	{
		name:   "the watching connection is killed",
		breaks: func(c *scene) { c.do("CLIENT", "KILL", "TYPE", "pubsub") }, told: gap, heals: func(*scene) {}, gaps: 1,
	},
	{
		name: "more events than the server keeps for us",
		breaks: func(c *scene) {
			c.do("CONFIG", "SET", "client-output-buffer-limit", "pubsub 32kb 16kb 1")
			c.do("EVAL", "for i = 1, 5000 do redis.call('SET', 'lock:burst:' .. i % 50, 'token-' .. i, 'PX', 600000) end", 0)
		},
		told: gap, heals: func(c *scene) { c.do("CONFIG", "SET", "client-output-buffer-limit", "pubsub 32mb 8mb 60") }, gaps: 1,
	},
	{name: "FLUSHALL", breaks: func(c *scene) { c.do("FLUSHALL") }, told: gap, heals: func(*scene) {}, gaps: 1},
	{name: "FLUSHDB", breaks: func(c *scene) { c.do("FLUSHDB", "ASYNC") }, told: gap, heals: func(*scene) {}, gaps: 1},
	{name: "SWAPDB", slow: true, breaks: func(c *scene) { c.do("SWAPDB", 0, 1) }, told: gap, heals: func(*scene) {}, gaps: 1},
	{
		name:   "SCRIPT FLUSH",
		breaks: func(c *scene) { c.do("SCRIPT", "FLUSH") },
		told:   func(c *scene, st keyspace.Status) bool { return c.live(st) }, heals: func(*scene) {},
	},
	{
		name: notificationsOff, slow: true,
		breaks: func(c *scene) { c.do("CONFIG", "SET", "notify-keyspace-events", ""); c.stir() },
		told: func(_ *scene, st keyspace.Status) bool {
			return st.Feed == keyspace.FeedTracking && st.FeedReason != ""
		},
		heals: func(c *scene) { c.do("CONFIG", "SET", "notify-keyspace-events", redistest.Flags) }, gaps: 1,
	},
}

// breaks lets a fault begin.
func (c *scene) breaks(f fault) {
	began := time.Now()
	c.broken, c.gaps = began, c.status().Gaps
	f.breaks(c)
	if c.broken.Equal(began) {
		c.broken = time.Now() // until then the server may have answered
	}
}

// starved is how many gaps there were because we, or the server, did nothing for seconds, as on a machine that does much else.
func (c *scene) starved() uint64 {
	n := uint64(0)
	events, _ := c.i.EventsSince(0)
	for _, e := range events {
		if e.Kind == inspector.EventGap && strings.Contains(e.Text, "no answer for") {
			n++
		}
	}
	return n
}

// gap says that one was counted since it broke.
func gap(c *scene, st keyspace.Status) bool { return st.Gaps > c.gaps && st.LastGapWhy != "" }

// rejected says that the server has refused a command some times, as INFO commandstats tells, while nothing was lost by it.
func rejected(command string) func(*scene, keyspace.Status) bool {
	return func(c *scene, st keyspace.Status) bool {
		_, line, _ := strings.Cut(c.do("INFO", "commandstats").(string), "cmdstat_"+command+":")
		line, _, _ = strings.Cut(line, "\n")
		return c.live(st) && strings.Contains(line, "rejected_calls=") && !strings.Contains(line, "rejected_calls=0") && !strings.Contains(line, "rejected_calls=1,")
	}
}

func observer(c *scene) { c.do("ACL", "SETUSER", "observer", "on", ">secret", "~*", "&*", "+@all") }

// dump is where the server saves its data.
func (c *scene) dump() string {
	dir := c.do("CONFIG", "GET", "dir").(map[any]any)["dir"].(string)
	return filepath.Join(dir, "dump.rdb")
}

// serves waits until the server serves again.
func (c *scene) serves() {
	c.t.Helper()
	redistest.Eventually(c.t, 20*time.Second, func() (bool, string) {
		err := c.beside.Ping(context.Background()).Err()
		return err == nil, fmt.Sprint(err)
	})
}

// saves has the server save its data, until it comes to this.
func (c *scene) saves(outcome string) {
	c.t.Helper()
	_ = c.beside.BgSave(context.Background()).Err() // it may be saving already
	redistest.Eventually(c.t, 10*time.Second, func() (bool, string) {
		info := c.do("INFO", "persistence").(string)
		return strings.Contains(info, "rdb_bgsave_in_progress:0") && strings.Contains(info, "rdb_last_bgsave_status:"+outcome), info
	})
}

// TestFaults breaks one thing after the other. Whatever it is: while it lasts it is told, and afterwards the picture is what the
// server holds, without waiting for the next pass.
func TestFaults(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			c := newScene(t, f.server, f.user)
			c.agrees()
			before := c.status().Gaps
			c.breaks(f)
			st := c.reaches("word of it", func(st keyspace.Status) bool { return f.told(c, st) })
			const atWork = 2 * time.Second // on the last answer, on a machine that does much else, under the race detector
			if !st.Connected && (st.StaleSince.After(c.broken.Add(atWork)) || st.StaleSince.Before(c.broken.Add(-5*time.Minute))) {
				t.Errorf("stale since %v, and it broke at %v", st.StaleSince, c.broken)
			}
			if !f.blind {
				c.stir()
			}
			f.heals(c)
			c.agrees()
			after := c.reaches("live feed again", c.live)
			if counted := after.Gaps - before; counted < f.gaps || counted > f.gaps+f.more+c.starved() {
				t.Errorf("%d gaps, were %d; the last: %s", after.Gaps, before, after.LastGapWhy)
			}
			c.stir() // it is heard again
			c.agrees()
			c.leaves()
		})
	}
}
