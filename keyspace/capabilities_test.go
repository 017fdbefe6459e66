package keyspace_test

import (
	"strings"
	"testing"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// What check says of a right that is missing is what a read without it shows.
func TestCapabilitiesSayWhatIsNotRead(t *testing.T) {
	s := redistest.Start(t)
	s.Do("SET", "lock:s", "v", "PX", 60000)
	s.Do("HSET", "lock:h", "f", "1")
	for _, test := range []struct {
		rules, name    string
		verdict        keyspace.Verdict
		without        string
		aString, aHash bool
	}{
		{"-pexpiretime", "ttl", keyspace.Allowed, "", true, true},
		{"-pttl", "ttl", keyspace.Allowed, "", true, true},
		{"-pttl -pexpiretime", "ttl", keyspace.Denied, "no lock is shown", false, false},
		{"-getrange", "read strings", keyspace.Denied, "strings are not shown", false, true},
		{"-hgetall", "read hashes", keyspace.Denied, "hashes are not shown", true, false},
	} {
		c := user(t, s, "~* &* +@all "+test.rules)
		all, err := c.Capabilities(t.Context(), nil, nil, nil, keyspace.Standalone)
		if err != nil {
			t.Fatal(err)
		}
		if one, _ := all.Of(test.name); one.Verdict != test.verdict || !strings.Contains(one.Without, test.without) {
			t.Errorf("%s: %+v", test.rules, one)
		}
		records, err := c.Read(t.Context(), "lock:s", "lock:h")
		if err != nil {
			t.Fatal(err)
		}
		if records[0].Exists() != test.aString || records[1].Exists() != test.aHash {
			t.Errorf("%s: %+v", test.rules, records)
		}
	}
}
