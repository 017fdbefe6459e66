package script

import (
	"runtime/metrics"
	"strings"
	"testing"
	"time"
)

// peak samples the heap until stop is called, and gives its highest growth.
func peak(t *testing.T) (stop func() (grown int64)) {
	t.Helper()
	sample := []metrics.Sample{{Name: heapMetric}}
	heap := func() int64 {
		metrics.Read(sample)
		return int64(sample[0].Value.Uint64())
	}
	base, highest := heap(), int64(0)
	ending, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			highest = max(highest, heap()-base)
			select {
			case <-ending:
				return
			case <-tick.C:
			}
		}
	}()
	return func() int64 {
		close(ending)
		<-ended
		return highest
	}
}

const (
	shortTime  = 100 * time.Millisecond
	middleTime = time.Second
	longTime   = 10 * time.Second
	testMemory = 16 << 20
)

func testEngine(limit time.Duration) *Engine {
	return &Engine{Limits: Limits{Time: limit, Memory: testMemory}, Version: "7.0.0"}
}

// run gives the answer of a script, or why there is none. Each command that it calls is answered
// with its last word.
func run(e *Engine, text string, resp3 bool) string {
	var programs Cache
	program, err := programs.Load(text)
	if err != nil {
		return "-ERR Error compiling script (new function): " + err.Error()
	}
	return string(e.Run(Request{
		Program: program, RESP3: resp3,
		Call: func(words []string, _ bool) []byte { return bulk(nil, '$', words[len(words)-1]) },
	}))
}

const (
	forTime   = "Script stopped: it ran for longer than 100ms"
	forMemory = "Script stopped: the embedded server gives it 16 MB of memory"
)

