package script

import (
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// formatNumber writes a number as C's %.14g does, or with another precision.
func formatNumber(n float64, precision int) string { return string(appendNumber(nil, n, precision)) }

func appendNumber(to []byte, n float64, precision int) []byte {
	switch {
	case math.IsInf(n, 1):
		return append(to, "inf"...)
	case math.IsInf(n, -1):
		return append(to, "-inf"...)
	case math.IsNaN(n) && math.Signbit(n):
		return append(to, "-nan"...)
	case math.IsNaN(n):
		return append(to, "nan"...)
	case n == math.Trunc(n) && math.Abs(n) < 1e14 && (n != 0 || !math.Signbit(n)):
		return strconv.AppendInt(to, int64(n), 10)
	}
	return strconv.AppendFloat(to, n, 'g', precision, 64)
}

// The precisions of Lua: of a number as text, and of one that has to be read again.
const (
	shownDigits = 14
	exactDigits = 17
)

// textLength is how long a string or a number is at most as text.
func textLength(v lua.LValue) (length int, isText bool) {
	switch v := v.(type) {
	case lua.LString:
		return len(v), true
	case lua.LNumber:
		return 24, true
	default:
		return 0, false
	}
}

func appendText(to []byte, v lua.LValue) []byte {
	if n, isNumber := v.(lua.LNumber); isNumber {
		return appendNumber(to, float64(n), shownDigits)
	}
	return append(to, v.(lua.LString)...)
}

// text is the text of a string or a number.
func text(v lua.LValue) (s string, isText bool) {
	switch v := v.(type) {
	case lua.LString:
		return string(v), true
	case lua.LNumber:
		return formatNumber(float64(v), shownDigits), true
	default:
		return "", false
	}
}

// display is any value as text, without the help of metatables.
func display(v lua.LValue) string {
	if s, isText := text(v); isText {
		return s
	}
	if v.Type() == lua.LTUserData {
		return "userdata: (nil)" // there is no other than cjson.null
	}
	return v.String()
}

// number is what Lua takes for a number: one, or a text of one.
func number(v lua.LValue) (n float64, ok bool) {
	switch v := v.(type) {
	case lua.LNumber:
		return float64(v), true
	case lua.LString:
		return parseNumber(string(v))
	default:
		return 0, false
	}
}

// parseNumber reads a number as C's strtod does, or a hexadecimal one.
func parseNumber(s string) (n float64, ok bool) {
	s = strings.Trim(s, " \t\n\v\f\r")
	if len(s) > 64 || strings.ContainsAny(s, "_pP") {
		return 0, false // Go would read more than C
	}
	unsigned, isNegative := strings.CutPrefix(s, "-")
	if digits, isHex := strings.CutPrefix(strings.ToLower(unsigned), "0x"); isHex {
		whole, err := strconv.ParseUint(digits, 16, 64)
		n = float64(whole)
		if isNegative {
			n = -n
		}
		return n, err == nil
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil || math.IsInf(n, 0)
}

// wholeNumber cuts a number off as C does on most machines: what does not fit is the smallest one.
func wholeNumber(n float64) int64 {
	if math.IsNaN(n) || n >= math.MaxInt64 || n < math.MinInt64 {
		return math.MinInt64
	}
	return int64(n)
}

// clip is the beginning of a text that an error quotes: a script may name what is megabytes long.
func clip(s string) string { return s[:min(len(s), 256)] }

// argumentError is an error about an argument, in the words of Lua.
func argumentError(L *lua.LState, n int, function, what string) {
	L.RaiseError("bad argument #%d to '%s' (%s)", n, function, what)
}

func typeError(L *lua.LState, n int, function, expected string) {
	is := "no value"
	if n <= L.GetTop() {
		is = L.Get(n).Type().String()
	}
	argumentError(L, n, function, expected+" expected, got "+is)
}

// anyArgument is an argument that must be there.
func anyArgument(L *lua.LState, n int, function string) lua.LValue {
	if n > L.GetTop() {
		argumentError(L, n, function, "value expected")
	}
	return L.Get(n)
}

// tableArgument is the first argument, the only one that is ever a table.
func tableArgument(L *lua.LState, function string) *lua.LTable {
	t, isTable := L.Get(1).(*lua.LTable)
	if !isTable {
		typeError(L, 1, function, "table")
	}
	return t
}

func functionArgument(L *lua.LState, n int, function string) *lua.LFunction {
	f, isFunction := L.Get(n).(*lua.LFunction)
	if !isFunction {
		typeError(L, n, function, "function")
	}
	return f
}

func stringArgument(L *lua.LState, n int, function string) string {
	s, isText := text(L.Get(n))
	if !isText {
		typeError(L, n, function, "string")
	}
	return s
}

func numberArgument(L *lua.LState, n int, function string) float64 {
	value, isNumber := number(L.Get(n))
	if !isNumber {
		typeError(L, n, function, "number")
	}
	return value
}

func intArgument(L *lua.LState, n int, function string) int {
	return clampInt(numberArgument(L, n, function))
}

// optionalInt is an argument that may be missing or nil.
func optionalInt(L *lua.LState, n int, function string, otherwise int) int {
	if L.Get(n) == lua.LNil {
		return otherwise
	}
	return intArgument(L, n, function)
}

// clampInt cuts a number off, so far away from the bounds of integers that sums stay within them.
func clampInt(n float64) int {
	const far = 1 << 52
	switch {
	case n != n:
		return 0
	case n > far:
		return far
	case n < -far:
		return -far
	}
	return int(n)
}
