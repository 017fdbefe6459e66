package actions

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
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

func (byWatch) execute(ctx context.Context, client *redis.Client, p plan) (answer, error) {
	for range watchTries {
		a, err := watchOnce(ctx, client, p)
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

func watchOnce(ctx context.Context, client *redis.Client, p plan) (answer, error) {
	var a answer
	sent := false
	err := client.Watch(ctx, func(tx *redis.Tx) error {
		var err error
		if a, err = p.ask(ctx, tx); err != nil || a.code != codeDone {
			return err
		}
		sent = true
		replies, err := transact(ctx, tx, p.commands)
		if err == nil {
			a.woken = p.woken(replies)
		}
		return err
	}, p.keys...)
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
func (p plan) ask(ctx context.Context, client redis.Cmdable) (answer, error) {
	pipe := client.Pipeline()
	send := func(words []string) *redis.Cmd { return pipe.Do(ctx, anyWords(words)...) }
	pttl := send([]string{"PTTL", p.keys[0]})
	replies := make([]*redis.Cmd, len(p.facts))
	for i, f := range p.facts {
		replies[i] = send(f.ask)
	}
	var witness *redis.Cmd
	if p.witness != nil {
		witness = send(p.witness)
	}
	// Each command's own error is looked at: those after a fact that does not hold may fail because of it.
	_, _ = pipe.Exec(ctx)
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
		if f.blame == blameOther && witness != nil {
			if err := witness.Err(); err != nil && !errors.Is(err, redis.Nil) {
				return answer{}, fmt.Errorf("%s: %w", p.witness[0], err)
			}
			a.owner, a.count = witnessed(witness.Val())
		}
		return a, nil
	}
	return a, nil
}

// transact sends the commands between MULTI and EXEC.
func transact(ctx context.Context, tx *redis.Tx, commands [][]string) ([]any, error) {
	sent := make([]*redis.Cmd, len(commands))
	_, err := tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		for i, command := range commands {
			sent[i] = pipe.Do(ctx, anyWords(command)...)
		}
		return nil
	})
	if redis.HasErrorPrefix(err, "EXECABORT") {
		for _, reply := range sent { // the reason is what the server answered to the command that it did not queue
			if reason := reply.Err(); reason != nil && !redis.HasErrorPrefix(reason, "EXECABORT") {
				return nil, reason
			}
		}
	}
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, err
	}
	replies := make([]any, len(sent))
	for i, reply := range sent {
		replies[i] = reply.Val()
	}
	return replies, nil
}

// anyWords are the words of a command as go-redis takes them.
func anyWords(words []string) []any {
	all := make([]any, len(words))
	for i, word := range words {
		all[i] = word
	}
	return all
}
