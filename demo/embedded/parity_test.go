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
	name   string
	client *redis.Conn
	heard  *redis.PubSub
	noted  string // the answer that a step has asked to keep
}

func startPair(t *testing.T) *pair {
	t.Helper()
	realServer := redistest.Start(t, "--enable-debug-command", "yes")
	realServer.Do("DEBUG", "SET-ACTIVE-EXPIRE", "0")
	server := start(t, embedded.Options{ReapDelay: time.Hour})
	return &pair{
		embedded: newSide(t, "embedded", client(t, server)),
		real:     newSide(t, "real", realServer.Client()),
	}
}

func newSide(t *testing.T, name string, c *redis.Client) *side {
	t.Helper()
	s := &side{name: name, client: c.Conn(), heard: c.PSubscribe(t.Context(), "*")}
	t.Cleanup(func() {
		_ = s.heard.Close() // the server may have gone before
		_ = s.client.Close()
	})
	if _, err := s.heard.Receive(t.Context()); err != nil {
		t.Fatalf("%s: subscribe: %v", name, err)
	}
	return s
}

// step is one command; the first word may be one of these:
//
//	@expire DATABASE-KEY  waits until the deadline of that key has passed, without touching it afterwards
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
	lines := []string{fmt.Sprintf("%.200q", fmt.Sprint(st...))}
	switch words[0] {
	case "@expire":
		deadline, err := s.client.PExpireTime(ctx, words[1].(string)).Result()
		if err != nil {
			t.Fatalf("%s: %v: %v", s.name, st, err)
		}
		at := time.UnixMilli(deadline.Milliseconds())
		redistest.Eventually(t, 10*time.Second, func() (bool, string) {
			now, err := s.client.Time(ctx).Result()
			return err == nil && now.After(at.Add(2*time.Millisecond)), fmt.Sprint(now, err)
		})
	case "@note":
		v, err := s.client.Do(ctx, words[1:]...).Result()
		if err != nil {
			t.Fatalf("%s: %v: %v", s.name, st, err)
		}
		s.noted = fmt.Sprint(v)
	case "@quiet":
		if err := s.client.Do(ctx, words[1:]...).Err(); err != nil {
			t.Fatalf("%s: %v: %v", s.name, st, err)
		}
	default:
		v, err := s.client.Do(ctx, words...).Result()
		lines = append(lines, fmt.Sprintf("  answers %q %v", fmt.Sprint(v), err))
	}
	return append(lines, s.hear(ctx, t)...)
}

// hear returns what has been published since the last time. A message of our own marks the end; inside MULTI nothing can
// be heard yet, and the marker would be queued, so another connection sends it.
func (s *side) hear(ctx context.Context, t *testing.T) []string {
	t.Helper()
	const marker = "parity:end"
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
	p := startPair(t)
	total := 0
	for _, group := range [][]scenario{lockScenarios, commandScenarios, errorScenarios} {
		for _, sc := range group {
			total += len(sc.steps)
			t.Run(sc.name, func(t *testing.T) { p.compare(t, sc.steps) })
		}
	}
	t.Logf("%d steps compared", total)
}
