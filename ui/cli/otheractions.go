package cli

import (
	"context"
	"os"
	"sync"
	"time"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// This file finds out what other processes of this user did to locks on these servers.

const (
	// otherActionsEvery is how often the audit file is looked at.
	otherActionsEvery = 500 * time.Millisecond
	// otherActionsMost bounds how many actions are taken from it at a time.
	otherActionsMost = 200
)

// followOthers runs [noteOthers] until ctx ends; the result waits for that.
func (s *session) followOthers(ctx context.Context, place keyspace.Place) *sync.WaitGroup {
	var others sync.WaitGroup
	others.Go(func() { noteOthers(ctx, s.audit, where(place), s.locks.Note) })
	return &others
}

// noteOthers notes the actions of other processes on the servers of where, as the audit file has
// them, until ctx ends. A hold that one of them ended is then the operator's, as after an action of
// this process.
func noteOthers(ctx context.Context, audit *actions.Audit, where string, note func(inspector.Event)) {
	began := time.Now()
	var read os.FileInfo // as it was when it was read last
	noted := make(map[string]bool)
	every := time.NewTicker(otherActionsEvery)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		info, err := os.Stat(audit.Path())
		if err != nil || read != nil && info.Size() == read.Size() && info.ModTime().Equal(read.ModTime()) {
			continue // a file that was moved away tells nothing
		}
		read = info
		lines, err := audit.Recent(where, otherActionsMost)
		if err != nil {
			continue // the panel of the last actions says what is wrong with it
		}
		for i := len(lines) - 1; i >= 0; i-- { // oldest first
			line := &lines[i]
			if line.Own() || line.Phase != actions.PhaseOutcome || line.At.Before(began) || noted[line.ID] {
				continue
			}
			noted[line.ID] = true
			if e, took := eventOfOther(line); took {
				note(e)
			}
		}
	}
}

// eventOfOther is the event of an action of another process; false if it did not end a hold.
func eventOfOther(line *actions.AuditLine) (e inspector.Event, took bool) {
	ended := line.Outcome == actions.ResultReleased || line.Outcome == actions.ResultExpired && line.Asked.TTL == 0
	if !ended || line.Asked.DryRun {
		return e, false
	}
	key, owner, exact := line.Names()
	if !exact {
		return e, false
	}
	actor := line.Actor.User + "@" + line.Actor.Host
	return inspector.Event{
		At:   line.At,
		Ref:  keyspace.Ref{Node: keyspace.Node(line.Node), DB: line.DB, Key: key},
		Kind: inspector.EventOperator, Scheme: inspector.Scheme(line.Scheme), Owner: owner, Cause: inspector.CauseOperator,
		Text: text.Legible(actor) + ": " + string(line.Verb) + " of " + text.Escape(key) + ": " + string(line.Outcome),
	}, true
}
