package inspector

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// Clients that listen on a channel that bears a key's name wait for it; those on a channel of all
// locks may.
func TestWaitersOnChannels(t *testing.T) {
	const hex = "594730fb989a42f9c4b373d423b32f22"
	minute := time.Minute
	permit := zsetOf("semaphore:pool", minute, "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e_0", ms(0))
	mutex := stringRecord("@simple-redis-mutex:lock-orders", "0.6075864698125371", minute)
	for _, c := range []struct {
		r    keyspace.Record
		want Waiters
	}{
		{with(stringRecord("lock:orders", hex, minute), channelOf("lock:orders:released", 2)), Waiters{Count: 2, By: WaitersSubscribers}},
		{with(stringRecord("lock:orders", hex, 0), channelOf("unlock:lock:orders", 1)), Waiters{Count: 1, By: WaitersSubscribers}},
		{with(hashRecord("lock:orders", minute, "worker", "1"), channelOf("lock:orders.unlocked", 1)), Waiters{Count: 1, By: WaitersSubscribers}},
		{with(stringRecord("lock:orders", hex, minute), channelOf("rlock-channel:lock:orders", 1)), Waiters{Count: 1, By: WaitersSubscribers}},
		{with(permit, channelOf("semaphore:pool:released", 3)), Waiters{Count: 3, By: WaitersSubscribers}},
		{with(mutex, channelOf("@simple-redis-mutex:locks-releases", 4)), Waiters{Count: 4, By: WaitersShared}},
		{with(mutex, channelOf("@simple-redis-mutex:locks-releases", 0)), Waiters{Exact: true, By: WaitersShared}},
		{with(stringRecord("lock:orders", hex, minute), channelOf("lock:other:released", 2)), Waiters{By: WaitersNone}},
		{stringRecord("lock:orders", hex, minute), Waiters{By: WaitersNone}},
	} {
		if l := judged(t, c.r); l.Waiters != c.want {
			t.Errorf("%s, %+v: waiters %+v, want %+v", c.r.Key, c.r.Companions, l.Waiters, c.want)
		}
	}
	// effect-distributed-lock with any key prefix and any holder names.
	l := judged(t, with(zsetOf("pool-lock", minute, "web-1_0", ms(0), "web-1_1", ms(0)), channelOf("pool-lock:released", 1)))
	if l.Scheme != SchemeRedisSemaphore || len(l.Holders) != 2 {
		t.Errorf("%s, %+v", l.Scheme, l.Holders)
	}
}

// TestAnnouncementsAreHeard: every channel on which locktop itself announces a release is heard, and none of keyspace notifications.
func TestAnnouncementsAreHeard(t *testing.T) {
	rules := mustRules(t, "orders:locks:*=spring-integration", "*:x=spring-integration", "odd name:*=spring-integration")
	globs := rules.Announcements()
	heard := func(channel string) bool {
		return slices.ContainsFunc(globs, func(glob string) bool { return (keyspace.Pattern{Glob: glob}).Match(channel) })
	}
	for _, channel := range []string{
		"redisson_lock__channel:{orders}", "redisson_rwlock:{orders}", "redisson_sc:{orders}", RedissonLatchName("orders"),
		SimpleMutexChannel, "lock-release", "semaphore:pool:released", "released:lock:orders", "unlock:orders", "lock:orders.unlocked",
		"orders-channel:orders:locks:7", "orders:locks-channel:orders:locks:7", "odd name-channel:odd name:7",
	} {
		if !heard(channel) {
			t.Errorf("%s is not heard", channel)
		}
	}
	for _, channel := range []string{
		"__keyspace@0__:lock:release", "__keyevent@0__:released", "__redis__:invalidate", "x-channel:x:1", "chat", "orders",
	} {
		if heard(channel) {
			t.Errorf("%s is heard by %q", channel, globs)
		}
	}
	for message, want := range map[string][]string{
		"lock:orders": {"lock:orders"}, "": nil, "0": {"0"}, strings.Repeat("x", maxAnnouncement+1): nil,
		`{ "key": "lock:orders", "value": "1" }`: {`{ "key": "lock:orders", "value": "1" }`, "lock:orders"},
	} {
		if got := keysInMessage(message); !slices.Equal(got, want) {
			t.Errorf("%.40q names %q, want %q", message, got, want)
		}
	}
}

func TestChannelsOfKeys(t *testing.T) {
	rules := Rules(nil)
	for channel, want := range map[string][]string{
		"lock:orders:released": {"lock:orders"}, "lock:orders-unlock": {"lock:orders"}, "released:lock:orders": {"lock:orders"},
		"semaphore:pool:released": {"semaphore:pool"}, "@simple-redis-mutex:locks-releases": nil, "orders": nil, ":released": nil, "release:": nil,
		"rlock-channel:lock:py:orders": {"lock:py:orders"}, "lock:channel:orders": {"orders"}, "lock:orders:notify": {"lock:orders"},
		"channel:lock:orders": {"lock:orders"}, "chat:channel:7": nil, "channel": nil, "lock-channel:": nil, "locks:orders:7": nil,
	} {
		if got := rules.Owners(channel); !slices.Equal(got, want) {
			t.Errorf("%s belongs to %q, want %q", channel, got, want)
		}
	}
	listed := func(channel string) bool {
		return slices.ContainsFunc(rules.Channels(), func(glob string) bool { return (keyspace.Pattern{Glob: glob}).Match(channel) })
	}
	for _, channel := range []string{"lock:orders:released", "unlock:x", "lock-release", SimpleMutexChannel, "redisson_lock__channel:{x}", "rlock-channel:orders"} {
		if !listed(channel) {
			t.Errorf("nobody asks for %s", channel)
		}
	}
	if !rules.Of(stringRecord("lock:orders", "x", 0)).Open || rules.Of(stringRecord("session:7", "x", 0)).Open {
		t.Error("keys with a lock's name, and no others, may have a channel")
	}
}

// What a library says on its channel is known of some, and nothing is said in place of the others.
func TestAnnouncements(t *testing.T) {
	mutex := judged(t, stringRecord("@simple-redis-mutex:lock-orders", "0.25", time.Minute))
	want := []Announcement{{"@simple-redis-mutex:locks-releases", `{ "key": "@simple-redis-mutex:lock-orders", "value": "0.25" }`}}
	if got := mutex.Announcements(1); !slices.Equal(got, want) || mutex.LibraryNames() != "simple-redis-mutex (npm)" {
		t.Errorf("%q, %s", got, mutex.LibraryNames())
	}
	const uuid = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
	effect := judged(t, zsetOf("semaphore:pool", time.Minute, uuid+"_0", ms(0)))
	if got := effect.Announcements(2); !slices.Equal(got, []Announcement{{"semaphore:pool:released", "2"}}) {
		t.Errorf("%q", got)
	}
	plain := judged(t, zsetOf("semaphore:pool", time.Minute, uuid, ms(0)))
	if got := plain.Announcements(1); got != nil {
		t.Errorf("redis-semaphore's clients poll: %q", got)
	}
	other := judged(t, with(stringRecord("lock:orders", "web-1:4711", time.Minute), channelOf("lock:orders:released", 2)))
	if got := other.Announcements(1); got != nil || !slices.Equal(other.UntoldChannels(), []string{"lock:orders:released"}) {
		t.Errorf("%q, %q", got, other.UntoldChannels())
	}
}
