package keyspace_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// fill makes keys on the server, locks of them named "lock:...", with one script for every 50,000.
func fill(tb testing.TB, s *redistest.Server, keys, locks int) {
	tb.Helper()
	script := `for i=ARGV[1],ARGV[2] do redis.call('SET', KEYS[1]..i, '0f4d3a52-6c1e-4d7a-9b7e-' .. i, 'PX', ARGV[3] + i) end`
	for _, part := range []struct {
		name string
		n    int
	}{{"session:user:", keys - locks}, {"lock:order:", locks}} {
		for from := 0; from < part.n; from += 50_000 {
			s.Do("EVAL", script, 1, part.name, from, min(from+50_000, part.n)-1, 3_600_000)
		}
	}
	if got := s.Do("DBSIZE").(int64); got != int64(keys) {
		tb.Fatalf("%d keys, want %d", got, keys)
	}
}

// once runs a feed until its first pass is complete, and returns how many keys it told of.
func once(tb testing.TB, c *keyspace.Connection, o keyspace.ObserveOptions) int {
	tb.Helper()
	o.Once = true
	observation, err := c.Observe(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	found := 0
	for u := range observation.Updates() {
		found += len(u.Records)
	}
	return found
}

// rawScan is the fastest way to walk a keyspace: one socket, one SCAN after the other, and nothing done with the answers.
func rawScan(tb testing.TB, addr, match string, count int) {
	tb.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		tb.Fatal(err)
	}
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 1<<16)
	line := func() string {
		text, err := in.ReadString('\n')
		if err != nil {
			tb.Fatal(err)
		}
		return strings.TrimRight(text, "\r\n")
	}
	for cursor := "0"; ; {
		if match == "" {
			fmt.Fprintf(conn, "SCAN %s COUNT %d\r\n", cursor, count)
		} else {
			fmt.Fprintf(conn, "SCAN %s MATCH %s COUNT %d\r\n", cursor, match, count)
		}
		_, _ = line(), line() // *2, $n
		cursor = line()
		n, err := strconv.Atoi(line()[1:])
		if err != nil {
			tb.Fatal(err)
		}
		for range n {
			size, err := strconv.Atoi(line()[1:])
			if err != nil {
				tb.Fatal(err)
			}
			if _, err := in.Discard(size + 2); err != nil {
				tb.Fatal(err)
			}
		}
		if cursor == "0" {
			return
		}
	}
}

// BenchmarkFirstTable is the time to the first complete table of 10,000 locks among 1,000,000 keys, reads included, beside
// that of a peer with the same COUNT on the same server, which reads nothing.
func BenchmarkFirstTable(b *testing.B) {
	s := redistest.Start(b)
	fill(b, s, 1_000_000, 10_000)
	cli := redistest.Require(b, "redis-cli")
	_, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		b.Fatal(err)
	}
	lock := []keyspace.Pattern{{Glob: "lock:*"}}
	several := []keyspace.Pattern{ // those of the product, which this package does not know
		{Glob: "uniquejobs:*"},
		{Glob: "asynq:{*}:unique:*"},
		{Glob: "activejob_uniqueness:*"},
		{Glob: "qo_*"},
		{Glob: "huey.results.*"},
		{Glob: "*unique_job:*"},
		{Glob: "*-overlap:*"},
		{Glob: "*framework/[sc]*"},
		{Glob: "{*}:time"},
		{Glob: "{*}:weight"},
		{Glob: "*.readers"},
		{Glob: "*.writer"},
	}
	for _, glob := range []string{"*lock*", "*mutex*", "*lease*", "*semaphore*"} {
		several = append(several, keyspace.AnyCase(glob))
	}
	for _, row := range []struct {
		name     string
		patterns []keyspace.Pattern
		count    int
		peer     func()
	}{
		{"count=10/peer=redis-cli", lock, 10, func() {
			command := exec.Command(cli, "-p", port, "--scan", "--pattern", "lock:*")
			command.Stdout = io.Discard
			if err := command.Run(); err != nil {
				b.Fatal(err)
			}
		}},
		{"count=1000/peer=socket", lock, 1000, func() { rawScan(b, s.Addr, "lock:*", 1000) }},
		{"count=1000/16 patterns/peer=socket", several, 1000, func() { rawScan(b, s.Addr, "", 1000) }},
	} {
		b.Run(row.name, func(b *testing.B) {
			c := connect(b, s)
			var ours, peer time.Duration
			for b.Loop() {
				start := time.Now()
				if found := once(b, c, keyspace.ObserveOptions{Patterns: row.patterns, ScanCount: int64(row.count)}); found != 10_000 {
					b.Fatalf("%d keys found", found)
				}
				ours += time.Since(start)
				start = time.Now()
				row.peer()
				peer += time.Since(start)
			}
			b.ReportMetric(ours.Seconds()*1000/float64(b.N), "ms/table")
			b.ReportMetric(peer.Seconds()*1000/float64(b.N), "ms/peer")
			b.ReportMetric(ours.Seconds()/peer.Seconds(), "x-peer")
		})
	}
}

