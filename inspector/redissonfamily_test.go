package inspector

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

const (
	threadA = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:1"
	threadB = "9c2b1e77-02a4-4f51-a1c0-5d1f3c5a7b9e:7"
)

// with adds what belongs to a key.
func with(r keyspace.Record, companions ...keyspace.Record) keyspace.Record {
	for i := range companions {
		companions[i].ReadAt = r.ReadAt
	}
	r.Companions = companions
	return r
}

// elements is a read of a collection: names and values in turn.
func elements(t keyspace.Type, key string, ttl time.Duration, namesAndValues ...string) keyspace.Record {
	r := recordOf(t, key, ttl)
	r.Size = 0
	for i := 0; i < len(namesAndValues); i += 2 {
		r.Value.Fields = append(r.Value.Fields, keyspace.Field{Name: namesAndValues[i], Value: namesAndValues[i+1]})
		r.Size++
	}
	return r
}

func listOf(key string, names ...string) keyspace.Record {
	r := recordOf(keyspace.TypeList, key, 0)
	r.Size = int64(len(names))
	for _, name := range names {
		r.Value.Fields = append(r.Value.Fields, keyspace.Field{Name: name})
	}
	return r
}

func sized(t keyspace.Type, name string, n int64) keyspace.Record {
	r := recordOf(t, name, 0)
	r.Size = n
	return r
}

func channelOf(name string, n int64) keyspace.Record { return sized(keyspace.TypeChannel, name, n) }

// ms is a moment of the tests as milliseconds.
func ms(d time.Duration) string { return fmt.Sprint(schemeNow.Add(d).UnixMilli()) }

func judged(t *testing.T, r keyspace.Record) *Lock {
	t.Helper()
	l, is := Rules(nil).Inspect(r, schemeNow)
	if !is {
		t.Fatalf("%s %q is taken for no lock: %+v", r.Type, r.Key, r)
	}
	return l
}

func TestRedissonAndItsCompanions(t *testing.T) {
	lock := hashRecord("myLock", 29998*time.Millisecond, threadA, "2")
	plain := judged(t, with(lock, channelOf("redisson_lock__channel:{myLock}", 3)))
	if plain.Scheme != SchemeRedisson || plain.Waiters != (Waiters{Count: 3, By: WaitersSubscribers}) || plain.FencingToken != nil {
		t.Errorf("plain: %+v", plain)
	}
	if l := judged(t, lock); l.Waiters != (Waiters{By: WaitersNone}) {
		t.Errorf("nobody could be asked: %+v", l.Waiters)
	}
	fenced := judged(t, with(lock, stringRecord("redisson_lock_token:{myLock}", "2", 0)))
	if fenced.FencingToken == nil || *fenced.FencingToken != 2 || !slices.Contains(fenced.CompanionKeys(), "redisson_lock_token:{myLock}") {
		t.Errorf("fenced: %+v", fenced)
	}
	fair := judged(t, with(lock, listOf("redisson_lock_queue:{myLock}", threadB, threadB+"8", threadB+"9"),
		elements(keyspace.TypeZSet, "redisson_lock_timeout:{myLock}", 0, threadB, ms(-time.Second), threadB+"8", ms(time.Minute)),
		channelOf("redisson_lock__channel:{myLock}", 0)))
	if fair.Waiters != (Waiters{Count: 2, Exact: true, By: WaitersQueue}) {
		t.Errorf("fair: %+v", fair.Waiters)
	}
	if !hasCode(fair, CodeStaleWaiters) || hasCode(plain, CodeStaleWaiters) {
		t.Errorf("findings: %v, %v", codes(fair), codes(plain))
	}
	entry := judged(t, hashRecord("{prices}:AAECAwQFBgcICQoLDA0ODw==:lock", time.Minute, threadA, "1"))
	if !slices.Contains(entry.Evidence, "it locks an entry of the map prices") {
		t.Errorf("evidence %q", entry.Evidence)
	}
}

func TestWhatBelongsToRedisson(t *testing.T) {
	rules := Rules(nil)
	for _, key := range []string{"myLock", "a:{b}:c", "{x}"} {
		lock := hashRecord(key, time.Minute, threadA, "1")
		rw := hashRecord(key, time.Minute, "mode", "read", threadA, "2", threadB, "1")
		permits := stringRecord(key, "3", 0)
		for _, r := range []keyspace.Record{lock, rw, permits} {
			company := rules.Of(r)
			names := slices.Concat(company.Keys, company.Channels)
			if len(names) == 0 {
				t.Fatalf("nothing belongs to %+v", r)
			}
			for _, name := range names {
				if !slices.Contains(rules.Owners(name), key) {
					t.Errorf("%s does not belong to %s: %q", name, key, rules.Owners(name))
				}
			}
		}
		if got := rules.Owners("redisson_lock__channel:" + strings.TrimPrefix(RedissonName("", key), ":") + ":" + threadA); !slices.Contains(got, key) {
			t.Errorf("a fair waiter's channel belongs to %q", got)
		}
	}
	if got := rules.Of(hashRecord("lock", time.Minute, "a", "1")); got.Keys != nil {
		t.Errorf("%+v belongs to a plain hash", got)
	}
	for _, name := range []string{"lock:orders", "", "redisson", "x:timeout", "redisson_lock_queue:x"} {
		if got := rules.Owners(name); got != nil {
			t.Errorf("%q belongs to %q", name, got)
		}
	}
}

