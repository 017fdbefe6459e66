package inspector

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"locktop/keyspace"
)

const lease = 30 * time.Second

// held is a scene in which "a" has acquired the lock before our eyes.
func held(t testing.TB) (*scene, time.Time) {
	c := newScene(t, keyspace.FeedPush)
	end := c.in(lease)
	c.hints("new", "set", "expire").text("a", end).expect("acquired a")
	return c, end
}

func TestAcquired(t *testing.T) {
	c, _ := held(t)
	l := c.must(StateHeld)
	if !l.HeldExact || !l.HeldSince.Equal(schemeNow.Add(time.Millisecond)) {
		t.Errorf("held since %v (exact: %v), want the time of the first hint", l.HeldSince, l.HeldExact)
	}
	if len(l.History) != 1 || !l.History[0].Until.IsZero() || l.Acquisitions[SparkBuckets-1] != 1 {
		t.Errorf("history %+v, acquisitions %v", l.History, l.Acquisitions)
	}
}

func TestFoundIsAtLeast(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	*c.store.passesOf(sceneNode) = passes{}
	c.text("a", c.in(lease)).expect()
	if l := c.must(StateHeld); l.HeldExact || l.History[0].SinceExact || l.Acquisitions != [SparkBuckets]uint16{} {
		t.Errorf("a lock that was found: %+v", l)
	}
}

func TestAbsentBefore(t *testing.T) {
	c := newScene(t, keyspace.FeedPoll)
	end := c.in(lease)
	c.text("a", end).expect("acquired a")
	if l := c.must(StateHeld); l.HeldExact {
		t.Error("a key that a later pass found: nobody knows since when it is there")
	}
	c.after(time.Second).gone().expect("released a freed")
	c.after(time.Second).text("b", c.in(lease)).expect("acquired b")
	if l := c.must(StateHeld); l.HeldExact || l.History[1].SinceExact {
		t.Error("the key was absent a second ago, and no hint told when it was made")
	}
}

// TestEnds: why a hold ended, told from the hint, the lease, and the gaps together.
func TestEnds(t *testing.T) {
	for name, test := range map[string]struct {
		feed  keyspace.Feed
		end   func(c *scene, lease time.Time)
		want  string
		cause Cause
		exact bool
	}{
		"deleted": {keyspace.FeedPush, func(c *scene, _ time.Time) { c.hints("del").gone() }, "released a freed", CauseFreed, true},
		"expired": {keyspace.FeedPush, func(c *scene, _ time.Time) { c.after(lease).hints("expired").gone() }, "expired a expired", CauseExpired, true},
		"expired, said as del": {
			keyspace.FeedPush, func(c *scene, _ time.Time) { c.after(lease + time.Second).hints("del").gone() }, "expired a expired", CauseExpired, true,
		},
		"evicted": {keyspace.FeedPush, func(c *scene, _ time.Time) { c.hints("evicted").gone() }, "deleted a evicted", CauseEvicted, true},
		"renamed": {keyspace.FeedPush, func(c *scene, _ time.Time) { c.hints("rename_from").gone() }, "deleted a unknown", CauseUnknown, true},
		"lease over, no hint": {
			keyspace.FeedPush, func(c *scene, _ time.Time) { c.after(lease).gone() }, "expired a expired", CauseExpired, true,
		},
		"hint on its way": {keyspace.FeedPush, func(c *scene, _ time.Time) { c.gone().hints("del").gone() }, "released a freed", CauseFreed, false},
		"tracking":        {keyspace.FeedTracking, func(c *scene, _ time.Time) { c.hints("invalidate").gone() }, "released a freed", CauseFreed, true},
		"poll":            {keyspace.FeedPoll, func(c *scene, _ time.Time) { c.after(time.Second).gone() }, "released a freed", CauseFreed, false},
		"poll, lease over": {
			keyspace.FeedPoll, func(c *scene, _ time.Time) { c.after(lease + 900*time.Millisecond).gone() }, "deleted a unknown", CauseUnknown, false,
		},
		"tracking, lease over": {
			keyspace.FeedTracking, func(c *scene, _ time.Time) { c.after(lease).hints("invalidate").gone() }, "expired a expired", CauseExpired, true,
		},
		"overwritten by data": {
			keyspace.FeedPush, func(c *scene, _ time.Time) { c.hints("set").text(`{"a":1}`, time.Time{}) }, "deleted a taken over", CauseTakenOver, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newScene(t, test.feed)
			end := c.in(lease)
			c.hints("new", "set", "expire").text("a", end).expect("acquired a")
			test.end(c, end)
			c.expect(test.want)
			l := c.must(StateFreed)
			hold := l.History[0]
			if l.FreedBy != test.cause || hold.Cause != test.cause || hold.UntilExact != test.exact || hold.Until.After(end.Add(time.Second)) {
				t.Errorf("freed by %s at %v; hold %+v", l.FreedBy, l.FreedAt, hold)
			}
			if hold.Cause == CauseExpired && hold.Until.After(end) {
				t.Errorf("the hold ended at %v, after its lease", hold.Until)
			}
			if c.after(6 * time.Second); c.lock() != nil {
				t.Error("the freed lock stays")
			}
		})
	}
}

