package actions

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func TestLockerToken(t *testing.T) {
	onServers(t, func(t *testing.T, client *redis.Client) {
		ctx := t.Context()
		l := NewLocker(client)
		for _, token := range []string{"t", "", "new\nline 'quoted' \"twice\"", "\x00\xff\r\n", strings.Repeat("x", 1<<20)} {
			key := "lock:" + token[:min(len(token), 40)]
			if !must(l.AcquireToken(ctx, key, token, time.Minute))(t) {
				t.Fatalf("%.20q: not acquired", token)
			}
			if must(l.AcquireToken(ctx, key, "other", time.Minute))(t) {
				t.Fatalf("%.20q: acquired twice", token)
			}
			for _, wrong := range []string{token + "x", "y" + token, strings.ToUpper(token) + " "} {
				if must(l.ExtendToken(ctx, key, wrong, time.Hour))(t) || must(l.ReleaseToken(ctx, key, wrong))(t) {
					t.Fatalf("%.20q: %.20q extended or released it", token, wrong)
				}
			}
			if left := client.PTTL(ctx, key).Val(); left > time.Minute || left < 30*time.Second {
				t.Fatalf("%.20q: the lease is %v", token, left)
			}
			if !must(l.ExtendToken(ctx, key, token, time.Hour))(t) || client.PTTL(ctx, key).Val() < 50*time.Minute {
				t.Fatalf("%.20q: not extended", token)
			}
			if !must(l.ExtendToken(ctx, key, token, time.Second))(t) || client.PTTL(ctx, key).Val() > time.Second {
				t.Fatalf("%.20q: a holder may also shorten its lease", token)
			}
			if !must(l.ReleaseToken(ctx, key, token))(t) || client.Exists(ctx, key).Val() != 0 {
				t.Fatalf("%.20q: not released", token)
			}
			if must(l.ReleaseToken(ctx, key, token))(t) || must(l.ExtendToken(ctx, key, token, time.Minute))(t) {
				t.Fatalf("%.20q: released or extended when it was gone", token)
			}
		}
		if _, err := l.AcquireToken(ctx, "k", "t", time.Microsecond); !errors.Is(err, ErrLease) {
			t.Fatalf("a lease of a microsecond: %v", err)
		}
	})
}

func TestLockerTimestamp(t *testing.T) {
	onServers(t, func(t *testing.T, client *redis.Client) {
		ctx := t.Context()
		l := NewLocker(client)
		before := time.Now()
		first, ok, err := l.AcquireTimestamp(ctx, "k", time.Minute)
		if err != nil || !ok || client.Get(ctx, "k").Val() != first || client.PTTL(ctx, "k").Val() != -1 {
			t.Fatalf("acquired %v %q %v", ok, first, err)
		}
		if ms := must(strconv.ParseInt(first, 10, 64))(t); ms <= before.Add(time.Minute).UnixMilli() {
			t.Fatalf("the lease ends at %d", ms)
		}
		if _, ok, err := l.AcquireTimestamp(ctx, "k", time.Minute); ok || err != nil {
			t.Fatalf("acquired while held: %v %v", ok, err)
		}
		second, ok, err := l.ExtendTimestamp(ctx, "k", first, time.Hour)
		if err != nil || !ok || client.Get(ctx, "k").Val() != second || second <= first || client.PTTL(ctx, "k").Val() != -1 {
			t.Fatalf("extended %v to %q: %v", ok, second, err)
		}
		if must(l.ReleaseTimestamp(ctx, "k", first))(t) || !must(l.ReleaseTimestamp(ctx, "k", second))(t) {
			t.Fatal("the old proof released it, or the new one did not")
		}
		for value, free := range map[string]bool{
			strconv.FormatInt(time.Now().Add(-time.Second).UnixMilli(), 10): true,
			strconv.FormatInt(time.Now().Add(time.Minute).UnixMilli(), 10):  false,
			strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10):         false, // seconds are another kind of client's
			strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10):        false,
			"17000000000001": false, "0": false, "nan": false, "inf": false, "0x10": false, "": false, "-5": false, "id:5": false,
		} {
			client.Set(ctx, "k", value, 0)
			if _, ok, err := l.AcquireTimestamp(ctx, "k", time.Minute); ok != free || err != nil {
				t.Errorf("over %q: %v %v, want %v", value, ok, err, free)
			}
		}
		client.Set(ctx, "short", first, time.Second)
		if _, ok, err := l.ExtendTimestamp(ctx, "short", first, time.Minute); !ok || err != nil || client.PTTL(ctx, "short").Val() < 30*time.Second {
			t.Errorf("a TTL that ends before the lease: %v %v, %v left", ok, err, client.PTTL(ctx, "short").Val())
		}
	})
}

