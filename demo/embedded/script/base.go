package script

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// openBase makes the functions without a library. Some are the interpreter's.
func (m *machine) openBase(theirs *lua.LTable) {
	set := func(name string, function lua.LGFunction) {
		m.globals.RawSetString(name, m.state.NewFunction(function))
	}
	for _, name := range []string{"rawequal", "select"} {
		m.globals.RawSetString(name, theirs.RawGetString(name))
	}
	step := m.state.NewFunction(nextIndex)
	set("ipairs", func(L *lua.LState) int {
		t := tableArgument(L, "ipairs")
		L.Push(step)
		L.Push(t)
		L.Push(lua.LNumber(0))
		return 3
	})
	set("type", func(L *lua.LState) int {
		L.Push(lua.LString(anyArgument(L, 1, "type").Type().String()))
		return 1
	})
	set("pcall", m.protected(theirs.RawGetString("pcall").(*lua.LFunction).GFunction))
	set("xpcall", m.guarded(theirs.RawGetString("xpcall").(*lua.LFunction).GFunction))
	set("assert", m.assert)
	set("collectgarbage", m.collectGarbage)
	set("error", m.throw)
	set("gcinfo", func(L *lua.LState) int {
		L.Push(lua.LNumber(m.heap() >> 10))
		return 1
	})
	set("getmetatable", m.getMetatable)
	set("load", m.load)
	set("loadstring", m.loadString)
	next := m.state.NewFunction(m.next)
	m.globals.RawSetString("next", next)
	set("pairs", func(L *lua.LState) int {
		t := tableArgument(L, "pairs")
		L.Push(next)
		L.Push(t)
		L.Push(lua.LNil)
		return 3
	})
	set("rawget", func(L *lua.LState) int {
		L.Push(m.contents(tableArgument(L, "rawget")).RawGet(anyArgument(L, 2, "rawget")))
		return 1
	})
	set("rawset", m.rawSet)
	set("setmetatable", m.setMetatable)
	set("tonumber", toNumber)
	set("tostring", func(L *lua.LState) int {
		L.Push(m.toString(L, anyArgument(L, 1, "tostring")))
		return 1
	})
	set("unpack", unpack)
}

// guarded is a function of the interpreter that calls Lua.
func (m *machine) guarded(function lua.LGFunction) lua.LGFunction {
	return func(L *lua.LState) int {
		m.goCalls++
		defer func() { m.goCalls-- }()
		return function(L)
	}
}

// protected is pcall. As in Redis 7.0, what redis.call throws arrives as its text.
func (m *machine) protected(call lua.LGFunction) lua.LGFunction {
	call = m.guarded(call)
	return func(L *lua.LState) int {
		anyArgument(L, 1, "pcall")
		results := call(L)
		if results != 2 || L.Get(-2) != lua.LFalse {
			return results
		}
		if thrown, isTable := L.Get(-1).(*lua.LTable); isTable {
			if text, has := thrown.RawGetString("err").(lua.LString); has {
				L.Pop(1)
				L.Push(text)
			}
		}
		return results
	}
}

func (m *machine) assert(L *lua.LState) int {
	if lua.LVIsFalse(anyArgument(L, 1, "assert")) {
		message := "assertion failed!"
		if L.Get(2) != lua.LNil {
			message = stringArgument(L, 2, "assert")
		}
		m.charge(L, 2*len(message)) // the text with its place, and once more when it is caught
		L.RaiseError("%s", message)
	}
	return L.GetTop()
}

// collectGarbage answers for a collector that needs no help.
func (m *machine) collectGarbage(L *lua.LState) int {
	option := "collect"
	if L.Get(1) != lua.LNil {
		option = stringArgument(L, 1, "collectgarbage")
	}
	switch option {
	case "count":
		L.Push(lua.LNumber(float64(m.heap()) / 1024))
	case "collect", "stop", "restart", "setpause", "setstepmul":
		L.Push(lua.LNumber(0))
	case "step":
		L.Push(lua.LTrue)
	default:
		argumentError(L, 1, "collectgarbage", "invalid option '"+clip(option)+"'")
	}
	return 1
}

