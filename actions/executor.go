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
	execute(ctx context.Context, at place, p plan) (answer, error)
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

// byScript carries plans out with act.lua.
type byScript struct{}

func (byScript) name() string { return "script" }

func (byScript) rules() []string { return []string{"+eval", "+evalsha"} }

// errApart says that the script has done nothing, because its commands could have been denied one by one.
var errApart = errors.New("this server cannot say beforehand whether a user may send several commands")

func (byScript) execute(ctx context.Context, at place, p plan) (answer, error) {
	reply, err := act.run(ctx, at, p.keys, p.args()...)
	if err == nil {
		var a answer
		if a, err = parseAnswer(p, reply); err == nil {
			if a.code == codeApart {
				return answer{}, errApart
			}
			return a, nil
		}
	}
	return answer{}, afterSend(fmt.Errorf("%s %q by script: %w", p.verb, p.keys[0], err))
}
