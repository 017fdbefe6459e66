package tui

import (
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"locktop/actions"
	"locktop/inspector"
	"locktop/ui/text"
)

// bulkLanes is how many of several actions are under way at a time at most.
const bulkLanes = 4

// bulkRun carries out what a dialog about several locks has listed, and says what became of each. The holders of one lock come one
// after another, so that each is compared with what the one before has left.
type bulkRun struct {
	title string
	verb  actions.Verb
	deeds []bulkDeed
	lanes [][]int // indices in deeds, a lane a lock
	next  int     // the first lane that is not begun
	// underWay counts the actions that were sent and not answered; over those of which the outcome is known.
	underWay, over int
	cancelled      bool
	offset         int
	production     bool
}

// bulkDeed is one of several actions, and what became of it.
type bulkDeed struct {
	request actions.Request
	fate    deedFate
	outcome actions.Outcome
	asked   time.Time
}

type deedFate int

// The fates of a deed.
const (
	deedWaits deedFate = iota
	deedUnderWay
	deedOver
	deedSkipped // cancelled before it was sent
)

// bulkMsg is the answer to one of several actions: the place in a lane.
type bulkMsg struct {
	run       *bulkRun
	lane, at  int
	outcome   actions.Outcome
	nextState *inspector.Lock // what the next holder of the same lock is compared with
}

// confirmBulk begins what the dialog lists.
func (m *model) confirmBulk() tea.Cmd {
	d := m.dialog
	run := &bulkRun{title: d.bulk.title(d.verb), verb: d.verb, production: m.config.Production}
	before := (*inspector.Lock)(nil)
	for i := range d.bulk.items {
		item := &d.bulk.items[i]
		if !d.bulk.does(item) {
			continue
		}
		r, err := d.itemRequest(item)
		if err != nil {
			return nil
		}
		if item.lock != before {
			run.lanes = append(run.lanes, nil)
			before = item.lock
		}
		run.lanes[len(run.lanes)-1] = append(run.lanes[len(run.lanes)-1], len(run.deeds))
		run.deeds = append(run.deeds, bulkDeed{request: r})
	}
	if len(run.deeds) == 0 {
		return nil
	}
	m.run = run
	commands := []tea.Cmd{m.closeDialog()}
	for range bulkLanes {
		commands = append(commands, m.beginLane())
	}
	return tea.Batch(commands...)
}

// beginLane begins the next lock, if there is one.
func (m *model) beginLane() tea.Cmd {
	run := m.run
	if run.cancelled || run.next >= len(run.lanes) {
		return nil
	}
	run.next++
	return m.performDeed(run, run.next-1, 0)
}

// performDeed carries out one action of a lane.
func (m *model) performDeed(run *bulkRun, lane, at int) tea.Cmd {
	deed := &run.deeds[run.lanes[lane][at]]
	deed.fate, deed.asked = deedUnderWay, m.clock()
	run.underWay++
	r := deed.request
	return m.perform(r, func(o actions.Outcome) tea.Msg {
		left := r.Lock
		if r.Verb == actions.VerbRelease && o.Result.Done() {
			left = actions.WithoutHolder(r.Lock, r.Owner)
		}
		return bulkMsg{run, lane, at, o, left}
	})
}

// takeBulk takes the answer to one of several actions, and goes on.
func (m *model) takeBulk(msg bulkMsg) tea.Cmd {
	run, lane := msg.run, msg.run.lanes[msg.lane]
	deed := &run.deeds[lane[msg.at]]
	deed.fate, deed.outcome = deedOver, msg.outcome
	m.awaitReturn(deed.request, msg.outcome, deed.asked)
	run.underWay--
	run.over++
	if msg.at+1 < len(lane) && !run.cancelled {
		run.deeds[lane[msg.at+1]].request.Lock = msg.nextState
		return m.performDeed(run, msg.lane, msg.at+1)
	}
	if msg.at+1 == len(lane) && run.succeeded(lane) {
		delete(m.table.marks, idOf(deed.request.Lock.Ref)) // what was not done stays marked
	}
	begin := tea.Cmd(nil)
	if m.run == run {
		begin = m.beginLane()
	}
	if run.underWay > 0 {
		return begin
	}
	return tea.Batch(begin, m.readLastActions())
}

// succeeded says whether all actions of a lane were done, or found nothing left to do.
func (r *bulkRun) succeeded(lane []int) bool {
	for _, i := range lane {
		if d := &r.deeds[i]; d.fate != deedOver || !d.outcome.Result.Done() && d.outcome.Result != actions.ResultGone {
			return false
		}
	}
	return true
}

// ended says that nothing is under way, and nothing more will be.
func (r *bulkRun) ended() bool {
	return r.underWay == 0 && (r.cancelled || r.next >= len(r.lanes))
}

// cancel lets what is under way end, and does no more.
func (r *bulkRun) cancel() {
	r.cancelled = true
	for i := range r.deeds {
		if r.deeds[i].fate == deedWaits {
			r.deeds[i].fate = deedSkipped
		}
	}
}

