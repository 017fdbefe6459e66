package inspector

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// fieldsRecord is a hash of holders with their entry counts, each with the end of its own field;
// zero: none.
func fieldsRecord(expires time.Time, fields ...keyspace.Field) keyspace.Record {
	return keyspace.Record{
		Ref: keyspace.Ref{Node: sceneNode, Key: sceneKey}, Type: keyspace.TypeHash, Size: int64(len(fields)), ExpiresAt: expires,
		Value: keyspace.Value{Fields: fields},
	}
}

// fieldOf is a field with an entry count that ends at a time.
func timedField(name string, count int, ends time.Time) keyspace.Field {
	return keyspace.Field{Name: name, Value: fmt.Sprint(count), EndsAt: ends.UnixMicro(), ExpireTime: ends.UnixMilli()}
}

// entryUntil reads a hash with one holder whose field has a TTL.
func (c *scene) entryUntil(owner string, count int, field, key time.Time) *scene {
	return c.read(fieldsRecord(key, timedField(owner, count, field)))
}

func TestALeaseEndsWithTheField(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	end := c.in(3 * time.Second)
	c.hints("new", "hset", "hexpire").entryUntil("w", 1, end, time.Time{}).expect("acquired w")
	l := c.must(StateHeld)
	if ttl, ends := l.TTLAt(c.now); !ends || (ttl-end.Sub(c.now)).Abs() > time.Microsecond || !l.EndsByField() || len(l.Findings) != 0 {
		t.Errorf("%v left (%v), by its field: %v, findings %v", ttl, ends, l.EndsByField(), l.Findings)
	}
	if h := l.Holders[0]; h.ExpiresAt.Sub(end).Abs() > time.Microsecond {
		t.Errorf("the holder's lease ends at %v, want %v", h.ExpiresAt, end)
	}
	if l.ExpireTime() != end.UnixMilli() || !strings.Contains(strings.Join(l.Evidence, "; "), evidenceFieldTTL) {
		t.Errorf("expire time %d, evidence %q", l.ExpireTime(), l.Evidence)
	}
	c.after(4 * time.Second)
	c.must(StateExpired) // counted down here; the server has not said anything
}

// The earlier of the two ends counts, whichever it is.
func TestTheEarlierEndCounts(t *testing.T) {
	for name, test := range map[string]struct {
		field, key time.Duration
		byField    bool
	}{
		"the field's": {3 * time.Second, time.Minute, true},
		"the key's":   {time.Minute, 3 * time.Second, false},
	} {
		c := newScene(t, keyspace.FeedPush)
		end := c.in(3 * time.Second)
		c.hints("new", "hset", "expire", "hexpire").entryUntil("w", 1, c.in(test.field), c.in(test.key))
		l := c.must(StateHeld)
		if ttl, _ := l.TTLAt(c.now); ttl > 3*time.Second || ttl < 2*time.Second || l.EndsByField() != test.byField {
			t.Errorf("%s: %v left, want %v; by its field: %v", name, ttl, end.Sub(c.now), l.EndsByField())
		}
	}
}

func TestHowALeaseOfAFieldEnds(t *testing.T) {
	for name, test := range map[string]struct {
		hints []string
		after time.Duration // since the acquisition
		want  string
	}{
		"the field expires, and the key with it":               {[]string{"hexpired", "del"}, 3 * time.Second, "expired w expired"},
		"the server is quick":                                  {[]string{"hexpired", "del"}, 2995 * time.Millisecond, "expired w expired"},
		"the field is hidden, and no event came":               {nil, 3100 * time.Millisecond, "expired w expired"},
		"its holder releases it":                               {[]string{"hdel", "del"}, time.Second, "released w released"},
		"it is deleted":                                        {[]string{"del"}, time.Second, "released w freed"},
		"another field expires, and it is deleted right after": {[]string{"hexpired", "del"}, time.Second, "released w freed"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newScene(t, keyspace.FeedPush)
			c.hints("new", "hset", "hexpire").entryUntil("w", 1, c.in(3*time.Second), time.Time{}).expect("acquired w")
			c.now = schemeNow.Add(test.after)
			c.hints(test.hints...)
			if len(test.hints) == 0 { // Redis hides the field, counts it in HLEN, and shows no other
				c.read(fieldsRecord(time.Time{})).expect(test.want)
			} else {
				c.gone().expect(test.want)
			}
		})
	}
}

