package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/adrg/xdg"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// ownState keeps the audit file in a directory of the test's own.
func ownState(t *testing.T) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	xdg.Reload()
	t.Cleanup(xdg.Reload)
}

// asLocktop starts a server, on which do runs commands as its administrator, and locktop the program as the user whose
// name is locktop. The connection is the administrator's.
func asLocktop(t *testing.T) (do func(line string), locktop func(args ...string) (int, string), connection *keyspace.Connection) {
	t.Helper()
	server := redistest.Start(t)
	ownState(t)
	t.Setenv("REDISCLI_AUTH", "PASSWORD")
	connection, err := keyspace.Connect(t.Context(), keyspace.Options{Network: "unix", Addr: server.Socket})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	do = func(line string) {
		var args []any
		for word := range strings.FieldsSeq(line) {
			args = append(args, word)
		}
		server.Do(args...)
	}
	locktop = func(args ...string) (int, string) {
		var out bytes.Buffer
		code := Main(t.Context(), append(args, "-s", server.Socket, "--user", "locktop"), strings.NewReader(""), &out, &out)
		return code, out.String()
	}
	return do, locktop, connection
}

// TestLeastRights gives a user exactly what "locktop check" prints, and does everything as that user.
func TestLeastRights(t *testing.T) {
	do, locktop, connection := asLocktop(t)
	look, act := leastRights(connection, need(connection, inspector.DefaultPatterns(), keyspace.Standalone, true), nil)
	do(look)
	do("SET lock:token 594730fb989a82f9c4b373d423b32f22 PX 60000")
	do("SET stuck:lock worker-7")
	do("SET jedis_lock 9999999999999")
	do("HSET reentrant:lock owner-1 2")
	do("PEXPIRE reentrant:lock 60000")
	do("HSET orders:lock 0f4d3a52-6c1e-4b7a-8a2e-3f6d5c4b2a10:42 2")
	do("PEXPIRE orders:lock 60000")
	do("LPUSH lock:list a")
	do("SET private value")

	if code, out := locktop("list"); code != exitDone || strings.Contains(out, "NOPERM") || !strings.Contains(out, "orders:lock") {
		t.Errorf("list: code %d, %s", code, out)
	}
	if code, out := locktop("watch", "--notify", "require", "--for", "2s"); code != exitDone || !strings.Contains(out, "by push;") {
		t.Errorf("watch: code %d, %s", code, out)
	}
	if code, out := locktop("show", "private"); code != exitError || !strings.Contains(out, "NOPERM") {
		t.Errorf("show private: code %d, %s", code, out)
	}
	holders := map[string]string{
		"lock:token": "594730fb989a82f9c4b373d423b32f22", "stuck:lock": "worker-7", "jedis_lock": "9999999999999",
		"reentrant:lock": "owner-1", "orders:lock": "0f4d3a52-6c1e-4b7a-8a2e-3f6d5c4b2a10:42",
	}
	for key, holder := range holders {
		if code, out := locktop("release", key, "--holder", holder, "--all", "--yes"); code != exitError || !strings.Contains(out, "denied by ACL") {
			t.Errorf("release %s by one who may only look: code %d, %s", key, code, out)
		}
	}
	do(act)
	for key, holder := range holders {
		if key != "jedis_lock" && key != "stuck:lock" { // whose lease is longer already, or has no end
			if code, out := locktop("extend", key, "--holder", holder, "--ttl", "2m", "--yes"); code != exitDone {
				t.Errorf("extend %s: code %d, %s", key, code, out)
			}
		}
		if code, out := locktop("release", key, "--holder", holder, "--all", "--yes"); code != exitDone {
			t.Errorf("release %s: code %d, %s", key, code, out)
		}
	}
	do("SET lock:job worker-7 PX 60000")
	if code, out := locktop("expire", "lock:job", "--holder", "worker-7", "--yes"); code != exitDone {
		t.Errorf("expire: code %d, %s", code, out)
	}
}

