package script

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"
)

// jsonDepth bounds tables within tables, as in Redis.
const jsonDepth = 1000

// openJSON makes cjson without its settings, which Redis keeps from one script to the next.
func (m *machine) openJSON() {
	m.library("cjson", map[string]lua.LGFunction{
		"encode": func(L *lua.LState) int {
			if L.GetTop() != 1 {
				argumentError(L, 1, "encode", "expected 1 argument")
			}
			e := jsonEncoder{builder{m: m, L: L}}
			e.value(L.Get(1), 0)
			e.push()
			return 1
		},
		"decode": func(L *lua.LState) int {
			if L.GetTop() != 1 {
				argumentError(L, 1, "decode", "expected 1 argument")
			}
			d := jsonDecoder{m: m, L: L, text: stringArgument(L, 1, "decode")}
			value := d.value(0)
			if d.blanks(); d.at < len(d.text) {
				d.fail("the end")
			}
			L.Push(value)
			return 1
		},
	}, map[string]lua.LValue{"null": m.null, "_NAME": lua.LString("cjson"), "_VERSION": lua.LString("2.1.0")})
}

type jsonEncoder struct{ builder }

func (e *jsonEncoder) value(value lua.LValue, depth int) {
	e.m.tick(e.L)
	switch v := value.(type) {
	case lua.LString:
		e.text(string(v))
	case lua.LNumber:
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			e.fail("number: must not be NaN or Inf")
		}
		e.add(formatNumber(float64(v), shownDigits))
	case lua.LBool:
		e.add(strconv.FormatBool(bool(v)))
	case *lua.LTable:
		if depth >= jsonDepth {
			e.L.RaiseError("Cannot serialise, excessive nesting (%d)", depth+1)
		}
		e.table(e.m.contents(v), depth+1)
	default:
		if value != lua.LNil && value != e.m.null {
			e.fail(value.Type().String() + ": type not supported")
		}
		e.add("null")
	}
}

func (e *jsonEncoder) fail(what string) { e.L.RaiseError("%s", "Cannot serialise "+what) }

