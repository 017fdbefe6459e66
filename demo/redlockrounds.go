package demo

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// everyday lets all voters use the lock for a while, with all masters there.
func (r *round) everyday(ctx context.Context, span time.Duration) {
	end := r.clock.now().add(span)
	var all sync.WaitGroup
	for _, v := range r.voters {
		all.Go(func() {
			for v.pause(ctx, v.about(300*time.Millisecond)) && v.clock.now() < end {
				l := v.quorumLock(r.label, quorumLease)
				if v.seek(ctx, l, v.clock.now().until(end)) {
					v.say("%s got %s with %d of %d votes", v.name, r.label, l.votes, len(l.links))
					v.stay(ctx, l, v.about(600*time.Millisecond))
				}
			}
		})
	}
	all.Wait()
}

// stay works under a lock that was just acquired, as long as it is valid, and gives it back.
func (v *voter) stay(ctx context.Context, l *quorumLock, job time.Duration) {
	if !l.late() {
		v.finish(ctx, v.ledger.enter(l.label, v.name), job, &l.claim)
	}
	v.try(ctx, l.release)
}

// tellValidity tells what a worker got that is about to stay inside for long.
func (v *voter) tellValidity(l *quorumLock) {
	v.say("%s got %s with %d of %d votes; validity %s of a lease of %s, less for asking and for drift",
		v.name, l.label, l.votes, len(l.links), v.told(l.validity), v.told(l.lease))
}

// follow lets another voter in as soon as it gets the lock, and says whether somebody was inside then. Where nobody was, it is
// told in other words.
func (r *round) follow(ctx context.Context, v *voter, job time.Duration, tell func(*quorumLock)) (together bool) {
	l := v.quorumLock(r.label, quorumLease)
	if !v.seek(ctx, l, quorumLease) {
		return false
	}
	other := r.ledger.holder(r.label)
	if other == "" {
		tell(l)
	} else {
		r.news("%s got %d of %d votes for %s while %s is inside: a vote was given twice, and made two majorities",
			v.name, l.votes, len(l.links), r.label, other)
	}
	v.stay(ctx, l, job)
	return other != ""
}

// kill lets a master die; false: it did not, which is told.
func (r *round) kill(ctx context.Context, master int) bool {
	return r.did(ctx, r.masters.Kill(master))
}

// dead is how many masters are.
func (r *round) dead() int {
	n := 0
	for i := range r.order {
		if !r.masters.Alive(i) {
			n++
		}
	}
	return n
}

// mastersDie: a lock bears the loss of two of five masters while somebody is inside, and afterwards. Without a third one nobody
// gets in, which is safe as well.
func (r *round) mastersDie(ctx context.Context) (played bool) {
	r.everyday(ctx, 2500*time.Millisecond)
	first, second, watcher := r.voters[0], r.voters[1], r.voters[2]
	l := first.quorumLock(r.label, quorumLease)
	if !first.seek(ctx, l, quorumLease) {
		return false
	}
	first.tellValidity(l)
	var all sync.WaitGroup
	all.Go(func() { first.stay(ctx, l, 5*time.Second) })
	all.Go(func() {
		r.follow(ctx, second, 2*time.Second, func(l *quorumLock) {
			if dead := r.dead(); dead > 0 {
				r.ledger.fact(fmt.Sprintf("with %d of %d masters dead the lock went on", dead, len(l.links)))
				r.news("%s got %s with %d of %d votes: %d dead masters cost nothing but the margin", second.name, r.label, l.votes,
					len(l.links), dead)
			}
		})
	})
	dead := watcher.pause(ctx, 1500*time.Millisecond) && r.kill(ctx, r.order[0]) && r.kill(ctx, r.order[1])
	if dead {
		r.news("masters %s and %s died with their votes: %s has %d of %d left, and %d are enough", r.called(r.order[0]),
			r.called(r.order[1]), first.name, watcher.votesOf(ctx, l), len(l.links), l.needed())
	}
	all.Wait()
	return dead && r.kill(ctx, r.order[2]) && r.nobodyGets(ctx)
}

// nobodyGets lets all voters ask for the lock where too few masters are left.
func (r *round) nobodyGets(ctx context.Context) bool {
	var all sync.WaitGroup
	got := make([]bool, len(r.voters))
	for i, v := range r.voters {
		all.Go(func() {
			l := v.quorumLock(r.label, quorumLease)
			if got[i] = v.seek(ctx, l, 2*time.Second); got[i] {
				v.stay(ctx, l, time.Second)
			}
		})
	}
	all.Wait()
	if slices.Contains(got, true) || ctx.Err() != nil {
		return false
	}
	r.ledger.fact(fmt.Sprintf("with %d of %d masters dead nobody got in", r.dead(), len(r.order)))
	r.news("master %s died too: without a majority nobody gets %s. It stands still, and is safe", r.called(r.order[2]), r.label)
	return true
}

