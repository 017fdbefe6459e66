package redistest

import (
	"strings"
	"sync"
)

// conversation knows which command each answer of a connection belongs to. Answers come in the order of the commands, one
// each; but pushes come at any time, and a subscription is answered by pushes, one for each name.
type conversation struct {
	mu     sync.Mutex
	asked  [][]string // what has not been answered yet
	resp3  bool
	opaque bool // answers and messages cannot be told from each other
	told   int  // how many names of the subscription at the front have been confirmed
}

// asks notes a command.
func (c *conversation) asks(message []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	command := parts(message)
	switch {
	case c.opaque || len(command) == 0:
		return
	case c.unpredictable(command):
		c.opaque, c.asked = true, nil
	default:
		c.asked = append(c.asked, command)
	}
}

// unpredictable says that nobody knows how many answers a command has.
func (c *conversation) unpredictable(command []string) bool {
	switch strings.ToUpper(command[0]) {
	case "MONITOR", "SYNC", "PSYNC":
		return true
	case "CLIENT":
		return len(command) > 1 && strings.EqualFold(command[1], "reply")
	case "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE": // without names it is answered for each that there is
		return !c.resp3 || len(command) == 1
	case "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE":
		return !c.resp3
	}
	return false
}

// isOpaque says that nothing more can be learnt of this conversation.
func (c *conversation) isOpaque() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.opaque
}

// answered takes a message of the server, and says which command it answers; nil if it answers none.
func (c *conversation) answered(message []byte) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.asked) == 0 {
		return nil
	}
	command := c.asked[0]
	if message[0] == '>' {
		if words := parts(message); len(words) == 0 || !strings.EqualFold(words[0], command[0]) {
			return nil
		}
		if c.told++; c.told < len(command)-1 {
			return nil
		}
		c.asked, c.told = c.asked[1:], 0
		return nil
	}
	c.asked, c.told = c.asked[1:], 0
	if strings.EqualFold(command[0], "hello") && message[0] != '-' {
		c.resp3 = len(command) > 1 && command[1] == "3" || len(command) == 1 && c.resp3
	}
	return command
}
