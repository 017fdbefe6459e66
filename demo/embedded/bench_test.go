//go:build unix

package embedded_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/demo/embedded"
	"locktop/keyspace/redistest"
)

// BenchmarkEventLatency renews one of many held locks by script, and takes the time until the subscriber hears of it: the
// embedded server beside a real one. cpu-µs/op is the processor time of client and server together.
func BenchmarkEventLatency(b *testing.B) {
	for _, locks := range []int{200, 2000} {
		for _, kind := range []string{"real", "embedded"} {
			b.Run(fmt.Sprintf("locks=%d/%s", locks, kind), func(b *testing.B) {
				var c *redis.Client
				cpu := processCPU
				if kind == "embedded" {
					c = client(b, start(b, embedded.Options{}))
				} else {
					c = overTCP(b, redistest.Start(b).Addr)
					cpu = func(b *testing.B) time.Duration { return processCPU(b) + serverCPU(b, c) }
				}
				benchmarkEvents(b, c, locks, cpu)
			})
		}
	}
}

func benchmarkEvents(b *testing.B, c *redis.Client, locks int, cpu func(*testing.B) time.Duration) {
	ctx := b.Context()
	pipe := c.Pipeline()
	for i := range locks {
		pipe.Set(ctx, fmt.Sprint("lock:", i), "token", 30*time.Second+time.Duration(i)*time.Millisecond)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		b.Fatal(err)
	}
	renew := redis.NewScript(renewToken)
	if err := renew.Load(ctx, c).Err(); err != nil {
		b.Fatal(err)
	}
	heard := c.PSubscribe(ctx, "__keyspace@0__:lock:*")
	defer heard.Close()
	if _, err := heard.Receive(ctx); err != nil {
		b.Fatal(err)
	}
	arrived := make(chan time.Time)
	go func() {
		defer close(arrived)
		for {
			message, err := heard.Receive(ctx)
			if err != nil {
				return // closed at the end
			}
			if m, ok := message.(*redis.Message); ok && m.Payload == "expire" {
				arrived <- time.Now()
			}
		}
	}()
	var latencies []time.Duration
	before, i := cpu(b), 0
	for b.Loop() {
		key := fmt.Sprint("lock:", i%locks)
		i++
		begin := time.Now()
		if n, err := renew.EvalSha(ctx, c, []string{key}, "token", 30000).Int(); err != nil || n != 1 {
			b.Fatalf("renew: %d %v", n, err)
		}
		latencies = append(latencies, (<-arrived).Sub(begin))
	}
	used := cpu(b) - before
	slices.Sort(latencies)
	micros := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
	b.ReportMetric(micros(latencies[len(latencies)/2]), "p50-µs")
	b.ReportMetric(micros(latencies[len(latencies)*99/100]), "p99-µs")
	b.ReportMetric(micros(used)/float64(len(latencies)), "cpu-µs/op")
	_ = heard.Close()
	for range arrived { // until the listener has gone
	}
}

// overTCP is a client for a real server by the same kind of socket as the embedded one has.
func overTCP(b *testing.B, addr string) *redis.Client {
	b.Helper()
	c := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1})
	b.Cleanup(func() { _ = c.Close() }) // nothing is lost by it
	return c
}

// processCPU is the processor time of this process so far.
func processCPU(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// serverCPU is the processor time of a real server so far.
func serverCPU(b *testing.B, c *redis.Client) time.Duration {
	b.Helper()
	info, err := c.Info(b.Context(), "cpu").Result()
	if err != nil {
		b.Fatal(err)
	}
	total := time.Duration(0)
	for line := range strings.Lines(info) {
		var seconds float64
		for _, field := range []string{"used_cpu_sys:", "used_cpu_user:"} {
			if n, err := fmt.Sscanf(line, field+"%f", &seconds); err == nil && n == 1 {
				total += time.Duration(seconds * float64(time.Second))
			}
		}
	}
	return total
}

// BenchmarkScan walks 10,000 keys with COUNT 1000 on both servers.
func BenchmarkScan(b *testing.B) {
	for _, kind := range []string{"real", "embedded"} {
		b.Run(kind, func(b *testing.B) {
			var c *redis.Client
			if kind == "embedded" {
				c = client(b, start(b, embedded.Options{}))
			} else {
				c = overTCP(b, redistest.Start(b).Addr)
			}
			pipe := c.Pipeline()
			for i := range 10000 {
				pipe.Set(b.Context(), fmt.Sprint("lock:", i), "token", time.Hour)
			}
			if _, err := pipe.Exec(b.Context()); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				n, iterator := 0, c.Scan(b.Context(), 0, "lock:*", 1000).Iterator()
				for iterator.Next(b.Context()) {
					n++
				}
				if err := iterator.Err(); err != nil || n != 10000 {
					b.Fatalf("%d keys, %v", n, err)
				}
			}
		})
	}
}
