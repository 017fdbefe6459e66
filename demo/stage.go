package demo

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"locktop/demo/servers"
	"locktop/keyspace"
)

// show is one performance of a scenario: what all of its workers share. It is safe for concurrent use.
type show struct {
	ctx      context.Context // of everything that runs
	options  Options
	backend  servers.Servers
	conns    []*keyspace.Connection // one for each server
	prefix   string
	seed     uint64
	clock    *clock
	director *director
	narrator *narrator
	outage   outage
	stages   []*stage       // one for each lane
	group    sync.WaitGroup // everything that runs

	mu    sync.Mutex
	hired int
	inUse []string
	known map[string]bool // the keys in use
}

// stage is the part of a show in which one lane is played, with an account of its own. It is safe for concurrent use.
type stage struct {
	*show
	lane     lane
	ledger   *ledger
	measures measures // as the lane made it; nil: it measures nothing
}

func newShow(ctx context.Context, o Options, b servers.Servers, conns []*keyspace.Connection, prefix string, lanes []lane) *show {
	s := &show{
		ctx: ctx, options: o, backend: b, conns: conns, prefix: prefix, seed: o.Seed,
		clock: newClock(o.Speed), director: newDirector(o.Speed), narrator: &narrator{}, known: map[string]bool{},
	}
	for _, l := range lanes {
		stage := &stage{show: s, lane: l, ledger: newLedger(l.tolerant)}
		stage.ledger.lockless = l.lockless
		if l.measure != nil {
			stage.measures = l.measure()
		}
		s.stages = append(s.stages, stage)
	}
	return s
}

// play begins: lanes that run side by side are started, and those that take turns are called one after the other.
func (s *show) play(script script) {
	ctx := s.ctx
	if !script.turns {
		for _, stage := range s.stages {
			stage.lane.play(ctx, stage)
		}
		return
	}
	s.group.Go(func() {
		for ctx.Err() == nil {
			for _, stage := range s.stages {
				stage.lane.play(ctx, stage)
				s.rest(ctx, script.between)
			}
		}
	})
}

// key is the name of a lock in Redis. Whatever is written is named by it, so that it can be removed.
func (s *show) key(lock string) string {
	key := s.prefix + lock
	s.use(key)
	return key
}

// use notes the name of what is written beside a lock, where the scheme makes it of the lock's own name.
func (s *show) use(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known[key] {
		s.known[key] = true
		s.inUse = append(s.inUse, key)
	}
}

// keys are all names that key gave, and what is beside them.
func (s *show) keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.inUse)
}

// hire makes a worker that plays its part in a goroutine of its own until it returns.
func (s *stage) hire(ctx context.Context, play func(context.Context, *worker)) {
	w := s.newWorker()
	s.group.Go(func() {
		defer w.close()
		w.connect(ctx)
		play(ctx, w)
	})
}

// replacement is how long it takes until a worker that has died is replaced.
const replacement = 5 * time.Second

// replace hires another worker after that time, as a supervisor does when one has died.
func (s *stage) replace(ctx context.Context, play func(context.Context, *worker)) {
	s.group.Go(func() {
		if s.clock.sleep(ctx, replacement) {
			s.hire(ctx, play)
		}
	})
}

// nextName numbers the workers from 1.
func (s *show) nextName() (name string, number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hired++
	return fmt.Sprintf("worker-%d", s.hired), s.hired
}

// say and news tell a sentence.
func (s *show) say(format string, args ...any)  { s.narrator.say(fmt.Sprintf(format, args...)) }
func (s *show) news(format string, args ...any) { s.narrator.news(fmt.Sprintf(format, args...)) }

// scaled is a duration of the script in our time, as fast as the demo goes now. Leases that Redis ends are set by leased.
func (s *show) scaled(d time.Duration) time.Duration { return s.clock.scaled(d) }

// told is a duration of the script in words: in our time, at the tempo that the user chose. That of a demo that is held is
// nobody's choice: a sentence that comes while people talk would make minutes of seconds.
func (s *show) told(d time.Duration) string {
	return span(time.Duration(float64(d) / s.director.chosenRate()))
}

// trouble is what is done about a command that failed, unless it failed because the demo ends: it is told.
func (s *show) trouble(ctx context.Context, err error) {
	if ctx.Err() == nil {
		s.news("a command failed: %v", err)
	}
}

// did says whether something that is done to the servers, or asked of them by nobody in particular, was done. An error is told,
// counts as a failure, and is slept over, unless it comes from the demo's end.
func (s *stage) did(ctx context.Context, err error) bool {
	if err != nil && ctx.Err() == nil {
		s.ledger.failed(err)
		s.trouble(ctx, err)
		s.clock.sleep(ctx, failureDelay)
	}
	return err == nil
}
