package embedded

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// scanCommand is SCAN. The keys are walked in the order of a hash of their names, and the cursor is where the next page
// begins: a key that is there all the time is returned exactly once, whatever comes and goes meanwhile. As in Redis COUNT
// bounds the keys that are looked at, not those that are returned. A page costs a walk over all keys.
func scanCommand(s *Server, c *call) {
	cursor, err := strconv.ParseUint(c.args[1], 10, 64)
	if err != nil {
		c.reply.failure("ERR invalid cursor")
		return
	}
	count, pattern, kind := 10, "", ""
	for i := 2; i < len(c.args); i += 2 {
		if i+1 == len(c.args) {
			c.reply.failure(errorSyntax)
			return
		}
		value := c.args[i+1]
		switch strings.ToUpper(c.args[i]) {
		case "MATCH":
			pattern = value
		case "TYPE":
			kind = strings.ToLower(value)
		case "COUNT":
			if count, err = strconv.Atoi(value); err != nil {
				c.reply.failure(errorNotInteger)
				return
			}
			if count < 1 {
				c.reply.failure(errorSyntax)
				return
			}
		default:
			c.reply.failure(errorSyntax)
			return
		}
	}
	page, next := c.db.page(cursor, count)
	found := []string{}
	for _, e := range page {
		if pattern != "" && !matchGlob(pattern, e.key) || s.lookup(c.db, e.key) == nil {
			continue
		}
		if kind == "" || s.store(c.db, "TYPE", e.key).text() == kind {
			found = append(found, e.key)
		}
	}
	c.reply.array(2)
	c.reply.bulk(strconv.FormatUint(next, 10))
	c.reply.bulks(found...)
}

// page returns the next entries in the order of their positions, at least count where there are so many, and the cursor
// after them: 0 at the end. Keys of one position never come on two pages.
func (db *database) page(cursor uint64, count int) (page []*entry, next uint64) {
	// The positions are spread evenly, so that a window with room for the page and half as much again holds it nearly
	// always; only its entries have to be sorted.
	window := uint64(positions)
	if keys := len(db.keys); count < keys/4 {
		window = positions / uint64(keys) * uint64(count+count/2+16)
	}
	for {
		page = page[:0]
		for _, e := range db.keys {
			if e.position >= cursor && e.position-cursor < window {
				page = append(page, e)
			}
		}
		if len(page) > count || window >= positions {
			break
		}
		window *= 4
	}
	slices.SortFunc(page, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(a.position, b.position), cmp.Compare(a.key, b.key))
	})
	for count < len(page) && page[count].position == page[count-1].position {
		count++
	}
	switch {
	case count < len(page):
		return page[:count], page[count].position
	case window < positions && len(page) > 0:
		return page, page[len(page)-1].position + 1 // the window ended with a shared position
	default:
		return page, 0
	}
}

func keysCommand(s *Server, c *call) {
	found := []string{}
	for key := range c.db.keys {
		if matchGlob(c.args[1], key) {
			found = append(found, key)
		}
	}
	found = slices.DeleteFunc(found, func(key string) bool { return s.lookup(c.db, key) == nil })
	c.reply.bulks(found...)
}

func randomKeyCommand(s *Server, c *call) {
	for key := range c.db.keys { // the order of a map is random
		if s.lookup(c.db, key) != nil {
			c.reply.bulk(key)
			return
		}
	}
	c.reply.null()
}

func sizeCommand(_ *Server, c *call) { c.reply.integer(int64(len(c.db.keys))) }
