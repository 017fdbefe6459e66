package inspector

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// suoFloat is 1767323000.5 as MessagePack writes it.
const suoFloat = "\xcb\x41\xda\x55\xcd\x5e\x20\x00\x00"

// suoValue is a value of suo with these tokens, of up to 31 bytes each, and up to 15 of them.
func suoValue(tokens ...string) string {
	value := string([]byte{0x90 | byte(len(tokens))})
	for _, token := range tokens {
		value += "\x92" + suoFloat + string([]byte{0xa0 | byte(len(token))}) + token
	}
	return value
}

const (
	suoA = "n4L/2ZlftbtoJhoNxYjXOg=="
	suoB = "aB3/E5gH7jK9mN1pQ2rS4t=="
)

func TestSuo(t *testing.T) {
	l := inspected(t, stringRecord("lock:orders", suoValue(suoA), 0), SchemeSuo)
	if h := soleHolder(t, l); h.Owner != suoA || h.Label != suoA+", since 2026-01-02 03:03:20Z" || l.State != StateHeld {
		t.Errorf("%+v", l)
	}
	two := judged(t, stringRecord("orders_lock", suoValue(suoA, suoB), 0))
	if two.Scheme != SchemeSuo || two.Mode != ModeSemaphore || len(two.Holders) != 2 || two.Holders[1].Owner != suoB {
		t.Errorf("%+v", two)
	}
	long := "\x91\x92" + suoFloat + "\xd9\x28" + strings.Repeat("x", 40)
	if l := judged(t, stringRecord("lock:orders", long, 0)); l.Scheme != SchemeSuo || l.Holders[0].Owner != strings.Repeat("x", 40) {
		t.Errorf("a token of one's own: %+v", l)
	}
	for name, value := range map[string]string{
		"nobody":            suoValue(),
		"nothing":           "",
		"a byte too many":   suoValue(suoA) + "x",
		"a byte too few":    suoValue(suoA)[:30],
		"a holder too few":  "\x92" + suoValue(suoA)[1:],
		"a time long ago":   "\x91\x92\xcb\x00\x00\x00\x00\x00\x00\x00\x00\xa1a",
		"no time":           "\x91\x92\xa1b\xa1a",
		"no token":          "\x91\x92" + suoFloat + "\xa0",
		"a number as token": "\x91\x92" + suoFloat + "\x01",
		"a long text, cut":  "\x91\x92" + suoFloat + "\xd9",
		"a long array, cut": "\xdc\x00",
	} {
		if l, is := Rules(nil).Inspect(stringRecord("lock:orders", value, 0), schemeNow); is && l.Scheme == SchemeSuo {
			t.Errorf("%s is taken for %+v", name, l)
		}
	}
}

func TestSuoWithoutAHolder(t *testing.T) {
	if rest, left, ok := SuoWithout(suoValue(suoA, suoB), suoA); !ok || left != 1 || rest != suoValue(suoB) {
		t.Errorf("%q, %d, %v", rest, left, ok)
	}
	if rest, left, ok := SuoWithout(suoValue(suoB), suoB); !ok || left != 0 || rest != "\x90" {
		t.Errorf("%q, %d, %v", rest, left, ok)
	}
	for _, value := range []string{suoValue(suoB), "", "\x90", suoA} {
		if rest, left, ok := SuoWithout(value, suoA); ok {
			t.Errorf("%q: %q, %d", value, rest, left)
		}
	}
	var many []string
	for n := range 17 {
		many = append(many, string(rune('a'+n)))
	}
	value := "\xdc\x00\x11" + suoValue(many...)[1:]
	rest, left, ok := SuoWithout(value, "q")
	if want := "\xdc\x00\x10" + suoValue(many[:16]...)[1:]; !ok || left != 16 || rest != want {
		t.Errorf("of 17: %q, %d, %v", rest, left, ok)
	}
	rest, left, ok = SuoWithout(rest, "a")
	if want := suoValue(many[1:16]...); !ok || left != 15 || rest != want {
		t.Errorf("of 16: %q, %d, %v", rest, left, ok)
	}
	if holds, ok := suoHolds(value); !ok || !slices.ContainsFunc(holds, func(h suoHold) bool { return h.token == "q" && h.at.Equal(time.Unix(1767323000, 5e8)) }) {
		t.Errorf("%v %v", holds, ok)
	}
}
