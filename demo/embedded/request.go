package embedded

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Bounds of one request: words in a command, bytes in a word, in a line and in all words together.
// Redis allows more than these sizes; this server is made for small values.
const (
	maxWords        = 1 << 20
	maxWordBytes    = 64 << 20
	maxLineBytes    = 64 << 10
	maxRequestBytes = 2 * maxWordBytes
	readChunkSize   = 64 << 10
)

// Bounds of one request before AUTH, as in Redis: a stranger cannot make the server keep much.
const (
	maxStrangerWords     = 10
	maxStrangerWordBytes = 16 << 10
)

// errProtocol is what a client gets that does not speak RESP; its connection is closed, as in
// Redis.
var errProtocol = errors.New("Protocol error") //nolint:staticcheck // the words of Redis

// readRequest reads one command: an array of bulk strings, or an inline command as a person types
// it into a socket. An empty command is no words and no error. A stranger is a client that has yet
// to give the password.
func readRequest(r *bufio.Reader, stranger bool) ([]string, error) {
	line, err := readLine(r)
	if err != nil {
		return nil, err
	}
	if len(line) == 0 {
		return nil, nil
	}
	if line[0] != '*' {
		return splitInline(line)
	}
	n, ok := integer(string(line[1:]))
	switch {
	case stranger && ok && n > maxStrangerWords:
		return nil, fmt.Errorf("%w: unauthenticated multibulk length", errProtocol)
	case !ok || n > maxWords:
		return nil, fmt.Errorf("%w: invalid multibulk length", errProtocol)
	case n <= 0:
		return nil, nil
	}
	words := make([]string, 0, min(n, 64)) // what the client promises is not yet what it sends
	for left := maxRequestBytes; len(words) < int(n); {
		word, err := readBulk(r, stranger, left)
		if err != nil {
			return nil, err
		}
		words = append(words, word)
		left -= len(word)
	}
	return words, nil
}

func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLineBytes {
			return nil, fmt.Errorf("%w: too big inline request", errProtocol)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
	}
}

// readBulk reads a word of at most so many bytes.
func readBulk(r *bufio.Reader, stranger bool, most int) (string, error) {
	line, err := readLine(r)
	if err != nil {
		return "", err
	}
	if len(line) == 0 || line[0] != '$' {
		return "", fmt.Errorf("%w: expected '$', got '%.1s'", errProtocol, line)
	}
	n, ok := integer(string(line[1:]))
	switch {
	case !ok || n < 0 || n > maxWordBytes:
		return "", fmt.Errorf("%w: invalid bulk length", errProtocol)
	case stranger && n > maxStrangerWordBytes:
		return "", fmt.Errorf("%w: unauthenticated bulk length", errProtocol)
	case n > int64(most):
		return "", fmt.Errorf("%w: too big request", errProtocol)
	}
	var word []byte
	if n <= readChunkSize {
		word = make([]byte, n+2)
		if _, err := io.ReadFull(r, word); err != nil {
			return "", err
		}
	} else { // grow with what arrives, so that a mere promise of 64 MB costs nothing
		var buffer bytes.Buffer
		if _, err := io.CopyN(&buffer, r, n+2); err != nil {
			return "", err
		}
		word = buffer.Bytes()
	}
	return string(word[:n]), nil
}

// isWebRequest says that a command is a line of an HTTP request, which a web page can have sent to
// this server without its user's knowledge: what follows it must not be run. As in Redis, that ends
// the connection.
func isWebRequest(args []string) bool {
	return strings.EqualFold(args[0], "post") || strings.EqualFold(args[0], "host:")
}

// splitInline splits a typed line into words, with the quotes of redis-cli: "a\x01\n" and 'it\'s'.
func splitInline(line []byte) ([]string, error) {
	unbalanced := fmt.Errorf("%w: unbalanced quotes in request", errProtocol)
	var words []string
	for i := 0; i < len(line); {
		if isBlank(line[i]) {
			i++
			continue
		}
		var word []byte
		quote := byte(0)
		for ; i < len(line); i++ {
			c := line[i]
			if quote == 0 && isBlank(c) {
				break
			}
			if quote == 0 && (c == '"' || c == '\'') {
				quote = c
				continue
			}
			if quote != 0 && c == quote {
				quote = 0
				if i+1 < len(line) && !isBlank(line[i+1]) {
					return nil, unbalanced
				}
				continue
			}
			if c == '\\' && quote != 0 && i+1 < len(line) {
				var used int
				c, used = unescape(line[i:], quote)
				i += used - 1
			}
			word = append(word, c)
		}
		if quote != 0 {
			return nil, unbalanced
		}
		words = append(words, string(word))
	}
	return words, nil
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0 }

// unescape reads one escape at the start of text, and says how many bytes it took.
func unescape(text []byte, quote byte) (c byte, used int) {
	next := text[1]
	if quote == '\'' {
		if next == '\'' {
			return '\'', 2
		}
		return '\\', 1
	}
	if next == 'x' && len(text) >= 4 {
		if n, err := strconv.ParseUint(string(text[2:4]), 16, 8); err == nil {
			return byte(n), 4
		}
	}
	switch next {
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'a':
		return '\a', 2
	case 'b':
		return '\b', 2
	default:
		return next, 2
	}
}