func TestRenewalsOfAField(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	c.hints("new", "hset", "expire", "hexpire").entryUntil("w", 1, c.in(lease), c.in(time.Hour)).expect("acquired w")
	c.after(10*time.Second).hints("hexpire").entryUntil("w", 1, c.in(lease), c.in(time.Hour)).expect("renewed w")
	field := c.in(10*time.Second + lease)
	c.after(10*time.Second).hints("hexpire", "expire").entryUntil("w", 1, field, c.in(2*time.Hour)).expect("renewed w")
	c.after(time.Second).hints("expire").entryUntil("w", 1, field, c.in(3*time.Hour)).expect() // the key's end alone
	if l := c.must(StateHeld); l.Renewals != 2 {
		t.Errorf("%d renewals, want 2", l.Renewals)
	}
	c.after(time.Second).hints("hpersist").entry("w", 1, c.in(2*time.Hour)).expect("extended w")
	if l := c.must(StateHeld); l.EndsByField() {
		t.Error("the field has no TTL any more")
	}
	c.after(time.Second).hints("persist").entry("w", 1, time.Time{}).expect()
	c.must(StateStuck)
}

// The same client has it again: a field that expired in between was another hold.
func TestTheSameHolderAfterItsFieldExpired(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	c.hints("new", "hset", "hexpire").entryUntil("w", 1, c.in(3*time.Second), time.Time{}).expect("acquired w")
	seen := c.must(StateHeld)
	c.after(3*time.Second).hints("hexpired", "hset", "hexpire").entryUntil("w", 1, c.in(3*time.Second), time.Time{})
	c.expect("handed-over w<w expired")
	if same, why := SameHold(seen, c.must(StateHeld), "w"); same || !strings.Contains(why, "expired") {
		t.Errorf("same hold: %v (%s)", same, why)
	}
}

func TestSameHoldByItsField(t *testing.T) {
	c := newScene(t, keyspace.FeedPoll)
	field := c.in(lease)
	c.entryUntil("w", 1, field, c.in(time.Hour))
	seen := c.must(StateHeld)
	if !seen.Tells("w") {
		t.Error("the end of a field tells one hold from the next")
	}
	c.after(time.Second).entryUntil("w", 1, field, c.in(2*time.Hour))
	if same, why := SameHold(seen, c.must(StateHeld), "w"); !same {
		t.Errorf("the key's end has moved, the field's has not: %s", why)
	}
	c.after(time.Second).entryUntil("w", 1, c.in(lease), c.in(2*time.Hour))
	if same, _ := SameHold(seen, c.must(StateHeld), "w"); same {
		t.Error("a poll found another end of the field: a renewal, or another hold")
	}
}

// One of several holders goes with the end of its field, and another one by its release.
func TestOneOfSeveralHoldersExpires(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	rw := func(readers ...keyspace.Field) *scene {
		return c.read(fieldsRecord(c.in(time.Hour), append([]keyspace.Field{{Name: "mode", Value: "read"}}, readers...)...))
	}
	a, b, d := scenePeer+":1", scenePeer+":2", scenePeer+":3"
	end := c.in(3 * time.Second)
	c.hints("new", "hset", "hset", "hset")
	rw(timedField(a, 1, end), timedField(b, 1, c.in(lease)), keyspace.Field{Name: d, Value: "1"})
	c.expect("acquired "+a, "acquired "+b, "acquired "+d)
	l := c.must(StateHeld)
	if l.Scheme != SchemeRedissonRW || len(l.Holders) != 3 || l.Holders[0].ExpiresAt.Sub(end).Abs() > time.Microsecond || !l.Holders[2].ExpiresAt.IsZero() {
		t.Fatalf("%s: %+v", l.Scheme, l.Holders)
	}
	if l.EndsByField() {
		t.Error("a holder without such an end has it longer")
	}
	c.now = end.Add(-3 * time.Millisecond) // the server's clock is ahead
	c.hints("hexpired")
	rw(timedField(b, 1, c.in(lease)), keyspace.Field{Name: d, Value: "1"})
	c.expect("expired "+a+" expired", "renewed "+b)
	c.after(time.Second).hints("hdel")
	rw(keyspace.Field{Name: d, Value: "1"}).expect("released " + b + " released")
}

const scenePeer = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"

// Where the TTLs of fields cannot be read, a key without a TTL proves nothing.
func TestAnEndThatIsUnknown(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	r := hashRecord(sceneKey, 0, "w:1", "1")
	r.FieldTTLsUnread = true
	c.hints("new", "hset").read(r)
	l := c.must(StateHeld)
	if _, ends := l.TTLAt(c.now); ends || !l.EndUnknown() || len(l.Findings) != 0 {
		t.Errorf("ends %v, unknown %v, findings %v", ends, l.EndUnknown(), l.Findings)
	}
	r.FieldTTLsUnread = false
	c.after(time.Second).read(r)
	if l := c.must(StateStuck); l.EndUnknown() {
		t.Error("it is known to have no end")
	}
}
