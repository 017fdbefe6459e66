package inspector

import (
	"testing"
	"time"
)

func TestReentrant(t *testing.T) {
	const uuid = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
	for _, test := range []struct {
		name, key string
		ttl       time.Duration
		holder, n string
		count     int64
		label     string
	}{
		{name: "the texts' lock", key: "lock:orders", ttl: 10 * time.Second, holder: uuid, n: "2", count: 2, label: uuid},
		{name: "thread's name", key: "orders_lock", ttl: 10 * time.Second, holder: "worker-7", n: "1", count: 1, label: "worker-7"},
		{name: "word inside", key: "shop:stock-lock:item", ttl: time.Hour, holder: "main", n: "3", count: 3, label: "main"},
		{name: "no TTL, word inside", key: "shop:stock-lock:item", holder: uuid, n: "1", count: 1, label: uuid},
		{name: "no TTL", key: "lock:orders", holder: "web-1:4711", n: "1", count: 1, label: "web-1, process 4711"},
		{name: "at most", key: "lock:orders", holder: "a", n: "10000", count: 10000, label: "a"},
		{name: "silent name", key: "orders", ttl: 30 * time.Second, holder: "web-1:4711", n: "1", count: 1, label: "web-1, process 4711"},
		{name: "binary holder", key: "lock:orders", ttl: 30 * time.Second, holder: "\xff\x00\x01\x02\x03\x04\x05\x06", n: "1", count: 1, label: "\xff\x00\x01\x02\x03\x04\x05\x06"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := inspected(t, hashRecord(test.key, test.ttl, test.holder, test.n), SchemeReentrant)
			h := soleHolder(t, l)
			if h.Owner != test.holder || h.Label != test.label || h.Count != (Count{N: test.count, Known: true}) {
				t.Errorf("holder %+v, want owner %q, label %q, count %d", h, test.holder, test.label, test.count)
			}
			want := StateHeld
			if test.ttl == 0 {
				want = StateStuck
			}
			if l.State != want {
				t.Errorf("state %s, want %s", l.State, want)
			}
		})
	}
}
