package embedded

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// changeWhen says by the store's answer whether a command has changed anything.
type changeWhen func(answer) bool

func always(answer) bool     { return true }
func positive(a answer) bool { return a.integer() > 0 }
func gaveSome(a answer) bool { return !a.empty() }

// growCommand is a command that can create its key and never deletes it.
func growCommand(kind class, event string, changed changeWhen) handler {
	return func(s *Server, c *call) {
		a := s.forward(c, c.args...)
		if a.failed() || !changed(a) {
			return
		}
		s.grew(c.db, c.args[1], kind, event)
	}
}

// shrinkCommand is a command that never creates its key, and deletes it with its last element.
func shrinkCommand(kind class, event string, changed changeWhen) handler {
	return func(s *Server, c *call) {
		e := c.db.keys[c.args[1]]
		a := s.forward(c, c.args...)
		if e == nil || a.failed() || !changed(a) {
			return
		}
		s.shrank(e, kind, event)
	}
}

// incrementFloatCommand is HINCRBYFLOAT. Of a field that is no number the store says no more than
// of a bad increment.
func incrementFloatCommand(s *Server, c *call) {
	by, err := strconv.ParseFloat(c.args[3], 64)
	if err == nil && math.IsInf(by, 0) {
		c.reply.failure("ERR value is NaN or Infinity")
		return
	}
	a := s.store(c.db, c.args...)
	if a.failed() && err == nil && strings.HasPrefix(string(a), "-ERR value is not") {
		c.reply.failure("ERR hash value is not a float")
		return
	}
	c.reply.raw(a)
	if !a.failed() {
		s.grew(c.db, c.args[1], classHash, "hincrbyfloat")
	}
}

// popScoredCommand is ZPOPMIN or ZPOPMAX. The store takes a count of 0 for all, and does not know
// that with a count RESP3 wants pairs.
func popScoredCommand(s *Server, c *call) {
	if len(c.args) == 3 && c.args[2] == "0" {
		a := s.store(c.db, "ZCARD", c.args[1])
		if a.failed() {
			c.reply.raw(a)
			return
		}
		c.reply.array(0)
		return
	}
	start := len(c.reply.data)
	shrinkCommand(classSorted, c.command.name, gaveSome)(s, c)
	if a := bytes.Clone(c.reply.data[start:]); len(c.args) == 3 && c.reply.resp3 && a[0] == '*' {
		c.reply.data = appendPairs(c.reply.data[:start], a)
	}
}

// grew tells of a change of a key that is there afterwards.
func (s *Server) grew(db *database, key string, kind class, event string) {
	s.create(db, key)
	s.notify(kind, event, db, key)
	if kind == classList {
		s.mayServe = true
	}
}

// shrank tells of a change of a key that may be gone afterwards.
func (s *Server) shrank(e *entry, kind class, event string) {
	db, key := e.db, e.key
	s.notify(kind, event, db, key)
	if s.store(db, "EXISTS", key).integer() == 0 {
		s.forget(e)
		s.notify(classGeneric, "del", db, key)
	}
}

// moveElementCommand is LMOVE; RPOPLPUSH is LMOVE RIGHT LEFT. The target's event comes first, as in
// Redis.
func moveElementCommand(s *Server, c *call) {
	args := c.args
	if len(args) == 3 {
		args = []string{"lmove", args[1], args[2], "RIGHT", "LEFT"}
	}
	source := c.db.keys[args[1]]
	a := s.forward(c, args...)
	if source == nil || a.failed() || a.empty() {
		return
	}
	events := map[string][2]string{"LEFT": {"lpop", "lpush"}, "RIGHT": {"rpop", "rpush"}}
	s.grew(c.db, args[2], classList, events[strings.ToUpper(args[4])][1])
	s.shrank(source, classList, events[strings.ToUpper(args[3])][0])
}

// moveMemberCommand is SMOVE.
func moveMemberCommand(s *Server, c *call) {
	source := c.db.keys[c.args[1]]
	before := s.store(c.db, "SCARD", c.args[2])
	a := s.forward(c, c.args...)
	if source == nil || c.args[1] == c.args[2] || a.failed() || a.integer() == 0 {
		return
	}
	s.shrank(source, classSet, "srem")
	s.create(c.db, c.args[2])
	if s.store(c.db, "SCARD", c.args[2]).integer() > before.integer() {
		s.notify(classSet, "sadd", c.db, c.args[2])
	}
}

