package actions_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// held is a lock that a real library holds.
type held struct {
	key     string
	scheme  inspector.Scheme
	library string
	label   string // a part of it
	// released is the library's own release, with the error by which it says that the lock is not its any more.
	released func() error
}

// goLibrary holds a lock with the library, and waits for it with another client of the same.
type goLibrary struct {
	hold func(t *testing.T, s *redistest.Server) held
	// wait returns once the second client has the lock.
	wait func(ctx context.Context, t *testing.T, s *redistest.Server) error
}

var errNotMine = errors.New("the library says that the lock is not its own")

var goLibraries = map[string]goLibrary{
	"redsync": {
		hold: func(t *testing.T, s *redistest.Server) held {
			m := newRedsync(s.Client()).NewMutex("orders-lock", redsync.WithExpiry(time.Minute))
			if err := m.Lock(); err != nil {
				t.Fatal(err)
			}
			return held{"orders-lock", inspector.SchemeToken, "maybe redsync (Go)", "==", func() error {
				if ok, err := m.Unlock(); ok || err == nil {
					return err
				}
				return errNotMine
			}}
		},
		wait: func(ctx context.Context, _ *testing.T, s *redistest.Server) error {
			return newRedsync(s.Client()).NewMutex("orders-lock", redsync.WithTries(1000), redsync.WithRetryDelay(10*time.Millisecond)).LockContext(ctx)
		},
	},
	"bsm/redislock": {
		hold: func(t *testing.T, s *redistest.Server) held {
			lock, err := redislock.Obtain(t.Context(), s.Client(), "orders-lock", time.Minute, &redislock.Options{Metadata: "host=web1"})
			if err != nil {
				t.Fatal(err)
			}
			return held{"orders-lock", inspector.SchemeToken, "maybe bsm/redislock (Go)", "host=web1", func() error {
				if err := lock.Release(context.Background()); !errors.Is(err, redislock.ErrLockNotHeld) {
					return err
				}
				return errNotMine
			}}
		},
		wait: func(ctx context.Context, _ *testing.T, s *redistest.Server) error {
			_, err := redislock.Obtain(ctx, s.Client(), "orders-lock", time.Minute, &redislock.Options{
				RetryStrategy: redislock.LinearBackoff(10 * time.Millisecond),
			})
			return err
		},
	},
	"rueidislock": {
		hold: func(t *testing.T, s *redistest.Server) held {
			return rueidisHeld(t, s, "rueidislock", 2)
		},
		wait: func(ctx context.Context, t *testing.T, s *redistest.Server) error {
			_, _, err := newRueidisLocker(t, s, "rueidislock", 2).WithContext(ctx, "orders")
			return err
		},
	},
	"rueidislock with a prefix and five keys": {
		hold: func(t *testing.T, s *redistest.Server) held {
			return rueidisHeld(t, s, "shop:7", 3)
		},
		wait: func(ctx context.Context, t *testing.T, s *redistest.Server) error {
			_, _, err := newRueidisLocker(t, s, "shop:7", 3).WithContext(ctx, "orders")
			return err
		},
	},
}

// rueidisHeld holds a lock under so many keys that this is their majority.
func rueidisHeld(t *testing.T, s *redistest.Server, prefix string, majority int32) held {
	t.Helper()
	lost, _, err := newRueidisLocker(t, s, prefix, majority).WithContext(t.Context(), "orders")
	if err != nil {
		t.Fatal(err)
	}
	return held{prefix + ":0:orders", inspector.SchemeRueidisLock, "", "token ", func() error {
		select { // its holder is told
		case <-lost.Done():
			return errNotMine
		case <-time.After(10 * time.Second):
			return errors.New("the holder was not told")
		}
	}}
}

func newRedsync(client *redis.Client) *redsync.Redsync { return redsync.New(goredis.NewPool(client)) }

func newRueidisLocker(t *testing.T, s *redistest.Server, prefix string, majority int32) rueidislock.Locker {
	t.Helper()
	locker, err := rueidislock.NewLocker(rueidislock.LockerOption{
		ClientOption: rueidis.ClientOption{InitAddress: []string{s.Addr}}, KeyValidity: 20 * time.Second,
		KeyPrefix: prefix, KeyMajority: majority,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(locker.Close)
	return locker
}

// TestGoLibraries lets real libraries hold a lock and wait for it: locktop shows whose it is, and after its release the one who waits
// has it, and the one who had it finds that it is not his any more.
func TestGoLibraries(t *testing.T) {
	for name, library := range goLibraries {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := redistest.Start(t)
			connection, err := keyspace.Connect(t.Context(), keyspace.Options{Addr: s.Addr})
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close()
			had := library.hold(t, s)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			waited := make(chan error, 1)
			go func() { waited <- library.wait(ctx, t, s) }()
			select {
			case err := <-waited:
				t.Fatalf("the second client did not wait: %v", err)
			case <-time.After(300 * time.Millisecond):
			}
			lock := look(t, connection, had.key)
			if lock == nil || lock.Scheme != had.scheme || lock.LibraryNames() != had.library || len(lock.Holders) != 1 ||
				!strings.Contains(lock.Holders[0].Label, had.label) {
				t.Fatalf("%+v, %s", lock, lock.LibraryNames())
			}
			r := actions.Request{Verb: actions.VerbExtend, Lock: lock, Owner: lock.Holders[0].Owner, TTL: 5 * time.Minute}
			o := actions.NewOperator(actions.OneServer(s.Client()), actions.Options{Look: connection.Read})
			if out := o.Do(t.Context(), r); !out.Result.Done() {
				t.Errorf("%s", out.Sentence(r))
			}
			r.Verb, r.Lock = actions.VerbRelease, look(t, connection, had.key)
			r.Follow = func(context.Context, *inspector.Lock) (*inspector.Lock, string, error) { // the holder renews as it likes
				return look(t, connection, had.key), "", nil
			}
			began := time.Now()
			if out := o.Do(t.Context(), r); !out.Result.Done() {
				t.Fatalf("%s", out.Sentence(r))
			}
			select {
			case err := <-waited:
				t.Logf("the one who waited has it after %v", time.Since(began))
				if err != nil {
					t.Errorf("the one who waited: %v", err)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("the one who waited does not get it")
			}
			if err := had.released(); !errors.Is(err, errNotMine) {
				t.Errorf("the one who had it: %v", err)
			}
			if next := look(t, connection, had.key); next == nil || next.Holders[0].Owner == r.Owner {
				t.Errorf("afterwards: %+v", next)
			}
		})
	}
}

// look reads a lock as locktop does; nil where there is none.
func look(t *testing.T, connection *keyspace.Connection, key string) *inspector.Lock {
	t.Helper()
	records, err := connection.ReadWith(t.Context(), inspector.Rules(nil), key)
	if err != nil {
		t.Fatal(err)
	}
	lock, is := inspector.Rules(nil).Inspect(records[0], time.Now())
	if !is {
		return nil
	}
	return lock
}
