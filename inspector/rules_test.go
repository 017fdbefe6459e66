package inspector

import (
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

func mustRules(t *testing.T, texts ...string) Rules {
	t.Helper()
	var rules Rules
	for _, text := range texts {
		rule, err := ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, rule)
	}
	return rules
}

func TestARuleDecidesTheScheme(t *testing.T) {
	rules := mustRules(t, "lock:count*=none", "jobs:*=token", "jobs:*=setnx", "odd=key=token", "h:*=reentrant")
	for _, c := range []struct {
		record keyspace.Record
		want   Scheme // empty: no lock
	}{
		{stringRecord("jobs:7", "17", time.Minute), SchemeToken},
		{stringRecord("jobs:7", `{"worker":"a"}`, time.Hour), SchemeToken},
		{stringRecord("jobs:7", "17", 0), SchemeSetNX}, // the first rule counts, whether the token has a TTL or none
		{stringRecord("jobs:7", strings.Repeat("{", 1<<20), 0), SchemeSetNX},
		{stringRecord("h:1", "web-1", 0), SchemeSetNX}, // not re-entrant, but named by the user
		{stringRecord("h:1", `{"worker":"a"}`, 0), ""},
		{recordOf(keyspace.TypeList, "jobs:7", 0), ""},
		{stringRecord("odd=key", "x", time.Minute), SchemeToken},
		{stringRecord("lock:counter", "web-1:4711", time.Minute), ""},
		{stringRecord("lock:orders", "web-1:4711", time.Minute), SchemeToken}, // no rule
		{hashRecord("h:1", 0, "a", "1"), SchemeReentrant},
		{hashRecord("jobs:8", time.Minute, "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42", "1"), SchemeRedisson}, // the bytes do not fit the rule
	} {
		l, ok := rules.Inspect(c.record, schemeNow)
		if ok != (c.want != "") || ok && l.Scheme != c.want {
			t.Errorf("%q: %v %+v, want %q", c.record.Key, ok, l, c.want)
		}
		if rules.Follow(c.record) != ok {
			t.Errorf("%q: followed: %v", c.record.Key, !ok)
		}
		if ok && strings.HasPrefix(c.record.Key, "jobs:7") && l.Evidence[0] != "you named it: a rule of yours names the scheme" {
			t.Errorf("%q: evidence %q does not name the rule", c.record.Key, l.Evidence)
		}
	}
}

func TestBadRulesAreRefused(t *testing.T) {
	for text, says := range map[string]string{
		"":               "write GLOB=SCHEME",
		"lock:*":         "write GLOB=SCHEME",
		"=token":         "write GLOB=SCHEME",
		"lock:*=":        "write GLOB=SCHEME",
		"lock:*=tokens":  "choose one of",
		"lock:*=unknown": "choose one of",
		"[a=token":       "the glob",
	} {
		if rule, err := ParseRule(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, %v, want an error with %q", text, rule, err, says)
		}
	}
}