func TestFlushed(t *testing.T) {
	c, _ := held(t)
	c.after(time.Second).gap("FLUSHALL was called").gone().expect("gap ", "deleted a flushed")
	if hold := c.must(StateFreed).History[0]; hold.UntilExact {
		t.Errorf("the end fell into a gap: %+v", hold)
	}
}

func TestBursts(t *testing.T) {
	t.Run("released and acquired between two reads", func(t *testing.T) {
		c, _ := held(t)
		c.hints("del", "new", "set", "expire").text("b", c.in(lease)).expect("released a freed", "acquired b<a freed")
		if l := c.must(StateHeld); !l.HeldExact || len(l.History) != 2 || l.Acquisitions[SparkBuckets-1] != 2 {
			t.Errorf("%+v", l)
		}
	})
	t.Run("expired and acquired", func(t *testing.T) {
		c, _ := held(t)
		c.after(lease).hints("expired", "new", "set", "expire").text("b", c.in(lease)).expect("expired a expired", "acquired b<a expired")
	})
	t.Run("the same token again", func(t *testing.T) {
		c, end := held(t)
		c.hints("del", "new", "set", "expire").text("a", end.Add(time.Second)).expect("released a freed", "acquired a<a freed")
	})
	t.Run("a server that does not announce new keys", func(t *testing.T) {
		c, _ := held(t)
		c.hints("del", "set", "expire").text("b", c.in(lease)).expect("released a freed", "acquired b<a freed")
	})
	t.Run("holds that nobody could read", func(t *testing.T) {
		c, _ := held(t)
		c.hints("del", "new", "set", "expire", "del", "new", "set", "expire", "del").gone()
		c.expect("released a freed", "acquired ", "released  freed")
		if l := c.must(StateFreed); l.Acquisitions[SparkBuckets-1] != 3 || len(l.History) != 2 {
			t.Errorf("%d acquisitions, history %+v", l.Acquisitions[SparkBuckets-1], l.History)
		}
		c.hints("new", "set", "expire", "del").gone().expect("acquired ", "released  freed")
	})
	t.Run("taken over in place", func(t *testing.T) {
		c, _ := held(t)
		c.hints("set", "expire").text("b", c.in(lease)).expect("lost a taken over", "handed-over b<a taken over")
		if found := codes(c.must(StateHeld)); fmt.Sprint(found) != "[lost-while-held]" {
			t.Errorf("findings %v", found)
		}
	})
	t.Run("unseen in a poll", func(t *testing.T) {
		c := newScene(t, keyspace.FeedPoll)
		c.text("a", c.in(lease)).expect("acquired a")
		c.after(time.Second).text("b", c.in(lease)).expect("handed-over b<a unknown")
		c.after(lease+time.Second).text("d", c.in(lease)).expect("handed-over d<b unknown")
	})
}

