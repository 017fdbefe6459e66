package demo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Tempo is how fast a demo goes.
type Tempo struct {
	// Rate is the factor by which it was made slower or faster since its start.
	Rate float64
	// Held: time all but stands still, for people to talk. Stepping: it goes on to the next sentence, and is held then.
	Held, Stepping bool
}

// director changes the tempo of a show, and lets its faults happen. It is safe for concurrent use.
type director struct {
	// gate is held for reading while a command that sets a lease is under way, and for writing while the tempo changes: each
	// lease is scaled exactly once by each change.
	gate sync.RWMutex

	mu     sync.Mutex
	speed  float64 // at the start
	tempo  Tempo
	clocks map[string]moment // when each kind of fault is due
	wanted map[string]int    // the injection that each kind of fault has seen
	inject int               // how often a fault was asked for
	asked  chan struct{}     // closed when a fault is asked for
}

func newDirector(speed float64) *director {
	return &director{
		speed: speed, tempo: Tempo{Rate: 1}, clocks: map[string]moment{}, wanted: map[string]int{}, asked: make(chan struct{}),
	}
}

func (d *director) now() Tempo {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.tempo
}

// rate is how fast time is to go.
func (d *director) rate() float64 {
	if d.tempo.Held {
		return d.speed * heldRate
	}
	return d.speed * d.tempo.Rate
}

// chosenRate is how fast time goes when the demo is not held.
func (d *director) chosenRate() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.speed * d.tempo.Rate
}

func (d *director) rateNow() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rate()
}

// due says once in a while that it is time for something: first after the start, and then every so often, counted from the
// last time that it said so; and whenever the user asked for the fault since.
func (s *show) due(what string, first, every time.Duration) bool {
	now := s.clock.now()
	d := s.director
	d.mu.Lock()
	defer d.mu.Unlock()
	at, known := d.clocks[what]
	if !known {
		at = moment(first)
	}
	if now < at && d.wanted[what] == d.inject {
		return false
	}
	d.wanted[what] = d.inject
	d.clocks[what] = now.add(every)
	return true
}

// postpone makes it due after a time from now, also where the user asked for it before.
func (s *show) postpone(what string, by time.Duration) {
	at := s.clock.now().add(by)
	d := s.director
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clocks[what] = at
	d.wanted[what] = d.inject
}

// rest waits between two rounds of a scenario, or until the user asks for the fault; false: the context ended first.
func (s *show) rest(ctx context.Context, span time.Duration) bool {
	s.director.mu.Lock()
	asked := s.director.asked
	s.director.mu.Unlock()
	return s.clock.sleepUntil(ctx, s.clock.now().add(span), asked)
}

// letHappen makes every fault of the scenario due now.
func (s *show) letHappen() {
	d := s.director
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inject++
	close(d.asked)
	d.asked = make(chan struct{})
}

// leased runs a command that sets a lease of the script, given in our time, and says until when it surely lasts. No change
// of the tempo comes in between.
func (s *show) leased(lease time.Duration, do func(ours time.Duration) (bool, error)) (done bool, until moment, err error) {
	s.director.gate.RLock()
	defer s.director.gate.RUnlock()
	until = s.clock.now().add(lease)
	done, err = do(s.clock.scaled(lease))
	return done, until, err
}

// steadily does something while no change of the tempo comes in between, and says how fast time goes.
func (s *show) steadily(do func() error) (rate float64, err error) {
	s.director.gate.RLock()
	defer s.director.gate.RUnlock()
	return s.director.rateNow(), do()
}

// change sets another tempo, and scales the leases of all locks by it. A server may so keep a lock for some milliseconds
// longer than the workers think, but never shorter.
func (s *show) change(ctx context.Context, set func(*Tempo)) error {
	d := s.director
	d.gate.Lock()
	defer d.gate.Unlock()
	d.mu.Lock()
	old := d.rate()
	set(&d.tempo)
	d.tempo.Rate = min(max(d.tempo.Rate, slowest), fastest, maxRate/d.speed)
	rate := d.rate()
	d.mu.Unlock()
	switch {
	case rate < old:
		err := s.stretch(ctx, old/rate)
		s.clock.set(rate)
		return err
	case rate > old:
		s.clock.set(rate)
		return s.stretch(ctx, old/rate)
	}
	return nil
}

// stretchLeases multiplies what is left of the leases.
//
// KEYS: locks, and whatever else of the demo's has a TTL.
// ARGV[1]: the factor.
// It returns how many leases it has set.
var stretchLeases = redis.NewScript(`
local count = 0
for _, key in ipairs(KEYS) do
	local left = redis.call('PTTL', key)
	if left > 0 then
		redis.call('PEXPIRE', key, math.max(math.floor(left * ARGV[1] + 0.5), 1))
		count = count + 1
	end
end
return count`)

// stretchBatch is how many keys one script looks at.
const stretchBatch = 500

// stretch scales the leases on every server that can be reached. A server that is dead has none, and one that does not
// answer is told as an error.
func (s *show) stretch(ctx context.Context, factor float64) error {
	keys, mark := s.keys(), s.outage.mark()
	var errs []error
	for _, conn := range s.conns {
		client := conn.NewClient("demo-director")
		for rest := keys; len(rest) > 0; {
			n := min(len(rest), stretchBatch)
			if err := stretchLeases.Run(ctx, client, rest[:n], factor).Err(); err != nil {
				// Of several servers some may be dead, and a master may be: that is what such a scenario is about. takeOver mends it.
				if len(s.conns) == 1 && !s.outage.since(mark) {
					errs = append(errs, fmt.Errorf("scale the leases to the tempo: %w", err))
				}
				break
			}
			rest = rest[n:]
		}
		errs = append(errs, client.Close())
	}
	return errors.Join(errs...)
}

// step tells the next sentence, or goes on until there is one.
func (s *show) step(ctx context.Context) error {
	s.narrator.halt()
	if s.narrator.next() {
		return s.change(ctx, func(t *Tempo) { t.Held, t.Stepping = true, false })
	}
	return s.change(ctx, func(t *Tempo) {
		t.Held, t.Stepping = false, true
		// From within the change, so that the one that ends the step comes after it, however soon there is a sentence.
		s.narrator.awaitNext(func() {
			// The teller may be in the middle of a command that sets a lease, for which change waits; and the one who asked for
			// the step waits no longer.
			s.group.Go(func() {
				if err := s.change(s.ctx, func(t *Tempo) { t.Held, t.Stepping = true, false }); err != nil {
					s.trouble(s.ctx, err)
				}
			})
		})
	})
}

// hold holds the show, or lets it go on.
func (s *show) hold(ctx context.Context) error {
	return s.change(ctx, func(t *Tempo) {
		t.Held, t.Stepping = !t.Held, false
		if t.Held {
			s.narrator.halt()
		} else {
			s.narrator.flow()
		}
	})
}
