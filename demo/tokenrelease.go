package demo

import (
	"context"
	"errors"
	"fmt"
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
		for {
			released, aborted, err := l.locker.ReleaseTokenByWatch(ctx, l.key, l.owner)
			if !aborted || err != nil {
				return released, err
			}
			w.ledger.fact("a release was aborted, because the key had changed, and tried again")
		}
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
func releaseByGetThenDelete(w *worker) tokenRelease {
	return func(ctx context.Context, l *tokenLock, stall func(context.Context) error) (bool, error) {
		owner, err := w.client.Get(ctx, l.key).Result()
		switch {
		case errors.Is(err, redis.Nil), err == nil && owner != l.owner:
			return false, nil
		case err != nil:
			return false, fmt.Errorf("GET %s: %w", l.key, err)
		}
		if err := stall(ctx); err != nil {
			return false, err
		}
		return removeLock(ctx, l)
	}
}

// releaseByDelete does not look at all.
func releaseByDelete(*worker) tokenRelease {
	return func(ctx context.Context, l *tokenLock, stall func(context.Context) error) (bool, error) {
		if err := stall(ctx); err != nil {
			return false, err
		}
		return removeLock(ctx, l)
	}
}

// removeLock deletes the lock, whoever has it.
func removeLock(ctx context.Context, l *tokenLock) (bool, error) {
	n, err := l.worker.client.Del(ctx, l.key).Result()
	if err != nil {
		return false, fmt.Errorf("DEL %s: %w", l.key, err)
	}
	return n == 1, nil
}
