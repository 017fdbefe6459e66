package actions

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
)

// meddling is what happens between the look and the action, and what the action must answer to it.
type meddling struct {
	name    string
	schemes []inspector.Scheme // empty: all
	verbs   []Verb             // empty: all
	stuck   bool               // the lock had no TTL when it was seen
	before  bool               // it happens before the look
	meddle  func(ctx context.Context, c *redis.Client, key string) error
	want    Result
	holder  string // who has it now, or the beginning of it
	detail  string // what the detail must contain
}

// observedHolder stands for the holder who was seen.
const observedHolder = "the one who was seen"

var (
	inStrings = []inspector.Scheme{inspector.SchemeToken, inspector.SchemeSetNX, inspector.SchemeTimestamp}
	inHashes  = []inspector.Scheme{inspector.SchemeReentrant, inspector.SchemeRedisson}
	leased    = []inspector.Scheme{inspector.SchemeToken, inspector.SchemeReentrant, inspector.SchemeRedisson}
	endless   = []inspector.Scheme{inspector.SchemeSetNX, inspector.SchemeTimestamp}
)

var meddlings = []meddling{
	{name: "released", want: ResultGone, meddle: func(ctx context.Context, c *redis.Client, key string) error {
		return c.Del(ctx, key).Err()
	}},
	{name: "expired midway", want: ResultGone, meddle: func(ctx context.Context, c *redis.Client, key string) error {
		return c.PExpireAt(ctx, key, time.Now().Add(-time.Hour)).Err() // the clock of miniredis stands
	}},
	{name: "another token", schemes: inStrings, want: ResultNotHolder, holder: "B", meddle: set("B")},
	{name: "a token that begins alike", schemes: inStrings[:2], want: ResultNotHolder, holder: "AB", meddle: set("AB")},
	{name: "an empty value", schemes: inStrings, want: ResultNotHolder, holder: "", meddle: set("")},
	{name: "a huge value", schemes: inStrings, want: ResultNotHolder, holder: strings.Repeat("B", 512), meddle: set(strings.Repeat("B", 1<<20))},
	{name: "the same id, a later end", schemes: inStrings[2:], want: ResultChanged, holder: "A:2000000000000", detail: "another end", meddle: set("A:2000000000000")},
	{name: "another id", schemes: inStrings[2:], want: ResultNotHolder, holder: "B:2000000000000", meddle: set("B:2000000000000")},
	{name: "another field", schemes: inHashes, want: ResultNotHolder, holder: "B", meddle: func(ctx context.Context, c *redis.Client, key string) error {
		return replaceHash(ctx, c, key, "B", "7")
	}},
	{name: "entered once more", schemes: inHashes, want: ResultChanged, holder: "A", detail: "is 3 now, and was 2", meddle: func(ctx context.Context, c *redis.Client, key string) error {
		return c.HIncrBy(ctx, key, "A", 1).Err()
	}},
	{name: "a count that is no number", schemes: inHashes, want: ResultChanged, holder: "A", detail: "is x now, and was 2", meddle: func(ctx context.Context, c *redis.Client, key string) error {
		return c.HSet(ctx, key, "A", "x").Err()
	}},
	{name: "a second field", schemes: inHashes, want: ResultChanged, holder: "A", detail: "fields", meddle: func(ctx context.Context, c *redis.Client, key string) error {
		return c.HSet(ctx, key, "B", "1").Err()
	}},
	{name: "a string where a hash was", schemes: inHashes, want: ResultChanged, detail: "holds a string now", meddle: set("A")},
	{name: "a hash where a string was", schemes: inStrings, want: ResultChanged, detail: "holds a hash now", meddle: func(ctx context.Context, c *redis.Client, key string) error {
		return replaceHash(ctx, c, key, "A", "2")
	}},
	{name: "a list", want: ResultChanged, detail: "holds a list now", meddle: func(ctx context.Context, c *redis.Client, key string) error {
		_, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
			p.Del(ctx, key)
			p.RPush(ctx, key, "A")
			return nil
		})
		return err
	}},
	{name: "the lease was lost", holder: observedHolder, schemes: leased, want: ResultChanged, detail: "no TTL any more", meddle: func(ctx context.Context, c *redis.Client, key string) error {
		return c.Persist(ctx, key).Err()
	}},
	{name: "a lease was given", holder: observedHolder, schemes: endless, want: ResultChanged, detail: "it has a lease now", meddle: func(ctx context.Context, c *redis.Client, key string) error {
		return c.PExpire(ctx, key, time.Hour).Err()
	}},
	{name: "a lease was given to a stuck lock", holder: observedHolder, schemes: leased, verbs: []Verb{VerbRelease}, stuck: true, want: ResultChanged, detail: "it has a lease now", meddle: expire(time.Hour)},
	{name: "a lease that an extension would shorten", before: true, holder: observedHolder, schemes: leased, verbs: []Verb{VerbExtend}, want: ResultChanged, detail: "never shortens", meddle: expire(time.Hour)},
	{name: "a lease that a force-expiry would lengthen", before: true, holder: observedHolder, schemes: leased, verbs: []Verb{VerbForceExpire}, want: ResultChanged, detail: "ends sooner", meddle: expire(3 * time.Second)},
	{name: "a later end", holder: observedHolder, schemes: leased, want: ResultChanged, detail: "renewed, or released and acquired again", meddle: expire(time.Hour)},
	{name: "an end that is a moment later", holder: observedHolder, schemes: leased, want: ResultChanged, detail: "renewed, or released and acquired again", meddle: expire(time.Minute + 60*time.Millisecond)},
	{name: "an earlier end", holder: observedHolder, schemes: leased, want: ResultChanged, detail: "renewed, or released and acquired again", meddle: expire(30 * time.Second)},
	{name: "acquired again with the same bytes", holder: observedHolder, schemes: leased, want: ResultChanged, detail: "renewed, or released and acquired again", meddle: acquireAgain},
}

