package tui

import (
	"strings"

	"locktop/inspector"
	"locktop/keyspace"
)

// filter keeps the rows that a user asks for: those in whose key, holder, holder's connection, scheme or state a text occurs, or that a glob
// of Redis matches as a whole where the text has one of * ? [. Letter case counts only where the text has a capital.
type filter struct {
	text string
	fold bool // letter case does not count
	glob bool
}

func newFilter(s string) filter {
	return filter{text: s, fold: s == strings.ToLower(s), glob: strings.ContainsAny(s, "*?[")}
}

// empty says that the filter keeps everything.
func (f filter) empty() bool { return f.text == "" }

func (f filter) match(s string) bool {
	if f.fold {
		s = strings.ToLower(s)
	}
	if f.glob {
		return keyspace.Pattern{Glob: f.text}.Match(s)
	}
	return strings.Contains(s, f.text)
}

// lock says whether a lock passes; state is the word that its row shows.
func (f filter) lock(l *inspector.Lock, state string) bool {
	if f.empty() || f.match(l.Key) || f.match(string(l.Scheme)) || f.match(state) {
		return true
	}
	for i := range l.Holders {
		if f.match(l.Holders[i].Owner) || f.match(l.Holders[i].Label) || f.presence(l.Holders[i].Presence) {
			return true
		}
	}
	return false
}

// event says whether an event passes.
func (f filter) event(e *inspector.Event) bool {
	return f.empty() || f.match(e.Key) || f.match(e.Word()) || f.match(e.Owner) || f.match(e.Label) ||
		f.match(e.PreviousOwner) || f.match(string(e.Cause)) || f.match(string(e.Scheme))
}
