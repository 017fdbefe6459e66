package tui

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"locktop/inspector"
	"locktop/ui/text"
)

// view is what the body of the screen shows.
type view int

// The views; their keys are 1, 3, 4, 5 and 2. Only a demo has that of the demo.
const (
	viewLocks view = iota
	viewEvents
	viewNodes
	viewDemo
	viewHolders
)

// model is the state of the dashboard. Bubble Tea calls Update from one goroutine; commands get copies of what they need.
type model struct {
	config Config
	ctx    context.Context // of every command
	theme  *theme
	keys   keyMap
	clock  func() time.Time
	copy   func(string) error

	width, height int

	// latest is the newest snapshot, shown the one on the screen: they differ while the screen is frozen or a dialog is
	// open. picture is the moment that the screen shows, which stands still with it.
	latest, shown *inspector.Snapshot
	picture
	sequence uint64 // of latest
	frozen   bool
	ended    error // why no more snapshots come; nil: they do
	over     bool  // no more snapshots come

	view        view
	order       arrangement
	table       table
	events      eventLog
	nodes       nodeList
	holders     holderList
	detail      *detail
	dialog      *dialog
	run         *bulkRun     // several actions that are under way, or what became of them; nil: none
	probe       *probe       // a contention probe that is asked for or under way; nil: none
	lastActions *actionPanel // the last actions; nil: the panel is closed
	help        bool
	// helpOffset is the first line of the help that is shown, where not all of them fit.
	helpOffset int
	// hidden are the columns that the user does not want; chooser is where they are chosen, nil: it is not open.
	hidden  columnSet
	chooser *chooser

	typing bool // the filter is being typed
	input  textinput.Model

	toast toast
	freed map[lockID]freedHere // released here, and looked for in the snapshots
	mouse mouse
	// noticed is the toast as it was seen first, and ends when it goes, by the system's clock: that of a recording may stand still.
	noticed    toast
	ends       time.Time
	unrecorded bool // it was said that nothing is recorded any more

	// Arranging outside Update: one is under way at most, and its generation tells whether the order was changed since.
	generation uint64
	arranging  bool
	wanted     bool // the rows are to be arranged again
	arrangedAt time.Time

	acting sync.WaitGroup // actions under way

	fatal       *PanicError
	interrupted bool
	quitting    bool

	// scene is what is to be seen of the demo, staged the one that its view shows: that stands still with the screen.
	scene, staged Scene
	demo          demoPage
	paneTime      timeline     // of the pane under the table; a detail has its own
	controls      []controlled // of the demo, that wait; the first of them is under way

	frame string // what View returns: made by Update, so that a fault while drawing is caught there
}

func newModel(ctx context.Context, c Config, t *theme) *model {
	input := textinput.New()
	input.Prompt = ""
	// Pasting by ctrl-v would start a program to read the clipboard; the terminal's own paste arrives as keys.
	input.KeyMap.Paste.SetEnabled(false)
	input.CharLimit = 256
	m := &model{
		config: c, ctx: ctx, theme: t, keys: newKeyMap(), input: input,
		clock: time.Now, copy: func(string) error { return errors.New("no terminal to copy to") },
	}
	if c.Clock != nil {
		m.clock = c.Clock
	}
	if c.Play != nil {
		m.scene = c.Play.Scene()
	}
	m.keys.setReadOnly(c.Operator.ReadOnly())
	m.keys.setDemo(c.Play != nil && !m.replays())
	m.keys.setReplay(m.replays())
	m.mouse.on = c.Mouse
	m.at = m.clock()
	m.apply(c.Settings)
	if c.Off != "" { // it was said before the dashboard began, where nobody sees it now
		m.toast = toast{text: "▲ actions are off: " + text.Legible(c.Off), kind: toastBad, until: m.at.Add(toastBadFor), sticky: true}
	}
	return m
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd {
	return tea.Batch(tea.SetWindowTitle(windowTitle(m.config.Where)), m.next(), m.tick(), m.resumeMouse())
}

// View implements tea.Model.
func (m *model) View() string { return m.frame }

// Update implements tea.Model. A panic anywhere in it, drawing included, ends the dashboard with the terminal restored.
func (m *model) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	defer func() {
		if value := recover(); value != nil {
			m.fatal = newPanicError(value)
			cmd = tea.Quit
		}
	}()
	if m.config.Play != nil {
		m.scene = m.config.Play.Scene()
	}
	cmd = m.handle(msg)
	m.lookAtRecorder()
	m.noticeToast()
	if m.quitting {
		return m, tea.Quit
	}
	if !m.paused() {
		m.picture = pictureOf(m.latest, m.clock())
		m.staged = m.scene
	}
	m.frame = m.render()
	return m, cmd
}

// paused says that the screen stands still while data go on.
func (m *model) paused() bool { return m.frozen || m.asks() }