// handleRunKey gives a key to the progress or the report of several actions.
func (m *model) handleRunKey(msg tea.KeyMsg) tea.Cmd {
	run, k := m.run, m.keys
	switch {
	case key.Matches(msg, k.Back, k.Quit) && run.ended():
		m.run = nil
	case key.Matches(msg, k.Back):
		run.cancel()
	case key.Matches(msg, k.Copy) && run.ended():
		return m.copyText("the report", run.report())
	default:
		k.scroll(msg, &run.offset, max(m.height/2, 1))
	}
	return nil
}

// runHints are the keys of the progress and of the report.
func (m *model) runHints() []segment {
	back := m.hint(0, m.keys.Back, "stop the rest")
	if !m.run.ended() {
		return []segment{back}
	}
	return []segment{piece(2, m.theme.faint, "↑↓ scroll"), m.hint(1, m.keys.Copy, "copy the report"), m.hint(0, m.keys.Back, "back")}
}

// state is how far it is, in words; ended in how many ways.
func (r *bulkRun) state() string {
	if !r.ended() {
		said := text.Count(int64(r.over)) + " of " + text.Count(int64(len(r.deeds)))
		if r.cancelled {
			said += ", cancelled: waiting for " + text.Count(int64(r.underWay)) + " under way"
		}
		return said
	}
	var well, ill []string
	counts := make(map[string]int)
	for i := range r.deeds {
		word := r.deeds[i].word()
		switch {
		case counts[word] > 0:
		case r.deeds[i].fate == deedOver && r.deeds[i].outcome.Result.Done():
			well = append(well, word)
		default:
			ill = append(ill, word)
		}
		counts[word]++
	}
	order := append(well, ill...)
	for i, word := range order {
		order[i] = text.Count(int64(counts[word])) + " " + word
	}
	return text.Count(int64(len(r.deeds))) + " in all: " + strings.Join(order, ", ")
}

// word is what became of a deed, in a word.
func (d *bulkDeed) word() string {
	switch d.fate {
	case deedWaits:
		return "waiting"
	case deedUnderWay:
		return "under way"
	case deedSkipped:
		return "not done: cancelled"
	case deedOver:
	}
	if d.outcome.Result == actions.ResultEntryReleased { // of one of several holders: all entries were asked for
		return string(actions.ResultReleased)
	}
	return string(d.outcome.Result)
}

// sentence is what became of a deed; it is one line, and safe for a terminal.
func (d *bulkDeed) sentence() string {
	key := text.Escape(d.request.Lock.Key)
	if d.fate != deedOver {
		return key + ": " + d.word()
	}
	said := text.Legible(d.outcome.Sentence(d.request))
	if d.outcome.Result == actions.ResultUnknown {
		said += " before you act again"
	}
	return said
}

// report is what became of all of it, for a ticket.
func (r *bulkRun) report() string {
	lines := []string{r.title + ": " + r.state()}
	for i := range r.deeds {
		lines = append(lines, r.deeds[i].sentence())
	}
	return strings.Join(lines, "\n")
}

// overlayRun lays the progress or the report over the screen.
func (m *model) overlayRun(p *painter) {
	t, run := m.theme, m.run
	width := max(min(bulkWidth, p.width-2), min(p.width, dialogMinWidth))
	g := page{theme: t, width: width - 4}
	for i := range run.deeds {
		d := &run.deeds[i]
		glyph, s := d.face(t)
		g.paragraph([]part{{s, glyph}}, 2, t.plain, d.sentence())
	}
	head := [][]part{{{t.strong, text.Truncate(run.state(), width-4)}}, nil}
	room := max(overlayRoom(p.height())-len(head), 0)
	if p.height() < dialogMinHeight {
		head, room = head[:1], max(overlayRoom(p.height())-1, 0)
	}
	run.offset = max(min(run.offset, len(g.lines)-room), 0)
	framing := *t
	title := run.title
	if run.production {
		framing.frame, framing.strong, title = t.bad, t.bad, "PRODUCTION · "+title
	}
	p.box(framed(&framing, title, append(head, g.window(run.offset, room)...), width), width)
}

// face is a glyph for what became of a deed.
func (d *bulkDeed) face(t *theme) (string, style) {
	switch d.fate {
	case deedWaits:
		return "·", t.faint
	case deedUnderWay:
		return "…", t.accent
	case deedSkipped:
		return "-", t.faint
	case deedOver:
	}
	return resultFace(t, d.outcome.Result)
}

// resultFace is a glyph for how an action ended.
func resultFace(t *theme, r actions.Result) (string, style) {
	switch {
	case r.Done():
		return "✔", t.good
	case r == actions.ResultUnknown, r == actions.ResultPartly:
		return "▲", t.warn
	case r == actions.ResultDryRun:
		return "·", t.faint
	}
	return "✖", t.bad
}
