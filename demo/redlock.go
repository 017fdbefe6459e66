package demo

import (
	"context"
	"time"

	"locktop/demo/servers"
	"locktop/inspector"
)

// redlock is the lock over five independent masters: what it bears, and what breaks it.
func redlock() script {
	return script{
		Scenario: Scenario{
			Name: "redlock",
			Shows: "Locks that need the votes of three of five independent masters: masters die, one restarts without its memory, one has " +
				"its clock set. What is lost with a master is a vote, and a vote that is given twice makes two majorities.",
			LookFor: "The votes (4): " + survivingLock + " goes on with three masters and stops with two; " + patientLock +
				" loses a vote that nobody gets before it has ended; in " + forgottenLock + " and, on embedded servers, " + jumpedLock +
				" a second worker gets a majority while the first is inside.",
			Fault: "a master dies, restarts empty or has its clock set: the next round",
			Needs: NeedsMasters,
		},
		lanes: []lane{
			{
				Variant: Variant{Name: "node-dies", Shows: "two of five masters die, then a third: " + survivingLock},
				play:    ballot{survivingLock, (*round).mastersDie}.play,
			},
			{
				Variant: Variant{Name: "delayed-restart", Shows: "a master without memory stays out for a lease: " + patientLock},
				play:    ballot{patientLock, (*round).restartLate}.play,
			},
			{
				Variant: Variant{Name: "restart", Shows: "a master restarts at once without memory: " + forgottenLock, Flawed: true},
				play:    ballot{forgottenLock, (*round).restartAtOnce}.play,
			},
			{
				Variant:    Variant{Name: "clock", Shows: "a master's clock is set ahead (embedded servers only): " + jumpedLock, Flawed: true},
				play:       ballot{jumpedLock, (*round).clockJumps}.play,
				setsClocks: true,
			},
		},
		turns: true, between: 5 * time.Second,
		// Votes settle soon here, and what follows from a fault is over within seconds.
		thresholds: inspector.Thresholds{Settles: 500 * time.Millisecond},
	}
}

const (
	survivingLock = "lock:orders:export"
	patientLock   = "lock:payroll:2026-11"
	forgottenLock = "lock:invoices:send"
	jumpedLock    = "lock:prices:import"

	// quorumLease is how long a vote lasts, the longest one of all.
	quorumLease = 10 * time.Second
	// leftoverLease is that of a worker that dies amid its attempt.
	leftoverLease = 7 * time.Second
)

// ballot is what a lane plays in each of its rounds.
type ballot struct {
	label  string
	happen func(*round, context.Context) (played bool)
}

// round is one round: its workers, its lock and the masters.
type round struct {
	*stage
	masters *servers.Masters
	label   string
	voters  []*voter
	order   []int // of the masters, by the dice: what happens hits another one each time
}

// play plays a round, after which everything is as it was, whatever happened.
func (b ballot) play(ctx context.Context, s *stage) {
	r := &round{stage: s, masters: s.backend.(*servers.Masters), label: b.label} // as its Needs say
	for range 3 {
		v := s.newVoter()
		defer v.close()
		r.voters = append(r.voters, v)
	}
	r.order = r.voters[0].dice.Perm(len(r.voters[0].links))
	played := b.happen(r, ctx)
	if ctx.Err() != nil {
		return // whoever ends a show puts its servers right, or closes them
	}
	if r.did(ctx, r.masters.Mend(ctx)) && played {
		s.ledger.play()
	}
}

// called is what a master is called.
func (r *round) called(master int) string { return port(r.masters.Connections()[master]) }