// storeSetCommand is SINTERSTORE and the like: the target becomes the result, or is deleted where
// there is none.
func storeSetCommand(s *Server, c *call) {
	target := c.args[1]
	a := s.values.do(c.db.number, c.reply.resp3, append([]string{strings.TrimSuffix(c.command.name, "store")}, c.args[2:]...)...)
	if a.failed() {
		c.reply.raw(a)
		return
	}
	e := c.db.keys[target]
	a = s.forward(c, c.args...)
	if a.integer() > 0 {
		s.persist(s.create(c.db, target))
		s.notify(classSet, c.command.name, c.db, target)
		return
	}
	s.store(c.db, "DEL", target) // the store keeps an empty set
	if e != nil {
		s.forget(e)
		s.notify(classGeneric, "del", c.db, target)
	}
}

// addScoredCommand is ZADD and ZINCRBY. Their answers do not tell whether anything has changed, so
// the store is asked by ZADD CH, or by the score before and after.
func addScoredCommand(s *Server, c *call) {
	key := c.args[1]
	increments := c.command.name == "zincrby"
	tellsChanges := false
	for _, option := range c.args[2:] {
		switch strings.ToUpper(option) {
		case "INCR":
			increments = true
			continue
		case "CH":
			tellsChanges = true
			continue
		case "NX", "XX", "GT", "LT":
			continue
		}
		break
	}
	if increments {
		member := c.args[len(c.args)-1]
		before := s.store(c.db, "ZSCORE", key, member)
		a := s.forward(c, c.args...)
		if !a.failed() && string(before) != string(s.store(c.db, "ZSCORE", key, member)) {
			s.grew(c.db, key, classSorted, "zincr")
		}
		return
	}
	before := s.store(c.db, "ZCARD", key).integer()
	args := c.args
	if !tellsChanges {
		args = append([]string{args[0], args[1], "CH"}, args[2:]...)
	}
	a := s.store(c.db, args...)
	switch {
	case a.failed() || tellsChanges:
		c.reply.raw(a)
	default:
		c.reply.integer(s.store(c.db, "ZCARD", key).integer() - before)
	}
	if a.integer() > 0 {
		s.grew(c.db, key, classSorted, "zadd")
	}
}

// scoredCommand is a command that gives members with scores if asked to. RESP3 wants each with its
// score in an array of its own, which the store does not know.
func scoredCommand(s *Server, c *call) {
	start := len(c.reply.data)
	a := s.forward(c, c.args...)
	withScores := slices.ContainsFunc(c.args[2:], func(arg string) bool { return strings.EqualFold(arg, "WITHSCORES") })
	if withScores && c.reply.resp3 && len(a) > 0 && a[0] == '*' {
		c.reply.data = appendPairs(c.reply.data[:start], bytes.Clone(a)) // what is forwarded may lie in the reply itself
	}
}

// appendPairs makes an array of pairs out of a flat array of bulk strings and doubles.
func appendPairs(to []byte, flat answer) []byte {
	header := bytes.IndexByte(flat, '\n') + 1
	rest := flat[header:]
	n, err := strconv.Atoi(string(flat[1 : header-2]))
	if err != nil {
		return append(to, flat...)
	}
	to = fmt.Appendf(to, "*%d\r\n", n/2)
	for i := range n {
		if i%2 == 0 {
			to = append(to, "*2\r\n"...)
		}
		end := bytes.IndexByte(rest, '\n') + 1
		if rest[0] == '$' {
			length, err := strconv.Atoi(string(rest[1 : end-2]))
			if err != nil || length < 0 {
				length = -2 // a null has no body
			}
			end += length + 2
		}
		to = append(to, rest[:end]...)
		rest = rest[end:]
	}
	return to
}

// plainCommand is a command whose answer is the same in both protocols.
func plainCommand(s *Server, c *call) { c.reply.raw(s.store(c.db, c.args...)) }

// membersCommand is SINTER and the like: RESP3 has a type for sets, which the store does not use
// here.
func membersCommand(s *Server, c *call) {
	start := len(c.reply.data)
	s.forward(c, c.args...)
	if c.reply.resp3 && c.reply.data[start] == '*' {
		c.reply.data[start] = '~'
	}
}

// mostRandom bounds how many members may be chosen with repetitions: the store would choose any
// number of them.
const mostRandom = 1 << 16

// randomCommand is SRANDMEMBER and its kin.
func randomCommand(s *Server, c *call) {
	if len(c.args) > 2 {
		if n, ok := integer(c.args[2]); ok && n < -mostRandom {
			c.reply.failure("ERR value is out of range")
			return
		}
	}
	s.forward(c, c.args...)
}

// positionCommand is LPOS. The store makes room for as many positions as are asked for.
func positionCommand(s *Server, c *call) {
	args := slices.Clone(c.args)
	for i := 3; i+1 < len(args); i += 2 {
		if n, ok := integer(args[i+1]); ok && strings.EqualFold(args[i], "count") && n > maxWords {
			args[i+1] = strconv.Itoa(maxWords)
		}
	}
	s.forward(c, args...)
}
