package actions

import (
	"strings"
	"testing"

	"locktop/inspector"
	"locktop/keyspace/redistest"
)

// TestWhatIsNotProvedIsSaid: of a lock without a TTL nothing tells one hold from the next with the same
// value, and keys with the same value under other numbers may be parts of the lock.
func TestWhatIsNotProvedIsSaid(t *testing.T) {
	const unproved, part = "locktop cannot tell", "1 other key has the same value"
	for _, c := range []struct {
		name string
		ttl  bool
		r    Request
		want string
	}{
		{"no TTL, and no events", false, Request{Unheard: true}, unproved},
		{"no TTL, and events", false, Request{}, ""},
		{"a TTL, and no events", true, Request{Unheard: true}, ""},
		{"a part of it", true, Request{Siblings: []string{"lock:1:\x1borders"}}, part},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := redistest.Start(t)
			client := server.Client()
			set := []any{"SET", "lock", "1"}
			scheme := inspector.SchemeSetNX
			if c.ttl {
				set, scheme = append(set, "PX", 60_000), inspector.SchemeToken
			}
			server.Do(set...)
			c.r.Verb, c.r.Owner, c.r.Lock = VerbRelease, "1", observe(t.Context(), t, client, scheme, "lock")
			said := Consequence(c.r)
			for _, warning := range []string{unproved, part} {
				if is := strings.Contains(said, warning); is != (warning == c.want) {
					t.Errorf("%q: %v in %q", warning, is, said)
				}
			}
			if strings.Contains(said, "\x1b") {
				t.Errorf("%q moves a terminal", said)
			}
		})
	}
}
