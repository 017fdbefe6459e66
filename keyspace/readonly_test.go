package keyspace_test

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// Everything that this package does, and every command that it sends meanwhile: by our own count, and by the server's.
func TestOnlyReadCommandsAreSent(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	var mu sync.Mutex
	sent := make(map[string]bool)
	c := connect(t, s)
	keyspace.SeeCommands(c, func(name string) {
		mu.Lock()
		defer mu.Unlock()
		sent[name] = true
	})
	s.Do("SET", "lock:s", "v")
	s.Do("HSET", "lock:h", "f", "1")
	s.Do("RPUSH", "lock:l", "x")
	s.Do("SADD", "lock:e", "x")
	s.Do("ZADD", "lock:z", 1, "x")
	s.Do("XADD", "lock:x", "*", "f", "v")
	s.Do("CONFIG", "RESETSTAT")
	for _, o := range []keyspace.ObserveOptions{
		{Nudge: true, PassInterval: 50 * time.Millisecond}, {Notify: keyspace.NotifyOff, Poll: 50 * time.Millisecond}, {Once: true},
	} {
		p, observation := watch(t, c, o)
		st := p.reaches(t, "pass", func(st keyspace.Status) bool { return st.LastPass.Generation > 0 })
		if st.Feed == keyspace.FeedPush {
			observation.Reread("lock:h")
			redistest.Eventually(t, 5*time.Second, func() (bool, string) {
				s.Do("SET", "lock:t:"+rand.Text(), "v", "PX", 20) // the server itself, or a SCAN, may end some of them before us
				mu.Lock()
				defer mu.Unlock()
				return sent["EXISTS"], "nothing was nudged"
			})
			p.reaches(t, "second pass", func(st keyspace.Status) bool { return st.LastPass.Generation > 2 })
		}
	}
	if _, err := c.Databases(t.Context()); err != nil {
		t.Error(err)
	}
	server := strings.ToUpper(s.Do("INFO", "commandstats").(string))
	p, _ := watch(t, c, keyspace.ObserveOptions{PassInterval: time.Hour}) // and what comes after trouble
	gaps := p.reaches(t, "push", live).Gaps
	s.Pause()
	passes := p.reaches(t, "failed command", func(st keyspace.Status) bool {
		return st.Gaps > gaps && !st.Connected && !strings.Contains(st.Err, "has not answered")
	}).LastPass.Generation
	s.Resume()
	p.reaches(t, "pass after the trouble", func(st keyspace.Status) bool { return live(st) && st.LastPass.Generation > passes })
	mu.Lock()
	defer mu.Unlock()
	for name := range sent {
		if !slices.Contains(keyspace.ReadCommands(), name) {
			t.Errorf("%s was sent", name)
		}
	}
	for line := range strings.Lines(server) {
		name, _, isStat := strings.Cut(strings.TrimPrefix(line, "CMDSTAT_"), ":")
		name = strings.ReplaceAll(name, "|", " ")
		if isStat && strings.HasPrefix(line, "CMDSTAT_") && name != "CONFIG RESETSTAT" && name != "SET" && !slices.Contains(keyspace.ReadCommands(), name) {
			t.Errorf("the server was sent %s", name)
		}
	}
	for _, name := range []string{"TYPE", "HGETALL", "CLIENT TRACKING", "PSUBSCRIBE", "EXISTS", "SCAN", "XLEN"} {
		if !sent[name] {
			t.Errorf("%s was not sent: this test does not cover it", name)
		}
	}
}

func TestWritesAreRefusedBeforeTheyLeave(t *testing.T) {
	s := redistest.Start(t)
	c := connect(t, s)
	s.Do("CONFIG", "RESETSTAT")
	for _, command := range [][]any{
		{"SET", "k", "v"},
		{"del", "k"},
		{"CONFIG", "SET", "maxmemory", "1"},
		{"EVAL", "return 1", 0},
		{"CLIENT", "KILL", "TYPE", "normal"},
		{"FLUSHALL"},
		{"KEYS", "*"},
		{"MONITOR"},
		{"GET", "k"},
	} {
		if err := keyspace.Try(t.Context(), c, command...); err == nil || !strings.Contains(err.Error(), "only reads") {
			t.Errorf("%v: %v", command, err)
		}
	}
	if err := keyspace.Try(t.Context(), c, "type", "k"); err != nil {
		t.Errorf("TYPE: %v", err)
	}
	for _, name := range []string{"_set:", "_eval:", "_keys:"} {
		if strings.Contains(s.Do("INFO", "commandstats").(string), name) {
			t.Errorf("%s reached the server", name)
		}
	}
}

func TestNamesOfCommandsAreFoundInAnyPieces(t *testing.T) {
	stream := ""
	var want []string
	for _, command := range [][]string{
		{"PING"},
		{"config", "get", "x"},
		{"GETRANGE", "*1\r\n$3\r\nDEL", "0", "9"},
		{"CLIENT"},
		{"TYPE", ""},
		{"info", strings.Repeat("x", 100)},
		{strings.Repeat("Y", 100)},
	} {
		stream += fmt.Sprintf("*%d\r\n", len(command))
		for _, arg := range command {
			stream += fmt.Sprintf("$%d\r\n%s\r\n", len(arg), arg)
		}
		name := strings.ToUpper(command[0])
		if name == "CONFIG" {
			name += " GET"
		}
		want = append(want, name[:min(len(name), 32)])
	}
	for piece := 1; piece < len(stream); piece++ {
		if got := keyspace.Names(stream, piece); !slices.Equal(got, want) {
			t.Fatalf("in pieces of %d: %q, want %q", piece, got, want)
		}
	}
}
