package keyspace_test

import (
	"fmt"
	"testing"

	"locktop/keyspace"
)

func TestLinesOfMonitor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ line, want string }{
		{`+1339518083.107412 [0 127.0.0.1:60866] "keys" "*"`, `0 127.0.0.1:60866 ["keys" "*"]`},
		{`1339518083.107412 [9 lua] "set" "a b" "\"q\"\\ \n\r\t\a\b\x00\xff"`, `9 lua ["set" "a b" "\"q\"\\ \n\r\t\a\b\x00\xff"]`},
		{`1339518083.107412 [0 unix:/tmp/a b.sock] "get" ""`, `0 unix:/tmp/a b.sock ["get" ""]`},
		{`1339518083.107412 [0 [::1]:6379] "get" "] \"x"`, `0 [::1]:6379 ["get" "] \"x"]`},
		{`1339518083.107412 [0 127.0.0.1:1] "set" "key" "cut of`, `0 127.0.0.1:1 ["set" "key"]`},
		{`1339518083.107412 [0 127.0.0.1:1] "set" "key" "cut\x0`, `0 127.0.0.1:1 ["set" "key"]`},
		{`1339518083.107412 [0 127.0.0.1:1] "cut`, ``},
		{`1339518083.107412 [0 127.0.0.1:1]`, ``},
		{`1339518083.1 [0 127.0.0.1:1] "a"`, ``},
		{`-ERR no`, ``},
		{``, ``},
		{`+OK`, ``},
		{`+1339518083.107412 [x 127.0.0.1:1] "a"`, ``},
	} {
		heard, is := keyspace.ParseHeard([]byte(test.line))
		got := ""
		if is {
			got = fmt.Sprintf("%d %s %q", heard.DB, heard.Addr, heard.Args)
			if heard.At.UnixMicro() != 1339518083107412 {
				t.Errorf("%s: at %v", test.line, heard.At)
			}
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.line, got, test.want)
		}
	}
}

// What a server may send makes no trouble, and what it quotes is read back as it was.
func FuzzLinesOfMonitor(f *testing.F) {
	f.Add([]byte(`+1339518083.107412 [0 127.0.0.1:60866] "keys" "*"`), []byte("a\x00\"\\"))
	f.Add([]byte(`1339518083.107412 [0 lua] "\x`), []byte("\xff\n"))
	f.Fuzz(func(t *testing.T, line, word []byte) {
		if heard, is := keyspace.ParseHeard(line); is && (len(heard.Args) == 0 || len(heard.Addr) == 0) {
			t.Errorf("%q: %+v", line, heard)
		}
		quoted := fmt.Appendf(nil, `1.000000 [0 1.2.3.4:5] "SET" "%s"`, monitorQuoted(word))
		heard, is := keyspace.ParseHeard(quoted)
		if !is || len(heard.Args) != 2 || string(heard.Args[1]) != string(word) {
			t.Errorf("%q came back as %q", word, heard.Args)
		}
	})
}

// monitorQuoted quotes as the server does (sdscatrepr).
func monitorQuoted(word []byte) []byte {
	var out []byte
	for _, c := range word {
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c == '\n':
			out = append(out, '\\', 'n')
		case c == '\r':
			out = append(out, '\\', 'r')
		case c == '\t':
			out = append(out, '\\', 't')
		case c == '\a':
			out = append(out, '\\', 'a')
		case c == '\b':
			out = append(out, '\\', 'b')
		case c < ' ' || c > '~':
			out = fmt.Appendf(out, `\x%02x`, c)
		default:
			out = append(out, c)
		}
	}
	return out
}
