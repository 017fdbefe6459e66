package keyspace

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"locktop/keyspace/redistest"
)

// insideFeed is a feed whose goroutine the test itself is.
func insideFeed(t *testing.T, s *redistest.Server) *feed {
	t.Helper()
	c, err := Connect(t.Context(), Options{Network: "unix", Addr: s.Socket})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	flags, err := c.Notifications(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f := newFeed(c, ObserveOptions{}.withDefaults(), flags)
	f.status.Feed = FeedPush
	return f
}

// Flags that are no longer enough are a gap, once, unless it was known by then that nothing is heard.
func TestFlagsThatWereSwitchedOffAreAGap(t *testing.T) {
	for _, test := range []struct {
		name string
		deaf bool
		want uint64
	}{{"believed", false, 1}, {"doubted", true, 0}} {
		t.Run(test.name, func(t *testing.T) {
			s := redistest.Start(t)
			f := insideFeed(t, s)
			if test.deaf {
				f.shared.deafUntil = time.Now().Add(time.Minute)
			}
			s.Do("CONFIG", "SET", "notify-keyspace-events", "K")
			for range 2 {
				if err := f.checkFlags(t.Context()); err != nil {
					t.Fatal(err)
				}
				f.up()
			}
			if f.status.Gaps != test.want || test.want > 0 && !strings.Contains(f.status.LastGapWhy, `is "K"`) {
				t.Errorf("%d gaps, want %d; %s", f.status.Gaps, test.want, f.status.LastGapWhy)
			}
		})
	}
}

// A server may answer and still refuse what a pass asks, as while it loads its data: the next pass is in the same hurry.
func TestHurryOutlivesAPassThatFails(t *testing.T) {
	f := insideFeed(t, redistest.Start(t))
	ended, end := context.WithCancel(t.Context())
	end() // so that nobody waits for the next try
	f.gap("an outage", time.Now())
	for range 3 {
		if err := f.beginPass(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
		if f.pass.why != hurried {
			t.Error("a pass that is in no hurry after a gap")
		}
		f.down(ended, errors.New("LOADING"), time.Now())
	}
	if err := f.scan(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f.passes != 4 || f.lastPass.Generation != 4 || f.hurry != "" {
		t.Fatalf("pass %d, complete %d, hurry %q", f.passes, f.lastPass.Generation, f.hurry)
	}
	if err := f.beginPass(t.Context(), time.Now()); err != nil || f.pass.why != unasked {
		t.Errorf("after it is over: %v, %+v", err, f.pass)
	}
}
