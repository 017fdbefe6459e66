package demo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"locktop/demo/servers"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// openServers opens servers without a scenario, which are closed, and must close well, when the test ends.
func openServers(t *testing.T, o servers.Options) servers.Servers {
	t.Helper()
	s := must(servers.Open(t.Context(), o))(t)
	t.Cleanup(func() { succeed(t, s.Close()) })
	return s
}

// raise starts the masters of a Redlock.
func raise(t *testing.T, server Server) *servers.Masters {
	t.Helper()
	return openServers(t, servers.Options{Kind: server, Needs: NeedsMasters}).(*servers.Masters)
}

// couple starts a master and a replica.
func couple(t *testing.T) *servers.Pair {
	t.Helper()
	redistest.Require(t, "redis-server")
	return openServers(t, servers.Options{Needs: NeedsPair}).(*servers.Pair)
}

// endpoint says how to reach the master of a pair, whichever it is.
func endpoint(p *servers.Pair) keyspace.Options { return p.Connections()[0] }

// succeed fails the test on an error.
func succeed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// asking is a client that asks once, where that of a demo would try again.
func asking(t *testing.T, o keyspace.Options) *redis.Client {
	t.Helper()
	client := redis.NewClient(&redis.Options{
		Network: o.Network, Addr: o.Addr, Password: o.Password, Protocol: 2, DisableIdentity: true,
		MaxRetries: -1, DialerRetries: 1, ContextTimeoutEnabled: true,
	})
	t.Cleanup(func() { succeed(t, client.Close()) })
	return client
}

// ask gives a server one command that must succeed.
func ask(t *testing.T, o keyspace.Options, words ...any) any {
	t.Helper()
	client := asking(t, o)
	said, err := client.Do(t.Context(), words...).Result()
	if err != nil {
		t.Fatalf("%v: %v", words[0], err)
	}
	return said
}

// has says whether a key is at the master of a pair.
func has(t *testing.T, p *servers.Pair, key string) bool {
	t.Helper()
	return ask(t, endpoint(p), "EXISTS", key).(int64) == 1
}

// expectReplica sees that what is written from now on reaches the replica at once.
func expectReplica(t *testing.T, p *servers.Pair) {
	t.Helper()
	client := asking(t, endpoint(p))
	var counted *redis.Cmd
	_, err := client.Pipelined(t.Context(), func(one redis.Pipeliner) error {
		one.Set(t.Context(), "probe", "v", 0)
		counted = one.Do(t.Context(), "WAIT", 1, patience.Milliseconds())
		return nil
	})
	succeed(t, err)
	if n := counted.Val().(int64); n != 1 {
		t.Fatalf("%d replicas have what is written", n)
	}
}

// What is served can be connected to, also where there is a password, and by nobody else.
func TestURLOfOurOwn(t *testing.T) {
	onServers(t, func(t *testing.T, server Server) {
		d := begin(t, Options{Server: server, Speed: testSpeed})
		if o := d.address(); o.Network == "unix" && d.URL() != "unix://"+o.Addr+"?db=0" {
			t.Errorf("URL %q of %q", d.URL(), o.Addr)
		}
		m := raise(t, server)
		all := strings.Fields(d.URL() + " " + (&Demo{backend: m}).URL())
		options := append([]keyspace.Options{d.address()}, m.Connections()...)
		if len(all) != len(options) {
			t.Fatalf("%d URLs of %d servers", len(all), len(options))
		}
		for i, o := range options {
			served, err := keyspace.ParseURL(all[i])
			if err != nil || served.Addr != o.Addr || served.Password != o.Password {
				t.Errorf("nobody can connect by what is served: %+v, %v", served, err)
			}
			if got := ask(t, served, "PING"); got != "PONG" {
				t.Errorf("%s answers %v", served.Addr, got)
			}
			if o.Network == "unix" {
				if info, err := os.Stat(filepath.Dir(o.Addr)); err != nil || info.Mode().Perm() != 0o700 {
					t.Errorf("others may enter the directory of %s: %v, %v", o.Addr, info.Mode(), err)
				}
				continue
			}
			served.Password = ""
			client := asking(t, served)
			if err := client.Ping(t.Context()).Err(); err == nil || !strings.Contains(err.Error(), "NOAUTH") {
				t.Errorf("without the password: %v", err)
			}
		}
	})
}