// hostile scripts each want more than there is: time, memory, or the stack of the process.
var hostile = []struct{ name, script, want string }{
	{"rep", `return #string.rep('x', 2^33)`, forMemory},
	{"rep as a method", `return ('x'):rep(2^53)`, forMemory},
	{"rep of the largest number", `return #string.rep('xx', math.huge)`, forMemory},
	{"rep of nothing", `return string.rep('', 1e15)`, "$0\r\n\r\n"},
	{"doubling", `local s = 'x' for i = 1, 40 do s = s .. s end return #s`, forMemory},
	{"doubling by a pcall each", `local s = 'x' for i = 1, 40 do pcall(function() s = s .. s end) end return #s`, forMemory},
	{"doubling in three", `local s = 'x' while true do s = s .. s .. s end`, forMemory},
	{"doubling by an upvalue", `local s = 'x' local function f() s = s .. 'x' .. s end while true do f() end`, forMemory},
	{"doubling by format", `local s = 'x' while true do s = string.format('%s%s', s, s) end`, forMemory},
	{"doubling by gsub", `local s = 'xx' while true do s = s:gsub('x', '%0%0') end`, "Script stopped"},
	{"doubling by gsub with a table", `local s = 'xx' while true do s = s:gsub('.+', {[s] = s .. s}) end`, forMemory},
	{"doubling by concat", `local s = 'x' while true do s = table.concat({s, s}) end`, forMemory},
	{"doubling by cjson", `local s = '\1' while true do s = cjson.encode(s) end`, forMemory},
	{"doubling by %q", `local s = '"' while true do s = string.format('%q', s) end`, forMemory},
	{"concat of one string", `local s = string.rep('x', 1e6) local t = {} for i = 1, 1e4 do t[i] = s end return #table.concat(t)`, forMemory},
	{"concat of separators", `local t = {} for i = 1, 1e4 do t[i] = '' end return #table.concat(t, string.rep('x', 1e6))`, forMemory},
	{"concat of many", `return table.concat({}, ',', 1, 1e9)`, "invalid value (nil) at index 1"},
	{"concat by a metatable", `local t = setmetatable({}, {__concat = function(a, b) return string.rep('x', 1e8) end}) return t .. 'x'`, forMemory},
	{"many strings", `local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end`, forMemory},
	{"width", `return string.format('%999999999d', 1)`, "invalid format (width or precision too long)"},
	{"precision", `return string.format('%.999999999f', 1)`, "invalid format (width or precision too long)"},
	{"many directives", `return #string.format(string.rep('%99d', 8000), unpack({}, 1, 7000))`, "number expected, got nil"},
	{"reverse", `local s = string.rep('x', 3e6) local t = {} for i = 1, 100 do t[i] = s:reverse() end`, forMemory},
	{"upper", `local s = string.rep('x', 3e6) local t = {} for i = 1, 100 do t[i] = s:upper() end`, forMemory},
	{"answers", `local t = {} for i = 1, 1e9 do t[i] = redis.call('echo', string.rep('x', 1e5)) end`, forMemory},
	{"words", `local s = string.rep('x', 1e6) for i = 1, 1e9 do redis.call('set', s, 'x') end`, forMemory},
	{"long errors", `local s, t = string.rep('x', 3e6), {} for i = 1, 1000 do local ok, e = pcall(function() error(s) end) t[#t + 1] = e end return #t`, forMemory},
	{"long assertions", `local s, t = string.rep('x', 3e6), {} for i = 1, 1000 do local ok, e = pcall(assert, false, s) t[#t + 1] = e end return #t`, forMemory},
	{"long errors of coroutines", `local s, t = string.rep('x', 3e6), {} for i = 1, 1000 do local ok, e = pcall(coroutine.wrap(function() error(s, 0) end)) t[#t + 1] = e end return #t`, forMemory},
	{"long names of globals", `local s, t = string.rep('x', 3e6), {} for i = 1, 1000 do local ok, e = pcall(function() return _G[s] end) t[#t + 1] = e end return #t`, ":1000\r\n"},
	{"long options", `local s, t = string.rep('x', 3e6), {} for i = 1, 1000 do local ok, e = pcall(collectgarbage, s) t[#t + 1] = e end return #t`, ":1000\r\n"},
	{"pcalls of words", `local s = string.rep('x', 1e6) while true do redis.pcall('set', s, 'x') end`, forMemory},

	{"loop", `while true do end`, forTime},
	{"repeat", `repeat until false`, forTime},
	{"for", `for i = 1, math.huge do end`, forTime},
	{"pcall of a loop", `pcall(function() while true do end end) return 'caught'`, forTime},
	{"pcalls of loops", `while true do pcall(function() repeat until false end) end`, forTime},
	{"xpcall of a loop", `xpcall(function() while true do end end, function() while true do end end) return 'caught'`, forTime},
	{"loop in a coroutine", `coroutine.wrap(function() while true do end end)()`, forTime},
	{"loop in a coroutine in a coroutine", `local f = coroutine.wrap(function() coroutine.wrap(function() repeat until false end)() end) pcall(f) return 'caught'`, forTime},
	{"loop in a resumed coroutine", `coroutine.resume(coroutine.create(function() while true do end end)) return 'caught'`, forTime},
	{"endless coroutine", `local f = coroutine.wrap(function() while true do coroutine.yield() end end) while true do f() end`, forTime},
	{"loop in a metatable", `local t = setmetatable({}, {__index = function() while true do end end}) return t.x`, forTime},
	{"loop in an assignment", `local t = setmetatable({}, {__newindex = function() while true do end end}) t.x = 1`, forTime},
	{"loop in a comparison", `local m = {__lt = function() while true do end end} return setmetatable({}, m) < setmetatable({}, m)`, forTime},
	{"loop in a sum", `return setmetatable({}, {__add = function() while true do end end}) + 1`, forTime},
	{"loop in a tostring", `return tostring(setmetatable({}, {__tostring = function() while true do end end}))`, forTime},
	{"loop in a concat", `return 'x' .. setmetatable({}, {__concat = function() while true do end end})`, forTime},
	{"loop in a sort", `local t = {} for i = 1, 100 do t[i] = i end table.sort(t, function() while true do end end)`, forTime},
	{"long sort", `local t = {} for i = 1, 1e5 do t[i] = i % 7 end while true do table.sort(t) end`, forTime},
	{"sort by a function of Go", `local t = {} for i = 1, 1e5 do t[i] = i end while true do table.sort(t, rawequal) end`, forTime},
	{"loop in a gsub", `return ('x'):gsub('x', function() while true do end end)`, forTime},
	{"gsub by functions of Go", `local s = string.rep('x', 3e6) while true do s:gsub('x', string.len) end`, forTime},
	{"gsubs", `local s = string.rep('x', 1e5) while true do s:gsub('x', {}) end`, forTime},
	{"loop in a foreach", `table.foreach({1}, function() while true do end end)`, forTime},
	{"foreach by functions of Go", `local t = {} for i = 1, 1e5 do t[i] = i end while true do table.foreach(t, string.len) end`, forTime},
	{"loop in a load", `load(function() while true do end end)`, forTime},
	{"load of blanks", `load(function() return ' ' end)`, forTime},
	{"pattern of stars", `return string.rep('a', 100000):find(string.rep('a*', 30) .. 'b')`, forTime},
	{"pattern of minuses", `return string.rep('a', 100000):match(string.rep('.-', 20) .. 'b')`, forTime},
	{"pattern of questions", `return string.rep('a', 40):match(string.rep('a?', 40) .. string.rep('a', 40) .. 'b')`, forTime},
	{"pattern by gmatch", `for w in string.rep('a', 1e5):gmatch('.-.-b') do end`, forTime},
	{"pattern by gsub", `return string.rep('a', 1e5):gsub('.-.-b', '')`, forTime},
	{"balance", `return string.rep('(', 3e6):gsub('%b()', '')`, forTime},
	{"deep pattern", `return string.rep('a', 10000):match(string.rep('a?', 10000))`, "pattern too complex"},
	{"captures", `return ('x'):match(string.rep('()', 40))`, "too many captures"},
	{"long minus", `return string.rep('a', 4e6):match('.-b')`, forTime},
	{"comparison of long strings", `local a, b = string.rep('x', 4e6), string.rep('x', 3e6) .. string.rep('x', 1e6) while true do local c = a < b end`, forTime},
	{"unpack", `return select('#', unpack({}, 1, 1e8))`, "too many results to unpack"},
	{"unpack of all numbers", `return unpack({}, -1e300, 1e300)`, "too many results to unpack"},
	{"bytes", `return string.rep('x', 1e6):byte(1, -1)`, "string slice too long"},
	{"select", `while true do local x = select('#', unpack({}, 1, 7000)) end`, forTime},

	{"tables", `local t = {} while true do t[#t + 1] = {} end`, "Script stopped"},
	{"tables in tables", `local t = {} while true do t = {t} end`, "Script stopped"},
	{"tables of strings", `local t = {} for i = 1, 1e9 do t['k' .. i] = i end`, "Script stopped"},
	{"numbers as keys", `local t = {} for i = 1, 1e9 do t[i + 0.5] = i end`, "Script stopped"},
	{"deleted keys", `local t = {} for i = 1, 1e9 do t[-i] = i t[-i] = nil end`, "Script stopped"},
	{"closures", `local f for i = 1, 1e9 do local g = f f = function() return g end end`, "Script stopped"},
	{"far index", `local t = {} for i = 1, 1e6 do t[i] = {} t[i][262143] = 1 end`, "Script stopped"},
	{"far index in a constructor", `local t = {} for i = 1, 1e6 do t[i] = {[262143] = 1} end`, "Script stopped"},
	{"far index in a constructor, computed", `local t = {} for i = 1, 1e6 do t[i] = {[262000 + i % 100] = 1} end`, "Script stopped"},
	{"far index by rawset", `local t = {} for i = 1, 1e6 do t[i] = {} rawset(t[i], 262143, 1) end`, "Script stopped"},
	{"far index by insert", `local t = {} for i = 1, 1e6 do t[i] = {} table.insert(t[i], 262143, 1) end`, "Script stopped"},
	{"far index by an assignment of two", `local t = {} for i = 1, 1e6 do local a, b = {}, {} a[262143], b[262143] = 1, 2 t[i] = {a, b} end`, "Script stopped"},
	{"middle indexes", `local t = {} for i = 1, 1e6 do t[i] = {} t[i][4000] = 1 end`, "Script stopped"},
	{"last index", `local t = {} t[262144] = 1`, "table index 262144: arrays have fewer than 262144 elements here"},
	{"beyond the last index", `local t = {} t[262145] = 1 t[1e15] = 2 return t[1e15]`, ":2\r\n"},
	{"coroutines", `local t = {} while true do t[#t + 1] = coroutine.create(function() end) end`, "Script stopped"},
	{"started coroutines", `local t = {} while true do local f = coroutine.wrap(coroutine.yield and function() coroutine.yield() end) f() t[#t + 1] = f end`, "Script stopped"},
	{"coroutines in coroutines", `local function f() coroutine.wrap(f)() end f()`, "C stack overflow"},
	{"coroutines in coroutines with pcall", `local function f() pcall(coroutine.wrap(f)) return 1 end return f()`, ":1\r\n"},
	{"coroutine that resumes its parent", `local a, b a = coroutine.create(function() return coroutine.resume(b) end) b = coroutine.create(function() return coroutine.resume(a) end) return select(4, coroutine.resume(b))`, "cannot resume non-suspended coroutine"},
	{"gmatches", `local t = {} while true do t[#t + 1] = string.gmatch('x', 'x') end`, "Script stopped"},

	{"recursion", `local function f() return 1 + f() end return f()`, "stack overflow"},
	{"recursion by pcall", `local function f() pcall(f) end f() return 'ended'`, "$5\r\nended\r\n"},
	{"recursion by a metatable", `local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k .. 'x'] end return t.x`, "stack overflow"},
	{"recursion by tostring", `local t = setmetatable({}, {}) getmetatable(t).__tostring = function(t) return tostring(t) end return tostring(t)`, "stack overflow"},
	{"recursion by sort", `local function f() table.sort({1, 2, 3}, f) end f()`, "stack overflow"},
	{"recursion by gsub", `local function f() string.gsub('x', 'x', f) end f()`, "stack overflow"},
	{"recursion by load", `local function f() load(f) end f()`, "stack overflow"},
	{"recursion with many locals", `local function f(...) return 1 + f(1, ...) end return f()`, "overflow"},
	{"tables as their own index", `local t = {} setmetatable(t, {__index = t}) return t.x`, "too many recursions"},
	{"tail calls", `local function f() return f() end return f()`, forTime},
	{"tail calls of pcall", `local function f() return pcall(f) end f() return 'ended'`, "$5\r\nended\r\n"},

	{"answer in itself", `local t = {} t[1] = t return t`, "-ERR reached lua stack limit"},
	{"map in itself", `local t = {} t.map = t return t`, "-ERR reached lua stack limit"},
	{"deep answer", `local t = {} for i = 1, 5000 do t = {t} end return t`, "-ERR reached lua stack limit"},
	{"wide answer", `local t = {1} for i = 1, 60 do t = {t, t} end return t`, forMemory},
	{"wide answer of strings", `local s = string.rep('x', 1e6) local t = {} for i = 1, 1e4 do t[i] = s end return t`, forMemory},
	{"wide error", `local s = string.rep('x', 4e6) error(s .. s)`, forMemory},
	{"cjson of itself", `local t = {} t[1] = t return cjson.encode(t)`, "Cannot serialise, excessive nesting (1001)"},
	{"cjson, wide", `local t = {1} for i = 1, 60 do t = {t, t} end return cjson.encode(t)`, forMemory},
	{"cjson, deep", `return cjson.decode(string.rep('[', 1e6))`, "Found too many nested data structures (1001)"},
	{"cjson of many tables", `return cjson.decode('[' .. string.rep('[],', 1e6) .. '1]')`, "Script stopped"},
	{"cjson of a far index", `return cjson.encode({[200000] = 1})`, "excessively sparse array"},

	{"brackets in a load", `return loadstring('return ' .. string.rep('(', 1e6))`, "$-1\r\n"},
	{"brackets in loads", `while true do loadstring('return ' .. string.rep('(', 1000) .. '1' .. string.rep(')', 1000)) end`, forMemory},
	{"tables in a load", `return select(2, loadstring('return ' .. string.rep('{', 10000) .. string.rep('}', 10000)))`, "chunk has too many syntax levels"},
	{"sums in a load", `return select(2, loadstring('return 1' .. string.rep('+1', 10000)))`, "chunk has too many syntax levels"},
	{"calls in a load", `return select(2, loadstring('return f' .. string.rep('()', 10000)))`, "chunk has too many syntax levels"},
	{"nots in a load", `return select(2, loadstring('return ' .. string.rep('not ', 5000) .. '1'))`, "chunk has too many syntax levels"},
	{"powers in a load", `return select(2, loadstring('return 1' .. string.rep('^1', 10000)))`, "chunk has too many syntax levels"},
	{"concats in a load", `return select(2, loadstring('return 1' .. string.rep('..1', 10000)))`, "$"},
	{"functions in a load", `return select(2, loadstring(string.rep('return function() ', 2000) .. string.rep(' end', 2000)))`, "chunk has too many syntax levels"},
	{"ifs in a load", `return select(2, loadstring('if a then ' .. string.rep('elseif a then ', 1500) .. 'end'))`, "chunk has too many syntax levels"},
	{"loops in a load", `return select(2, loadstring(string.rep('while 1 do ', 1500) .. string.rep(' end', 1500)))`, "chunk has too many syntax levels"},
	{"locals in a load", `return select(2, loadstring('local x ' .. string.rep('local y ', 1000)))`, "too many local variables"},
	{"a loaded loop", `return loadstring('while true do end')()`, forTime},
	{"a loaded doubling", `return loadstring("local s = 'x' while true do s = s .. s end")()`, forMemory},
	{"a loaded far index", `loadstring('local t = {} for i = 1, 1e6 do t[i] = {} t[i][262143] = 1 end')()`, "Script stopped"},
	{"bytecode", `local f, e = loadstring('\27Lua') return e`, "only text can be loaded"},
}

