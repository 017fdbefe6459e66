package actions

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// ReleaseTokenByWatch releases a token lock as clients do that run no scripts: WATCH, GET, and where the token is their own
// MULTI, DEL, EXEC. Where the key was changed after the GET, by a renewal for one, nothing is done and aborted is true: who still
// wants to release it tries again.
func (l *Locker) ReleaseTokenByWatch(ctx context.Context, key, token string) (released, aborted bool, err error) {
	err = l.client.Watch(ctx, func(tx *redis.Tx) error {
		value, err := tx.Get(ctx, key).Result()
		switch {
		case errors.Is(err, redis.Nil), err == nil && value != token:
			return nil
		case err != nil:
			return err
		}
		// MULTI goes first: what follows one that is refused would be done at once, without EXEC.
		if err := tx.Process(ctx, redis.NewStatusCmd(ctx, "MULTI")); err != nil {
			return err
		}
		_, err = transact(ctx, tx, [][]string{{"DEL", key}})
		aborted = errors.Is(err, redis.TxFailedErr)
		released = err == nil
		if aborted {
			return nil
		}
		return err
	}, key)
	if err != nil {
		return false, false, fmt.Errorf("%s %q by WATCH: %w", VerbRelease, key, err)
	}
	return released, aborted, nil
}
