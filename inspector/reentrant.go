package inspector

import (
	"strconv"

	"locktop/keyspace"
)

// maxEntries is how often a holder may plausibly have entered; a larger number is a counter.
const maxEntries = 10_000

// reentrantLayout is the lock that texts and home-made libraries keep: a hash with one field, the holder, and its entry
// count. A hash counter without a TTL looks the same, so that without a TTL the name has to say lock.
var reentrantLayout = layout{
	info: SchemeInfo{
		Name: SchemeReentrant, Systems: "hash and Lua, as in the texts",
		RecognisedBy: "hash of one field with a small whole number; a TTL, or a name that says lock",
		Shows:        "holder, entry count, TTL, renewals",
	},
	recognise: recogniseReentrant,
}

func recogniseReentrant(l look) (recognition, bool) {
	r := l.record
	if r.Type != keyspace.TypeHash || r.Truncated || len(r.Value.Fields) != 1 || l.name.trap || isOtherLayout(r) {
		return recognition{}, false
	}
	field := r.Value.Fields[0]
	count, whole := parseCount(field.Value)
	switch {
	case !whole || count < 1 || count > maxEntries || len(field.Name) > longestToken:
		return recognition{}, false
	case l.name.word == "" && (r.ExpiresAt.IsZero() || l.name.other):
		return recognition{}, false
	case l.name.aboutAny && !shapeOf(field.Name).random():
		return recognition{}, false
	}
	if fieldName := readName(field.Name); fieldName.aboutAny || countedFields[field.Name] {
		return recognition{}, false
	}
	found := recognition{scheme: SchemeReentrant, held: true, clues: cluesOf(l, SchemeReentrant)}
	found.holder = Holder{Owner: field.Name, Label: labelOf(field.Name), Count: Count{N: count, Known: true}}
	found.clues.fact = "a hash of one field with a small number, the entry count"
	return found, true
}

// countedFields are names of fields that are counted, not of holders.
var countedFields = map[string]bool{
	"hits": true, "value": true, "n": true, "num": true, "number": true, "id": true, "locked": true, "views": true, "size": true,
	"requests": true, "tries": true, "used": true, "remaining": true, "amount": true, "quantity": true, "qty": true,
}

// parseCount reads a whole number as Redis writes it.
func parseCount(s string) (int64, bool) {
	if s == "" || len(s) > 19 || !isDigits(s) || len(s) > 1 && s[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}
