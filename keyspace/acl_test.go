package keyspace_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// user makes a user with these rules, and connects as that user.
func user(t testing.TB, s *redistest.Server, rules string) *keyspace.Connection {
	t.Helper()
	command := []any{"ACL", "SETUSER", "somebody", "reset", "on", ">secret"}
	for _, rule := range strings.Fields(rules) {
		command = append(command, rule)
	}
	s.Do(command...)
	return connect(t, s, func(o *keyspace.Options) { o.Username, o.Password = "somebody", "secret" })
}

func TestObserverRulesAreEnoughToObserve(t *testing.T) {
	patterns := []keyspace.Pattern{{Glob: "lock:*"}, keyspace.AnyCase("*mutex*")}
	s := redistest.Start(t)
	c := user(t, s, connect(t, s).ObserverACL(patterns, nil, nil, keyspace.Standalone))
	p, _ := watch(t, c, keyspace.ObserveOptions{Patterns: patterns, Nudge: true, PassInterval: 50 * time.Millisecond})
	st := p.reaches(t, "push", live)
	if st.Err != "" || st.FeedReason != "" {
		t.Errorf("limits: %q, %q", st.Err, st.FeedReason)
	}
	s.Do("SET", "lock:a", "1", "PX", 200)
	s.Do("HSET", "MyMutex", "field", "1")
	p.knows(t, "lock:a", "MyMutex")
	p.knows(t, "MyMutex") // lock:a has expired
	s.Do("SWAPDB", 0, 1)
	p.knows(t)
	if n := commandStat(t, s, "rejected_calls"); n != 0 {
		t.Errorf("%d commands were denied", n)
	}
}

func TestObserverMayNotWrite(t *testing.T) {
	s := redistest.Start(t)
	c := user(t, s, connect(t, s).ObserverACL([]keyspace.Pattern{{Glob: "lock:*"}}, nil, nil, keyspace.Standalone))
	s.Do("SET", "lock:a", "1")
	client := c.NewClient("writer")
	defer client.Close()
	for _, command := range [][]any{
		{"SET", "lock:a", "2"},
		{"DEL", "lock:a"},
		{"PEXPIRE", "lock:a", 1},
		{"EVAL", "return 1", 0},
		{"FLUSHALL"},
		{"CONFIG", "SET", "maxmemory", "1"},
		{"PUBLISH", "c", "m"},
		{"GETRANGE", "other", 0, 1},
	} {
		if err := client.Do(t.Context(), command...).Err(); err == nil || !strings.HasPrefix(err.Error(), "NOPERM") {
			t.Errorf("%v: %v, want NOPERM", command, err)
		}
	}
}

func TestCapabilities(t *testing.T) {
	s := redistest.Start(t)
	patterns := []keyspace.Pattern{{Glob: "lock:*"}, {Glob: "mutex:*"}}
	for _, test := range []struct {
		name, rules string
		want        map[string]keyspace.Verdict
	}{
		{"everything", "~* &* +@all", map[string]keyspace.Verdict{"scan": keyspace.Allowed, "eval": keyspace.Allowed, "client tracking": keyspace.Allowed}},
		{"little", "~lock:* ~mutex:* -@all +scan +type +info +select +ping +config|get", map[string]keyspace.Verdict{
			"scan": keyspace.Allowed, "type": keyspace.Allowed, "time": keyspace.Denied, "eval": keyspace.Denied,
			"client tracking": keyspace.Denied, "psubscribe": keyspace.Denied, "memory usage": keyspace.Denied,
		}},
		{"the first pattern", "~lock:* &* +@all -strlen", map[string]keyspace.Verdict{
			"type": keyspace.Denied, "read strings": keyspace.Denied, "read hashes": keyspace.Denied, "eval": keyspace.Allowed, "write": keyspace.Denied,
		}},
		{"no writing", "%R~* &* +@all -strlen -exec", map[string]keyspace.Verdict{
			"type": keyspace.Allowed, "read strings": keyspace.Denied, "read hashes": keyspace.Allowed, "eval": keyspace.Allowed, "write": keyspace.Denied,
		}},
		{"no transactions", "~* &* +@all -eval -exec", map[string]keyspace.Verdict{"eval": keyspace.Denied, "transactions": keyspace.Denied}},
		{"other keys", "~other:* &* +@all", map[string]keyspace.Verdict{"scan": keyspace.Allowed, "type": keyspace.Denied, "psubscribe": keyspace.Allowed}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := user(t, s, test.rules)
			all, err := c.Capabilities(t.Context(), patterns, nil, nil, keyspace.Standalone)
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range test.want {
				got, found := all.Of(name)
				if !found || got.Verdict != want {
					t.Errorf("%s: %+v, want %s", name, got, want)
				}
				if got.Verdict == keyspace.Denied && (got.Mend == "" || got.Detail == "" || got.Without == "") {
					t.Errorf("%s is denied without a word: %+v", name, got)
				}
			}
			for range 2 { // what it says would mend it, does: the commands first, for whose sake keys and channels are not told
				for _, one := range all {
					if one.Verdict == keyspace.Denied {
						var command []any
						for _, word := range strings.Fields(one.Mend) {
							command = append(command, word)
						}
						s.Do(command...)
					}
				}
				if all, err = c.Capabilities(t.Context(), patterns, nil, nil, keyspace.Standalone); err != nil {
					t.Fatal(err)
				}
			}
			for _, one := range all {
				if one.Verdict != keyspace.Allowed {
					t.Errorf("still not allowed: %+v", one)
				}
			}
		})
	}
}

