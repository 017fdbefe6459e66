package actions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// notifyParameter is the only server setting that locktop ever changes, and only when it is told to.
const notifyParameter = "notify-keyspace-events"

// ErrNotificationsChanged says that somebody else has set the notifications since locktop did, so they were left alone.
var ErrNotificationsChanged = errors.New(notifyParameter + " was changed by somebody else meanwhile, and is left as it is")

// EnableNotifications sets the server's notify-keyspace-events to exactly these flags, and returns what they were before.
// The caller merges: flags is the union of what the server had and of what is needed.
//
// A server hides n, o and c where all the letters of "A" are set, so that what it tells is not always what it had: hidden
// is how to write what it tells with the letters that may be hidden ([keyspace.Notifications].Restore). A letter too many
// costs a message that nobody listens to, a letter too few would leave somebody deaf.
//
// restore puts the old flags back, unless somebody has set others meanwhile ([ErrNotificationsChanged]). It is never nil,
// may be called from several goroutines, and again after it failed; after it has succeeded it does nothing. Where the
// answer to the setting was lost, the error says so, and restore undoes what may have been done.
func EnableNotifications(ctx context.Context, client *redis.Client, flags, hidden string) (restore func(ctx context.Context) error, old string, err error) {
	nothing := func(context.Context) error { return nil }
	old, err = notifyFlags(ctx, client)
	if err != nil {
		return nothing, "", err
	}
	if sameFlags(old, flags) {
		return nothing, old, nil
	}
	r := &restoration{client: client, old: old, set: flags}
	if sameFlags(old, hidden) { // else somebody has set others since they were looked at
		r.old = hidden
	}
	if err := client.ConfigSet(ctx, notifyParameter, flags).Err(); err != nil {
		err = fmt.Errorf("CONFIG SET %s %s: %w", notifyParameter, flags, err)
		if replyText(err) != "" {
			return nothing, old, err // the server has refused it
		}
		return r.restore, old, err
	}
	return r.restore, old, nil
}

// restoration is the way back.
type restoration struct {
	client   *redis.Client
	old, set string
	mu       sync.Mutex
	done     bool
}

func (r *restoration) restore(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return nil
	}
	now, err := notifyFlags(ctx, r.client)
	switch {
	case err != nil:
		return err
	case sameFlags(now, r.old): // a restart, for one, has put it back already
		r.done = true
		return nil
	case !sameFlags(now, r.set):
		r.done = true
		return ErrNotificationsChanged
	}
	if err := r.client.ConfigSet(ctx, notifyParameter, r.old).Err(); err != nil {
		return fmt.Errorf("CONFIG SET %s %q: %w", notifyParameter, r.old, err)
	}
	r.done = true
	return nil
}

func notifyFlags(ctx context.Context, client *redis.Client) (string, error) {
	values, err := client.ConfigGet(ctx, notifyParameter).Result()
	if err != nil {
		return "", fmt.Errorf("CONFIG GET %s: %w", notifyParameter, err)
	}
	flags, ok := values[notifyParameter]
	if !ok {
		return "", fmt.Errorf("CONFIG GET %s: the server has no such setting", notifyParameter)
	}
	return flags, nil
}

const (
	allFlags    = "g$lshzxetd" // what "A" stands for
	hiddenFlags = "noc"        // what a server does not show beside "A"
	knownFlags  = "KEm" + allFlags + hiddenFlags
)

// sameFlags compares flags as the server reads them: in any order, with "A" for all of its letters.
func sameFlags(a, b string) bool { return canonicalFlags(a) == canonicalFlags(b) }

func canonicalFlags(flags string) string {
	flags = strings.ReplaceAll(flags, "A", allFlags)
	letters := strings.Map(func(letter rune) rune {
		if strings.ContainsRune(flags, letter) {
			return letter
		}
		return -1
	}, knownFlags)
	if strings.Contains(letters, allFlags) {
		letters = strings.TrimRight(letters, hiddenFlags)
	}
	return letters
}
