package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// matcher matches a pattern of Lua with a string. Patterns can take exponential time: each step is
// counted, so that the limit of time ends it.
type matcher struct {
	m            *machine
	L            *lua.LState
	text, pat    string
	captures     [maxCaptures]capture
	level, depth int
}

// capture is a part of the text. Its length may be one of those below.
type capture struct{ start, length int }

const (
	maxCaptures     = 32
	maxPatternDepth = 200
	unfinished      = -1
	position        = -2
	noMatch         = -1
	specialBytes    = "^$*+?.([%-"
)

// match gives where a match of the rest of the pattern at p with the text at s ends, or noMatch.
func (p *matcher) match(s, at int) int {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxPatternDepth {
		p.L.RaiseError("pattern too complex")
	}
	for at < len(p.pat) {
		p.m.tick(p.L)
		switch p.pat[at] {
		case '(':
			if at+1 < len(p.pat) && p.pat[at+1] == ')' {
				return p.open(s, at+2, position)
			}
			return p.open(s, at+1, unfinished)
		case ')':
			return p.close(s, at+1)
		case '$':
			if at+1 == len(p.pat) {
				if s == len(p.text) {
					return s
				}
				return noMatch
			}
		case '%':
			var isSpecial bool
			if s, at, isSpecial = p.matchEscape(s, at); isSpecial {
				if s == noMatch {
					return noMatch
				}
				continue
			}
		}
		end := p.classEnd(at)
		fits := p.fits(s, at, end)
		next := byte(0)
		if end < len(p.pat) {
			next = p.pat[end]
		}
		switch next {
		case '?':
			if fits {
				if e := p.match(s+1, end+1); e != noMatch {
					return e
				}
			}
			at = end + 1
		case '*':
			return p.most(s, at, end)
		case '+':
			if !fits {
				return noMatch
			}
			return p.most(s+1, at, end)
		case '-':
			return p.least(s, at, end)
		default:
			if !fits {
				return noMatch
			}
			s++
			at = end
		}
	}
	return s
}

// matchEscape matches %b, %f and %1 to %9; other escapes are classes.
func (p *matcher) matchEscape(s, at int) (after, next int, isSpecial bool) {
	if at+1 >= len(p.pat) {
		return s, at, false // which is reported as the end of a class
	}
	switch c := p.pat[at+1]; {
	case c == 'b':
		return p.balance(s, at+2), at + 4, true
	case c == 'f':
		at += 2
		if at >= len(p.pat) || p.pat[at] != '[' {
			p.L.RaiseError("%s", "missing '[' after '%f' in pattern")
		}
		end := p.classEnd(at)
		before, here := byte(0), byte(0)
		if s > 0 {
			before = p.text[s-1]
		}
		if s < len(p.text) {
			here = p.text[s]
		}
		if p.inSet(before, at, end-1) || !p.inSet(here, at, end-1) {
			return noMatch, end, true
		}
		return s, end, true
	case c >= '0' && c <= '9':
		captured := p.text[p.captures[p.checkCapture(c)].start:][:p.captures[p.checkCapture(c)].length]
		if strings.HasPrefix(p.text[s:], captured) {
			return s + len(captured), at + 2, true
		}
		return noMatch, at, true
	}
	return s, at, false
}

func (p *matcher) checkCapture(digit byte) int {
	n := int(digit) - '1'
	if n < 0 || n >= p.level || p.captures[n].length < 0 {
		p.L.RaiseError("invalid capture index")
	}
	return n
}

func (p *matcher) balance(s, at int) int {
	if at+1 >= len(p.pat) {
		p.L.RaiseError("unbalanced pattern")
	}
	if s >= len(p.text) || p.text[s] != p.pat[at] {
		return noMatch
	}
	for i, open := s+1, 1; i < len(p.text); i++ {
		p.m.tick(p.L)
		switch p.text[i] {
		case p.pat[at+1]:
			if open--; open == 0 {
				return i + 1
			}
		case p.pat[at]:
			open++
		}
	}
	return noMatch
}

// classEnd is where the class ends that begins at p.
func (p *matcher) classEnd(at int) int {
	c := p.pat[at]
	at++
	switch c {
	case '%':
		if at >= len(p.pat) {
			p.L.RaiseError("%s", "malformed pattern (ends with '%')")
		}
		return at + 1
	case '[':
		if at < len(p.pat) && p.pat[at] == '^' {
			at++
		}
		for first := true; first || at < len(p.pat) && p.pat[at] != ']'; first = false {
			if at >= len(p.pat) {
				break
			}
			at++
			if p.pat[at-1] == '%' {
				at++
			}
		}
		if at >= len(p.pat) {
			p.L.RaiseError("malformed pattern (missing ']')")
		}
		return at + 1
	}
	return at
}

