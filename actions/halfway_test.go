package actions

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace/redistest"
)

// inFull is all that is in the keys of a lock, to the millisecond of its end.
func inFull(t *testing.T, client *redis.Client, key string) string {
	t.Helper()
	ends := must(client.PExpireTime(t.Context(), key).Result())(t)
	return dump(t.Context(), t, client, key) + " until " + ends.String()
}

// TestNothingHalfDone denies a user one command after the other: an action that is refused for it has changed nothing.
func TestNothingHalfDone(t *testing.T) {
	server := redistest.Start(t)
	admin := server.Client()
	denials := 0
	for _, v := range variants() {
		for name, request := range verbRequests(v.scheme) {
			admin.FlushAll(t.Context())
			for _, command := range must(makePlan(v.seeded(t, admin, request), time.Now()))(t).commandRules() {
				command, _ = strings.CutPrefix(command, "+")
				for _, watch := range []bool{false, true} {
					admin.FlushAll(t.Context())
					server.Do("ACL", "SETUSER", "without", "reset", "on", ">x", "~*", "&*", "+@all", "-"+command)
					r := v.seeded(t, admin, request)
					before := inFull(t, admin, "lock")
					o := NewOperator(OneServer(server.Client(asUser("without"))), Options{})
					o.scriptsDenied.Store(watch)
					out := o.Do(t.Context(), r)
					if out.Result.Done() {
						continue // it took another path
					}
					denials++
					if after := inFull(t, admin, "lock"); out.Result != ResultDenied || after != before {
						t.Errorf("%s %s without %s, watch %v: %+v, and %q became %q", v.name, name, command, watch, out, before, after)
					}
				}
			}
		}
	}
	if denials < 100 {
		t.Errorf("only %d actions were denied", denials)
	}
}

// TestLockerNothingHalfDone does the same to the clients that have locks of their own.
func TestLockerNothingHalfDone(t *testing.T) {
	server := redistest.Start(t)
	ctx, admin := t.Context(), server.Client()
	denials := 0
	for _, command := range []string{"pexpire", "hincrby", "set", "del", "publish"} {
		server.Do("ACL", "SETUSER", "without", "reset", "on", ">x", "~*", "&*", "+@all", "-"+command)
		l := NewLocker(server.Client(asUser("without")))
		for name, do := range map[string]func(key string) error{
			"enter": func(key string) error {
				_, err := l.AcquireReentrant(ctx, key, "A", time.Hour)
				return err
			},
			"extend": func(key string) error {
				_, err := l.ExtendReentrant(ctx, key, "A", time.Hour)
				return err
			},
			"leave": func(key string) error {
				_, err := l.ReleaseRedisson(ctx, key, "A", time.Hour)
				return err
			},
			"enter fair": func(key string) error {
				_, _, err := l.AcquireRedissonFair(ctx, key, "A", time.Hour, 0)
				return err
			},
			"leave fair": func(key string) error {
				_, err := l.ReleaseRedissonFair(ctx, key, "A", time.Hour)
				return err
			},
			"extend timestamp": func(key string) error {
				_, _, err := l.ExtendTimestamp(ctx, key, "A", time.Hour)
				return err
			},
		} {
			for _, held := range []string{"", "A=1", "A=2", "string"} {
				admin.FlushAll(ctx)
				if name == "leave fair" {
					if err := queueUp(ctx, admin, "lock", waiting{"B", time.Hour}); err != nil {
						t.Fatal(err)
					}
				}
				switch count, isHash := strings.CutPrefix(held, "A="); {
				case isHash:
					admin.HSet(ctx, "lock", "A", count)
					admin.PExpire(ctx, "lock", time.Minute)
				case held != "":
					admin.Set(ctx, "lock", "A", time.Minute)
				}
				before := inFull(t, admin, "lock")
				if err := do("lock"); err == nil {
					continue // it needs no such command
				}
				denials++
				if after := inFull(t, admin, "lock"); after != before {
					t.Errorf("%s over %q without %s: %q became %q", name, held, command, before, after)
				}
			}
		}
	}
	if denials < 10 {
		t.Errorf("only %d were denied", denials)
	}
}

// everything is each key of the database with its value and the end of its lease.
func everything(t *testing.T, s fixtureServer) string {
	t.Helper()
	var all strings.Builder
	for _, key := range s.keys(t.Context()) {
		value := must(s.client.Dump(t.Context(), key).Result())(t)
		fmt.Fprintf(&all, "%s %q until %v\n", key, value, s.client.PExpireTime(t.Context(), key).Val())
	}
	return all.String()
}

// TestNothingHalfDoneBesideAWrongType puts a key of another type into the place of each companion of each library: an action
// that cannot write to it changes nothing.
func TestNothingHalfDoneBesideAWrongType(t *testing.T) {
	s := newFixtureServer(t)
	refused := 0
	for _, f := range fixtures {
		for _, r := range []Request{{Verb: VerbRelease}, {Verb: VerbRelease, Entries: 1}, {Verb: VerbExtend, TTL: 48 * time.Hour}, {Verb: VerbForceExpire}} {
			s.leave(t, f)
			r.Lock, r.Force = s.see(t, f), true
			r.Owner = r.Lock.Holders[0].Owner
			p, err := makePlan(r, time.Now())
			if err != nil {
				continue
			}
			for _, companion := range p.keys[1:] {
				for _, watch := range []bool{false, true} {
					s.leave(t, f)
					s.client.Del(t.Context(), companion)
					s.client.SetBit(t.Context(), companion, 1, 1)
					if r.Lock = s.see(t, f); r.Lock == nil {
						continue
					}
					before := everything(t, s)
					o := s.operator()
					o.scriptsDenied.Store(watch)
					out := o.Do(t.Context(), r)
					if out.Result.Done() {
						continue // it writes nothing there, or deletes the key
					}
					refused++
					if after := everything(t, s); !out.Result.Refused() || after != before {
						t.Errorf("%s, %s, %q a string, watch %v: %s\nbefore\n%safter\n%s", f.name, r.Verb, companion, watch, out.Sentence(r), before, after)
					}
				}
			}
		}
	}
	if refused < 30 {
		t.Errorf("only %d actions were refused", refused)
	}
}

// TestPartlyDone has a command fail after another one, as it does when a server runs out of memory in between.
func TestPartlyDone(t *testing.T) {
	s := newFixtureServer(t)
	s.client.Set(t.Context(), "lock", "A", time.Hour)
	s.client.Set(t.Context(), "list", "x", 0)
	r := Request{Verb: VerbRelease, Lock: observe(t.Context(), t, s.client, inspector.SchemeToken, "lock"), Owner: "A"}
	p := must(makePlan(r, time.Now()))(t)
	p.keys = append(p.keys, "list")
	p.do("LPUSH", "list", "1")
	at := place{client: s.client}
	a, err := byScript{}.execute(t.Context(), at, p)
	if err != nil {
		t.Fatal(err)
	}
	out := outcomeOf(a, p)
	said := out.Sentence(r)
	if out.Result != ResultPartly || !strings.Contains(said, "DEL lock done, then LPUSH list failed: WRONGTYPE") || s.client.Exists(t.Context(), "lock").Val() != 0 {
		t.Errorf("%s: %s", out.Result, said)
	}
	p.commands = [][]string{{"LPUSH", "list", "1"}, {"DEL", "list"}}
	p.facts = nil
	if a, err := (byScript{}).execute(t.Context(), at, p); err == nil || !strings.Contains(err.Error(), "WRONGTYPE") || s.client.Exists(t.Context(), "list").Val() != 1 {
		t.Errorf("the first command fails: %+v, %v", a, err)
	}
}
