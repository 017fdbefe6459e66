package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

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
type Needs string

// What scenarios need.
const (
	NeedsOne     Needs = ""        // one server, embedded or not
	NeedsReal    Needs = "real"    // one server that is not embedded
	NeedsMasters Needs = "masters" // five independent servers of its own, embedded or not
	NeedsPair    Needs = "pair"    // a master and a replica of its own, not embedded
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
}

// scripts lists the scenarios, the default first.
func scripts() []script {
	all := []script{contention(), reentrant(), crash(), renewal(), timestamp(), pause(), failover()}
	for i := range all {
		for _, l := range all[i].lanes {
			all[i].Variants = append(all[i].Variants, l.Variant)
		}
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

// choose leaves only the lane of one variant; the empty name leaves all.
func (s script) choose(variant string) (script, error) {
	if variant == "" {
		return s, nil
	}
	var names []string
	for _, l := range s.lanes {
		names = append(names, l.Name)
	}
	at := slices.Index(names, variant)
	if at < 0 {
		return script{}, fmt.Errorf("the scenario %s has no variant %q: there are %s", s.Name, variant, strings.Join(names, ", "))
	}
	s.lanes = s.lanes[at : at+1]
	return s, nil
}

// scaleThresholds makes the limits fit a demo that runs faster or slower.
func scaleThresholds(t inspector.Thresholds, speed float64) inspector.Thresholds {
	scale := func(d time.Duration) time.Duration { return time.Duration(float64(d) / speed) }
	t.LongLease, t.RenewedForever, t.LostFor = scale(t.LongLease), scale(t.RenewedForever), scale(t.LostFor)
	return t
}