// fits reports whether the byte at s is in the class between at and end.
func (p *matcher) fits(s, at, end int) bool {
	if s >= len(p.text) {
		return false
	}
	c := p.text[s]
	switch p.pat[at] {
	case '.':
		return true
	case '%':
		return inClass(c, p.pat[at+1])
	case '[':
		return p.inSet(c, at, end-1)
	}
	return p.pat[at] == c
}

// inSet reports whether a byte is in the set between the brackets at open and shut.
func (p *matcher) inSet(c byte, open, shut int) bool {
	found := true
	i := open + 1
	if p.pat[i] == '^' {
		found = false
		i++
	}
	for ; i < shut; i++ {
		switch {
		case p.pat[i] == '%' && i+1 < shut:
			i++
			if inClass(c, p.pat[i]) {
				return found
			}
		case i+2 < shut && p.pat[i+1] == '-':
			if p.pat[i] <= c && c <= p.pat[i+2] {
				return found
			}
			i += 2
		case p.pat[i] == c:
			return found
		}
	}
	return !found
}

// inClass reports whether a byte is in a class such as %a; a capital means the opposite.
func inClass(c, class byte) bool {
	var is bool
	letter := func(c byte) bool { return lowerByte(c) >= 'a' && lowerByte(c) <= 'z' }
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	switch lowerByte(class) {
	case 'a':
		is = letter(c)
	case 'c':
		is = c < ' ' || c == 127
	case 'd':
		is = digit(c)
	case 'l':
		is = c >= 'a' && c <= 'z'
	case 'p':
		is = c > ' ' && c < 127 && !letter(c) && !digit(c)
	case 's':
		is = c == ' ' || c >= '\t' && c <= '\r'
	case 'u':
		is = c >= 'A' && c <= 'Z'
	case 'w':
		is = letter(c) || digit(c)
	case 'x':
		is = digit(c) || lowerByte(c) >= 'a' && lowerByte(c) <= 'f'
	case 'z':
		is = c == 0
	default:
		return class == c
	}
	return is == (class == lowerByte(class))
}

// most matches as many bytes of a class as it can.
func (p *matcher) most(s, at, end int) int {
	n := 0
	for p.fits(s+n, at, end) {
		p.m.tick(p.L)
		n++
	}
	for ; n >= 0; n-- {
		p.m.tick(p.L)
		if e := p.match(s+n, end+1); e != noMatch {
			return e
		}
	}
	return noMatch
}

// least matches as few bytes of a class as it can.
func (p *matcher) least(s, at, end int) int {
	for {
		p.m.tick(p.L)
		if e := p.match(s, end+1); e != noMatch {
			return e
		}
		if !p.fits(s, at, end) {
			return noMatch
		}
		s++
	}
}

func (p *matcher) open(s, at, length int) int {
	if p.level >= maxCaptures {
		p.L.RaiseError("too many captures")
	}
	p.captures[p.level] = capture{s, length}
	p.level++
	e := p.match(s, at)
	if e == noMatch {
		p.level--
	}
	return e
}

func (p *matcher) close(s, at int) int {
	n := p.level - 1
	for n >= 0 && p.captures[n].length != unfinished {
		n--
	}
	if n < 0 {
		p.L.RaiseError("invalid pattern capture")
	}
	p.captures[n].length = s - p.captures[n].start
	e := p.match(s, at)
	if e == noMatch {
		p.captures[n].length = unfinished
	}
	return e
}

// captured is what a capture has caught. Without captures, the first one is the whole match.
func (p *matcher) captured(n, s, e int) lua.LValue {
	switch {
	case n >= p.level && n == 0:
		return lua.LString(p.text[s:e])
	case n >= p.level:
		p.L.RaiseError("invalid capture index")
	case p.captures[n].length == position:
		return lua.LNumber(p.captures[n].start + 1)
	case p.captures[n].length == unfinished:
		p.L.RaiseError("unfinished capture")
	}
	return lua.LString(p.text[p.captures[n].start:][:p.captures[n].length])
}

// pushCaptures gives all captures to the script, or the whole match where there are none and it is
// asked for.
func (p *matcher) pushCaptures(s, e int, whole bool) int {
	n := p.level
	if n == 0 && whole {
		n = 1
	}
	for i := range n {
		p.L.Push(p.captured(i, s, e))
	}
	return n
}

// start begins a new match of the pattern at s.
func (p *matcher) start(s, at int) int {
	p.level, p.depth = 0, 0
	return p.match(s, at)
}

func (m *machine) find(L *lua.LState) int  { return m.search(L, "find") }
func (m *machine) match(L *lua.LState) int { return m.search(L, "match") }

