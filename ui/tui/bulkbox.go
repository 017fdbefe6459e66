package tui

import (
	"fmt"
	"strings"
	"time"

	"locktop/actions"
	"locktop/inspector"
	"locktop/ui/text"
)

// bulkWidth is the width of a dialog about several locks.
const bulkWidth = 118

// title names the action and whose locks it is about.
func (b *bulk) title(verb actions.Verb) string {
	if b.of != "" {
		return string(verb) + " " + text.Plural(int64(b.locks), "lock") + " of " + text.Escape(b.of)
	}
	return string(verb) + " " + text.Plural(int64(b.locks), "marked lock")
}

// describe says in numbers what will be done, and lists all of it.
func (b *bulk) describe(m *model, width int) [][]part {
	t, d := m.theme, m.dialog
	g := page{theme: t, width: width}
	say := func(s style, sentence string) {
		for _, line := range wrapWords(sentence, width) {
			g.line(part{s, line})
		}
	}
	say(t.strong, b.numbers(d.verb))
	if b.hidden > 0 {
		say(t.warn, fmt.Sprintf("▲ %s more %s marked and hidden by the filter: not touched", text.Count(int64(b.hidden)), areOrIs(b.hidden)))
	}
	if b.beyond > 0 {
		say(t.warn, fmt.Sprintf("▲ these are the first %s; %s more: not touched, and for another time", text.Count(bulkMost), text.Count(int64(b.beyond))))
	}
	if b.away > 0 {
		say(t.faint, fmt.Sprintf("%s more %s marked and not there any more", text.Count(int64(b.away)), areOrIs(b.away)))
	}
	if c := b.counts(); c.discouraged > 0 && !b.discouraged {
		say(t.warn, fmt.Sprintf("▲ %s discouraged and left out", text.Plural(int64(c.discouraged), "action")))
	}
	r := actions.Request{Verb: d.verb}
	if err := d.complete(&r); err != nil {
		say(t.bad, err.Error())
	}
	if b.of == "" && len(b.items) > b.locks {
		say(t.faint, "Of a lock with several holders all are meant.")
	}
	say(t.faint, "Each is done only if it is then still as it is listed here.")
	if m.latest != nil {
		if n := b.changed(m); n > 0 {
			say(t.warn, "▲ "+text.Plural(int64(n), "lock")+" changed since: see the list; what is not as it was seen is refused")
		}
	}
	if said := silentText(m, b.seen()); said != "" {
		say(t.warn, said)
	}
	warnings := b.warnings()
	warn := func() {
		for _, w := range warnings {
			g.paragraph([]part{{t.warn, "▲"}}, 2, t.warn, text.Plural(int64(w.locks), "lock")+": "+w.text)
		}
	}
	small := width < 60 || m.height < 24 // there the list itself is what must be seen first
	switch {
	case small && len(warnings) > 0:
		say(t.warn, "▲ what to beware of is said below the list")
	case !small:
		warn()
	}
	g.line()
	for i := range b.items {
		b.itemLines(&g, m, &b.items[i])
	}
	if small && len(warnings) > 0 {
		g.line()
		warn()
	}
	return g.lines
}

// seen are the locks that will be touched, as they were seen.
func (b *bulk) seen() []*inspector.Lock {
	locks := make([]*inspector.Lock, 0, b.locks)
	for i := range b.items {
		if b.does(&b.items[i]) {
			locks = append(locks, b.items[i].lock)
		}
	}
	return locks
}

// bulkWarning is something to beware of, and of how many locks it is true.
type bulkWarning struct {
	text  string
	locks int
}

// warnings are what to beware of in what will be done, each told once, since a thousand locks of one library have the same.
func (b *bulk) warnings() []bulkWarning {
	var all []bulkWarning
	at := map[string]int{}
	last := map[string]*inspector.Lock{}
	for i := range b.items {
		item := &b.items[i]
		if !b.does(item) {
			continue
		}
		for _, said := range item.warnings {
			n, told := at[said]
			if !told {
				n = len(all)
				at[said], all = n, append(all, bulkWarning{text: said})
			}
			if last[said] != item.lock { // the holders of one lock come one after another
				all[n].locks++
				last[said] = item.lock
			}
		}
	}
	return all
}

