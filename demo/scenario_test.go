package demo

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace/redistest"
)

// testSpeed leaves a lease of 8 s still 800 ms: machines that test are slow at times.
const testSpeed = 10

// shortSpeed is for tests that do not mind a lease that lapses.
const shortSpeed = 40

// play runs a scenario on both servers.
func play(t *testing.T, name string, test func(t *testing.T, d *Demo, client *redis.Client)) {
	t.Helper()
	t.Parallel()
	onServers(t, func(t *testing.T, server Server) {
		t.Parallel()
		d := begin(t, Options{Scenario: name, Server: server, Seed: 7, Speed: testSpeed})
		if d.Scenario().Name != name {
			t.Fatalf("it runs %q", d.Scenario().Name)
		}
		test(t, d, look(t, d.address()))
		if v := d.Verdict(); strings.Contains(v.Text, "failed") {
			t.Fatalf("commands failed: %s", v.Text)
		}
		if n := d.Narration(); n.Text == "" || time.Since(n.At) > time.Minute {
			t.Fatalf("narration %+v", n)
		}
	})
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, ok func(ctx context.Context) bool) {
	t.Helper()
	redistest.Eventually(t, patience, func() (bool, string) { return ok(t.Context()), what })
}

// value is what is in a string lock; "" if it is free.
func value(ctx context.Context, t *testing.T, client *redis.Client, key string) string {
	t.Helper()
	v, err := client.Get(ctx, key).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		t.Fatal(err)
	}
	return v
}

// listen counts the notifications for some keys by their kind.
func listen(t *testing.T, client *redis.Client, keys ...string) (heard func(event string) int) {
	t.Helper()
	var channels []string
	for _, key := range keys {
		channels = append(channels, "__keyspace@0__:"+key)
	}
	subscription := client.Subscribe(t.Context(), channels...)
	for range channels {
		if _, err := subscription.Receive(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := subscription.Close(); err != nil {
			t.Error(err)
		}
	})
	counts := map[string]int{}
	messages := subscription.Channel(redis.WithChannelSize(10_000))
	return func(event string) int {
		for {
			select {
			case m, open := <-messages:
				if !open {
					return counts[event]
				}
				counts[m.Payload]++
			default:
				return counts[event]
			}
		}
	}
}

func TestContention(t *testing.T) {
	play(t, "contention", func(t *testing.T, d *Demo, client *redis.Client) {
		hot := contended[0]
		heard := listen(t, client, contended...)
		owners := map[string]bool{}
		eventually(t, "five owners of the most wanted lock, each with a lease", func(ctx context.Context) bool {
			owner, _, named := strings.Cut(value(ctx, t, client, hot), ":")
			if left := client.PTTL(ctx, hot).Val(); named && left > 0 {
				owners[owner] = true
			}
			return len(owners) >= 5
		})
		for owner := range owners {
			if !strings.HasPrefix(owner, "worker-") {
				t.Errorf("the owner %q does not say who it is", owner)
			}
		}
		eventually(t, "a long lease", func(ctx context.Context) bool {
			return client.PTTL(ctx, nightlyReports).Val() > d.Thresholds().LongLease
		})
		eventually(t, "the lock of a worker that died expires", func(context.Context) bool {
			return heard("expired") > 0
		})
		eventually(t, "sixty acquisitions", func(context.Context) bool { return d.Verdict().Acquisitions >= 60 })
		if v := d.Verdict(); unsound(v) {
			t.Fatalf("token locks with long enough leases exclude: %s", v.Text)
		}
	})
}
