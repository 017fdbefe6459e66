package recording

import (
	"context"
	"sync"
	"time"

	"locktop/inspector"
)

// The limits of the tempo, as factors.
const (
	Slowest = 1.0 / 8
	Fastest = 128
)

// Player plays a recording: it is the source of a dashboard, and its clock. It is safe for concurrent use.
type Player struct {
	reading   sync.Mutex // of the recording, which may take its time
	recording *Recording

	mu      sync.Mutex
	marks   marks
	trouble string
	seq     uint64
	frame   int // that was given out last; -1: none
	// jump is a time to go to; the tempo goes on from there once its frame was read. Nil: there is none.
	jump *time.Time
	tempo
	begin   tempo         // with which it was begun
	changed chan struct{} // closed when something of this is
	now     func() time.Time
}

// tempo is how the time of the recording goes on: from a moment on, so fast.
type tempo struct {
	from  time.Time // the recording's
	since time.Time // ours
	speed float64
	held  bool
}

func (t *tempo) at(now time.Time) time.Time {
	if t.held {
		return t.from
	}
	return t.from.Add(time.Duration(float64(now.Sub(t.since)) * t.speed))
}

// NewPlayer plays a recording from a time on, so many times as fast as it was. The recording belongs to it from now on.
func NewPlayer(r *Recording, from time.Time, speed float64) *Player {
	if from.Before(r.First()) {
		from = r.First()
	}
	p := &Player{
		recording: r, marks: r.frames, trouble: r.Trouble, frame: -1, jump: &from, changed: make(chan struct{}), now: time.Now,
	}
	p.tempo = tempo{from: from, since: p.now(), speed: speed}
	p.begin = p.tempo
	return p
}

// Clock is the time in the recording.
func (p *Player) Clock() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clock()
}

func (p *Player) clock() time.Time {
	if at := p.at(p.now()); at.Before(p.end()) {
		return at
	}
	return p.end()
}

func (p *Player) end() time.Time { return p.marks[len(p.marks)-1].at }

// Progress is how far a player is.
type Progress struct {
	First, Last, At time.Time
	Speed           float64
	Held, Ended     bool
	// Trouble says why the recording ends earlier than its file, or Why whoever recorded it has stopped; empty: nothing is to be said.
	Trouble, Why string
}

// Progress is how far it is. It does not block.
func (p *Player) Progress() Progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.clock()
	return Progress{
		First: p.marks[0].at, Last: p.end(), At: at, Speed: p.speed, Held: p.held, Ended: !at.Before(p.end()),
		Trouble: p.trouble, Why: p.recording.Why,
	}
}

// Next blocks until the next frame is to be seen, and returns it. After a jump it is that of the new time at once. It never says that
// it is done: whoever has seen the end may go back.
func (p *Player) Next(ctx context.Context, _ uint64) (*inspector.Snapshot, error) {
	for {
		p.mu.Lock()
		frame, wait, changed := p.due()
		jump := p.jump
		p.mu.Unlock()
		if frame >= 0 {
			return p.give(frame, jump)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// due is the frame that is to be seen now; -1: none before so long, or before something changes.
func (p *Player) due() (frame int, wait time.Duration, changed chan struct{}) {
	if p.jump != nil {
		return p.marks.before(*p.jump), 0, nil
	}
	at := p.clock()
	if frame := p.marks.before(at); frame > p.frame {
		return frame, 0, nil
	}
	const nap = time.Hour // and then it is looked again
	if p.held || p.frame+1 >= len(p.marks) {
		return -1, nap, p.changed
	}
	left := p.marks[p.frame+1].at.Sub(at).Seconds() / p.speed
	return -1, time.Duration(max(min(left, nap.Seconds()), 0.001) * float64(time.Second)), p.changed
}

// give reads a frame. Only then the time is that of the jump that led there, so that what was before is never shown at another time.
func (p *Player) give(frame int, jump *time.Time) (*inspector.Snapshot, error) {
	p.reading.Lock()
	defer p.reading.Unlock()
	s, err := p.recording.Snapshot(frame)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.marks, p.trouble = p.recording.frames, p.recording.Trouble
	if err != nil {
		return nil, err
	}
	if jump != nil && p.jump == jump {
		p.settle(*jump)
		p.jump = nil
	}
	p.frame = int(s.Seq) - 1
	p.seq++
	s.Seq = p.seq
	return s, nil
}

// settle lets time go on from a moment, as fast as it does.
func (p *Player) settle(at time.Time) {
	switch {
	case at.Before(p.marks[0].at):
		at = p.marks[0].at
	case at.After(p.end()):
		at = p.end()
	}
	p.from, p.since = at, p.now()
}

// control changes something, and wakes whoever waits for the next frame.
func (p *Player) control(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	close(p.changed)
	p.changed = make(chan struct{})
}

// Hold holds, or goes on. At the end there is nothing to go on with.
func (p *Player) Hold() {
	p.control(func() {
		p.settle(p.clock())
		p.held = !p.held
	})
}

// Slower plays half as fast.
func (p *Player) Slower() { p.times(0.5) }

// Faster plays twice as fast.
func (p *Player) Faster() { p.times(2) }

func (p *Player) times(factor float64) {
	p.control(func() {
		p.settle(p.clock())
		p.speed = min(max(p.speed*factor, Slowest), Fastest)
	})
}

// Jump goes so far forward, or back where that is negative.
func (p *Player) Jump(by time.Duration) {
	p.control(func() {
		at := p.clock()
		if p.jump != nil { // keys that are pressed faster than frames are read add up
			at = *p.jump
		}
		p.goTo(at.Add(by))
	})
}

// Step goes on to the next frame in which something happened, and holds there.
func (p *Player) Step() {
	p.control(func() {
		p.settle(p.clock())
		p.held = true
		frame := p.frame
		if p.jump != nil {
			frame = p.marks.before(*p.jump)
		}
		p.goTo(p.marks[p.marks.nextEvent(frame)].at)
	})
}

// Restart plays from the beginning, as fast as it was played at first.
func (p *Player) Restart() {
	p.control(func() {
		p.speed, p.held = p.begin.speed, false
		p.goTo(p.marks[0].at)
	})
}

// goTo asks for a jump to a time, within the recording.
func (p *Player) goTo(at time.Time) {
	if at.Before(p.marks[0].at) {
		at = p.marks[0].at
	}
	if at.After(p.end()) {
		at = p.end()
	}
	p.jump = &at
}

// Note passes over what would be noted: nothing is added to a recording.
func (p *Player) Note(inspector.Event) {}

// Close closes the recording.
func (p *Player) Close() error {
	p.reading.Lock()
	defer p.reading.Unlock()
	return p.recording.Close()
}
