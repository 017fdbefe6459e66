package inspector

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

const (
	symfonyA = "K7gNU3sdo+OL0wNhqoVWhr3g6s1xYv72ol/pe/Unols="
	symfonyB = "9f0rT2m0xkV5Yb6qg3u1hJwPzA8dC4eLsN7iQoXyZaE="
)

// heldBy checks the scheme, the mode and the owners of a lock.
func heldBy(t *testing.T, l *Lock, scheme Scheme, mode Mode, owners ...string) {
	t.Helper()
	var got []string
	for _, h := range l.Holders {
		got = append(got, h.Owner)
	}
	if l.Scheme != scheme || l.Mode != mode || !slices.Equal(got, owners) {
		t.Errorf("%q: %s, %s, %q; want %s, %s, %q", l.Key, l.Scheme, l.Mode, got, scheme, mode, owners)
	}
}

func zsetOf(key string, ttl time.Duration, membersAndScores ...string) keyspace.Record {
	return elements(keyspace.TypeZSet, key, ttl, membersAndScores...)
}

func TestSymfony(t *testing.T) {
	exclusive := judged(t, zsetOf("report", time.Minute, symfonyA, ms(time.Minute), "__write__", ms(time.Minute)))
	heldBy(t, exclusive, SchemeSymfony, ModeExclusive, symfonyA)
	if !exclusive.Holders[0].ExpiresAt.Equal(schemeNow.Add(time.Minute)) || exclusive.State != StateHeld {
		t.Errorf("%+v", exclusive)
	}
	shared := judged(t, zsetOf("lock:report", 5*time.Minute, "A"+symfonyA[1:], ms(-time.Second), symfonyA, ms(time.Minute), symfonyB, ms(5*time.Minute)))
	heldBy(t, shared, SchemeSymfony, ModeRead, symfonyA, symfonyB)
	if !shared.LeaseEnds.Equal(schemeNow.Add(5*time.Minute)) || len(shared.Evidence) < 2 {
		t.Errorf("%+v", shared)
	}
	cut := judged(t, zsetOf("lock:report", time.Second, symfonyA, ms(time.Minute), "__write__", ms(time.Minute)))
	if !cut.Holders[0].ExpiresAt.Equal(schemeNow.Add(time.Second)) {
		t.Errorf("the key goes first, but the holder is said to end at %v", cut.Holders[0].ExpiresAt)
	}
	lapsed := judged(t, zsetOf("lock:report", time.Minute, symfonyA, ms(-2*time.Second), symfonyB, ms(-time.Second), "__write__", ms(-time.Second)))
	heldBy(t, lapsed, SchemeSymfony, ModeExclusive, symfonyB)
	if lapsed.State != StateLapsed {
		t.Errorf("state %s", lapsed.State)
	}
}

// TestLeasedSet has what py-redis-semaphore 0.2 leaves, which sets no TTL, and what is none.
func TestLeasedSet(t *testing.T) {
	const a, b = "190696e02ecc467d9d6a5a550bf6a24c:1795393048259134440", "fcd9d460656c487fafe0d1caac06681d:1795393048262449333"
	l := judged(t, zsetOf("semaphore:api:owners", 0, a, ms(20*time.Second), b, ms(30*time.Second)))
	heldBy(t, l, SchemeLeasedSet, ModeSemaphore, a, b)
	if !l.Holders[0].ExpiresAt.Equal(schemeNow.Add(20*time.Second)) || l.State != StateHeld || l.Waiters.By != WaitersNone || l.LeasedInSeconds() {
		t.Errorf("%+v", l)
	}
	l = judged(t, zsetOf("mutex:critical:owners", 0, "web-1:4711", inSeconds(-time.Minute), a, inSeconds(20*time.Second)))
	heldBy(t, l, SchemeLeasedSet, ModeSemaphore, a)
	if !l.LeasedInSeconds() {
		t.Error("its scores are seconds")
	}
	// redis-semaphore-eval 0.3
	const permit = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
	heldBy(t, judged(t, zsetOf("mail:semaphore", 0, permit, inSeconds(time.Minute))), SchemeLeasedSet, ModeSemaphore, permit)
	for _, r := range []keyspace.Record{
		zsetOf("semaphore:api:owners", 0, a, ms(-time.Second)),                              // of times that are over
		zsetOf("semaphore:api:owners", 0, a, ms(20*time.Second), b, inSeconds(time.Minute)), // of both
		zsetOf("semaphore:api:owners", 0, a, ms(8*24*time.Hour)),
		zsetOf("semaphore:api:owners", 0, a, "17"),
		zsetOf("semaphore:api:queue", 0, a, ms(20*time.Second)),
		zsetOf("shop:locks:expirations", 0, "orders:7", ms(20*time.Second)),
		zsetOf("delayed:jobs", 0, a, ms(20*time.Second)),
		zsetOf("lock:jobs:delayed", 0, a, ms(20*time.Second)),
		zsetOf("stock:lock:scheduled", 0, a, ms(20*time.Second)),
		zsetOf("lock:orders:timeouts", 0, a, ms(20*time.Second)),
	} {
		if l, is := Rules(nil).Inspect(r, schemeNow); is && l.Scheme == SchemeLeasedSet {
			t.Errorf("%q %v is taken for %s", r.Key, r.Value.Fields, l.Scheme)
		}
	}
}

