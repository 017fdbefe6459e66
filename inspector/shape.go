package inspector

import (
	"strings"
	"unicode/utf8"
)

// longestToken is how many bytes a holder's token has at most; locks with longer values are not known.
const longestToken = 128

// shape is what a string value looks like.
type shape uint8

const (
	shapeText shape = iota // printable, and nothing that follows
	shapeEmpty
	shapeUUID
	shapeUUIDNumber // "uuid:7"
	shapeHex        // 13 hex digits or more
	shapeBase64     // 22 or more letters of base64, upper and lower case or digits
	shapeProcess    // machine_pid_guid, or host|pid
	shapeBinary     // 16 to 64 bytes that are no text
	shapeInteger
	shapeFloat
	shapeSwitch // true, false, on, off, yes, no, null
	shapeQuoted // a serialised string
	shapeOdd    // a few bytes that are no text
	shapeData   // JSON, a serialised object, markup, or too long
)

// shapeWords say the shape in evidence.
var shapeWords = [...]string{
	shapeText: "text", shapeEmpty: "empty", shapeUUID: "a UUID", shapeUUIDNumber: "a UUID and a number",
	shapeHex: "hexadecimal digits", shapeBase64: "letters and digits like a random token", shapeProcess: "a host and a process",
	shapeBinary: "random bytes", shapeInteger: "a number", shapeFloat: "a number", shapeSwitch: "a plain word",
	shapeQuoted: "a serialised string", shapeOdd: "not all of them printable", shapeData: "data",
}

// random says whether nobody writes such a value but to be unique.
func (s shape) random() bool {
	switch s {
	case shapeUUID, shapeUUIDNumber, shapeHex, shapeBase64, shapeProcess, shapeBinary, shapeQuoted:
		return true
	case shapeText, shapeEmpty, shapeInteger, shapeFloat, shapeSwitch, shapeOdd, shapeData:
	}
	return false
}

// shapeOf never allocates.
func shapeOf(value string) shape {
	switch {
	case value == "":
		return shapeEmpty
	case len(value) > longestToken:
		return shapeData
	case isNumber(value):
		if strings.IndexByte(value, '.') >= 0 {
			return shapeFloat
		}
		return shapeInteger
	case isUUID(value):
		return shapeUUID
	case len(value) > 37 && isUUID(value[:36]) && value[36] == ':' && isDigits(value[37:]):
		return shapeUUIDNumber
	case isHex(value) && len(value) >= 13:
		return shapeHex
	case isQuoted(value):
		return shapeQuoted
	case isData(value):
		return shapeData
	case isSwitch(value):
		return shapeSwitch
	case !isPrintable(value):
		if len(value) >= 16 && len(value) <= 64 {
			return shapeBinary
		}
		return shapeOdd
	case isProcess(value):
		return shapeProcess
	case isBase64(value):
		return shapeBase64
	}
	return shapeText
}

func isDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// isNumber: digits, a sign and one point.
func isNumber(s string) bool {
	whole, fraction, point := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	return isDigits(whole) && (!point || isDigits(fraction))
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isDigit(c) && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return s != ""
}

// isUUID: 8-4-4-4-12 hex digits.
func isUUID(s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' &&
		isHex(s[:8]) && isHex(s[9:13]) && isHex(s[14:18]) && isHex(s[19:23]) && isHex(s[24:])
}

// isBase64: at least 16 letters and digits, mixed, with what base64 and its URL form add.
func isBase64(s string) bool {
	upper, low, digits := false, false, false
	body := strings.TrimRight(s, "=")
	if len(body) < 16 || len(s)-len(body) > 2 {
		return false
	}
	for i := range len(body) {
		switch c := body[i]; {
		case isUpper(c):
			upper = true
		case isLetter(c):
			low = true
		case isDigit(c):
			digits = true
		case c == '+' || c == '/' || c == '-' || c == '_':
		default:
			return false
		}
	}
	return digits && (upper || low) || upper && low && len(s)%4 == 0 && len(body) < len(s)
}

// isProcess: DistributedLock's "MACHINE_pid_guid" (and its waiting writer), or phpredis' "host|pid".
func isProcess(s string) bool {
	if host, pid, found := strings.Cut(s, "|"); found {
		return host != "" && isDigits(pid)
	}
	s = strings.TrimSuffix(s, "_WRITERWAITING")
	if len(s) < 36 || !isHex(s[len(s)-32:]) || s[len(s)-33] != '_' {
		return false
	}
	machine := s[:len(s)-33]
	underscore := strings.LastIndexByte(machine, '_')
	return underscore > 0 && isDigits(machine[underscore+1:])
}

// isQuoted: a token as PHP's serialize, igbinary or JSON writes a string, which is how Laravel stores it when the client
// serialises.
func isQuoted(s string) bool {
	inner, _ := unquote(s)
	return inner != "" && len(inner) >= 13 && isAlnum(inner)
}

// unquote returns the string inside a serialised one.
func unquote(s string) (string, bool) {
	switch {
	case len(s) > 2 && s[0] == '"' && s[len(s)-1] == '"':
		return s[1 : len(s)-1], true
	case strings.HasPrefix(s, "s:") && strings.HasSuffix(s, `";`):
		_, inner, found := strings.Cut(s[:len(s)-2], `:"`)
		return inner, found
	case strings.HasPrefix(s, "\x00\x00\x00\x02\x11") && len(s) > 6 && int(s[5]) == len(s)-6:
		return s[6:], true
	}
	return "", false
}

func isAlnum(s string) bool {
	for i := range len(s) {
		if !isLetter(s[i]) && !isDigit(s[i]) && s[i] != '-' {
			return false
		}
	}
	return s != ""
}

// isData: what holds more than a name of somebody.
func isData(s string) bool {
	switch s[0] {
	case '{', '[', '<', '"':
		return true
	}
	for _, prefix := range [...]string{"\xac\xed\x00\x05", "a:", "O:", "s:", "\x00\x00\x00\x02"} {
		if strings.HasPrefix(s, prefix) {
			return len(prefix) > 2 || len(s) > 3 && isDigit(s[2])
		}
	}
	pickled := s[0] == 0x80 && len(s) > 2 && s[1] >= 2 && s[1] <= 5 && s[len(s)-1] == '.'
	return pickled || strings.Contains(s, "://")
}

func isSwitch(s string) bool {
	for _, word := range [...]string{"true", "false", "on", "off", "yes", "no", "null", "nil", "none", "enabled", "disabled"} {
		if strings.EqualFold(s, word) {
			return true
		}
	}
	return false
}

func isPrintable(s string) bool {
	for _, c := range s {
		if c < ' ' || c == 0x7f || c == utf8.RuneError {
			return false
		}
	}
	return true
}
