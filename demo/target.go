package demo

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/actions"
)

const (
	// sweepTimeout is how long the removal of our keys may take; a SCAN of a million keys takes about a second.
	sweepTimeout = 30 * time.Second
	sweepCount   = 1000
)

// runPrefix makes a prefix that no other run has; it holds no character that means something in a glob.
func runPrefix() (string, error) {
	id := make([]byte, 4)
	if _, err := rand.Read(id); err != nil {
		return "", fmt.Errorf("run id: %w", err)
	}
	return Prefix + hex.EncodeToString(id) + ":", nil
}

// rehearse does once what the demo and its cleaning up need, so that a server where that would fail is refused before
// anything is left behind on it. The key that it writes would go by itself after a second.
func rehearse(ctx context.Context, client *redis.Client, prefix string) error {
	key := prefix + "rehearsal"
	_, err := actions.NewLocker(client).AcquireToken(ctx, key, "locktop demo", time.Second)
	if err == nil { // as variants do that know no script
		err = client.Watch(ctx, func(tx *redis.Tx) error {
			_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error { return p.Get(ctx, key).Err() })
			return err
		}, key)
	}
	if err == nil {
		err = client.Scan(ctx, 0, prefix+"*", 1).Err()
	}
	if err == nil {
		err = client.Unlink(ctx, key).Err()
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("the demo cannot run on this server: %w%s", err, mendOf(err))
}

// mendOf is what the user can do about a server on which the rehearsal failed; "" where the server's own words must do.
func mendOf(err error) string {
	switch text := err.Error(); {
	case strings.Contains(text, "READONLY"):
		return "; this is a replica: name its master"
	case strings.Contains(text, "OOM "):
		return "; its memory is full: name another server, or raise its maxmemory"
	case strings.Contains(text, "NOPERM"), strings.Contains(text, "user executing the script"):
		return "; give a user that may run scripts and transactions (+@scripting +@transaction), and write and SCAN " + Prefix + "*"
	}
	return ""
}

// sweep removes the keys, and then whatever else has the prefix, which must be this run's own.
func sweep(ctx context.Context, client *redis.Client, prefix string, keys []string) error {
	if prefix == "" {
		return errors.New("a sweep without a prefix would remove everything")
	}
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	for {
		if len(keys) > 0 {
			if err := client.Unlink(ctx, keys...).Err(); err != nil {
				return fmt.Errorf("remove the demo's keys %s*: %w", prefix, err)
			}
		}
		found, err := scan(ctx, client, prefix)
		if err != nil {
			return fmt.Errorf("look for the demo's keys %s*: %w", prefix, err)
		}
		if len(found) == 0 {
			return nil
		}
		keys = found
	}
}

// scan collects the keys with the prefix.
func scan(ctx context.Context, client *redis.Client, prefix string) ([]string, error) {
	var keys []string
	var cursor uint64
	for {
		page, next, err := client.Scan(ctx, cursor, prefix+"*", sweepCount).Result()
		if err != nil {
			return nil, err
		}
		keys = append(keys, page...)
		if next == 0 {
			return keys, nil
		}
		cursor = next
	}
}
