package actions

import (
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
)

// TestActs does every action on every scheme as it was observed, first as a dry run.
func TestActs(t *testing.T) {
	tests := []struct {
		scheme inspector.Scheme
		Request
		want   Outcome
		after  string // what dump says
		within time.Duration
		would  string // what the dry run says
	}{
		{scheme: inspector.SchemeToken, Request: Request{Verb: VerbRelease}, want: Outcome{Result: ResultReleased, Woken: -1}, after: "noneendless ", would: "would release lock from A"},
		{scheme: inspector.SchemeToken, Request: Request{Verb: VerbForceExpire}, want: Outcome{Result: ResultExpired, Woken: -1}, after: "noneendless ", would: "would force-expire lock, which A has"},
		{scheme: inspector.SchemeToken, Request: Request{Verb: VerbForceExpire, TTL: 5 * time.Second}, want: Outcome{Result: ResultExpired, Holder: "A", Woken: -1, TTL: 5 * time.Second}, after: "stringleased A", within: 5 * time.Second, would: "would end lock in 5 s"},
		{scheme: inspector.SchemeToken, Request: Request{Verb: VerbExtend, TTL: time.Hour}, want: Outcome{Result: ResultExtended, Holder: "A", Woken: -1, TTL: time.Hour}, after: "stringleased A", within: time.Hour, would: "would extend lock to 1h00m for A"},
		{scheme: inspector.SchemeSetNX, Request: Request{Verb: VerbRelease}, want: Outcome{Result: ResultReleased, Woken: -1}, after: "noneendless "},
		{scheme: inspector.SchemeSetNX, Request: Request{Verb: VerbForceExpire}, want: Outcome{Result: ResultExpired, Woken: -1}, after: "noneendless "},
		{scheme: inspector.SchemeSetNX, Request: Request{Verb: VerbForceExpire, TTL: 5 * time.Second}, want: Outcome{Result: ResultExpired, Holder: "A", Woken: -1, TTL: 5 * time.Second}, after: "stringleased A", within: 5 * time.Second},
		{scheme: inspector.SchemeTimestamp, Request: Request{Verb: VerbRelease}, want: Outcome{Result: ResultReleased, Woken: -1}, after: "noneendless "},
		{scheme: inspector.SchemeTimestamp, Request: Request{Verb: VerbForceExpire, TTL: 5 * time.Second}, want: Outcome{Result: ResultExpired, Holder: stampA, Woken: -1, TTL: 5 * time.Second}, after: "stringleased " + stampA, within: 5 * time.Second},
		{scheme: inspector.SchemeReentrant, Request: Request{Verb: VerbRelease}, want: Outcome{Result: ResultReleased, Woken: -1}, after: "noneendless "},
		{scheme: inspector.SchemeReentrant, Request: Request{Verb: VerbRelease, Entries: 1}, want: Outcome{Result: ResultEntryReleased, Holder: "A", Count: 1, Woken: -1}, after: "hashleased A=1 B=", within: time.Minute, would: "would release 1 entry of lock; A would have 1 left"},
		{scheme: inspector.SchemeReentrant, Request: Request{Verb: VerbRelease, Entries: 2}, want: Outcome{Result: ResultReleased, Woken: -1}, after: "noneendless "},
		{scheme: inspector.SchemeReentrant, Request: Request{Verb: VerbRelease, Entries: 9}, want: Outcome{Result: ResultReleased, Woken: -1}, after: "noneendless "},
		{scheme: inspector.SchemeReentrant, Request: Request{Verb: VerbForceExpire}, want: Outcome{Result: ResultExpired, Woken: -1}, after: "noneendless "},
		{scheme: inspector.SchemeReentrant, Request: Request{Verb: VerbExtend, TTL: time.Hour}, want: Outcome{Result: ResultExtended, Holder: "A", Count: 2, Woken: -1, TTL: time.Hour}, after: "hashleased A=2 B=", within: time.Hour},
		{scheme: inspector.SchemeRedisson, Request: Request{Verb: VerbRelease}, want: Outcome{Result: ResultReleased, Woken: 1}, after: "noneendless "},
		{scheme: inspector.SchemeRedisson, Request: Request{Verb: VerbRelease, Entries: 1}, want: Outcome{Result: ResultEntryReleased, Holder: "A", Count: 1, Woken: -1}, after: "hashleased A=1 B=", within: time.Minute},
		{scheme: inspector.SchemeRedisson, Request: Request{Verb: VerbForceExpire}, want: Outcome{Result: ResultExpired, Woken: 1}, after: "noneendless "},
		{scheme: inspector.SchemeRedisson, Request: Request{Verb: VerbForceExpire, TTL: 5 * time.Second}, want: Outcome{Result: ResultExpired, Holder: "A", Count: 2, Woken: -1, TTL: 5 * time.Second}, after: "hashleased A=2 B=", within: 5 * time.Second},
		{scheme: inspector.SchemeRedisson, Request: Request{Verb: VerbExtend, TTL: time.Hour}, want: Outcome{Result: ResultExtended, Holder: "A", Count: 2, Woken: -1, TTL: time.Hour}, after: "hashleased A=2 B=", within: time.Hour},
	}
	ways(t, func(t *testing.T, o *Operator, client *redis.Client) {
		ctx := t.Context()
		waiter := client.Subscribe(ctx, RedissonChannel("lock"))
		defer waiter.Close()
		if _, err := waiter.Receive(ctx); err != nil {
			t.Fatal(err)
		}
		for _, test := range tests {
			if err := client.Del(ctx, "lock").Err(); err != nil {
				t.Fatal(err)
			}
			if err := seeds[test.scheme](ctx, client, "lock"); err != nil {
				t.Fatal(err)
			}
			r := test.Request
			r.Owner, r.Lock = ownerA(test.scheme), observe(ctx, t, client, test.scheme, "lock")
			before := dump(ctx, t, client, "lock")
			r.DryRun = true
			if out := o.Do(ctx, r); out.Result != ResultDryRun || !strings.HasPrefix(out.Detail, test.would) || dump(ctx, t, client, "lock") != before {
				t.Errorf("%s %s, dry: %+v, want %q and the key as it was", test.scheme, r.Verb, out, test.would)
			}
			r.DryRun = false
			if out := o.Do(ctx, r); !roughly(out, test.want) {
				t.Errorf("%s %s %v %d: %+v, want %+v", test.scheme, r.Verb, r.TTL, r.Entries, out, test.want)
			}
			if after := dump(ctx, t, client, "lock"); after != test.after {
				t.Errorf("%s %s %v %d: left %q, want %q", test.scheme, r.Verb, r.TTL, r.Entries, after, test.after)
			}
			if left := client.PTTL(ctx, "lock").Val(); test.within > 0 && (left > test.within || left < test.within-2*time.Second) {
				t.Errorf("%s %s: the lease is %v, want %v", test.scheme, r.Verb, left, test.within)
			}
			if test.want.Woken > 0 {
				if message := heard(t, waiter); message.Payload != "0" {
					t.Errorf("%s %s: the waiter heard %v", test.scheme, r.Verb, message)
				}
			}
		}
	})
}

