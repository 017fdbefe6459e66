package tui

import (
	"slices"
	"time"

	"github.com/charmbracelet/bubbles/textinput"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// detail is all that is known of one lock, as a page that scrolls.
type detail struct {
	id   lockID
	lock *inspector.Lock // the last one that was seen
	gone bool            // the lock has left the snapshots
	// with are other locks that its holder has, as of withAt: all locks are looked at for them, which is done once a second. library says
	// who may have left the lock.
	with    []*inspector.Lock
	withAt  time.Time
	library string
	// replication is that of the lock's node.
	replication keyspace.Replication
	offset      int
	// time is what the timeline shows, and unseen when nobody looked.
	time   timeline
	unseen []inspector.Span
	polled bool
	// timeTop and timeEnd are the lines of the page that it takes; reveal has them scrolled into sight.
	timeTop, timeEnd int
	reveal           bool
	// sample is what a probe found just now, and showSample brings it on the screen; sampleTop and sampleEnd are its lines of the page.
	sample               *inspector.Sample
	sampleTop, sampleEnd int
	showSample           bool
	// commandLines are the commands for the lock commandsOf, in a window of that width: no frame should make them anew.
	commandsOf    *inspector.Lock
	commandsWidth int
	commandLines  []commandLine
}

// newDetail is the page of a lock of a snapshot.
func newDetail(l *inspector.Lock, s *inspector.Snapshot) *detail {
	d := &detail{id: idOf(l.Ref), lock: l, with: s.HeldWith(l), withAt: s.TakenAt, library: l.LibraryNames()}
	d.look(s)
	return d
}

// refresh takes the lock from a newer snapshot.
func (d *detail) refresh(s *inspector.Snapshot) {
	if l := findLock(s, d.id); l != nil {
		if d.lock != l {
			d.library = l.LibraryNames()
		}
		d.lock, d.gone = l, false
		d.look(s)
		if s.TakenAt.Sub(d.withAt) >= time.Second {
			d.with, d.withAt = s.HeldWith(l), s.TakenAt
		}
		return
	}
	d.gone = true
}

// look takes the replication of the lock's node from a snapshot.
func (d *detail) look(s *inspector.Snapshot) {
	d.replication = keyspace.Replication{}
	d.unseen, d.polled = s.UnseenOf(d.lock), polled(s, d.lock)
	if n := statusOf(s, d.lock.Node); n != nil {
		d.replication = n.Replication
	}
}

// paint paints as much of the page as fits, from the offset on.
func (d *detail) paint(p *painter, m *model, height int) {
	page := newPainter(p.theme, p.width, 64)
	page.tone = p.tone
	d.page(page, m, m.momentOf(d.lock))
	if d.reveal {
		d.bring(d.timeTop, d.timeEnd, height)
	}
	if d.showSample {
		d.bring(d.sampleTop, d.sampleEnd, height)
	}
	d.reveal, d.showSample = false, false
	d.offset = max(min(d.offset, len(page.lines)-height), 0)
	visible := page.lines[d.offset:]
	if len(visible) > height {
		visible = visible[:height]
	}
	p.lines = append(p.lines, visible...)
	if rest := len(page.lines) - d.offset - len(visible); rest > 0 && height > 2 {
		p.lines = p.lines[:len(p.lines)-1]
		p.put(p.theme.faint, text.Spaces(rowPrefix)+"↓ "+text.Count(int64(rest+1))+" more lines")
		p.end()
	}
}

// bring scrolls to some lines of the page, unless all of them are in sight.
func (d *detail) bring(top, end, height int) {
	if top < d.offset || end > d.offset+height-1 {
		d.offset = top
	}
}

// gutter is the width of the names on the left.
const gutter = 14

func (p *painter) field(name string, parts ...part) {
	p.gap(rowPrefix)
	p.left(p.theme.faint, name, gutter)
	for _, part := range parts {
		p.put(part.style, part.text)
	}
	p.end()
}

// paragraph paints a text over as many lines as it needs, indented by the gutter.
func (p *painter) paragraph(name string, s style, content string) {
	for i, line := range wrap(content, p.width-rowPrefix-gutter-1) {
		if i > 0 {
			name = ""
		}
		p.field(name, part{s, line})
	}
}

func (p *painter) heading(title, more string) {
	p.blank()
	p.gap(rowPrefix)
	p.put(p.theme.accent, title)
	p.put(p.theme.faint, more)
	p.end()
}

func (d *detail) page(p *painter, m *model, now time.Time) {
	t, l := p.theme, d.lock
	f := t.faceOf(l, now)
	p.blank()
	p.gap(1)
	p.put(t.cursor, "▌ ")
	p.put(f.style, f.glyph+" "+f.word)
	p.gap(2)
	p.put(t.strong, text.Escape(l.Key))
	p.end()
	place := string(l.Scheme)
	if l.Mode != "" {
		place += " · " + string(l.Mode)
	}
	p.gap(rowPrefix)
	where := text.Escape(string(l.Node))
	if l.Quorum != nil {
		where = text.Plural(int64(len(l.Quorum.Votes)), "master")
	}
	p.put(t.faint, place+" · database "+text.Count(int64(l.DB))+" of "+where)
	p.end()
	if d.gone {
		p.gap(rowPrefix)
		p.put(t.warn, "it is not there any more; this is how it was seen last")
		p.end()
	}
	d.votes(p, now)
	p.blank()
	d.fields(p, m, now)
	d.findings(p)
	d.sampled(p)
	d.paintTimeline(p, now)
	d.paintRates(p, now)
	d.paintHoldTimes(p)
	d.history(p, now)
	if len(l.Evidence) > 0 {
		p.heading("Why it is taken for a lock", "")
		for _, e := range l.Evidence {
			p.gap(rowPrefix)
			p.put(t.faint, "· ")
			p.put(t.plain, text.Legible(e))
			p.end()
		}
	}
	if !m.replays() { // they are made of what was read, which a recording has no values of
		d.commands(p)
	}
}

func (d *detail) fields(p *painter, m *model, now time.Time) {
	t, l := p.theme, d.lock
	for i := range l.Holders {
		h := &l.Holders[i]
		name := ""
		if i == 0 {
			name = "holder"
			if unheld(l) {
				name = "claimed by"
			}
		}
		count := ""
		if h.Count.Known {
			count = ", " + entriesText(h.Count.N)
		}
		if l.CountUnknown(h) {
			count = ", entry count unknown"
		}
		if !h.ExpiresAt.IsZero() {
			count += ", " + text.Duration(h.ExpiresAt.Sub(now)) + " left"
		}
		p.field(name, part{t.strong, text.Escape(h.Label)}, part{t.plain, count})
		if h.Owner != h.Label {
			p.field("", part{t.faint, text.Escape(h.Owner)})
		}
		m.paintClients(p, h.Presence, clientLines)
	}
	if len(l.Holders) == 0 {
		p.field("holder", part{t.plain, "nobody"})
	}
	if d.library != "" {
		p.paragraph("library", t.plain, d.library)
	}
	if ttl, ok := l.TTLAt(now); ok && l.StateAt(now) == inspector.StateHeld {
		fraction, s := drain(t, l, ttl)
		p.gap(rowPrefix)
		p.left(t.faint, "lease", gutter)
		said := leaseText(l, now)
		if room := p.width - p.used - 1; room < 16+2+text.Width(said) { // the bar gets a line of its own
			p.bar(s, t.faint, fraction, room)
			p.end()
			p.field("", part{t.plain, said})
		} else {
			p.bar(s, t.faint, fraction, 16)
			p.put(t.plain, "  "+said)
			p.end()
		}
	} else {
		p.paragraph("lease", t.plain, leaseText(l, now))
	}
	if said := fieldLease(l, now); said != "" {
		p.paragraph("", t.plain, said)
	}
	d.validity(p, now)
	if held, atLeast := heldFor(l, now); held > 0 {
		since := "since " + clockText(l.HeldSince, now)
		if atLeast {
			since = "first seen " + clockText(l.HeldSince, now)
		}
		p.field("held", part{t.plain, atLeastText(atLeast) + text.Duration(held)}, part{t.faint, ", " + since})
	}
	d.acknowledged(p)
	d.paintRenewals(p, now)
	p.field("waiters", part{t.plain, waitersSentence(l)})
	if l.FencingToken != nil {
		p.field("fencing", part{t.plain, "token " + text.Count(*l.FencingToken)})
	}
	for i, other := range d.with {
		name := ""
		if i == 0 {
			name = "held with"
		}
		p.field(name, part{t.plain, text.Escape(other.Key)}, part{t.faint, ", by the same holder"})
	}
	for i, c := range l.CompanionKeys() {
		name := ""
		if i == 0 {
			name = "companions"
		}
		p.field(name, part{t.plain, text.Escape(c)})
	}
}

// clientLines is how many lines a holder's connections take on the page.
const clientLines = 8

// renewedText is how often the present holder renewed, and when last.
func renewedText(l *inspector.Lock, now time.Time) string {
	if l.LastRenewal.IsZero() {
		return renewalsText(l)
	}
	return renewalsText(l) + ", the last " + text.Ago(now.Sub(l.LastRenewal))
}

// leaseText is what the lease has left, in words.
func leaseText(l *inspector.Lock, now time.Time) string {
	ttl, ends := l.TTLAt(now)
	end := clockText(now.Add(ttl), now)
	switch l.StateAt(now) {
	case inspector.StateFreed:
		return freedWord(l) + " " + text.Ago(now.Sub(l.FreedAt))
	case inspector.StateStuck:
		return "never ends: the key has no TTL"
	case inspector.StateLapsed:
		return "over since " + end + " by its value; the key is still there"
	case inspector.StateExpired:
		return "over since " + end + ", not yet reaped by the server"
	case inspector.StateWrong:
		return "none: a key of this type is no lock"
	case inspector.StateMinority, inspector.StateSplit:
		said := "none: no quorum is seen"
		if ends {
			said += "; its votes run out in " + text.Duration(ttl)
		}
		return said
	case inspector.StateHeld, inspector.StateCooldown:
	}
	if l.EndUnknown() {
		return text.UnknownEnd
	}
	if !ends {
		return "no end known"
	}
	said := text.Duration(ttl) + " left"
	if lease := leaseOf(l); lease > 0 {
		said += " of " + text.Duration(lease.Round(100*time.Millisecond))
	}
	return said + ", until " + end
}

// fieldLease says what ends the lease if that is the holder's field; else it is empty.
func fieldLease(l *inspector.Lock, now time.Time) string {
	switch {
	case l.StateAt(now) != inspector.StateHeld:
		return ""
	case l.EndAtMost():
		return text.LatestEnd
	case !l.EndsByField():
		return ""
	}
	return text.FieldLease(l.KeyLeft(now))
}

func (d *detail) findings(p *painter) {
	if len(d.lock.Findings) == 0 {
		return
	}
	p.heading("Findings", "")
	list := slices.Clone(d.lock.Findings)
	slices.SortStableFunc(list, func(a, b inspector.Finding) int { return severityRank(a.Severity) - severityRank(b.Severity) })
	for _, f := range list {
		face := p.theme.severityFace(f.Severity)
		p.gap(rowPrefix)
		p.put(face.style, face.glyph+" "+string(f.Code)+" ("+face.word+")")
		p.end()
		p.paragraph("", p.theme.plain, text.Legible(f.Text))
		p.paragraph("", p.theme.faint, "→ "+text.Legible(f.Advice))
	}
}

// commands are the redis-cli commands that would act on the lock as it is, for those who would rather do it themselves.
func (d *detail) commands(p *painter) {
	l := d.lock
	if l.State == inspector.StateFreed || d.gone {
		return
	}
	if d.commandsOf != l || d.commandsWidth != p.width {
		d.commandsOf, d.commandsWidth, d.commandLines = l, p.width, commandLines(l, p.width)
	}
	if len(d.commandLines) == 0 {
		return
	}
	more := ", with its guard; Y copies the release, and in a dialog what the dialog would do"
	if l.Quorum != nil {
		more = ", with its guard, for each master that has the lock"
	}
	p.heading("The same by redis-cli", more)
	for _, line := range d.commandLines {
		p.field(line.name, part{p.theme.plain, line.text})
	}
}

// commandLine is a line of a command, with the name of what it does at its first.
type commandLine struct{ name, text string }

// commandLines are the commands for a lock, broken into lines: they are long, and of a Redlock many.
func commandLines(l *inspector.Lock, width int) []commandLine {
	var lines []commandLine
	owner := ""
	if len(l.Holders) > 0 {
		owner = l.Holders[0].Owner
	}
	for _, verb := range []actions.Verb{actions.VerbExtend, actions.VerbRelease, actions.VerbForceExpire} {
		r := actions.Request{Verb: verb, Lock: l, Owner: owner}
		if verb == actions.VerbExtend {
			r.TTL = max(leaseOf(l).Round(time.Second), 30*time.Second)
		}
		command := actions.RedisCLI(r)
		if command == "" || owner == "" && verb != actions.VerbForceExpire {
			continue
		}
		name := string(verb)
		for _, line := range wrap(text.Legible(command), width-rowPrefix-gutter-1) {
			lines = append(lines, commandLine{name, line})
			name = ""
		}
	}
	return lines
}

// inputParts is a text input as parts, with a cursor in the given style.
func inputParts(t *theme, input textinput.Model, cursor style) []part {
	runes := []rune(input.Value())
	at := min(max(input.Position(), 0), len(runes))
	under := " "
	if at < len(runes) {
		under = text.Escape(string(runes[at]))
	}
	parts := []part{{t.strong, text.Escape(string(runes[:at]))}, {cursor, under}}
	if at+1 < len(runes) {
		parts = append(parts, part{t.strong, text.Escape(string(runes[at+1:]))})
	}
	return parts
}
