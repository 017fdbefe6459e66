package embedded_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"
)

// rawClient speaks RESP over a socket and gives the answers as they are, byte for byte.
type rawClient struct {
	conn   net.Conn
	reader *bufio.Reader
}

func dialRaw(tb testing.TB, addr string) *rawClient {
	tb.Helper()
	conn, err := net.Dial(networkOf(addr), addr)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = conn.Close() }) // the test may have closed it already
	return &rawClient{conn: conn, reader: bufio.NewReader(conn)}
}

func encode(words ...any) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(words))
	for _, word := range words {
		text := fmt.Sprint(word)
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(text), text)
	}
	return b.String()
}

// do sends one command and returns the whole answer, within 10 seconds.
func (c *rawClient) do(tb testing.TB, words ...any) string {
	tb.Helper()
	c.send(tb, encode(words...))
	return c.receive(tb)
}

func (c *rawClient) send(tb testing.TB, text string) {
	tb.Helper()
	if err := c.conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		tb.Fatal(err)
	}
	if _, err := io.WriteString(c.conn, text); err != nil {
		tb.Fatal(err)
	}
}

func (c *rawClient) receive(tb testing.TB) string {
	tb.Helper()
	answer, err := readAnswer(c.reader)
	if err != nil {
		tb.Fatalf("after %q: %v", answer, err)
	}
	return answer
}

func readAnswer(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return line, err
	}
	n := 0
	switch line[0] {
	case '*', '%', '~', '>', '$', '=':
		if n, err = strconv.Atoi(strings.TrimSpace(line[1:])); err != nil || n < 0 {
			return line, err
		}
	}
	switch line[0] {
	case '$', '=':
		body := make([]byte, n+2)
		_, err := io.ReadFull(r, body)
		return line + string(body), err
	case '%':
		n *= 2
	}
	for range n {
		element, err := readAnswer(r)
		line += element
		if err != nil {
			return line, err
		}
	}
	return line, nil
}
