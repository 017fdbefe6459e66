package inspector

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// patternsOf are the rules when the user gave only these patterns.
func patternsOf(globs ...string) Rules {
	var patterns []keyspace.Pattern
	for _, glob := range globs {
		patterns = append(patterns, keyspace.Pattern{Glob: glob})
	}
	return Rules(nil).WithPatterns(patterns)
}

// What the user names is shown if it can be a lock at all.
func TestWhatTheUserNamesIsTrusted(t *testing.T) {
	const year = 365 * 24 * time.Hour
	refreshed := elements(keyspace.TypeZSet, "test_z", time.Minute, "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e", "1767323045000")
	for _, test := range []struct {
		record keyspace.Record
		scheme Scheme // empty: no lock all the same
	}{
		{stringRecord("test_a", "some worker", time.Minute), SchemeToken},
		{stringRecord("test_a", "1", time.Minute), SchemeToken},
		{stringRecord("test_a", "", time.Minute), SchemeToken},
		{stringRecord("test_a", "x8Qm2Zt7LbWc4RpA", year), SchemeToken}, // longer than any lease
		{stringRecord("test_session:7", "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e", time.Hour), SchemeToken},
		{stringRecord("test_a", "1", 0), SchemeSetNX},
		{stringRecord("test_a", "worker", 0), SchemeSetNX},
		{stringRecord("test_a", "1767323055123", 0), SchemeTimestamp},
		{stringRecord("test_state", "worker", 0), SchemeSetNX},
		{hashRecord("test_h", year, "web-1:4711", "2"), SchemeReentrant},
		{hashRecord("test_h", year, "worker", "1"), SchemeReentrant},
		{hashRecord("test_h", 0, "worker-7", "1"), SchemeReentrant},
		{refreshed, SchemeRedisSemaphore},
		// What holds data, what counts, and what is free.
		{stringRecord("test_a", `{"user":7}`, time.Minute), ""},
		{stringRecord("test_a", strings.Repeat("x", maxToken+1), time.Minute), ""},
		{stringRecord("test_a", "\x80\x04\x95\x10\x00\x00\x00\x00", 0), ""},
		{stringRecord("test_a", "unlocked", 0), ""},
		{stringRecord("test_a", "0", 0), ""},
		{stringRecord("test_hits", "17", 0), ""},
		{stringRecord("test_count:7", "17", time.Minute), ""},
		{stringRecord("test_ratio", "0.5", 0), ""},
		{stringRecord("test:fencing-tokens", "17", 0), ""},
		{stringRecord("test:token", "17", 0), ""},
		{stringRecord("test_created_at", "1767323000", 0), ""},
		{hashRecord("test_cart", 0, "sku", "3"), ""},
		{hashRecord("test_h", time.Minute, "attempts", "3"), ""},
		{hashRecord("test_h", time.Minute, "a", "1", "b", "2"), ""},
		{recordOf(keyspace.TypeList, "test_lock", time.Minute), SchemeUnknown}, // by its name, as ever
		{recordOf(keyspace.TypeList, "test_l", time.Minute), ""},
		{recordOf(keyspace.TypeStream, "test_s", time.Minute), ""},
		{stringRecord("redisson_lock_token:{test_a}", "2", 0), ""},
	} {
		for name, rules := range map[string]Rules{
			"pattern": patternsOf("*", "test[_:]*", "redisson_lock_token:*"), "key": Rules(nil).WithKey(test.record.Key),
			"rule": mustRules(t, "*=distributedlock-rw"),
		} {
			l, is := rules.Inspect(test.record, schemeNow)
			if is != (test.scheme != "") || is && l.Scheme != test.scheme {
				t.Errorf("%s %q = %q %v, named by a %s, is %v %+v; want %q", test.record.Type, test.record.Key, test.record.Value.Text,
					test.record.Value.Fields, name, is, l, test.scheme)
				continue
			}
			if rules.Follow(test.record) != is {
				t.Errorf("%q is followed: %v", test.record.Key, !is)
			}
			if is && test.scheme != SchemeUnknown && test.scheme != SchemeRedisSemaphore && l.Evidence[0] != evidenceNamed {
				t.Errorf("%q: evidence %q", test.record.Key, l.Evidence)
			}
		}
		if l, is := patternsOf("*", "**", "?*", "*:*", "*lock*", "*Mutex*").Inspect(test.record, schemeNow); is &&
			slices.Contains(l.Evidence, evidenceNamed) {
			t.Errorf("%q counts as named by a pattern that says nothing", test.record.Key)
		}
	}
}

