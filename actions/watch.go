package actions

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace"
)

// byWatch carries plans out with WATCH, MULTI and EXEC, for users who may not run scripts, and for servers that cannot say
// beforehand what a user may send: a command that is denied aborts all of them. The facts are asked after the WATCH, and
// EXEC does nothing if one of the keys was written or expired since then.
type byWatch struct{}

// watchTries is how often a plan is tried again because the key was written between WATCH and EXEC, though what the plan
// compares stayed the same: a renewal, for one.
const watchTries = 16

func (byWatch) name() string { return "watch" }

func (byWatch) rules() []string { return []string{"+watch", "+unwatch", "+multi", "+exec"} }

func (byWatch) execute(ctx context.Context, at place, p plan) (answer, error) {
	for range watchTries {
		a, err := watchOnce(ctx, at, p)
		if errors.Is(err, redis.TxFailedErr) {
			continue // EXEC did nothing: look again
		}
		if err != nil {
			return answer{}, err
		}
		return a, nil
	}
	return answer{}, fmt.Errorf("watch %q: %w", p.keys[0], errBusyKey)
}

var errBusyKey = errors.New("it was written each time between the question and the action")

// watchOnce watches, asks and acts on one connection. In a cluster that moves the keys' slot, WATCH is refused unless all of them are
// on this node, and a key that leaves the node was written by that: what is asked and done is as sound as elsewhere.
func watchOnce(ctx context.Context, at place, p plan) (answer, error) {
	var a answer
	sent := false
	err := at.client.Watch(ctx, func(tx *redis.Tx) error {
		if at.asking {
			if err := tx.Process(ctx, redis.NewCmd(ctx, "ASKING")); err != nil {
				return err
			}
		}
		err := tx.Watch(ctx, p.keys...).Err()
		if err != nil {
			return err
		}
		if a, err = p.ask(ctx, at, tx); err != nil || a.code != codeDone {
			return err
		}
		// MULTI goes first: what follows one that is refused would be done at once, without EXEC.
		if err := at.send(ctx, tx, []any{"MULTI"})[0].Err(); err != nil {
			return err
		}
		sent = true
		replies, err := transact(ctx, tx, p.commands)
		if err == nil {
			a.woken = p.woken(replies)
		}
		return err
	})
	switch {
	case err == nil:
		return a, nil
	case sent:
		return answer{}, afterSend(fmt.Errorf("%s %q by EXEC: %w", p.verb, p.keys[0], err))
	default:
		return answer{}, fmt.Errorf("%s %q by WATCH: %w", p.verb, p.keys[0], err)
	}
}

// ask asks for all facts in one round trip, and answers as act.lua does; "done" if all hold, though nothing is done. It is
// one moment only under a WATCH.
func (p plan) ask(ctx context.Context, at place, client pipeliner) (answer, error) {
	questions := [][]any{{"PTTL", p.keys[0]}}
	for _, f := range p.facts {
		questions = append(questions, anyWords(f.ask))
	}
	if p.witness != nil {
		questions = append(questions, anyWords(p.witness))
	}
	// Each answer's own error is looked at: those after a fact that does not hold may fail because of it.
	answers := at.send(ctx, client, questions...)
	pttl, replies := answers[0], answers[1:]
	witness := answers[len(answers)-1] // where there is one
	a := answer{blame: blame{code: codeDone}, woken: -1}
	var err error
	if a.pttl, err = pttl.Int64(); err != nil {
		return answer{}, fmt.Errorf("PTTL: %w", err)
	}
	for i, f := range p.facts {
		reply, err := replies[i].Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			return answer{}, fmt.Errorf("%s: %w", f.ask[0], err)
		}
		said, known := textOf(reply)
		if f.holds(said, known) {
			continue
		}
		a.blame, a.said = f.blame, clip(said)
		if f.blame == blameOther && p.witness != nil {
			if err := witness.Err(); err != nil && !errors.Is(err, redis.Nil) {
				return answer{}, fmt.Errorf("%s: %w", p.witness[0], err)
			}
			a.owner, a.count = witnessed(witness.Val())
		}
		return a, nil
	}
	return a, nil
}

// transact sends the commands after a MULTI, and EXEC. A context that ends in between would leave the connection as it is, and is heeded
// where it has a deadline only: the client closes the connection then.
func transact(ctx context.Context, tx *redis.Tx, commands [][]string) ([]any, error) {
	within := context.WithoutCancel(ctx)
	if deadline, has := ctx.Deadline(); has {
		var cancel context.CancelFunc
		within, cancel = context.WithDeadline(within, deadline)
		defer cancel()
	}
	pipe := tx.Pipeline()
	queued := make([]*redis.Cmd, len(commands))
	for i, command := range commands {
		queued[i] = pipe.Do(within, anyWords(command)...)
	}
	done := pipe.Do(within, "EXEC")
	flush(within, pipe)
	replies, err := done.Slice()
	switch {
	case errors.Is(err, redis.Nil):
		return nil, redis.TxFailedErr
	case redis.HasErrorPrefix(err, "EXECABORT"):
		for _, reply := range queued { // the reason is what the server answered to the command that it did not queue
			if reason := reply.Err(); reason != nil {
				return nil, reason
			}
		}
		return nil, err
	case err != nil:
		return nil, err
	}
	for _, reply := range replies {
		if failed, is := reply.(error); is {
			return nil, lostError{fmt.Errorf("only some of it may have been done: %w", failed)}
		}
	}
	return replies, nil
}

// askUnwatched asks for all facts without a WATCH. While a slot is moved its keys are on two nodes, neither of which knows what the other has:
// of several keys nothing can be told then.
func (p plan) askUnwatched(ctx context.Context, at place) (answer, error) {
	if at.asking && len(p.keys) > 1 {
		return answer{}, errMoving
	}
	a, err := p.ask(ctx, at, at.client)
	if to, is := keyspace.RedirectionOf(err); is && to.Asking && len(p.keys) > 1 {
		return answer{}, fmt.Errorf("%w: %w", errMoving, err)
	}
	return a, err
}

// anyWords are the words of a command as go-redis takes them.
func anyWords(words []string) []any {
	all := make([]any, len(words))
	for i, word := range words {
		all[i] = word
	}
	return all
}
