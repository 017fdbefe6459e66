package cli

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"locktop/keyspace/redistest"
)

// TestPrintedLinesAsRedisCLIReadsThem gives redis-cli the lines that "locktop check" prints, and looks as the user whom they
// make: the patterns have what redis-cli, the server's ACL and a terminal each take in a way of their own.
func TestPrintedLinesAsRedisCLIReadsThem(t *testing.T) {
	client := redistest.Require(t, "redis-cli")
	server := redistest.Start(t, "--notify-keyspace-events", "Kg$hzxen")
	ownState(t)
	for _, test := range []struct{ pattern, key string }{
		{`lock\[*`, "lock[a"},
		{`x"y*`, `x"y:lock`},
		{"it's*", "it's:lock"},
		{"a b*", "a b:lock"},
		{"a\tb*", "a\tb:lock"},
		{`back\\slash*`, `back\slash:lock`},
		{"one[ x]of*", "one of:lock"},
		{"锁*", "锁:lock"},
		{"\x1b[[]2J*", "\x1b[2J:lock"},
		{"\xff*", "\xff:lock"},
	} {
		t.Setenv("REDISCLI_AUTH", "")
		server.Do("SET", test.key, "5f2c7a0e-1c7b-4c3b-9a55-0d7c2f1e8a11", "PX", 60000)
		var out bytes.Buffer
		locktop := func(args ...string) int {
			out.Reset()
			return Main(t.Context(), append(args, "-s", server.Socket, "--pattern", test.pattern), strings.NewReader(""), &out, &out)
		}
		if code := locktop("check"); code != exitDone {
			t.Fatalf("%q: code %d, %s", test.pattern, code, &out)
		}
		var lines []string
		for line := range strings.Lines(out.String()) {
			if rest, found := strings.CutPrefix(line, "  ACL "); found {
				lines = append(lines, "ACL "+rest)
			}
		}
		typed := exec.CommandContext(t.Context(), client, "-s", server.Socket)
		typed.Env = []string{"PATH="} // without REDISCLI_AUTH
		typed.Stdin = strings.NewReader(strings.Join(lines, ""))
		if answer, err := typed.CombinedOutput(); err != nil || strings.TrimSpace(string(answer)) != "OK\nOK" {
			t.Errorf("%q: redis-cli answers %s (%v) to %s", test.pattern, answer, err, lines)
			continue
		}
		t.Setenv("REDISCLI_AUTH", "PASSWORD")
		if code := locktop("list", "--user", "locktop", "-o", "json"); code != exitDone || !strings.Contains(out.String(), "5f2c7a0e-1c7b-4c3b-9a55-0d7c2f1e8a11") {
			t.Errorf("%q: list: code %d, %s", test.pattern, code, &out)
		}
		if code := locktop("check", "--user", "locktop"); code != exitDone || !strings.Contains(out.String(), "seen by push") {
			t.Errorf("%q: check: code %d, %s", test.pattern, code, &out)
		}
		server.Do("FLUSHALL")
	}
}
