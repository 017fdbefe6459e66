package inspector

import (
	"slices"
	"testing"
	"time"

	"locktop/keyspace"
)

func TestRubySemaphore(t *testing.T) {
	const key = "SEMAPHORE:orders:GRABBED"
	held := hashRecord(key, 0, "0", "1767323000.5", "2", "1767323044.25")
	exists := stringRecord("SEMAPHORE:orders:EXISTS", "1", 0)
	l := judged(t, with(held, listOf("SEMAPHORE:orders:AVAILABLE", "1"), exists, sized(keyspace.TypeClients, "blpop", 3)))
	want := []Holder{
		{Owner: "0", Label: "token 0, since 2026-01-02 03:03:20Z"},
		{Owner: "2", Label: "token 2, since 2026-01-02 03:04:04Z"},
	}
	if l.Scheme != SchemeRubySemaphore || l.Mode != ModeSemaphore || l.State != StateHeld || !slices.Equal(l.Holders, want) ||
		l.Waiters != (Waiters{Count: 3, By: WaitersBlocked}) || !hasCode(l, CodeUncheckedRelease) {
		t.Errorf("%+v", l)
	}
	if !slices.Contains(l.Evidence, "1 of its tokens free, 3 in all") {
		t.Errorf("evidence %q", l.Evidence)
	}
	if l := judged(t, with(held, exists)); !slices.Contains(l.Evidence, "0 of its tokens free, 2 in all") {
		t.Errorf("all are held: evidence %q", l.Evidence)
	}
	if l := judged(t, held); len(l.Evidence) != 3 {
		t.Errorf("nothing was read beside it: evidence %q", l.Evidence)
	}
	rules := Rules(nil)
	company := rules.Of(held)
	if len(company.Keys) != 3 || !slices.Equal(company.Commands, []string{"blpop"}) {
		t.Errorf("%+v", company)
	}
	for _, beside := range company.Keys {
		if !slices.Equal(rules.Owners(beside), []string{key}) {
			t.Errorf("%s belongs to %q", beside, rules.Owners(beside))
		}
	}
	if got := rules.Of(hashRecord("SEMAPHORE:orders", 0, "0", "1")); got.Keys != nil {
		t.Errorf("%+v", got)
	}
}

const (
	digest = "uniquejobs:5d41402abc4b2a76b9719d911017c592"
	jobA   = "b4a577edbccf1d805744efa9"
	jobB   = "0c2d0e9f1b5a4d3c2b1a0f9e"
)

func TestSidekiqUniqueJobs(t *testing.T) {
	string8 := stringRecord(digest, jobA, 0)
	held := hashRecord(digest+":LOCKED", 0, jobA, "1767323000.1229999")
	none := Waiters{Exact: true, By: WaitersQueue}
	for name, test := range map[string]struct {
		r       keyspace.Record
		waiters Waiters
	}{
		"nothing was read beside it": {held, Waiters{By: WaitersNone}},
		"nobody waits":               {with(held, string8), none},
		"the wake-up of the last release": {
			with(held, string8, elements(keyspace.TypeList, digest+":QUEUED", 5*time.Second, "1", "")), none,
		},
		"its holder is in a queue": {with(held, string8, listOf(digest+":PRIMED", jobA)), none},
		"two wait": {
			with(held, string8, listOf(digest+":QUEUED", jobB, "1"), listOf(digest+":PRIMED", jobB+"0")),
			Waiters{Count: 2, Exact: true, By: WaitersQueue},
		},
	} {
		l := judged(t, test.r)
		if h := soleHolder(t, l); l.Scheme != SchemeUniqueJobs || l.Mode != ModeExclusive || l.State != StateHeld || l.Waiters != test.waiters ||
			h.Owner != jobA || h.Label != "job "+jobA+", since 2026-01-02 03:03:20Z" {
			t.Errorf("%s: %+v", name, l)
		}
	}
	several := judged(t, hashRecord(digest+":RUN:LOCKED", time.Minute, jobA, "1767323000.5", jobB, "1767323001.5"))
	if several.Scheme != SchemeUniqueJobs || several.Mode != ModeSemaphore || len(several.Holders) != 2 {
		t.Errorf("a limit of two: %+v", several)
	}
	nine := judged(t, hashRecord(digest+":LOCKED", 0, jobA, `{"worker":"MailJob","time":1767323000.5}`))
	if h := soleHolder(t, nine); nine.Scheme != SchemeUniqueJobs || nine.Waiters != (Waiters{By: WaitersNone}) || h.Label != "job "+jobA {
		t.Errorf("version 9: %+v", nine)
	}
}