func areOrIs(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// numbers says of how many locks how many actions will be done, and how many not.
func (b *bulk) numbers(verb actions.Verb) string {
	c := b.counts()
	chosen := text.Count(int64(b.locks)) + " marked"
	if b.of != "" {
		chosen = text.Plural(int64(b.locks), "lock") + " of " + text.Escape(b.of)
	}
	if len(b.items) != b.locks { // each of their holders
		chosen += ", " + text.Plural(int64(len(b.items)), "action")
	}
	said := chosen + ", " + text.Count(int64(c.will)) + " will be " + done(verb)
	if not := len(b.items) - c.will - c.wont; not > 0 {
		said += ", " + text.Count(int64(not)) + " left out"
	}
	if c.wont > 0 {
		said += ", " + text.Count(int64(c.wont)) + " cannot"
	}
	return said
}

// done is what a lock is after an action.
func done(verb actions.Verb) string {
	switch verb {
	case actions.VerbExtend:
		return "extended"
	case actions.VerbForceExpire:
		return "force-expired"
	case actions.VerbRelease:
		return "released"
	}
	return string(verb)
}

// changed counts the listed actions whose lock is not any more as it was seen.
func (b *bulk) changed(m *model) int {
	n := 0
	for i := range b.items {
		if b.does(&b.items[i]) && b.changedItem(m, &b.items[i]) != "" {
			n++
		}
	}
	return n
}

// changedItem says in words how a lock is not any more as it was listed; empty: it is still the same hold, as far as is known.
func (b *bulk) changedItem(m *model, item *bulkItem) string {
	r := actions.Request{Verb: m.dialog.verb, Lock: item.lock, Owner: item.owner}
	_, why := r.StillThat(b.lately(m.latest, item.lock))
	return why
}

// itemLines list one action: what was seen of the lock, and what will come of it.
func (b *bulk) itemLines(g *page, m *model, item *bulkItem) {
	t, l := m.theme, item.lock
	now := m.momentOf(l)
	f := t.faceOf(l, now)
	holder := text.Escape(item.label)
	if item.label == "" {
		holder = "nobody"
	}
	for i := range l.Holders {
		if h := &l.Holders[i]; h.Owner == item.owner {
			holder += goneWord(h)
			break
		}
	}
	if actions.EndsForAll(actions.Request{Verb: m.dialog.verb, Lock: l}) && len(l.Holders) > 1 {
		holder = ownerText(l)
	}
	if n := countOf(item); n != "" {
		holder += " " + n
	}
	ttl, waits := leaseBriefly(l, now), waitersText(l)
	if held := heldText(l, now); held != "-" && l.State != inspector.StateFreed {
		ttl = "held " + held + ", " + ttl
	}
	switch waits {
	case "-":
		waits = "waiters not seen"
	case "0":
		waits = "nobody waits"
	default:
		waits += " wait"
	}
	const stateWidth, waiting = 10, 16
	room := g.width - stateWidth - waiting - 3
	key, who := room/3, room*13/50
	name := text.Escape(l.Key)
	if g.width >= 90 && text.Width(name) < key && text.Width(holder) < who && text.Width(ttl) < room-key-who {
		g.line(
			part{f.style, text.PadRight(f.glyph+" "+f.word, stateWidth)}, part{t.strong, text.PadRight(name, key)},
			part{t.plain, text.PadRight(holder, who)}, part{t.plain, text.PadRight(ttl, room-key-who)}, part{t.plain, "  " + waits},
		)
	} else { // nothing of what will be touched is cut off
		for i, line := range hardWrap(name, g.width-2) {
			lead := part{f.style, f.glyph + " "}
			if i > 0 {
				lead = part{t.plain, "  "}
			}
			g.line(lead, part{t.strong, line})
		}
		state := f.word + " · "
		if strings.HasPrefix(ttl, f.word+" ") {
			state = "" // it says so itself
		}
		g.paragraph(nil, 2, t.plain, holder+" · "+state+ttl+" · "+waits)
	}
	b.fateLines(g, m, item)
}

// leaseBriefly is what the lease has left, without why.
func leaseBriefly(l *inspector.Lock, now time.Time) string {
	said := leaseText(l, now)
	for _, why := range []string{": ", "; ", ", until"} {
		said, _, _ = strings.Cut(said, why)
	}
	return said
}

// fateLines say what will come of an action.
func (b *bulk) fateLines(g *page, m *model, item *bulkItem) {
	t := m.theme
	say := func(s style, lead, sentence string) {
		g.paragraph([]part{{s, lead}}, 4, s, sentence)
	}
	if item.does != "" {
		say(t.plain, "  →", item.does)
	}
	switch {
	case item.fate == standingWont:
		say(t.warn, "  ✖", "cannot be: "+item.why)
	case item.fate == standingDiscouraged && b.discouraged:
		say(t.bad, "  ▲", item.why)
	case item.fate == standingDiscouraged:
		say(t.warn, "  ✖", "left out: "+item.why)
	}
	if m.latest != nil && b.does(item) {
		if changed := b.changedItem(m, item); changed != "" {
			say(t.warn, "  ▲", changed+": the action will be refused")
		}
	}
}

// countOf is how often the holder of an item entered, where that is more than once.
func countOf(item *bulkItem) string {
	for i := range item.lock.Holders {
		if h := &item.lock.Holders[i]; h.Owner == item.owner && h.Count.Known && h.Count.N > 1 {
			return "×" + text.Count(h.Count.N)
		}
	}
	return ""
}
