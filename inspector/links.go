package inspector

import (
	"net/netip"
	"strings"

	"locktop/keyspace"
)

// An owner and a connection are joined by what both of them say, and by nothing else. What that may be is a link.

// linkKind says what an owner has in common with a connection.
type linkKind uint8

const (
	linkAddr linkKind = iota // the owner has the connection's full address
	linkName                 // the connection's name is the owner, or a whole part of it
	linkPart                 // the owner is a whole part of the connection's name
	linkUUID                 // both have the same UUID
	linkID                   // by a rule of the operator's, the owner has the connection's id
)

// link is one such thing.
type link struct {
	kind linkKind
	text string
}

// words says how an owner is joined by a link.
func (l link) words(owner string) string {
	switch l.kind {
	case linkAddr:
		return "the owner has the connection's address"
	case linkName:
		if l.text == owner {
			return "the connection's name is the owner"
		}
		return "the connection's name is a part of the owner"
	case linkPart:
		return "the owner is a part of the connection's name"
	case linkUUID:
		return "the connection's name has the UUID of the owner"
	case linkID:
		return "the owner has the connection's id"
	}
	return ""
}

// Bounds of what is looked at in an owner or in a name.
const (
	leastLink = 3
	mostLink  = 256
	mostParts = 12
)

// everybodysNames are names that say nothing of whose a connection is: defaults of libraries, and words for what it is.
var everybodysNames = map[string]bool{
	"redis": true, "redis-client": true, "redis-server": true, "redis-cli": true, "redis-py": true, "rediscli": true, "valkey": true, "valkey-cli": true,
	"lettuce": true, "ioredis": true, "jedis": true, "redisson": true, "go-redis": true, "rueidis": true, "redigo": true, "node-redis": true, "predis": true,
	"phpredis": true, "hiredis": true, "stackexchange.redis": true, "se.redis": true, "freeredis": true, "aioredis": true, "redis-rb": true, "redix": true,
	"bull": true, "bullmq": true, "sidekiq": true, "celery": true, "redisinsight": true, "locktop": true, "sentinel": true,
	"app": true, "application": true, "api": true, "web": true, "server": true, "service": true, "client": true, "worker": true, "workers": true,
	"job": true, "jobs": true, "task": true, "thread": true, "process": true, "node": true, "host": true, "localhost": true, "master": true,
	"main": true, "default": true, "unknown": true, "none": true, "null": true, "nil": true, "true": true, "false": true, "test": true,
	"dev": true, "prod": true, "production": true, "staging": true, "local": true,
	"lock": true, "locks": true, "locked": true, "mutex": true, "lease": true, "token": true, "owner": true, "holder": true, "added": true,
	"read": true, "write": true, "cache": true, "queue": true, "session": true, "java": true, "python": true, "ruby": true, "php": true,
}

// specific says whether a text tells of whom it is: it is no common word, and no number, which may be anything.
func specific(text string) bool {
	if len(text) < leastLink || len(text) > mostLink || allDigits(text) {
		return false
	}
	for i := range len(text) {
		if isUpper(text[i]) {
			return !everybodysNames[strings.ToLower(text)]
		}
	}
	return !everybodysNames[text]
}

// specific says whether whoever is joined by the link can be told from others.
func (l link) specific() bool { return l.kind != linkName && l.kind != linkPart || specific(l.text) }

// delimits says whether a byte parts an owner or a name. What stands within words ("worker-7", "app.orders_2") does not: whoever
// took "worker" for a part of "worker-7" would guess.
func delimits(c byte) bool {
	switch c {
	case ':', '/', '|', '@', '#', ',', ';', '=', ' ', '\t', '"', '\'', '(', ')', '{', '}', '<', '>', 0:
		return true
	}
	return false
}

// eachRun gives every run of whole parts of a text, the longest first.
func eachRun(text string, give func(run string)) {
	var begins, ends [mostParts]int
	n, start, end := 0, 0, 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && !delimits(text[i]) {
			continue
		}
		if i > start {
			if n == mostParts {
				return
			}
			begins[n], ends[n], end = start, i, i
			n++
		}
		start = i + 1
	}
	if n == 0 {
		return
	}
	if begins[0] > 0 || end < len(text) {
		give(text)
	}
	for size := n; size > 0; size-- {
		for from := 0; from+size <= n; from++ {
			give(text[begins[from]:ends[from+size-1]])
		}
	}
}

// eachUUID gives every UUID within a text, in lower case.
func eachUUID(text string, give func(id string)) {
	for i := 0; i+36 <= len(text); i++ {
		if text[i+8] == '-' && isUUID(text[i:i+36]) && (i == 0 || !isAlnumByte(text[i-1])) && (i+36 == len(text) || !isAlnumByte(text[i+36])) {
			give(strings.ToLower(text[i : i+36]))
			i += 35
		}
	}
}

func isAlnumByte(c byte) bool { return isLetter(c) || isDigit(c) }

// eachAddress gives every full address with a port within a text.
func eachAddress(text string, give func(addr string)) {
	if !strings.ContainsRune(text, ':') || !strings.ContainsAny(text, ".[") {
		return
	}
	eachRun(text, func(run string) {
		if c := run[len(run)-1]; !isDigit(c) || run[0] != '[' && !isDigit(run[0]) {
			return
		}
		if addr, err := netip.ParseAddrPort(run); err == nil {
			give(addr.String())
		}
	})
}

// eachLink gives everything by which an owner may be joined to a connection, if it is specific.
func eachLink(owner string, give func(link)) {
	owner = unwrap(owner)
	if len(owner) < leastLink || len(owner) > 2*mostLink {
		return
	}
	eachAddress(owner, func(addr string) { give(link{linkAddr, addr}) })
	eachRun(owner, func(run string) {
		if len(run) >= leastLink {
			give(link{linkName, run})
		}
	})
	give(link{linkPart, owner})
	eachUUID(owner, func(id string) { give(link{linkUUID, id}) })
}

// eachLinkOf gives everything by which an owner may be joined to this connection.
func eachLinkOf(c *keyspace.Client, give func(link)) {
	give(link{linkID, clientNumber(c)})
	if addr, err := netip.ParseAddrPort(c.Addr); err == nil {
		give(link{linkAddr, addr.String()})
	}
	if c.Name == "" || len(c.Name) > mostLink {
		return
	}
	give(link{linkName, c.Name})
	eachRun(c.Name, func(run string) {
		if run != c.Name {
			give(link{linkPart, run})
		}
	})
	eachUUID(c.Name, func(id string) { give(link{linkUUID, id}) })
}
