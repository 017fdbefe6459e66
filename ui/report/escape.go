package report

import (
	"strings"

	"locktop/ui/text"
)

// code is a text from elsewhere as a code span, in which Markdown has no meaning: not of HTML, links, images or names of users. What
// would end the span or the cell of a table stands there as an escape, as [text.Escape] writes them, so that the text is one to one.
func code(s string) string {
	if s == "" {
		return "(empty)"
	}
	shown := strings.ReplaceAll(strings.ReplaceAll(text.Escape(s), "`", `\x60`), "|", `\x7c`)
	return "`" + shown + "`"
}

// prose is a sentence of ours, in which names may stand that come from elsewhere. It stays as it is where it has nothing but words; else
// it is a code span.
func prose(s string) string {
	if tame(s) {
		return s
	}
	return code(unescaped(s))
}

// unescaped undoes the escapes of names in a sentence, so that code does not escape them twice; a sentence that has others stays.
func unescaped(s string) string {
	if plain, err := text.Unescape(s); err == nil {
		return plain
	}
	return s
}

// tame says whether a text means nothing to Markdown, nor to the sites that show it: no link, no user, no number of an issue. A lone dash
// is one of ours.
func tame(s string) bool {
	if s == "-" {
		return true
	}
	if s == "" || s != strings.TrimSpace(s) || !text.Printable(s) {
		return false
	}
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(" .,;'\"()%?=/→≥≤", r):
		case r == '-' || r == '+' || r == ':':
		default:
			return false
		}
	}
	begin := s[0] | 0x20 // at the beginning of a line, a sign or a number could make a list of it
	return begin >= 'a' && begin <= 'z' && !strings.Contains(s, "://") && !strings.Contains(strings.ToLower(s), "www.")
}
