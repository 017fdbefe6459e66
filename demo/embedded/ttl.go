package embedded

import (
	"strings"
)

// expireCommand is EXPIRE and its kin; unit is that of SET's options.
func expireCommand(unit string) handler {
	return func(s *Server, c *call) {
		var onlyWithout, onlyWith, onlyLater, onlyEarlier bool
		for _, option := range c.args[3:] {
			switch strings.ToUpper(option) {
			case "NX":
				onlyWithout = true
			case "XX":
				onlyWith = true
			case "GT":
				onlyLater = true
			case "LT":
				onlyEarlier = true
			default:
				c.reply.failure("ERR Unsupported option " + option)
				return
			}
		}
		switch {
		case onlyWithout && (onlyWith || onlyLater || onlyEarlier):
			c.reply.failure("ERR NX and XX, GT or LT options at the same time are not compatible")
			return
		case onlyLater && onlyEarlier:
			c.reply.failure("ERR GT and LT options at the same time are not compatible")
			return
		}
		deadline, failure := s.deadline(unit, c.args[2], c.command.name, false)
		if failure != "" {
			c.reply.failure(failure)
			return
		}
		e := c.db.keys[c.args[1]]
		switch {
		case e == nil,
			onlyWithout && e.deadline != 0,
			onlyWith && e.deadline == 0,
			onlyLater && (e.deadline == 0 || deadline <= e.deadline),
			onlyEarlier && e.deadline != 0 && deadline >= e.deadline:
			c.reply.integer(0)
			return
		}
		s.expireOrDelete(e, deadline)
		c.reply.integer(1)
	}
}

// expireOrDelete sets a deadline, or deletes the key at once where it is not in the future.
func (s *Server) expireOrDelete(e *entry, deadline int64) {
	db, key := e.db, e.key
	if deadline <= s.now.UnixMilli() {
		s.remove(e)
		s.notify(classGeneric, "del", db, key)
		return
	}
	s.expireAt(e, deadline)
	s.notify(classGeneric, "expire", db, key)
}

func persistCommand(s *Server, c *call) {
	e := c.db.keys[c.args[1]]
	done := e != nil && s.persist(e)
	if done {
		s.notify(classGeneric, "persist", c.db, c.args[1])
	}
	c.reply.boolean(done)
}

// ttlCommand answers -2 without the key and -1 without a deadline.
func ttlCommand(value func(deadline, now int64) int64) handler {
	return func(s *Server, c *call) {
		switch e := c.db.keys[c.args[1]]; {
		case e == nil:
			c.reply.integer(-2)
		case e.deadline == 0:
			c.reply.integer(-1)
		default:
			c.reply.integer(value(e.deadline, s.now.UnixMilli()))
		}
	}
}

func secondsLeft(deadline, now int64) int64      { return (max(deadline-now, 0) + 500) / 1000 }
func millisecondsLeft(deadline, now int64) int64 { return max(deadline-now, 0) }
func atSecond(deadline, _ int64) int64           { return (deadline + 500) / 1000 }
func atMillisecond(deadline, _ int64) int64      { return deadline }
