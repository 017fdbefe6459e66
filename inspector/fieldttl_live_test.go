package inspector_test

import (
	"fmt"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

const fieldOwner = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42"

// A lock in a hash whose holder's field has a TTL, and the key none: it has an end, and ends with
// it. On a server without such TTLs it is stuck.
func TestALockThatEndsWithItsField(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	has := s.HasFieldTTLs()
	for feed, how := range map[keyspace.Feed]keyspace.ObserveOptions{
		keyspace.FeedPush: {}, keyspace.FeedPoll: {Notify: keyspace.NotifyOff, Poll: 50 * time.Millisecond},
	} {
		key := "lock:h:" + fmt.Sprint(feed)
		i := startBy(t, keyspace.Options{Network: "unix", Addr: s.Socket}, how, inspector.Options{}, feed)
		s.Do("HSET", key, fieldOwner, "1")
		if !has {
			lock(t, i, key, func(l *inspector.Lock) bool { return l.State == inspector.StateStuck && !l.EndUnknown() })
			continue
		}
		lock(t, i, key, func(l *inspector.Lock) bool { return l.State == inspector.StateStuck })
		s.Do("HPEXPIRE", key, 60_000, "FIELDS", 1, fieldOwner)
		ends := s.Do("HPEXPIRETIME", key, "FIELDS", 1, fieldOwner).([]any)[0].(int64)
		lock(t, i, key, func(l *inspector.Lock) bool {
			left, known := l.TTLAt(time.Now())
			return l.State == inspector.StateHeld && known && left > 50*time.Second && l.EndsByField() && l.ExpireTime() == ends && len(l.Findings) == 0
		})
		s.Do("HPEXPIRE", key, 300, "FIELDS", 1, fieldOwner)
		l := lock(t, i, key, func(l *inspector.Lock) bool { return l.State == inspector.StateFreed })
		if hold := l.History[len(l.History)-1]; hold.Cause != inspector.CauseExpired && (feed == keyspace.FeedPush || hold.Cause != inspector.CauseUnknown) {
			t.Errorf("by %v it ended as %q", feed, hold.Cause)
		}
	}
}

// The fields of readers end one by one.
func TestReadersWhoseFieldsExpire(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	if !s.HasFieldTTLs() {
		return // the scenes of this package have all that is to be said of it
	}
	const other = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:43"
	i := start(t, s, inspector.Options{})
	s.Do("EVAL", `redis.call('HSET', KEYS[1], 'mode', 'read', ARGV[1], 1, ARGV[2], 1) redis.call('PEXPIRE', KEYS[1], 60000)
		redis.call('HPEXPIRE', KEYS[1], 2000, 'FIELDS', 1, ARGV[1])`, 1, "lock:rw", fieldOwner, other)
	lock(t, i, "lock:rw", func(l *inspector.Lock) bool { return len(l.Holders) == 2 && l.FieldTTLs })
	l := lock(t, i, "lock:rw", func(l *inspector.Lock) bool { return len(l.Holders) == 1 && l.Holders[0].Owner == other })
	for _, hold := range l.History {
		if hold.Owner == fieldOwner && hold.Cause != inspector.CauseExpired {
			t.Errorf("its hold ended as %q", hold.Cause)
		}
	}
}

// A user who may not ask for the TTLs of fields sees no lock as stuck for it.
func TestFieldTTLsThatMayNotBeRead(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("ACL", "SETUSER", "old", "on", ">secret", "~*", "&*", "+@all")
	has := s.HasFieldTTLs()
	if has {
		s.Do("ACL", "SETUSER", "old", "-hpexpiretime")
	}
	at := keyspace.Options{Network: "unix", Addr: s.Socket, Username: "old", Password: "secret"}
	i := startBy(t, at, keyspace.ObserveOptions{}, inspector.Options{}, keyspace.FeedPush)
	s.Do("HSET", "lock:h", fieldOwner, "1")
	l := lock(t, i, "lock:h", func(*inspector.Lock) bool { return true })
	if stuck := l.State == inspector.StateStuck; stuck == has || l.EndUnknown() != has {
		t.Errorf("it is %s, and its end is unknown: %v", l.State, l.EndUnknown())
	}
}
