package script

import (
	"testing"
	"time"
)

// FuzzScript runs any text: it must end, within its limits, and with an answer.
func FuzzScript(f *testing.F) {
	for _, tc := range hostile {
		f.Add(tc.script)
	}
	for _, seed := range []string{
		"return 1", "return {1, {2, 'x'}, true, false, {ok = 'y'}, {err = 'z'}}", "return redis.call('get', KEYS[1])",
		"local t = setmetatable({}, {__index = function(t, k) return k end}) return t.x", "goto x", "return ...",
		"local a, b = 1, 2 a, b = b, a return a .. b", "for k, v in pairs(_G) do k = v end", "return cjson.decode(cjson.encode({1, {a = 2}}))",
		"return string.format('%5.2f %s %q', 1, 'x', 'y')", "return ('x'):gsub('(x)', '%1%1')", "coroutine.yield()",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		begin := time.Now()
		for range 2 { // on a new interpreter, and on the one that it leaves
			got := run(testEngine(50*time.Millisecond), text, true)
			if got == "" {
				t.Error("no answer")
			}
		}
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}