// TestReadsThatFellInBetween: a read answers at one moment, and the hints around it tell of others.
func TestReadsThatFellInBetween(t *testing.T) {
	t.Run("the lock ended after the read", func(t *testing.T) {
		c, end := held(t)
		c.hints("del").text("a", end).expect()
		c.gone().expect("released a freed")
	})
	t.Run("the key is really there again", func(t *testing.T) {
		c, end := held(t)
		c.hints("del").after(time.Second).text("a", end).expect("released a freed", "acquired a<a freed")
	})
	t.Run("the next lock began after the read", func(t *testing.T) {
		c, _ := held(t)
		c.hints("del", "new", "set", "expire").gone().expect("released a freed")
		c.text("b", c.in(lease)).expect("acquired b")
		if l := c.must(StateHeld); !l.HeldExact {
			t.Error("its beginning was announced")
		}
	})
	t.Run("the read was between a beginning and an end", func(t *testing.T) {
		c := newScene(t, keyspace.FeedPush)
		c.hints("new", "set", "expire", "del").text("a", c.in(lease)).expect("acquired a")
		c.gone().expect("released a freed")
		if hold := c.must(StateFreed).History[0]; hold.Until.Sub(hold.Since) != 3*time.Millisecond {
			t.Errorf("held for %v, want the 3 ms of the hints", hold.Until.Sub(hold.Since))
		}
	})
	t.Run("the news of its end came late", func(t *testing.T) {
		c := newScene(t, keyspace.FeedPush)
		c.hints("new", "set", "expire", "del").text("a", c.in(time.Second)).expect("acquired a")
		c.after(2 * time.Second).gone().expect("released a freed")
	})
	t.Run("a time that was written anew, and deleted", func(t *testing.T) {
		c := newScene(t, keyspace.FeedPush)
		first := c.ending("", lease)
		c.hints("new", "set").text(first, time.Time{}).expect("acquired " + first)
		c.after(time.Second).hints("set", "del").text(c.ending("", lease), time.Time{}).expect()
		c.gone().expect("released " + first + " freed")
	})
	t.Run("news of an acquisition that was read before", func(t *testing.T) {
		c := newScene(t, keyspace.FeedPush)
		end := c.in(lease)
		c.text("a", end).expect("acquired a")
		c.hints("new", "set", "expire").text("a", end).expect()
		if l := c.must(StateHeld); !l.HeldExact {
			t.Error("its beginning was announced")
		}
	})
	t.Run("news of an acquisition that the first pass was quicker to read", func(t *testing.T) {
		for told, want := range map[bool][]string{true: {"acquired a"}, false: nil} {
			c := newScene(t, keyspace.FeedPush)
			c.store = newStore(c.store.options, &eventLog{}) // its first pass is under way
			c.seen = 0
			c.status()
			c.text("a", c.in(lease)).expect()
			if told {
				c.late("new", "set", "expire")
			}
			c.text("a", c.in(lease)).expect(want...)
			if l := c.must(StateHeld); l.HeldExact != told {
				t.Errorf("told %v: held exact %v", told, l.HeldExact)
			}
			c.text("a", c.in(lease)).expect()
		}
	})
	t.Run("news of a hand-over that was read before", func(t *testing.T) {
		c, _ := held(t)
		end := c.after(time.Second).in(lease)
		c.text("b", end).expect("handed-over b<a unknown")
		c.late("del", "new", "set", "expire").text("b", end).expect()
		if l := c.must(StateHeld); !l.HeldExact || len(l.History) != 2 || l.Acquisitions[SparkBuckets-1] != 2 {
			t.Errorf("%+v", l)
		}
	})
	t.Run("news of an acquisition, and the next one was read", func(t *testing.T) {
		for _, events := range [][]string{{"set", "expire"}, {"new", "set", "expire"}} {
			c, _ := held(t)
			c.late(events...).text("b", c.in(lease)).expect("handed-over b<a unknown").findings(0)
		}
	})
	t.Run("made after the read", func(t *testing.T) {
		c := newScene(t, keyspace.FeedPush)
		c.hints("new", "set", "expire").gone().expect()
		c.text("a", c.in(lease)).expect("acquired a")
	})
}

