package keyspace

import "testing"

func TestQuiet(t *testing.T) {
	for _, test := range []struct{ in, out string }{
		{"+OK\r\n", "+OK\r\n"},
		{"-ERR unknown command 'AUTH', with args beginning with: 'hush' \r\n+OK\r\n", "-ERR unknown command 'AUTH'\r\n+OK\r\n"},
		{"+OK\r\n-ERR unknown command `HELLO`, with args beginning with: `3` `hush`\r\n-ERR x, with args beginning with: 'hush'\r\n$1\r\na\r\n",
			"+OK\r\n-ERR unknown command `HELLO`\r\n-ERR x\r\n$1\r\na\r\n"},
		{"$30\r\n, with args beginning with: x yz\r\n", "$30\r\n, with args beginning with: x yz\r\n"},
		{"", ""},
	} {
		whole := []byte(test.in)
		if got := string(whole[:new(quiet).keep(whole)]); got != test.out {
			t.Errorf("%q: got %q, want %q", test.in, got, test.out)
		}
		for at := range len(test.in) { // cut at any place, but for the words themselves
			one, other := []byte(test.in[:at]), []byte(test.in[at:])
			var q quiet
			got := string(one[:q.keep(one)])
			if q.cutting {
				if got += string(other[:q.keep(other)]); got != test.out {
					t.Errorf("%q cut at %d: got %q, want %q", test.in, at, got, test.out)
				}
			}
		}
	}
}
