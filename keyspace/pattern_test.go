package keyspace_test

import (
	"errors"
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
	for glob, want := range map[string]string{
		"*lock:*": "*[lL][oO][cC][kK]:*", "[a-f1]x": "[a-f1A-F][xX]", `\*\a`: `\*[aA]`, "[^b]": "[^bB]", "[^^-z]": "[^^-zABCDEFGHIJKLMNOPQRSTUVWXYZ]",
		"[a": "[a", "\xe9": "\xe9", "[A-Ca-c]": "[A-Ca-c]",
	} {
		p := keyspace.AnyCase(glob)
		if strings.ReplaceAll(p.Glob, "ABCDEF]", "A-F]") != want && p.Glob != want || p.String() != glob {
			t.Errorf("AnyCase(%q) = %+v, want %q", glob, p, want)
		}
	}
	p := keyspace.AnyCase("*lock:*")
	for _, key := range []string{"lock:", "MY_LOCK:1", "fLoCk:x"} {
		if !p.Match(key) {
			t.Errorf("%q is not matched", key)
		}
	}
}

func TestNewPatternRefusesWhatWouldMatchNothing(t *testing.T) {
	for _, glob := range []string{"", "[", "[a", "lock:[", `a\`, "[]", `[a\]`} {
		if _, err := keyspace.NewPattern(glob); !errors.Is(err, keyspace.ErrPattern) {
			t.Errorf("%q: %v", glob, err)
		}
	}
	for _, glob := range []string{"*", "a", "[^]", `\[`, `[\]]`, "lock:[a-z]*", "]", "\xff"} {
		if p, err := keyspace.NewPattern(glob); err != nil || p.Glob != glob {
			t.Errorf("%q: %+v, %v", glob, p, err)
		}
	}
}

func TestLiteralPrefixAndEscape(t *testing.T) {
	for glob, want := range map[string]string{"lock:*": "lock:", "*": "", "a?": "a", `a\*b[c]`: "a*b", "whole": "whole", `end\`: `end\`} {
		if got := (keyspace.Pattern{Glob: glob}).LiteralPrefix(); got != want {
			t.Errorf("%q: %q, want %q", glob, got, want)
		}
	}
	const odd = `a*b?c[d]\^-` + "\xff"
	p := keyspace.Pattern{Glob: keyspace.Escape(odd)}
	if !p.Match(odd) || p.LiteralPrefix() != odd || p.Match("aXbYcd") {
		t.Errorf("Escape(%q) = %q", odd, p.Glob)
	}
}

// FuzzMatchAgreesWithRedis asks a server about one key after the other.
func FuzzMatchAgreesWithRedis(f *testing.F) {
	for _, glob := range globs {
		f.Add(glob, "lock:abc")
	}
	s := redistest.Start(f)
	client := s.Client()
	f.Fuzz(func(t *testing.T, glob, key string) {
		if glob == "" || key == "" || len(glob) > 200 { // SCAN MATCH "" finds nothing; and see matchEmpty
			return
		}
		pipe := client.Pipeline()
		pipe.FlushDB(t.Context())
		pipe.Set(t.Context(), key, "v", 0)
		scan := pipe.Scan(t.Context(), 0, glob, 1000)
		if _, err := pipe.Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		found, _ := scan.Val()
		p := keyspace.Pattern{Glob: glob}
		if got := p.Match(key); got != (len(found) == 1) {
			t.Fatalf("%q matches %q: %v, Redis says %v", glob, key, got, len(found) == 1)
		}
		match, first := keyspace.MatchSet(keyspace.Pattern{Glob: "*never to be found*"}, p)
		if got := match(key); got != p.Match(key) || got != (first(key) == 1) {
			t.Fatalf("%q and %q: alone %v, in a set %v, first %d", glob, key, p.Match(key), got, first(key))
		}
		if either := keyspace.AnyCase(glob); p.Match(key) && !either.Match(key) {
			t.Fatalf("%q matches %q, %q does not", glob, key, either.Glob)
		}
	})
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
