package inspector

import "testing"

func TestSetNX(t *testing.T) {
	const uuid = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
	for _, test := range []struct{ name, key, value, label string }{
		{"one", "lock:orders", "1", "1"},
		{"one, word inside", "shop:stock-lock:item", "1", "1"},
		{"true", "orders_lock", "true", UnknownHolder},
		{"a host", "lock:orders", "web-1.example.org", "web-1.example.org"},
		{"a process", "lock:orders", "4711", "4711"},
		{"host and process", "lock:orders", "web-1:4711", "web-1, process 4711"},
		{"an address and process", "lock:orders", "10.0.0.7:4711", "10.0.0.7, process 4711"},
		{"Spring's cache lock", "products~lock", "", UnknownHolder},
		{"redis-py without a timeout", "orders-lock", "594730fb989a42f9c4b373d423b32f22", "594730fb989a42f9c4b373d423b32f22"},
		{"Redis in Action", "lock:market:", uuid, uuid},
		{"phpredis in a console", "PHPREDIS_SESSION:k3j4h5_LOCK", "vm|1594", "vm, process 1594"},
		{"celery-singleton", "SINGLETONLOCK_5d41402abc4b2a76b9719d911017c592", uuid, uuid},
		{"sidekiq-unique-jobs", "uniquejobs:5d41402abc4b2a76b9719d911017c592", "b4a577edbccf1d805744efa9", "b4a577edbccf1d805744efa9"},
		{"a lock of a queue", "lock:queue:mails", "1", "1"},
		{"a token at a name that may be a queue", "lock:queue", uuid, uuid},
		{"in capitals", "ORDERS_LOCK", "1", "1"},
		{"in camel case", "orderLock:7", "1", "1"},
		{"as one word", "cronlock", "1", "1"},
		{"a mutex", "mutex:orders", "worker-7", "worker-7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := inspected(t, stringRecord(test.key, test.value, 0), SchemeSetNX)
			h := soleHolder(t, l)
			if h.Owner != test.value || h.Label != test.label || h.Count.Known {
				t.Errorf("holder %+v, want owner %q, label %q, no count", h, test.value, test.label)
			}
			if l.State != StateStuck || !l.LeaseEnds.IsZero() {
				t.Errorf("state %s, lease ends %v, want %s and never", l.State, l.LeaseEnds, StateStuck)
			}
		})
	}
}
