package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/actions"
	"locktop/demo/embedded"
	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
	"locktop/ui/report"
)

// contender is a client with a name that asks for a lock, and counts what came of it.
type contender struct {
	name               string
	do                 func(args ...any) (any, error)
	locker             *actions.Locker
	acquired, attempts int
}

// newContender is one on a connection of its own.
func newContender(t *testing.T, o keyspace.Options, name string) *contender {
	t.Helper()
	connection, err := keyspace.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	client := connection.NewClient(name)
	t.Cleanup(func() { // the server may have gone before
		_ = client.Close()
		_ = connection.Close()
	})
	c := &contender{
		name: name, locker: actions.NewLocker(client),
		do: func(args ...any) (any, error) { return client.Do(context.WithoutCancel(t.Context()), args...).Result() },
	}
	if _, err := c.do("PING"); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *contender) note(acquired bool) {
	c.attempts++
	if acquired {
		c.acquired++
	}
}

// probeOf runs a probe of a lock while others work, and ends it once all that they did was heard.
func probeOf(t *testing.T, servers *keyspace.Servers, key string, work ...func()) *inspector.Sample {
	t.Helper()
	records, err := servers.Read(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	rules := inspector.Rules{}
	l, is := rules.Inspect(records[0], time.Now())
	if !is {
		t.Fatalf("%s is no lock: %+v", key, records[0])
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun, done := make(chan struct{}), make(chan struct{})
	go func() {
		<-begun
		var working sync.WaitGroup
		for _, w := range work {
			working.Go(w)
		}
		working.Wait()
		close(done)
	}()
	var once sync.Once
	var last int64
	quiet := 0
	sample, err := inspector.NewProber(servers, rules, nil).Probe(ctx, l, inspector.ProbeOptions{
		For: 30 * time.Second, Force: true,
		Progress: func(lines, _ int64) {
			once.Do(func() { close(begun) })
			select {
			case <-done:
			default:
				return
			}
			if quiet++; lines != last {
				quiet, last = 0, lines
			}
			if quiet > 3 {
				cancel()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return sample
}

// What a probe counts is what the clients themselves have counted, by SET NX and by Redisson's scripts, here and on the embedded server.
func TestProbeCountsWhatClientsDo(t *testing.T) {
	t.Parallel()
	ours, err := embedded.Start(t.Context(), embedded.Options{Password: "open sesame"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ours.Close() }) // ends with the context, too
	const key = "lock:probed"
	ways := map[string]func(ctx context.Context, c *contender, n int){
		"set nx": func(_ context.Context, c *contender, n int) {
			token := fmt.Sprintf("%s-token-%d", c.name, n)
			_, err := c.do("SET", key, token, "NX", "PX", 3)
			if c.note(err == nil); err == nil && n%3 == 0 {
				_, _ = c.do("EVAL", "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0", 1, key, token) // it may be over
			}
		},
		"redisson": func(ctx context.Context, c *contender, n int) {
			owner := fmt.Sprintf("0f4d3a52-1c2d-4e5f-8a9b-%012x:%d", len(c.name), n)
			count, _, err := c.locker.AcquireRedisson(ctx, key, owner, 3*time.Second)
			got := err == nil && count > 0
			if c.note(got); got {
				_, _ = c.locker.ReleaseRedisson(ctx, key, owner, 3*time.Second) // somebody may have deleted it
			}
		},
	}
	for where, o := range map[string]keyspace.Options{
		"redis": {Addr: redistest.Start(t).Addr}, "embedded": {Addr: ours.Addr(), Password: "open sesame"},
	} {
		for way, ask := range ways {
			t.Run(where+" by "+way, func(t *testing.T) {
				servers, err := keyspace.Dial(t.Context(), keyspace.Place{Servers: []keyspace.Options{o}})
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = servers.Close() }() // nothing is owed to them
				holder := newContender(t, o, "holder")
				_, _ = holder.do("FLUSHALL")
				if way == "set nx" {
					_, _ = holder.do("SET", key, "the-holder", "PX", 60_000)
				} else {
					_, _ = holder.do("HSET", key, "77ab01c2-1c2d-4e5f-8a9b-0c1d2e3f4a5b:7", 1)
				}
				var work []func()
				contenders := make(map[string]*contender)
				for n := range 4 {
					c := newContender(t, o, "worker-"+strings.Repeat("x", n))
					contenders[c.name] = c
					work = append(work, func() {
						for n := range 60 {
							if n == 20 {
								_, _ = holder.do("DEL", key)
							}
							ask(t.Context(), c, n)
						}
					})
				}
				sample := probeOf(t, servers, key, work...)
				seen := 0
				for _, client := range sample.Clients {
					c := contenders[client.Name]
					if c == nil {
						continue
					}
					seen++
					// The end of a lease is in the server's hands: near to it nobody outside can tell.
					if client.Attempts != c.attempts || client.Acquired > c.acquired || client.Acquired+client.Unknown() < c.acquired ||
						way == "redisson" && client.Unknown() > 0 {
						t.Errorf("%s: %+v, want %d attempts, of which %d got it", c.name, client.Sampled, c.attempts, c.acquired)
					}
				}
				if seen != 4 || sample.Ended != keyspace.ProbeCancelled || sample.Acquired == 0 || sample.Failed == 0 {
					t.Errorf("%d clients, %+v of %+v", seen, sample.Sampled, sample.Clients)
				}
			})
		}
	}
}

// Of a Redlock every attempt goes to all masters, and is one attempt all the same.
func TestProbeOfARedlock(t *testing.T) {
	t.Parallel()
	masters := redistest.StartMasters(t, 3)
	const key = "lock:probed"
	var place keyspace.Place
	var holders []*contender
	work := []func(){}
	for _, m := range masters {
		place.Servers = append(place.Servers, keyspace.Options{Addr: m.Addr})
		holders = append(holders, newContender(t, keyspace.Options{Addr: m.Addr}, "holder"))
		m.Do("SET", key, "the-holder", "PX", 60_000)
	}
	servers, err := keyspace.Dial(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = servers.Close() }() // nothing is owed to them
	var rival []*contender
	for _, m := range masters {
		rival = append(rival, newContender(t, keyspace.Options{Addr: m.Addr}, "rival"))
	}
	work = append(work, func() {
		for n := range 10 {
			for _, c := range rival {
				_, _ = c.do("SET", key, fmt.Sprintf("rival-token-%d", n), "NX", "PX", 60_000)
			}
		}
		for _, c := range holders {
			_, _ = c.do("DEL", key)
		}
		for _, c := range rival {
			_, _ = c.do("SET", key, "rival-token-last", "NX", "PX", 60_000)
		}
	})
	sample := probeOf(t, servers, key, work...)
	if len(sample.Clients) != 2 || len(sample.Nodes) != 3 {
		t.Fatalf("%+v", sample.Clients)
	}
	if c := sample.Clients[0]; c.Name != "rival" || c.Attempts != 11 || c.Acquired != 1 || c.Failed != 10 || c.Connections != 3 {
		t.Errorf("%+v", c)
	}
}

// readsOf is how often a server was asked for the end of a key.
func readsOf(c *contender) int {
	stats, _ := c.do("INFO", "commandstats")
	_, calls, _ := strings.Cut(fmt.Sprint(stats), "cmdstat_pexpiretime:calls=")
	calls, _, _ = strings.Cut(calls, ",")
	n, _ := strconv.Atoi(calls) // none: it was not asked yet
	return n
}

// What a probe counts as done was done: a refused extension is none, a takeover by GETSET is an
// acquisition, and a rival that gives a TTL to a lock without one has repaired it.
func TestProbeTellsWhatWasDone(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	servers, err := keyspace.Dial(t.Context(), keyspace.Place{Servers: []keyspace.Options{{Addr: s.Addr}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = servers.Close() }() // nothing is owed to them
	const extend = "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('pexpire',KEYS[1],ARGV[2]) else return 0 end"
	end := func(d time.Duration) string { return strconv.FormatInt(time.Now().Add(d).UnixMilli(), 10) }
	for key, c := range map[string]struct {
		seed []any
		work func(c *contender)
		want inspector.Sampled
	}{
		"lock:extended": {
			[]any{"SET", "lock:extended", "the-holder", "PX", 60_000},
			func(c *contender) {
				for range 3 {
					if n, err := c.do("EVAL", extend, 1, "lock:extended", "token-7", 90_000); n != int64(0) || err != nil {
						t.Errorf("a stranger's extension answers %v, %v", n, err)
					}
				}
				if n, err := c.do("EVAL", extend, 1, "lock:extended", "the-holder", 90_000); n != int64(1) || err != nil {
					t.Errorf("the holder's extension answers %v, %v", n, err)
				}
			},
			inspector.Sampled{Extends: inspector.Tries{All: 4, Done: 1, Refused: 3}},
		},
		"lock:taken": {
			[]any{"SET", "lock:taken", end(-time.Minute)},
			func(c *contender) {
				_, _ = c.do("SETNX", "lock:taken", end(30*time.Second))
				_, _ = c.do("GET", "lock:taken")
				_, _ = c.do("GETSET", "lock:taken", end(30*time.Second))
			},
			inspector.Sampled{Attempts: 2, Acquired: 1, Failed: 1},
		},
		"lock:repaired": {
			[]any{"SET", "lock:repaired", "the-holder"},
			func(c *contender) {
				_, _ = c.do("SETNX", "lock:repaired", "rival")
				_, _ = c.do("TTL", "lock:repaired")
				_, _ = c.do("EXPIRE", "lock:repaired", 10)
			},
			inspector.Sampled{Attempts: 1, Failed: 1, Repaired: 1},
		},
	} {
		t.Run(key, func(t *testing.T) {
			s.Do(c.seed...)
			client := newContender(t, keyspace.Options{Addr: s.Addr}, "rival")
			sample := probeOf(t, servers, key, func() {
				// The probe reads the key some times when it begins, and needs a read that nothing
				// raced with.
				begun := readsOf(client)
				redistest.Eventually(t, 10*time.Second, func() (bool, string) { return readsOf(client) >= begun+2, "the probe does not read" })
				c.work(client)
			})
			if sample.Sampled != c.want {
				t.Errorf("%+v, want %+v", sample.Sampled, c.want)
			}
		})
	}
}

func TestShowProbe(t *testing.T) {
	s := redistest.Start(t)
	s.Do("SET", "lock:probed", "the-holder", "PX", 600_000)
	c := newContender(t, keyspace.Options{Addr: s.Addr}, "worker-7")
	ctx, cancel := context.WithCancel(t.Context())
	var working sync.WaitGroup
	working.Go(func() {
		for ctx.Err() == nil {
			_, _ = c.do("SET", "lock:probed", "worker-7-token", "NX", "PX", 1000)
			time.Sleep(5 * time.Millisecond)
		}
	})
	defer working.Wait()
	defer cancel()
	at := (&url.URL{Scheme: "redis", Host: s.Addr}).String()
	code, stdout, stderr := run(t, "show", "lock:probed", "--probe", "600ms", "-u", at)
	for _, want := range []string{"≥1 by sampled", "sampled   for 0.6 s", "in vain", "1 client at least asked for it", "worker-7", "worker-7-token", "commands a second before"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	if code != exitDone || !strings.Contains(stderr, "probing for 0.6 s, ctrl-c ends it: MONITOR") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("%d: %s", code, stderr)
	}
	code, stdout, stderr = run(t, "show", "lock:probed", "--probe", "600ms", "-u", at, "-o", "json")
	var shown report.Snapshot
	if err := json.Unmarshal([]byte(stdout), &shown); err != nil || code != exitDone {
		t.Fatalf("%d, %v: %s", code, err, stderr)
	}
	sample := shown.Locks[0].Sample
	if sample == nil || !sample.Complete || sample.Ended != "time" || sample.Failed == 0 || sample.FailedPerSecond <= 0 || sample.Waiting != 1 ||
		sample.Clients[0].Name != "worker-7" || sample.Clients[0].Owner != "worker-7-token" || shown.Locks[0].Waiters.By != "sampled" || sample.Nodes[0].OpsBefore == nil {
		t.Errorf("%s", stdout)
	}
	s.Do("ACL", "SETUSER", "watcher", "on", ">secret", "~*", "&*", "+@all", "-monitor")
	code, _, stderr = run(t, "show", "lock:probed", "--probe", "1s", "-u", "redis://watcher:secret@"+s.Addr)
	if code != exitError || !strings.Contains(stderr, "ACL SETUSER watcher +monitor") {
		t.Errorf("%d: %s", code, stderr)
	}
	for _, span := range []string{"31s", "0s", "-1s", "soon"} {
		if code, _, stderr = run(t, "show", "lock:probed", "--probe="+span, "-u", at); code != exitUsage || !strings.Contains(stderr, "at most 30s") {
			t.Errorf("%s: %d: %s", span, code, stderr)
		}
	}
	code, stdout, _ = run(t, "check", "-u", "redis://watcher:secret@"+s.Addr)
	if !strings.Contains(stdout, "probe") || !strings.Contains(stdout, "denied, and optional") {
		t.Errorf("%d: %s", code, stdout)
	}
}
