package keyspace_test

import (
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// globs and keys cover every element of Redis' globs, and the malformed ones.
var globs = []string{
	"*", "?", "a*", "*a", "*a*b*", "lock:*", "[ab]c", "[^ab]c", "[a-c]x", "[c-a]x", "[", "[a", "[]", "[^]", "[^", `\*`, `a\`,
	`[\]]`, `[a\-c]`, "a**b", "[a-]", "[-a]", "*[lL][oO]ck*", "\xff?", "[\x80-\xff]",
}

func TestMatchAgreesWithRedis(t *testing.T) {
	s := redistest.Start(t)
	keys := []string{
		"a", "b", "ab", "axb", "aab", "lock:1", "Lock", "bLock", "xlOck-", "*", `a\`, "]", "-", "[", "[a", "ac", "cx", "bx",
		"^", "\xff\x80", "\x81", "c", "a-", "é",
	}
	for _, key := range keys {
		s.Do("SET", key, "v")
	}
	for _, glob := range globs {
		found := make(map[string]bool)
		reply := s.Do("SCAN", 0, "MATCH", glob, "COUNT", 10000).([]any)
		for _, key := range reply[1].([]any) {
			found[key.(string)] = true
		}
		for _, key := range keys {
			if got := (keyspace.Pattern{Glob: glob}).Match(key); got != found[key] {
				t.Errorf("%q matches %q: %v, Redis says %v", glob, key, got, found[key])
			}
		}
	}
}

func TestAnyCase(t *testing.T) {
	p := keyspace.AnyCase("*lock:*")
	if p.Glob != "*[lL][oO][cC][kK]:*" || p.String() != "*lock:*" {
		t.Errorf("AnyCase = %+v", p)
	}
	for _, key := range []string{"lock:", "MY_LOCK:1", "fLoCk:x"} {
		if !p.Match(key) {
			t.Errorf("%q is not matched", key)
		}
	}
}

// FuzzMatch looks for a glob that never ends or reads past its end.
func FuzzMatch(f *testing.F) {
	for _, glob := range globs {
		f.Add(glob, "lock:abc")
	}
	f.Fuzz(func(t *testing.T, glob, key string) {
		start := time.Now()
		matched := (keyspace.Pattern{Glob: glob}).Match(key)
		if took := time.Since(start); took > time.Second {
			t.Errorf("matching took %v", took)
		}
		if literal := !strings.ContainsAny(glob, `*?[\`); literal && matched != (glob == key) {
			t.Errorf("literal %q matches %q: %v", glob, key, matched)
		}
	})
}
