package demo

import (
	"context"
	"fmt"
	"strings"
	"time"

	"locktop/inspector"
)

// Scenario describes one scenario for --list and for the header.
type Scenario struct {
	Name    string
	Shows   string // what it shows, one sentence
	LookFor string // what to look for, one sentence
}

// script is a scenario that can be played.
type script struct {
	Scenario
	// play hires the first workers and returns.
	play func(context.Context, *stage)
	// thresholds are those at which its findings appear soon enough to be seen, at speed 1.
	thresholds inspector.Thresholds
}

// scripts lists the scenarios, the default first.
func scripts() []script {
	return []script{contention(), reentrant(), crash(), renewal(), timestamp()}
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

// scaleThresholds makes the limits fit a demo that runs faster or slower.
func scaleThresholds(t inspector.Thresholds, speed float64) inspector.Thresholds {
	scale := func(d time.Duration) time.Duration { return time.Duration(float64(d) / speed) }
	t.LongLease, t.RenewedForever, t.LostFor = scale(t.LongLease), scale(t.RenewedForever), scale(t.LostFor)
	return t
}
