package embedded

import (
	"strconv"
	"strings"
	"time"
)

// Where Redis 7.0 leaves the compact encodings, by its default configuration.
const (
	embeddedStringMax = 44
	compactEntries    = 128
	compactIntegers   = 512
)

func objectCommand(s *Server, c *call) {
	sub := strings.ToLower(c.args[1])
	switch sub {
	case "encoding", "idletime", "refcount", "freq":
	default:
		c.unknownSubcommand()
		return
	}
	if len(c.args) != 3 {
		c.wrongArity("object|" + sub)
		return
	}
	key := c.args[2]
	e := s.lookup(c.db, key)
	switch {
	case e == nil:
		c.reply.null()
	case sub == "idletime":
		c.reply.integer(int64(s.now.Sub(e.touched) / time.Second))
	case sub == "refcount":
		c.reply.integer(1)
	case sub == "encoding":
		c.reply.bulk(s.encoding(c.db, key))
	default:
		c.reply.failure("ERR An LFU maxmemory policy is not selected, access frequency not tracked. " +
			"Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.")
	}
}

// encoding is what Redis would use for such a value, judged by its size alone.
func (s *Server) encoding(db *database, key string) string {
	compact := func(length, compactName, name string) string {
		if s.store(db, length, key).integer() <= compactEntries {
			return compactName
		}
		return name
	}
	switch s.store(db, "TYPE", key).text() {
	case "hash":
		return compact("HLEN", "listpack", "hashtable")
	case "zset":
		return compact("ZCARD", "listpack", "skiplist")
	case "list":
		return "quicklist"
	case "set":
		if s.store(db, "SCARD", key).integer() <= compactIntegers && s.allIntegers(db, key) {
			return "intset"
		}
		return "hashtable"
	}
	value := s.store(db, "GET", key).text()
	if _, err := strconv.ParseInt(value, 10, 64); err == nil && !strings.HasPrefix(value, "+") {
		return "int"
	}
	if len(value) <= embeddedStringMax {
		return "embstr"
	}
	return "raw"
}

// allIntegers looks at one member only, for there is no cheap way to see all: a mixed set may be called an intset.
func (s *Server) allIntegers(db *database, key string) bool {
	_, err := strconv.ParseInt(s.store(db, "SRANDMEMBER", key).text(), 10, 64)
	return err == nil
}

// memoryCommand is MEMORY USAGE: the size of the value in this process and of its name, an estimate.
func memoryCommand(s *Server, c *call) {
	if !strings.EqualFold(c.args[1], "usage") {
		c.unknownSubcommand()
		return
	}
	if len(c.args) != 3 && (len(c.args) != 5 || !strings.EqualFold(c.args[3], "samples")) {
		c.reply.failure(errorSyntax)
		return
	}
	// Redis does not reap an expired key here (it looks without an access).
	if c.db.keys[c.args[2]] == nil {
		c.reply.null()
		return
	}
	const overhead = 56 // what Redis 7.0 adds to a short key's name and value
	c.reply.integer(overhead + int64(len(c.args[2])) + s.store(c.db, "MEMORY", "USAGE", c.args[2]).integer())
}
