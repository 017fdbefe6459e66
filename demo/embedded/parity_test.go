package embedded_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/demo/embedded"
	"locktop/keyspace/redistest"
)

// pair is the embedded server and a real one, both without an active expiry cycle, so that both announce an expired key
// at the first access.
type pair struct {
	embedded, real *side
}

// side is one server with a client that runs the steps, and one that hears everything.
type side struct {
	name  string
	raw   *rawClient
	heard *redis.PubSub
	noted string // the answer that a step has asked to keep
}

// startModel starts the server that this one is like in every detail. Later ones have other words, encodings and events.
func startModel(t *testing.T, options ...string) *redistest.Server {
	t.Helper()
	s := redistest.Start(t, options...)
	if software, version := s.Version(); software != "redis" || !strings.HasPrefix(version, "7.0.") {
		t.Skipf("SKIPPED, NOT PASSED: the embedded server is compared with Redis 7.0, and this is %s %s", software, version)
	}
	return s
}

func startPair(t *testing.T, protocol int) *pair {
	t.Helper()
	realServer := startModel(t, "--enable-debug-command", "yes")
	realServer.Do("DEBUG", "SET-ACTIVE-EXPIRE", "0")
	server := start(t, embedded.Options{ReapDelay: time.Hour})
	return &pair{
		embedded: newSide(t, "embedded", server.Addr(), protocol),
		real:     newSide(t, "real", realServer.Addr, protocol),
	}
}

func newSide(t *testing.T, name, addr string, protocol int) *side {
	t.Helper()
	c := redis.NewClient(&redis.Options{Network: networkOf(addr), Addr: addr, Protocol: protocol, MaxRetries: -1, ContextTimeoutEnabled: true})
	s := &side{name: name, raw: dialRaw(t, addr), heard: c.PSubscribe(t.Context(), "*")}
	t.Cleanup(func() {
		_ = s.heard.Close() // the server may have gone before
		_ = c.Close()
	})
	if _, err := s.heard.Receive(t.Context()); err != nil {
		t.Fatalf("%s: subscribe: %v", name, err)
	}
	s.raw.do(t, "HELLO", protocol)
	return s
}

// step is one command; the first word may be one of these:
//
//	@expire MILLISECONDS  waits until a key that the step before has given so long a life is past it
//	@note WORDS...        keeps the answer, which is not compared, for the word $noted
//	@quiet WORDS...       does not compare the answer, only the events
type step []any

// run gives the step's answer and everything that was heard because of it, one a line.
func (s *side) run(t *testing.T, st step) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	words := slices.Clone(st)
	for i := range words {
		if words[i] == "$noted" {
			words[i] = s.noted
		}
	}
	lines := []string{fmt.Sprintf("%.200s", fmt.Sprintf("%v", st))}
	switch words[0] {
	case "@expire":
		begin := time.Now() // both servers have this clock
		redistest.Eventually(t, 10*time.Second, func() (bool, string) {
			return time.Since(begin) > time.Duration(words[1].(int))*time.Millisecond, "the clock stands still"
		})
	case "@note":
		noted := s.raw.do(t, words[1:]...)
		s.noted = noted[strings.Index(noted, "\n")+1 : len(noted)-2]
	case "@quiet":
		if answer := s.raw.do(t, words[1:]...); answer[0] == '-' {
			t.Fatalf("%s: %v: %s", s.name, st, answer)
		}
	default:
		lines = append(lines, fmt.Sprintf("  answers %q", s.raw.do(t, words...)))
	}
	return append(lines, s.hear(ctx, t)...)
}

// hear returns what has been published since the last time: all of it has come before the answer to a ping.
func (s *side) hear(ctx context.Context, t *testing.T) []string {
	t.Helper()
	const marker = "end"
	if err := s.heard.Ping(ctx, marker); err != nil {
		t.Fatalf("%s: ping: %v", s.name, err)
	}
	var lines []string
	for {
		message, err := s.heard.Receive(ctx)
		if err != nil {
			t.Fatalf("%s: receive: %v", s.name, err)
		}
		switch m := message.(type) {
		case *redis.Message:
			lines = append(lines, fmt.Sprintf("  hears %s %q", m.Channel, m.Payload))
		case *redis.Pong:
			return lines
		}
	}
}

// compare runs the steps on both servers, side by side.
func (p *pair) compare(t *testing.T, steps []step) {
	t.Helper()
	all := append([]step{
		{"SELECT", "0"}, {"FLUSHALL"}, {"SCRIPT", "FLUSH"}, {"CONFIG", "SET", "notify-keyspace-events", "KEg$lshzxen"},
	}, steps...)
	for _, st := range all {
		want, got := p.real.run(t, st), p.embedded.run(t, st)
		if !slices.Equal(got, want) {
			t.Errorf("the servers differ\nreal:\n%s\nembedded:\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
		}
	}
}

func TestParity(t *testing.T) {
	for _, protocol := range []int{2, 3} {
		t.Run(fmt.Sprintf("RESP%d", protocol), func(t *testing.T) {
			p := startPair(t, protocol)
			total := 0
			for _, sc := range slices.Concat(lockScenarios, commandScenarios, readScenarios, errorScenarios, numberScenarios, scriptScenarios) {
				total += len(sc.steps)
				t.Run(sc.name, func(t *testing.T) { p.compare(t, sc.steps) })
			}
			t.Logf("%d steps compared", total)
		})
	}
}
