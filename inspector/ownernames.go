package inspector

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"locktop/keyspace"
)

// OwnerName is a rule by which the operator declares that owners are made of their connection's name, address or id:
// "{name}:*" says that an owner begins with the name of its connection and a colon. An owner that the rule fits, and whose connection
// is on no list, has none.
type OwnerName struct {
	text          string
	kind          linkKind
	before, after glob
}

// glob is a glob of a rule; most are short, and nothing but a text with a * behind it.
type glob struct {
	keyspace.Pattern
	literal, open bool // no glob at all; none but for a * at its end
}

func newGlob(text string) glob {
	g := glob{Pattern: keyspace.Pattern{Glob: text}}
	special := strings.IndexAny(text, "*?[\\")
	g.literal = special < 0
	g.open = special >= 0 && special == len(text)-1 && text[special] == '*'
	return g
}

func (g *glob) match(text string) bool {
	switch {
	case g.literal:
		return text == g.Glob
	case g.open:
		return strings.HasPrefix(text, g.Glob[:len(g.Glob)-1])
	}
	return g.Match(text)
}

// placeholders are what a rule may have once.
var placeholders = map[string]linkKind{"{name}": linkName, "{addr}": linkAddr, "{id}": linkID}

// ParseOwnerName reads a rule: a glob in which {name}, {addr} or {id} stands once.
func ParseOwnerName(text string) (OwnerName, error) {
	var rule OwnerName
	found := 0
	for placeholder, kind := range placeholders {
		if n := strings.Count(text, placeholder); n > 0 {
			before, after, _ := strings.Cut(text, placeholder)
			found += n
			rule = OwnerName{text: text, kind: kind, before: newGlob(before), after: newGlob(after)}
		}
	}
	if found != 1 {
		return OwnerName{}, fmt.Errorf("%q: give one of {name}, {addr} and {id} once, such as '{name}:*'", text)
	}
	return rule, nil
}

// String is the rule as it was given.
func (r OwnerName) String() string { return r.text }

// words says how an owner is joined by the rule.
func (r OwnerName) words() string { return "--owner-name " + r.text }

// clientNumber is a connection's id as an owner has it.
func clientNumber(c *keyspace.Client) string { return strconv.FormatInt(c.ID, 10) }

// mostReadings bounds the names that an owner may have by one rule.
const mostReadings = 64

// eachReading gives every link that the rule reads in an owner.
func (r *OwnerName) eachReading(owner string, give func(link)) {
	owner = unwrap(owner)
	if len(owner) > mostLink {
		return
	}
	given := 0
	for from := range len(owner) {
		if !r.before.match(owner[:from]) {
			continue
		}
		for to := len(owner); to > from && given < mostReadings; to-- {
			if !r.after.match(owner[to:]) {
				continue
			}
			if l, is := r.link(owner[from:to]); is {
				give(l)
				given++
			}
		}
		if r.before.Glob == "" {
			return
		}
	}
}

// link is what a part of an owner stands for; false: it cannot be that.
func (r *OwnerName) link(part string) (link, bool) {
	switch r.kind {
	case linkAddr:
		addr, err := netip.ParseAddrPort(part)
		return link{linkAddr, addr.String()}, err == nil
	case linkID:
		return link{linkID, part}, allDigits(part) && part[0] != '0'
	case linkName, linkPart, linkUUID:
	}
	return link{linkName, part}, !strings.ContainsAny(part, " \n")
}
