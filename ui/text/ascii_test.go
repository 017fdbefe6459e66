package text

import (
	"bytes"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// onASCII makes the terminal one that shows nothing else, for a test.
func onASCII(t testing.TB) {
	t.Helper()
	SetASCII(true)
	t.Cleanup(func() { SetASCII(false) })
}

// TestTwins: each is printable ASCII, and as wide as its sign but for the few that say so.
func TestTwins(t *testing.T) {
	for sign, twin := range twins {
		if !ascii(twin) || twin == "" {
			t.Errorf("%c has the twin %q", sign, twin)
		}
		if ansi.StringWidth(string(sign)) != len(twin) && !strings.ContainsRune("⏎␣⇥⇤½¼⅛", sign) {
			t.Errorf("%c and %q are not equally wide", sign, twin)
		}
	}
	for _, signs := range []string{"▁▂▃▄▅▆▇█", "█▒ ", "━─", "●✖↻◌◔◑◒◇▲≠", "≥≤"} {
		seen := map[string]rune{}
		for _, sign := range signs {
			twin := inASCII(string(sign))
			if other, taken := seen[twin]; taken {
				t.Errorf("%c and %c have the same twin %q", other, sign, twin)
			}
			seen[twin] = sign
		}
	}
}

// TestEverySignHasATwin reads what the two faces may write: a sign without a twin would be shown as an escape.
func TestEverySignHasATwin(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	signs := 0
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "ascii.go" {
			continue
		}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var s scanner.Scanner
		files := token.NewFileSet()
		s.Init(files.AddFile(path, -1, len(source)), source, nil, 0)
		for {
			at, kind, literal := s.Scan()
			if kind == token.EOF {
				break
			}
			if kind != token.STRING && kind != token.CHAR {
				continue
			}
			for _, r := range literal {
				if _, ok := twins[r]; r > unicode.MaxASCII && !ok {
					t.Errorf("%s: %c has no twin", files.Position(at), r)
				} else if ok {
					signs++
				}
			}
		}
	}
	if signs < 50 {
		t.Errorf("only %d signs were found", signs)
	}
}

func TestEscapeOnASCII(t *testing.T) {
	onASCII(t)
	for in, want := range map[string]string{
		"orders:1": "orders:1", "käse": `k\u00e4se`, `k\u00e4se`: `k\\u00e4se`, "锁": `\u9501`, "😀": `\U0001f600`,
		"●": `\u25cf`, "a…": `a\u2026`, "\x1b": `\x1b`,
	} {
		got := Escape(in)
		if got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
		if back, err := Unescape(got); back != in || err != nil {
			t.Errorf("Unescape(%q) = %q, %v, want %q", got, back, err, in)
		}
	}
	if got, want := Drawable("● held ≥2 · ⏎ é"), `* held >2 . Enter \u00e9`; got != want {
		t.Errorf("Drawable: %q, want %q", got, want)
	}
	if got := Cells("⏎ detail"); got != len("Enter detail") {
		t.Errorf("%d cells", got)
	}
}

func TestDrawableElsewhere(t *testing.T) {
	if got := Drawable("● é"); got != "● é" || Cells(got) != 3 {
		t.Errorf("where everything can be shown it makes %q", got)
	}
}

func TestASCIIWriter(t *testing.T) {
	const written = "● held …\nkäse 😀\xff\n"
	const want = "* held ~\n" + `k\u00e4se \U0001f600` + `\ufffd` + "\n"
	for size := 1; size <= len(written); size++ {
		var out bytes.Buffer
		w := &ASCIIWriter{Writer: &out}
		for from := 0; from < len(written); from += size {
			piece := []byte(written[from:min(from+size, len(written))])
			if n, err := w.Write(piece); n != len(piece) || err != nil {
				t.Fatal(n, err)
			}
		}
		if out.String() != want {
			t.Fatalf("in pieces of %d: %q, want %q", size, out.String(), want)
		}
	}
}

func FuzzEscapeOnASCII(f *testing.F) {
	for in := range hostile {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		onASCII(t)
		out := Escape(in)
		if !ascii(out) {
			t.Fatalf("Escape(%q) = %q", in, out)
		}
		if back, err := Unescape(out); err != nil || back != in {
			t.Fatalf("Unescape(Escape(%q)) = %q, %v", in, back, err)
		}
	})
}
