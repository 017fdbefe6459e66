package actions

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// TestRedisCLI copies every command line into a shell and runs it: once where the lock is as it was seen, and once where
// it is not.
func TestRedisCLI(t *testing.T) {
	cli := redistest.Require(t, "redis-cli")
	server := redistest.Start(t)
	client := server.Client(func(o *redis.Options) { o.DB = 3 })
	ctx := t.Context()
	run := func(line string) string {
		t.Helper()
		command, ok := strings.CutPrefix(line, "redis-cli -n 3 ")
		if !ok || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' }) {
			t.Fatalf("not one line of a command: %.200q", line)
		}
		out, err := exec.CommandContext(ctx, "/bin/sh", "-c", cli+" -s "+server.Socket+" -n 3 "+command).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	for scheme, seed := range seeds {
		for name, request := range verbRequests(scheme) {
			if err := seed(ctx, client, "lock"); err != nil {
				t.Fatal(err)
			}
			request.Owner, request.Lock = ownerA(scheme), observe(ctx, t, client, scheme, "lock")
			line := RedisCLI(request)
			before := dump(ctx, t, client, "lock")
			lease := client.PTTL(ctx, "lock").Val()
			if strings.Contains(line, "--quoted-input") {
				t.Errorf("%s %s: a plain lock needs no --quoted-input", scheme, name)
			}
			client.Rename(ctx, "lock", "elsewhere")
			if out := run(line); !strings.HasPrefix(out, codeGone) {
				t.Errorf("%s %s, gone: %s", scheme, name, out)
			}
			client.Rename(ctx, "elsewhere", "lock")
			out := run(line)
			if !strings.HasPrefix(out, codeDone) {
				t.Errorf("%s %s: %s", scheme, name, out)
			}
			if after := dump(ctx, t, client, "lock"); after == before && lease-client.PTTL(ctx, "lock").Val() < time.Second && client.PTTL(ctx, "lock").Val() <= lease {
				t.Errorf("%s %s did nothing: %s", scheme, name, after)
			}
			client.Del(ctx, "lock")
		}
	}
	for _, s := range hostile {
		if len(s) > 1000 {
			continue // the beginning of a long value is compared as a short one is
		}
		client.Set(ctx, s, s, time.Minute)
		lock := observe(ctx, t, client, inspector.SchemeToken, s)
		line := RedisCLI(Request{Verb: VerbRelease, Owner: lock.Holders[0].Owner, Lock: lock})
		client.Set(ctx, s, s+"x", redis.KeepTTL)
		if out := run(line); !strings.HasPrefix(out, codeOther) {
			t.Errorf("%q and one more byte: %s", s, out)
		}
		client.Set(ctx, s, s, redis.KeepTTL)
		if out := run(line); !strings.HasPrefix(out, codeDone) || client.Exists(ctx, s).Val() != 0 {
			t.Errorf("%q: %s", s, out)
		}
	}
	if line := RedisCLI(Request{Verb: VerbRelease}); line != "" {
		t.Errorf("a command for no lock: %q", line)
	}
}

func TestRedisCLINamesTheServer(t *testing.T) {
	for node, want := range map[keyspace.Node]string{
		"127.0.0.1:6379": "", "127.0.0.1:7000": " -p 7000", "cache.example:6379": " -h cache.example",
		"[::1]:7000": " -h ::1 -p 7000", "unix:/run/my redis.sock": " -s '/run/my redis.sock'", "": "",
	} {
		if got := serverFlags(node); got != want {
			t.Errorf("%s is reached by %q, want %q", node, got, want)
		}
	}
}