// throw is error. A text gets the place where it was thrown, or where the function was called that
// has thrown it.
func (m *machine) throw(L *lua.LState) int {
	level := optionalInt(L, 2, "error", 1)
	message, isText := text(L.Get(1))
	if !isText {
		L.Error(L.Get(1), 0)
		return 0
	}
	if level > 0 {
		if place := L.Where(level); place != "" && !strings.HasPrefix(place, "[G]") {
			m.charge(L, 2*len(message))
			message = place + " " + message
		}
	}
	L.Error(lua.LString(message), 0)
	return 0
}

func (m *machine) getMetatable(L *lua.LState) int {
	value := anyArgument(L, 1, "getmetatable")
	t, isTable := value.(*lua.LTable)
	switch shown := m.behind[t]; {
	case isTable && shown == m.globals:
		L.Push(m.readOnlyOf(m.globals.Metatable.(*lua.LTable)))
	case isTable && shown != nil:
		L.Push(lua.LNil)
	case value.Type() == lua.LTString:
		L.Push(m.readOnlyOf(L.GetMetatable(value).(*lua.LTable)))
	default:
		L.Push(L.GetMetatable(value))
	}
	return 1
}

// readOnlyOf is the read-only table that shows this one.
func (m *machine) readOnlyOf(shown *lua.LTable) *lua.LTable {
	for t, s := range m.behind {
		if s == shown {
			return t
		}
	}
	return m.readOnly(shown)
}

func (m *machine) setMetatable(L *lua.LState) int {
	t := m.writable(L, "setmetatable")
	metatable := L.Get(2)
	if _, isTable := metatable.(*lua.LTable); L.GetTop() < 2 || !isTable && metatable != lua.LNil {
		argumentError(L, 2, "setmetatable", "nil or table expected")
	}
	if old, has := t.Metatable.(*lua.LTable); has && old.RawGetString("__metatable") != lua.LNil {
		L.Error(lua.LString("cannot change a protected metatable"), 0)
	}
	t.Metatable = metatable
	L.Push(t)
	return 1
}

// nextIndex is what ipairs steps with.
func nextIndex(L *lua.LState) int {
	i := intArgument(L, 2, "ipairs") + 1
	value := tableArgument(L, "ipairs").RawGetInt(i)
	if value == lua.LNil {
		return 0
	}
	L.Push(lua.LNumber(i))
	L.Push(value)
	return 2
}

func (m *machine) next(L *lua.LState) int {
	key, value := m.contents(tableArgument(L, "next")).Next(L.Get(2))
	L.Push(key)
	if key == lua.LNil {
		return 1
	}
	L.Push(value)
	return 2
}

func (m *machine) rawSet(L *lua.LState) int {
	t, key, value := m.writable(L, "rawset"), anyArgument(L, 2, "rawset"), anyArgument(L, 3, "rawset")
	m.weighIndex(L, key)
	L.RawSet(t, key, value)
	L.Push(t)
	return 1
}

func toNumber(L *lua.LState) int {
	value := anyArgument(L, 1, "tonumber")
	result := lua.LNil
	switch base := optionalInt(L, 2, "tonumber", 10); {
	case base == 10:
		if n, ok := number(value); ok {
			result = lua.LNumber(n)
		}
	case base < 2 || base > 36:
		argumentError(L, 2, "tonumber", "base out of range")
	default:
		digits := strings.ToLower(strings.Trim(stringArgument(L, 1, "tonumber"), " \t\n\v\f\r"))
		if base == 16 {
			digits = strings.TrimPrefix(digits, "0x")
		}
		if n, err := strconv.ParseUint(digits, base, 64); err == nil {
			result = lua.LNumber(n)
		}
	}
	L.Push(result)
	return 1
}

// toString is tostring: the metatable of a value may have a say in it.
func (m *machine) toString(L *lua.LState, value lua.LValue) lua.LValue {
	if method := L.GetMetaField(value, "__tostring"); method != lua.LNil {
		return m.invoke(L, method, value)
	}
	if s, isString := value.(lua.LString); isString {
		return s
	}
	return lua.LString(display(value))
}

