package keyspace

import (
	"errors"
	"fmt"
	"strings"
)

// Pattern is a Redis glob that names keys.
type Pattern struct {
	// Glob is what is sent to the server, in the syntax of SCAN MATCH.
	Glob string
	// Shown is what the user reads, where it differs: a pattern in any letter case is sent as "*[lL][oO]...*" and shown as
	// "*lo...*".
	Shown string
}

// String is what the user reads.
func (p Pattern) String() string {
	if p.Shown != "" {
		return p.Shown
	}
	return p.Glob
}

// Match says whether the pattern names the key, as SCAN MATCH does.
func (p Pattern) Match(key string) bool { return compileGlob(p.Glob).match(key) }

// ErrPattern is what the errors of [NewPattern] wrap.
var ErrPattern = errors.New("pattern")

// NewPattern makes a pattern of a glob that a person wrote, and refuses what Redis would take without a word and then
// match nothing, or something else than was meant: an empty glob, a class without its "]", a backslash at the end.
func NewPattern(text string) (Pattern, error) {
	if text == "" {
		return Pattern{}, fmt.Errorf(`an empty %w matches no key; "*" matches them all`, ErrPattern)
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			if i++; i == len(text) {
				return Pattern{}, fmt.Errorf(`the %w %q ends in a backslash that escapes nothing; write \\ for a backslash`, ErrPattern, text)
			}
		case '[':
			var s set
			end, closed := compileClass(text, i+1, &s)
			if !closed {
				return Pattern{}, fmt.Errorf(`the %w %q has a "[" without "]"; write \[ for the character itself`, ErrPattern, text)
			}
			if s == (set{}) {
				return Pattern{}, fmt.Errorf(`the %w %q has an empty class, "[]", which matches nothing`, ErrPattern, text)
			}
			i = end
		}
	}
	return Pattern{Glob: text}, nil
}

// AnyCase makes a pattern that matches the glob's ASCII letters in either case: "*lock*" becomes "*[lL][oO][cC][kK]*",
// shown as "*lock*". Classes are widened: "[a-f1]" becomes "[a-f1A-F]".
func AnyCase(text string) Pattern {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '[':
			var s set
			end, closed := compileClass(text, i+1, &s)
			if class := text[i : end+1]; closed {
				b.WriteString(anyCaseClass(class))
			} else {
				b.WriteString(class)
			}
			i = end
		case c == '\\' && i+1 < len(text) && !isLetter(text[i+1]):
			b.WriteString(text[i : i+2])
			i++
		case c == '\\' && i+1 < len(text):
			i++
			c = text[i]
			fallthrough
		case isLetter(c):
			b.WriteString("[" + strings.ToLower(string(c)) + strings.ToUpper(string(c)) + "]")
		default:
			b.WriteByte(c)
		}
	}
	return Pattern{Glob: b.String(), Shown: text}
}

// anyCaseClass adds the other case of every letter that a closed class names, and keeps the class as it was written.
func anyCaseClass(class string) string {
	var named set
	compileMembers(strings.TrimPrefix(class[1:], "^"), 0, &named)
	var more strings.Builder
	for c := byte('A'); c <= 'Z'; c++ {
		upper, lower := named.has(c), named.has(c|0x20)
		switch {
		case upper && !lower:
			more.WriteByte(c | 0x20)
		case lower && !upper:
			more.WriteByte(c)
		}
	}
	return strings.TrimSuffix(class, "]") + more.String() + "]"
}

func isLetter(c byte) bool { c |= 0x20; return c >= 'a' && c <= 'z' }

// Escape makes the glob that matches exactly this text.
func Escape(text string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`).Replace(text)
}

// LiteralPrefix is the text with which every key begins that the pattern names; it may be empty.
func (p Pattern) LiteralPrefix() string {
	var b strings.Builder
	for i := 0; i < len(p.Glob); i++ {
		switch c := p.Glob[i]; c {
		case '*', '?', '[':
			return b.String()
		case '\\':
			if i+1 < len(p.Glob) {
				i++
			}
			b.WriteByte(p.Glob[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
