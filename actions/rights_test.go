package actions

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// grant makes a user of rules as they are printed, and connects as that user.
func grant(t *testing.T, admin *redis.Client, socket, name string, rules ...string) *keyspace.Connection {
	t.Helper()
	command := []any{"ACL", "SETUSER", name, "reset", "on", ">sesame"}
	for _, rule := range rules {
		for word := range strings.FieldsSeq(rule) {
			command = append(command, word)
		}
	}
	if err := admin.Do(t.Context(), command...).Err(); err != nil {
		t.Fatalf("%v: %v", command, err)
	}
	c, err := keyspace.Connect(t.Context(), keyspace.Options{Network: "unix", Addr: socket, Username: name, Password: "sesame"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// besides describes what belongs to a record.
func besides(r keyspace.Record) (all []string) {
	for _, c := range r.Companions {
		all = append(all, fmt.Sprintf("%s is a %s of %d", c.Key, c.Type, c.Size))
	}
	return all
}

// patternsOf are those with which a user may look at a lock: its name, its beginning, and where they name it the defaults.
func patternsOf(key string) map[string][]keyspace.Pattern {
	all := map[string][]keyspace.Pattern{
		"name":      {{Glob: keyspace.Escape(key)}},
		"beginning": {{Glob: keyspace.Escape(key[:len(key)/2]) + "*"}},
	}
	if slices.ContainsFunc(inspector.DefaultPatterns(), func(p keyspace.Pattern) bool { return p.Match(key) }) {
		all["defaults"] = inspector.DefaultPatterns()
	}
	return all
}

// TestLeastRightsForEveryLock looks at the locks of all libraries with an observer's rights, and does every verb with an operator's,
// as they are printed for patterns of the user's own.
func TestLeastRightsForEveryLock(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	admin := newFixtureServerOn(t, server)
	for _, f := range fixtures {
		for kind, patterns := range patternsOf(f.key) {
			t.Run(f.name+"/"+kind, func(t *testing.T) {
				look := admin.connection.ObserverACL(patterns, inspector.BesidePatterns(patterns), inspector.Rules(nil).Announcements(), keyspace.Standalone)
				rights := RightsFor(Need{Patterns: patterns, Server: admin.connection.Server()})
				act := strings.Join(slices.Concat(rights.Keys, rights.Channels, rights.Commands), " ")
				observer := fixtureServer{nil, grant(t, admin.client, server.Socket, "observer", look)}
				operator := fixtureServer{nil, grant(t, admin.client, server.Socket, "operator", look, act)}
				observer.client, operator.client = client(t, observer.connection), client(t, operator.connection)

				admin.leave(t, f)
				want, got := admin.see(t, f), observer.see(t, f)
				if want == nil || got == nil {
					t.Fatalf("the administrator sees %v, the observer %v", want, got)
				}
				if !slices.Equal(besides(want.Observed), besides(got.Observed)) || want.Scheme != got.Scheme ||
					want.LibraryNames() != got.LibraryNames() {
					t.Errorf("the administrator sees %s %q with %q,\nthe observer %s %q with %q", want.Scheme, want.LibraryNames(), besides(want.Observed),
						got.Scheme, got.LibraryNames(), besides(got.Observed))
				}
				for _, r := range []Request{
					{Verb: VerbExtend, TTL: 10000 * time.Hour},
					{Verb: VerbRelease},
					{Verb: VerbRelease, Entries: 1},
					{Verb: VerbForceExpire},
					{Verb: VerbForceExpire, TTL: 10 * time.Millisecond},
				} {
					admin.leave(t, f)
					r.Lock, r.Force = admin.see(t, f), true
					r.Owner = r.Lock.Holders[0].Owner
					denied := observer.operator().Do(t.Context(), r)
					if denied.Result.Done() || denied.Result != ResultDenied && denied.Result != ResultUnsupported && denied.Result != ResultChanged {
						t.Errorf("%s %v by the observer: %+v", r.Verb, r.TTL, denied)
					}
					dry := r
					dry.DryRun = true
					foretold := operator.operator().Do(t.Context(), dry)
					out := operator.operator().Do(t.Context(), r)
					if out.Result == ResultDenied || out.Result == ResultFailed || out.Result == ResultUnknown {
						t.Errorf("%s %v: %+v", r.Verb, r.TTL, out)
					}
					if (foretold.Result == ResultDryRun) != out.Result.Done() || strings.Contains(foretold.Detail, "not tried") {
						t.Errorf("%s %v: foretold %+v, came %+v", r.Verb, r.TTL, foretold, out)
					}
				}
			})
		}
	}
}

func client(t *testing.T, c *keyspace.Connection) *redis.Client {
	t.Helper()
	client := c.NewClient("test")
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// TestRightsOfOthersAreNotGranted: what a pattern does not name is not in the rules, whichever library it may belong to.
func TestRightsOfOthersAreNotGranted(t *testing.T) {
	rights := RightsFor(Need{Patterns: []keyspace.Pattern{{Glob: "orders:*"}}})
	keys := strings.Join(rights.Keys, " ")
	for _, word := range []string{"SEMAPHORE", "uniquejobs", "rueidislock", "signal", "~* "} {
		if strings.Contains(keys+" ", word) {
			t.Errorf("%s has %q in it", keys, word)
		}
	}
	if slices.Contains(rights.Commands, "+lpush") {
		t.Errorf("%v has +lpush in it", rights.Commands)
	}
	cluster := RightsFor(Need{Patterns: []keyspace.Pattern{{Glob: "orders:*"}}, Topology: keyspace.Cluster, Sharded: true})
	if !slices.Contains(cluster.Commands, "+asking") || !slices.Contains(cluster.Commands, "+spublish") {
		t.Errorf("a cluster's rules are %v", cluster.Commands)
	}
}
