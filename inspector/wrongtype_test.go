package inspector

import (
	"testing"
	"time"

	"locktop/keyspace"
)

func TestWrongTypes(t *testing.T) {
	for _, kind := range []keyspace.Type{keyspace.TypeList, keyspace.TypeSet, keyspace.TypeZSet, keyspace.TypeStream} {
		for _, key := range []string{"lock:orders", "orders_lock", "orderLock", "orders:mutex"} {
			r := recordOf(kind, key, 0)
			r.Truncated = true // Nothing is read of these types.
			l := inspected(t, r, SchemeUnknown)
			if l.State != StateWrong || len(l.Holders) != 0 {
				t.Errorf("%s %q: state %s, holders %+v", kind, key, l.State, l.Holders)
			}
			if len(l.Findings) != 1 || l.Findings[0].Code != CodeWrongType || l.Severity() != SeverityWarning {
				t.Errorf("%s %q: findings %+v", kind, key, l.Findings)
			}
			if got := l.StateAt(schemeNow.Add(time.Hour)); got != StateWrong {
				t.Errorf("%s %q: state %s an hour later", kind, key, got)
			}
		}
	}
}
