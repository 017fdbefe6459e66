package script

import (
	"bytes"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// answerDepth bounds tables within tables in an answer, in both directions.
const answerDepth = 1000

// errorLine is an error in the protocol: one line.
func errorLine(text string) []byte { return line(nil, '-', text) }

// errorWords is the text of an error in the protocol.
func errorWords(answer []byte) string { return strings.TrimRight(string(answer[1:]), "\r\n") }

// line adds an answer of one line: a status or an error.
func line(to []byte, kind byte, text string) []byte {
	to = append(to, kind)
	to = append(to, strings.NewReplacer("\r", " ", "\n", " ").Replace(text)...)
	return append(to, '\r', '\n')
}

func header(to []byte, kind byte, n int64) []byte {
	to = append(to, kind)
	to = strconv.AppendInt(to, n, 10)
	return append(to, '\r', '\n')
}

func bulk(to []byte, kind byte, text string) []byte {
	to = header(to, kind, int64(len(text)))
	to = append(to, text...)
	return append(to, '\r', '\n')
}

// encode adds a value that a script has returned to its answer.
func (m *machine) encode(to []byte, value lua.LValue, depth int) []byte {
	const overhead = 32
	m.tick(m.state)
	m.charge(m.state, overhead)
	switch v := value.(type) {
	case lua.LString:
		m.charge(m.state, len(v))
		return bulk(to, '$', string(v))
	case lua.LNumber:
		return header(to, ':', wholeNumber(float64(v)))
	case lua.LBool:
		return m.encodeBool(to, bool(v))
	case *lua.LTable:
		if depth >= answerDepth {
			panic(&failure{"ERR reached lua stack limit"})
		}
		return m.encodeTable(to, v, depth)
	}
	return m.encodeNull(to)
}

func (m *machine) encodeNull(to []byte) []byte {
	if m.request.RESP3 {
		return append(to, "_\r\n"...)
	}
	return append(to, "$-1\r\n"...)
}

// encodeBool knows false only where the script has chosen the newer protocol; else it is null.
func (m *machine) encodeBool(to []byte, b bool) []byte {
	switch {
	case m.resp3 && m.request.RESP3 && b:
		return append(to, "#t\r\n"...)
	case m.resp3 && m.request.RESP3:
		return append(to, "#f\r\n"...)
	case b:
		return append(to, ":1\r\n"...)
	case m.resp3:
		return append(to, ":0\r\n"...)
	}
	return m.encodeNull(to)
}

// encodeTable adds what a table stands for: an error, a status, a type of the newer protocol, or an
// array up to the first nil.
func (m *machine) encodeTable(to []byte, t *lua.LTable, depth int) []byte {
	if s, has := t.RawGetString("err").(lua.LString); has {
		m.charge(m.state, len(s))
		return line(to, '-', strings.TrimRight(string(s), "\r\n"))
	}
	if s, has := t.RawGetString("ok").(lua.LString); has {
		m.charge(m.state, len(s))
		return line(to, '+', string(s))
	}
	if n, has := t.RawGetString("double").(lua.LNumber); has {
		text := formatNumber(float64(n), exactDigits)
		if m.request.RESP3 {
			return line(to, ',', text)
		}
		return bulk(to, '$', text)
	}
	if fields, has := t.RawGetString("map").(*lua.LTable); has {
		return m.encodeFields(to, fields, true, depth)
	}
	if members, has := t.RawGetString("set").(*lua.LTable); has {
		return m.encodeFields(to, members, false, depth)
	}
	if s, has := t.RawGetString("big_number").(lua.LString); has {
		m.charge(m.state, len(s))
		text := strings.NewReplacer("\r", " ", "\n", " ").Replace(string(s))
		if m.request.RESP3 {
			return line(to, '(', text)
		}
		return bulk(to, '$', text)
	}
	if verbatim, has := t.RawGetString("verbatim_string").(*lua.LTable); has {
		text, hasText := verbatim.RawGetString("string").(lua.LString)
		format, hasFormat := verbatim.RawGetString("format").(lua.LString)
		if hasText && hasFormat {
			m.charge(m.state, len(text))
			if m.request.RESP3 {
				return bulk(to, '=', (string(format) + "   ")[:3]+":"+string(text))
			}
			return bulk(to, '$', string(text))
		}
	}
	n := 0
	for t.RawGet(lua.LNumber(n+1)) != lua.LNil {
		n++
	}
	to = header(to, '*', int64(n))
	for i := range n {
		to = m.encode(to, t.RawGet(lua.LNumber(i+1)), depth+1)
	}
	return to
}

// encodeFields adds a map, or the keys of a set.
func (m *machine) encodeFields(to []byte, t *lua.LTable, isMap bool, depth int) []byte {
	n := int64(0)
	t.ForEach(func(lua.LValue, lua.LValue) { n++ })
	switch {
	case isMap && m.request.RESP3:
		to = header(to, '%', n)
	case isMap:
		to = header(to, '*', 2*n)
	case m.request.RESP3:
		to = header(to, '~', n)
	default:
		to = header(to, '*', n)
	}
	for key, value := t.Next(lua.LNil); key != lua.LNil; key, value = t.Next(key) {
		to = m.encode(to, key, depth+1)
		if isMap {
			to = m.encode(to, value, depth+1)
		}
	}
	return to
}

// decoder reads an answer of the server.
type decoder struct {
	m    *machine
	L    *lua.LState
	rest []byte
}

// decode makes values of Lua of an answer, in the protocol that the script has chosen.
func (m *machine) decode(L *lua.LState, answer []byte) lua.LValue {
	d := &decoder{m: m, L: L, rest: answer}
	return d.value(0)
}

// head takes the first line: its kind, what follows it, and this as a number if it is one.
func (d *decoder) head() (kind byte, text string, n int) {
	end := bytes.Index(d.rest, []byte("\r\n"))
	if end < 1 {
		d.L.RaiseError("the answer of the server breaks off")
	}
	kind, text = d.rest[0], string(d.rest[1:end])
	d.rest = d.rest[end+2:]
	n, err := strconv.Atoi(text)
	if err != nil {
		n = 0 // it is a text
	}
	return kind, text, n
}

func (d *decoder) bulk(n int) string {
	if n+2 > len(d.rest) {
		d.L.RaiseError("the answer of the server breaks off")
	}
	text := string(d.rest[:n])
	d.rest = d.rest[n+2:]
	return text
}

func (d *decoder) value(depth int) lua.LValue {
	const weight = 256
	d.m.weigh(d.L, weight)
	if depth > answerDepth {
		d.L.RaiseError("reached lua stack limit")
	}
	one := func(field string, value lua.LValue) lua.LValue {
		return d.m.table(map[string]lua.LValue{field: value})
	}
	switch kind, text, n := d.head(); kind {
	case ':':
		whole, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			d.L.RaiseError("the server's number %q: %v", text, err)
		}
		return lua.LNumber(whole)
	case '+':
		return one("ok", lua.LString(text))
	case '-':
		return d.m.errorTable(text)
	case '$', '*', '~', '%', '>', '=':
		if n < 0 {
			return lua.LFalse
		}
		return d.many(kind, n, depth)
	case ',':
		f, _ := parseNumber(text)
		return one("double", lua.LNumber(f))
	case '#':
		return lua.LBool(text == "t")
	case '(':
		return one("big_number", lua.LString(text))
	case '_':
		if d.m.resp3 {
			return lua.LNil
		}
	}
	return lua.LFalse
}

