package cli

import (
	"context"
	"time"

	"locktop/actions"
	"locktop/ui/text"
)

// cameBackError is the error for a lock that came back, or nil if it did not.
func cameBackError(r actions.Request, after time.Duration) error {
	if after == 0 {
		return nil
	}
	return failed("%s", actions.CameBackText(r, after))
}

// lookEvery is how often a released lock is checked.
const lookEvery = 200 * time.Millisecond

// cameBack checks a released lock for as long as its holder may re-create it. An interrupt ends
// only the check. known is false if there was no check, or if it did not run to its end.
func (a *app) cameBack(
	ctx context.Context, s *session, about *target, r actions.Request, o actions.Outcome,
) (after time.Duration, known bool) {
	span := actions.LookFor(r, o)
	if span == 0 {
		return 0, false
	}
	a.say("checking for up to %s whether the lock comes back; ctrl-c ends only this check",
		text.Duration(span))
	done := time.Now()
	every := time.NewTicker(lookEvery)
	defer every.Stop()
	for time.Since(done) < span {
		select {
		case <-ctx.Done():
			return 0, false
		case <-every.C:
		}
		found, err := s.lookAt(ctx, about.rules.rules, r.Lock.Key)
		switch {
		case ctx.Err() != nil:
			return 0, false
		case err != nil:
			a.say("cannot tell whether the lock came back: %s", text.Legible(oneLine(err.Error())))
			return 0, false
		case actions.CameBack(r, found.lock):
			return time.Since(done), true
		}
	}
	return 0, true
}
