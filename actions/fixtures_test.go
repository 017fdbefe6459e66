package actions

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// fixture is a lock as a library leaves it on a server, byte for byte, and what locktop makes of it.
type fixture struct {
	name  string   // the library, and the version whose bytes these are
	rules []string // GLOB=SCHEME, where evidence cannot tell
	key   string
	// setup are the commands that leave it, at a time.
	setup func(now time.Time) [][]any

	scheme  inspector.Scheme
	mode    inspector.Mode
	library string   // Lock.LibraryNames; empty: not looked at
	labels  []string // of the holders
	waiters inspector.Waiters
	// left are the keys that are there after every holder was released, in any order; nil: none.
	left []string
	// passing are keys that a release leaves for a moment: they may be there, or be over already.
	passing []string
	// counted: a number is all that is kept, so that a release leaves the lock as it was, but for the number.
	counted bool
	// force: the action is discouraged, and needs Request.Force.
	force bool
}

// fixtures are those of all families; each family adds its own.
var fixtures []fixture

// fixtureServer is a server with a connection that reads as locktop does.
type fixtureServer struct {
	client     *redis.Client
	connection *keyspace.Connection
}

func newFixtureServer(t testing.TB) fixtureServer {
	t.Helper()
	return newFixtureServerOn(t, redistest.Start(t))
}

func newFixtureServerOn(t testing.TB, s *redistest.Server) fixtureServer {
	t.Helper()
	return fixtureServer{s.Client(), newFixtureConnection(t, s.Socket)}
}

func newFixtureConnection(t testing.TB, socket string) *keyspace.Connection {
	t.Helper()
	connection, err := keyspace.Connect(t.Context(), keyspace.Options{Network: "unix", Addr: socket})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}

// leave puts the lock on the empty server.
func (s fixtureServer) leave(t testing.TB, f fixture) {
	t.Helper()
	s.client.FlushAll(t.Context())
	for _, command := range f.setup(time.Now()) {
		if err := s.client.Do(t.Context(), command...).Err(); err != nil {
			t.Fatalf("%v: %v", command, err)
		}
	}
}

// see reads the lock as locktop does; nil where there is none.
func (s fixtureServer) see(t testing.TB, f fixture) *inspector.Lock {
	t.Helper()
	var rules inspector.Rules
	for _, text := range f.rules {
		rule, err := inspector.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, rule)
	}
	records, err := s.connection.ReadWith(t.Context(), rules, f.key)
	if err != nil {
		t.Fatal(err)
	}
	lock, is := rules.Inspect(records[0], time.Now())
	if !is {
		return nil
	}
	return lock
}

func (s fixtureServer) operator() *Operator {
	return NewOperator(OneServer(s.client), Options{Look: s.connection.Read})
}

// keys are those that are there, in order.
func (s fixtureServer) keys(ctx context.Context) []string {
	keys := s.client.Keys(ctx, "*").Val()
	slices.Sort(keys)
	return keys
}

func labelsOf(lock *inspector.Lock) []string {
	var labels []string
	for _, h := range lock.Holders {
		labels = append(labels, h.Label)
	}
	return labels
}

