package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"

	"locktop/ui/report"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 678_900_000, time.UTC)

// fullLock has a value in every field that this version can fill.
func fullLock() *inspector.Lock {
	fencing := int64(17)
	return &inspector.Lock{
		Ref:    keyspace.Ref{Node: "127.0.0.1:6379", DB: 3, Key: "orders:checkout"},
		Scheme: inspector.SchemeRedisson, Mode: inspector.ModeExclusive, State: inspector.StateHeld,
		Holders: []inspector.Holder{{
			Owner: "0f4d3a52:42", Label: "client 0f4d3a52, thread 42", Count: inspector.Count{N: 3, Known: true},
		}},
		ExpiresAt: noon.Add(22400 * time.Millisecond), HeldSince: noon.Add(-41 * time.Second),
		Waiters:      inspector.Waiters{Count: 2, By: inspector.WaitersSubscribers},
		FencingToken: &fencing,
		Observed:     keyspace.Record{Companions: []keyspace.Record{{Ref: keyspace.Ref{Key: "redisson_lock_queue:{orders:checkout}"}, Type: keyspace.TypeList}}},
		Findings:     []inspector.Finding{{Code: inspector.CodeLongLease, Severity: inspector.SeverityWarning, Text: "evidence", Advice: "advice"}},
	}
}

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	var line strings.Builder
	if err := report.WriteJSON(&line, value); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(line.String(), "\n")
}

