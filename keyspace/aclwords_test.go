package keyspace

import (
	"strings"
	"testing"
)

func TestObserverRulesBefore7AndQuoting(t *testing.T) {
	c := &Connection{options: Options{DB: 2}, server: Server{Software: "redis", Version: "6.2.14"}}
	rules := c.ObserverACL([]Pattern{{Glob: `a "b*`}}, nil, nil, Standalone)
	if !strings.Contains(rules, ` "~a?\"b*" "&__keyspace@2__:a?\"b*" `) {
		t.Errorf("got %s", rules)
	}
}

func TestACLGlob(t *testing.T) {
	for glob, want := range map[string]string{
		"lock:*": "lock:*", "a b\t*": "a?b?*", `a\ b\*`: `a?b\*`, "[a ]x[bc]": "?x[bc]", "[^\n]": "?", `\[a b]`: `\[a?b]`, "[": "[", "[ ": "?",
	} {
		if got := ACLGlob(glob); got != want {
			t.Errorf("%q: %q, want %q", glob, got, want)
		}
	}
}

func TestACLWord(t *testing.T) {
	for word, want := range map[string]string{
		`~lock\[*`: `~lock\[*`, "": `""`, `x"y\`: `"x\"y\\"`, "it's": `"it's"`, "\x1b锁": `"\x1b\xe9\x94\x81"`,
	} {
		if got := ACLWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}