// TestFixtures recognises every lock, and releases its holders one after the other.
func TestFixtures(t *testing.T) {
	s := newFixtureServer(t)
	for _, f := range fixtures {
		t.Run(f.name, func(t *testing.T) {
			s.leave(t, f)
			lock := s.see(t, f)
			if lock == nil {
				t.Fatalf("%q is taken for no lock", f.key)
			}
			if f.waiters.By == "" {
				f.waiters.By = inspector.WaitersNone
			}
			if lock.Scheme != f.scheme || lock.Mode != f.mode || lock.Waiters != f.waiters || !slices.Equal(labelsOf(lock), f.labels) {
				t.Fatalf("%s, %s, %+v, holders %q; want %s, %s, %+v, %q", lock.Scheme, lock.Mode, lock.Waiters, labelsOf(lock),
					f.scheme, f.mode, f.waiters, f.labels)
			}
			if got := lock.LibraryNames(); f.library != "" && got != f.library {
				t.Errorf("library %q, want %q", got, f.library)
			}
			if recipe, _ := RecipeFor(f.scheme); recipe.Refused[VerbRelease] != "" {
				return // TestFixturesByOtherVerbs does what there is
			}
			stranger := Request{Verb: VerbRelease, Lock: lock, Owner: "nobody at all", Force: f.force}
			if out := s.operator().Do(t.Context(), stranger); out.Result != ResultNotHolder {
				t.Errorf("a stranger: %s", out.Sentence(stranger))
			}
			for n := len(lock.Holders); n > 0; n-- {
				r := Request{Verb: VerbRelease, Lock: lock, Owner: lock.Holders[0].Owner, Force: f.force}
				if line := RedisCLI(r); line == "" {
					t.Errorf("no command line for %+v", r)
				}
				out := s.operator().Do(t.Context(), r)
				if !out.Result.Done() {
					t.Fatalf("%s (%v)", out.Sentence(r), out.Err)
				}
				if again := s.operator().Do(t.Context(), r); again.Result.Done() {
					t.Errorf("released twice: %s", again.Sentence(r))
				}
				if f.counted {
					break
				}
				if lock = s.see(t, f); lock == nil {
					if n > 1 {
						t.Fatalf("with one of %d holders the whole lock went", n)
					}
					break
				}
				if len(lock.Holders) != n-1 {
					t.Fatalf("%d holders are left of %d: %q", len(lock.Holders), n, labelsOf(lock))
				}
			}
			got := slices.DeleteFunc(s.keys(t.Context()), func(key string) bool { return slices.Contains(f.passing, key) })
			if !slices.Equal(got, f.left) {
				t.Errorf("keys left: %q, want %q", got, f.left)
			}
		})
	}
}

// TestFixturesByOtherVerbs extends and force-expires every lock, by script and by WATCH, and refuses what was seen before it changed.
func TestFixturesByOtherVerbs(t *testing.T) {
	s := newFixtureServer(t)
	for _, f := range fixtures {
		for _, r := range []Request{{Verb: VerbExtend, TTL: 48 * time.Hour}, {Verb: VerbForceExpire}, {Verb: VerbForceExpire, TTL: 500 * time.Millisecond}} {
			for _, watch := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s %v, watch %v", f.name, r.Verb, r.TTL, watch), func(t *testing.T) {
					s.leave(t, f)
					r := r
					if r.Lock = s.see(t, f); r.Lock == nil {
						t.Fatalf("%q is taken for no lock", f.key)
					}
					r.Owner, r.Force = r.Lock.Holders[0].Owner, f.force
					o := s.operator()
					o.scriptsDenied.Store(watch)
					dry := r
					dry.DryRun = true
					foretold := o.Do(t.Context(), dry)
					out := o.Do(t.Context(), r)
					switch {
					case out.Result == ResultUnsupported && out.Detail != "" && foretold.Result == ResultUnsupported:
						return
					case !out.Result.Done() || foretold.Result != ResultDryRun:
						t.Fatalf("%s (%v); foretold: %s", out.Sentence(r), out.Err, foretold.Sentence(dry))
					}
					after := s.see(t, f)
					switch {
					case r.Verb == VerbForceExpire && r.TTL == 0:
						if after != nil {
							t.Errorf("still held by %q", labelsOf(after))
						}
						if out := o.Do(t.Context(), r); out.Result.Done() {
							t.Errorf("again: %s", out.Sentence(r))
						}
					case after == nil:
						t.Error("it is gone")
					default:
						left, ends := after.TTLAt(time.Now())
						at := slices.IndexFunc(after.Holders, func(h inspector.Holder) bool { return h.Owner == r.Owner })
						if at < 0 {
							t.Fatalf("%q is no holder any more", r.Owner)
						}
						if end := after.Holders[at].ExpiresAt; !end.IsZero() {
							left, ends = time.Until(end), true
						}
						if !ends || (left > r.TTL+time.Second) || r.Verb == VerbExtend && left < r.TTL-time.Minute {
							t.Errorf("%v left (%v)", left, ends)
						}
					}
				})
			}
		}
	}
}
