package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/actions"
	"locktop/inspector"
	"locktop/ui/text"
)

// bulk is what a dialog about several locks is about. What it lists is all that is touched, and nothing else: each item holds the
// lock as it was seen, and is done on that one, or not at all.
type bulk struct {
	of    string // whose locks they are; empty: the marked ones
	items []bulkItem
	locks int // that the items are of
	// hidden are the marked locks that the filter or "suspects only" hides, and away those of which nothing is known any more.
	hidden, away int
	beyond       int  // how many more locks were chosen than are listed
	discouraged  bool // do also what is discouraged

	now   map[lockID]*inspector.Lock // the locks as they are by now, as of the snapshot nowAt
	nowAt uint64
}

// bulkMost bounds how many locks one action is about, and the list that an operator has to read. The rest is for another one.
const bulkMost = 1000

// bulkItem is one action of several: on one holder of a lock, or on all of them at once.
type bulkItem struct {
	lock  *inspector.Lock
	owner string
	label string // of the holder; empty: nobody holds it
	// others: the action would take the lock from other holders too, who are not meant.
	others bool
	// partly: keys that the dialog does not list may be parts of the same lock. See
	// [inspector.Lock.Siblings].
	partly bool
	// What is known beforehand: what it does, or what is discouraged, or why it cannot be.
	fate      standing
	does, why string
	warnings  []string // what to beware of besides
}

// standing is what is known beforehand of an action.
type standing int

// The standings.
const (
	standingWill standing = iota
	standingDiscouraged
	standingWont
)

// openMarked asks for an action on the marked locks that can be seen: what the filter hides is left alone, and said.
func (m *model) openMarked(verb actions.Verb) tea.Cmd {
	var locks []*inspector.Lock
	for _, l := range m.table.rows {
		if _, marked := m.table.marks[idOf(l.Ref)]; marked {
			locks = append(locks, l)
		}
	}
	hidden := 0
	for _, l := range m.shown.Locks {
		if _, marked := m.table.marks[idOf(l.Ref)]; marked {
			hidden++
		}
	}
	hidden -= len(locks)
	if len(locks) == 0 {
		said := "the marked locks are gone; esc takes the marks away"
		if hidden > 0 {
			said = "what is marked is hidden by the filter, and not touched; esc clears it"
		}
		return m.say(said)
	}
	cmd := m.openBulk(verb, locks, "", nil)
	if m.dialog != nil && m.dialog.bulk != nil {
		m.dialog.bulk.hidden, m.dialog.bulk.away = hidden, len(m.table.marks)-len(locks)-hidden
	}
	return cmd
}

// openBulk asks for an action on several locks, in a dialog that lists exactly what will be touched. of names whose locks they are
// ("worker-7"); empty: they are the marked ones. whose says which of a lock's holders it concerns; nil: all of them.
func (m *model) openBulk(verb actions.Verb, locks []*inspector.Lock, of string, whose func(*inspector.Holder) bool) tea.Cmd {
	switch {
	case m.replays():
		return m.say(string(verb) + " is off: a recording cannot be acted on")
	case m.config.Operator.ReadOnly():
		return m.sayReadOnly(verb)
	case m.lapsed():
		return m.openRearm()
	case len(locks) == 0:
		return m.say("there are no locks here to " + string(verb))
	}
	b := &bulk{of: of, beyond: max(len(locks)-bulkMost, 0)}
	locks = locks[:min(len(locks), bulkMost)]
	b.locks = len(locks)
	longest := time.Duration(0)
	for _, l := range locks {
		b.add(verb, l, whose)
		longest = max(longest, leaseOf(l))
	}
	siblings := siblingsOf(m.latest, locks...)
	for i := range b.items {
		b.items[i].partly = len(siblings[idOf(b.items[i].lock.Ref)]) > 0
	}
	d := &dialog{verb: verb, bulk: b}
	d.addFields(longestLease(longest))
	d.controls = append(d.controls, controlCancel, controlConfirm)
	if verb != actions.VerbExtend {
		d.demandIn(m.config, profileName(m.config))
	}
	m.dialog = d
	m.judgeBulk()
	if slices.ContainsFunc(b.items, func(i bulkItem) bool {
		return actions.CanBury(actions.Request{Verb: verb, Lock: i.lock})
	}) {
		d.controls = append([]control{controlTombstone}, d.controls...)
	}
	if b.counts().discouraged > 0 {
		d.controls = append([]control{controlDiscouraged}, d.controls...)
	}
	return nil
}

// longestLease is what an extension of several locks offers: no less than any of them had, since it never shortens one.
func longestLease(lease time.Duration) string {
	return defaultLease(&inspector.Lock{HeldSince: time.Unix(1, 0), ExpiresAt: time.Unix(1, 0).Add(lease)})
}

// add adds the actions on a lock: one for each holder who is meant, or one for all where the action ends it for all.
func (b *bulk) add(verb actions.Verb, l *inspector.Lock, whose func(*inspector.Holder) bool) {
	meant := 0
	for i := range l.Holders {
		if whose == nil || whose(&l.Holders[i]) {
			meant++
		}
	}
	if meant == 0 {
		b.items = append(b.items, bulkItem{lock: l})
		return
	}
	for i := range l.Holders {
		h := &l.Holders[i]
		if whose != nil && !whose(h) {
			continue
		}
		item := bulkItem{lock: l, owner: h.Owner, label: h.Label}
		if actions.EndsForAll(actions.Request{Verb: verb, Lock: l, Owner: h.Owner}) && len(l.Holders) > 1 {
			item.others = meant < len(l.Holders)
			b.items = append(b.items, item)
			return
		}
		b.items = append(b.items, item)
	}
}