// many reads what has a length.
func (d *decoder) many(kind byte, n, depth int) lua.LValue {
	if kind != '$' && kind != '=' && n >= arrayLimit {
		d.m.stopForMemory()
		d.m.raise(d.L)
	}
	t := d.m.state.CreateTable(0, 0)
	switch kind {
	case '$':
		return lua.LString(d.bulk(n))
	case '=':
		format, text, _ := strings.Cut(d.bulk(n), ":")
		t.RawSetString("format", lua.LString(format))
		t.RawSetString("string", lua.LString(text))
		return d.m.table(map[string]lua.LValue{"verbatim_string": t})
	case '%':
		for range n {
			key := d.value(depth + 1)
			d.set(t, key, d.value(depth+1))
		}
		return d.m.table(map[string]lua.LValue{"map": t})
	case '~':
		for range n {
			d.set(t, d.value(depth+1), lua.LTrue)
		}
		return d.m.table(map[string]lua.LValue{"set": t})
	}
	for i := range n {
		t.RawSetInt(i+1, d.value(depth+1)) // nil keeps its place
	}
	return t
}

func (d *decoder) set(t *lua.LTable, key, value lua.LValue) {
	if key != lua.LNil {
		d.m.weighIndex(d.L, key)
		t.RawSet(key, value)
	}
}