func TestChannelPatternMustBeGrantedLiterally(t *testing.T) {
	s := redistest.Start(t)
	c := user(t, s, "~* &__key* +@all")
	_, err := c.Observe(t.Context(), keyspace.ObserveOptions{Patterns: []keyspace.Pattern{{Glob: "lock:*"}}, Notify: keyspace.NotifyRequire})
	if err == nil || !strings.Contains(err.Error(), "ACL SETUSER somebody &__keyspace@0__:lock:*") {
		t.Errorf("err = %v", err)
	}
}

func TestScanDeniedIsSaidAtOnce(t *testing.T) {
	s := redistest.Start(t)
	c := user(t, s, "~* &* +@all -scan")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := c.Observe(ctx, keyspace.ObserveOptions{})
	if err == nil || !strings.Contains(err.Error(), "ACL SETUSER somebody +scan") {
		t.Errorf("err = %v", err)
	}
}

// commandStat adds up one figure over all commands of INFO commandstats.
func commandStat(t testing.TB, s *redistest.Server, name string) int {
	t.Helper()
	sum := 0
	for _, field := range strings.FieldsFunc(s.Do("INFO", "commandstats").(string), func(r rune) bool { return r == ',' || r == '\r' || r == '\n' }) {
		if value, ok := strings.CutPrefix(field, name+"="); ok && value != "0" {
			t.Logf("%s in: %s", field, s.Do("INFO", "commandstats"))
			sum++
		}
	}
	return sum
}

// Where some keys may not be read, an empty picture must not look like a sound one.
func TestKeysThatMayNotBeReadAreCounted(t *testing.T) {
	s := redistest.Start(t)
	for _, key := range []string{"lock:a", "lock:b", "lock:c"} {
		s.Do("SET", key, "1")
	}
	c := user(t, s, "~lock:a &* +@all")
	p, _ := watch(t, c, keyspace.ObserveOptions{PassInterval: 50 * time.Millisecond})
	st := p.reaches(t, "two denied", func(st keyspace.Status) bool { return st.Denied == 2 })
	if !strings.Contains(st.Err, "2 of 3 keys may not be read") || !strings.Contains(st.Err, "NOPERM") {
		t.Errorf("the limit is told as %q", st.Err)
	}
	p.knows(t, "lock:a")
	s.Do("DEL", "lock:b")
	p.reaches(t, "one denied", func(st keyspace.Status) bool { return st.Denied == 1 })
	s.Do("DEL", "lock:c")
	if st := p.reaches(t, "none denied", func(st keyspace.Status) bool { return st.Denied == 0 }); st.Err != "" {
		t.Errorf("nothing is denied any more, but it says %q", st.Err)
	}
}