// TestLeastRightsForFairLocks releases Redisson locks with the rights for their names alone: the waiters of a fair one have
// keys and a channel of their own. It does so by script, and where scripts are denied.
func TestLeastRightsForFairLocks(t *testing.T) {
	do, locktop, connection := asLocktop(t)
	look, act := leastRights(connection, need(connection, []keyspace.Pattern{{Glob: "orders:*"}}, keyspace.Standalone, true), nil)
	do(look)
	do(act)
	const holder, waiter = "0f4d3a52-6c1e-4b7a-8a2e-3f6d5c4b2a10:42", "9c2b3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:7"
	client := connection.NewClient("waiter")
	defer client.Close()
	waiting := client.Subscribe(t.Context(), "redisson_lock__channel:{orders:1}:"+waiter)
	defer waiting.Close()
	if _, err := waiting.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, denied := range []string{"", "ACL SETUSER locktop -eval -evalsha +watch +unwatch +multi +exec"} {
		if denied != "" {
			do(denied)
		}
		for _, args := range [][]string{{"release", "--all"}, {"expire"}} {
			do("FLUSHALL")
			do("HSET orders:1 " + holder + " 2")
			do("PEXPIRE orders:1 60000")
			do("RPUSH redisson_lock_queue:{orders:1} " + waiter)
			do("ZADD redisson_lock_timeout:{orders:1} 9999999999999 " + waiter)
			if code, out := locktop(append(args, "orders:1", "--holder", holder, "--yes")...); code != exitDone || !strings.Contains(out, "1 waiter woken") {
				t.Errorf("%q after %q: code %d, %s", args, denied, code, out)
			}
			if _, err := waiting.ReceiveTimeout(t.Context(), 10*time.Second); err != nil {
				t.Errorf("%q after %q: the waiter heard nothing: %v", args, denied, err)
			}
		}
	}
}

// TestLeastRightsForRedissonsFamily acts on the locks of several keys with the rights for their names alone, by script, and
// where scripts are denied.
func TestLeastRightsForRedissonsFamily(t *testing.T) {
	do, locktop, connection := asLocktop(t)
	look, act := leastRights(connection, need(connection, []keyspace.Pattern{{Glob: "orders:*"}}, keyspace.Standalone, true), nil)
	do(look)
	do(act)
	const holder, value, permit = "0f4d3a52-6c1e-4b7a-8a2e-3f6d5c4b2a10:42", "4Zr0IIXHwTtrhPGoQbxGlA", "0123456789abcdef"
	for _, denied := range []string{"", "ACL SETUSER locktop -eval -evalsha +watch +unwatch +multi +exec"} {
		if denied != "" {
			do(denied)
		}
		for _, test := range []struct {
			setup []string
			args  []string
		}{
			{[]string{"HSET orders:1 mode read " + holder + " 1", "PEXPIRE orders:1 60000", "SET {orders:1}:" + holder + ":rwlock_timeout:1 1 PX 60000"}, []string{"--holder", holder}},
			{[]string{"HSET orders:1 mode write " + holder + ":write 1 " + holder + " 1", "PEXPIRE orders:1 60000"}, []string{"--holder", holder + ":write"}},
			{[]string{"HSET orders:1 " + value + " " + holder + " " + value + ":" + holder + ":expire_time 1995189397124 " + value + ":" + holder + ":lock_count 1", "PEXPIRE orders:1 60000"}, []string{"--holder", value}},
			{[]string{"SET orders:1 3", "ZADD {orders:1}:timeout 1995189397124 " + permit}, []string{"--holder", permit}},
			{[]string{"SET orders:1 3"}, []string{"--holder", "", "--scheme-rule", "orders:*=redisson-semaphore"}},
			{[]string{"SET orders:1 3"}, []string{"--holder", "", "--scheme-rule", "orders:*=redisson-latch"}},
		} {
			for _, verb := range [][]string{{"release", "--all"}, {"extend", "--ttl", "100000h"}, {"expire"}, {"expire", "--in", "5s"}} {
				do("FLUSHALL")
				for _, command := range test.setup {
					do(command)
				}
				args := slices.Concat(verb, []string{"orders:1", "--yes"}, test.args)
				if code, out := locktop(args...); code != exitDone && !strings.Contains(out, "not possible") {
					t.Errorf("%q after %q: code %d, %s", args, denied, code, out)
				}
			}
		}
	}
}

// TestDeniedActionsFitOnALine: a user without channels may not send two hundred messages, of which a few are named.
func TestDeniedActionsFitOnALine(t *testing.T) {
	do, locktop, _ := asLocktop(t)
	do("ACL SETUSER locktop reset on >PASSWORD ~* +@all resetchannels")
	_, out := locktop("check")
	for line := range strings.Lines(out) {
		if _, detail, is := strings.Cut(line, "actions "); is {
			if len(detail) > 500 || !strings.Contains(detail, "of-release' channel") || !strings.Contains(detail, " more)") {
				t.Errorf("%d bytes: %.600s", len(detail), detail)
			}
			return
		}
	}
	t.Errorf("nothing about actions in %s", out)
}