func TestLockerHash(t *testing.T) {
	onServers(t, func(t *testing.T, client *redis.Client) {
		ctx := t.Context()
		l := NewLocker(client)
		subscription := client.Subscribe(ctx, RedissonChannel("k"))
		defer subscription.Close()
		if _, err := subscription.Receive(ctx); err != nil {
			t.Fatal(err)
		}
		for want := int64(1); want <= 3; want++ {
			if n := must(l.AcquireReentrant(ctx, "k", "me", time.Minute))(t); n != want {
				t.Fatalf("entry %d counts %d", want, n)
			}
		}
		n, left, err := l.AcquireRedisson(ctx, "k", "you", time.Hour)
		if n != 0 || err != nil || left < 30*time.Second || left > time.Minute {
			t.Fatalf("somebody else: %d, %v, %v", n, left, err)
		}
		if must(l.ExtendRedisson(ctx, "k", "you", time.Hour))(t) || must(l.ReleaseRedisson(ctx, "k", "you", 0))(t) != -1 {
			t.Fatal("somebody else extended or released it")
		}
		if !must(l.ExtendRedisson(ctx, "k", "me", time.Hour))(t) || client.PTTL(ctx, "k").Val() < 50*time.Minute {
			t.Fatal("not renewed")
		}
		if left := must(l.ReleaseReentrant(ctx, "k", "me", 0))(t); left != 2 || client.PTTL(ctx, "k").Val() < 50*time.Minute {
			t.Fatalf("%d left, lease %v", left, client.PTTL(ctx, "k").Val())
		}
		if left := must(l.ReleaseRedisson(ctx, "k", "me", time.Minute))(t); left != 1 || client.PTTL(ctx, "k").Val() > time.Minute {
			t.Fatalf("%d left, lease %v", left, client.PTTL(ctx, "k").Val())
		}
		if left := must(l.ReleaseRedisson(ctx, "k", "me", time.Minute))(t); left != 0 || client.Exists(ctx, "k").Val() != 0 {
			t.Fatalf("%d left of the last one", left)
		}
		if message := heard(t, subscription); message.Channel != "redisson_lock__channel:{k}" || message.Payload != "0" {
			t.Fatalf("waiters heard %v", message)
		}
		if left := must(l.ReleaseReentrant(ctx, "k", "me", 0))(t); left != -1 {
			t.Fatalf("released when gone: %d", left)
		}
		if _, err := l.AcquireToken(ctx, "k", "t", time.Minute); err != nil {
			t.Fatal(err)
		}
		if _, err := l.AcquireReentrant(ctx, "k", "me", time.Minute); err == nil || !strings.Contains(err.Error(), `acquire_hash "k"`) {
			t.Fatalf("a hash lock on a string: %v", err)
		}
	})
}

func TestRedissonChannel(t *testing.T) {
	for key, want := range map[string]string{
		"a":     "redisson_lock__channel:{a}",
		"a:{b}": "redisson_lock__channel:a:{b}",
		"a{":    "redisson_lock__channel:a{",
		"a}":    "redisson_lock__channel:{a}}",
	} {
		if got := RedissonChannel(key); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}