// search is string.find or string.match.
func (m *machine) search(L *lua.LState, function string) int {
	text, pat := stringArgument(L, 1, function), stringArgument(L, 2, function)
	from := optionalInt(L, 3, function, 1)
	if from < 0 {
		from += len(text) + 1
	}
	from = min(max(from-1, 0), len(text))
	if function == "find" && (lua.LVAsBool(L.Get(4)) || !strings.ContainsAny(pat, specialBytes)) {
		at := strings.Index(text[from:], pat)
		if at < 0 {
			L.Push(lua.LNil)
			return 1
		}
		L.Push(lua.LNumber(from + at + 1))
		L.Push(lua.LNumber(from + at + len(pat)))
		return 2
	}
	p := &matcher{m: m, L: L, text: text, pat: pat}
	at, isAnchored := 0, strings.HasPrefix(pat, "^")
	if isAnchored {
		at = 1
	}
	for s := from; s <= len(text); s++ {
		if e := p.start(s, at); e != noMatch {
			if function == "match" {
				return p.pushCaptures(s, e, true)
			}
			L.Push(lua.LNumber(s + 1))
			L.Push(lua.LNumber(e))
			return 2 + p.pushCaptures(s, e, false)
		}
		m.tick(L)
		if isAnchored {
			break
		}
	}
	L.Push(lua.LNil)
	return 1
}

func (m *machine) gmatch(L *lua.LState) int {
	text, pat := stringArgument(L, 1, "gmatch"), stringArgument(L, 2, "gmatch")
	from := 0
	L.Push(L.NewFunction(func(L *lua.LState) int {
		p := &matcher{m: m, L: L, text: text, pat: pat}
		for s := from; s <= len(text); s++ {
			if e := p.start(s, 0); e != noMatch {
				from = e
				if e == s {
					from++ // an empty match
				}
				return p.pushCaptures(s, e, true)
			}
			m.tick(L)
		}
		from = len(text) + 1
		return 0
	}))
	return 1
}

func (m *machine) gsub(L *lua.LState) int {
	text, pat := stringArgument(L, 1, "gsub"), stringArgument(L, 2, "gsub")
	replacement := L.Get(3)
	switch replacement.Type() {
	case lua.LTString, lua.LTNumber, lua.LTFunction, lua.LTTable:
	default:
		argumentError(L, 3, "gsub", "string/function/table expected")
	}
	most := optionalInt(L, 4, "gsub", len(text)+1)
	p := &matcher{m: m, L: L, text: text, pat: pat}
	at, isAnchored := 0, strings.HasPrefix(pat, "^")
	if isAnchored {
		at = 1
	}
	result := builder{m: m, L: L}
	s, n := 0, 0
	for n < most {
		m.tick(L)
		e := p.start(s, at)
		if e != noMatch {
			n++
			p.replace(&result, replacement, s, e)
		}
		switch {
		case e != noMatch && e > s:
			s = e
		case s < len(text):
			result.add(text[s : s+1])
			s++
		default:
			s++
		}
		if s > len(text) || isAnchored {
			break
		}
	}
	result.add(text[min(s, len(text)):])
	result.push()
	L.Push(lua.LNumber(n))
	return 2
}

// replace adds what takes the place of a match.
func (p *matcher) replace(result *builder, replacement lua.LValue, s, e int) {
	var value lua.LValue
	switch r := replacement.(type) {
	case *lua.LTable:
		value = p.L.GetTable(r, p.captured(0, s, e))
	case *lua.LFunction:
		arguments := make([]lua.LValue, 0, max(p.level, 1))
		for i := range max(p.level, 1) {
			arguments = append(arguments, p.captured(i, s, e))
		}
		value = p.m.invoke(p.L, r, arguments...)
	default:
		p.expand(result, display(r), s, e)
		return
	}
	if lua.LVIsFalse(value) {
		result.add(p.text[s:e])
		return
	}
	s2, isText := text(value)
	if !isText {
		p.L.RaiseError("invalid replacement value (a %s)", value.Type())
	}
	result.add(s2)
}

// expand adds a text in which %0 is the match and %1 a capture.
func (p *matcher) expand(result *builder, template string, s, e int) {
	for template != "" {
		at := strings.IndexByte(template, '%')
		if at < 0 {
			at = len(template)
		}
		result.add(template[:at])
		if at == len(template) {
			return
		}
		p.m.tick(p.L)
		c := byte(0)
		if at+1 < len(template) {
			c = template[at+1]
		}
		switch {
		case c == '0':
			result.add(p.text[s:e])
		case c >= '1' && c <= '9':
			result.add(display(p.captured(int(c-'1'), s, e)))
		case at+1 < len(template):
			result.add(template[at+1 : at+2])
		}
		template = template[min(at+2, len(template)):]
	}
}