// Every rule that is proposed as a remedy makes a lock of the key.
func TestTheRemedyHelps(t *testing.T) {
	for _, test := range []struct {
		record keyspace.Record
		remedy Scheme
	}{
		{stringRecord("test_a", `{"user":7}`, time.Minute), SchemeToken},
		{stringRecord("test_a", `{"user":7}`, 0), SchemeSetNX},
		{stringRecord("test_a", strings.Repeat("\x00", 5<<20), 0), SchemeSetNX},
		{stringRecord("test_a", "0", 0), SchemeSetNX},
		{hashRecord("test_cart", 0, "sku", "3"), SchemeReentrant},
		{hashRecord("test_h", 0, "a", "1", "b", "2"), ""},
		{recordOf(keyspace.TypeList, "test_l", 0), ""},
	} {
		remedy, is := Remedy(test.record, schemeNow)
		if remedy != test.remedy || is != (remedy != "") {
			t.Errorf("%q: remedy %q, %v, want %q", test.record.Key, remedy, is, test.remedy)
		}
		if !is {
			continue
		}
		if l, ok := mustRules(t, test.record.Key+"="+string(remedy)).Inspect(test.record, schemeNow); !ok || l.Scheme != remedy {
			t.Errorf("%q: by the remedy it is %v %+v", test.record.Key, ok, l)
		}
	}
}

// WhyNot says of a later key of a lock which one the lock is shown under.
func TestWhyNot(t *testing.T) {
	there := map[string]string{"app:0:orders": valkeyBytes, "app:1:orders": valkeyBytes, "app:2:orders": valkeyBytes}
	second := withCompanions(stringRecord("app:1:orders", valkeyBytes, time.Minute), there)
	for _, test := range []struct {
		record keyspace.Record
		rules  Rules
		says   string
	}{
		{second, nil, "it is one of the keys of the lock app:0:orders"},
		{stringRecord("redisson_lock_token:{x}", "2", 0), nil, "by its name it belongs to another key, which is the lock"},
		{stringRecord("fencing:x", "2", 0), nil, "by its name it is a counter, and a release would reset it"},
		{stringRecord("lock:x", "2", 0), mustRules(t, "lock:*=none"), "a rule of yours says so"},
		{stringRecord("doc", "{}", 0), nil, ""},
	} {
		if says := test.rules.WithKey(test.record.Key).WhyNot(test.record); says != test.says {
			t.Errorf("%q: %q, want %q", test.record.Key, says, test.says)
		}
		if _, is := test.rules.WithKey(test.record.Key).Inspect(test.record, schemeNow); is {
			t.Errorf("%q is a lock", test.record.Key)
		}
	}
}

// A lock stays one as long as its holder has it, also with a TTL with which it would not be taken
// for one.
func TestALockThatWasRecognisedStaysOne(t *testing.T) {
	const token = "n4L/2ZlftbtoJhoNxYjXOg=="
	for _, test := range []struct {
		name  string
		reads []keyspace.Record
		state State // after the last read; StateFreed: it is not the same
		keep  bool
	}{
		{"extended beyond the limit of a plain name", []keyspace.Record{
			hashRecord("orders", time.Minute, "web-1:4711", "1"), hashRecord("orders", time.Hour, "web-1:4711", "1"),
		}, StateHeld, true},
		{"entered again", []keyspace.Record{
			hashRecord("orders", time.Minute, "web-1:4711", "1"), hashRecord("orders", time.Hour, "web-1:4711", "2"),
		}, StateHeld, true},
		{"its TTL was taken away", []keyspace.Record{
			hashRecord("orders", time.Minute, "web-1:4711", "1"), hashRecord("orders", 0, "web-1:4711", "1"),
		}, StateStuck, true},
		{"a token for two days", []keyspace.Record{
			stringRecord("orders", token, time.Minute), stringRecord("orders", token, 48*time.Hour),
		}, StateHeld, true},
		{"a token without a TTL", []keyspace.Record{
			stringRecord("orders", token, time.Minute), stringRecord("orders", token, 0),
		}, StateStuck, true},
		{"another holder", []keyspace.Record{
			hashRecord("orders", time.Minute, "web-1:4711", "1"), hashRecord("orders", time.Hour, "web-2:4711", "1"),
		}, StateFreed, true},
		{"it became something else", []keyspace.Record{
			hashRecord("orders", time.Minute, "web-1:4711", "1"), hashRecord("orders", time.Hour, "web-1:4711", "1", "b", "2"),
		}, StateFreed, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStore(Options{Linger: time.Hour}, &eventLog{})
			s.take(keyspace.Update{Node: sceneNode, Status: &keyspace.Status{Node: sceneNode, Connected: true, Feed: keyspace.FeedPush}})
			for n, r := range test.reads {
				r.ReadAt = r.ReadAt.Add(time.Duration(n) * time.Second)
				s.take(keyspace.Update{Node: sceneNode, Records: []keyspace.Record{r}})
			}
			last := test.reads[len(test.reads)-1]
			locks := s.snapshot(schemeNow.Add(2 * time.Second)).Locks
			if len(locks) != 1 || locks[0].State != test.state {
				t.Fatalf("%+v, want one that is %s", locks, test.state)
			}
			if rules := Rules(nil); rules.Keep(last) != test.keep || rules.Follow(last) {
				t.Errorf("kept %v, followed %v", rules.Keep(last), rules.Follow(last))
			}
			if mustRules(t, "orders=none").Keep(last) {
				t.Error("kept although a rule says that it is none")
			}
		})
	}
}