func unpack(L *lua.LState) int {
	t := tableArgument(L, "unpack")
	first := optionalInt(L, 2, "unpack", 1)
	last := optionalInt(L, 3, "unpack", t.Len())
	if last-first+1 >= mostValues {
		L.RaiseError("too many results to unpack")
	}
	for i := first; i <= last; i++ {
		L.Push(t.RawGet(lua.LNumber(i)))
	}
	return max(last-first+1, 0)
}

// load is the function that makes a function of the pieces that another one gives.
func (m *machine) load(L *lua.LState) int {
	piece := functionArgument(L, 1, "load")
	var pieces strings.Builder
	for {
		m.tick(L)
		value := m.invoke(L, piece)
		s, isString := value.(lua.LString)
		if value == lua.LNil || isString && s == "" {
			break
		}
		if !isString {
			L.RaiseError("reader function must return a string")
		}
		m.charge(L, len(s))
		pieces.WriteString(string(s))
	}
	name := "=(load)"
	if L.Get(2) != lua.LNil {
		name = stringArgument(L, 2, "load")
	}
	return m.loadText(L, pieces.String(), name)
}

func (m *machine) loadString(L *lua.LState) int {
	text := stringArgument(L, 1, "loadstring")
	name := text
	if L.Get(2) != lua.LNil {
		name = stringArgument(L, 2, "loadstring")
	}
	return m.loadText(L, text, name)
}

// loadText compiles a text that a script has made. The compiler takes much more memory than the
// text.
func (m *machine) loadText(L *lua.LState, text, name string) int {
	const tree = 256
	if len(text) <= textLimit {
		m.charge(L, len(text)*tree/stringShare)
	}
	chunk := chunkName(name)
	proto, err := compileText(text, chunk)
	if strings.HasPrefix(text, "\x1b") {
		err = fmt.Errorf("%s: only text can be loaded", chunk)
	}
	if err != nil {
		L.Push(lua.LNil)
		L.Push(lua.LString(err.Error()))
		return 2
	}
	m.instantiate(L, proto)
	return 1
}

// chunkName is how errors call a text: as it is named, or by its first line.
func chunkName(name string) string {
	if name != "" && (name[0] == '=' || name[0] == '@') {
		return name[1:min(len(name), 60)]
	}
	line, rest, _ := strings.Cut(name, "\n")
	const most = 44
	if len(line) > most {
		return fmt.Sprintf("[string %q...]", line[:most])
	}
	if rest != "" {
		line += "..."
	}
	return `[string "` + line + `"]`
}

// The generator of math.random is that of Redis. It goes on from script to script.
const (
	firstSeed   = 0x1234ABCD330E
	seedEnd     = 0x330E // the last bits after math.randomseed
	randomRange = 1 << 31
)

func (m *machine) openMath(theirs *lua.LTable) {
	functions := map[string]lua.LGFunction{
		"random": m.random,
		"randomseed": func(L *lua.LState) int {
			m.engine.seed = uint64(uint32(wholeNumber(numberArgument(L, 1, "randomseed"))))<<16 + seedEnd
			return 0
		},
	}
	values := map[string]lua.LValue{}
	theirs.ForEach(func(name, value lua.LValue) { values[name.String()] = value })
	values["huge"], values["mod"] = lua.LNumber(math.Inf(1)), values["fmod"] // as in C, and not as in Lua
	m.library("math", functions, values)
}

func (m *machine) random(L *lua.LState) int {
	seed := cmp.Or(m.engine.seed, firstSeed)
	seed = (seed*0x5DEECE66D + 0xB) & (1<<48 - 1)
	m.engine.seed = seed
	r := float64(seed>>17) / randomRange
	low, high := 1, 0
	switch L.GetTop() {
	case 0:
		L.Push(lua.LNumber(r))
		return 1
	case 1:
		high = intArgument(L, 1, "random")
	case 2:
		low, high = intArgument(L, 1, "random"), intArgument(L, 2, "random")
	default:
		L.RaiseError("wrong number of arguments")
	}
	if low > high {
		argumentError(L, L.GetTop(), "random", "interval is empty")
	}
	L.Push(lua.LNumber(math.Floor(r*float64(high-low+1)) + float64(low)))
	return 1
}
