package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"locktop/demo/embedded"
)

// TestUnderLoad has three workers contend for few locks, while one hears every event, one scans, and one watches the
// clients come and go. No two workers may be inside, and the events of each lock must tell the same story.
func TestUnderLoad(t *testing.T) {
	const locks, rounds = 3, 300
	s := start(t, embedded.Options{ReapDelay: time.Millisecond})
	heard := client(t, s).PSubscribe(t.Context(), "__keyspace@0__:lock:*", "end")
	defer heard.Close()
	for range 2 {
		if _, err := heard.Receive(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var inside [locks]atomic.Int32
	var won atomic.Int64
	workers, _ := errgroup.WithContext(t.Context())
	for w := range 3 {
		c := client(t, s)
		workers.Go(func() error {
			release, renew := redis.NewScript(releaseToken), redis.NewScript(renewToken)
			for round := range rounds {
				n := (round + w) % locks
				key, token := fmt.Sprint("lock:", n), fmt.Sprintf("w%d:%d", w, round)
				ok, err := c.SetNX(t.Context(), key, token, 20*time.Second).Result()
				if err != nil {
					return err
				}
				if !ok {
					continue
				}
				won.Add(1)
				if inside[n].Add(1) != 1 {
					return fmt.Errorf("%s has two holders", key)
				}
				if round%3 == 0 {
					if n, err := renew.Run(t.Context(), c, []string{key}, token, 20000).Int(); err != nil || n != 1 {
						return fmt.Errorf("renew: %d %w", n, err)
					}
				}
				inside[n].Add(-1)
				if round%5 == 0 { // leave it to the clock
					if err := c.PExpire(t.Context(), key, time.Millisecond).Err(); err != nil {
						return err
					}
				} else if n, err := release.Run(t.Context(), c, []string{key}, token).Int(); err != nil || n != 1 {
					return fmt.Errorf("release: %d %w", n, err)
				}
			}
			return nil
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	lookers, _ := errgroup.WithContext(t.Context())
	scanner := client(t, s)
	lookers.Go(func() error {
		for ctx.Err() == nil {
			keys, _, err := scanner.Scan(ctx, 0, "lock:*", 100).Result()
			if err == nil {
				_, err = scanner.Pipelined(ctx, func(p redis.Pipeliner) error {
					for _, key := range keys {
						p.PExpireTime(ctx, key)
						p.Get(ctx, key)
					}
					return nil
				})
			}
			if err != nil && !errors.Is(err, redis.Nil) && ctx.Err() == nil {
				return err
			}
		}
		return nil
	})
	lookers.Go(func() error {
		for ctx.Err() == nil {
			c := redis.NewClient(&redis.Options{Network: "unix", Addr: s.Addr(), MaxRetries: -1})
			short := c.PSubscribe(ctx, "*")
			_, subscribeErr := short.Receive(ctx)
			_, err := c.ClientList(ctx).Result()
			if err = errors.Join(err, subscribeErr, short.Close(), c.Close()); err != nil && ctx.Err() == nil {
				return err
			}
		}
		return nil
	})

	if err := workers.Wait(); err != nil {
		t.Error(err)
	}
	cancel()
	if err := lookers.Wait(); err != nil {
		t.Error(err)
	}
	acquisitions := hearStory(t, s, heard)
	if acquisitions != won.Load() {
		t.Errorf("%d acquisitions were won, %d announced", won.Load(), acquisitions)
	}
}

// hearStory follows the events of every lock: it is born by new and set, and may be born again only after del or expired.
func hearStory(t *testing.T, s *embedded.Server, heard *redis.PubSub) (acquisitions int64) {
	t.Helper()
	if err := client(t, s).Publish(t.Context(), "end", "").Err(); err != nil {
		t.Fatal(err)
	}
	held, last := map[string]bool{}, map[string]string{}
	for {
		message, err := heard.ReceiveTimeout(t.Context(), 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		m, ok := message.(*redis.Message)
		if !ok {
			continue
		}
		if m.Channel == "end" {
			return acquisitions
		}
		key := strings.TrimPrefix(m.Channel, "__keyspace@0__:")
		switch m.Payload {
		case "new":
			if held[key] {
				t.Errorf("%s is new, and was there already", key)
			}
			held[key] = true
			acquisitions++
		case "del", "expired":
			if !held[key] {
				t.Errorf("%s: %s, and it was not there", key, m.Payload)
			}
			held[key] = false
		case "set":
			if last[key] != "new" {
				t.Errorf("%s: set after %s", key, last[key])
			}
		}
		last[key] = m.Payload
	}
}
