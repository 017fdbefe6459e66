package embedded

import (
	"strconv"
	"strings"
)

// deleteCommand is DEL or UNLINK.
func deleteCommand(s *Server, c *call) {
	deleted := int64(0)
	for _, key := range c.args[1:] {
		if e := c.db.keys[key]; e != nil {
			s.remove(e)
			s.notify(classGeneric, "del", c.db, key)
			deleted++
		}
	}
	c.reply.integer(deleted)
}

// renameCommand is RENAME or RENAMENX. A key that is overwritten goes without an event.
func renameCommand(s *Server, c *call) {
	from, to := c.args[1], c.args[2]
	onlyNew := c.command.name == "renamenx"
	source := s.lookup(c.db, from)
	if source == nil {
		c.reply.failure(errorNoSuchKey)
		return
	}
	target := source
	if from != to {
		target = s.lookup(c.db, to)
	}
	if onlyNew && target != nil {
		c.reply.integer(0)
		return
	}
	if from != to {
		if target != nil {
			s.remove(target)
		}
		deadline := source.deadline
		s.store(c.db, "RENAME", from, to)
		s.forget(source)
		if e := s.create(c.db, to); deadline != 0 {
			s.expireAt(e, deadline)
		}
		s.notify(classGeneric, "rename_from", c.db, from)
		s.notify(classGeneric, "rename_to", c.db, to)
		s.mayServe = true // the key may be a list that somebody waits for
	}
	if onlyNew {
		c.reply.integer(1)
		return
	}
	c.reply.ok()
}

func copyCommand(s *Server, c *call) {
	from, to, db, replace := c.args[1], c.args[2], c.db, false
	for i := 3; i < len(c.args); i++ {
		switch option := strings.ToUpper(c.args[i]); {
		case option == "REPLACE":
			replace = true
		case option == "DB" && i+1 < len(c.args):
			i++
			n, failure := databaseNumber(c.args[i])
			if failure != "" {
				c.reply.failure(failure)
				return
			}
			db = s.databases[n]
		default:
			c.reply.failure(errorSyntax)
			return
		}
	}
	if db == c.db && from == to {
		c.reply.failure(errorSameObject)
		return
	}
	source := s.lookup(c.db, from)
	if source == nil {
		s.missed(c.db, from)
		c.reply.integer(0)
		return
	}
	target := s.lookup(db, to)
	if target != nil && !replace {
		c.reply.integer(0)
		return
	}
	if target != nil {
		s.remove(target)
	}
	s.store(c.db, "COPY", from, to, "DB", strconv.Itoa(db.number))
	if e := s.create(db, to); source.deadline != 0 {
		s.expireAt(e, source.deadline)
	}
	s.notify(classGeneric, "copy_to", db, to)
	s.mayServe = true
	c.reply.integer(1)
}

func moveCommand(s *Server, c *call) {
	key := c.args[1]
	n, failure := databaseNumber(c.args[2])
	if failure != "" {
		c.reply.failure(failure)
		return
	}
	db := s.databases[n]
	if db == c.db {
		c.reply.failure(errorSameObject)
		return
	}
	source := c.db.keys[key]
	if source == nil || s.lookup(db, key) != nil {
		c.reply.integer(0)
		return
	}
	deadline := source.deadline
	s.store(c.db, "MOVE", key, strconv.Itoa(db.number))
	s.forget(source)
	if e := s.create(db, key); deadline != 0 {
		s.expireAt(e, deadline)
	}
	s.notify(classGeneric, "move_from", c.db, key)
	s.notify(classGeneric, "move_to", db, key)
	s.mayServe = true
	c.reply.integer(1)
}

// restoreCommand is RESTORE. The payload is the store's, not that of Redis.
func restoreCommand(s *Server, c *call) {
	key, payload := c.args[1], c.args[3]
	replace, unit := false, "PX"
	for i := 4; i < len(c.args); i++ {
		switch option := strings.ToUpper(c.args[i]); {
		case option == "REPLACE":
			replace = true
		case option == "ABSTTL":
			unit = "PXAT"
		case (option == "IDLETIME" || option == "FREQ") && i+1 < len(c.args):
			i++
		default:
			c.reply.failure(errorSyntax)
			return
		}
	}
	e := c.db.keys[key]
	if e != nil && !replace {
		c.reply.failure("BUSYKEY Target key name already exists.")
		return
	}
	if n, err := strconv.ParseInt(c.args[2], 10, 64); err == nil && n < 0 {
		c.reply.failure("ERR Invalid TTL value, must be >= 0")
		return
	}
	deadline, failure := s.deadline(unit, c.args[2], "restore", false)
	if failure != "" {
		c.reply.failure(failure)
		return
	}
	if e != nil {
		s.remove(e)
	}
	if c.args[2] != "0" && deadline <= s.now.UnixMilli() {
		if e != nil {
			s.notify(classGeneric, "del", c.db, key)
		}
		c.reply.ok()
		return
	}
	if s.forward(c, "RESTORE", key, "0", payload).failed() {
		return
	}
	created := s.create(c.db, key)
	if c.args[2] != "0" {
		s.expireAt(created, deadline)
	}
	s.notify(classGeneric, "restore", c.db, key)
}

// flushCommand is FLUSHDB or FLUSHALL: no key gets an event.
func flushCommand(s *Server, c *call) {
	if len(c.args) > 2 || len(c.args) == 2 && !strings.EqualFold(c.args[1], "ASYNC") && !strings.EqualFold(c.args[1], "SYNC") {
		c.reply.failure(errorSyntax)
		return
	}
	if c.command.name == "flushdb" {
		s.clear(c.db)
	} else {
		for _, db := range s.databases {
			s.clear(db)
		}
	}
	c.reply.ok()
}

// swapCommand is SWAPDB: every client sees the other database's keys at once, without an event.
func swapCommand(s *Server, c *call) {
	first, failure := databaseNumber(c.args[1])
	if failure == errorNotInteger {
		failure = "ERR invalid first DB index"
	}
	second, secondFailure := databaseNumber(c.args[2])
	if secondFailure == errorNotInteger {
		secondFailure = "ERR invalid second DB index"
	}
	if failure == "" {
		failure = secondFailure
	}
	if failure != "" {
		c.reply.failure(failure)
		return
	}
	if first != second {
		s.store(c.db, "SWAPDB", strconv.Itoa(first), strconv.Itoa(second))
		a, b := s.databases[first], s.databases[second]
		a.keys, b.keys = b.keys, a.keys
		a.volatile, b.volatile = b.volatile, a.volatile
		for _, db := range []*database{a, b} {
			for key, e := range db.keys {
				e.db = db
				s.touch(first, key)
				s.touch(second, key)
			}
		}
		s.mayServe = true
	}
	c.reply.ok()
}

func databaseNumber(text string) (n int, failure string) {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return 0, errorNotInteger
	case n < 0 || n >= databaseCount:
		return 0, errorDatabase
	default:
		return n, ""
	}
}
