package keyspace

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible turns any bytes from Redis into one printable line, visibly and one to one: what is not [Graphic] becomes \n, \x1b,
// \u202e, bytes that are not UTF-8 become \xff, and a backslash becomes \\. It is here so that every sentence in which a name
// is told, by whichever room, escapes it alike.
func Visible(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\\':
			b.WriteString(`\\`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case Graphic(r):
			b.WriteRune(r)
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += size
	}
	return b.String()
}

// Printable says whether s is valid UTF-8 of runes that are all [Graphic]. A backslash is one, so that what is printable is
// safe for a terminal, but is not one to one with what [Visible] makes.
func Printable(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !Graphic(r) }) < 0
}

// EscapeJSON writes every character of a line of JSON that is not [Graphic] as a \u escape, but for line feeds. In valid JSON
// such characters occur inside strings only: a reader of JSON sees no difference, and a terminal sees no control.
func EscapeJSON(line []byte) []byte {
	out := make([]byte, 0, len(line)+16)
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		switch {
		case r == '\n' || Graphic(r):
			out = append(out, line[:size]...)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		line = line[size:]
	}
	return out
}

// plain says whether Visible has nothing to do in the common case: printable ASCII without a backslash.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e || s[i] == '\\' {
			return false
		}
	}
	return true
}

// Graphic says whether a rune draws something of its own in a terminal's cell.
func Graphic(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 0x20 && r <= 0x7e
	}
	// Marks that combine with the cell before them would reach into our own columns, and make two keys look alike.
	if !unicode.IsPrint(r) || unicode.In(r, unicode.Mn, unicode.Me) {
		return false
	}
	// Letters and symbols by class that draw nothing: the Hangul fillers and the empty Braille pattern.
	switch r {
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800':
		return false
	}
	return true
}