// roughly compares outcomes but for their words, and for the time that passes in a test.
func roughly(got, want Outcome) bool {
	passed := want.TTL - got.TTL
	if want.Result == ResultEntryReleased { // the lease is left as it is: what the seed gave
		passed = time.Minute - got.TTL
	}
	return got.Result == want.Result && got.Holder == want.Holder && got.Count == want.Count && got.Woken == want.Woken &&
		got.Err == nil && passed >= 0 && passed < 2*time.Second
}

func TestExtendTimestamp(t *testing.T) {
	ways(t, func(t *testing.T, o *Operator, client *redis.Client) {
		ctx := t.Context()
		now := time.Now()
		for _, value := range []string{
			stamp{}.at(now), stamp{decimals: 3}.at(now), stamp{decimals: 7}.at(now), stamp{unit: time.Millisecond}.at(now),
			stamp{prefix: "host:id:", unit: time.Millisecond}.at(now), stamp{prefix: "\xff:"}.at(now),
		} {
			for _, ttl := range []time.Duration{0, time.Minute} {
				client.Set(ctx, "lock", value, ttl)
				r := Request{Verb: VerbExtend, TTL: time.Hour, Owner: value, Force: true, Lock: observe(ctx, t, client, inspector.SchemeTimestamp, "lock")}
				out := o.Do(ctx, r)
				after, err := parseTimestamp(client.Get(ctx, "lock").Val())
				before := must(parseTimestamp(value))(t)
				if out.Result != ResultExtended || err != nil || after.prefix != before.prefix || after.unit != before.unit || after.decimals != before.decimals {
					t.Errorf("%q became %q: %+v", value, client.Get(ctx, "lock").Val(), out)
				}
				if left := time.Until(after.end); left < 59*time.Minute || left > 61*time.Minute {
					t.Errorf("%q became %q, which ends in %v", value, client.Get(ctx, "lock").Val(), left)
				}
				if left := client.PTTL(ctx, "lock").Val(); (left < 0) != (ttl == 0) || ttl > 0 && left < 59*time.Minute {
					t.Errorf("%q with a TTL of %v has %v", value, ttl, left)
				}
				r.Lock, r.Owner, r.TTL = observe(ctx, t, client, inspector.SchemeTimestamp, "lock"), client.Get(ctx, "lock").Val(), time.Minute
				if out := o.Do(ctx, r); out.Result != ResultChanged || !strings.Contains(out.Detail, "never shortens") {
					t.Errorf("a shorter lease: %+v", out)
				}
			}
		}
		client.Set(ctx, "lock", stamp{}.at(now), 3*time.Hour)
		long := Request{Verb: VerbExtend, TTL: time.Hour, Owner: stamp{}.at(now), Lock: observe(ctx, t, client, inspector.SchemeTimestamp, "lock")}
		out := o.Do(ctx, long)
		if left := client.PTTL(ctx, "lock").Val(); out.Result != ResultExtended || left < 2*time.Hour || out.TTL < 2*time.Hour {
			t.Errorf("a TTL longer than the lease became %v: %+v", left, out)
		}
		client.Set(ctx, "lock", "tomorrow", 0)
		r := Request{Verb: VerbExtend, TTL: time.Hour, Owner: "tomorrow", Lock: observe(ctx, t, client, inspector.SchemeTimestamp, "lock")}
		if out := o.Do(ctx, r); out.Result != ResultUnsupported || client.Get(ctx, "lock").Val() != "tomorrow" {
			t.Errorf("an unknown format: %+v", out)
		}
	})
}

