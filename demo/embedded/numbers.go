package embedded

import (
	"math"
	"strconv"
)

// integer reads a number as Redis does: in the one form in which it would write it, without a plus sign or leading zeros.
func integer(text string) (n int64, ok bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == text
}

const errorOverflow = "ERR increment or decrement would overflow"

// sum adds, and says whether the result fits.
func sum(a, b int64) (total int64, ok bool) {
	total = a + b
	return total, (total > a) == (b > 0)
}

// countCommand is INCR and its kin. The store reads more forms of numbers than Redis, and lets them overflow.
func countCommand(s *Server, c *call) {
	by := int64(1)
	if len(c.args) == 3 {
		var ok bool
		if by, ok = integer(c.args[2]); !ok {
			c.reply.failure(errorNotInteger)
			return
		}
	}
	if c.command.name == "decr" || c.command.name == "decrby" {
		if by == math.MinInt64 {
			c.reply.failure("ERR decrement would overflow")
			return
		}
		by = -by
	}
	key := c.args[1]
	s.increment(c, by, errorNotInteger, s.store(c.db, "GET", key), func(total string) {
		s.store(c.db, "SET", key, total)
		s.grew(c.db, key, classString, "incrby")
	})
}

// incrementFieldCommand is HINCRBY.
func incrementFieldCommand(s *Server, c *call) {
	by, ok := integer(c.args[3])
	if !ok {
		c.reply.failure(errorNotInteger)
		return
	}
	key, field := c.args[1], c.args[2]
	s.increment(c, by, "ERR hash value is not an integer", s.store(c.db, "HGET", key, field), func(total string) {
		s.store(c.db, "HSET", key, field, total)
		s.grew(c.db, key, classHash, "hincrby")
	})
}

// increment answers with the old value and the increment together, after it has been kept. No value counts as 0.
func (s *Server) increment(c *call, by int64, notInteger string, old answer, keep func(total string)) {
	if old.failed() {
		c.reply.raw(old)
		return
	}
	value := int64(0)
	if !old.empty() {
		var ok bool
		if value, ok = integer(old.text()); !ok {
			c.reply.failure(notInteger)
			return
		}
	}
	total, ok := sum(value, by)
	if !ok {
		c.reply.failure(errorOverflow)
		return
	}
	keep(strconv.FormatInt(total, 10))
	c.reply.integer(total)
}
