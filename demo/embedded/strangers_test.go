package embedded_test

import (
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"locktop/demo/embedded"
)

// silence is after what time without an answer a test takes it that none comes.
const silence = 100 * time.Millisecond

// hearAll gives all that comes until the connection ends, or until nothing comes for a time.
func (c *rawClient) hearAll(tb testing.TB, patience time.Duration) (said string, ended bool) {
	tb.Helper()
	for {
		if err := c.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
			tb.Fatal(err)
		}
		part := make([]byte, 4096)
		n, err := c.conn.Read(part)
		said += string(part[:n])
		if err != nil {
			return said, !errors.Is(err, os.ErrDeadlineExceeded)
		}
	}
}

// TestStrangersParity sends to both servers what a web page can make a browser send, and what those
// send who do not know the password.
func TestStrangersParity(t *testing.T) {
	const password = "open sesame"
	realServer := startModel(t)
	dialRaw(t, realServer.Addr).do(t, "CONFIG", "SET", "requirepass", password)
	server := start(t, embedded.Options{Password: password})
	const poison = "SET poisoned yes\r\n"
	for _, tc := range []struct {
		name, send string
		known      bool // with the password
		ends       bool // the connection
	}{
		{"web page", "POST / HTTP/1.1\r\nHost: 127.0.0.1:7000\r\nContent-Length: 20\r\n\r\n" + poison, false, true},
		{"web page, another method", "PUT / HTTP/1.1\r\nhost: 127.0.0.1:7000\r\n\r\n" + poison, true, true},
		{"web page, authenticated", "pOsT / HTTP/1.1\r\n" + poison, true, true},
		{"host", "HOST: x\r\n" + poison, true, true},
		{"only POST", "POST\r\n" + poison, false, true},
		{"POST as an array", encode("POST", "/") + poison, true, true},
		{"no such words", "POSTS\r\nHost\r\nhost:x\r\nGET POST\r\nGET Host:\r\n", true, false},
		{"ten words", "*10\r\n$16384\r\n", false, false},
		{"eleven words", "*11\r\n", false, true},
		{"many words", "*2000000\r\n", false, true},
		{"a long word", "*1\r\n$16385\r\n", false, true},
		{"a longer word", "*1\r\n$2000000000\r\n", false, true},
		{"a long word, authenticated", "*1\r\n$16385\r\n", true, false},
		{"eleven words, authenticated", "*11\r\n", true, false},
		{"odd numbers", "*+1\r\n", true, true},
		{"more odd numbers", "*01\r\n", false, true},
		{"odd lengths", "*1\r\n$04\r\nPING\r\n", true, true},
		{"inline", "PING\r\nGET k\r\nSET k v\r\nHELLO 3\r\n", false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			hear := func(addr string) (string, bool) {
				c := dialRaw(t, addr)
				if tc.known {
					c.do(t, "AUTH", password)
				}
				c.send(t, tc.send)
				if tc.ends {
					return c.hearAll(t, 10*time.Second)
				}
				return c.hearAll(t, silence)
			}
			want, wantEnd := hear(realServer.Addr)
			got, gotEnd := hear(server.Addr())
			if strings.HasPrefix(tc.name, "web page, another method") {
				want, got = "", "" // the answer to the first line may be on its way when the connection ends
			}
			if got != want || gotEnd != tc.ends || wantEnd != tc.ends {
				t.Errorf("%q, ended: %t; want %q, %t", got, gotEnd, want, tc.ends)
			}
		})
	}
	for _, addr := range []string{realServer.Addr, server.Addr()} {
		c := dialRaw(t, addr)
		c.do(t, "AUTH", password)
		if got := c.do(t, "EXISTS", "poisoned"); got != ":0\r\n" {
			t.Errorf("%s ran what followed a web request: %q", addr, got)
		}
	}
}

// TestPromises has clients promise much and send little: the server keeps no room for what it was
// only promised.
func TestPromises(t *testing.T) {
	s := start(t, embedded.Options{})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var all []*rawClient
	for range 50 {
		for _, promise := range []string{"*1048576\r\n$3\r\nSET\r\n", "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$67108864\r\nxxx"} {
			c := dialRaw(t, s.Addr())
			c.send(t, promise)
			all = append(all, c)
		}
	}
	all[0].hearAll(t, silence) // by then all have been read
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 32<<20 {
		t.Errorf("100 promises take %d MB", grown>>20)
	}
}

// TestBigRequests sends more than the server takes.
func TestBigRequests(t *testing.T) {
	s := start(t, embedded.Options{})
	c := dialRaw(t, s.Addr())
	if got := c.do(t, "SETRANGE", "k", 67108863, "x"); got != ":67108864\r\n" {
		t.Errorf("the longest value: %q", got)
	}
	const tooLong = "-ERR string exceeds maximum allowed size (proto-max-bulk-len)\r\n"
	if got := c.do(t, "APPEND", "k", "x"); got != tooLong {
		t.Errorf("append to it: %q", got)
	}
	if got := c.do(t, "SETRANGE", "other", 67108864, "x"); got != tooLong {
		t.Errorf("beyond it: %q", got)
	}
	if got := c.do(t, "APPEND", "other", ""); got != ":0\r\n" {
		t.Errorf("append nothing: %q", got)
	}
	c.send(t, "*3\r\n$67108865\r\n")
	if got, ended := c.hearAll(t, 10*time.Second); got != "-ERR Protocol error: invalid bulk length\r\n" || !ended {
		t.Errorf("a word that is too long: %q, ended: %t", got, ended)
	}
	c = dialRaw(t, s.Addr())
	word := strings.Repeat("x", 50<<20)
	_, err := io.WriteString(c.conn, encode("DEL", word, word, word)) // it ends the connection before all is sent
	if got, ended := c.hearAll(t, 10*time.Second); (got != "-ERR Protocol error: too big request\r\n" && err == nil) || !ended {
		t.Errorf("a request that is too big: %q, ended: %t, %v", got, ended, err)
	}
}
