package actions

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
)

var errNoLook = errors.New("nobody can look")

// TestLook frees a fair lock whose queue came after it was seen: what the operator's Look says of the queue decides.
func TestLook(t *testing.T) {
	ways(t, func(t *testing.T, o *Operator, client *redis.Client) {
		looks := 0
		for name, test := range map[string]struct {
			look   func(ctx context.Context, keys ...string) ([]keyspace.Record, error)
			want   Result
			detail string
			looks  int
		}{
			"nobody looks": {nil, ResultChanged, "what belongs to it", 0},
			"it fails": {func(context.Context, ...string) ([]keyspace.Record, error) {
				return nil, errNoLook
			}, ResultFailed, errNoLook.Error(), 1},
			"it never sees the queue": {func(context.Context, ...string) ([]keyspace.Record, error) {
				return nil, nil
			}, ResultChanged, "what belongs to it", lookTries},
			"the queue is too long to be read": {func(_ context.Context, keys ...string) ([]keyspace.Record, error) {
				return []keyspace.Record{{Ref: keyspace.Ref{Key: keys[0]}, Type: keyspace.TypeList, Size: 1000, Truncated: true}}, nil
			}, ResultUnsupported, "nobody knows whom to wake", 1},
			"it sees the queue": {lookWith(client), ResultReleased, "", 1},
		} {
			client.FlushAll(t.Context())
			r := seeded(t, client, inspector.SchemeRedisson, Request{Verb: VerbRelease})
			if err := queueUp(t.Context(), client, "lock", waiting{"B", time.Hour}); err != nil {
				t.Fatal(err)
			}
			looks, o.options.Look = 0, nil
			if test.look != nil {
				o.options.Look = func(ctx context.Context, keys ...string) ([]keyspace.Record, error) {
					looks++
					return test.look(ctx, keys...)
				}
			}
			before := dump(t.Context(), t, client, "lock")
			out := o.Do(t.Context(), r)
			if out.Result != test.want || !strings.Contains(out.Detail, test.detail) || looks != test.looks {
				t.Errorf("%s: %+v after %d looks, want %s, %q after %d", name, out, looks, test.want, test.detail, test.looks)
			}
			if after := dump(t.Context(), t, client, "lock"); !out.Result.Done() && after != before {
				t.Errorf("%s: the key was changed from %q to %q", name, before, after)
			}
			if len(r.Lock.Observed.Companions) != 0 {
				t.Errorf("%s: the lock that was seen was changed", name)
			}
		}
	})
}

// TestWithContent: what is compared of a lock that is read anew stays as it was seen.
func TestWithContent(t *testing.T) {
	end := time.Now()
	seen := keyspace.Record{Type: keyspace.TypeHash, Size: 1, ExpiresAt: end, Value: keyspace.Value{Fields: []keyspace.Field{{Name: "owner", Value: "seen"}}}}
	now := seen
	now.Size, now.ExpiresAt = 2, time.Time{}
	now.Value.Fields = []keyspace.Field{{Name: "other", Value: "now"}, {Name: "owner", Value: "now"}}
	again := withContent(seen, now, "owner")
	if again.Size != 2 || again.ExpiresAt != end || again.Value.Fields[0].Value != "now" || again.Value.Fields[1].Value != "seen" {
		t.Errorf("%+v", again)
	}
	if now.Value.Fields[1].Value != "now" {
		t.Error("the record that was read is changed")
	}
	now.ExpiresAt = end.Add(time.Hour)
	if again := withContent(seen, now, "owner"); again.ExpiresAt != now.ExpiresAt {
		t.Errorf("%+v", again)
	}
	now.Type = keyspace.TypeString
	if again := withContent(seen, now, "owner"); again.Type != keyspace.TypeHash || again.Size != 1 {
		t.Errorf("%+v", again)
	}
}

// TestApart: a script does nothing where one of several commands could be denied after another was run.
func TestApart(t *testing.T) {
	client := embeddedClient(t) // which cannot be asked for rights
	r := seeded(t, client, inspector.SchemeRedisson, Request{Verb: VerbRelease})
	before := dump(t.Context(), t, client, "lock")
	_, err := byScript{}.execute(t.Context(), place{client: client}, must(makePlan(r, time.Now()))(t))
	if after := dump(t.Context(), t, client, "lock"); !errors.Is(err, errApart) || after != before {
		t.Errorf("%v, and %q became %q", err, before, after)
	}
}

// TestHolds compares as act.lua does.
func TestHolds(t *testing.T) {
	ways(t, func(t *testing.T, _ *Operator, client *redis.Client) {
		client.Set(t.Context(), "number", "-3", 0)
		client.Set(t.Context(), "text", "a\x00b", 0)
		for _, test := range []struct {
			key      string
			compared comparison
			want     string
			holds    bool
		}{
			{"number", equal, "-3", true},
			{"number", equal, "-3.0", false},
			{"number", equal, "", false},
			{"number", atMost, "-3", true},
			{"number", atMost, "-4", false},
			{"number", atLeast, "-3", true},
			{"number", atLeast, "0", false},
			{"number", present, "", true},
			{"number", absent, "", false},
			{"text", equal, "a\x00b", true},
			{"text", equal, "a", false},
			{"text", atMost, "9", false},
			{"text", atLeast, "0", false},
			{"none", equal, "", false},
			{"none", atMost, "9", false},
			{"none", atLeast, "-9", false},
			{"none", present, "", false},
			{"none", absent, "", true},
		} {
			p := plan{keys: []string{test.key}, facts: []fact{{[]string{"GET", test.key}, test.compared, test.want, changed("said")}}}
			asked := must(p.ask(t.Context(), place{client: client}, client))(t)
			scripted := must(byScript{}.execute(t.Context(), place{client: client}, p))(t)
			if asked != scripted || (asked.code == codeDone) != test.holds {
				t.Errorf("%s %s %q: asked %+v, by script %+v, want %v", test.key, test.compared, test.want, asked, scripted, test.holds)
			}
		}
	})
}
