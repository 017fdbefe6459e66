package keyspace

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// blockedFresh is for how long the last answer counts.
	blockedFresh = 4 * time.Second
	// blockedMost is the number of clients above which CLIENT LIST costs the server too much.
	blockedMost = 10_000
)

// blocked is what was found out last of the clients that commands block.
type blocked struct {
	mu     sync.Mutex
	at     time.Time
	counts map[string]int64 // nil: not known
	denied bool
}

// blockedClients counts the clients that are blocked, by the command in lower case ("blpop"): on which keys, no server tells.
// known is false where this user may not ask, or there are too many clients to list them.
func (c *Connection) blockedClients(ctx context.Context) (counts map[string]int64, known bool, err error) {
	b := &c.blocked
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.denied && time.Since(b.at) >= blockedFresh {
		counts, err := c.countBlocked(ctx)
		switch {
		case isAnswer(err):
			b.denied, b.counts = true, nil
		case err != nil:
			return nil, false, wrap("clients that wait", err)
		default:
			b.at, b.counts = time.Now(), counts
		}
	}
	return b.counts, b.counts != nil, nil
}

func (c *Connection) countBlocked(ctx context.Context) (map[string]int64, error) {
	info, err := c.reader.Info(ctx, "clients").Result()
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	switch {
	case infoNumber(info, "blocked_clients") == 0:
		return counts, nil
	case infoNumber(info, "connected_clients") > blockedMost:
		return nil, nil
	}
	list, err := c.reader.Do(ctx, "CLIENT", "LIST", "TYPE", "normal").Text()
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(list) {
		if command, is := blockedIn(line); is {
			counts[command]++
		}
	}
	return counts, nil
}

// blockedIn reads a line of CLIENT LIST ("... flags=b ... cmd=blpop ...").
func blockedIn(line string) (command string, is bool) {
	for word := range strings.FieldsSeq(line) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "flags":
			is = strings.Contains(value, "b")
		case "cmd":
			command = value
		}
	}
	return command, is
}

// infoNumber reads a line of INFO; 0 where it is not there.
func infoNumber(info, name string) int64 {
	for line := range strings.Lines(info) {
		if value, found := strings.CutPrefix(line, name+":"); found {
			n, _ := strconv.ParseInt(strings.TrimSpace(value), 10, 64) // 0 where it is no number
			return n
		}
	}
	return 0
}