// The string of a digest is a lock of its own only where no hash of jobs is beside it.
func TestTheDigestBelongsToItsJobs(t *testing.T) {
	alone := stringRecord(digest, jobA, time.Minute)
	if l := judged(t, alone); l.Scheme != SchemeToken {
		t.Errorf("alone: %+v", l)
	}
	beside := with(alone, sized(keyspace.TypeHash, digest+":LOCKED", 1))
	if l, is := Rules(nil).Inspect(beside, schemeNow); is || Rules(nil).Follow(beside) {
		t.Errorf("beside its jobs: %+v", l)
	}
	rules := Rules(nil)
	if got := rules.Of(alone); !slices.Equal(got.Keys, []string{digest + ":LOCKED"}) {
		t.Errorf("%+v", got)
	}
	for _, part := range []string{"", ":QUEUED", ":PRIMED", ":INFO"} {
		if got := rules.Owners(digest + part); !slices.Equal(got, []string{digest + ":LOCKED"}) {
			t.Errorf("%s belongs to %q", part, got)
		}
	}
	if got := rules.Owners(digest + ":LOCKED"); !slices.Equal(got, []string{digest}) {
		t.Errorf("the hash concerns %q", got)
	}
	if got := rules.Owners("uniquejobs:digests"); got != nil {
		t.Errorf("the list of all digests belongs to %q", got)
	}
}

func TestRQL(t *testing.T) {
	const acquirer, waiting = "rql:acq:4711/2340/2360/2380/93b1a0c2d4e5f607", "rql:acq:4712/2340/2360/2380/0a1b2c3d4e5f6071"
	held := hashRecord("rql:lock:orders", 5*time.Second, "acq_id", acquirer, "hst_id", "rql:hst:4711/2340/2380/93b1a0c2d4e5f607",
		"ini_ttl", "5000", "spc_cnt", "2", "ts", "1767323044.5")
	l := judged(t, with(held, elements(keyspace.TypeZSet, "rql:lock_queue:orders", 0, waiting, "1767323044.6", acquirer, "1767323044.7"),
		elements(keyspace.TypeZSet, "rql:lock_queue:orders:read", 0, waiting+"8", "1767323044.8")))
	if h := soleHolder(t, l); l.Scheme != SchemeRQL || l.State != StateHeld || h.Owner != acquirer || h.Count.Known ||
		h.Label != "process 4711, thread 2340, since 2026-01-02 03:04:04Z" || l.Waiters != (Waiters{Count: 2, Exact: true, By: WaitersQueue}) {
		t.Errorf("%+v", l)
	}
	if l := judged(t, hashRecord("rql:lock:orders", 0, "acq_id", "me", "ini_ttl", "5000", "ts", "1767323044.5")); l.Scheme != SchemeRQL ||
		l.Holders[0].Label != "me, since 2026-01-02 03:04:04Z" || l.State != StateStuck {
		t.Errorf("an acquirer of another form: %+v", l)
	}
	rules := Rules(nil)
	for _, queue := range rules.Of(held).Keys {
		if !slices.Contains(rules.Owners(queue), "rql:lock:orders") {
			t.Errorf("%s belongs to %q", queue, rules.Owners(queue))
		}
	}
}