// barely lets one voter get the lock with no vote to spare, because two masters have votes left over from a worker that died
// amid its attempt. Then something befalls one of the other three, and as soon as the left-over votes have ended another voter
// asks for the lock. It says whether that something did befall it, and whether both were inside together.
func (r *round) barely(ctx context.Context, befall func(held *quorumLock) bool, calm func(got *quorumLock)) (befell, together bool) {
	first, second, watcher := r.voters[0], r.voters[1], r.voters[2]
	over := r.leaveVotes(ctx)
	l := first.quorumLock(r.label, quorumLease)
	if !watcher.pause(ctx, 2*time.Second) || !first.seek(ctx, l, 3*time.Second) {
		return false, false
	}
	first.tellValidity(l)
	var all sync.WaitGroup
	all.Go(func() { first.stay(ctx, l, 8*time.Second) })
	all.Go(func() {
		if r.clock.sleepUntil(ctx, over, nil) {
			together = r.follow(ctx, second, 3*time.Second, calm)
		}
	})
	befell = watcher.pause(ctx, 2500*time.Millisecond) && befall(l)
	all.Wait()
	return befell, together
}

// leaveVotes lets a worker die that has just got the votes of two masters, and says when they are surely over.
func (r *round) leaveVotes(ctx context.Context) (over moment) {
	v := r.newVoter()
	defer v.close()
	l := v.quorumLock(r.label, leftoverLease)
	v.try(ctx, func(ctx context.Context) (bool, error) {
		return l.attempt(ctx, []*link{v.links[r.order[0]], v.links[r.order[1]]})
	})
	r.say("%s died amid its attempt on %s: its %d of %d votes, no majority, stay for their lease of %s",
		v.name, r.label, l.votes, len(l.links), r.told(l.lease))
	return r.clock.now().add(leftoverLease)
}

// restartLate: a master dies with a vote, and stays out for longer than the longest lease.
func (r *round) restartLate(ctx context.Context) (played bool) {
	victim := r.order[2]
	var died moment
	befell, _ := r.barely(ctx, func(held *quorumLock) bool {
		if !r.kill(ctx, victim) {
			return false
		}
		died = r.clock.now()
		r.news("master %s died, and stays out for longer than any lease: %s works on, and its lost vote can go to nobody",
			r.called(victim), held.worker.name)
		return true
	}, func(got *quorumLock) {
		r.news("%s got %s with %d of %d votes, but only after %s had left: the lost vote went to nobody", got.worker.name, r.label,
			got.votes, len(got.links), r.voters[0].name)
	})
	if !befell {
		return false
	}
	back := died.add(quorumLease + time.Second)
	r.everyday(ctx, r.clock.now().until(back))
	if !r.clock.sleepUntil(ctx, back, nil) || !r.did(ctx, r.masters.Restart(victim)) {
		return false
	}
	r.ledger.fact("a master without memory came back after all leases that it had forgotten")
	r.news("master %s is back, empty, %s after its death: every lease that it forgot is over by now", r.called(victim),
		r.told(died.until(r.clock.now())))
	return true
}

// restartAtOnce: a master dies with a vote, and comes back at once without it.
func (r *round) restartAtOnce(ctx context.Context) (played bool) {
	victim := r.order[2]
	r.everyday(ctx, 2500*time.Millisecond)
	return r.twoMajorities(ctx, func(held *quorumLock) bool {
		if !r.kill(ctx, victim) || !r.did(ctx, r.masters.Restart(victim)) {
			return false
		}
		r.news("master %s restarted at once, and came back empty: %s works on, with %d votes left", r.called(victim),
			held.worker.name, r.voters[2].votesOf(ctx, held))
		return true
	})
}

// clockJumps: a master's clock is set ahead, and a vote ends there before its time.
func (r *round) clockJumps(ctx context.Context) (played bool) {
	const jump = 2 * quorumLease
	victim := r.order[2]
	r.everyday(ctx, 2500*time.Millisecond)
	played = r.twoMajorities(ctx, func(held *quorumLock) bool {
		_, _, err := r.leased(jump, func(ours time.Duration) (bool, error) { return true, r.masters.Jump(victim, ours) })
		if !r.did(ctx, err) {
			return false
		}
		r.news("the clock of master %s was set ahead by %s, where the vote ended: %s works on, with %d votes left",
			r.called(victim), r.told(jump), held.worker.name, r.voters[2].votesOf(ctx, held))
		return true
	})
	// Started anew it has the right time, and whoever looks at it measures its clock anew: set back, it would be found wrong for
	// seconds in the next lane.
	return r.kill(ctx, victim) && played
}

// twoMajorities is a round in which a vote is lost that somebody counts on.
func (r *round) twoMajorities(ctx context.Context, befall func(held *quorumLock) bool) (played bool) {
	_, together := r.barely(ctx, befall, func(got *quorumLock) {
		r.say("%s got %s after %s had left: this time it went well", got.worker.name, r.label, r.voters[0].name)
	})
	return together
}