// BenchmarkIdle is what watching 10,000 locks costs while nothing happens.
func BenchmarkIdle(b *testing.B) {
	s := redistest.Start(b)
	fill(b, s, 10_000, 10_000)
	c := connect(b, s)
	p, _ := watch(b, c, keyspace.ObserveOptions{Nudge: true})
	p.reaches(b, "push", live)
	for b.Loop() {
		const span = 40 * time.Second // longer than the pause between two passes
		before, cpu := keyspace.CommandsSent(c), processTime()
		time.Sleep(span)
		b.ReportMetric(float64(keyspace.CommandsSent(c)-before)/span.Seconds(), "commands/s")
		b.ReportMetric(100*(processTime()-cpu).Seconds()/span.Seconds(), "%core")
	}
}

// BenchmarkHints offers 50,000 events a second on 10,000 locks for some seconds.
func BenchmarkHints(b *testing.B) {
	s := redistest.Start(b)
	fill(b, s, 10_000, 10_000)
	c := connect(b, s)
	p, _ := watch(b, c, keyspace.ObserveOptions{Nudge: true})
	before := p.reaches(b, "push", live)
	client := s.Client()
	for b.Loop() {
		cpu, start, sent := processTime(), time.Now(), uint64(0)
		for time.Since(start) < 5*time.Second {
			pipe := client.Pipeline()
			for i := range 250 {
				pipe.PExpire(b.Context(), fmt.Sprintf("lock:order:%d", (int(sent)+i)%10_000), time.Hour)
			}
			if _, err := pipe.Exec(b.Context()); err != nil {
				b.Fatal(err)
			}
			sent += 250
			if ahead := time.Duration(sent)*time.Second/50_000 - time.Since(start); ahead > 0 {
				time.Sleep(ahead) // no faster than offered
			}
		}
		took := time.Since(start)
		st := p.reaches(b, "all hints", func(st keyspace.Status) bool { return st.Hints-before.Hints >= sent })
		b.ReportMetric(float64(sent)/took.Seconds(), "events/s")
		b.ReportMetric(float64(st.HintsDropped-before.HintsDropped), "dropped")
		b.ReportMetric(float64(st.Gaps-before.Gaps), "gaps")
		b.ReportMetric(100*(processTime()-cpu).Seconds()/took.Seconds(), "%core")
		before = st
	}
}

// BenchmarkLatency is the time from a SET to the Record that tells of it.
func BenchmarkLatency(b *testing.B) {
	s := redistest.Start(b)
	fill(b, s, 10_000, 10_000)
	observation, err := connect(b, s).Observe(b.Context(), keyspace.ObserveOptions{Patterns: []keyspace.Pattern{{Glob: "lock:*"}}, Nudge: true})
	if err != nil {
		b.Fatal(err)
	}
	for u := range observation.Updates() {
		if u.PassEnded != nil {
			break
		}
	}
	client := s.Client()
	var all []time.Duration
	for b.Loop() {
		token := strconv.Itoa(len(all))
		start := time.Now()
		if err := client.Set(b.Context(), "lock:new", token, time.Minute).Err(); err != nil {
			b.Fatal(err)
		}
		for u := range observation.Updates() {
			if slices.ContainsFunc(u.Records, func(r keyspace.Record) bool { return r.Value.Text == token }) {
				break
			}
		}
		all = append(all, time.Since(start))
		time.Sleep(25 * time.Millisecond) // a lone event, not one of many
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "ms/p50")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "ms/p99")
}

// BenchmarkMemory is what a feed keeps in memory for each of 100,000 followed locks with a TTL, the keys' bytes included,
// after the consumer has dropped the records.
func BenchmarkMemory(b *testing.B) {
	s := redistest.Start(b)
	const locks = 100_000
	fill(b, s, locks, locks)
	c := connect(b, s)
	for b.Loop() {
		before := heap()
		ctx, cancel := context.WithCancel(b.Context())
		observation, err := c.Observe(ctx, keyspace.ObserveOptions{Patterns: []keyspace.Pattern{{Glob: "lock:*"}}, Nudge: true})
		if err != nil {
			b.Fatal(err)
		}
		for u := range observation.Updates() {
			if u.PassEnded != nil {
				break
			}
		}
		b.ReportMetric(float64(heap()-before)/locks, "B/key")
		cancel()
		for range observation.Updates() { // until it has ended
		}
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkMatch is the time to match one key against eight patterns in any letter case.
func BenchmarkMatch(b *testing.B) {
	var patterns []keyspace.Pattern
	for _, glob := range []string{"*lock*", "*mutex*", "*lease*", "*semaphore*", "redisson*", "shedlock:*", "bull:*:lock", "*latch*"} {
		patterns = append(patterns, keyspace.AnyCase(glob))
	}
	match, _ := keyspace.MatchSet(patterns...)
	key := "session:user:1234567:profile"
	for b.Loop() {
		if match(key) {
			b.Fatal("matched")
		}
	}
}
