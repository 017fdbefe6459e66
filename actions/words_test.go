package actions

import (
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func TestConsequence(t *testing.T) {
	now := time.Now()
	lock := &inspector.Lock{
		Scheme: inspector.SchemeRedisson, ExpiresAt: now.Add(22*time.Second + 450*time.Millisecond),
		Holders:   []inspector.Holder{{Owner: "0f4d:42", Label: "client 0f4d, thread 42", Count: inspector.Count{N: 3, Known: true}}},
		HeldSince: now.Add(-41*time.Second - 50*time.Millisecond), Renewals: 4, LastRenewal: now.Add(-3*time.Second - 50*time.Millisecond),
		Waiters: inspector.Waiters{Count: 2, By: inspector.WaitersSubscribers},
	}
	lock.Key = "orders:\x1b[2J"
	r := Request{Verb: VerbRelease, Lock: lock, Owner: "0f4d:42"}
	for _, test := range []struct {
		change func()
		want   []string
	}{
		{func() {}, []string{
			`orders:\x1b[2J is held by client 0f4d, thread 42, entered 3 times; for at least 41 s; 22.4 s of its TTL left; renewed 4 times, last 3 s ago; at least 2 clients wait for it. Releasing it deletes the key and publishes the wake-up.`,
			"its watchdog stops at the next tick", "IllegalMonitorStateException", "wake up, of a fair lock the first in its queue",
		}},
		{func() { r.Entries, lock.HeldExact, lock.Waiters.Exact = 1, true, true }, []string{
			"; for 41 s;", "; 2 clients wait for it.", "Releasing 1 entry takes as many from the holder's count, and leaves the lease as it is.", "believing in its entries",
		}},
		{func() { r.Entries = 3 }, []string{"Releasing it deletes the key and publishes"}},
		{func() { r = Request{Verb: VerbExtend, TTL: time.Minute, Lock: lock, Owner: "0f4d:42"} }, []string{
			"Extending it to 1m00s sets its TTL.", "cuts the lease back to its own (30 s by default) at its next tick",
		}},
		{func() { r.Verb = VerbForceExpire }, []string{"Force-expiring it in 1m00s shortens its TTL", "its next tick (within 10 s) undoes it"}},
		{func() { lock.ExpiresAt, lock.Waiters.By = time.Time{}, inspector.WaitersNone }, []string{"it has no TTL and never ends by itself", "who waits for it cannot be seen"}},
		{func() {
			lock.Scheme, lock.LeaseEnds = inspector.SchemeTimestamp, now.Add(-5*time.Second-50*time.Millisecond)
		}, []string{
			"by its value its lease is over since 5 s", "delete the key without looking whose it is",
		}},
		{func() { lock.Scheme, r.TTL = inspector.SchemeToken, 0 }, []string{"Force-expiring it now deletes the key.", "goes on believing that it holds the lock, and the next acquirer runs beside it"}},
		{func() { r.Owner = "x" }, []string{"was not seen with the holder x"}},
		{func() { lock.Scheme = inspector.SchemeUnknown }, []string{"Not possible: it is not a lock"}},
		{func() { lock.Scheme = "zookeeper" }, []string{"Not possible: locktop has no recipe"}},
		{func() { lock.Scheme, r.Verb = inspector.SchemeToken, "steal" }, []string{"Not possible: there is no action \"steal\"."}},
	} {
		test.change()
		said := Consequence(r)
		for _, want := range test.want {
			if !strings.Contains(said, want) {
				t.Errorf("%q does not say %q", said, want)
			}
		}
		effect := EffectOf(r)
		if !strings.Contains(said, strings.TrimSpace(effect.Does+" "+effect.Then)) || !keyspace.Printable(said) {
			t.Errorf("%q", said)
		}
	}
}

func TestSentence(t *testing.T) {
	lock := &inspector.Lock{Scheme: inspector.SchemeRedisson, Holders: []inspector.Holder{{Owner: "0f4d:42", Label: "client 0f4d, thread 42"}}}
	lock.Key = "orders"
	r := Request{Verb: VerbRelease, Lock: lock, Owner: "0f4d:42"}
	entry, extend, expire := r, r, r
	entry.Entries = 2
	extend.Verb, extend.TTL = VerbExtend, 90*time.Second
	expire.Verb = VerbForceExpire
	stranger := r
	stranger.Owner = "7:7"
	for _, test := range []struct {
		r    Request
		o    Outcome
		want string
	}{
		{r, Outcome{Result: ResultReleased, Woken: 2}, "released orders from client 0f4d, thread 42; 2 waiters woken"},
		{r, Outcome{Result: ResultReleased, Woken: 0}, "released orders from client 0f4d, thread 42; nobody was listening for it"},
		{r, Outcome{Result: ResultReleased, Woken: -1}, "released orders from client 0f4d, thread 42"},
		{entry, Outcome{Result: ResultEntryReleased, Count: 1}, "released 2 entries of orders; client 0f4d, thread 42 has 1 left"},
		{extend, Outcome{Result: ResultExtended}, "extended orders to 1m30s for client 0f4d, thread 42"},
		{expire, Outcome{Result: ResultExpired, Woken: 1}, "force-expired orders, which client 0f4d, thread 42 had; 1 waiter woken"},
		{expire, Outcome{Result: ResultExpired, Woken: -1, TTL: 5 * time.Second}, "orders ends in 5 s, and client 0f4d, thread 42 has it until then"},
		{r, Outcome{Result: ResultNotHolder, Holder: "9:9"}, "orders was not released: changed while you were reading: now held by 9:9"},
		{stranger, Outcome{Result: ResultNotHolder, Holder: "0f4d:42"}, "orders was not released: held by client 0f4d, thread 42, not by 7:7"},
		{r, Outcome{Result: ResultChanged, Detail: "changed while you were reading: the key holds a list now"}, "orders was not released: changed while you were reading: the key holds a list now"},
		{extend, Outcome{Result: ResultGone}, "orders was not extended: it is gone already"},
		{expire, Outcome{Result: ResultLapsed}, "orders was not force-expired: writing has lapsed"},
		{expire, Outcome{Result: ResultReadOnly}, "orders was not force-expired: locktop is read-only"},
		{r, Outcome{Result: ResultDenied, Detail: "mend: ACL SETUSER x +del"}, "orders was not released: denied by ACL: mend: ACL SETUSER x +del"},
		{r, Outcome{Result: ResultUnsupported, Detail: "it is not a lock"}, "orders was not released: not possible: it is not a lock"},
		{r, Outcome{Result: ResultUnknown}, "nobody knows whether orders was released: look again"},
		{r, Outcome{Result: ResultFailed, Detail: "no route"}, "orders was not released: failed: no route"},
		{r, Outcome{Result: ResultDryRun, Detail: "would release orders"}, "dry run, nothing was done: would release orders"},
		{Request{}, Outcome{Result: ResultFailed, Detail: "no lock was given"}, "the lock was not touched: failed: no lock was given"},
		{r, Outcome{Result: ResultNotHolder, Holder: strings.Repeat("a", 40) + "\x1b[2J"}, "orders was not released: changed while you were reading: now held by aaaaaaaaaaaaaaaaaaaaaaaa…a\\x1b[2J"},
	} {
		if got := test.o.Sentence(test.r); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 ms", 0: "0 ms", 300 * time.Millisecond: "300 ms", 22450 * time.Millisecond: "22.4 s", 30 * time.Second: "30 s",
		59999 * time.Millisecond: "59.9 s", 123 * time.Second: "2m03s", 3*time.Hour + 12*time.Minute: "3h12m", 100 * time.Hour: "4 days",
	} {
		if got := span(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// TestSentencesShowKeysAsTheFacesDo has names that seem to be others, or that --quoted-input would not read back.
func TestSentencesShowKeysAsTheFacesDo(t *testing.T) {
	for name, want := range map[string]string{
		"cafe\u0301": `cafe\u0301`, "a\u00a0b": `a\u00a0b`, "fill\u3164\u2800": `fill\u3164\u2800`, "bell\a": `bell\x07`, "锁": "锁", `"q"`: `"q"`,
	} {
		lock := &inspector.Lock{Scheme: inspector.SchemeToken, Holders: []inspector.Holder{{Owner: name}}}
		lock.Key = name
		r := Request{Verb: VerbRelease, Lock: lock, Owner: name}
		if got := (Outcome{Result: ResultReleased, Woken: -1}).Sentence(r); got != "released "+want+" from "+want {
			t.Errorf("%q: %q", name, got)
		}
		if got := Consequence(r); !strings.HasPrefix(got, want+" is held by "+want) {
			t.Errorf("%q: %q", name, got)
		}
		lock.Observed.Type, lock.Observed.Value.Text, lock.Observed.ReadAt = "string", name, time.Now()
		if line := RedisCLI(r); !keyspace.Printable(line) {
			t.Errorf("%q: %q", name, line)
		}
	}
}

func TestPrintable(t *testing.T) {
	seen := map[string]string{}
	for _, s := range append(hostile[:len(hostile)-3], "\\n", "\n", "\\", `\"`, "\\\"", `\x1b`, "\x1b", "\xc3\xa9", "é") {
		text := printable(s)
		if !keyspace.Printable(text) {
			t.Errorf("%q became %q", s, text)
		}
		if other, twice := seen[text]; twice && other != s {
			t.Errorf("%q and %q both became %q", s, other, text)
		}
		seen[text] = s
	}
}
