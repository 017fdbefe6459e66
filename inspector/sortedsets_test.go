package inspector

import (
	"slices"
	"testing"
	"time"

	"locktop/keyspace"
)

const (
	symfonyA = "K7gNU3sdo+OL0wNhqoVWhr3g6s1xYv72ol/pe/Unols="
	symfonyB = "9f0rT2m0xkV5Yb6qg3u1hJwPzA8dC4eLsN7iQoXyZaE="
)

// heldBy checks the scheme, the mode and the owners of a lock.
func heldBy(t *testing.T, l *Lock, scheme Scheme, mode Mode, owners ...string) {
	t.Helper()
	var got []string
	for _, h := range l.Holders {
		got = append(got, h.Owner)
	}
	if l.Scheme != scheme || l.Mode != mode || !slices.Equal(got, owners) {
		t.Errorf("%q: %s, %s, %q; want %s, %s, %q", l.Key, l.Scheme, l.Mode, got, scheme, mode, owners)
	}
}

func zsetOf(key string, ttl time.Duration, membersAndScores ...string) keyspace.Record {
	return elements(keyspace.TypeZSet, key, ttl, membersAndScores...)
}

func TestSymfony(t *testing.T) {
	exclusive := judged(t, zsetOf("report", time.Minute, symfonyA, ms(time.Minute), "__write__", ms(time.Minute)))
	heldBy(t, exclusive, SchemeSymfony, ModeExclusive, symfonyA)
	if !exclusive.Holders[0].ExpiresAt.Equal(schemeNow.Add(time.Minute)) || exclusive.State != StateHeld {
		t.Errorf("%+v", exclusive)
	}
	shared := judged(t, zsetOf("lock:report", 5*time.Minute, "A"+symfonyA[1:], ms(-time.Second), symfonyA, ms(time.Minute), symfonyB, ms(5*time.Minute)))
	heldBy(t, shared, SchemeSymfony, ModeRead, symfonyA, symfonyB)
	if !shared.LeaseEnds.Equal(schemeNow.Add(5*time.Minute)) || len(shared.Evidence) < 2 {
		t.Errorf("%+v", shared)
	}
	cut := judged(t, zsetOf("lock:report", time.Second, symfonyA, ms(time.Minute), "__write__", ms(time.Minute)))
	if !cut.Holders[0].ExpiresAt.Equal(schemeNow.Add(time.Second)) {
		t.Errorf("the key goes first, but the holder is said to end at %v", cut.Holders[0].ExpiresAt)
	}
	lapsed := judged(t, zsetOf("lock:report", time.Minute, symfonyA, ms(-2*time.Second), symfonyB, ms(-time.Second), "__write__", ms(-time.Second)))
	heldBy(t, lapsed, SchemeSymfony, ModeExclusive, symfonyB)
	if lapsed.State != StateLapsed {
		t.Errorf("state %s", lapsed.State)
	}
}