func TestRenewals(t *testing.T) {
	c, _ := held(t)
	for range 4 {
		c.after(10*time.Second).hints("expire").text("a", c.in(lease)).expect("renewed a")
	}
	l := c.must(StateHeld)
	if l.Renewals != 4 || (l.RenewalPeriod-10*time.Second).Abs() > 10*time.Millisecond || l.History[0].Renewals != 4 {
		t.Errorf("%d renewals every %v, hold %+v", l.Renewals, l.RenewalPeriod, l.History[0])
	}
	if (l.Lease() - lease).Abs() > 10*time.Millisecond {
		t.Errorf("a lease of %v", l.Lease())
	}
	c.after(time.Second).hints("expire").text("a", c.in(10*lease)).expect("extended a")
	c.after(time.Second).hints("expire").text("a", c.in(lease)).expect() // cut short: no renewal
	same := c.now.Add(lease)
	c.text("a", same).expect()
	c.text("a", same.Add(4*time.Millisecond)).expect() // the clocks
	c.after(10*time.Second).hints("expire", "expire", "expire").text("a", c.in(lease)).expect("renewed a")
	if l := c.must(StateHeld); l.Renewals != 8 {
		t.Errorf("%d renewals, want 8: three hints are three", l.Renewals)
	}
	c.after(10*time.Second).hints("set", "expire").text("a", c.in(lease)).expect("renewed a") // SET XX PX
}

// TestRenewalsBetweenTwoReads are as many as there were hints, each after its part of the time.
func TestRenewalsBetweenTwoReads(t *testing.T) {
	for name, hints := range map[string][]string{
		"of the TTL": {"expire", "expire", "expire"}, "of the value": {"set", "expire", "set", "expire", "set", "expire"},
	} {
		c, _ := held(t)
		for range 3 {
			c.after(30*time.Second-time.Duration(len(hints)+1)*time.Millisecond).hints(hints...).text("a", c.in(lease))
		}
		c.expect("renewed a", "renewed a", "renewed a")
		if l := c.must(StateHeld); l.Renewals != 9 || (l.RenewalPeriod-10*time.Second).Abs() > 10*time.Millisecond {
			t.Errorf("%s: %d renewals, every %v; want 9, every 10 s", name, l.Renewals, l.RenewalPeriod)
		}
	}
}

func TestSetNXThenExpire(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	c.hints("new", "set").text("a", time.Time{}).expect("acquired a")
	if found := codes(c.must(StateStuck)); fmt.Sprint(found) != "[no-ttl]" {
		t.Errorf("findings %v", found)
	}
	c.hints("expire").text("a", c.in(lease)).expect()
	if l := c.must(StateHeld); l.Scheme != SchemeToken || l.Renewals != 0 || len(l.Findings) != 0 {
		t.Errorf("SETNX and then EXPIRE: %+v", l)
	}
	c.after(time.Minute).hints("persist").text("a", time.Time{}).expect()
	if l := c.must(StateStuck); l.Scheme != SchemeSetNX || !slices.Contains(l.Evidence, evidenceNoTTL) {
		t.Errorf("a lock that lost its TTL: %s, %q", l.Scheme, l.Evidence)
	}
	c.after(time.Minute).hints("expire").text("a", c.in(lease)).expect("renewed a") // a rival's repair
	c.must(StateHeld)
}

