package inspector

import (
	"strconv"
	"testing"
	"time"
)

func TestTimestampsOfLibraries(t *testing.T) {
	const uuid = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
	for _, test := range []struct {
		library, key, value string
		ttl                 time.Duration
		label               string
		end                 time.Time
		state               State
	}{
		{
			library: "SETNX and GETSET", key: "orders_lock", value: "1767323055123",
			label: UnknownHolder, end: time.UnixMilli(1767323055123), state: StateHeld,
		},
		{
			library: "SETNX and GETSET, after a crash", key: "orders_lock", value: "1767323044000",
			label: UnknownHolder, end: time.UnixMilli(1767323044000), state: StateLapsed,
		},
		{
			library: "seconds", key: "lock.orders", value: "1767323100",
			label: UnknownHolder, end: time.Unix(1767323100, 0), state: StateHeld,
		},
		{
			library: "redis-mutex of kenn", key: "RedisMutex:orders", value: "1767323055.25",
			label: UnknownHolder, end: time.UnixMilli(1767323055250), state: StateHeld,
		},
		{
			library: "redis-mutex of kenn, full precision", key: "RedisMutex:orders", value: "1767323040.123456789",
			label: UnknownHolder, end: time.Unix(1767323040, 123456789), state: StateLapsed,
		},
		{
			library: "jedis-lock", key: "orders_lock", value: uuid + ":1767323055123",
			label: uuid, end: time.UnixMilli(1767323055123), state: StateHeld,
		},
		{
			library: "jedis-lock, any name", key: "orders", value: uuid + ":1767323044000",
			label: uuid, end: time.UnixMilli(1767323044000), state: StateLapsed,
		},
		{
			library: "a host's id", key: "lock:orders", value: "web-1:1767323055123",
			label: "web-1", end: time.UnixMilli(1767323055123), state: StateHeld,
		},
		{
			library: "host, process and end", key: "lock:orders", value: "web-1:4711:1767323055123",
			label: "web-1, process 4711", end: time.UnixMilli(1767323055123), state: StateHeld,
		},
		{
			library: "redis-lock of errorception", key: "lock.orders", value: "1767323050000", ttl: 5 * time.Second,
			label: UnknownHolder, end: time.UnixMilli(1767323050000), state: StateHeld,
		},
	} {
		t.Run(test.library, func(t *testing.T) {
			l := inspected(t, stringRecord(test.key, test.value, test.ttl), SchemeTimestamp)
			h := soleHolder(t, l)
			if h.Owner != test.value || h.Label != test.label || h.Count.Known {
				t.Errorf("holder %+v, want owner %q, label %q, no count", h, test.value, test.label)
			}
			if !l.LeaseEnds.Equal(test.end) || l.State != test.state {
				t.Errorf("the lease ends %v, state %s, want %v and %s", l.LeaseEnds.UTC(), l.State, test.end.UTC(), test.state)
			}
		})
	}
}

// A force-expiry with a delay gives the key a TTL that ends before its value says.
func TestTimestampWithAnEarlierTTL(t *testing.T) {
	const uuid = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
	for key, value := range map[string]string{"lock:orders": "1767323105123", "orders": uuid + ":1767323105123"} {
		l := inspected(t, stringRecord(key, value, 10*time.Second), SchemeTimestamp)
		if ttl, ends := l.TTLAt(schemeNow); !ends || ttl != 10*time.Second || l.State != StateHeld {
			t.Errorf("%s: %s for %v, %v; want it held for 10 s", key, l.State, ttl, ends)
		}
	}
	if l, is := Rules(nil).Inspect(stringRecord("orders", uuid+":1767323055000", 10*time.Second), schemeNow); is {
		t.Errorf("a session that states its end is taken for a lock: %+v", l)
	}
}

