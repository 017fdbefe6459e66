package report

import (
	"bytes"
	"encoding/json"
	"fmt"

	"locktop/keyspace"
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
	return keyspace.EscapeJSON(buffer.Bytes()), nil
}