// TestHostile has each script end in time, within its memory, with an error that says why.
func TestHostile(t *testing.T) {
	for _, tc := range hostile {
		t.Run(tc.name, func(t *testing.T) {
			limit := longTime // so that a slow machine does not end it before it has used its memory
			switch tc.want {
			case forTime:
				limit = shortTime
			case "Script stopped": // for one or the other
				limit = middleTime
			}
			begin, stop := time.Now(), peak(t)
			got := run(testEngine(limit), tc.script, false)
			grown, took := stop(), time.Since(begin)
			if !strings.Contains(got, tc.want) {
				t.Errorf("%.200q, want %q", got, tc.want)
			}
			if grown > testMemory+48<<20 { // one assignment far away makes some 20 MB of waste
				t.Errorf("the heap has grown by %d MB", grown>>20)
			}
			if took > limit+5*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestHostileText compiles texts that want much of the parser and the compiler, which no limit of
// time or memory can end.
func TestHostileText(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"too long", strings.Repeat(" ", textLimit+1), "the script is longer than 131072 bytes"},
		{"brackets", strings.Repeat("(", textLimit), "near '<eof>'"},
		{"brackets, closed", "return " + strings.Repeat("(", textLimit/2-10) + "1" + strings.Repeat(")", textLimit/2-10), ":1\r\n"},
		{"braces", "return " + strings.Repeat("{", textLimit-10), "near '<eof>'"},
		{"nots", "return " + strings.Repeat("not ", textLimit/4-10) + "1", "chunk has too many syntax levels"},
		{"minuses", "return " + strings.Repeat("- ", textLimit/2-10) + "1", "chunk has too many syntax levels"},
		{"powers", "return 1" + strings.Repeat("^1", textLimit/2-10), "chunk has too many syntax levels"},
		{"concats", "return 1" + strings.Repeat(" ..x", textLimit/4-10), "register overflow"},
		{"sums", "return 1" + strings.Repeat("+1", textLimit/2-10), "chunk has too many syntax levels"},
		{"indexes", "return x" + strings.Repeat("[1]", textLimit/3-10), "chunk has too many syntax levels"},
		{"methods", "x" + strings.Repeat(":x()", textLimit/4-10), "chunk has too many syntax levels"},
		{"blocks", strings.Repeat("do ", textLimit/3-10), "near '<eof>'"},
		{"blocks, closed", strings.Repeat("do ", textLimit/7-10) + strings.Repeat("end ", textLimit/7-10), "chunk has too many syntax levels"},
		{"functions", strings.Repeat("f(function() ", textLimit/13-10), "near '<eof>'"},
		{"statements", strings.Repeat("x=1;", textLimit/4-10), "Attempt to modify a readonly table"},
		{"constants", "return {" + strings.Repeat("1,", textLimit/2-10) + "}", "a table has too many values"},
		{"many values", "return {" + strings.Repeat("1,", mostFields) + "}", "*25000\r\n"},
		{"fields", "return {" + strings.Repeat("x=1,", textLimit/4-10) + "}", "*0\r\n"},
		{"assignments", "local a" + strings.Repeat(",a", textLimit/4) + " = 1", "too many local variables"},
		{"targets", "x" + strings.Repeat(",x", textLimit/2-10) + "=1", "register overflow"},
		{"a long name", strings.Repeat("x", textLimit-10) + "=1", "Attempt to modify a readonly table"},
		{"a long number", "return " + strings.Repeat("1", textLimit-10), ":-9223372036854775808\r\n"},
		{"a long comment", "--[" + strings.Repeat("=", textLimit-10), "-"},
		{"a long string", "return [==[" + strings.Repeat("]=", textLimit/2-10), "-"},
		{"goto", "::a:: goto a", "Lua 5.1 has no goto"},
		{"binary", "\x1bLua\x51\x00\x01\x04", "-ERR Error compiling script"},
		{"zeros", "return '" + strings.Repeat("\x00", textLimit-20) + "'", "$131052"},
		{"hidden names", "(concat) = 1", "-ERR Error compiling script"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			begin, stop := time.Now(), peak(t)
			got := run(testEngine(longTime), tc.text, false)
			grown, took := stop(), time.Since(begin)
			if !strings.Contains(got, tc.want) {
				t.Errorf("%.200q, want %q", got, tc.want)
			}
			if grown > 150<<20 {
				t.Errorf("the heap has grown by %d MB", grown>>20)
			}
			if took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
			t.Logf("%d MB, %v", grown>>20, took)
		})
	}
}
