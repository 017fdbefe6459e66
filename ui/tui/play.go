package tui

import (
	"context"
	"time"
)

// Play is a demo that runs below the dashboard, or a recording that is played. It is safe for concurrent use.
type Play interface {
	// Scene is what is to be seen of it now. It does not block.
	Scene() Scene
	// Control changes how it goes on. It may take as long as a demo's servers do, so it runs in a command.
	Control(ctx context.Context, c Control) error
}

// Control is what a user may do to a demo or a recording.
type Control string

// The controls of a demo.
const (
	ControlFault   Control = "fault"   // let the fault happen now
	ControlStep    Control = "step"    // go on to the next sentence, and hold there
	ControlHold    Control = "hold"    // hold, or go on
	ControlSlower  Control = "slower"  // half as fast
	ControlFaster  Control = "faster"  // twice as fast
	ControlRestart Control = "restart" // from the beginning, with the same dice
)

// The controls that only a recording has.
const (
	ControlBack          Control = "back"           // 10 s
	ControlForward       Control = "forward"        // 10 s
	ControlBackMinute    Control = "back minute"    // 1 min
	ControlForwardMinute Control = "forward minute" // 1 min
)

// Scene is what is to be seen of a demo at one moment. None of its texts was escaped.
type Scene struct {
	// Name, Shows and LookFor are the scenario's; Fault says what ControlFault does ("a holder dies"), and is empty
	// where there is nothing to let happen.
	Name, Shows, LookFor, Fault string

	// Rate is how fast it goes, as a factor of how it was started. Held: time all but stands still; Stepping: it goes on
	// to the next sentence, and then is held.
	Rate           float64
	Held, Stepping bool

	// Reel is how far the recording is that is played; nil: this is a demo, which has none.
	Reel *Reel

	// Now is the sentence that is to be read now; Told are the latest ones, this one included, the latest last.
	Now  Sentence
	Told []Sentence

	// Lanes are the variants that are played, each with what its workers did so far.
	Lanes []Lane
	// Table are figures that the scenario measures, the titles first; empty: it measures none.
	Table [][]string
}

// Reel is how far a recording is. Of the scene's other fields it has Rate and Held.
type Reel struct {
	// First and Last are when it begins and ends, and At the moment that is seen.
	First, Last, At time.Time
	// Ended says that it is at its end, and End why it goes no further; empty: there is no more to be said of that.
	Ended bool
	End   string
}

// Sentence says what just happened, and why it matters.
type Sentence struct {
	At   time.Time
	Text string
	News bool // it is what the scenario is about, and no everyday event
}

// Lane is one variant of a demo: a way of locking, sound or flawed.
type Lane struct {
	Name, Shows string
	// Flawed says that it is to fail: that is what it shows.
	Flawed bool
	// Acquisitions is how often a worker entered a critical section, Faults how often something went wrong by the workers'
	// own account, Played how often the scenario's fault was let happen.
	Acquisitions, Faults, Played int
	// Said is the verdict so far, in a few sentences.
	Said []string
}