func TestRedissonReadWriteLock(t *testing.T) {
	read := judged(t, with(hashRecord("rwL", 30*time.Second, "mode", "read", threadA, "2", threadB, "1"),
		stringRecord("{rwL}:"+threadA+":rwlock_timeout:1", "1", 10*time.Second),
		stringRecord("{rwL}:"+threadA+":rwlock_timeout:2", "1", 30*time.Second),
		stringRecord("{rwL}:"+threadB+":rwlock_timeout:1", "1", 5*time.Second),
		channelOf("redisson_rwlock:{rwL}", 1)))
	want := []Holder{
		{Owner: threadA, Label: "client 0f4d3a52, thread 1", Count: Count{2, true}, ExpiresAt: schemeNow.Add(30 * time.Second)},
		{Owner: threadB, Label: "client 9c2b1e77, thread 7", Count: Count{1, true}, ExpiresAt: schemeNow.Add(5 * time.Second)},
	}
	if read.Scheme != SchemeRedissonRW || read.Mode != ModeRead || !slices.Equal(read.Holders, want) ||
		read.Waiters != (Waiters{Count: 1, By: WaitersSubscribers}) {
		t.Errorf("%+v", read)
	}
	write := judged(t, hashRecord("rwL", 30*time.Second, "mode", "write", threadA+":write", "1", threadA, "1"))
	if h := soleHolder(t, write); write.Mode != ModeWrite || h.Owner != threadA+":write" || h.Label != "client 0f4d3a52, thread 1" {
		t.Errorf("%+v", write)
	}
}

func TestRedissonPermits(t *testing.T) {
	permit := "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\xff"
	forever := strings.Repeat("\xfe", 16)
	l := judged(t, with(stringRecord("pool", "3", 0),
		elements(keyspace.TypeZSet, "{pool}:timeout", 0, permit, ms(20*time.Second), forever, "922337203685477")))
	want := []Holder{
		{Owner: permit, Label: "permit 000102030405060708090a0b0c0d0eff", ExpiresAt: schemeNow.Add(20 * time.Second).Local()},
		{Owner: forever, Label: "permit " + strings.Repeat("fe", 16)},
	}
	if l.Scheme != SchemeRedissonPermits || l.Mode != ModeSemaphore || l.State != StateHeld || len(l.Holders) != 2 ||
		l.Holders[1] != want[1] || !l.Holders[0].ExpiresAt.Equal(want[0].ExpiresAt) || l.Holders[0].Label != want[0].Label {
		t.Errorf("%+v", l)
	}
	if !slices.Contains(l.Evidence, "3 permits are free") {
		t.Errorf("evidence %q", l.Evidence)
	}
	for name, r := range map[string]keyspace.Record{
		"a counter":     stringRecord("pool", "3", 0),
		"none held":     with(stringRecord("pool", "3", 0), elements(keyspace.TypeZSet, "{pool}:timeout", 0)),
		"other members": with(stringRecord("pool", "3", 0), elements(keyspace.TypeZSet, "{pool}:timeout", 0, "a", "1")),
	} {
		if l, is := Rules(nil).Inspect(r, schemeNow); is {
			t.Errorf("%s is taken for %s", name, l.Scheme)
		}
	}
}

// A number is a counter, unless somebody says or waits otherwise.
func TestRedissonSemaphoreAndLatch(t *testing.T) {
	listened := with(stringRecord("pool", "3", 0), channelOf("redisson_sc:{pool}", 2))
	l := judged(t, listened)
	if l.Scheme != SchemeRedissonSemaphore || l.State != StateHeld || l.Waiters.Count != 2 || soleHolder(t, l).Label != "3 permits are free" {
		t.Errorf("%+v", l)
	}
	rules := mustRules(t, "pool=redisson-semaphore", "latch=redisson-latch")
	if l, is := rules.Inspect(stringRecord("pool", "0", 0), schemeNow); !is || l.Scheme != SchemeRedissonSemaphore {
		t.Errorf("%v %+v", is, l)
	}
	if l, is := rules.Inspect(with(stringRecord("latch", "5", 0), channelOf("redisson_countdownlatch__channel__{latch}", 1)), schemeNow); !is ||
		l.Scheme != SchemeRedissonLatch || l.Waiters.Count != 1 || l.Holders[0].Label != "5 count-downs are left" {
		t.Errorf("%v %+v", is, l)
	}
	if got := rules.Of(stringRecord("latch", "5", 0)); !slices.Equal(got.Channels, []string{"redisson_countdownlatch__channel__{latch}"}) {
		t.Errorf("%+v", got)
	}
	if _, is := Rules(nil).Inspect(stringRecord("latch", "5", 0), schemeNow); is {
		t.Error("a number is taken for a latch without a rule")
	}
}

