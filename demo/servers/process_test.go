//go:build unix

package servers

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"locktop/keyspace/redistest"
)

func TestParseVersion(t *testing.T) {
	for said, want := range map[string]string{
		"Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1": "7.0.15",
		"Valkey server v=8.1.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1": "8.1.1",
		"Redis server v=6.2.0 sha=0":  "6.2.0",
		"Redis server v=10.0.0 sha=0": "10.0.0",
		"Redis server v=6.0.16 sha=0": "version 6.0.16 is too old",
		"Redis server v=5.9.99 sha=0": "version 5.9.99 is too old",
		"memcached 1.6.2":             "its --version names no version",
		"":                            "its --version names no version",
		"v=99999999999999999999.0.0":  "value out of range",
	} {
		got, err := parseVersion(said)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}

// fakeServers puts programs on a PATH of the test's own.
func fakeServers(t *testing.T, programs map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, script := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

func TestNoServerOnPath(t *testing.T) {
	for name, c := range map[string]struct {
		programs map[string]string
		want     []string
	}{
		"none": {nil, []string{"no usable redis-server or valkey-server on PATH", `"valkey-server"`, "or use --server embedded"}},
		"old":  {map[string]string{"redis-server": "echo v=5.0.7"}, []string{"version 5.0.7 is too old", "install Redis 6.2 or later"}},
		"odd":  {map[string]string{"valkey-server": "exit 3"}, []string{"valkey-server --version: exit status 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			fakeServers(t, c.programs)
			_, err := Open(t.Context(), Options{Kind: Redis})
			if !errors.Is(err, ErrNoServer) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q, want %q", err, want)
				}
			}
			if s := open(t, Options{}); s.Name() != "embedded demo server" {
				t.Errorf("auto chose %q", s.Name())
			}
		})
	}
}

func TestSecondChoiceOnPath(t *testing.T) {
	program := redistest.Require(t, "redis-server")
	fakeServers(t, map[string]string{
		"redis-server":  "echo v=5.0.7",
		"valkey-server": `[ "$1" = --version ] && echo "Valkey server v=8.1.1 sha=0" && exit; exec ` + program + ` "$@"`,
	})
	if s := open(t, Options{}); s.Name() != "valkey-server 8.1.1 (private)" {
		t.Errorf("auto chose %q", s.Name())
	}
}

func TestServerThatDoesNotStart(t *testing.T) {
	fakeServers(t, map[string]string{
		"redis-server": `[ "$1" = --version ] && echo v=7.0.0 && exit
while read -r name value; do [ "$name" = logfile ] && eval echo "Fatal: out of luck" ">$value"; done <"$1"; exit 1`,
	})
	files := tempDirs(t)
	_, err := Open(t.Context(), Options{Kind: Redis})
	if err == nil || !strings.Contains(err.Error(), `it ended at once: "Fatal: out of luck"`) {
		t.Fatalf("%v", err)
	}
	if left := files(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if s := open(t, Options{}); s.Name() != "embedded demo server" {
		t.Errorf("auto chose %q", s.Name())
	}
}

func TestProcessIsPrivate(t *testing.T) {
	redistest.Require(t, "redis-server")
	p := open(t, Options{Kind: Redis}).(*process)
	if info := must(os.Stat(p.dir))(t); info.Mode().Perm() != 0o700 {
		t.Errorf("the directory is %v", info.Mode())
	}
	client := look(t, p.options)
	for name, want := range map[string]string{
		"port": "0", "save": "", "appendonly": "no", "maxmemory": "134217728", "unixsocketperm": "700",
	} {
		if got := client.ConfigGet(t.Context(), name).Val()[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	flags := client.ConfigGet(t.Context(), "notify-keyspace-events").Val()["notify-keyspace-events"]
	for _, flag := range notifyFlags {
		if !strings.ContainsRune(flags, flag) {
			t.Errorf("notifications %q lack %c", flags, flag)
		}
	}
}

// A server on a port lets nobody in without the password, which is in no command line.
func TestOverLoopback(t *testing.T) {
	onServers(t, func(t *testing.T, kind Kind) {
		var s Servers
		if kind == Redis {
			s = must(openProcess(t.Context(), overLoopback, findBinary))(t)
		} else {
			s = must(openEmbedded(t.Context(), overLoopback))(t)
		}
		t.Cleanup(func() { succeed(t, s.Close()) })
		o := s.Connections()[0]
		if host, _, err := net.SplitHostPort(o.Addr); err != nil || host != "127.0.0.1" || len(o.Password) < 20 {
			t.Fatalf("%q, a password of %d characters, %v", o.Addr, len(o.Password), err)
		}
		if err := look(t, o).Set(t.Context(), "a", "b", 0).Err(); err != nil {
			t.Fatal(err)
		}
		stranger := redis.NewClient(&redis.Options{Addr: o.Addr, MaxRetries: -1})
		defer stranger.Close()
		if err := stranger.Get(t.Context(), "a").Err(); err == nil || !strings.Contains(err.Error(), "NOAUTH") {
			t.Fatalf("without the password: %v", err)
		}
		if p, isProcess := s.(*process); isProcess && strings.Contains(strings.Join(p.cmd.Args, " "), o.Password) {
			t.Error("the password is in the command line")
		}
		if strings.Contains(s.Name(), o.Password) {
			t.Error("the password is on the screen")
		}
	})
}

// An embedded server is reached by its owner only, and leaves nothing behind.
func TestEmbeddedIsPrivate(t *testing.T) {
	before, files := goleak.IgnoreCurrent(), tempDirs(t)
	s := must(Open(t.Context(), Options{Kind: Embedded}))(t)
	o := s.Connections()[0]
	if info := must(os.Stat(filepath.Dir(o.Addr)))(t); o.Network != "unix" || info.Mode().Perm() != 0o700 {
		t.Errorf("it listens on %s %s, whose directory is %v", o.Network, o.Addr, info.Mode())
	}
	if made := files(); len(made) != 1 || made[0] != filepath.Dir(o.Addr) {
		t.Errorf("files while it runs: %v", made)
	}
	ask(t, o, "SET", "k", "v")
	succeed(t, s.Reset(t.Context()))
	if n := ask(t, o, "DBSIZE"); n != int64(0) {
		t.Errorf("after a reset it has %v keys", n)
	}
	succeed(t, s.Close())
	if left := files(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	goleak.VerifyNone(t, before)
}

func TestNothingIsLeftOfProcess(t *testing.T) {
	redistest.Require(t, "redis-server")
	before := goleak.IgnoreCurrent()
	files := tempDirs(t)
	s := must(Open(t.Context(), Options{Needs: NeedsReal}))(t)
	if made := files(); len(made) != 1 {
		t.Errorf("files while it runs: %v", made)
	}
	succeed(t, s.Close())
	if left := files(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := s.(*process).cmd.Process.Signal(os.Interrupt); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("the server still runs: %v", err)
	}
	goleak.VerifyNone(t, before)
}
