package keyspace

import (
	"strings"
	"testing"
)

func TestCommonKey(t *testing.T) {
	for _, test := range []struct {
		a, b   string
		common bool
	}{
		{"*", "*", true},
		{"orders:*", "*:time", true},
		{"orders:*", "{*}:time", false},
		{"{*}:time", "*:time", true},
		{"a*b", "*c", false},
		{"[ab]x", "[bc]?", true},
		{"[ab]x", "[cd]?", false},
		{"*[lL][oO][cC][kK]*", "SEMAPHORE:*:GRABBED", true},
		{"", "*", true},
		{"a", "", false},
		{"*a*b*c*", "c*b*a*", true},
		{strings.Repeat("*a", 30) + "*", strings.Repeat("*b", 30) + "*", true},
		{strings.Repeat("*a", 30), strings.Repeat("*b", 30), false},
	} {
		key, ok := CommonKey(Pattern{Glob: test.a}, Pattern{Glob: test.b})
		if ok != test.common || ok && key != "" && (!compileGlob(test.a).match(key) || !compileGlob(test.b).match(key)) {
			t.Errorf("%q and %q: %q, %v", test.a, test.b, key, ok)
		}
	}
}

func TestCovers(t *testing.T) {
	for _, test := range []struct {
		outer, inner string
		covers       bool
	}{
		{"*", "orders:*", true},
		{"orders:*", "*", false},
		{"*lock*", "redisson_lock_queue:{orders:*}", true},
		{"*[lL][oO][cC][kK]*", "redisson_lock_queue:{orders:*}", true},
		{"orders:*", "orders:*:timeout", true},
		{"orders:*", "{orders:*}:timeout", false},
		{"*.readers", "*.writer", false},
		{"{*}:*", "{*}:weight", true},
		{"[a-c]*", "[ab]x", true},
		{"[a-c]*", "[ad]x", false},
		{"a?c", "a*c", false},
		{"a*c", "a?c", true},
		{"*a*b*", "*ab*", true},
		{"*ab*", "*a*b*", false},
		{"same" + strings.Repeat("x", 90), "same" + strings.Repeat("x", 90), true},
		{strings.Repeat("*a", 31), strings.Repeat("*a", 32), true},
	} {
		if got := (Pattern{Glob: test.outer}).Covers(Pattern{Glob: test.inner}); got != test.covers {
			t.Errorf("%q covers %q: %v", test.outer, test.inner, got)
		}
	}
}

// FuzzCovers compares what is said of two globs with what they name.
func FuzzCovers(f *testing.F) {
	f.Add("*lock*", "a:lock:*", "a:lock:b")
	f.Add("[a-c]?*", "b[^x]", "bb")
	f.Fuzz(func(t *testing.T, outer, inner, key string) {
		if len(outer)+len(inner)+len(key) > 40 || key == "" {
			return
		}
		a, b := Pattern{Glob: outer}, Pattern{Glob: inner}
		if a.Covers(b) && b.Match(key) && !a.Match(key) {
			t.Errorf("%q is said to cover %q, and does not name %q", outer, inner, key)
		}
		common, meets := CommonKey(a, b)
		if a.Match(key) && b.Match(key) && !meets {
			t.Errorf("%q and %q both name %q", outer, inner, key)
		}
		if meets && common != "" && (!a.Match(common) || !b.Match(common)) {
			t.Errorf("%q is not named by both %q and %q", common, outer, inner)
		}
	})
}

func TestDistinct(t *testing.T) {
	got := Distinct([]Pattern{{Glob: "a*"}, {Glob: "a*"}, {Glob: "ab*"}, {Glob: "*b"}})
	if len(got) != 2 || got[0].Glob != "a*" || got[1].Glob != "*b" {
		t.Errorf("got %v", got)
	}
}