// Every value of a group is locked by itself; what an earlier holder has left behind is nobody's.
func TestRedissonMultiLock(t *testing.T) {
	const first, second = "4Zr0IIXHwTtrhPGoQbxGlA", "9/r0IIXHwTtrhPGoQbxG+Q"
	lock := hashRecord("class_100", time.Minute,
		first, threadA,
		first+":"+threadA+":expire_time", ms(20*time.Second), first+":"+threadA+":lock_count", "2",
		first+":"+threadB+":expire_time", ms(-time.Hour), first+":"+threadB+":lock_count", "1",
		second, threadB,
		second+":"+threadB+":expire_time", ms(time.Minute), second+":"+threadB+":lock_count", "1")
	l := judged(t, with(lock, channelOf("redisson_lock__channel:{class_100}", 2)))
	want := []Holder{
		{Owner: first, Label: "client 0f4d3a52, thread 1, value " + first, Count: Count{2, true}, ExpiresAt: endOf(schemeNow.Add(20 * time.Second).UnixMilli())},
		{Owner: second, Label: "client 9c2b1e77, thread 7, value " + second, Count: Count{1, true}, ExpiresAt: endOf(schemeNow.Add(time.Minute).UnixMilli())},
	}
	if l.Scheme != SchemeRedissonMulti || l.Mode != ModeExclusive || l.State != StateHeld || !slices.Equal(l.Holders, want) ||
		l.Waiters != (Waiters{Count: 2, By: WaitersSubscribers}) {
		t.Errorf("%+v", l)
	}
	if got := Rules(nil).Of(lock); !slices.Equal(got.Channels, []string{"redisson_lock__channel:{class_100}"}) || len(got.Keys) > 0 {
		t.Errorf("%+v", got)
	}
}

// Readers come and go one by one; each has a hold of its own.
func TestReadersComeAndGo(t *testing.T) {
	for _, feed := range []keyspace.Feed{keyspace.FeedPush, keyspace.FeedTracking, keyspace.FeedPoll} {
		t.Run(string(feed), func(t *testing.T) {
			c := newScene(t, feed)
			hint := func(push string) []string {
				return map[keyspace.Feed][]string{keyspace.FeedPush: {push}, keyspace.FeedTracking: {"invalidate"}}[feed]
			}
			readers := func(fields ...string) *scene {
				r := hashRecord(sceneKey, 0, append([]string{"mode", "read"}, fields...)...)
				r.ExpiresAt = c.in(30 * time.Second)
				return c.read(r)
			}
			c.hints(hint("new")...)
			readers(threadA, "1")
			c.expect("acquired " + threadA)
			c.after(time.Second).hints(hint("hincrby")...)
			readers(threadA, "1", threadB, "1")
			c.expect("acquired " + threadB)
			l := c.must(StateHeld)
			if len(l.Holders) != 2 || len(l.History) != 2 || !l.History[0].Until.IsZero() || !l.History[1].Until.IsZero() || l.HeldSince != l.History[0].Since {
				t.Fatalf("%+v", l)
			}
			c.after(time.Second).hints(hint("hincrby")...)
			readers(threadA, "1", threadB, "2")
			c.expect("reentered " + threadB)
			c.after(time.Second).hints(hint("hdel")...)
			readers(threadB, "2")
			gone := "released " + threadA + " released"
			if feed == keyspace.FeedPoll {
				gone = "deleted " + threadA + " unknown"
			}
			c.expect(gone)
			l = c.must(StateHeld)
			if l.History[0].Until.IsZero() || !l.History[1].Until.IsZero() || l.HeldSince != l.History[1].Since {
				t.Fatalf("%+v", l.History)
			}
			c.after(time.Second).hints(hint("del")...).gone()
			if l = c.must(StateFreed); l.History[1].Until.IsZero() {
				t.Fatalf("%+v", l.History)
			}
		})
	}
}

// However many come and go, the holds of those who are still there are kept.
func TestHoldsThatGoOnAreKept(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	readers := func(threads ...int) {
		fields := []string{"mode", "read"}
		for _, n := range threads {
			fields = append(fields, fmt.Sprintf("0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:%d", n), "1")
		}
		r := hashRecord(sceneKey, 0, fields...)
		r.ExpiresAt = c.in(30 * time.Second)
		c.hints("hincrby").read(r)
	}
	readers(1, 2)
	for n := range 2 * maxHolds {
		c.after(time.Second)
		readers(1, 2, 1000+n)
	}
	l := c.must(StateHeld)
	open := 0
	for _, h := range l.History {
		if h.Until.IsZero() {
			open++
		}
	}
	if open != 3 || len(l.History) > maxHolds || !l.HeldSince.Equal(l.History[0].Since) || l.History[0].Owner != "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:1" {
		t.Errorf("%d holds go on of %d, held since %v, the first is %+v", open, len(l.History), l.HeldSince, l.History[0])
	}
}
