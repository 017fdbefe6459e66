package embedded

// matchGlob is the pattern language of KEYS, SCAN MATCH, PSUBSCRIBE and CONFIG GET: * ? [a-z] [^a] and \ to escape. It
// works on bytes, and reads broken patterns as Redis 7.0 does: an unclosed [ ends with the pattern.
func matchGlob(pattern, text string) bool {
	// The last star, and where in the text it has to try next: a mismatch after it goes back there, which keeps the
	// matching linear in the text for each star.
	star, retry := -1, 0
	p, t := 0, 0
	for t < len(text) {
		if p < len(pattern) && pattern[p] == '*' {
			star, retry = p, t
			p++
			continue
		}
		if p < len(pattern) {
			if next, ok := matchOne(pattern, p, text[t]); ok {
				p = next
				t++
				continue
			}
		}
		if star < 0 {
			return false
		}
		retry++
		p, t = star+1, retry
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// matchOne matches the element of the pattern at p, which is no star, with one byte; next is where the element ends.
func matchOne(pattern string, p int, c byte) (next int, ok bool) {
	switch pattern[p] {
	case '?':
		return p + 1, true
	case '[':
		return matchClass(pattern, p+1, c)
	case '\\':
		if p+1 < len(pattern) {
			p++
		}
	}
	return p + 1, pattern[p] == c
}

func matchClass(pattern string, p int, c byte) (next int, ok bool) {
	negated := p < len(pattern) && pattern[p] == '^'
	if negated {
		p++
	}
	found := false
	for ; p < len(pattern) && pattern[p] != ']'; p++ {
		switch {
		case pattern[p] == '\\' && p+1 < len(pattern):
			p++
			found = found || pattern[p] == c
		case p+2 < len(pattern) && pattern[p+1] == '-':
			low, high := min(pattern[p], pattern[p+2]), max(pattern[p], pattern[p+2])
			found = found || low <= c && c <= high
			p += 2
		default:
			found = found || pattern[p] == c
		}
	}
	if p < len(pattern) {
		p++ // the closing bracket
	}
	return p, found != negated
}
