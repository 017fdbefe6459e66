package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"locktop/ui/text"
)

// marshal is JSON on one line, with its line feed. Besides what JSON demands it writes as \u escapes all characters that
// are not graphic: DEL, the C1 controls (U+009B begins an escape sequence on many terminals) and those that turn the
// direction of writing. A reader of JSON sees no difference; a terminal sees no control.
func marshal(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encoding JSON: %w", err)
	}
	return harmless(buffer.Bytes()), nil
}

// harmless escapes what is not graphic. The input is valid JSON, where such characters occur inside strings only, but for
// the line feed at the end.
func harmless(line []byte) []byte {
	out := make([]byte, 0, len(line)+16)
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		switch {
		case r == '\n' || text.Printable(string(r)):
			out = append(out, line[:size]...)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		line = line[size:]
	}
	return out
}
