package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/demo/servers"
	"locktop/inspector"
)

// Scenario describes one scenario for --list and for the header.
type Scenario struct {
	Name    string
	Shows   string // what it shows, in a sentence or two
	LookFor string // what to look for, in a sentence or two
	// Fault is what the user can let happen, in a few words: "a holder dies".
	Fault    string
	Needs    Needs
	Variants []Variant
}

// Variant is one way of locking that a scenario plays.
type Variant struct {
	Name   string
	Shows  string // in a few words, the name of the lock included
	Flawed bool   // it fails: that is what it is there for
}

// Needs says which servers a scenario runs on.
type Needs = servers.Needs

// What scenarios need.
const (
	NeedsOne     = servers.NeedsOne     // one server, embedded or not
	NeedsReal    = servers.NeedsReal    // one server that is not embedded
	NeedsMasters = servers.NeedsMasters // five independent servers of its own, embedded or not
	NeedsPair    = servers.NeedsPair    // a master and a replica of its own, not embedded
)

// script is a scenario that can be played.
type script struct {
	Scenario
	lanes []lane
	// turns: the lanes take turns, with a pause in between, because what happens to the servers happens to all of them.
	turns   bool
	between time.Duration
	// table makes the figures that the scenario measures, the titles first; nil: it measures none.
	table func(*show) [][]string
	// rehearse does once on somebody's server what the scenario needs there besides its locks; nil: it needs nothing.
	rehearse func(ctx context.Context, client *redis.Client, key string) error
	// thresholds are those at which its findings appear soon enough to be seen, at speed 1.
	thresholds inspector.Thresholds
}

// lane is a variant that can be played.
type lane struct {
	Variant
	// play hires the first workers and returns; where lanes take turns it plays one round, and returns at its end.
	play func(context.Context, *stage)
	// tolerant: two workers inside are no fault in this variant, because the thing that they write to refuses what comes too late.
	tolerant bool
	// setsClocks: it sets the clock of a server, and only an embedded one has a clock of its own.
	setsClocks bool
	// lockless: its workers use no lock, so that nobody is ever inside one.
	lockless bool
	// measure makes what the lane measures beside its ledger, anew for each performance; nil: it measures nothing.
	measure func() measures
}

// measures is what a lane measures beside its ledger. It is safe for concurrent use.
type measures interface {
	// said is what the verdict says of it, in sentences.
	said() []string
}

// scripts lists the scenarios, the default first.
func scripts() []script {
	all := []script{
		contention(), timestamp(), token(), crash(), reentrant(), renewal(), local(), redisson(), repair(), redlock(), pause(),
		failover(), market(), storm(),
	}
	for i := range all {
		all[i] = all[i].listed()
	}
	return all
}

// Scenarios lists them, the default first.
func Scenarios() []Scenario {
	var all []Scenario
	for _, s := range scripts() {
		all = append(all, s.Scenario)
	}
	return all
}

// findScript finds a scenario by its name; the empty name is the default's.
func findScript(name string) (script, error) {
	all := scripts()
	if name == "" {
		return all[0], nil
	}
	var names []string
	for _, s := range all {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return script{}, fmt.Errorf("there is no scenario %q: there are %s", name, strings.Join(names, ", "))
}

// choose leaves only the lane of one variant; the empty name leaves all that can be played on such servers.
func (s script) choose(variant string, on Server) (script, error) {
	if variant == "" {
		if on == ServerRedis {
			s.lanes = slices.DeleteFunc(slices.Clone(s.lanes), func(l lane) bool { return l.setsClocks })
		}
		return s.listed(), nil
	}
	var names []string
	for _, l := range s.lanes {
		names = append(names, l.Name)
	}
	at := slices.Index(names, variant)
	if at < 0 {
		return script{}, fmt.Errorf("the scenario %s has no variant %q: there are %s", s.Name, variant, strings.Join(names, ", "))
	}
	if s.lanes[at].setsClocks && on == ServerRedis {
		return script{}, fmt.Errorf("the variant %s sets clocks: %w", variant, servers.ErrNoJump)
	}
	s.lanes = s.lanes[at : at+1]
	return s.listed(), nil
}

// listed is the script with the variants that its lanes are.
func (s script) listed() script {
	s.Variants = nil
	for _, l := range s.lanes {
		s.Variants = append(s.Variants, l.Variant)
	}
	return s
}

// scaleThresholds makes the limits fit a demo that runs faster or slower.
func scaleThresholds(t inspector.Thresholds, speed float64) inspector.Thresholds {
	scale := func(d time.Duration) time.Duration { return time.Duration(float64(d) / speed) }
	t.LongLease, t.RenewedForever = scale(t.LongLease), scale(t.RenewedForever)
	t.LostFor, t.Settles = scale(t.LostFor), scale(t.Settles)
	return t
}
