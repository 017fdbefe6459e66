package actions

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

const fieldOwner = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42"

// timedHash is a lock in a hash whose holder's field has a TTL, and the key one or none (0).
func timedHash(field, key time.Duration) fixture {
	return fixture{key: "lock:h", setup: func(time.Time) [][]any {
		commands := [][]any{
			{"HSET", "lock:h", fieldOwner, "2"}, {"HPEXPIRE", "lock:h", field.Milliseconds(), "FIELDS", 1, fieldOwner},
		}
		if key > 0 {
			commands = append(commands, []any{"PEXPIRE", "lock:h", key.Milliseconds()})
		}
		return commands
	}}
}

// onFieldTTLs runs a test with an operator that may use scripts and with one that may not, where
// the server has TTLs of fields. Elsewhere no plan for a hash may name a command that such a server
// lacks.
func onFieldTTLs(t *testing.T, test func(t *testing.T, s fixtureServer)) {
	t.Helper()
	server := redistest.Start(t)
	if !server.HasFieldTTLs() {
		onlyKnownCommands(t, newFixtureServerOn(t, server))
		return
	}
	server.Do("ACL", "SETUSER", "watcher", "on", "nopass", "~*", "&*", "+@all", "-eval", "-evalsha")
	for way, user := range map[string]string{"script": "", "watch": "watcher"} {
		t.Run(way, func(t *testing.T) {
			s := newFixtureServerOn(t, server)
			s.client = server.Client(func(o *redis.Options) {
				if o.Username = user; user != "" {
					o.Password = "any"
				}
			})
			test(t, s)
		})
	}
}

// onlyKnownCommands acts on a hash of a server without TTLs of fields.
func onlyKnownCommands(t *testing.T, s fixtureServer) {
	t.Helper()
	f := fixture{key: "lock:h", setup: func(time.Time) [][]any {
		return [][]any{{"HSET", "lock:h", fieldOwner, "2"}, {"PEXPIRE", "lock:h", 60_000}}
	}}
	for _, r := range []Request{{Verb: VerbExtend, TTL: time.Hour}, {Verb: VerbRelease, Entries: 1}, {Verb: VerbForceExpire, TTL: time.Second}, {Verb: VerbRelease}} {
		s.leave(t, f)
		r.Lock, r.Owner = s.see(t, f), fieldOwner
		if out := s.operator().Do(t.Context(), r); !out.Result.Done() {
			t.Errorf("%s: %s", r.Verb, out.Sentence(r))
		}
	}
}

// leaseAt is what the lease has left on the server: the earlier of the ends of the key and the
// field.
func leaseAt(t *testing.T, s fixtureServer) time.Duration {
	t.Helper()
	key := must(s.client.Do(t.Context(), "PTTL", "lock:h").Int64())(t)
	fields := must(s.client.Do(t.Context(), "HPTTL", "lock:h", "FIELDS", 1, fieldOwner).Int64Slice())(t)
	left := fields[0]
	if left < 0 || key >= 0 && key < left {
		left = key
	}
	return time.Duration(left) * time.Millisecond
}

// An extension moves both ends, so that the lease lasts as long as the outcome says.
func TestExtendsTheFieldAndTheKey(t *testing.T) {
	onFieldTTLs(t, func(t *testing.T, s fixtureServer) {
		for name, test := range map[string]struct {
			field, key time.Duration
			keyAfter   time.Duration // about; 0: none
		}{
			"the field alone":       {3 * time.Second, 0, 0},
			"the field ends sooner": {3 * time.Second, 30 * time.Second, 2 * time.Minute},
			"the key ends sooner":   {30 * time.Second, 3 * time.Second, 2 * time.Minute},
			"the key ends later":    {3 * time.Second, time.Hour, time.Hour},
		} {
			f := timedHash(test.field, test.key)
			s.leave(t, f)
			r := Request{Verb: VerbExtend, Lock: s.see(t, f), Owner: fieldOwner, TTL: 2 * time.Minute}
			dry := r
			dry.DryRun = true
			if out := s.operator().Do(t.Context(), dry); out.Result != ResultDryRun || leaseAt(t, s) > 3*time.Second {
				t.Errorf("%s, dry run: %s", name, out.Sentence(dry))
			}
			out := s.operator().Do(t.Context(), r)
			if left := leaseAt(t, s); out.Result != ResultExtended || left > out.TTL || left < out.TTL-10*time.Second {
				t.Errorf("%s: %s, and %v are left", name, out.Sentence(r), left)
			}
			key := s.client.PTTL(t.Context(), f.key).Val()
			if test.keyAfter == 0 && key != -1 || test.keyAfter > 0 && (key-test.keyAfter).Abs() > 10*time.Second {
				t.Errorf("%s: the key has %v left, want about %v", name, key, test.keyAfter)
			}
		}
	})
}

