package embedded_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"locktop/demo/embedded"
)

// left are what this server's Lua leaves out of that of Redis.
var left = []string{
	"__redis__err__handler", // Redis' own, which no script is meant to call
	"struct", "cmsgpack",
	"cjson.decode_invalid_numbers", "cjson.decode_max_depth", "cjson.encode_invalid_numbers", "cjson.encode_keep_buffer",
	"cjson.encode_max_depth", "cjson.encode_number_precision", "cjson.encode_sparse_array", "cjson.new",
}

// TestLibraries compares everything that a script can name with what it is on a real server.
func TestLibraries(t *testing.T) {
	const names = `
		local names = {}
		for name, value in pairs(_G) do
			names[#names + 1] = name .. ' ' .. type(value)
			if type(value) == 'table' and name ~= '_G' then
				for field, what in pairs(value) do names[#names + 1] = name .. '.' .. field .. ' ' .. type(what) end
			end
		end
		table.sort(names)
		return table.concat(names, '\n')`
	ask := func(addr string) []string {
		answer := dialRaw(t, addr).do(t, "EVAL", names, 0)
		lines := strings.Split(strings.TrimSpace(answer), "\n")[1:]
		return slices.DeleteFunc(lines, func(line string) bool {
			name, _, _ := strings.Cut(line, " ")
			library, _, _ := strings.Cut(name, ".")
			return slices.Contains(left, name) || slices.Contains(left, library)
		})
	}
	want := ask(startModel(t).Addr)
	got := ask(start(t, embedded.Options{}).Addr())
	if len(want) < 100 || !slices.Equal(got, want) {
		t.Errorf("the libraries differ: only here %v, only there %v", without(got, want), without(want, got))
	}
}

func without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(one string) bool { return slices.Contains(others, one) })
}

// TestNoWayOut looks for what would lead from a script to the machine: files, modules, processes,
// the terminal.
func TestNoWayOut(t *testing.T) {
	c := dialRaw(t, start(t, embedded.Options{}).Addr())
	for _, name := range []string{
		"dofile", "loadfile", "require", "module", "package", "print", "io", "os", "debug", "newproxy", "setfenv", "getfenv", "channel",
		"_printregs", "_GOPHER_LUA_VERSION",
	} {
		got := c.do(t, "EVAL", "return "+name, 0)
		if want := fmt.Sprintf("-ERR user_script:1: Script attempted to access nonexistent global variable '%s' script: ", name); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestNothingIsLeftByScripts has scripts try to leave something to the next one.
func TestNothingIsLeftByScripts(t *testing.T) {
	c := dialRaw(t, start(t, embedded.Options{}).Addr())
	for _, attempt := range []string{
		"leak = 1", "_G.leak = 1", "rawset(_G, 'leak', 1)", "string.leak = 1", "rawset(string, 'leak', 1)", "table.insert(redis, 1)",
		"getmetatable('').__index = nil", "getmetatable('').leak = 1", "rawset(getmetatable(''), 'leak', 1)",
		"setmetatable(_G, {__index = {leak = 1}})", "getmetatable(_G).__index = nil", "rawset(getmetatable(_G), '__index', nil)",
		"setmetatable(getmetatable(_G), {})", "table.sort(string)", "table.remove(math, 1)", "math.pi = 3", "redis.call = nil",
		"setmetatable('', {})", "setmetatable(1, {})", "cjson.null.leak = 1", "setmetatable(cjson.null, {})",
		"for _, t in pairs(_G) do if type(t) == 'table' then t.leak = 1 end end",
	} {
		if got := c.do(t, "EVAL", attempt, 0); got[0] != '-' {
			t.Errorf("%s: %q", attempt, got)
		}
		c.do(t, "EVAL", "local t = KEYS t[1] = 'leak' ARGV.leak = 'leak'", 0)
		const look = `
			for _, library in pairs({_G, string, table, math, redis, cjson, bit, coroutine, getmetatable(''), KEYS, ARGV}) do
				if rawget(library, 'leak') or rawget(library, 1) then return 'leak' end
			end
			return ('x'):upper() .. tostring(math.pi):sub(1, 4) .. redis.call('ping').ok`
		if got := c.do(t, "EVAL", look, 0); got != "$9\r\nX3.14PONG\r\n" {
			t.Errorf("after %s: %q", attempt, got)
		}
	}
}
