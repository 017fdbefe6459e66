package script

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// openString makes the library, whose functions are also the methods of every string.
func (m *machine) openString() {
	gmatch := m.gmatch
	shown := m.library("string", map[string]lua.LGFunction{
		"byte": byteOf, "char": m.char, "find": m.find, "format": m.format, "gfind": gmatch, "gmatch": gmatch, "gsub": m.gsub,
		"len": func(L *lua.LState) int {
			L.Push(lua.LNumber(len(stringArgument(L, 1, "len"))))
			return 1
		},
		"dump": func(L *lua.LState) int {
			L.RaiseError("unable to dump given function")
			return 0
		},
		"lower":   m.mapBytes("lower", lowerByte),
		"upper":   m.mapBytes("upper", upperByte),
		"match":   m.match,
		"rep":     m.repeat,
		"reverse": m.reverse,
		"sub": func(L *lua.LState) int {
			s := stringArgument(L, 1, "sub")
			first, last := slice(len(s), intArgument(L, 2, "sub"), optionalInt(L, 3, "sub", -1))
			L.Push(lua.LString(s[first:last]))
			return 1
		},
	}, nil)
	m.state.SetMetatable(lua.LString(""), m.table(map[string]lua.LValue{"__index": shown}))
}

// slice makes a range of Go out of one of Lua, whose negative positions count from the end.
func slice(length, first, last int) (from, to int) {
	if first < 0 {
		first += length + 1
	}
	if last < 0 {
		last += length + 1
	}
	from, to = max(first, 1)-1, min(last, length)
	if from >= to {
		return 0, 0
	}
	return from, to
}

func byteOf(L *lua.LState) int {
	s := stringArgument(L, 1, "byte")
	first := optionalInt(L, 2, "byte", 1)
	from, to := slice(len(s), first, optionalInt(L, 3, "byte", first))
	if to-from >= mostValues {
		L.RaiseError("string slice too long")
	}
	for i := from; i < to; i++ {
		L.Push(lua.LNumber(s[i]))
	}
	return to - from
}

func (m *machine) char(L *lua.LState) int {
	s := make([]byte, L.GetTop())
	for i := range s {
		n := intArgument(L, i+1, "char")
		if n < 0 || n > 255 {
			argumentError(L, i+1, "char", "invalid value")
		}
		s[i] = byte(n)
	}
	m.push(L, string(s))
	return 1
}

// push gives a new string to a script.
func (m *machine) push(L *lua.LState, s string) {
	m.charge(L, len(s))
	L.Push(lua.LString(s))
}

func (m *machine) mapBytes(name string, change func(byte) byte) lua.LGFunction {
	return func(L *lua.LState) int {
		s := stringArgument(L, 1, name)
		m.charge(L, len(s))
		changed := []byte(s)
		for i := range changed {
			changed[i] = change(changed[i])
		}
		L.Push(lua.LString(changed))
		return 1
	}
}

// Letters are those of C: bytes beyond ASCII stay.

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func upperByte(c byte) byte {
	if c >= 'a' && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}

func (m *machine) repeat(L *lua.LState) int {
	s, n := stringArgument(L, 1, "rep"), intArgument(L, 2, "rep")
	if s == "" || n <= 0 {
		L.Push(lua.LString(""))
		return 1
	}
	if n > m.limits.Memory/len(s) {
		m.charge(L, m.limits.Memory+1) // the product may be no number
	}
	m.charge(L, n*len(s))
	L.Push(lua.LString(strings.Repeat(s, n)))
	return 1
}

func (m *machine) reverse(L *lua.LState) int {
	s := stringArgument(L, 1, "reverse")
	m.charge(L, len(s))
	reversed := make([]byte, len(s))
	for i := range reversed {
		reversed[len(s)-1-i] = s[i]
	}
	L.Push(lua.LString(reversed))
	return 1
}

// builder makes a string piece by piece, and counts each before it is made.
type builder struct {
	m    *machine
	L    *lua.LState
	data []byte
}

func (b *builder) add(piece string) {
	b.m.charge(b.L, len(piece))
	if len(b.data)+len(piece) > b.m.limits.Memory/stringShare {
		b.m.stopForMemory()
		b.m.raise(b.L)
	}
	b.data = append(b.data, piece...)
}

func (b *builder) push() { b.L.Push(lua.LString(b.data)) }
