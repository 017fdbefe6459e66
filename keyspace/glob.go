package keyspace

import "math/bits"

// A glob is compiled to steps. The meaning is that of stringmatchlen in Redis' util.c, to the letter: a class that is not
// closed ends with the pattern, a lone backslash at the end stands for itself, a reversed range is turned round, and bytes
// in ranges are compared as signed (as on the platforms where C's char is signed; only ranges that mix ASCII with other
// bytes can tell).

// set is a set of bytes.
type set [4]uint64

func (s *set) add(b byte)      { s[b>>6] |= 1 << (b & 63) }
func (s *set) has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }

func (s *set) invert() {
	for i := range s {
		s[i] = ^s[i]
	}
}

// step matches any run of bytes (star), or one byte of a set.
type step struct {
	star bool
	set  set
}

// glob is a compiled pattern.
type glob []step

func compileGlob(pattern string) glob {
	var g glob
	for i := 0; i < len(pattern); i++ {
		var s step
		switch c := pattern[i]; c {
		case '*':
			if len(g) > 0 && g[len(g)-1].star {
				continue
			}
			s.star = true
		case '?':
			s.set.invert()
		case '[':
			i, _ = compileClass(pattern, i+1, &s.set)
		case '\\':
			if i+1 < len(pattern) {
				i++
			}
			s.set.add(pattern[i])
		default:
			s.set.add(c)
		}
		g = append(g, s)
	}
	return g
}

// compileClass reads the class whose first byte is pattern[i], and returns the index of its last byte and whether that is
// the "]" that closes it.
func compileClass(pattern string, i int, s *set) (end int, closed bool) {
	negated := i < len(pattern) && pattern[i] == '^'
	if negated {
		i++
	}
	i = compileMembers(pattern, i, s)
	if negated {
		s.invert()
	}
	return min(i, len(pattern)-1), i < len(pattern)
}

// compileMembers adds what stands between the brackets, and returns the index of the "]", or the pattern's length.
func compileMembers(pattern string, i int, s *set) int {
	for ; i < len(pattern) && pattern[i] != ']'; i++ {
		switch left := len(pattern) - i; {
		case left >= 2 && pattern[i] == '\\':
			i++
			s.add(pattern[i])
		case left >= 3 && pattern[i+1] == '-':
			low, high := int8(pattern[i]), int8(pattern[i+2]) // signed, as C's char
			if low > high {
				low, high = high, low
			}
			for c := int(low); c <= int(high); c++ {
				s.add(byte(c))
			}
			i += 2
		default:
			s.add(pattern[i])
		}
	}
	return i
}

// match says whether the glob names the key. It needs no recursion: of several stars only the last one seen ever needs
// to give way. An empty key is named by the empty pattern, and by "*", which Redis does not even compare.
func (g glob) match(key string) bool {
	if key == "" {
		return len(g) == 0 || len(g) == 1 && g[0].star
	}
	at, star, resume := 0, -1, 0
	for i := 0; i < len(key); {
		switch {
		case at < len(g) && g[at].star:
			star, resume = at, i
			at++
		case at < len(g) && g[at].set.has(key[i]):
			at++
			i++
		case star >= 0:
			resume++
			at, i = star+1, resume
		default:
			return false
		}
	}
	for at < len(g) && g[at].star {
		at++
	}
	return at == len(g)
}

// matcher matches a key against several globs at once. Globs of the form "*...*", which are what "contains this word in
// any letter case" compiles to, are searched for together, one shift and one table look-up a byte (the bitap algorithm):
// with a dozen of them this costs a client a tenth of what one comparison after the other does.
type matcher struct {
	globs  []glob
	inTurn []glob // those that bitap does not hold
	// firsts and lasts have a bit for each of the first 64 of these that may name a key with this first, or last, byte.
	firsts, lasts [256]uint64
	table         *[256]uint64
	starts        uint64
	accepts       uint64
}

func newMatcher(patterns []Pattern) *matcher {
	m := &matcher{table: new([256]uint64)}
	used := 0
	for _, p := range patterns {
		g := compileGlob(p.Glob)
		m.globs = append(m.globs, g)
		word := g
		if len(g) >= 3 && g[0].star && g[len(g)-1].star {
			word = g[1 : len(g)-1]
		}
		if len(word) == len(g) || used+len(word) > 64 || hasStar(word) {
			m.addInTurn(g)
			continue
		}
		m.starts |= 1 << used
		for i := range word {
			for b := range 256 {
				if word[i].set.has(byte(b)) {
					m.table[b] |= 1 << used
				}
			}
			used++
		}
		m.accepts |= 1 << (used - 1)
	}
	return m
}

func hasStar(g glob) bool {
	for i := range g {
		if g[i].star {
			return true
		}
	}
	return false
}

// match says whether any of the globs names the key.
func (m *matcher) match(key string) bool {
	var state uint64
	if m.starts != 0 {
		for i := range len(key) {
			state = (state<<1 | m.starts) & m.table[key[i]]
			if state&m.accepts != 0 {
				return true
			}
		}
	}
	return m.matchInTurn(key)
}

// addInTurn adds a glob that is tried by itself.
func (m *matcher) addInTurn(g glob) {
	if at := len(m.inTurn); at < 64 && len(g) > 0 {
		first, last := g[0], g[len(g)-1]
		for b := range 256 {
			if first.star || first.set.has(byte(b)) {
				m.firsts[b] |= 1 << at
			}
			if last.star || last.set.has(byte(b)) {
				m.lasts[b] |= 1 << at
			}
		}
	}
	m.inTurn = append(m.inTurn, g)
}

// matchInTurn tries those globs that the first and the last byte of the key allow.
func (m *matcher) matchInTurn(key string) bool {
	from := 0
	if key != "" {
		for may := m.firsts[key[0]] & m.lasts[key[len(key)-1]]; may != 0; may &= may - 1 {
			if m.inTurn[bits.TrailingZeros64(may)].match(key) {
				return true
			}
		}
		from = 64
	}
	for i := from; i < len(m.inTurn); i++ {
		if m.inTurn[i].match(key) {
			return true
		}
	}
	return false
}

// first is the index of the first glob that names the key, or -1.
func (m *matcher) first(key string) int {
	for i, g := range m.globs {
		if g.match(key) {
			return i
		}
	}
	return -1
}
