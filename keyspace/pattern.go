package keyspace

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pattern is a Redis glob that names keys.
type Pattern struct {
	// Glob is what is sent to the server, in the syntax of SCAN MATCH.
	Glob string
	// Shown is what the user reads, where it differs: a pattern in any letter case is sent as "*[lL][oO]...*" and shown as
	// "*lo...*".
	Shown string
}

// NewPattern takes a glob as the user wrote it.
func NewPattern(glob string) (Pattern, error) {
	if glob == "" {
		return Pattern{}, errors.New("an empty pattern matches no key; \"*\" matches them all")
	}
	return Pattern{Glob: glob}, nil
}

// AnyCase makes every ASCII letter of a glob match in both cases. The glob must have no [sets] of its own.
func AnyCase(glob string) Pattern {
	var b strings.Builder
	for _, r := range glob {
		if r < utf8.RuneSelf && unicode.IsLetter(r) {
			b.WriteByte('[')
			b.WriteRune(unicode.ToLower(r))
			b.WriteRune(unicode.ToUpper(r))
			b.WriteByte(']')
			continue
		}
		b.WriteRune(r)
	}
	return Pattern{Glob: b.String(), Shown: glob}
}

// String is the pattern as the user reads it.
func (p Pattern) String() string {
	if p.Shown != "" {
		return p.Shown
	}
	return p.Glob
}

// Match says whether the pattern names the key.
func (p Pattern) Match(key string) bool { return matchGlob(p.Glob, key) }

// prefix is the literal text with which every key that the pattern names begins.
func (p Pattern) prefix() string {
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

// firstMatch is the index of the first pattern that names the key, or -1.
func firstMatch(patterns []Pattern, key string) int {
	for i, p := range patterns {
		if matchGlob(p.Glob, key) {
			return i
		}
	}
	return -1
}

// matchGlob matches as Redis does (util.c, stringmatchlen, 7.0): bytes, not characters; "*", "?", "[a-z]", "[^a]", "\x".
// An unclosed set ends with the pattern. It looks back to the last star only, so that no pattern takes exponential time.
func matchGlob(glob, key string) bool {
	g, k := 0, 0
	star, mark := -1, 0
	for k < len(key) {
		if g < len(glob) {
			if glob[g] == '*' {
				star, mark = g, k
				g++
				continue
			}
			if matched, width := matchOne(glob[g:], key[k]); matched {
				g += width
				k++
				continue
			}
		}
		if star < 0 {
			return false
		}
		mark++
		g, k = star+1, mark
	}
	for g < len(glob) && glob[g] == '*' {
		g++
	}
	return g >= len(glob)
}

// matchOne matches one byte of a key with the element at the head of a glob, and says how long that element is.
func matchOne(glob string, c byte) (matched bool, width int) {
	switch glob[0] {
	case '?':
		return true, 1
	case '[':
		return matchSet(glob, c)
	case '\\':
		if len(glob) >= 2 {
			return glob[1] == c, 2
		}
	}
	return glob[0] == c, 1
}

func matchSet(glob string, c byte) (matched bool, width int) {
	i := 1
	negated := i < len(glob) && glob[i] == '^'
	if negated {
		i++
	}
	for ; i < len(glob) && glob[i] != ']'; i++ {
		switch {
		case glob[i] == '\\' && i+1 < len(glob):
			i++
			matched = matched || glob[i] == c
		case i+2 < len(glob) && glob[i+1] == '-':
			low, high := glob[i], glob[i+2]
			if low > high {
				low, high = high, low
			}
			matched = matched || low <= c && c <= high
			i += 2
		default:
			matched = matched || glob[i] == c
		}
	}
	return matched != negated, min(i+1, len(glob))
}
