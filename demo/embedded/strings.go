package embedded

import (
	"math"
	"strconv"
	"strings"
)

// setOptions are what may follow the value in SET, and the key in GETEX.
type setOptions struct {
	onlyNew, onlyOld, keepTTL, persist, get bool
	unit                                    string // EX, PX, EXAT, PXAT, or "" without an expiry
	amount                                  string
}

// parseSetOptions reads them; allowed names the ones that the command knows.
func parseSetOptions(args []string, allowed string) (o setOptions, ok bool) {
	for i := 0; i < len(args); i++ {
		option := strings.ToUpper(args[i])
		if !strings.Contains(allowed, " "+option+" ") {
			return o, false
		}
		switch option {
		case "NX":
			o.onlyNew = true
		case "XX":
			o.onlyOld = true
		case "GET":
			o.get = true
		case "KEEPTTL":
			o.keepTTL = true
		case "PERSIST":
			o.persist = true
		default:
			if o.unit != "" || i+1 == len(args) {
				return o, false
			}
			o.unit = option
			i++
			o.amount = args[i]
		}
	}
	conflict := o.onlyNew && o.onlyOld || (o.keepTTL || o.persist) && o.unit != "" || o.keepTTL && o.persist
	return o, !conflict
}

// deadline is the instant of an expiry in Unix milliseconds; a failure is the answer to the client. An expiry that is not
// in the future of its unit (0 seconds) is refused where positive is set, as SET and SETEX do.
func (s *Server) deadline(unit, amount, command string, positive bool) (at int64, failure string) {
	n, ok := integer(amount)
	if !ok {
		return 0, errorNotInteger
	}
	invalid := "ERR invalid expire time in '" + command + "' command"
	if positive && n <= 0 {
		return 0, invalid
	}
	if unit == "EX" || unit == "EXAT" {
		if n > math.MaxInt64/1000 || n < math.MinInt64/1000 {
			return 0, invalid
		}
		n *= 1000
	}
	if unit == "EX" || unit == "PX" {
		now := s.now.UnixMilli()
		if n > math.MaxInt64-now {
			return 0, invalid
		}
		n += now
	}
	return n, ""
}

// set gives a key a string value, whatever it held before, and tells of it. A deadline of 0 is none.
func (s *Server) set(db *database, key, value string, keepTTL bool, deadline int64) {
	s.store(db, "SET", key, value)
	e := s.create(db, key)
	if !keepTTL {
		s.persist(e)
	}
	s.notify(classString, "set", db, key)
	if deadline != 0 {
		s.expireAt(e, deadline)
		s.notify(classGeneric, "expire", db, key)
	}
}

// getOld answers with the string that the first key holds before the command changes it.
func (s *Server) getOld(c *call) answer {
	if c.db.keys[c.args[1]] == nil {
		s.missed(c.db, c.args[1])
	}
	return s.forward(c, "GET", c.args[1])
}

func setCommand(s *Server, c *call) {
	key, value := c.args[1], c.args[2]
	o, ok := parseSetOptions(c.args[3:], " NX XX GET KEEPTTL EX PX EXAT PXAT ")
	if !ok {
		c.reply.failure(errorSyntax)
		return
	}
	var deadline int64
	if o.unit != "" {
		var failure string
		if deadline, failure = s.deadline(o.unit, o.amount, "set", true); failure != "" {
			c.reply.failure(failure)
			return
		}
	}
	exists := c.db.keys[key] != nil
	if o.get {
		if s.getOld(c).failed() {
			return
		}
	}
	if o.onlyNew && exists || o.onlyOld && !exists {
		if !o.get {
			c.reply.null()
		}
		return
	}
	s.set(c.db, key, value, o.keepTTL, deadline)
	if !o.get {
		c.reply.ok()
	}
}

func setIfNewCommand(s *Server, c *call) {
	isNew := c.db.keys[c.args[1]] == nil
	if isNew {
		s.set(c.db, c.args[1], c.args[2], false, 0)
	}
	c.reply.boolean(isNew)
}

// setExpiringCommand is SETEX or PSETEX.
func setExpiringCommand(unit string) handler {
	return func(s *Server, c *call) {
		deadline, failure := s.deadline(unit, c.args[2], c.command.name, true)
		if failure != "" {
			c.reply.failure(failure)
			return
		}
		s.set(c.db, c.args[1], c.args[3], false, deadline)
		c.reply.ok()
	}
}

