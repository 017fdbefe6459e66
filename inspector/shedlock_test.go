package inspector

import (
	"slices"
	"testing"
	"time"

	"locktop/keyspace"
)

const shedLockSince67 = "ADDED:2026-01-02T03:04:00.123Z@web1.example.org:a0e252f4-5c9b-4d0e-9c37-1f0f6a2b7c11"

func TestShedLockTellsHostAndTime(t *testing.T) {
	for value, label := range map[string]string{
		shedLockSince67:                          "web1.example.org, since 2026-01-02 03:04:00Z",
		"ADDED:2026-01-02T03:04:00.123456Z@web1": "web1, since 2026-01-02 03:04:00Z",
		"ADDED:2026-01-02T03:04:00Z@10.0.0.7":    "10.0.0.7, since 2026-01-02 03:04:00Z",
	} {
		l := inspected(t, stringRecord("job-lock:default:nightly", value, time.Minute), SchemeShedLock)
		if h := soleHolder(t, l); h.Owner != value || h.Label != label {
			t.Errorf("%q: %+v, want the label %q", value, h, label)
		}
		if l.State != StateHeld || !slices.ContainsFunc(l.Findings, func(f Finding) bool { return f.Code == CodeUncheckedRelease }) {
			t.Errorf("%q: %s with %v", value, l.State, l.Findings)
		}
	}
	for _, value := range []string{"ADDED:yesterday@web1", "ADDED:2026-01-02T03:04:00Z", "ADDED:2026-01-02T03:04:00Z@", "added:2026-01-02T03:04:00Z@web1"} {
		if l, is := Rules(nil).Inspect(stringRecord("nightly", value, time.Minute), schemeNow); is {
			t.Errorf("%q is taken for %s", value, l.Scheme)
		}
	}
}

// A task that is over before its lockAtLeastFor leaves the key with a shorter TTL: nobody runs.
func TestShedLockCoolsDown(t *testing.T) {
	for _, feed := range []keyspace.Feed{keyspace.FeedPush, keyspace.FeedTracking, keyspace.FeedPoll} {
		t.Run(string(feed), func(t *testing.T) {
			c := newScene(t, feed)
			event := map[keyspace.Feed][]string{keyspace.FeedPush: {"expire"}, keyspace.FeedTracking: {"invalidate"}}[feed]
			c.text(shedLockSince67, c.in(time.Hour)).must(StateHeld)
			c.after(2*time.Second).hints(event...).text(shedLockSince67, c.in(10*time.Second))
			if l := c.must(StateCooldown); !slices.Equal(codes(l), []Code{CodeCooldown}) {
				t.Errorf("findings %v", codes(l))
			}
			c.after(time.Second).hints(event...).text(shedLockSince67, c.in(time.Hour)) // it was no release: the task goes on
			if l := c.must(StateHeld); len(codes(l)) > 1 {
				t.Errorf("findings %v", codes(l))
			}
			c.after(time.Second).hints(event...).text(shedLockSince67, c.in(5*time.Second)).must(StateCooldown)
			other := "ADDED:2026-01-02T03:04:20Z@web2"
			c.after(5*time.Second).text(other, c.in(time.Hour)).must(StateHeld)
		})
	}
}

// The TTL of other locks may be cut without anybody having released them.
func TestOnlyShedLockCoolsDown(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	c.text("web-1:4711", c.in(time.Hour)).must(StateHeld)
	c.after(time.Second).hints("expire").text("web-1:4711", c.in(10*time.Second)).must(StateHeld)
}