func (e *jsonEncoder) text(s string) {
	e.add(`"`)
	from := 0
	for i := range len(s) {
		escape := ""
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '/':
			escape = `\` + s[i:i+1]
		case c == '\b':
			escape = `\b`
		case c == '\t':
			escape = `\t`
		case c == '\n':
			escape = `\n`
		case c == '\f':
			escape = `\f`
		case c == '\r':
			escape = `\r`
		case c < ' ' || c == 127:
			escape = fmt.Sprintf(`\u%04x`, c)
		default:
			continue
		}
		e.add(s[from:i])
		e.add(escape)
		from = i + 1
	}
	e.add(s[from:])
	e.add(`"`)
}

func (e *jsonEncoder) table(t *lua.LTable, depth int) {
	if n := e.arrayLength(t); n > 0 {
		for i := range n {
			e.add(separator(i == 0, "[", ","))
			e.value(t.RawGet(lua.LNumber(i+1)), depth)
		}
		e.add("]")
		return
	}
	isFirst := true
	for key, value := t.Next(lua.LNil); key != lua.LNil; key, value = t.Next(key) {
		e.add(separator(isFirst, "{", ","))
		isFirst = false
		switch k := key.(type) {
		case lua.LString:
			e.text(string(k))
		case lua.LNumber:
			e.add(`"` + formatNumber(float64(k), shownDigits) + `"`)
		default:
			e.fail(key.Type().String() + ": table key must be a number or string")
		}
		e.add(":")
		e.value(value, depth)
	}
	e.add(separator(isFirst, "{}", "}"))
}

func separator(isFirst bool, first, later string) string {
	if isFirst {
		return first
	}
	return later
}

// arrayLength is the highest index of a table that has only indexes; 0 if it is an object. A table
// with too few values for its highest index is an error.
func (e *jsonEncoder) arrayLength(t *lua.LTable) int {
	const ratio, always = 2, 10
	highest, values := 0, 0
	for key, _ := t.Next(lua.LNil); key != lua.LNil; key, _ = t.Next(key) {
		n, isNumber := key.(lua.LNumber)
		if !isNumber || n < 1 || float64(n) != math.Floor(float64(n)) {
			return 0
		}
		highest = max(highest, clampInt(float64(n)))
		values++
	}
	if highest > always && highest > ratio*values {
		e.fail("table: excessively sparse array")
	}
	return highest
}

type jsonDecoder struct {
	m    *machine
	L    *lua.LState
	text string
	at   int
}

// fail names what was expected, what was found, and where.
func (d *jsonDecoder) fail(expected string) {
	d.L.RaiseError("%s", fmt.Sprintf("Expected %s but found %s at character %d", expected, d.token(), d.at+1))
}

// token is what cjson calls what comes next.
func (d *jsonDecoder) token() string {
	if d.at >= len(d.text) {
		return "T_END"
	}
	switch c := d.text[d.at]; {
	case c == '{':
		return "T_OBJ_BEGIN"
	case c == '}':
		return "T_OBJ_END"
	case c == '[':
		return "T_ARR_BEGIN"
	case c == ']':
		return "T_ARR_END"
	case c == ',':
		return "T_COMMA"
	case c == ':':
		return "T_COLON"
	case c == '"':
		return "T_STRING"
	case c == '-' || c >= '0' && c <= '9':
		return "T_NUMBER"
	case strings.HasPrefix(d.text[d.at:], "null"):
		return "T_NULL"
	case strings.HasPrefix(d.text[d.at:], "true"), strings.HasPrefix(d.text[d.at:], "false"):
		return "T_BOOLEAN"
	}
	return "invalid token"
}

func (d *jsonDecoder) blanks() {
	for d.at < len(d.text) && strings.IndexByte(" \t\n\r", d.text[d.at]) >= 0 {
		d.at++
	}
}

// take takes what comes next if it is this.
func (d *jsonDecoder) take(what string) bool {
	d.blanks()
	if !strings.HasPrefix(d.text[d.at:], what) {
		return false
	}
	d.at += len(what)
	return true
}

func (d *jsonDecoder) value(depth int) lua.LValue {
	const weight = 256
	d.m.tick(d.L)
	d.m.weigh(d.L, weight)
	if depth > jsonDepth {
		d.L.RaiseError("Found too many nested data structures (%d)", depth)
	}
	switch {
	case d.take("{"):
		return d.object(depth)
	case d.take("["):
		return d.array(depth)
	case d.take(`"`):
		return lua.LString(d.string())
	case d.take("null"):
		return d.m.null
	case d.take("true"):
		return lua.LTrue
	case d.take("false"):
		return lua.LFalse
	}
	const ofNumbers = "+-.0123456789aAbBcCdDeEfFiInNtTxXyY" // infinity and hexadecimal ones too
	length := strings.IndexFunc(d.text[d.at:], func(r rune) bool { return !strings.ContainsRune(ofNumbers, r) })
	if length < 0 {
		length = len(d.text) - d.at
	}
	n, ok := parseNumber(d.text[d.at : d.at+length])
	if !ok {
		d.fail("value")
	}
	d.at += length
	return lua.LNumber(n)
}

func (d *jsonDecoder) object(depth int) lua.LValue {
	t := d.m.state.CreateTable(0, 0)
	if d.take("}") {
		return t
	}
	for {
		if !d.take(`"`) {
			d.fail("object key string")
		}
		key := d.string()
		if !d.take(":") {
			d.fail("colon")
		}
		t.RawSetString(key, d.value(depth+1))
		switch {
		case d.take("}"):
			return t
		case !d.take(","):
			d.fail("comma or object end")
		}
	}
}

func (d *jsonDecoder) array(depth int) lua.LValue {
	t := d.m.state.CreateTable(0, 0)
	if d.take("]") {
		return t
	}
	for n := 1; ; n++ {
		d.m.weighIndex(d.L, lua.LNumber(n))
		t.RawSetInt(n, d.value(depth+1))
		switch {
		case d.take("]"):
			return t
		case !d.take(","):
			d.fail("comma or array end")
		}
	}
}

// string reads what follows the first quote.
func (d *jsonDecoder) string() string {
	b := builder{m: d.m, L: d.L}
	for {
		length := strings.IndexAny(d.text[d.at:], `"\`)
		if length < 0 {
			d.at = len(d.text)
			d.fail("string end")
		}
		b.add(d.text[d.at : d.at+length])
		d.at += length + 1
		if d.text[d.at-1] == '"' {
			return string(b.data)
		}
		d.m.tick(d.L)
		b.add(d.escape())
	}
}

// escape reads what follows a backslash.
func (d *jsonDecoder) escape() string {
	if d.at == len(d.text) {
		d.fail("escape")
	}
	c := d.text[d.at]
	d.at++
	if c == 'u' {
		return d.unicode()
	}
	plain := strings.IndexByte(`"\/bfnrt`, c)
	if plain < 0 {
		d.at--
		d.fail("escape")
	}
	return "\"\\/\b\f\n\r\t"[plain : plain+1]
}

func (d *jsonDecoder) unicode() string {
	unit := func() rune {
		if d.at+4 > len(d.text) {
			d.fail("unicode escape")
		}
		n, err := strconv.ParseUint(d.text[d.at:d.at+4], 16, 16)
		if err != nil {
			d.fail("unicode escape")
		}
		d.at += 4
		return rune(n)
	}
	r := unit()
	if utf16.IsSurrogate(r) {
		if !strings.HasPrefix(d.text[d.at:], `\u`) {
			d.fail("second half of a unicode escape")
		}
		d.at += 2
		r = utf16.DecodeRune(r, unit())
	}
	return string(utf8.AppendRune(nil, r))
}