func TestEntries(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	c.hints("new", "hincrby", "expire").entry("w", 1, c.in(lease)).expect("acquired w")
	c.after(time.Second).hints("hincrby", "expire").entry("w", 2, c.in(lease)).expect("reentered w")
	c.after(time.Second).hints("hincrby", "expire").entry("w", 1, c.in(lease)).expect("released w")
	c.after(time.Second).hints("expire").entry("w", 1, c.in(lease)).expect("renewed w")
	c.after(time.Second).hints("hincrby", "expire", "hincrby", "expire").entry("w", 1, c.in(lease)).expect()
	if l := c.must(StateHeld); l.Renewals != 1 || l.Holders[0].Count.N != 1 {
		t.Errorf("%+v", l)
	}
	c.hints("hincrby", "del").gone().expect("released w released")
	c.hints("new", "hincrby", "expire").entry("x", 1, c.in(lease)).expect("acquired x")
	end := c.in(lease)
	c.after(time.Second).gap("the subscription was lost").entry("x", 1, end).expect("gap ")
	if l := c.must(StateHeld); l.HeldExact {
		t.Error("x may have left and come back in the gap")
	}
}

func TestTimestamps(t *testing.T) {
	value := func(at time.Time) string { return fmt.Sprint(at.UnixMilli()) }
	t.Run("a race of GETSET", func(t *testing.T) {
		c := newScene(t, keyspace.FeedPush)
		first := c.in(10 * time.Second)
		c.hints("new", "set").text(value(first), time.Time{}).expect("acquired " + value(first))
		c.after(11 * time.Second)
		if l := c.must(StateLapsed); fmt.Sprint(codes(l)) != "[lapsed]" {
			t.Errorf("findings %v", codes(l))
		}
		winner, loser := c.in(10*time.Second), c.in(10*time.Second+300*time.Millisecond)
		c.hints("set").text(value(winner), time.Time{}).expect("handed-over " + value(winner) + "<" + value(first) + " taken over")
		c.hints("set").text(value(loser), time.Time{}).expect() // it has only moved the end
		if l := c.must(StateHeld); l.Holders[0].Owner != value(loser) || l.Renewals != 0 || len(l.History) != 2 {
			t.Errorf("%+v", l)
		}
	})
	t.Run("extended by the holder", func(t *testing.T) {
		c := newScene(t, keyspace.FeedPush)
		first := value(c.in(10 * time.Second))
		c.hints("new", "set").text(first, time.Time{})
		c.after(5 * time.Second)
		later := value(c.in(10 * time.Second))
		c.hints("set").text(later, time.Time{}).expect("acquired "+first, "renewed "+later)
	})
	t.Run("ids", func(t *testing.T) {
		const a, b = "a0e252f4-5c9b-4d0e-9c37-1f0f6a2b7c11:", "b0e252f4-5c9b-4d0e-9c37-1f0f6a2b7c11:"
		c := newScene(t, keyspace.FeedPush)
		first := a + value(c.in(10*time.Second))
		c.hints("new", "set").text(first, time.Time{}).expect("acquired " + first)
		c.after(5 * time.Second)
		second := a + value(c.in(10*time.Second))
		c.hints("set").text(second, time.Time{}).expect("renewed " + second)
		c.after(11 * time.Second)
		third := b + value(c.in(10*time.Second))
		c.hints("set").text(third, time.Time{}).expect("handed-over " + third + "<" + second + " taken over")
	})
}

func TestATypeThatNoLockHas(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	c.read(keyspace.Record{Type: keyspace.TypeList, Size: 3}).expect()
	if l := c.must(StateWrong); fmt.Sprint(codes(l)) != "[wrong-type]" || len(l.Holders) != 0 {
		t.Errorf("%+v", l)
	}
	c.hints("rpush").read(keyspace.Record{Type: keyspace.TypeList, Size: 4}).expect()
	c.hints("del", "new", "set", "expire").text("a", c.in(lease)).expect("acquired a")
	c.must(StateHeld)
	c.hints("del", "new", "rpush").read(keyspace.Record{Type: keyspace.TypeList, Size: 1}).expect("released a freed")
	c.must(StateWrong)
	c.hints("del").gone().expect()
	if c.lock() != nil {
		t.Error("a list that is gone lingers like a lock")
	}
}