func TestParseTimestamp(t *testing.T) {
	for _, bad := range []string{
		"", "1", "17000000000", "1700000000.", ".5", "1700000000.1234567891", "1700000000000.5", "id:", "id", "-170000000",
		"+1700000000", "1e9", "17000000000000", "１７００００００００", " 1700000000", "1700000000\n",
	} {
		if s, err := parseTimestamp(bad); err == nil {
			t.Errorf("%q was read as %+v", bad, s)
		}
	}
	at := time.Unix(1700000000, 123456789)
	for text, s := range map[string]stamp{
		"1700000001":              {},
		"1700000000.124":          {decimals: 3},
		"1700000000.123456789":    {decimals: 9},
		"1700000000124":           {unit: time.Millisecond},
		"1700000000123457":        {unit: time.Microsecond},
		"1700000000123456789":     {unit: time.Nanosecond},
		"a:b:1700000000124":       {prefix: "a:b:", unit: time.Millisecond},
		"a:1700000000.1234568":    {prefix: "a:", decimals: 7},
		"\x00\xff:1700000000.124": {prefix: "\x00\xff:", decimals: 3},
	} {
		if got := s.at(at); got != text {
			t.Errorf("%+v: %q, want %q", s, got, text)
		}
		if parsed, err := parseTimestamp(text); err != nil || parsed.at(parsed.end) != text {
			t.Errorf("%q came back as %q, %v", text, parsed.at(parsed.end), err)
		}
	}
}

// TestTwoFields releases one holder of two: the key stays, and nobody is woken.
func TestTwoFields(t *testing.T) {
	ways(t, func(t *testing.T, o *Operator, client *redis.Client) {
		ctx := t.Context()
		client.HSet(ctx, "lock", "A", "1", "B", "1")
		r := Request{Verb: VerbRelease, Owner: "A", Lock: observe(ctx, t, client, inspector.SchemeRedisson, "lock")}
		out := o.Do(ctx, r)
		if out.Result != ResultEntryReleased || out.Count != 0 || out.Woken != -1 || dump(ctx, t, client, "lock") != "hashendless A= B=1" {
			t.Errorf("%+v, left %q", out, dump(ctx, t, client, "lock"))
		}
	})
}

// TestHostile acts on keys and owners of any bytes.
func TestHostile(t *testing.T) {
	ways(t, func(t *testing.T, o *Operator, client *redis.Client) {
		ctx := t.Context()
		for _, s := range hostile {
			key, short := "lock:"+s[:min(len(s), 100)], s[:min(len(s), 40)]
			client.Set(ctx, key, s, time.Minute)
			lock := observe(ctx, t, client, inspector.SchemeToken, key)
			r := Request{Verb: VerbRelease, Owner: lock.Holders[0].Owner, Lock: lock}
			client.Set(ctx, key, s+"x", redis.KeepTTL)
			if out := o.Do(ctx, r); out.Result != ResultNotHolder || !keyspace.Printable(out.Sentence(r)) {
				t.Errorf("%q and one more byte: %q", short, out.Sentence(r))
			}
			client.Set(ctx, key, s, redis.KeepTTL)
			out := o.Do(ctx, r)
			if out.Result != ResultReleased || client.Exists(ctx, key).Val() != 0 || !keyspace.Printable(out.Sentence(r)) {
				t.Errorf("%q: %q", short, out.Sentence(r))
			}
			if cut := strings.Contains(out.Detail, "compared by its length"); cut != (len(s) > 512) {
				t.Errorf("%q of %d bytes: %q", short, len(s), out.Detail)
			}
			if !keyspace.Printable(Consequence(r)) {
				t.Errorf("%q: %q", short, Consequence(r))
			}
			client.HSet(ctx, key, s, "2")
			r = Request{Verb: VerbRelease, Entries: 1, Owner: s, Lock: observe(ctx, t, client, inspector.SchemeReentrant, key)}
			if out := o.Do(ctx, r); out.Result != ResultEntryReleased || client.HGet(ctx, key, s).Val() != "1" || !keyspace.Printable(out.Sentence(r)) {
				t.Errorf("field %q: %q", short, out.Sentence(r))
			}
			client.Del(ctx, key)
		}
	})
}

var hostile = []string{
	"", " ", "'", `"`, `\`, "$(reboot)", "`reboot`", "new\nline", "\r\n+OK\r\n", "\x00", "a\x00b", "\xff\xfe", "\x1b[2J\x1b]0;title\x07",
	"-x", "--", "\u202egnirts", "日本語", "{}", "%s%d", "*", strings.Repeat("x", 512), strings.Repeat("y", 513), strings.Repeat("z\x00", 1<<19),
}