func TestSnapshotJSON(t *testing.T) {
	s := &inspector.Snapshot{
		TakenAt: noon, Complete: true,
		Nodes: []keyspace.Status{{Node: "127.0.0.1:6379", Version: "7.0.15", Feed: keyspace.FeedPush}},
		Locks: []*inspector.Lock{fullLock()},
	}
	want := `{"schema":"locktop.snapshot/1","taken_at":"2026-01-02T12:00:00.678Z",` +
		`"source":{"topology":"standalone","complete":true,"nodes":[{"addr":"127.0.0.1:6379","version":"7.0.15","feed":"push"}]},` +
		`"locks":[{"key":"orders:checkout","node":"127.0.0.1:6379","db":3,"scheme":"redisson","mode":"exclusive","state":"held",` +
		`"holders":[{"owner":"0f4d3a52:42","count":3,"label":"client 0f4d3a52, thread 42"}],` +
		`"ttl_ms":22400,"expires_at":"2026-01-02T12:00:23.078Z","held_ms":41000,"held_is_exact":false,` +
		`"waiters":{"count":2,"exact":false,"by":"subscribers"},"fencing_token":17,` +
		`"companions":["redisson_lock_queue:{orders:checkout}"],` +
		`"findings":[{"code":"long-lease","severity":"warning","text":"evidence","advice":"advice"}]}]}`
	if got := jsonOf(t, report.NewSnapshot(s, s.Locks)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestWaitersJSON: what cannot be seen is null, and none is a number.
func TestWaitersJSON(t *testing.T) {
	for want, w := range map[string]inspector.Waiters{
		`{"count":null,"exact":false,"by":"none"}`:     {By: inspector.WaitersNone},
		`{"count":0,"exact":false,"by":"subscribers"}`: {By: inspector.WaitersSubscribers},
		`{"count":0,"exact":true,"by":"queue"}`:        {By: inspector.WaitersQueue, Exact: true},
		`{"count":2,"exact":false,"by":"blocked"}`:     {By: inspector.WaitersBlocked, Count: 2},
	} {
		if got := jsonOf(t, report.NewLock(&inspector.Lock{Waiters: w}, noon).Waiters); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestSnapshotJSONOfNothing(t *testing.T) {
	want := `{"schema":"locktop.snapshot/1","taken_at":"2026-01-02T12:00:00.678Z",` +
		`"source":{"topology":"standalone","complete":false,"nodes":[]},"locks":[]}`
	if got := jsonOf(t, report.NewSnapshot(&inspector.Snapshot{TakenAt: noon}, nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLockJSONWithoutWhatIsAbsent(t *testing.T) {
	l := &inspector.Lock{
		Ref:    keyspace.Ref{Node: "n", Key: "lock:\xff\x00"},
		Scheme: inspector.SchemeSetNX, State: inspector.StateStuck,
		Holders: []inspector.Holder{{Owner: "\xfe"}}, // not UTF-8, and of unknown count
	}
	want := `{"key":"lock:\\xff\\x00","key_base64":"bG9jazr/AA==","node":"n","db":0,"scheme":"setnx","state":"stuck",` +
		`"holders":[{"owner":"\\xfe","owner_base64":"/g==","count":null}],"ttl_ms":-1,"findings":[]}`
	if got := jsonOf(t, report.NewLock(l, noon)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLockJSONOfALeaseInTheValue(t *testing.T) {
	l := &inspector.Lock{
		Scheme: inspector.SchemeTimestamp, State: inspector.StateLapsed,
		Holders: []inspector.Holder{{Owner: "1767355000"}}, LeaseEnds: noon.Add(-time.Second),
	}
	got := report.NewLock(l, noon)
	if got.TTL == nil || *got.TTL != -1 || got.ExpiresAt != "2026-01-02T11:59:59.678Z" || got.Holders[0].ExpiresAt != "2026-01-02T11:59:59.678Z" {
		t.Errorf("got ttl %v, ends %q, holder's %q", got.TTL, got.ExpiresAt, got.Holders[0].ExpiresAt)
	}
}

func TestLockJSONPastItsEnd(t *testing.T) {
	if got := report.NewLock(&inspector.Lock{ExpiresAt: noon.Add(-time.Hour)}, noon).TTL; got == nil || *got != 0 {
		t.Errorf("ttl_ms is %v, want 0: -1 would say that it has no TTL", got)
	}
}

func TestLockJSONOfALeaseInAField(t *testing.T) {
	end := noon.Add(2400 * time.Millisecond)
	l := &inspector.Lock{
		Scheme: inspector.SchemeReentrant, State: inspector.StateHeld, ExpiresAt: end, FieldTTLs: true,
		Holders: []inspector.Holder{{Owner: "a:1", ExpiresAt: end}},
		Observed: keyspace.Record{
			Type: keyspace.TypeHash, ExpireTime: noon.Add(time.Hour).UnixMilli(), ExpiresAt: noon.Add(time.Hour),
			Value: keyspace.Value{Fields: []keyspace.Field{{Name: "a:1", Value: "1", ExpireTime: end.UnixMilli(), EndsAt: end.UnixMicro()}}},
		},
	}
	got := jsonOf(t, report.NewLock(l, noon))
	want := `"ttl_ms":2400,"expires_at":"2026-01-02T12:00:03.078Z","expire_time_ms":1767355203078,"ends_by":"field","key_ttl_ms":3600000,`
	if !strings.Contains(got, want) {
		t.Errorf("got %s, want in it %s", got, want)
	}
	l.ExpiresAt, l.FieldTTLs, l.Observed = time.Time{}, false, keyspace.Record{Type: keyspace.TypeHash, FieldTTLsUnread: true}
	if got := jsonOf(t, report.NewLock(l, noon)); !strings.Contains(got, `"ttl_ms":null,`) {
		t.Errorf("of an unknown end: %s", got)
	}
}

func TestFeedJSON(t *testing.T) {
	for feed, want := range map[keyspace.Feed]string{
		keyspace.FeedPush:     `{"addr":"n","feed":"push"}`,
		keyspace.FeedTracking: `{"addr":"n","feed":"push","via":"tracking"}`,
		keyspace.FeedPoll:     `{"addr":"n","feed":"poll"}`,
	} {
		if got := jsonOf(t, report.NewNode(keyspace.Status{Node: "n", Feed: feed})); got != want {
			t.Errorf("%s: got %s, want %s", feed, got, want)
		}
	}
}

func TestEventJSON(t *testing.T) {
	at := noon.Add(time.Second)
	ref := keyspace.Ref{Node: "127.0.0.1:6379", DB: 1, Key: "orders:checkout"}
	for _, c := range []struct {
		event inspector.Event
		want  string
	}{
		{
			inspector.Event{
				At: at, Ref: ref, Kind: inspector.EventHandedOver, Scheme: inspector.SchemeToken, Owner: "b", PreviousOwner: "a",
				Count: inspector.Count{N: 1, Known: true}, TTL: 30 * time.Second, TTLKnown: true, Held: 2 * time.Second, HeldExact: true,
				Cause: inspector.CauseExpired,
			},
			`{"schema":"locktop.event/1","at":"2026-01-02T12:00:01.678Z","node":"127.0.0.1:6379","key":"orders:checkout",` +
				`"event":"handed-over","owner":"b","previous_owner":"a","ttl_ms":30000,"held_ms":2000,` +
				`"held_is_exact":true,"db":1,"scheme":"token","count":1,"cause":"expired"}`,
		},
		{
			inspector.Event{At: at, Ref: ref, Kind: inspector.EventAcquired, Owner: "\xff", TTL: -1, TTLKnown: true},
			`{"schema":"locktop.event/1","at":"2026-01-02T12:00:01.678Z","node":"127.0.0.1:6379","key":"orders:checkout",` +
				`"event":"acquired","owner":"\\xff","owner_base64":"/w==","ttl_ms":-1,"db":1}`,
		},
		{
			inspector.Event{At: at, Ref: keyspace.Ref{Node: "n"}, Kind: inspector.EventGap, Text: "restarted"},
			`{"schema":"locktop.event/1","at":"2026-01-02T12:00:01.678Z","node":"n","event":"gap","db":0,"text":"restarted"}`,
		},
		{ // a key may be empty
			inspector.Event{At: at, Ref: keyspace.Ref{Node: "n"}, Kind: inspector.EventReleased},
			`{"schema":"locktop.event/1","at":"2026-01-02T12:00:01.678Z","node":"n","key":"","event":"released","db":0,"proven":true}`,
		},
		{ // nothing proves who deleted it
			inspector.Event{At: at, Ref: keyspace.Ref{Node: "n"}, Kind: inspector.EventReleased, Cause: inspector.CauseFreed},
			`{"schema":"locktop.event/1","at":"2026-01-02T12:00:01.678Z","node":"n","key":"","event":"released","db":0,"cause":"released","proven":false}`,
		},
		{
			inspector.Event{At: at, Ref: keyspace.Ref{Node: "n"}, Kind: inspector.EventReleased, Cause: inspector.CauseOperator},
			`{"schema":"locktop.event/1","at":"2026-01-02T12:00:01.678Z","node":"n","key":"","event":"released","db":0,"cause":"operator","proven":true}`,
		},
		{
			inspector.Event{At: at, Ref: keyspace.Ref{Node: "n"}, Kind: inspector.EventAcquired, PreviousOwner: "a", Cause: inspector.CauseFreed},
			`{"schema":"locktop.event/1","at":"2026-01-02T12:00:01.678Z","node":"n","key":"","event":"acquired","previous_owner":"a","db":0,` +
				`"cause":"released","proven":false}`,
		},
	} {
		if got := jsonOf(t, report.NewEvent(c.event)); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestJSONShowsATerminalNothingHarmful(t *testing.T) {
	for _, hostile := range []string{
		"\x1b[2J", "\u009b2J", "a\x7fb", "\u202egnp", "\u2066x\u2069", "tag\U000e0041", "\u200b", "锁:订单", `"\`, "<&>", "a\nb",
	} {
		line := jsonOf(t, map[string]string{"key": hostile})
		for _, r := range line {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u2066' || r == '\u200b' || r == '\U000e0041' {
				t.Errorf("%q is written as %q, with %U", hostile, line, r)
			}
		}
		var back map[string]string
		if err := json.Unmarshal([]byte(line), &back); err != nil || back["key"] != hostile {
			t.Errorf("%q comes back as %q, %v", hostile, back["key"], err)
		}
	}
}
