package keyspace_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// overheard is what a probe told, one line a command: its words joined by blanks, "lua: " before what a script ran.
type overheard struct {
	mu    sync.Mutex
	lines []string
	addrs map[string]string // of the last one with these words
}

func (o *overheard) take(h keyspace.Heard) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var words []string
	for _, arg := range h.Args {
		words = append(words, string(arg))
	}
	line := strings.Join(words, " ")
	if h.Scripted() {
		line = "lua: " + line
	}
	o.lines = append(o.lines, line)
	if o.addrs == nil {
		o.addrs = make(map[string]string)
	}
	o.addrs[line] = string(h.Addr)
}

func (o *overheard) has(line string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Contains(o.lines, line)
}

// probeUntil runs a probe that a test ends once it has heard what it waits for. What is done meanwhile is done again and again.
func probeUntil(t *testing.T, servers *keyspace.Servers, o keyspace.ProbeOptions, do func(), heard ...string) (*keyspace.ProbeReport, *overheard) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var told overheard
	begun := make(chan struct{})
	o.Take = told.take
	o.Begun = func(time.Time) { close(begun) }
	if o.For == 0 {
		o.For = 30 * time.Second
	}
	go func() {
		defer cancel()
		select {
		case <-begun:
		case <-ctx.Done():
			return
		}
		do()
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if !slices.ContainsFunc(heard, func(line string) bool { return !told.has(line) }) {
				return
			}
		}
	}()
	report, err := servers.Probe(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range heard {
		if !told.has(line) {
			t.Errorf("%q was not heard among %q", line, told.lines)
		}
	}
	return report, &told
}

func TestProbeTellsWhatIsSent(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	servers := dial(t, keyspace.Place{Servers: []keyspace.Options{{Addr: s.Addr}}})
	worker := s.Client(func(o *redis.Options) { o.ClientName, o.Network, o.Addr = "worker-7", "tcp", s.Addr })
	report, told := probeUntil(t, servers, keyspace.ProbeOptions{}, func() {
		worker.Do(t.Context(), "SET", "lock:a", "to\x00ken \"q\" \\ \xff", "NX", "PX", 1000)
		worker.Do(t.Context(), "EVAL", "return redis.call('set', KEYS[1], ARGV[1], 'NX')", 1, "lock:b", "x")
	}, "SET lock:a to\x00ken \"q\" \\ \xff NX PX 1000", "lua: set lock:b x NX")
	if report.Ended != keyspace.ProbeCancelled || report.Lines < 3 || report.Bytes < 100 || len(report.Nodes) != 1 || report.Nodes[0].Err != nil {
		t.Errorf("%+v", report)
	}
	if n := report.Nodes[0]; !n.Before.Known || !n.During.Known || n.During.Ops <= 0 {
		t.Errorf("the cost is not known: %+v", n)
	}
	addr := told.addrs["SET lock:a to\x00ken \"q\" \\ \xff NX PX 1000"]
	if !slices.ContainsFunc(report.Clients, func(c keyspace.Client) bool { return c.Addr == addr && c.Name == "worker-7" }) {
		t.Errorf("worker-7 at %s is not among %+v", addr, report.Clients)
	}
	redistest.Eventually(t, 5*time.Second, func() (bool, string) { return !monitored(s), "somebody still monitors" })
}

func TestProbeEnds(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	servers := dial(t, keyspace.Place{Servers: []keyspace.Options{{Addr: s.Addr}}})
	worker := s.Client()
	busy := func(ctx context.Context) {
		for ctx.Err() == nil {
			worker.Do(ctx, "SET", "lock:a", strings.Repeat("v", 500), "NX")
		}
	}
	for _, test := range []struct {
		why keyspace.ProbeEnd
		o   keyspace.ProbeOptions
	}{
		{keyspace.ProbeTime, keyspace.ProbeOptions{For: 50 * time.Millisecond}},
		{keyspace.ProbeLines, keyspace.ProbeOptions{For: 30 * time.Second, MaxLines: 10}},
		{keyspace.ProbeBytes, keyspace.ProbeOptions{For: 30 * time.Second, MaxBytes: 5000}},
	} {
		t.Run(string(test.why), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			var working sync.WaitGroup
			working.Go(func() { busy(ctx) })
			report, err := servers.Probe(t.Context(), test.o)
			cancel()
			working.Wait()
			if err != nil {
				t.Fatal(err)
			}
			if report.Ended != test.why || !report.To.After(report.From) {
				t.Errorf("ended by %s: %+v", report.Ended, report)
			}
			if test.why == keyspace.ProbeLines && report.Lines != 10 {
				t.Errorf("%d lines", report.Lines)
			}
		})
	}
}

