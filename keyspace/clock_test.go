package keyspace_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

func TestClockTrustsTheShortestRoundTrip(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	for _, test := range []struct {
		name     string
		measured [][2]time.Duration // how far the server is ahead, and the round trip
		want     time.Duration
	}{
		{"none", nil, 0},
		{"one", [][2]time.Duration{{3 * s, ms}}, 3 * s},
		{"the best one", [][2]time.Duration{{30 * ms, 100 * ms}, {10 * ms, 2 * ms}, {50 * ms, 90 * ms}}, 10 * ms},
		{"only the last four", [][2]time.Duration{{90 * ms, ms}, {20 * ms, 9 * ms}, {10 * ms, 5 * ms}, {40 * ms, 8 * ms}, {30 * ms, 7 * ms}}, 10 * ms},
		{"the clock was set", [][2]time.Duration{{-7 * s, ms}, {-7 * s, ms}, {5 * s, 20 * ms}}, 5 * s},
		{"a slow answer is no jump", [][2]time.Duration{{0, ms}, {s, 2 * s}}, 0},
	} {
		if got := keyspace.ClockOffset(test.measured...); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// An instant by a clock that is ahead comes earlier by ours.
func TestExpiryIsCorrectedByTheClock(t *testing.T) {
	s := redistest.Start(t)
	s.Do("SET", "lock:a", "token", "PX", 600_000)
	ends := time.UnixMilli(s.Do("PEXPIRETIME", "lock:a").(int64))
	c := connect(t, s)
	for _, ahead := range []time.Duration{90 * time.Second, -90 * time.Second} {
		keyspace.SkewClock(c, ahead)
		if r := readOne(t, c, "lock:a"); !r.ExpiresAt.Equal(ends.Add(-ahead)) {
			t.Errorf("ahead by %v: it ends at %v, want %v", ahead, r.ExpiresAt, ends.Add(-ahead))
		}
	}
}

// What is left needs no clock.
func TestExpiryWithoutAClock(t *testing.T) {
	s := redistest.Start(t)
	s.Do("SET", "lock:a", "token", "PX", 600_000)
	s.Do("SET", "lock:ever", "token")
	ends := time.UnixMilli(s.Do("PEXPIRETIME", "lock:a").(int64)) // its clock is ours
	for rules, want := range map[string]string{
		"+@all":                     "PEXPIRETIME",
		"+@all -pexpiretime":        "PTTL",
		"+@all -time":               "PTTL",
		"+@all -time -pttl":         "PEXPIRETIME",
		"+@all -time -pexpiretime":  "PTTL",
		"+@all -pttl":               "PEXPIRETIME",
		"+@all -pttl -pexpiretime":  "",
		"-@all +type +info +strlen": "",
	} {
		t.Run(rules, func(t *testing.T) {
			c := user(t, s, "~* &* "+rules)
			for round := range 2 { // it has learnt by the second one
				var mu sync.Mutex
				var sent []string
				keyspace.SeeCommands(c, func(name string) {
					mu.Lock()
					defer mu.Unlock()
					if name == "PTTL" || name == "PEXPIRETIME" {
						sent = append(sent, name)
					}
				})
				r, ever := readOne(t, c, "lock:a"), readOne(t, c, "lock:ever")
				if want == "" {
					if r.Denied() == "" || ever.Denied() == "" {
						t.Errorf("%+v, %+v", r, ever)
					}
					continue
				}
				if off := r.ExpiresAt.Sub(ends).Abs(); off > r.ExpiryError.Duration()+2*time.Millisecond || !ever.ExpiresAt.IsZero() {
					t.Errorf("ends at %v, want %v; the other at %v", r.ExpiresAt, ends, ever.ExpiresAt)
				}
				mu.Lock()
				if sent = slices.Compact(sent); sent[len(sent)-1] != want || round > 0 && len(sent) > 1 {
					t.Errorf("sent %v, want %s", sent, want)
				}
				mu.Unlock()
			}
		})
	}
}

// A server's clock that is set makes wrong what was reckoned by it, of each key, whether it is named by a hint or not.
func TestASetClockHasEverythingReadAgain(t *testing.T) {
	s := redistest.Start(t)
	s.Do("SET", "lock:a", "token", "PX", 600_000)
	ends := time.UnixMilli(s.Do("PEXPIRETIME", "lock:a").(int64))
	c := connect(t, s)
	const ahead = 20 * time.Second
	keyspace.SkewClock(c, ahead) // as it was; now it is ours
	f := keyspace.NewStepped(c, keyspace.ObserveOptions{Nudge: true, PassInterval: time.Hour})
	f.MeasureClockAt(time.Now().Add(time.Hour))
	if err := f.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	told := func() time.Duration {
		u := f.Take()
		if len(u.Records) != 1 {
			t.Fatalf("%d records", len(u.Records))
		}
		return u.Records[0].ExpiresAt.Sub(ends)
	}
	if off := told(); off != -ahead {
		t.Fatalf("off by %v: the test proves nothing", off)
	}
	f.MeasureClockAt(time.Now())
	if err := f.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	if off := told().Abs(); off > time.Second {
		t.Errorf("off by %v", off)
	}
}
