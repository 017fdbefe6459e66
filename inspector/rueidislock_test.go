package inspector

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// What the libraries left when they were run, with a prefix of the application's where it is not
// theirs.
const (
	rueidisBytes = "\x83\x02\xd9&fT*\xebZ\xf6l)\xfc\xc7\xe2\xa8\x94X\x81\\\xd2/I\xf0"          // rueidislock 1.0.79
	valkeyBytes  = "\xf4\xd2\x10\x0f\x91\x95\x15\x8a\x05o]B\n\x9bY\xc3\x15O\xe0\xb6q\x7f\xd9=" // valkeylock 1.0.79
	npmRedlock   = "594730fb989a82f9c4b373d423b32f22"
	registryUUID = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
)

// withCompanions is a record with what [Rules.Of] names beside it, of what is there.
func withCompanions(r keyspace.Record, there map[string]string) keyspace.Record {
	for _, key := range Rules(nil).Of(r).Keys {
		if value, is := there[key]; is && key != r.Key {
			r.Companions = append(r.Companions, stringRecord(key, value, 20*time.Second))
		}
	}
	return r
}

func TestOneLockUnderNumberedKeys(t *testing.T) {
	for _, test := range []struct {
		name   string
		keys   string // "<prefix>:#:<name>", with these numbers
		under  string
		value  string
		others map[string]string
		rows   string // the numbers of the rows that are shown
		merged bool
	}{
		{name: "rueidislock", keys: "rueidislock:#:orders", under: "012", value: rueidisBytes, rows: "0", merged: true},
		{name: "its majority is one", keys: "rueidislock:#:orders", under: "0", value: rueidisBytes, rows: "0", merged: true},
		{name: "rueidislock with a KeyPrefix", keys: "shop:lock:#:orders", under: "012", value: rueidisBytes, rows: "0", merged: true},
		{name: "the first key is gone", keys: "shop:lock:#:orders", under: "12", value: rueidisBytes, rows: "1", merged: true},
		{name: "valkeylock", keys: "valkeylock:#:orders", under: "012", value: valkeyBytes, rows: "0", merged: true},
		{name: "five keys, any prefix", keys: "app:#:orders", under: "01234", value: valkeyBytes, rows: "0", merged: true},
		{name: "three of five keys", keys: "app:#:orders", under: "034", value: valkeyBytes, rows: "0", merged: true},
		{name: "a name with numbers", keys: "app:#:order:7:item:3:x", under: "012", value: valkeyBytes, rows: "0", merged: true},
		{name: "a random number in hexadecimal", keys: "locks:#:orders", under: "012", value: npmRedlock, rows: "0", merged: true},
		{name: "ones", keys: "lock:#:orders", under: "012", value: "1", rows: "012"},
		{name: "a process's UUID", keys: "lock:#:orders", under: "012", value: registryUUID, rows: "012"},
		{name: "a host and a process", keys: "lock:#:orders", under: "012", value: "build-agent-17:4711", rows: "012"},
		{name: "zeros", keys: "lock:#:orders", under: "012", value: strings.Repeat("\x00", 23) + "\x01", rows: "012"},
		{name: "two far apart", keys: "lock:#:orders", under: "37", value: valkeyBytes, rows: "37"},
		{
			name: "tokens of their own", keys: "lock:#:orders", under: "0", value: valkeyBytes, rows: "01",
			others: map[string]string{"lock:1:orders": rueidisBytes},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			there := map[string]string{}
			for _, n := range test.under {
				there[strings.Replace(test.keys, "#", string(n), 1)] = test.value
			}
			for key, value := range test.others {
				there[key] = value
			}
			var rows string
			for n := range 9 {
				key := strings.Replace(test.keys, "#", fmt.Sprint(n), 1)
				value, is := there[key]
				if !is {
					continue
				}
				r := withCompanions(stringRecord(key, value, 20*time.Second), there)
				l, shown := Rules(nil).Inspect(r, schemeNow)
				if !shown {
					continue
				}
				rows += fmt.Sprint(n)
				if (l.Scheme == SchemeRueidisLock) != test.merged {
					t.Errorf("%s is of scheme %s", key, l.Scheme)
				}
				if want := len(test.under) - 1; test.merged && len(l.CompanionKeys()) != want || !test.merged && len(l.CompanionKeys()) > 0 {
					t.Errorf("beside %s there are %q", key, l.CompanionKeys())
				}
			}
			if rows != test.rows {
				t.Errorf("shown are the keys number %q, want %q", rows, test.rows)
			}
		})
	}
}

// A key's hints concern the keys of the other numbers; the lock may be shown under one of these.
func TestOwnersOfNumberedKeys(t *testing.T) {
	for key, want := range map[string]bool{
		"app:0:orders": true, "app:8:orders": true, "app:9:orders": false, "app:10:orders": false, "app:0": false, ":0:orders": false,
	} {
		owners := Rules(nil).Owners(key)
		if slices.Contains(owners, strings.ReplaceAll(key, "0", "1")) != want && slices.Contains(owners, strings.ReplaceAll(key, "8", "0")) != want {
			t.Errorf("%s: owners %q", key, owners)
		}
		if slices.Contains(owners, key) {
			t.Errorf("%s is its own owner", key)
		}
	}
}