// inSeconds is a moment of the tests as seconds with a fraction.
func inSeconds(d time.Duration) string {
	return strconv.FormatFloat(float64(schemeNow.Add(d).UnixMilli())/1000, 'f', -1, 64)
}

func TestSymfonySemaphore(t *testing.T) {
	times := zsetOf("{report}:time", 5*time.Minute, "A"+symfonyA[1:], inSeconds(-time.Second), symfonyA, inSeconds(time.Minute), symfonyB, inSeconds(90500*time.Millisecond))
	l := judged(t, with(times, zsetOf("{report}:weight", 5*time.Minute, symfonyA, "1", symfonyB, "3")))
	heldBy(t, l, SchemeSymfonySemaphore, ModeSemaphore, symfonyA, symfonyB)
	if h := l.Holders[1]; h.Label != symfonyB+", weight 3" || !h.ExpiresAt.Equal(schemeNow.Add(90500*time.Millisecond)) {
		t.Errorf("%+v", h)
	}
	rules := Rules(nil)
	if got := rules.Of(times).Keys; !slices.Equal(got, []string{"{report}:weight"}) || !slices.Equal(rules.Owners(got[0]), []string{times.Key}) {
		t.Errorf("%q belongs to it, and that to %q", got, rules.Owners("{report}:weight"))
	}
}

func TestDistributedSemaphore(t *testing.T) {
	const hex = "0f8fad5bd9cb469fa16570867728950e"
	l := judged(t, zsetOf("pool", time.Minute, "A_1_"+hex, ms(-time.Second), "WEB01_4242_"+hex, ms(20*time.Second)))
	heldBy(t, l, SchemeDistributedSemaphore, ModeSemaphore, "WEB01_4242_"+hex)
	if h := l.Holders[0]; h.Label != "WEB01, process 4242" || !h.ExpiresAt.Equal(schemeNow.Add(20*time.Second)) {
		t.Errorf("%+v", h)
	}
	dead := judged(t, zsetOf("pool", time.Minute, "A_1_"+hex, ms(-2*time.Second), "WEB01_4242_"+hex, ms(-time.Second)))
	heldBy(t, dead, SchemeDistributedSemaphore, ModeSemaphore, "WEB01_4242_"+hex)
	if dead.State != StateLapsed {
		t.Errorf("all leases are over, and the state is %s", dead.State)
	}
}

func TestDistributedReadersAndWriters(t *testing.T) {
	const a, b = "WEB01_4242_0f8fad5bd9cb469fa16570867728950e", "WEB02_17_1f8fad5bd9cb469fa16570867728950e"
	readers := elements(keyspace.TypeSet, "stock.readers", 30*time.Second, a, "", b, "")
	l := judged(t, readers)
	heldBy(t, l, SchemeDistributedRW, ModeRead, a, b)
	if l.Waiters != (Waiters{By: WaitersNone}) {
		t.Errorf("nobody is seen to wait: %+v", l.Waiters)
	}
	marked := stringRecord("stock.writer", b+"_WRITERWAITING", 30*time.Second)
	if got := judged(t, with(readers, marked)).Waiters; got != (Waiters{Count: 1, By: WaitersQueue}) {
		t.Errorf("a writer waits: %+v", got)
	}
	heldBy(t, judged(t, stringRecord("stock.writer", b, 30*time.Second)), SchemeDistributedRW, ModeWrite, b)
	for _, key := range []string{"stock.writer", "lock:stock.writer"} {
		marked.Key = key
		if l, is := Rules(nil).Inspect(marked, schemeNow); is {
			t.Errorf("%s: the mark of a writer that waits is taken for %s", key, l.Scheme)
		}
	}
	if got := Rules(nil).Owners("stock.writer"); !slices.Equal(got, []string{"stock.readers"}) || !slices.Equal(Rules(nil).Of(readers).Keys, []string{"stock.writer"}) {
		t.Errorf("the writer belongs to %q", got)
	}
}

