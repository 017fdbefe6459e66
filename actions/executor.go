package actions

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/redis/go-redis/v9"
)

// executor carries out a plan atomically. Where the error is a lostError, nobody knows whether the plan was carried out;
// with any other error nothing was done.
type executor interface {
	execute(ctx context.Context, client *redis.Client, p plan) (answer, error)
	// name is said in the audit.
	name() string
	// rules are the ACL rules for the commands that it takes besides the plan's own.
	rules() []string
}

// lostError is an error after which nobody knows what the server did.
type lostError struct{ err error }

func (e lostError) Error() string { return e.err.Error() }
func (e lostError) Unwrap() error { return e.err }

// afterSend wraps an error of a command that may have been sent: an answer of the server says that nothing was done, and
// so does an error of the way there. All others leave it open.
func afterSend(err error) error {
	var reply redis.Error
	var op *net.OpError
	switch {
	case errors.Is(err, errAnswer):
		return lostError{err}
	case errors.As(err, &reply), errors.As(err, &op) && op.Op == "dial",
		errors.Is(err, redis.ErrClosed), errors.Is(err, redis.ErrPoolTimeout), errors.Is(err, redis.ErrPoolExhausted):
		return err
	default:
		return lostError{err}
	}
}

// byScript carries plans out with the Lua scripts.
type byScript struct{}

func (byScript) name() string { return "script" }

func (byScript) rules() []string { return []string{"+eval", "+evalsha"} }

func (byScript) execute(ctx context.Context, client *redis.Client, p plan) (answer, error) {
	s := p.script()
	a, err := s.run(ctx, client, p.keys(), p.args()...)
	if err != nil {
		return answer{}, afterSend(fmt.Errorf("%s %q: %w", s.name, p.key, err))
	}
	return a, nil
}

// byWatch carries plans out with WATCH, MULTI and EXEC, for users who may not run scripts. The guard is asked of what was
// read after the WATCH, and EXEC does nothing if one of the keys was written or expired since then.
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
	return answer{}, fmt.Errorf("watch %q: %w", p.key, errBusyKey)
}

var errBusyKey = errors.New("it was written each time between WATCH and EXEC")

func watchOnce(ctx context.Context, client *redis.Client, p plan) (answer, error) {
	var a answer
	sent := false
	err := client.Watch(ctx, func(tx *redis.Tx) error {
		s, err := readState(ctx, tx, p)
		if err != nil {
			return err
		}
		var same bool
		if a, same = p.judge(s); !same {
			return nil
		}
		var commands [][]any
		if a, commands = p.foresee(s, a); commands == nil {
			return nil
		}
		sent = true
		a.woken, err = transact(ctx, tx, commands)
		return err
	}, p.keys()...)
	switch {
	case err == nil:
		return a, nil
	case sent:
		return answer{}, afterSend(fmt.Errorf("%s %q by EXEC: %w", p.verb, p.key, err))
	default:
		return answer{}, fmt.Errorf("%s %q by WATCH: %w", p.verb, p.key, err)
	}
}

// transact sends the commands between MULTI and EXEC, and returns how many clients a PUBLISH reached, if it is the first
// of them; else -1.
func transact(ctx context.Context, tx *redis.Tx, commands [][]any) (woken int64, err error) {
	replies := make([]*redis.Cmd, len(commands))
	_, err = tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		for i, command := range commands {
			replies[i] = pipe.Do(ctx, command...)
		}
		return nil
	})
	if redis.HasErrorPrefix(err, "EXECABORT") {
		for _, reply := range replies { // the reason is what the server answered to the command that it did not queue
			if reason := reply.Err(); reason != nil && !redis.HasErrorPrefix(reason, "EXECABORT") {
				return -1, reason
			}
		}
	}
	if err != nil || commands[0][0] != "PUBLISH" {
		return -1, err
	}
	return replies[0].Int64()
}
