//go:build unix

package inspector_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// The benchmarks of this file measure the way from a real server to a snapshot. Each says what the bare server and client
// do in the same run, so that the figures mean something on another machine.

// fill makes locks with a long lease.
func fill(b *testing.B, s *redistest.Server, locks int) {
	b.Helper()
	s.Do("EVAL", "for i=1,ARGV[1] do redis.call('SET', 'lock:'..i, 'token-'..i, 'PX', 3600000) end", 0, locks)
}

// quantile of durations, in milliseconds.
func quantile(sorted []time.Duration, q float64) float64 {
	return float64(sorted[int(q*float64(len(sorted)-1))]) / float64(time.Millisecond)
}

// BenchmarkVisible measures from the moment before a client acquires a lock to the snapshot that shows it, among 10,000
// others, and beside it to the arrival of the bare keyspace notification.
func BenchmarkVisible(b *testing.B) {
	s := redistest.Start(b)
	fill(b, s, 10_000)
	i := start(b, s, inspector.Options{})
	client := s.Client()
	bare := s.Client().PSubscribe(b.Context(), "__keyspace@0__:lock:bench:*")
	defer bare.Close()
	if _, err := bare.Receive(b.Context()); err != nil {
		b.Fatal(err)
	}
	var visible, announced []time.Duration
	for n := 0; b.Loop(); n++ {
		key := "lock:bench:" + strconv.Itoa(n)
		seq := i.Latest().Seq
		began := time.Now()
		if err := client.Set(b.Context(), key, "worker", time.Minute).Err(); err != nil {
			b.Fatal(err)
		}
		if _, err := bare.ReceiveMessage(b.Context()); err != nil {
			b.Fatal(err)
		}
		announced = append(announced, time.Since(began))
		for shown := false; !shown; {
			snapshot, err := i.Next(b.Context(), seq)
			if err != nil {
				b.Fatal(err)
			}
			seq = snapshot.Seq
			shown = slices.ContainsFunc(snapshot.Locks[max(0, len(snapshot.Locks)-200):], func(l *inspector.Lock) bool { return l.Key == key })
		}
		visible = append(visible, time.Since(began))
		// The two other events of this lock's acquisition are not of interest.
		for range 2 {
			if _, err := bare.ReceiveMessage(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
	slices.Sort(visible)
	slices.Sort(announced)
	b.ReportMetric(quantile(visible, 0.5), "p50-ms")
	b.ReportMetric(quantile(visible, 0.99), "p99-ms")
	b.ReportMetric(quantile(announced, 0.99), "bare-p99-ms")
}

// BenchmarkIdle watches 10,000 locks that nobody touches for ten seconds: what locktop asks of the server, and what it
// costs here.
func BenchmarkIdle(b *testing.B) {
	s := redistest.Start(b)
	fill(b, s, 10_000)
	i := start(b, s, inspector.Options{})
	commands := func() uint64 { return i.Latest().Nodes[0].Commands }
	redistest.Eventually(b, 30*time.Second, func() (bool, string) { // the first look is over
		before := commands()
		time.Sleep(2 * time.Second)
		return commands()-before < 50, fmt.Sprint(commands() - before)
	})
	for b.Loop() {
		before, cpu, began := commands(), processTime(b), time.Now()
		time.Sleep(35 * time.Second) // longer than a pass and its pause
		seconds := time.Since(began).Seconds()
		b.ReportMetric(float64(commands()-before)/seconds, "commands/s")
		b.ReportMetric(100*(processTime(b)-cpu).Seconds()/seconds, "%core")
	}
}

// BenchmarkEvents offers 50,000 events a second over 10,000 locks for some seconds, and then compares the picture with a
// fresh read of the server. The processor time has the generator's in it.
func BenchmarkEvents(b *testing.B) {
	const locks, perTick, tick = 10_000, 265, 10 * time.Millisecond // 26,500 SET a second, two events each
	s := redistest.Start(b)
	fill(b, s, locks)
	i := start(b, s, inspector.Options{})
	client := s.Client()
	last := make(map[string]string)
	for b.Loop() {
		before, cpu, began := i.Latest().Nodes[0], processTime(b), time.Now()
		n := 0
		for next := began; time.Since(began) < 10*time.Second; next = next.Add(tick) {
			time.Sleep(time.Until(next))
			pipe := client.Pipeline()
			for range perTick {
				n++
				key, value := fmt.Sprintf("lock:%d", n*7919%locks+1), fmt.Sprintf("worker-%d", n)
				pipe.Set(b.Context(), key, value, time.Hour)
				last[key] = value
			}
			if _, err := pipe.Exec(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		seconds := time.Since(began).Seconds()
		used := processTime(b) - cpu
		redistest.Eventually(b, 30*time.Second, func() (bool, string) {
			wrong := 0
			for _, l := range i.Latest().Locks {
				if want, changed := last[l.Key]; changed && (l.State == inspector.StateFreed || l.Holders[0].Owner != want) {
					wrong++
				}
			}
			return wrong == 0, fmt.Sprintf("%d locks are shown with another holder than they have", wrong)
		})
		after := i.Latest().Nodes[0]
		b.ReportMetric(float64(2*n)/seconds, "offered/s")
		b.ReportMetric(float64(after.Hints-before.Hints)/seconds, "heard/s")
		b.ReportMetric(float64(after.HintsDropped-before.HintsDropped), "names-dropped")
		b.ReportMetric(float64(after.Gaps-before.Gaps), "gaps")
		b.ReportMetric(100*used.Seconds()/seconds, "%core")
	}
}

// BenchmarkPoll is the peer of BenchmarkIdle: what a dashboard would cost that reads 10,000 locks every second.
func BenchmarkPoll(b *testing.B) {
	s := redistest.Start(b)
	fill(b, s, 10_000)
	c, err := keyspace.Connect(b.Context(), keyspace.Options{Network: "unix", Addr: s.Socket})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	keys := make([]string, 10_000)
	for n := range keys {
		keys[n] = fmt.Sprintf("lock:%d", n+1)
	}
	cpu := processTime(b)
	rounds := 0
	for b.Loop() {
		if _, err := c.Read(context.Background(), keys...); err != nil {
			b.Fatal(err)
		}
		rounds++
	}
	b.ReportMetric(4*float64(len(keys)), "commands/s")
	b.ReportMetric(100*(processTime(b)-cpu).Seconds()/float64(rounds), "%core")
}

// processTime is the processor time that this process has used.
func processTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