func set(value string) func(ctx context.Context, c *redis.Client, key string) error {
	return func(ctx context.Context, c *redis.Client, key string) error {
		// The lease stays as it is, so that it is the value alone that gives the change away.
		return c.SetArgs(ctx, key, value, redis.SetArgs{KeepTTL: true}).Err()
	}
}

func expire(ttl time.Duration) func(ctx context.Context, c *redis.Client, key string) error {
	return func(ctx context.Context, c *redis.Client, key string) error { return c.PExpire(ctx, key, ttl).Err() }
}

// acquireAgain is another hold of the same bytes: the key is deleted, and written as it was with a lease of 100 s.
func acquireAgain(ctx context.Context, c *redis.Client, key string) error {
	text, fields := c.Get(ctx, key).Val(), c.HGetAll(ctx, key).Val() // the one of the other type fails
	_, err := c.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Del(ctx, key)
		if len(fields) > 0 {
			p.HSet(ctx, key, fields)
		} else {
			p.Set(ctx, key, text, 0)
		}
		p.PExpire(ctx, key, 100*time.Second)
		return nil
	})
	return err
}

func replaceHash(ctx context.Context, c *redis.Client, key, field, value string) error {
	_, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.Del(ctx, key)
		p.HSet(ctx, key, field, value)
		p.PExpire(ctx, key, time.Minute)
		return nil
	})
	return err
}

// verbRequests are what each verb is asked to do: in each way that is a path of its own.
func verbRequests(scheme inspector.Scheme) map[string]Request {
	requests := map[string]Request{
		"extend":       {Verb: VerbExtend, TTL: 2 * time.Minute},
		"release":      {Verb: VerbRelease},
		"force-expire": {Verb: VerbForceExpire},
		"expire soon":  {Verb: VerbForceExpire, TTL: 5 * time.Second},
	}
	if recipe, _ := RecipeFor(scheme); recipe.Type == keyspace.TypeHash {
		requests["release an entry"] = Request{Verb: VerbRelease, Entries: 1}
		requests["release both entries"] = Request{Verb: VerbRelease, Entries: 2}
	}
	if scheme == inspector.SchemeSetNX { // it has no TTL that could be extended
		delete(requests, "extend")
	}
	return requests
}

// TestGuards changes every lock in every way between the look and the action, and wants it left as it then is.
func TestGuards(t *testing.T) {
	ways(t, func(t *testing.T, o *Operator, client *redis.Client) {
		for scheme, seed := range seeds {
			for requestName, request := range verbRequests(scheme) {
				for _, m := range meddlings {
					if !m.concerns(scheme, request) {
						continue
					}
					name := string(scheme) + "/" + requestName + "/" + m.name
					t.Run(name, func(t *testing.T) { testGuard(t, o, client, scheme, seed, request, m) })
				}
			}
		}
	})
}

func (m meddling) concerns(scheme inspector.Scheme, r Request) bool {
	verb := len(m.verbs) == 0 || m.verbs[0] == r.Verb
	if m.name == "a lease that a force-expiry would lengthen" && r.TTL == 0 {
		return false
	}
	if len(m.schemes) == 0 {
		return verb
	}
	for _, s := range m.schemes {
		if s == scheme {
			return verb
		}
	}
	return false
}

func testGuard(t *testing.T, o *Operator, client *redis.Client, scheme inspector.Scheme,
	seed func(context.Context, *redis.Client, string) error, request Request, m meddling,
) {
	ctx, key := t.Context(), "lock:"+t.Name()
	if err := seed(ctx, client, key); err != nil {
		t.Fatal(err)
	}
	if m.stuck && !must(client.Persist(ctx, key).Result())(t) {
		t.Fatal("it had no lease to lose")
	}
	see := func() { request.Lock, request.Owner = observe(ctx, t, client, scheme, key), ownerA(scheme) }
	see()
	if err := m.meddle(ctx, client, key); err != nil {
		t.Fatal(err)
	}
	if m.before {
		see()
	}
	if m.holder == observedHolder {
		m.holder = request.Owner
	}
	before := dump(ctx, t, client, key)
	for _, dry := range []bool{true, false} {
		request.DryRun = dry
		out := o.Do(ctx, request)
		if out.Result != m.want || out.Holder != m.holder || !strings.Contains(out.Detail, m.detail) {
			t.Errorf("dry run %v: %s, held by %.40q, %q (%v); want %s by %.40q, %q", dry, out.Result, out.Holder, out.Detail, out.Err, m.want, m.holder, m.detail)
		}
	}
	if after := dump(ctx, t, client, key); after != before {
		t.Errorf("the key was changed from %.80q to %.80q", before, after)
	}
}

// dump is all that is in a key but the time that is left of its lease.
func dump(ctx context.Context, t *testing.T, client *redis.Client, key string) string {
	t.Helper()
	kind := must(client.Type(ctx, key).Result())(t)
	ttl := "endless "
	if client.PTTL(ctx, key).Val() >= 0 {
		ttl = "leased "
	}
	switch kind {
	case "string":
		return kind + ttl + must(client.Get(ctx, key).Result())(t)
	case "hash":
		fields := must(client.HGetAll(ctx, key).Result())(t)
		return kind + ttl + "A=" + fields["A"] + " B=" + fields["B"]
	default:
		return kind + ttl
	}
}
