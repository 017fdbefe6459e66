package keyspace_test

import (
	"strings"
	"testing"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

func TestNotificationFlagsAreMergedAndNeverLost(t *testing.T) {
	for _, test := range []struct {
		software, version, old, missing, set, restore string
	}{
		{"redis", "7.0.15", "", "Kg$hzxe", "Kg$hzxenls", ""},
		{"redis", "7.0.15", "AKE", "", "AKEn", "AKEn"}, // n may have been on
		{"redis", "8.6.3", "AK", "", "AKnoc", "AKnoc"},
		{"valkey", "9.1.2", "AK", "", "AKn", "AKn"},
		{"redis", "7.0.15", "xE", "Kg$hze", "xEKg$hzenls", "xE"},
		{"redis", "7.0.15", "AEm", "K", "AEmKn", "AEmn"},
		{"redis", "7.0.15", "Kg$hzxens", "", "Kg$hzxensl", "Kg$hzxens"},
		{"redis", "7.0.15", "g$hzxenKm", "", "g$hzxenKmls", "g$hzxenKm"},
	} {
		n := keyspace.ReadNotifications(test.software, test.version, test.old)
		if n.Missing != test.missing || n.New != test.set || n.Restore != test.restore || n.Enough() != (test.missing == "") {
			t.Errorf("%s %s %q: %+v, want %+v", test.software, test.version, test.old, n, test)
		}
	}
}

// Whatever was set, setting New leaves every class on that was on, and restoring loses none.
func TestNotificationFlagsOnARealServer(t *testing.T) {
	s := redistest.Start(t)
	c := connect(t, s)
	flags := func() string {
		return s.Do("CONFIG", "GET", "notify-keyspace-events").(map[any]any)["notify-keyspace-events"].(string)
	}
	for _, old := range []string{"", "K", "KEA", "KEAn", "KEAm", "xE", "Kg$lshzxetdn", "Kl", redistest.Flags} {
		s.Do("CONFIG", "SET", "notify-keyspace-events", old)
		before := spelt(flags())
		n, err := c.Notifications(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.Do("CONFIG", "SET", "notify-keyspace-events", n.New)
		again, err := c.Notifications(t.Context())
		if err != nil || !again.Enough() {
			t.Errorf("%q: after %s: %+v, %v", old, n.Line(), again, err)
		}
		for _, letter := range before {
			if !strings.ContainsRune(spelt(flags()), letter) {
				t.Errorf("%q: %s turned %c off", old, n.Line(), letter)
			}
		}
		s.Do("CONFIG", "SET", "notify-keyspace-events", n.Restore)
		if after := spelt(flags()); after != before {
			t.Errorf("%q: restored to %q, was %q", old, after, before)
		}
	}
}

// spelt replaces A by what it stands for.
func spelt(flags string) string {
	out := ""
	for _, letter := range "g$lshzxetdKEnm" {
		if strings.ContainsRune(flags, letter) || strings.ContainsRune(flags, 'A') && !strings.ContainsRune("KEnm", letter) {
			out += string(letter)
		}
	}
	return out
}
