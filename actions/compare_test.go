package actions

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"

	"locktop/inspector"
)

// comparingServer is a server whose user has neither scripts nor transactions, with some of the commands that compare and act.
func comparingServer(t *testing.T, known ...string) (m *miniredis.Miniredis, client *redis.Client, see func(inspector.Scheme, string) *inspector.Lock) {
	t.Helper()
	m = miniredis.RunT(t)
	m.SetTime(time.Now()) // else the end of a lease, which it counts from its own time, would be another each time
	var lets atomic.Bool  // while the test itself looks
	has := func(name string) bool { return strings.Contains(strings.Join(known, " "), name) }
	m.Server().SetPreHook(func(c *server.Peer, cmd string, args ...string) bool {
		switch cmd = strings.ToUpper(cmd); cmd {
		case "EVAL", "EVALSHA", "WATCH", "MULTI":
			if lets.Load() {
				return false
			}
			c.WriteError("NOPERM User somebody has no permissions to run the '" + strings.ToLower(cmd) + "' command")
			return true
		case "DELEX":
			if !has(cmd) {
				c.WriteError("ERR unknown command 'DELEX'")
				return true
			}
		case "SET":
			if len(args) != 6 || args[2] != "IFEQ" || !has("IFEQ") {
				return false // miniredis answers "syntax error", as servers before Redis 8.4 do
			}
			if is, err := m.Get(args[0]); err != nil || is != args[3] {
				c.WriteNull()
				return true
			}
			lease, err := time.ParseDuration(args[5] + "ms")
			if err != nil || m.Set(args[0], args[1]) != nil {
				t.Error(args)
			}
			m.SetTTL(args[0], lease)
			c.WriteOK()
			return true
		case "DELIFEQ": // miniredis has those of Redis, and not this one of Valkey
			if has("DENIED") {
				c.WriteError("NOPERM User somebody has no permissions to run the 'delifeq' command")
				return true
			}
			if !has(cmd) {
				return false
			}
			if is, err := m.Get(args[0]); err != nil || is != args[1] {
				c.WriteInt(0)
				return true
			}
			m.Del(args[0])
			c.WriteInt(1)
			return true
		}
		return false
	})
	client = redis.NewClient(&redis.Options{Addr: m.Addr(), MaxRetries: -1, DisableIdentity: true})
	t.Cleanup(func() { _ = client.Close() })
	return m, client, func(scheme inspector.Scheme, key string) *inspector.Lock {
		lets.Store(true)
		defer lets.Store(false)
		return observe(t.Context(), t, client, scheme, key)
	}
}

func TestActingWithoutScriptsAndTransactions(t *testing.T) {
	for name, known := range map[string][]string{"Redis 8.4": {"DELEX", "IFEQ"}, "Valkey 9.0": {"DELIFEQ", "IFEQ"}} {
		t.Run(name, func(t *testing.T) {
			m, client, see := comparingServer(t, known...)
			o := NewOperator(OneServer(client), Options{})
			seen := func() Request {
				_ = m.Set("lock", "token-of-A")
				m.SetTTL("lock", time.Minute)
				return Request{Lock: see(inspector.SchemeToken, "lock"), Owner: "token-of-A"}
			}
			r := seen()
			r.Verb, r.TTL = VerbExtend, time.Hour
			if out := o.Do(t.Context(), r); !out.Result.Done() || !strings.Contains(out.Detail, compareOnly) || m.TTL("lock") != time.Hour {
				t.Errorf("%s, %v left", out.Sentence(r), m.TTL("lock"))
			}
			r = seen()
			r.Verb = VerbRelease
			if out := o.Do(t.Context(), r); !out.Result.Done() || m.Exists("lock") {
				t.Errorf("%s", out.Sentence(r))
			}
			if out := o.Do(t.Context(), r); out.Result != ResultGone {
				t.Errorf("%s", out.Sentence(r))
			}
			r = seen()
			r.Verb = VerbRelease
			_ = m.Set("lock", "another")
			m.SetTTL("lock", time.Minute)
			if out := o.Do(t.Context(), r); out.Result != ResultNotHolder || out.Holder != "another" {
				t.Errorf("%s", out.Sentence(r))
			}
			if is, _ := m.Get("lock"); is != "another" {
				t.Errorf("the lock of another is %q", is)
			}
		})
	}
}

// Where the server knows none of these commands, or denies them, the refusal names what it takes, and what every server knows.
func TestActingWithoutAnyWay(t *testing.T) {
	for _, known := range []string{"", "DENIED"} {
		m, client, see := comparingServer(t, known)
		_ = m.Set("lock", "token-of-A")
		m.SetTTL("lock", time.Minute)
		r := Request{Verb: VerbRelease, Lock: see(inspector.SchemeToken, "lock"), Owner: "token-of-A"}
		out := NewOperator(OneServer(client), Options{}).Do(t.Context(), r)
		if out.Result != ResultDenied || !strings.Contains(out.Detail, "+watch") || strings.Contains(out.Detail, "+deli") || !m.Exists("lock") {
			t.Errorf("%s", out.Sentence(r))
		}
	}
	m, client, see := comparingServer(t)
	// A hash takes more than one value to compare.
	m.HSet("hash", "A", "2")
	m.SetTTL("hash", time.Minute)
	r := Request{Verb: VerbRelease, Lock: see(inspector.SchemeReentrant, "hash"), Owner: "A"}
	if out := NewOperator(OneServer(client), Options{}).Do(t.Context(), r); out.Result != ResultDenied || !m.Exists("hash") {
		t.Errorf("%s", out.Sentence(r))
	}
}
