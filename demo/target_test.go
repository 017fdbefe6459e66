package demo

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/demo/servers"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// everything is all keys of a server with their values, as DUMP has them.
func everything(t *testing.T, client *redis.Client) map[string]string {
	t.Helper()
	all := map[string]string{}
	keys := must(client.Keys(context.Background(), "*").Result())(t)
	for _, key := range keys {
		all[key] = client.Dump(context.Background(), key).Val() // "" for one that has gone meanwhile
	}
	return all
}

func TestTargetIsLeftAsItWas(t *testing.T) {
	for _, scenario := range Scenarios() {
		if scenario.Needs == NeedsMasters || scenario.Needs == NeedsPair {
			continue // it breaks servers, and is refused
		}
		for how, end := range ends {
			t.Run(scenario.Name+"/"+how, func(t *testing.T) {
				t.Parallel()
				server := redistest.Start(t)
				client := server.Client()
				for _, key := range []string{
					"lock:orders:checkout", "invoice:7731_lock", "locktop:demo:deadbeef:lock:a", "locktop:demo", "locktop:demos",
				} {
					server.Do("SET", key, "somebody's")
				}
				server.Do("HSET", "lock:account:4711", "somebody", 1)
				before := everything(t, client)

				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				d, err := Start(ctx, Options{
					Scenario: scenario.Name, Target: &keyspace.Options{Network: "unix", Addr: server.Socket}, Speed: shortSpeed,
				})
				if err != nil {
					t.Fatal(err)
				}
				prefix := regexp.MustCompile(`^locktop:demo:[0-9a-f]{8}:$`)
				if !prefix.MatchString(d.KeyPrefix()) {
					t.Fatalf("prefix %q", d.KeyPrefix())
				}
				eventually(t, "acquisitions", func(context.Context) bool { return d.Verdict().Acquisitions >= 8 })
				during := everything(t, client)
				if len(during) <= len(before) {
					t.Fatal("no lock is to be seen")
				}
				server.Do("SET", d.KeyPrefix()+"tombstone", "of an operator")
				for key := range during {
					_, foreign := before[key]
					beside := strings.HasPrefix(key, "redisson_lock_") && strings.Contains(key, ":{"+d.KeyPrefix())
					if !foreign && !beside && !strings.HasPrefix(key, d.KeyPrefix()) {
						t.Errorf("%q is not in the reserved place", key)
					}
				}
				end(t, d, cancel)
				if after := everything(t, client); !maps.Equal(before, after) {
					t.Errorf("before %q, after %q", slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
				}
			})
		}
	}
}

func TestSlowWorkerLeavesNothing(t *testing.T) {
	server := redistest.Start(t)
	d, err := Start(t.Context(), Options{Target: &keyspace.Options{Network: "unix", Addr: server.Socket}, Speed: shortSpeed})
	if err != nil {
		t.Fatal(err)
	}
	client := server.Client()
	d.show.Load().group.Go(func() {
		for range 20 { // It is still at work when the others have stopped.
			if err := client.Set(context.Background(), d.KeyPrefix()+"slow", "1", 0).Err(); err != nil {
				t.Error(err)
			}
			wait(context.Background(), 5*time.Millisecond)
		}
	})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if left := everything(t, client); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestTargetURL(t *testing.T) {
	for want, o := range map[string]keyspace.Options{
		"redis://10.0.0.1:6379/2":      {Network: "tcp", Addr: "10.0.0.1:6379", DB: 2, Password: "secret"},
		"redis://anna@10.0.0.1:6379/0": {Network: "tcp", Addr: "10.0.0.1:6379", Username: "anna", Password: "secret"},
		"unix:///run/redis.sock?db=3":  {Network: "unix", Addr: "/run/redis.sock", DB: 3},
		"unix:///run/a%20b.sock?db=0":  {Network: "unix", Addr: "/run/a b.sock"},
		"redis://[::1]:6379/0":         {Network: "tcp", Addr: "[::1]:6379"},
	} {
		d := &Demo{options: Options{Target: &o}, backend: must(servers.Open(t.Context(), servers.Options{Target: &o}))(t)}
		if got := d.URL(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTargetIsRefused(t *testing.T) {
	server := redistest.Start(t)
	for _, user := range []string{
		"ACL SETUSER reader on >p ~* +@all -@write", "ACL SETUSER elsewhere on >p ~app:* +@all", "ACL SETUSER noscan on >p ~* +@all -scan",
		"ACL SETUSER plain on >p ~locktop:demo:* &* +@all",
		"ACL SETUSER noscript on >p ~* +@all -@scripting", "ACL SETUSER nowatch on >p ~* +@all -@transaction",
		"ACL SETUSER quiet on >p ~* resetchannels +@all",
	} {
		var args []any
		for _, word := range strings.Fields(user) {
			args = append(args, word)
		}
		server.Do(args...)
	}
	replica := redistest.Start(t, "--replicaof", "127.0.0.1 1")
	cluster := redistest.Start(t, "--cluster-enabled", "yes")
	full := redistest.Start(t, "--maxmemory", "1")
	at := func(s *redistest.Server, user string) *keyspace.Options {
		o := &keyspace.Options{Network: "unix", Addr: s.Socket}
		if user != "" {
			o.Username, o.Password = user, "p"
		}
		return o
	}
	for name, c := range map[string]struct {
		o        *keyspace.Options
		want     string
		scenario string
	}{
		"reader":    {at(server, "reader"), "and write and SCAN locktop:demo:*", ""},
		"elsewhere": {at(server, "elsewhere"), "and write and SCAN locktop:demo:*", ""},
		"noscan":    {at(server, "noscan"), "and write and SCAN locktop:demo:*", ""},
		"noscript":  {at(server, "noscript"), "give a user that may run scripts and transactions (+@scripting", ""},
		"nowatch":   {at(server, "nowatch"), "give a user that may run scripts and transactions (+@scripting +@transaction)", ""},
		"full":      {at(full, ""), "its memory is full", ""},
		"plain":     {at(server, "plain"), "may also write redisson_lock_*:{locktop:demo:*", "redisson"},
		"quiet":     {at(server, "quiet"), "and use the channels redisson_lock__channel:{locktop:demo:*", "redisson"},
		"replica":   {at(replica, ""), "name its master", ""},
		"cluster":   {at(cluster, ""), "name a server that stands alone", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Start(t.Context(), Options{Target: c.o, Scenario: c.scenario})
			if err == nil {
				t.Fatalf("started: %v", d.Close())
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q, want %q in one line", err, c.want)
			}
		})
	}
}

func TestSweepNeedsAPrefix(t *testing.T) {
	server := redistest.Start(t)
	server.Do("SET", "a", "b")
	if err := sweep(t.Context(), server.Client(), "", []string{"a"}); err == nil || server.Do("GET", "a") != "b" {
		t.Fatalf("swept everything: %v", err)
	}
}