// partlyWarning is said once for all items that are partly.
const partlyWarning = "Keys that are not in this list have the same value and a name that differs only in its number. " +
	"If they are one lock, the action changes only a part of it."

// request is the action on an item, as the dialog asks for it.
func (d *dialog) itemRequest(item *bulkItem) (actions.Request, error) {
	r := actions.Request{Verb: d.verb, Lock: item.lock, Owner: item.owner, Force: d.bulk.discouraged}
	err := d.complete(&r)
	return r, err
}

// judgeBulk finds out of every item what is known beforehand. It is done anew where the answer may be another.
func (m *model) judgeBulk() {
	d := m.dialog
	if d == nil || d.bulk == nil {
		return
	}
	now := m.clock()
	for i := range d.bulk.items {
		item := &d.bulk.items[i]
		item.does, item.warnings = "", nil
		item.fate, item.why = m.judge(d, item, now)
	}
}

// judge says what is known of one action beforehand.
func (m *model) judge(d *dialog, item *bulkItem, now time.Time) (standing, string) {
	switch {
	case item.lock.State == inspector.StateFreed:
		return standingWont, "it is free already"
	case item.label == "" && item.owner == "" && len(item.lock.Holders) == 0:
		return standingWont, "nobody holds it"
	case item.others:
		return standingWont, "it would take it from its other holders too: release it instead"
	}
	if n := refusedBy(m.latest, item.lock); n != nil {
		return standingWont, text.Escape(string(n.Node)) + " is a replica"
	}
	r, err := d.itemRequest(item)
	if err != nil {
		return standingWont, err.Error()
	}
	r.Unheard = m.unheard(item.lock)
	effect := actions.EffectOf(r)
	r.Force = true
	if refused := actions.RefusedBefore(r, now); refused != nil {
		why := refused.Detail
		if why == "" {
			why = string(refused.Result)
		}
		return standingWont, why
	}
	item.does = strings.TrimSuffix(effect.Does, ".")
	switch _, after, found := strings.Cut(item.does, "ing it "); {
	case !found:
	case strings.HasPrefix(after, "to "), strings.HasPrefix(after, "in "): // until when belongs to the sentence
		item.does = strings.ToLower(item.does[:1]) + item.does[1:]
	default:
		item.does = strings.TrimPrefix(after, "now ")
	}
	item.does += mastersDoes(r)
	item.warnings = effect.Warnings
	why := "discouraged"
	if effect.Discouraged && len(effect.Warnings) > 0 {
		why, item.warnings = why+": "+effect.Warnings[0], effect.Warnings[1:]
	}
	if item.partly {
		item.warnings = append(item.warnings, partlyWarning)
	}
	if effect.Discouraged {
		return standingDiscouraged, why
	}
	return standingWill, ""
}

// mastersDoes says on how many of the masters of a Redlock an action is done; empty: one server has the lock.
func mastersDoes(r actions.Request) string {
	nodes := actions.Foreseen(r)
	if nodes == nil {
		return ""
	}
	asked, beyond := 0, 0
	for i := range nodes {
		switch {
		case nodes[i].Asked:
			asked++
		case nodes[i].Result == actions.ResultFailed, nodes[i].Result == actions.ResultDenied:
			beyond++
		}
	}
	said := fmt.Sprintf(", on %d of %d masters", asked, len(nodes))
	if beyond > 0 {
		said += fmt.Sprintf("; %d cannot be reached, and may keep it", beyond)
	}
	return said
}

// bulkCounts are the numbers of a preview, in actions.
type bulkCounts struct{ will, discouraged, wont int }

// counts counts what will be done as the dialog stands, and what not.
func (b *bulk) counts() bulkCounts {
	var c bulkCounts
	for i := range b.items {
		switch b.items[i].fate {
		case standingWill:
			c.will++
		case standingDiscouraged:
			c.discouraged++
			if b.discouraged {
				c.will++
			}
		case standingWont:
			c.wont++
		}
	}
	return c
}

// does says whether an item will be done as the dialog stands.
func (b *bulk) does(item *bulkItem) bool {
	return item.fate == standingWill || item.fate == standingDiscouraged && b.discouraged
}

// lately is a lock as it is by now. The locks of the preview are looked up once a snapshot, all at the same time.
func (b *bulk) lately(s *inspector.Snapshot, l *inspector.Lock) *inspector.Lock {
	if b.now == nil || b.nowAt != s.Seq {
		b.now, b.nowAt = make(map[lockID]*inspector.Lock, b.locks), s.Seq
		for i := range b.items {
			b.now[idOf(b.items[i].lock.Ref)] = nil
		}
		for _, is := range s.Locks {
			if _, wanted := b.now[idOf(is.Ref)]; wanted {
				b.now[idOf(is.Ref)] = is
			}
		}
	}
	return b.now[idOf(l.Ref)]
}
