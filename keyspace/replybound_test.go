package keyspace

import (
	"bufio"
	"errors"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// replies are streams that servers send, and what is wrong with those that none does.
var replies = []struct{ stream, wrong string }{
	{"+OK\r\n:1\r\n$-1\r\n*-1\r\n_\r\n#t\r\n,1.5\r\n(12345678901234567890\r\n*0\r\n%0\r\n$0\r\n\r\n", ""},
	{"$5\r\n*9\r\n%\r\n=7\r\ntxt:*99\r\n!3\r\nERR\r\n", ""},
	{"*2\r\n*1\r\n$1\r\na\r\n%1\r\n+a\r\n*2\r\n:1\r\n:2\r\n>2\r\n+invalidate\r\n*1\r\n$1\r\nk\r\n", ""},
	{strings.Repeat("*2\r\n*0\r\n%1\r\n+a\r\n*1\r\n:1\r\n", 100_000), ""}, // nothing is left open
	{"*2\r\n|1\r\n+ttl\r\n:3600\r\n:1\r\n:2\r\n" + strings.Repeat("*1\r\n:1\r\n", 100), ""},
	{strings.Repeat("*2\r\n|0\r\n:1\r\n:2\r\n", 100_000), ""},
	{"-ERR " + strings.Repeat("x", 100_000) + "\r\n", ""},
	{"%1000000000\r\n", "a map of 1000000000 pairs"},
	{"*1000000000\r\n", "more than 4194304 elements"},
	{"~99999999999999999999999999\r\n", "more than 4194304 elements"},
	{"*2\r\n:1\r\n*4194303\r\n", "more than 4194304 elements"},
	{"$1000000000\r\n", "a text of 1000000000 bytes"},
	{"=9223372036854775807\r\n", "a text of "},
	{strings.Repeat("*1\r\n", 40), "more than 32 deep"},
	{"+" + strings.Repeat("x", 2<<20), "a line is longer than 1048576 bytes"},
}

// TestReplyReader reads every stream in one piece, and cut into single bytes.
func TestReplyReader(t *testing.T) {
	for _, r := range replies {
		for _, size := range []int{len(r.stream), 1, 7} {
			var reader replyReader
			var err error
			for part := range slices.Chunk([]byte(r.stream), size) {
				if err = reader.read(part); err != nil {
					break
				}
			}
			if r.wrong == "" && (err != nil || len(reader.open) > 32) || r.wrong != "" && (!errors.Is(err, errReply) || !strings.Contains(err.Error(), r.wrong)) {
				t.Errorf("%.40q in pieces of %d: %v", r.stream, size, err)
			}
		}
	}
}

// FuzzReplyReader wants the same of a stream however it is cut.
func FuzzReplyReader(f *testing.F) {
	for _, r := range replies {
		f.Add([]byte(r.stream[:min(len(r.stream), 1000)]), 3)
	}
	f.Fuzz(func(t *testing.T, stream []byte, size int) {
		var whole, cut replyReader
		err := whole.read(stream)
		var cutErr error
		for part := range slices.Chunk(stream, max(size, 1)) {
			if cutErr = cut.read(part); cutErr != nil {
				break
			}
		}
		if (err == nil) != (cutErr == nil) || !slices.Equal(whole.open, cut.open) || whole.body != cut.body || len(whole.open) > maxReplyDepth+2 {
			t.Errorf("%v and %v, %+v and %+v", err, cutErr, whole, cut)
		}
	})
}

// TestAServerThatAnnouncesTooMuch answers the first command with the size of a map that no memory has room for.
func TestAServerThatAnnouncesTooMuch(t *testing.T) {
	for _, answer := range []string{"%1000000000\r\n", "*1000000000\r\n", "$100000000000\r\n"} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = listener.Close() })
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				go func() {
					in := bufio.NewReader(conn)
					_, _ = in.ReadString('\n')
					_, _ = conn.Write([]byte(answer))
					_, _ = in.WriteTo(nowhere{}) // until the client hangs up
					_ = conn.Close()
				}()
			}
		}()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = Connect(t.Context(), Options{Network: "tcp", Addr: listener.Addr().String(), CommandTimeout: 2 * time.Second})
		runtime.ReadMemStats(&after)
		if !errors.Is(err, errReply) {
			t.Errorf("%q: %v", answer, err)
		}
		if made := after.TotalAlloc - before.TotalAlloc; made > 64<<20 {
			t.Errorf("%q: %d bytes of memory", answer, made)
		}
	}
}

// nowhere takes everything.
type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