func TestRedisSemaphore(t *testing.T) {
	const a, b, c = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e", "6b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e", "7b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
	// The last refresh, 2 s ago, has let the key live for 10 s; the client before it refreshed 8 s ago, and the first one is dead.
	l := judged(t, zsetOf("app:semaphore:pool", 8*time.Second, c, ms(-30*time.Second), a, ms(-8*time.Second), b+"_0", ms(-2*time.Second), b+"_1", ms(-2*time.Second)))
	heldBy(t, l, SchemeRedisSemaphore, ModeSemaphore, a, b+"_0", b+"_1")
	for i, want := range []time.Duration{2 * time.Second, 8 * time.Second, 8 * time.Second} {
		if got := l.Holders[i].ExpiresAt.Sub(schemeNow); got != want {
			t.Errorf("%s has %v left, want %v", l.Holders[i].Owner, got, want)
		}
	}
	if got := l.Holders[2].Label; got != "client 6b0e2f6c, permit 1" {
		t.Errorf("label %q", got)
	}
	if !slices.ContainsFunc(l.Evidence, func(s string) bool { return strings.Contains(s, "an estimate") }) {
		t.Errorf("nothing says that the leases are estimated: %q", l.Evidence)
	}
	ahead := judged(t, zsetOf("semaphore:pool", 8*time.Second, a, ms(20*time.Second)))
	if got := ahead.Holders[0].ExpiresAt.Sub(schemeNow); got != 8*time.Second {
		t.Errorf("the client's clock is ahead, and its lease has %v left", got)
	}
}

// An exclusive lock in a sorted set has renewals and hand-overs as any other, also where new keys are not announced.
func TestSymfonyOverTime(t *testing.T) {
	for _, announced := range []bool{true, false} {
		c := newScene(t, keyspace.FeedPush)
		begin := []string{"zadd", "zadd", "expire"}
		if announced {
			begin = append([]string{"new"}, begin...)
		}
		held := func(token string) *scene {
			end := c.in(30 * time.Second)
			score := strconv.FormatInt(end.UnixMilli(), 10)
			r := zsetOf(sceneKey, 0, token, score, "__write__", score)
			r.ExpiresAt = end
			return c.read(r)
		}
		c.hints("new")
		held(symfonyA).expect("acquired " + symfonyA)
		for range 3 {
			c.after(10*time.Second).hints("zadd", "zadd", "expire")
			held(symfonyA).expect("renewed " + symfonyA)
		}
		if l := c.must(StateHeld); l.Renewals != 3 || l.HeldSince != l.History[0].Since || len(l.Findings) > 0 {
			t.Errorf("%d renewals, %v", l.Renewals, codes(l))
		}
		c.after(time.Second).hints(append([]string{"zrem", "del"}, begin...)...)
		held(symfonyB).expect("released "+symfonyA+" released", "acquired "+symfonyB+"<"+symfonyA+" released")
		if l := c.must(StateHeld); !l.HeldExact || l.Renewals != 0 {
			t.Errorf("announced %v: held exactly since %v, %d renewals", announced, l.HeldExact, l.Renewals)
		}
		c.after(time.Second).hints("zrem", "del").gone().expect("released " + symfonyB + " released")
	}
}

// Those who have a permit come and go; who crashed is gone when its lease is over, though nothing is announced then.
func TestPermitsOverTime(t *testing.T) {
	const a, b = "A_1_0f8fad5bd9cb469fa16570867728950e", "B_2_0f8fad5bd9cb469fa16570867728950e"
	c := newScene(t, keyspace.FeedPush)
	start := c.now
	pool := func(membersAndEnds ...any) *scene {
		r := zsetOf(sceneKey, 0)
		for i := 0; i < len(membersAndEnds); i += 2 {
			end := start.Add(membersAndEnds[i+1].(time.Duration))
			r.Value.Fields = append(r.Value.Fields, keyspace.Field{Name: membersAndEnds[i].(string), Value: strconv.FormatInt(end.UnixMilli(), 10)})
			r.Size++
		}
		r.ExpiresAt = start.Add(90 * time.Second)
		return c.read(r)
	}
	c.hints("new")
	pool(a, 30*time.Second).expect("acquired " + a)
	c.after(time.Second).hints("zadd")
	pool(a, 30*time.Second, b, 31*time.Second).expect("acquired " + b)
	c.after(8 * time.Second).hints("zadd")
	pool(a, 30*time.Second, b, 40*time.Second).expect("renewed " + b)
	c.after(22 * time.Second)
	pool(a, 30*time.Second, b, 40*time.Second).expect("expired " + a + " expired")
	if l := c.must(StateHeld); soleHolder(t, l).Owner != b {
		t.Errorf("%+v", l.Holders)
	}
	c.after(10 * time.Second)
	if l := c.must(StateLapsed); soleHolder(t, l).Owner != b || !hasCode(l, CodeLapsed) {
		t.Errorf("%+v %v", l.Holders, codes(l))
	}
}
