package inspector

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"locktop/keyspace"
)

// OwnerName is a rule by which the operator declares that the owners of some keys are made of their
// connection's name, address or id: "orders:*={name}:*" says that the owner of a lock under orders:
// begins with the name of its connection and a colon. An owner that the rule fits, and whose
// connection is on no list, has none.
type OwnerName struct {
	text          string
	keys          keyspace.Pattern
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

// ParseOwnerName reads "GLOB=TEMPLATE": a glob of the keys, and one of the owners in which {name},
// {addr} or {id} stands once.
func ParseOwnerName(text string) (OwnerName, error) {
	keys, template, named := strings.Cut(text, "=")
	if _, found := readTemplate(keys); found > 0 || !named {
		if _, found := readTemplate(text); found != 1 {
			return OwnerName{}, fmt.Errorf("%q is not a rule: write GLOB=TEMPLATE, such as 'orders:*={name}:*'", text)
		}
		return OwnerName{}, fmt.Errorf("%q does not say which keys it is for: write GLOB=%[1]s, such as 'orders:*=%[1]s'", text)
	}
	pattern, err := keyspace.NewPattern(keys)
	if err != nil {
		return OwnerName{}, fmt.Errorf("the glob of the rule %q: %w", text, err)
	}
	rule, found := readTemplate(template)
	if found != 1 {
		return OwnerName{}, fmt.Errorf(
			"%q: exactly one {name}, {addr} or {id} is needed after the =, such as 'orders:*={name}:*'", text)
	}
	rule.text, rule.keys = text, pattern
	return rule, nil
}

// readTemplate reads what owners look like, and counts the placeholders; it is of use where there
// is one.
func readTemplate(template string) (rule OwnerName, found int) {
	for placeholder, kind := range placeholders {
		if n := strings.Count(template, placeholder); n > 0 {
			before, after, _ := strings.Cut(template, placeholder)
			found += n
			rule = OwnerName{kind: kind, before: newGlob(before), after: newGlob(after)}
		}
	}
	return rule, found
}

// covers reports whether the rule is for this lock: its key is named, its owner is not in a format
// that a library made, and the holder does not renew. A renewal proves that the holder lives,
// whatever its connection is called.
func (r *OwnerName) covers(l *Lock, owner string) bool {
	if l.Renewals > 0 || !l.Scheme.traits().anyOwner || !r.keys.Match(l.Key) {
		return false
	}
	if shapeOf(owner) == shapeUUIDTag { // a worker of BullMQ or Redisson, under whatever name
		return false
	}
	_, made := l.library()
	return !made
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

// OwnerNameUse tells how well a rule of [Options.OwnerNames] fits.
type OwnerNameUse struct {
	Rule string
	// Holders counts those to which the rule applies, those of one client as one; Matched of them
	// have a connection, or had one while locktop watched.
	Holders, Matched int
}

// Wrong reports whether more than half of the holders match no connection. Then the rule proves of
// none that it is gone.
func (u OwnerNameUse) Wrong() bool { return 2*(u.Holders-u.Matched) > u.Holders }

// String says so.
func (u OwnerNameUse) String() string {
	said := fmt.Sprintf("--owner-name %s matched %d of %d holders", u.Rule, u.Matched, u.Holders)
	if u.Wrong() {
		said += ": the rule looks wrong, so it makes no lock orphaned"
	}
	return said
}

// trusts reports whether a rule may prove that a holder is gone.
func (a *attendance) trusts(rule int) bool { return rule < len(a.uses) && !a.uses[rule].Wrong() }

// tryRules counts how many holders each rule fits, and reports whether another rule is trusted than
// before.
func (a *attendance) tryRules(slots []slot) (changed bool) {
	if len(a.rules) == 0 {
		return false
	}
	uses := make([]OwnerNameUse, len(a.rules)) // a snapshot may have the other ones
	for n := range a.rules {
		r := &a.rules[n]
		clients := make(map[link]bool)
		for i := range slots {
			l := slots[i].lock
			if l == nil || l.State == StateFreed {
				continue
			}
			for k := range l.Holders {
				a.tryRule(r, l, l.Holders[k].Owner, clients)
			}
		}
		uses[n] = OwnerNameUse{Rule: r.text, Holders: len(clients)}
		for _, matched := range clients {
			if matched {
				uses[n].Matched++
			}
		}
		changed = changed || a.trusts(n) == uses[n].Wrong()
	}
	a.uses = uses
	return changed
}

// tryRule notes whether a rule finds a connection of an owner. The shortest reading stands for the
// client.
func (a *attendance) tryRule(r *OwnerName, l *Lock, owner string, clients map[link]bool) {
	var client link
	matched := false
	r.eachReading(owner, func(read link) {
		if client.text == "" || len(read.text) < len(client.text) {
			client = read
		}
		k := a.known[read]
		matched = matched || len(a.present[read]) > 0 || k != nil && !k.seen.IsZero()
	})
	if client.text != "" && r.covers(l, owner) {
		clients[client] = clients[client] || matched
	}
}

// trustRules trusts the rules where one lock is looked at once, so that there is nothing to count.
// One that goes by names needs connections that have any.
func (a *attendance) trustRules() {
	named := false
	for l := range a.present {
		named = named || l.kind == linkName && !everybodysNames[l.text]
	}
	for i := range a.rules {
		use := OwnerNameUse{Rule: a.rules[i].text}
		if a.rules[i].kind == linkName && !named {
			use.Holders = 1
		}
		a.uses = append(a.uses, use)
	}
}
