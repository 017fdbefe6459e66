package script

import (
	"fmt"
	"math"
	"math/bits"

	lua "github.com/yuin/gopher-lua"
)

// openBit makes the operations on 32 bits.
func (m *machine) openBit() {
	unary := func(name string, operate func(uint32) uint32) lua.LGFunction {
		return func(L *lua.LState) int {
			L.Push(signed(operate(bitArgument(L, 1, name))))
			return 1
		}
	}
	shift := func(name string, operate func(x uint32, n int) uint32) lua.LGFunction {
		return func(L *lua.LState) int {
			L.Push(signed(operate(bitArgument(L, 1, name), int(bitArgument(L, 2, name)&31))))
			return 1
		}
	}
	fold := func(name string, operate func(a, b uint32) uint32) lua.LGFunction {
		return func(L *lua.LState) int {
			result := bitArgument(L, 1, name)
			for i := 2; i <= L.GetTop(); i++ {
				result = operate(result, bitArgument(L, i, name))
			}
			L.Push(signed(result))
			return 1
		}
	}
	m.library("bit", map[string]lua.LGFunction{
		"tobit":   unary("tobit", func(x uint32) uint32 { return x }),
		"bnot":    unary("bnot", func(x uint32) uint32 { return ^x }),
		"bswap":   unary("bswap", bits.ReverseBytes32),
		"lshift":  shift("lshift", func(x uint32, n int) uint32 { return x << n }),
		"rshift":  shift("rshift", func(x uint32, n int) uint32 { return x >> n }),
		"arshift": shift("arshift", func(x uint32, n int) uint32 { return uint32(int32(x) >> n) }),
		"rol":     shift("rol", bits.RotateLeft32),
		"ror":     shift("ror", func(x uint32, n int) uint32 { return bits.RotateLeft32(x, -n) }),
		"band":    fold("band", func(a, b uint32) uint32 { return a & b }),
		"bor":     fold("bor", func(a, b uint32) uint32 { return a | b }),
		"bxor":    fold("bxor", func(a, b uint32) uint32 { return a ^ b }),
		"tohex": func(L *lua.LState) int {
			x, digits := bitArgument(L, 1, "tohex"), 8
			if L.GetTop() >= 2 {
				digits = int(int32(bitArgument(L, 2, "tohex")))
			}
			layout := "%08x"
			if digits < 0 {
				layout, digits = "%08X", -max(digits, -8)
			}
			hex := fmt.Sprintf(layout, x)
			L.Push(lua.LString(hex[8-min(digits, 8):]))
			return 1
		},
	}, nil)
}

// bitArgument wraps a number to 32 bits.
func bitArgument(L *lua.LState, n int, function string) uint32 {
	f := numberArgument(L, n, function)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return uint32(int64(math.RoundToEven(math.Mod(f, 1<<32))))
}

func signed(x uint32) lua.LNumber { return lua.LNumber(int32(x)) }
