// Package text holds what both faces share: escaping, widths, durations.
//
// Whatever comes from Redis (keys, tokens, client names, error strings) may have been written by an enemy. [Escape] makes
// one printable line of it, and is the only door through which such text may reach a terminal. The widths are those of
// github.com/charmbracelet/x/ansi, which the renderer uses too; mixing width functions misaligns columns.
package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"locktop/keyspace"
)

// Escape turns any bytes into one printable line, visibly and one to one: what is not graphic becomes \n, \x1b, \u202e,
// bytes that are not UTF-8 become \xff, and a backslash becomes \\. The result holds no control character, no
// bidirectional override, nothing of zero width and no space but U+0020, so that two different keys never look alike by
// means of what cannot be seen. On a terminal that shows nothing but ASCII all else is escaped as well ([SetASCII]).
func Escape(s string) string {
	s = keyspace.Visible(s)
	if ASCII() {
		return escapeRest(s)
	}
	return s
}

// Printable says whether s can be shown as it is: valid UTF-8 of graphic characters only. A backslash counts as graphic,
// so what Printable accepts is safe for a terminal, but is not one to one with what [Escape] makes.
func Printable(s string) bool { return keyspace.Printable(s) }

// Legible is for sentences of our own, in which names may have been escaped or quoted already: it leaves alone what is
// [Printable], and escapes all else. Names themselves need Escape, which is one to one.
func Legible(s string) string {
	if Printable(s) {
		return s
	}
	return Escape(s)
}

// Unescape is the inverse of Escape. It also takes escapes that Escape would not have made (\x41 for A). The error names
// the first escape that is none.
func Unescape(s string) (string, error) {
	if !strings.ContainsRune(s, '\\') {
		return s, nil
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			i++
			continue
		}
		size, err := unescapeOne(&b, s[i:])
		if err != nil {
			return "", err
		}
		i += size
	}
	return b.String(), nil
}

// unescapeOne decodes the escape at the beginning of s and returns its length in bytes.
func unescapeOne(b *strings.Builder, s string) (int, error) {
	if len(s) < 2 {
		return 0, fmt.Errorf("a lone backslash at the end: write %s for a backslash", `\\`)
	}
	digits := 0
	switch s[1] {
	case '\\':
		b.WriteByte('\\')
	case 'n':
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 't':
		b.WriteByte('\t')
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		r, _ := utf8.DecodeRuneInString(s[1:])
		return 0, fmt.Errorf("unknown escape \\%s: write %s for a backslash", Escape(string(r)), `\\`)
	}
	if digits == 0 {
		return 2, nil
	}
	if len(s) < 2+digits {
		return 0, fmt.Errorf("the escape %s is too short: it takes %d hexadecimal digits", Escape(s), digits)
	}
	n, err := strconv.ParseUint(s[2:2+digits], 16, 32)
	if err != nil {
		return 0, fmt.Errorf("the escape %s is not hexadecimal: %w", Escape(s[:2+digits]), err)
	}
	switch {
	case digits == 2:
		b.WriteByte(byte(n))
	case n > unicode.MaxRune || n >= 0xd800 && n <= 0xdfff:
		return 0, fmt.Errorf("the escape %s is no Unicode character", s[:2+digits])
	default:
		b.WriteRune(rune(n))
	}
	return 2 + digits, nil
}

// ascii says whether every byte is a printable ASCII character; width is then length.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}
