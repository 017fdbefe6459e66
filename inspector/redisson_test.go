package inspector

import (
	"testing"
	"time"
)

func TestRedisson(t *testing.T) {
	const holder = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42"
	for _, key := range []string{
		"myLock", "orders:checkout", "lock:orders", "reports/nightly", "{map}:abc=:lock", "заказы", "注文", "\xff\x00\xfe",
		"lock:count", "block:1", "",
	} {
		t.Run(key, func(t *testing.T) {
			l := inspected(t, hashRecord(key, 30*time.Second, holder, "3"), SchemeRedisson)
			h := soleHolder(t, l)
			if h.Owner != holder || h.Label != "client 0f4d3a52, thread 42" || h.Count != (Count{N: 3, Known: true}) {
				t.Errorf("holder %+v", h)
			}
			if l.State != StateHeld {
				t.Errorf("state %s, want %s", l.State, StateHeld)
			}
		})
	}
}

func TestRedissonWithoutTTLIsStuck(t *testing.T) {
	l := inspected(t, hashRecord("myLock", 0, "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:1", "1"), SchemeRedisson)
	if l.State != StateStuck {
		t.Errorf("state %s, want %s", l.State, StateStuck)
	}
}

func TestRedissonWithTwoHoldersShowsBoth(t *testing.T) {
	l := inspected(t, hashRecord("myLock", time.Second,
		"0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:1", "1", "9c2bd1f0-6d7e-4b7f-8f2a-4a9d1c6c1e11:7", "2"), SchemeRedisson)
	if len(l.Holders) != 2 || l.Holders[1].Label != "client 9c2bd1f0, thread 7" || l.Holders[1].Count.N != 2 {
		t.Errorf("holders %+v", l.Holders)
	}
}
