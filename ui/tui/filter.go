package tui

import (
	"regexp"
	"strings"

	"locktop/inspector"
)

// filter keeps the rows that a user asks for: those in whose key, holder, scheme or state a text occurs, or that a glob
// matches as a whole where the text has one of * ? [. Letter case counts only where the text has a capital.
type filter struct {
	text string
	fold bool
	glob *regexp.Regexp
}

func newFilter(s string) filter {
	f := filter{text: s, fold: s == strings.ToLower(s)}
	if strings.ContainsAny(s, "*?[") {
		f.glob = globRegexp(s, f.fold)
	}
	return f
}

// empty says that the filter keeps everything.
func (f filter) empty() bool { return f.text == "" }

func (f filter) match(s string) bool {
	if f.glob != nil {
		return f.glob.MatchString(s)
	}
	if f.fold {
		s = strings.ToLower(s)
	}
	return strings.Contains(s, f.text)
}

// lock says whether a lock passes; state is the word that its row shows.
func (f filter) lock(l *inspector.Lock, state string) bool {
	if f.empty() || f.match(l.Key) || f.match(string(l.Scheme)) || f.match(state) {
		return true
	}
	for i := range l.Holders {
		if f.match(l.Holders[i].Owner) || f.match(l.Holders[i].Label) {
			return true
		}
	}
	return false
}

// event says whether an event passes.
func (f filter) event(e *inspector.Event) bool {
	return f.empty() || f.match(e.Key) || f.match(string(e.Kind)) || f.match(e.Owner) || f.match(e.Label) ||
		f.match(e.PreviousOwner) || f.match(string(e.Cause)) || f.match(string(e.Scheme))
}

// globRegexp translates a Redis glob: * any bytes, ? one, [a-z] and [^a] classes, and a backslash that takes the next
// character's meaning away. A class that is not closed stands for its characters.
func globRegexp(glob string, fold bool) *regexp.Regexp {
	var b strings.Builder
	b.WriteString("(?s")
	if fold {
		b.WriteByte('i')
	}
	b.WriteString(")^")
	runes := []rune(glob)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; r {
		case '*':
			b.WriteString(".*")
		case '?':
			b.WriteByte('.')
		case '\\':
			if i+1 < len(runes) {
				i++
			}
			b.WriteString(regexp.QuoteMeta(string(runes[i])))
		case '[':
			class, size := globClass(runes[i:])
			b.WriteString(class)
			i += size - 1
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	b.WriteByte('$')
	compiled, err := regexp.Compile(b.String())
	if err != nil {
		// A class such as [z-a] is no regular expression; the text then stands for itself.
		return regexp.MustCompile(regexp.QuoteMeta(glob))
	}
	return compiled
}

// globClass translates the class at the beginning of runes, and says how many of them it took.
func globClass(runes []rune) (class string, size int) {
	var b strings.Builder
	b.WriteByte('[')
	i := 1
	if i < len(runes) && runes[i] == '^' {
		b.WriteByte('^')
		i++
	}
	first := i
	for ; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == ']' && i > first:
			b.WriteByte(']')
			return b.String(), i + 1
		case r == ']' || r == '[' || r == '^' || r == '\\' || r == '&' || r == '~':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return `\[`, 1
}