func TestAFieldIsNeverShortened(t *testing.T) {
	onFieldTTLs(t, func(t *testing.T, s fixtureServer) {
		f := timedHash(time.Minute, 0)
		s.leave(t, f)
		r := Request{Verb: VerbExtend, Lock: s.see(t, f), Owner: fieldOwner, TTL: 10 * time.Second}
		out := s.operator().Do(t.Context(), r)
		if left := leaseAt(t, s); out.Result != ResultChanged || !strings.Contains(out.Detail, "never shortens") || left < 50*time.Second {
			t.Errorf("%s; %v are left", out.Sentence(r), left)
		}
		r = Request{Verb: VerbForceExpire, Lock: s.see(t, f), Owner: fieldOwner, TTL: 2 * time.Minute}
		if out := s.operator().Do(t.Context(), r); out.Result != ResultChanged || !strings.Contains(out.Detail, "ends sooner") || leaseAt(t, s) > time.Minute {
			t.Errorf("a force-expiry that would lengthen it: %s", out.Sentence(r))
		}
	})
}

// The end of the field is the mark of the hold: nothing is done to the next one, and the key's end
// may move.
func TestTheFieldIsTheHold(t *testing.T) {
	onFieldTTLs(t, func(t *testing.T, s fixtureServer) {
		for name, test := range map[string]struct {
			meanwhile []any
			want      Result
		}{
			"nothing":                {nil, ResultReleased},
			"the key's end is moved": {[]any{"PEXPIRE", "lock:h", 45_000}, ResultReleased},
			"the field's is":         {[]any{"HPEXPIRE", "lock:h", 45_000, "FIELDS", 1, fieldOwner}, ResultChanged},
			"it has none any more":   {[]any{"HPERSIST", "lock:h", "FIELDS", 1, fieldOwner}, ResultChanged},
			"it is written again":    {[]any{"HSET", "lock:h", fieldOwner, "2"}, ResultChanged},
		} {
			for _, verb := range []Verb{VerbRelease, VerbForceExpire} {
				f := timedHash(time.Minute, 30*time.Second)
				s.leave(t, f)
				r := Request{Verb: verb, Lock: s.see(t, f), Owner: fieldOwner}
				if test.meanwhile != nil {
					if err := s.client.Do(t.Context(), test.meanwhile...).Err(); err != nil {
						t.Fatal(err)
					}
				}
				out := s.operator().Do(t.Context(), r)
				want := test.want
				if want == ResultReleased && verb == VerbForceExpire {
					want = ResultExpired
				}
				if gone := s.client.Exists(t.Context(), f.key).Val() == 0; out.Result != want || gone != want.Done() {
					t.Errorf("%s, %s: %s; gone: %v", name, verb, out.Sentence(r), gone)
				}
			}
		}
	})
}

func TestForceExpiresAFieldSoon(t *testing.T) {
	onFieldTTLs(t, func(t *testing.T, s fixtureServer) {
		for _, key := range []time.Duration{0, time.Hour} {
			f := timedHash(time.Minute, key)
			s.leave(t, f)
			r := Request{Verb: VerbForceExpire, Lock: s.see(t, f), Owner: fieldOwner, TTL: 5 * time.Second}
			out := s.operator().Do(t.Context(), r)
			if left := leaseAt(t, s); out.Result != ResultExpired || left > 5*time.Second || left < 0 {
				t.Errorf("%s; %v are left", out.Sentence(r), left)
			}
		}
	})
}