func TestTimesFarAwayAreNoEndOfALease(t *testing.T) {
	for _, value := range []string{
		"1600000000000", "1900000000", "9999999999", "1000000000.5",
	} {
		l := inspected(t, stringRecord("lock:orders", value, 0), SchemeSetNX)
		if !l.LeaseEnds.IsZero() || l.State != StateStuck {
			t.Errorf("%s: the lease ends %v, state %s, want none and %s", value, l.LeaseEnds, l.State, StateStuck)
		}
	}
}

// TestHolderNamed: a renewal writes another end of the lease, and what an operator gave before still names the holder.
func TestHolderNamed(t *testing.T) {
	const uuid = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
	for _, c := range []struct{ value, name, owner string }{
		{"1767323055123", "1767323055123", "1767323055123"},
		{"1767323055123", UnknownHolder, "1767323055123"},
		{"1767323055123", "1767323055122", ""},
		{"1767323055123", "", ""},
		{uuid + ":1767323055123", uuid + ":1767323055123", uuid + ":1767323055123"},
		{uuid + ":1767323055123", uuid + ":1767323040000", uuid + ":1767323055123"},
		{uuid + ":1767323055123", uuid, uuid + ":1767323055123"},
		{uuid + ":1767323055123", UnknownHolder, ""},
		{uuid + ":1767323055123", "web-1:1767323055123", ""},
	} {
		l := inspected(t, stringRecord("lock:orders", c.value, 0), SchemeTimestamp)
		if owner, found := l.HolderNamed(c.name); found != (c.owner != "") || found && owner != c.owner {
			t.Errorf("%q names %q, %v in a lock of %q, want %q", c.name, owner, found, c.value, c.owner)
		}
	}
	l := inspected(t, stringRecord("lock:orders", "web-1:4711", 10*time.Second), SchemeToken)
	if _, found := l.HolderNamed("web-1"); found {
		t.Error("a part of a token names its holder")
	}
}

// machinery 1.10 writes the end of the lease in nanoseconds. A program that draws its token from its
// clock writes the time of the acquisition.
func TestNanoseconds(t *testing.T) {
	const key = "machinery_lock_periodic-task@every_1m"
	end := schemeNow.Add(time.Minute)
	for _, value := range []string{strconv.FormatInt(end.UnixNano(), 10), strconv.FormatInt(end.UnixMicro(), 10)} {
		l := inspected(t, stringRecord(key, value, time.Minute), SchemeTimestamp)
		if h := soleHolder(t, l); h.Owner != value || h.Label != UnknownHolder || l.LeaseEnds.Sub(end).Abs() > time.Microsecond {
			t.Errorf("%+v, ends %v", h, l.LeaseEnds)
		}
	}
	drawn := strconv.FormatInt(schemeNow.UnixNano(), 10)
	for ttl, scheme := range map[time.Duration]Scheme{time.Minute: SchemeToken, 0: SchemeSetNX} {
		if h := soleHolder(t, inspected(t, stringRecord(key, drawn, ttl), scheme)); h.Label != UnknownHolder {
			t.Errorf("%+v", h)
		}
	}
}

func TestATimeNamesNobody(t *testing.T) {
	for value, want := range map[string]bool{
		"1767323055123": true, "1767323100": true, "1767323040.123456789": true, "2026-01-02T03:04:05Z": true, "2026-01-02T03:04:05.678901": true,
		"2026-01-02 03:04:05+01:00": true, "1767323055123456": true, "1767323055123456789": true, "1": false, "": false, "web-1:1767323055123": false, "4711": false, "9999999999999": false,
		"1999-01-02T03:04:05Z": false, "2026-01-02": false,
	} {
		if got := OnlyTime(value, schemeNow); got != want {
			t.Errorf("%q is a time: %v", value, got)
		}
	}
	e := Event{At: schemeNow, PreviousOwner: "1767323055123"}
	if e.PreviousName() != UnknownHolder {
		t.Errorf("the former holder is %q", e.PreviousName())
	}
}
