package demo

import (
	"context"
	"strings"

	"github.com/redis/go-redis/v9"
)

// tokenRelease gives a token lock back, in one way or another, and says false where that did nothing. Where the worker is to
// stall, stall waits, at the worst moment that there is in this way; it returns an error when the demo is over.
type tokenRelease func(ctx context.Context, l *tokenLock, stall func(context.Context) error) (bool, error)

// releaseByScript compares and deletes in one step, so the worst that can happen is that it comes late.
func releaseByScript(*worker) tokenRelease {
	return func(ctx context.Context, l *tokenLock, stall func(context.Context) error) (bool, error) {
		if err := stall(ctx); err != nil {
			return false, err
		}
		return l.release(ctx)
	}
}

// releaseByWatch compares and deletes in a transaction, which is aborted where the key has changed since it was looked at.
func releaseByWatch(w *worker) tokenRelease {
	transaction := &stallingTransaction{}
	w.client.AddHook(transaction)
	return func(ctx context.Context, l *tokenLock, stall func(context.Context) error) (bool, error) {
		transaction.stall = stall
		return l.releaseByWatch(ctx)
	}
}

// stallingTransaction lets a client stall between what it has looked at and MULTI.
type stallingTransaction struct {
	stall func(context.Context) error
}

// DialHook does nothing.
func (s *stallingTransaction) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessPipelineHook does nothing.
func (s *stallingTransaction) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// ProcessHook stalls before MULTI.
func (s *stallingTransaction) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		if strings.EqualFold(command.Name(), "multi") {
			if err := s.stall(ctx); err != nil {
				command.SetErr(err)
				return err
			}
		}
		return next(ctx, command)
	}
}

// releaseByGetThenDelete looks first, but what it has seen may be over when it deletes: these are two commands.
func releaseByGetThenDelete(*worker) tokenRelease {
	return func(ctx context.Context, l *tokenLock, stall func(context.Context) error) (bool, error) {
		own, err := l.isOwn(ctx)
		if err != nil || !own {
			return false, err
		}
		if err := stall(ctx); err != nil {
			return false, err
		}
		return l.remove(ctx)
	}
}

// releaseByDelete does not look at all.
func releaseByDelete(*worker) tokenRelease {
	return func(ctx context.Context, l *tokenLock, stall func(context.Context) error) (bool, error) {
		if err := stall(ctx); err != nil {
			return false, err
		}
		return l.remove(ctx)
	}
}