// An entry that is released leaves the lease as it was: that of the field.
func TestAnEntryLeavesTheFieldsLease(t *testing.T) {
	onFieldTTLs(t, func(t *testing.T, s fixtureServer) {
		f := timedHash(time.Minute, 0)
		s.leave(t, f)
		r := Request{Verb: VerbRelease, Entries: 1, Lock: s.see(t, f), Owner: fieldOwner}
		out := s.operator().Do(t.Context(), r)
		if left := leaseAt(t, s); out.Result != ResultEntryReleased || (left-out.TTL).Abs() > 5*time.Second || left < 50*time.Second {
			t.Errorf("%s, with %v left; the server says %v", out.Sentence(r), out.TTL, left)
		}
	})
}

// What a plan sends where a TTL of a field was seen, and that it sends nothing of the kind
// elsewhere.
func TestPlansWithFieldTTLs(t *testing.T) {
	now := time.Now()
	lock := sampleHashes(inspector.SchemeReentrant, "lock:h")[0]
	names := func(r Request) (asked, done []string) {
		r.Lock, r.Owner = lock, lock.Holders[0].Owner
		p, err := makePlan(r, now)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range p.facts {
			asked = append(asked, f.ask[0])
		}
		for _, command := range p.commands {
			done = append(done, command[0])
		}
		return asked, done
	}
	extend := Request{Verb: VerbExtend, TTL: farAhead}
	if asked, done := names(extend); slices.Contains(asked, "HPTTL") || !slices.Equal(done, []string{"PEXPIRE"}) {
		t.Errorf("without a TTL of the field: asks %v, does %v", asked, done)
	}
	lock = withFieldTTL(lock)
	asked, done := names(extend)
	if !slices.Contains(asked, "HPEXPIRETIME") || !slices.Equal(done, []string{"PEXPIRE", "HPEXPIRE"}) {
		t.Errorf("asks %v, does %v", asked, done)
	}
	if asked, _ = names(Request{Verb: VerbRelease}); !slices.Contains(asked, "HPEXPIRETIME") || slices.Contains(asked, "PEXPIRETIME") {
		t.Errorf("a release asks %v: the end of the field is that of the hold", asked)
	}
	lock.Observed.Value.Fields[0].ExpireTime = 0 // read by what is left
	if asked, _ = names(Request{Verb: VerbRelease}); slices.Contains(asked, "HPEXPIRETIME") || !slices.Contains(asked, "HPTTL") {
		t.Errorf("without the instant a release asks %v", asked)
	}
	lock.Observed.ExpiresAt, lock.Observed.ExpireTime = time.Time{}, 0
	if _, done = names(extend); !slices.Equal(done, []string{"HPEXPIRE"}) {
		t.Errorf("the key has no TTL and gets none: does %v", done)
	}
}

// The rights that check names have the commands for fields where the server knows them.
func TestRightsForFieldTTLs(t *testing.T) {
	for version, want := range map[string]bool{"7.0.15": false, "8.0.2": true} {
		need := Need{Patterns: []keyspace.Pattern{{Glob: "lock:*"}}, Server: keyspace.Server{Software: "redis", Version: version}}
		commands := RightsFor(need).Commands
		for _, rule := range []string{"+hpexpire", "+hpexpiretime", "+hpttl"} {
			if slices.Contains(commands, rule) != want {
				t.Errorf("redis %s: %s in %v, want %v", version, rule, commands, want)
			}
		}
	}
}

// TestExtendWithUnreadFieldTTL says that a lease may end sooner than the extended key, where nobody may read the TTLs of fields.
func TestExtendWithUnreadFieldTTL(t *testing.T) {
	lock := sample(inspector.SchemeReentrant, "lock", inspector.Holder{Owner: "A", Count: inspector.Count{N: 1, Known: true}})
	lock.Observed.Type, lock.Observed.Size = keyspace.TypeHash, 1
	lock.Observed.Value.Fields = []keyspace.Field{{Name: "A", Value: "1"}}
	lock.Observed.ExpiresAt = time.Now().Add(time.Minute)
	lock.ExpiresAt = lock.Observed.ExpiresAt
	for _, unread := range []bool{false, true} {
		lock.Observed.FieldTTLsUnread = unread
		r := Request{Verb: VerbExtend, Lock: lock, Owner: "A", TTL: time.Hour}
		said := must(makePlan(r, time.Now()))(t).done.Sentence(r) + Consequence(r)
		if strings.Contains(said, "could not be read, and is as it was") != unread || strings.Contains(said, "at most ") != unread || lock.EndAtMost() != unread {
			t.Errorf("unread %v: %s", unread, said)
		}
	}
}
