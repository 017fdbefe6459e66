package embedded_test

import (
	"strings"
	"testing"
	"time"

	"locktop/demo/embedded"
	"locktop/demo/embedded/script"
)

// TestScriptLimits has scripts go beyond their limits: each gets an error, what it has written
// stays, and the server goes on.
func TestScriptLimits(t *testing.T) {
	s := start(t, embedded.Options{Script: script.Limits{Time: 100 * time.Millisecond, Memory: 8 << 20}})
	c := dialRaw(t, s.Addr())
	for _, tc := range []struct{ script, want string }{
		{"redis.call('incr', KEYS[1]) while true do end", "-ERR Script stopped: it ran for longer than 100ms, the limit of the embedded server script: "},
		{"redis.call('incr', KEYS[1]) return #string.rep('x', 2^33)", "-ERR Script stopped: the embedded server gives it 8 MB of memory, and one string 2 MB script: "},
		{"redis.call('incr', KEYS[1]) while true do redis.pcall('get', 'k') end", "-ERR Script stopped: it ran for longer than 100ms"},
		{"redis.call('incr', KEYS[1]) while true do redis.pcall('append', 'k', string.rep('x', 1e5)) end", "-ERR Script stopped"},
	} {
		if got := c.do(t, "EVAL", tc.script, 1, "n"); !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.script, got, tc.want)
		}
	}
	if got := c.do(t, "GET", "n"); got != "$1\r\n4\r\n" {
		t.Errorf("of four scripts this stayed: %q", got)
	}
	if got := c.do(t, "CONFIG", "GET", "busy-reply-threshold"); !strings.HasSuffix(got, "$3\r\n100\r\n") {
		t.Errorf("the setting says %q", got)
	}
}

// TestScriptOfTheIssue is the one that took 24 GB.
func TestScriptOfTheIssue(t *testing.T) {
	c := dialRaw(t, start(t, embedded.Options{}).Addr())
	const want = "-ERR Script stopped: the embedded server gives it 64 MB of memory, and one string 16 MB script: "
	if got := c.do(t, "EVAL", "return #string.rep('x',2^33)", 0); !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := c.do(t, "EVAL", "return #string.rep('x', 10000)", 0); got != ":10000\r\n" {
		t.Errorf("what is little: %q", got)
	}
}

// TestLongAnswers asks for one value many times, from a script and from outside.
func TestLongAnswers(t *testing.T) {
	c := dialRaw(t, start(t, embedded.Options{}).Addr())
	c.do(t, "SETRANGE", "k", 1<<20, "x")
	words := []any{"MGET"}
	for range 5000 {
		words = append(words, "k")
	}
	const tooLong = "-ERR the answer is longer than the embedded server gives"
	for range 2 {
		if got := c.do(t, words...); got != tooLong+"\r\n" {
			t.Errorf("%.200q", got)
		}
		got := c.do(t, "EVAL", "local t = {} for i = 1, 5000 do t[i] = 'k' end return redis.call('mget', unpack(t))", 0)
		if !strings.HasPrefix(got, tooLong+" script: ") {
			t.Errorf("in a script: %.200q", got)
		}
		got = c.do(t, "EVAL", "for i = 1, 1e6 do redis.call('setrange', 'k' .. i, 2^23, 'x') end", 0)
		if !strings.HasPrefix(got, "-ERR Script stopped: ") {
			t.Errorf("what a script stores: %.200q", got)
		}
		c.do(t, "FLUSHALL")
		c.do(t, "SETRANGE", "k", 1<<20, "x")
	}
	if got := c.do(t, "GET", "k"); len(got) < 1<<20 {
		t.Errorf("afterwards: %.200q", got)
	}
}

// TestManyMembers asks for more members than there are, in every way that takes a number.
func TestManyMembers(t *testing.T) {
	c := dialRaw(t, start(t, embedded.Options{}).Addr())
	const huge, most = "9223372036854775807", "100000000000"
	for _, number := range []string{huge, most, "-" + huge, "-" + most} {
		c.do(t, "FLUSHALL")
		c.do(t, "RPUSH", "l", "a", "b")
		c.do(t, "SADD", "s", "a", "b")
		c.do(t, "HSET", "h", "a", "b")
		c.do(t, "ZADD", "z", 1, "a", 2, "b")
		for _, words := range [][]any{
			{"SRANDMEMBER", "s", number},
			{"HRANDFIELD", "h", number},
			{"HRANDFIELD", "h", number, "WITHVALUES"},
			{"ZRANDMEMBER", "z", number},
			{"ZRANDMEMBER", "z", number, "WITHSCORES"},
			{"LPOS", "l", "a", "COUNT", number},
			{"LPOS", "l", "a", "RANK", 1, "COUNT", number, "MAXLEN", number},
			{"LRANGE", "l", 0, number},
			{"LTRIM", "l", 0, number},
			{"GETRANGE", "none", 0, number},
			{"SCAN", 0, "COUNT", number},
			{"SSCAN", "s", 0, "COUNT", number},
			{"HSCAN", "h", 0, "COUNT", number},
			{"ZSCAN", "z", 0, "COUNT", number},
			{"ZRANGE", "z", 0, number},
			{"ZRANGEBYSCORE", "z", "-inf", "+inf", "LIMIT", 0, number},
			{"ZREVRANGE", "z", 0, number},
			{"SINTERCARD", 1, "s", "LIMIT", number},
			{"LSET", "l", number, "x"},
			{"LREM", "l", number, "none"},
			{"LPOP", "l", number},
			{"RPOP", "l", number},
			{"SPOP", "s", number},
			{"ZPOPMIN", "z", number},
			{"ZPOPMAX", "z", number},
			{"SETRANGE", "n", number, "x"},
			{"LINDEX", "l", number},
			{"INCRBY", "i", number},
		} {
			if got := c.do(t, words...); len(got) > 1000 {
				t.Errorf("%v: %d bytes", words, len(got))
			}
		}
	}
	if got := c.do(t, "INFO", "server"); !strings.Contains(got, "locktop_embedded_panics:0") {
		t.Errorf("there were panics: %s", got)
	}
}

// TestManyScripts runs more scripts than the server keeps.
func TestManyScripts(t *testing.T) {
	c := dialRaw(t, start(t, embedded.Options{}).Addr())
	first := c.do(t, "SCRIPT", "LOAD", "return 'first'")[5:45]
	for i := range 1200 {
		if got := c.do(t, "EVAL", "return ARGV[1] -- "+strings.Repeat("x", i), 0, "x"); got != "$1\r\nx\r\n" {
			t.Fatalf("script %d: %q", i, got)
		}
	}
	if got := c.do(t, "EVALSHA", first, 0); !strings.HasPrefix(got, "-NOSCRIPT ") {
		t.Errorf("the oldest script: %q", got)
	}
	if got := c.do(t, "EVALSHA", script.Hash("return ARGV[1] -- "+strings.Repeat("x", 1199)), 0, "x"); got != "$1\r\nx\r\n" {
		t.Errorf("the latest script: %q", got)
	}
}
