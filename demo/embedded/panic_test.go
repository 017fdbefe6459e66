package embedded

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/demo/embedded/script"
)

// TestPanic has a command panic, outside and inside of Lua: its client gets an error, the server
// lives, Close tells.
func TestPanic(t *testing.T) {
	s, err := Start(t.Context(), Options{Password: "open sesame"})
	if err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]handler{
		"boom": func(*Server, *call) { panic("out of cheese") },
		// It panics inside the store, which then holds its lock.
		"deepboom": func(s *Server, _ *call) {
			s.values.redis.Lock()
			panic("the store is locked")
		},
	} {
		s.commands[name] = &command{name: name, arity: -1, run: run}
	}
	conn, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("auth 'open sesame'\r\n")); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	for _, tc := range []struct{ send, want string }{
		{"", "+OK"},
		{"boom\r\n", "-ERR internal error of the embedded server: out of cheese"},
		{"deepboom\r\n", "-ERR internal error of the embedded server: the store is locked"},
		{"set k v\r\n", "+OK"},
		{`eval "return redis.call('boom')" 0` + "\r\n", "-ERR internal error of the embedded server: out of cheese script: "},
		{`eval "return redis.call('set', 'k', '2')" 0` + "\r\n", "+OK"},
		{"info server\r\n", "$"},
	} {
		if _, err := conn.Write([]byte(tc.send)); err != nil {
			t.Fatal(err)
		}
		line, err := reader.ReadString('\n')
		if err != nil || !strings.HasPrefix(line, tc.want) {
			t.Fatalf("%q: %q %v, want %q", tc.send, line, err, tc.want)
		}
	}
	for line := ""; !strings.HasPrefix(line, "locktop_embedded_panics:"); {
		if line, err = reader.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, "locktop_embedded_panics:") && line != "locktop_embedded_panics:3\r\n" {
			t.Errorf("counted %q", line)
		}
	}
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "out of cheese") || !strings.Contains(err.Error(), "panic_test.go") {
		t.Errorf("Close tells %v", err)
	}
}

// TestEndlessScript closes the server while a script loops for ever, around redis.call or not.
func TestEndlessScript(t *testing.T) {
	for name, loop := range map[string]string{
		"with calls":      "while true do redis.call('turn') end",
		"without calls":   "redis.call('turn') while true do end",
		"in pcalls":       "redis.call('turn') while true do pcall(function() while true do end end) end",
		"in a pattern":    "redis.call('turn') return string.rep('a', 1000):find(string.rep('a*', 30) .. 'b')",
		"in a coroutine":  "redis.call('turn') coroutine.wrap(function() while true do end end)()",
		"in a comparison": "redis.call('turn') local t = {} for i = 1, 1e5 do t[i] = i end table.sort(t, function() while true do end end)",
	} {
		t.Run(name, func(t *testing.T) { closeAmid(t, loop) })
	}
}

func closeAmid(t *testing.T, loop string) {
	s, err := Start(t.Context(), Options{Password: "open sesame", Script: script.Limits{Time: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	turning := make(chan struct{})
	turned := sync.OnceFunc(func() { close(turning) })
	s.commands["turn"] = &command{name: "turn", arity: 1, run: func(_ *Server, c *call) {
		turned()
		c.reply.ok()
	}}
	conn, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("auth 'open sesame'\r\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, make([]byte, len("+OK\r\n"))); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte(`eval "` + loop + `" 0` + "\r\n")); err != nil {
		t.Fatal(err)
	}
	<-turning
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if said, err := io.ReadAll(conn); len(said) > 0 {
		t.Errorf("dying, it answered %q, %v", said, err)
	}
}
