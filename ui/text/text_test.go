package text

import (
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

var hostile = map[string]string{
	"orders:checkout":        "orders:checkout",
	"":                       "",
	"a b":                    "a b",
	"line\nbreak":            `line\nbreak`,
	"\ttab\r":                `\ttab\r`,
	"\x1b[2J\x1b]0;title\a":  `\x1b[2J\x1b]0;title\x07`,
	"nul\x00del\x7f":         `nul\x00del\x7f`,
	"\u009b31m":              `\u009b31m`,
	"safe\u202egnp.exe":      `safe\u202egnp.exe`,
	"zero\u200bwidth\ufeff":  `zero\u200bwidth\ufeff`,
	"no\u00a0break":          `no\u00a0break`,
	"e\u0301":                `e\u0301`,
	"é":                      "é",
	"\xff\xfe":               `\xff\xfe`,
	`back\slash`:             `back\\slash`,
	`\x1b`:                   `\\x1b`,
	"锁:订单":                   "锁:订单",
	"tag\U000e0041":          `tag\U000e0041`,
	"filler\u3164\u2800":     `filler\u3164\u2800`,
	"replacement\ufffd\xef":  "replacement\ufffd" + `\xef`,
	"\u2028separator\u2029":  `\u2028separator\u2029`,
	"\u2066isolate\u2069end": `\u2066isolate\u2069end`,
}

func TestEscape(t *testing.T) {
	for in, want := range hostile {
		if got := Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
		back, err := Unescape(want)
		if err != nil || back != in {
			t.Errorf("Unescape(%q) = %q, %v, want %q", want, back, err, in)
		}
	}
}

// TestWhatIsShownHasWidth holds the escaping, which is not made here, to the widths that the renderer goes by.
func TestWhatIsShownHasWidth(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if shown := string(r); utf8.ValidRune(r) && Escape(shown) == shown && ansi.StringWidth(shown) == 0 {
			t.Errorf("%U is shown as it is, and has no width", r)
		}
	}
}

func TestUnescapeRefuses(t *testing.T) {
	for _, in := range []string{`\`, `a\`, `\q`, `\x1`, `\xzz`, `\u12`, `\ud800`, `\Uffffffff`, `\x+1`} {
		if got, err := Unescape(in); err == nil {
			t.Errorf("Unescape(%q) = %q, want an error", in, got)
		}
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]bool{
		"orders:1": true, `a\b`: true, "锁": true, "": true, "\n": false, "\xff": false, "\u202e": false, "e\u0301": false,
	} {
		if got := Printable(in); got != want {
			t.Errorf("Printable(%q) = %v, want %v", in, got, want)
		}
		if got := Legible(in); want && got != in || !want && got != Escape(in) {
			t.Errorf("Legible(%q) = %q", in, got)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for in := range hostile {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := Escape(in)
		if !utf8.ValidString(out) {
			t.Fatalf("Escape(%q) = %q is not UTF-8", in, out)
		}
		for _, r := range out {
			if !unicode.IsPrint(r) || ansi.StringWidth(string(r)) == 0 {
				t.Fatalf("Escape(%q) = %q holds %U", in, out, r)
			}
		}
		if !Printable(out) {
			t.Fatalf("Escape(%q) = %q is not printable", in, out)
		}
		back, err := Unescape(out)
		if err != nil || back != in {
			t.Fatalf("Unescape(Escape(%q)) = %q, %v", in, back, err)
		}
	})
}

func FuzzWidth(f *testing.F) {
	f.Add("orders:checkout", 5)
	f.Add("锁:订单", 4)
	f.Add("", 0)
	f.Fuzz(func(t *testing.T, in string, width int) {
		width = ((width % 100) + 100) % 100
		safe := Escape(in)
		if got := Width(Truncate(safe, width)); got > width {
			t.Fatalf("Truncate(%q, %d) is %d wide", safe, width, got)
		}
		for _, s := range []string{PadLeft(safe, width), PadRight(safe, width)} {
			if got := ansi.StringWidth(s); got != width {
				t.Fatalf("%q is %d wide, want %d", s, got, width)
			}
		}
	})
}

func TestTruncateAndPad(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Truncate("orders", 6), "orders"},
		{Truncate("orders", 4), "ord…"},
		{Truncate("orders", 1), "…"},
		{Truncate("orders", 0), ""},
		{Truncate("锁锁锁", 4), "锁…"},
		{PadRight("ab", 4), "ab  "},
		{PadLeft("ab", 4), "  ab"},
		{PadLeft("abcdef", 4), "abc…"},
		{PadRight("锁锁", 3), "锁…"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for in, want := range map[time.Duration]string{
		0:                                    "0.0 s",
		850 * time.Millisecond:               "0.8 s",
		4999 * time.Millisecond:              "4.9 s",
		5 * time.Second:                      "5 s",
		41 * time.Second:                     "41 s",
		59999 * time.Millisecond:             "59 s",
		time.Minute:                          "1m00s",
		65 * time.Second:                     "1m05s",
		3*time.Hour + 12*time.Minute:         "3h12m",
		2*time.Hour + 3*time.Minute:          "2h03m",
		51 * time.Hour:                       "2d03h",
		999 * 24 * time.Hour:                 "999d00h",
		1000 * 24 * time.Hour:                "1000d",
		-2 * time.Second:                     "-2.0 s",
		23*time.Hour + 59*time.Minute + 59e9: "23h59m",
	} {
		if got := Duration(in); got != want {
			t.Errorf("Duration(%v) = %q, want %q", in, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for in, want := range map[time.Duration]string{
		10 * time.Minute: "10m", time.Hour: "1h", 30 * time.Second: "30s", 90 * time.Second: "1m30s", 90 * time.Minute: "1h30m", 0: "0s",
	} {
		if got := Span(in); got != want {
			t.Errorf("Span(%v) = %q, want %q", in, got, want)
		}
	}
}

func TestLagAgoCount(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Lag(300 * time.Microsecond), "0.3 ms"},
		{Lag(12*time.Millisecond + 900*time.Microsecond), "12 ms"},
		{Lag(2 * time.Second), "2.0 s"},
		{Ago(300 * time.Millisecond), "just now"},
		{Ago(-time.Second), "just now"},
		{Ago(1900 * time.Millisecond), "1 s ago"},
		{Ago(12 * time.Second), "12 s ago"},
		{Ago(3*time.Hour + 12*time.Minute), "3h12m ago"},
		{Bytes(0), "0 B"},
		{Bytes(999), "999 B"},
		{Bytes(1000), "1.0 kB"},
		{Bytes(48_299), "48 kB"},
		{Bytes(999_999), "999 kB"},
		{Bytes(1_250_000), "1.2 MB"},
		{Bytes(1 << 40), "1.0 TB"},
		{Count(0), "0"},
		{Count(999), "999"},
		{Count(1284), "1,284"},
		{Count(-1284567), "-1,284,567"},
		{Count(100000), "100,000"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func BenchmarkEscapePlain(b *testing.B) {
	for b.Loop() {
		_ = Escape("lock:invoice:7731:0f4d3a52-1b2c")
	}
}
