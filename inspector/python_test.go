package inspector

import (
	"slices"
	"testing"
	"time"

	"locktop/keyspace"
)

func TestPythonRedisLock(t *testing.T) {
	const id = "KWfupndwb+Lq1x80C8oRdlwF"
	free := stringRecord("lock:orders", id, 20*time.Second)
	l := judged(t, with(free, sized(keyspace.TypeClients, "blpop", 2)))
	if h := soleHolder(t, l); l.Scheme != SchemePythonRedisLock || h.Owner != id || h.Label != id || l.State != StateHeld ||
		l.Waiters != (Waiters{Count: 2, By: WaitersBlocked}) {
		t.Errorf("%+v", l)
	}
	if l := judged(t, stringRecord("lock:orders", id, 0)); l.Scheme != SchemePythonRedisLock || l.State != StateStuck || !hasCode(l, CodeNoTTL) {
		t.Errorf("without expire: %+v", l)
	}
	for name, r := range map[string]keyspace.Record{
		"redsync":          stringRecord("lock:orders", "n4L/2ZlftbtoJhoNxYjXOg==", time.Minute),
		"24 hexadecimal":   stringRecord("lock:orders", "b4a577edbccf1d805744efa9", time.Minute),
		"URL-safe base64":  stringRecord("lock:orders", "KWfupndwb-Lq1x80C8oRdlwF", time.Minute),
		"another name":     stringRecord("orders:lock", id, time.Minute),
		"one byte fewer":   stringRecord("lock:orders", id[1:], time.Minute),
		"a word of many":   stringRecord("lock:orders", "checkoutworkerproduction", time.Minute),
		"inside the name":  stringRecord("app:lock:orders", id, time.Minute),
		"another spelling": stringRecord("LOCK:orders", id, time.Minute),
	} {
		if l := judged(t, r); l.Scheme != SchemeToken {
			t.Errorf("%s is taken for %s", name, l.Scheme)
		}
	}
	rules := mustRules(t, "lock:*=python-redis-lock")
	if l, is := rules.Inspect(stringRecord("lock:orders", "worker-7", 0), schemeNow); !is || l.Scheme != SchemePythonRedisLock {
		t.Errorf("an id of one's own, by a rule: %v %+v", is, l)
	}
	company := Rules(nil).Of(free)
	if !slices.Equal(company.Keys, []string{"lock-signal:orders"}) || !slices.Equal(company.Commands, []string{"blpop"}) ||
		!slices.Equal(Rules(nil).Owners("lock-signal:orders"), []string{"lock:orders"}) {
		t.Errorf("%+v, %q", company, Rules(nil).Owners("lock-signal:orders"))
	}
}

func TestHuey(t *testing.T) {
	const key = "huey.results.mymail"
	r := hashRecord(key, 0, "5b0e2f6c", "\x80\x04K\x01.", "my-mail.lock.nightly", "1", "my-mail.lock.weekly.lock.2", "1")
	l := judged(t, r)
	want := []Holder{{Owner: "my-mail.lock.nightly", Label: "nightly"}, {Owner: "my-mail.lock.weekly.lock.2", Label: "weekly.lock.2"}}
	if l.Scheme != SchemeHuey || l.State != StateStuck || !slices.Equal(l.Holders, want) || !hasCode(l, CodeUncheckedRelease) || !hasCode(l, CodeNoTTL) {
		t.Errorf("%+v", l)
	}
	r.Truncated, r.Value.Fields = true, nil
	if l, is := Rules(nil).Inspect(r, schemeNow); is {
		t.Errorf("what was not read is taken for %+v", l)
	}
}

// One of huey's locks that ends where another begins is not handed over.
func TestLocksOfHueyAreNotHandedOver(t *testing.T) {
	one := []Holder{{Owner: "a"}}
	if !several(SchemeHuey, ModeExclusive, one) || several(SchemeToken, ModeExclusive, one) {
		t.Error("one lock of huey's is one holder of one lock")
	}
}
