package keyspace

import "slices"

// This file asks of globs what they name together: an ACL is written with globs, and is to grant what is needed, once.

// nobodysKey stands in the place of stars, for a name that nobody would give. It has two parts, for some libraries divide a name at
// a colon, and it holds none of the words by which locks are found,
// lest a pattern names a key for the sake of it.
const nobodysKey = "of:nobody"

// ProbeKey is a key that a pattern names, and that nobody has: each of its stars stands for a name that none would give.
func ProbeKey(p Pattern) string {
	key, _ := CommonKey(p, Pattern{Glob: "*"})
	return key
}

// CommonKey is a key that both patterns name, and that nobody has if both leave room for such a name; false: none names what
// the other does.
func CommonKey(a, b Pattern) (string, bool) {
	c := common{a: compileGlob(a.Glob), b: compileGlob(b.Glob), barren: map[[2]int]bool{}}
	return c.from(0, 0)
}

// common looks for a key that two globs name.
type common struct {
	a, b glob
	// barren are the places in both from which there is no way to the end.
	barren map[[2]int]bool
}

// from is the rest of such a key behind a place in both globs.
func (c *common) from(i, j int) (string, bool) {
	if i == len(c.a) && j == len(c.b) {
		return "", true
	}
	if c.barren[[2]int{i, j}] {
		return "", false
	}
	if rest, ok := c.next(i, j); ok {
		return rest, true
	}
	c.barren[[2]int{i, j}] = true
	return "", false
}

func (c *common) next(i, j int) (string, bool) {
	aStar, bStar := i < len(c.a) && c.a[i].star, j < len(c.b) && c.b[j].star
	first := ""
	switch {
	case aStar && bStar:
		first = nobodysKey
	case !aStar && !bStar && i < len(c.a) && j < len(c.b):
		return c.byte(i, j, 1, 1)
	case aStar && j < len(c.b):
		if rest, ok := c.byte(i, j, 0, 1); ok {
			return rest, true
		}
	case bStar && i < len(c.a):
		if rest, ok := c.byte(i, j, 1, 0); ok {
			return rest, true
		}
	}
	if aStar { // and now without the star
		if rest, ok := c.from(i+1, j); ok {
			return first + rest, true
		}
	}
	if bStar {
		if rest, ok := c.from(i, j+1); ok {
			return first + rest, true
		}
	}
	return "", false
}

// byte goes on by one byte that both take at this place, a letter if it may be one.
func (c *common) byte(i, j, onA, onB int) (string, bool) {
	for n := range 256 {
		b := byte(n + 'a')
		if c.a[i].takes(b) && c.b[j].takes(b) {
			rest, ok := c.from(i+onA, j+onB)
			return string([]byte{b}) + rest, ok
		}
	}
	return "", false
}

func (s step) takes(b byte) bool { return s.star || s.set.has(b) }

// Always says whether every key that the pattern names has this byte in it, as can be seen from one place of the pattern alone.
func (p Pattern) Always(b byte) bool {
	var only set
	only.add(b)
	return slices.ContainsFunc(compileGlob(p.Glob), func(s step) bool { return !s.star && s.set == only })
}

// Covers says whether the pattern names every key that the other one does. Of a pattern of more than 63 bytes and stars it says
// so only where both are the same.
func (p Pattern) Covers(other Pattern) bool {
	outer, inner := compileGlob(p.Glob), compileGlob(other.Glob)
	switch {
	case p.Glob == other.Glob:
		return true
	case len(outer) > 63 || !outer.match(ProbeKey(other)):
		return false
	}
	c := covering{outer: outer, inner: inner, bytes: distinguished(outer, inner), seen: map[covered]bool{}}
	return c.from(covered{0, c.closed(1)})
}

// covering follows the inner glob, and all places at which the outer one may be meanwhile.
type covering struct {
	outer, inner glob
	bytes        []byte // one for each sort of byte that the globs tell from others
	seen         map[covered]bool
}

// covered is a place in the inner glob, and with it the places in the outer one, a bit each.
type covered struct {
	at     int
	places uint64
}

func (c *covering) from(at covered) bool {
	if c.seen[at] {
		return true // it is looked at already
	}
	c.seen[at] = true
	if at.at == len(c.inner) {
		return at.places>>len(c.outer)&1 == 1
	}
	now, next := c.inner[at.at], at.at+1
	if now.star {
		if !c.from(covered{at.at + 1, at.places}) {
			return false
		}
		next = at.at
	}
	for _, b := range c.bytes {
		if now.takes(b) && !c.from(covered{next, c.step(at.places, b)}) {
			return false
		}
	}
	return true
}

// step takes a byte at every place.
func (c *covering) step(places uint64, b byte) uint64 {
	var after uint64
	for at, s := range c.outer {
		switch {
		case places>>at&1 == 0:
		case s.star:
			after |= 1 << at
		case s.set.has(b):
			after |= 1 << (at + 1)
		}
	}
	return c.closed(after)
}

// closed adds the places behind stars, which may stand for nothing.
func (c *covering) closed(places uint64) uint64 {
	for at, s := range c.outer {
		if s.star && places>>at&1 == 1 {
			places |= 1 << (at + 1)
		}
	}
	return places
}

// distinguished are bytes of which every other byte is like one, for these globs.
func distinguished(globs ...glob) []byte {
	var sort [256]int // of each byte
	sorts := 1
	for _, g := range globs {
		for _, s := range g {
			split := make([]int, sorts) // the new sort of those bytes of each sort that the step takes
			for n := range 256 {
				if s.star || !s.set.has(byte(n)) {
					continue
				}
				if split[sort[n]] == 0 {
					split[sort[n]] = sorts
					sorts++
				}
				sort[n] = split[sort[n]]
			}
		}
	}
	var bytes []byte
	known := make([]bool, sorts)
	for n := range 256 {
		if !known[sort[n]] {
			known[sort[n]] = true
			bytes = append(bytes, byte(n))
		}
	}
	return bytes
}

// patternsOf are the patterns of these globs.
func patternsOf(globs []string) []Pattern {
	patterns := make([]Pattern, len(globs))
	for i, glob := range globs {
		patterns[i].Glob = glob
	}
	return patterns
}

// Distinct are the patterns without those of which another one names every key.
func Distinct(patterns []Pattern) []Pattern {
	var kept []Pattern
	for i, p := range patterns {
		needed := true
		for j, q := range patterns {
			if i != j && q.Covers(p) && (j < i || !p.Covers(q)) {
				needed = false
				break
			}
		}
		if needed {
			kept = append(kept, p)
		}
	}
	return kept
}