func TestDeniedKeepsThePicture(t *testing.T) {
	c, _ := held(t)
	c.read(keyspace.Record{Type: keyspace.TypeDenied, Value: keyspace.Value{Text: "NOPERM"}}).expect()
	c.must(StateHeld)
}

func TestTheCountOfAHoldThatIsOverIsZero(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	c.hints("new", "hincrby", "expire").entry("w", 1, c.in(lease))
	c.hints("hincrby", "expire").entry("w", 2, c.in(lease))
	c.hints("hincrby", "expire").entry("w", 1, c.in(lease))
	c.hints("del").gone()
	var counts []int64
	for _, e := range c.store.log.tail(4) {
		counts = append(counts, e.Count.N)
	}
	if want := []int64{1, 2, 1, 0}; !slices.Equal(counts, want) {
		t.Errorf("acquired, reentered, released one entry, released: counts %v, want %v", counts, want)
	}
}

// A TTL that is given to a lock without one is a repair, and no renewal.
func TestARepairIsNoRenewal(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	c.hints("new", "set").text("w1", time.Time{}).must(StateStuck)
	c.expect("acquired w1").after(10 * time.Second)
	c.hints("expire").text("w1", c.in(10*time.Second))
	l := c.must(StateHeld)
	events, _ := c.store.log.since(c.seen)
	if len(events) != 1 || !events[0].Repaired || events[0].Kind != EventRenewed || events[0].Word() != "repaired" {
		t.Errorf("%+v", events)
	}
	if l.Renewals != 0 || l.RenewalPeriod != 0 || !l.LastRenewal.IsZero() {
		t.Errorf("%d renewals, the last at %v", l.Renewals, l.LastRenewal)
	}
	c.expect("renewed w1").after(5 * time.Second)
	c.hints("expire").text("w1", c.in(10*time.Second))
	if events, _ := c.store.log.since(c.seen); len(events) != 1 || events[0].Repaired || events[0].Word() != "renewed" {
		t.Errorf("%+v", events)
	}
}

// TestWhatProvesARelease: the deletion of a key is a release only where more is known of it.
func TestWhatProvesARelease(t *testing.T) {
	for name, test := range map[string]struct {
		hints  []string
		cause  Cause
		proven bool
	}{
		"DEL":                                 {[]string{"del"}, CauseFreed, false},
		"a count that came down":              {[]string{"hincrby", "del"}, CauseReleased, true},
		"a field that was taken out":          {[]string{"hdel", "del"}, CauseReleased, true},
		"an entry, and then DEL":              {[]string{"hincrby", "expire", "del"}, CauseFreed, false},
		"an acquisition, and then DEL":        {[]string{"del", "new", "hincrby", "del"}, CauseFreed, false},
		"an acquisition without news of both": {[]string{"del", "hincrby", "del"}, CauseFreed, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := newScene(t, keyspace.FeedPush)
			c.hints("new", "hincrby", "expire").entry("w", 1, c.in(lease)).after(time.Second).hints(test.hints...).gone()
			events, _ := c.store.log.since(0)
			last := events[len(events)-1]
			if proven, ok := last.Proven(); last.Kind != EventReleased || last.Cause != test.cause || proven != test.proven || !ok {
				t.Errorf("%s, cause %s, proven %v (%v)", last.Kind, last.Cause, proven, ok)
			}
			if l := c.must(StateFreed); l.FreedBy != test.cause {
				t.Errorf("freed by %s", l.FreedBy)
			}
		})
	}
	t.Run("a DEL long after the count came down", func(t *testing.T) {
		c := newScene(t, keyspace.FeedPush)
		c.hints("new", "hincrby", "expire").entry("w", 2, c.in(lease)).after(time.Second).hints("hincrby").after(time.Second).hints("del").gone()
		c.expect("acquired w", "released w freed")
	})
}