func TestProbeOfAServerThatDies(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	servers := dial(t, keyspace.Place{Servers: []keyspace.Options{{Addr: s.Addr, CommandTimeout: time.Second}}})
	var killing sync.WaitGroup
	report, err := servers.Probe(t.Context(), keyspace.ProbeOptions{For: 30 * time.Second, Begun: func(time.Time) { killing.Go(s.Kill) }})
	killing.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if report.Ended != keyspace.ProbeLost || report.Nodes[0].Err == nil {
		t.Errorf("%+v", report)
	}
	if _, err := servers.Probe(t.Context(), keyspace.ProbeOptions{}); err == nil {
		t.Error("a dead server was probed")
	}
}

// A server that has to hold more for us than it may is left at once: here what it sends is held back on the way.
func TestProbeIsLeftWhereItIsNotRead(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	servers := dial(t, keyspace.Place{Servers: []keyspace.Options{{Addr: s.Addr}}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var working sync.WaitGroup
	defer working.Wait()
	defer cancel()
	worker := s.Client()
	report, err := servers.Probe(t.Context(), keyspace.ProbeOptions{
		For: 30 * time.Second, MaxUnread: 1 << 20, MaxLines: 1 << 40, MaxBytes: 1 << 50, Force: true,
		Begun: func(time.Time) {
			working.Go(func() {
				for ctx.Err() == nil {
					pipe := worker.Pipeline()
					for range 200 {
						pipe.Do(ctx, "SET", "lock:a", strings.Repeat("v", 8000))
					}
					_, _ = pipe.Exec(ctx) // whether it worked does not matter
				}
			})
		},
		Take: func(keyspace.Heard) { // it reads nothing until it is hung up on
			for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline) && monitored(s); {
				time.Sleep(10 * time.Millisecond)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if report.Ended != keyspace.ProbeUnread {
		t.Errorf("ended by %s after %d bytes", report.Ended, report.Bytes)
	}
}

// monitored says whether somebody monitors a server.
func monitored(s *redistest.Server) bool {
	list, _ := s.Do("CLIENT", "LIST").(string)
	return strings.Contains(list, "cmd=monitor")
}

func TestProbeByAUserWhoMayNot(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("ACL", "SETUSER", "watcher", "on", ">secret", "~*", "&*", "+@all", "-monitor")
	servers := dial(t, keyspace.Place{Servers: []keyspace.Options{{Addr: s.Addr, Username: "watcher", Password: "secret"}}})
	_, err := servers.Probe(t.Context(), keyspace.ProbeOptions{})
	if !errors.Is(err, keyspace.ErrPermission) || !strings.Contains(fmt.Sprint(err), "ACL SETUSER watcher +monitor") || strings.Contains(fmt.Sprint(err), "secret") {
		t.Fatalf("%v", err)
	}
	s.Do("ACL", "SETUSER", "watcher", "+monitor")
	if _, err := servers.Probe(t.Context(), keyspace.ProbeOptions{For: 10 * time.Millisecond}); err != nil {
		t.Error(err)
	}
}

func TestProbeDialsAsEverybodyElse(t *testing.T) {
	t.Parallel()
	secure := redistest.StartTLS(t)
	plain := redistest.Start(t, "--requirepass", "hush")
	for name, o := range map[string]keyspace.Options{
		"tls":  {Addr: secure.Addr, TLS: &tls.Config{RootCAs: secure.Roots, MinVersion: tls.VersionTLS12}},
		"unix": {Network: "unix", Addr: plain.Socket, Password: "hush"},
	} {
		t.Run(name, func(t *testing.T) {
			servers := dial(t, keyspace.Place{Servers: []keyspace.Options{o}})
			client, err := servers.Client(t.Context(), keyspace.Ref{Key: "lock:a"})
			if err != nil {
				t.Fatal(err)
			}
			probeUntil(t, servers, keyspace.ProbeOptions{}, func() { client.Do(t.Context(), "SETNX", "lock:a", "x") }, "SETNX lock:a x")
		})
	}
}

// Of a Redlock all masters are probed, also where one of them does not answer.
func TestProbeOfSeveralMasters(t *testing.T) {
	t.Parallel()
	masters := redistest.StartMasters(t, 3)
	servers := dial(t, keyspace.Place{Servers: addresses(masters...)})
	masters[2].Kill()
	report, _ := probeUntil(t, servers, keyspace.ProbeOptions{Ref: &keyspace.Ref{Key: "lock:a"}}, func() {
		masters[0].Do("SETNX", "lock:a", "x")
		masters[1].Do("SETNX", "lock:a", "y")
	}, "SETNX lock:a x", "SETNX lock:a y")
	failed := 0
	for _, n := range report.Nodes {
		if n.Err != nil {
			failed++
		}
	}
	if len(report.Nodes) != 3 || failed != 1 {
		t.Errorf("%+v", report.Nodes)
	}
}

func TestBusyServersAreProbedByForceOnly(t *testing.T) {
	t.Parallel()
	err := keyspace.Busiest(25_000)
	if !errors.Is(err, keyspace.ErrBusy) || !strings.Contains(fmt.Sprint(err), "25000 commands a second") {
		t.Error(err)
	}
	if err := keyspace.Busiest(15_000); err != nil {
		t.Error(err)
	}
}

// A probe has a list of its own of what it may send, and MONITOR is on no other.
func TestOnlyTheProbeMayMonitor(t *testing.T) {
	t.Parallel()
	if slices.Contains(keyspace.ReadCommands(), "MONITOR") {
		t.Error("whoever reads may MONITOR")
	}
	for _, name := range keyspace.ProbeCommands() {
		if !slices.Contains([]string{"AUTH", "CLIENT ID", "CLIENT SETNAME", "MONITOR"}, name) {
			t.Errorf("a probe may send %s", name)
		}
	}
	s := redistest.Start(t)
	servers := dial(t, keyspace.Place{Servers: []keyspace.Options{{Addr: s.Addr}}})
	c, err := servers.AnyMaster(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	sent := make(map[string]bool)
	keyspace.SeeCommands(c, func(name string) {
		mu.Lock()
		defer mu.Unlock()
		sent[name] = true
	})
	if _, err := servers.Probe(t.Context(), keyspace.ProbeOptions{For: 300 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for name := range sent {
		if !slices.Contains(keyspace.ReadCommands(), name) && !slices.Contains(keyspace.ProbeCommands(), name) {
			t.Errorf("a probe sent %s", name)
		}
	}
	if !sent["MONITOR"] || !sent["INFO"] {
		t.Errorf("this test does not cover the probe: %v", sent)
	}
}

// A value of a megabyte is not kept, and costs no command that comes after it.
func TestLongLinesAreCut(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	servers := dial(t, keyspace.Place{Servers: []keyspace.Options{{Addr: s.Addr}}})
	report, told := probeUntil(t, servers, keyspace.ProbeOptions{}, func() {
		s.Do("SET", "lock:big", strings.Repeat("x", 1<<20), "NX")
		s.Do("SETNX", "lock:after", "x")
	}, "SETNX lock:after x", "SET lock:big")
	if report.Bytes < 1<<20 {
		t.Errorf("%d bytes were counted of %q", report.Bytes, told.lines)
	}
}
