package demo

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/actions"
	"locktop/keyspace/redistest"
)

// testSpeed leaves a lease of 8 s still 800 ms: machines that test are slow at times.
const testSpeed = 10

// shortSpeed is for tests that do not mind a lease that lapses.
const shortSpeed = 40

// play runs a scenario on both servers.
func play(t *testing.T, name string, test func(t *testing.T, d *Demo, client *redis.Client)) {
	t.Helper()
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

func TestCrash(t *testing.T) {
	play(t, "crash", func(t *testing.T, d *Demo, client *redis.Client) {
		stuck, since := "", time.Now()
		eventually(t, "the same owner without a TTL for longer than two leases", func(ctx context.Context) bool {
			owner := value(ctx, t, client, stuckLock)
			if owner == "" || owner != stuck || client.PTTL(ctx, stuckLock).Val() != -1 {
				stuck, since = owner, time.Now()
			}
			return time.Since(since) > 2*naiveLease/testSpeed
		})
		broken, err := actions.NewLocker(client).ReleaseToken(t.Context(), stuckLock, stuck)
		if err != nil || !broken {
			t.Fatalf("breaking it: %v, %v", broken, err)
		}
		owners := map[string]bool{}
		eventually(t, "three others get it, with a lease", func(ctx context.Context) bool {
			if owner := value(ctx, t, client, stuckLock); owner != "" && client.PTTL(ctx, stuckLock).Val() > 0 {
				owners[owner] = true
			}
			return len(owners) >= 3 && !owners[stuck]
		})
		if v := d.Verdict(); v.Violations != 0 {
			t.Fatalf("nobody was inside when the lock was broken: %s", v.Text)
		}
	})
}

func TestRenewal(t *testing.T) {
	redissonOwner := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}:\d+$`)
	play(t, "renewal", func(t *testing.T, d *Demo, client *redis.Client) {
		renewals := listen(t, client, healthyLock)
		eventually(t, "a Redisson lock that is renewed", func(ctx context.Context) bool {
			for owner := range client.HGetAll(ctx, healthyLock).Val() {
				if !redissonOwner.MatchString(owner) {
					t.Fatalf("%q is not as Redisson names a thread", owner)
				}
			}
			return renewals("expire") > renewals("del")+2 // each acquisition makes one, each release the other
		})
		hung, since := "", time.Now()
		eventually(t, "the same owner for longer than the threshold, renewed all the time", func(ctx context.Context) bool {
			owner := value(ctx, t, client, hungLock)
			if owner == "" || owner != hung {
				hung, since = owner, time.Now()
			}
			return time.Since(since) > d.Thresholds().RenewedForever
		})
		eventually(t, "the verdict tells of two inside", func(context.Context) bool { return d.Verdict().Violations > 0 })
		if v := d.Verdict(); strings.Contains(v.Text, healthyLock) || strings.Contains(v.Text, hungLock) ||
			!strings.Contains(v.Text, lapsingLock+": worker-") {
			t.Fatalf("only %s is unsafe: %s", lapsingLock, v.Text)
		}
		broken, err := actions.NewLocker(client).ReleaseToken(t.Context(), hungLock, hung)
		if err != nil || !broken {
			t.Fatalf("breaking it: %v, %v", broken, err)
		}
		eventually(t, "others get the lock of the hung one", func(ctx context.Context) bool {
			owner := value(ctx, t, client, hungLock)
			return owner != "" && owner != hung
		})
	})
}

func TestTimestamp(t *testing.T) {
	play(t, "timestamp", func(t *testing.T, d *Demo, client *redis.Client) {
		var lapsed string
		eventually(t, "a lock whose time is over, without a TTL", func(ctx context.Context) bool {
			lapsed = value(ctx, t, client, getSetLock)
			end, err := strconv.ParseInt(lapsed, 10, 64)
			return err == nil && end < time.Now().UnixMilli() && client.PTTL(ctx, getSetLock).Val() == -1
		})
		eventually(t, "a taker takes it over", func(ctx context.Context) bool {
			now := value(ctx, t, client, getSetLock)
			return now != "" && now > lapsed
		})
		eventually(t, "two are inside after a takeover by DEL", func(context.Context) bool { return d.Verdict().Violations > 1 })
		if v := d.Verdict(); strings.Contains(v.Text, getSetLock) || strings.Contains(v.Text, calmLock) ||
			!strings.Contains(v.Text, deleteLock+": worker-") {
			t.Fatalf("only %s is unsafe: %s", deleteLock, v.Text)
		}
	})
}