func getSetCommand(s *Server, c *call) {
	if !s.getOld(c).failed() {
		s.set(c.db, c.args[1], c.args[2], false, 0)
	}
}

func getDeleteCommand(s *Server, c *call) {
	a := s.getOld(c)
	if e := c.db.keys[c.args[1]]; e != nil && !a.failed() {
		s.remove(e)
		s.notify(classGeneric, "del", c.db, c.args[1])
	}
}

func getExpireCommand(s *Server, c *call) {
	key := c.args[1]
	o, ok := parseSetOptions(c.args[2:], " PERSIST EX PX EXAT PXAT ")
	if !ok {
		c.reply.failure(errorSyntax)
		return
	}
	e := c.db.keys[key]
	a := s.values.do(c.db.number, c.reply.resp3, "GET", key)
	if e == nil {
		s.missed(c.db, key)
	}
	if e == nil || a.failed() {
		c.reply.raw(a)
		return
	}
	switch {
	case o.unit != "":
		deadline, failure := s.deadline(o.unit, o.amount, "getex", true)
		if failure != "" {
			c.reply.failure(failure)
			return
		}
		s.expireOrDelete(e, deadline)
	case o.persist:
		if s.persist(e) {
			s.notify(classGeneric, "persist", c.db, key)
		}
	}
	c.reply.raw(a)
}

// setManyCommand is MSET or MSETNX.
func setManyCommand(onlyNew bool) handler {
	return func(s *Server, c *call) {
		pairs := c.args[1:]
		if len(pairs)%2 != 0 {
			c.wrongArity(c.command.name)
			return
		}
		for i := 0; onlyNew && i < len(pairs); i += 2 {
			if c.db.keys[pairs[i]] != nil {
				c.reply.integer(0)
				return
			}
		}
		for i := 0; i < len(pairs); i += 2 {
			s.set(c.db, pairs[i], pairs[i+1], false, 0)
		}
		if onlyNew {
			c.reply.integer(1)
			return
		}
		c.reply.ok()
	}
}

// appendCommand is APPEND. The length is bounded as that of a word is: repeated, it would else fill the memory of the process.
func appendCommand(s *Server, c *call) {
	if length := s.store(c.db, "STRLEN", c.args[1]); length.integer() > int64(maxWordBytes-len(c.args[2])) {
		c.reply.failure(errorTooLong)
		return
	}
	growCommand(classString, "append", always)(s, c)
}

// setRangeCommand is SETRANGE, which does nothing where nothing is to be written. The offset is bounded here: the store
// would make room for any, and a process that runs out of memory cannot be saved.
func setRangeCommand(s *Server, c *call) {
	offset, err := strconv.ParseInt(c.args[2], 10, 64)
	switch {
	case err != nil:
		c.reply.failure(errorNotInteger)
		return
	case offset < 0:
		c.reply.failure("ERR offset is out of range")
		return
	case c.args[3] != "" && offset > int64(maxWordBytes-len(c.args[3])):
		c.reply.failure(errorTooLong)
		return
	}
	if c.args[3] == "" {
		s.forward(c, "STRLEN", c.args[1])
		return
	}
	if !s.forward(c, c.args...).failed() {
		s.grew(c.db, c.args[1], classString, "setrange")
	}
}

func getRangeCommand(s *Server, c *call) {
	start, err := strconv.ParseInt(c.args[2], 10, 64)
	end, endErr := strconv.ParseInt(c.args[3], 10, 64)
	if err != nil || endErr != nil {
		c.reply.failure(errorNotInteger)
		return
	}
	a := s.store(c.db, "GET", c.args[1])
	if a.failed() {
		c.reply.raw(a)
		return
	}
	value := a.text()
	length := int64(len(value))
	if start < 0 && end < 0 && start > end {
		length = 0
	}
	if start < 0 {
		start = max(start+length, 0)
	}
	if end < 0 {
		end = max(end+length, 0)
	}
	if end = min(end, length-1); start > end {
		c.reply.bulk("")
		return
	}
	c.reply.bulk(value[start : end+1])
}

func timeCommand(s *Server, c *call) {
	now := s.wall() // also inside a script: in Redis 7.0 it goes on there
	c.reply.bulks(strconv.FormatInt(now.Unix(), 10), strconv.Itoa(now.Nanosecond()/1000))
}