func (m *model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyMsg:
		return m.handleKey(msg)
	case tea.MouseMsg:
		return m.handleMouse(msg)
	case tea.ResumeMsg:
		return m.resumeMouse()
	case snapshotMsg:
		return m.takeSnapshot(msg)
	case arrangedMsg:
		return m.takeArranged(msg)
	case tickMsg:
		return tea.Batch(m.tick(), m.arrangeIfDue(), m.refreshLastActions())
	case outcomeMsg:
		m.toast = outcomeToast(msg, m.clock())
		m.awaitReturn(msg.request, msg.outcome, msg.asked)
		return m.readLastActions()
	case bulkMsg:
		return m.takeBulk(msg)
	case rearmedMsg:
		m.takeRearmed(msg)
	case lastActionsMsg:
		m.takeLastActions(msg)
	case copiedMsg:
		m.toast = copiedToast(msg, m.clock())
	case reportedMsg:
		m.toast = reportedToast(msg, m.clock())
	case controlledMsg:
		return m.takeControlled(msg)
	case savedMsg:
		m.toast = savedToast(msg, m.clock())
	case costMsg:
		m.takeCost(msg)
	case probedMsg:
		return m.takeProbed(msg)
	case fatalMsg:
		m.fatal = msg.err
		m.quitting = true
	}
	return nil
}

// lively says whether the clock must be fast: a toast is to go, a scan goes on, or a visible TTL counts by tenths.
func (m *model) lively() bool {
	if m.toast.text != "" || m.shown == nil || m.probe != nil {
		return true
	}
	if m.paused() {
		return false
	}
	for i := range m.shown.Nodes {
		if m.shown.Nodes[i].Scanning != nil && m.shown.Nodes[i].LastPass.Generation == 0 {
			return true
		}
	}
	rows := m.table.rows
	for i := m.table.offset; i < min(m.table.offset+m.table.height, len(rows)); i++ {
		if ttl, ok := rows[i].TTLAt(m.momentOf(rows[i])); ok && ttl < 6*time.Second {
			return true
		}
		if rows[i].State == inspector.StateFreed {
			return true
		}
	}
	return false
}

// takeSnapshot makes a snapshot the latest, and shows it unless the screen stands still.
func (m *model) takeSnapshot(msg snapshotMsg) tea.Cmd {
	if msg.snapshot == nil {
		m.over = true
		m.ended = msg.err
		if m.ctx.Err() != nil {
			m.quitting = true
		}
		return nil
	}
	m.latest, m.sequence = msg.snapshot, msg.snapshot.Seq
	m.events.take(msg.snapshot.Events, m.replays())
	m.followDialog()
	if msg.snapshot.Done {
		m.over, m.ended = true, msg.snapshot.Err
	}
	var arrange tea.Cmd
	if !m.paused() {
		arrange = m.showLatest()
	}
	arrange = tea.Batch(arrange, m.lookForReturns())
	if m.over {
		return arrange
	}
	return tea.Batch(m.next(), arrange)
}

// showLatest brings the latest snapshot on the screen.
func (m *model) showLatest() tea.Cmd {
	if m.latest == nil {
		return nil
	}
	now := m.clock()
	m.picture = pictureOf(m.latest, now)
	// What is old stays as it was when it became so: the snapshots that follow only tell of leases that ran out since.
	if m.at.Equal(now) || !m.at.Equal(pictureOf(m.shown, now).at) {
		m.shown = m.latest
	}
	m.events.catchUp()
	if m.detail != nil {
		m.detail.refresh(m.shown)
	}
	m.wanted = true
	return m.arrangeIfDue()
}

// rearrange applies a changed order to what is shown, also on a frozen screen.
func (m *model) rearrange() tea.Cmd {
	m.generation++
	m.arranging, m.wanted = false, true
	m.arrangedAt = time.Time{}
	return m.arrangeIfDue()
}

// arrangeIfDue arranges the rows where that is wanted: at once for some thousands, in a command for many. Sorting takes a
// tenth of the time at most.
func (m *model) arrangeIfDue() tea.Cmd {
	if !m.wanted || m.arranging || m.shown == nil {
		return nil
	}
	if m.wall().Sub(m.arrangedAt) < 9*m.table.took {
		return nil
	}
	m.wanted = false
	m.order.byHolder.wanted = m.view == viewHolders
	if len(m.shown.Locks) > inlineRows {
		m.arranging = true
		return m.arrangeLater()
	}
	m.arrangedAt = m.wall()
	m.setArranged(m.order.apply(m.shown.Locks, m.table.ranks, m.picture))
	return nil
}

func (m *model) takeArranged(msg arrangedMsg) tea.Cmd {
	if msg.generation != m.generation {
		return nil
	}
	m.arranging = false
	m.arrangedAt = m.wall()
	if m.asks() {
		// The dialog shows what is behind it as it was.
		m.wanted = true
		return nil
	}
	m.setArranged(msg.arranged)
	return m.arrangeIfDue()
}

// setArranged shows newly arranged rows.
func (m *model) setArranged(a arranged) {
	m.table.set(a)
	if m.order.byHolder.wanted {
		m.holders.set(a.holders)
	}
}

// selected is the lock that keys act upon; nil: there is none.
func (m *model) selected() *inspector.Lock {
	switch {
	case m.detail != nil:
		return m.detail.lock
	case m.view == viewHolders:
		if m.holders.page != nil && !m.holders.page.gone {
			return m.holders.page.table.current()
		}
		return nil
	case m.view == viewEvents:
		if e := m.events.current(m.order.filter); e != nil {
			return findLock(m.shown, idOf(e.Ref))
		}
		return nil
	case m.onLocks():
		return m.table.current()
	}
	return nil
}

// findLock looks a lock up in a snapshot; nil: it is not there.
func findLock(s *inspector.Snapshot, id lockID) *inspector.Lock {
	if s == nil {
		return nil
	}
	for _, l := range s.Locks {
		if id.is(l) {
			return l
		}
	}
	return nil
}
