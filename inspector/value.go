package inspector

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"
)

// shape is what the bytes of a string look like.
type shape uint8

const (
	shapeOther   shape = iota // some text: a host name, "true", an application's own id
	shapeEmpty                // no bytes at all
	shapeInteger              // a plain integer of up to 20 digits
	shapeUUID                 // 8-4-4-4-12 hexadecimal digits
	shapeUUIDTag              // a UUID, a colon and more: "uuid:0" of BullMQ, "uuid:42"
	shapeHex                  // 16 or more hexadecimal digits, at least one of them a letter
	shapeBase64               // base64 of 15 or more bytes, with mixed characters
	shapeAlnum                // 16 or more random letters and digits
	shapeHost                 // names a host and a process: "web-1:4711", "4711@web-1", "web-1|4711"
	shapeBinary               // 8 or more bytes that are no text
	shapeForeign              // JSON, HTML, serialised objects, several lines: no token of a lock
)

// tokenLike says that a value of this shape hardly is anything but an identity.
func (s shape) tokenLike() bool {
	switch s {
	case shapeUUID, shapeUUIDTag, shapeHex, shapeBase64, shapeAlnum, shapeHost, shapeBinary:
		return true
	case shapeOther, shapeEmpty, shapeInteger, shapeForeign:
		return false
	}
	return false
}

// maxToken is the longest value that is taken for a token; the longest that a library writes has 80 bytes.
const maxToken = 128

// evidence says the shape in words.
func (s shape) evidence() string {
	switch s {
	case shapeEmpty:
		return "its value is empty, as some libraries leave it"
	case shapeInteger:
		return "its value is a number"
	case shapeUUID:
		return "its value is a UUID"
	case shapeUUIDTag:
		return "its value is a UUID with a suffix"
	case shapeHex:
		return "its value is a random number in hexadecimal"
	case shapeBase64:
		return "its value is a random number in base64"
	case shapeAlnum:
		return "its value is a row of random letters and digits"
	case shapeHost:
		return "its value names a host and a process"
	case shapeBinary:
		return "its value is a row of random bytes"
	case shapeOther, shapeForeign:
		return "its value is a short text"
	}
	return ""
}

// shapeOf tells what a value looks like. It looks through the wrappings that serialisers put around a plain string.
func shapeOf(value string) shape {
	value = unwrap(value)
	switch {
	case value == "":
		return shapeEmpty
	case isInteger(value):
		return shapeInteger
	case isUUID(value):
		return shapeUUID
	case len(value) > 37 && value[36] == ':' && isUUID(value[:36]):
		return shapeUUIDTag
	case !isText(value):
		switch {
		case foreignBinary(value), describedBinary(value):
			return shapeForeign
		case len(value) >= 8:
			return shapeBinary
		case mostlyText(value):
			return shapeOther
		}
		return shapeForeign
	case foreignText(value):
		return shapeForeign
	case len(value) >= 13 && isHex(value) && !allDigits(value):
		return shapeHex
	}
	if _, _, ok := hostAndProcess(value); ok {
		return shapeHost
	}
	if isRandomText(value) {
		if len(value) == 16 || len(value) == 20 {
			if isAlnum(value) {
				return shapeAlnum
			}
		}
		return shapeBase64
	}
	return shapeOther
}

// unwrap takes a plain string, a number or a truth value out of the serialisation that a client library put it into: PHP's
// `s:3:"abc";`, igbinary's 0x00000002 0x11 with a length of one byte, Java's 0xACED0005 0x74 with one of two bytes, Python's
// pickle, and JSON's quotes. Other values are returned as they are.
func unwrap(value string) string {
	if text, ok := phpScalar(value); ok {
		return text
	}
	if text, ok := unpickle(value); ok {
		return text
	}
	if rest, ok := strings.CutPrefix(value, "s:"); ok {
		length, text, found := strings.Cut(rest, `:"`)
		if n, err := strconv.Atoi(length); found && err == nil && strings.HasSuffix(text, `";`) && len(text)-2 == n {
			return text[:n]
		}
	}
	if rest, ok := strings.CutPrefix(value, "\xac\xed\x00\x05t"); ok && len(rest) >= 2 {
		if n := int(rest[0])<<8 | int(rest[1]); len(rest)-2 == n {
			return rest[2:]
		}
	}
	if rest, ok := strings.CutPrefix(value, "\x00\x00\x00\x02\x11"); ok && rest != "" && len(rest)-1 == int(rest[0]) {
		return rest[1:]
	}
	if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
		if inner := value[1 : len(value)-1]; !strings.ContainsAny(inner, `"\`) {
			return inner
		}
	}
	return value
}

// phpScalar reads a number or a truth value as PHP serialises it, `i:1;` and `b:1;`, and igbinary's truth values.
func phpScalar(value string) (string, bool) {
	switch value {
	case "b:1;", "\x00\x00\x00\x02\x05":
		return "true", true
	case "b:0;", "\x00\x00\x00\x02\x04":
		return "false", true
	}
	rest, isNumber := strings.CutPrefix(value, "i:")
	number, ends := strings.CutSuffix(rest, ";")
	return number, isNumber && ends && isInteger(number)
}

// unpickle reads a short string, a small number or a truth value as Python's pickle writes it, in any protocol from 2 on: the
// protocol, from 4 on a frame, the value, a note for later references, and a full stop.
func unpickle(value string) (text string, ok bool) {
	rest, isPickle := strings.CutPrefix(value, "\x80")
	if !isPickle || len(rest) < 3 || rest[0] < 2 || rest[0] > 5 {
		return "", false
	}
	rest = rest[1:]
	if rest[0] == '\x95' && len(rest) > 9 { // the frame's length has eight bytes
		rest = rest[9:]
	}
	switch rest {
	case "\x88.":
		return "True", true
	case "\x89.":
		return "False", true
	}
	code, rest := rest[0], rest[1:]
	if code == 'K' && len(rest) == 2 && rest[1] == '.' {
		return strconv.Itoa(int(rest[0])), true
	}
	head := map[byte]int{'\x8c': 1, 'U': 1, 'X': 4}[code] // a string of Python 3 or 2, with the size of its length
	if head == 0 || len(rest) < head || head == 4 && rest[1:4] != "\x00\x00\x00" {
		return "", false
	}
	size, rest := int(rest[0]), rest[head:]
	if len(rest) < size {
		return "", false
	}
	text, rest = rest[:size], rest[size:]
	switch rest {
	case ".", "\x94.":
		return text, true
	default:
		return text, len(rest) == 3 && rest[0] == 'q' && rest[2] == '.'
	}
}

// foreignText knows text that holds data: JSON, XML, serialised objects, several lines, prose.
func foreignText(value string) bool {
	switch value[0] {
	case '{', '[', '<', '"':
		return true
	}
	if strings.ContainsAny(value, "\r\n\t") || strings.Count(value, " ") > 3 {
		return true
	}
	for _, beginning := range [...]string{"a:", "O:", "s:", "i:", "b:"} { // PHP's serialize
		if strings.HasPrefix(value, beginning) && len(value) > 3 && isDigit(value[2]) && strings.ContainsAny(value[3:], ";{") {
			return true
		}
	}
	return strings.HasPrefix(value, "eyJ") && strings.Count(value, ".") == 2 || // a JSON Web Token
		strings.Contains(value, "://")
}

// foreignBinary knows the first bytes of serialised and compressed objects.
func foreignBinary(value string) bool {
	for _, magic := range [...]string{
		"\xac\xed\x00\x05",                             // Java
		"\x04\x08",                                     // Ruby's Marshal
		"\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05", // Python's pickle
		"\x1f\x8b", "\x28\xb5\x2f\xfd", "\x78\x9c", // gzip, zstd, zlib
		"\x89PNG", "\xff\xd8\xff", "PK\x03\x04",
		"HYLL", // a HyperLogLog
	} {
		if strings.HasPrefix(value, magic) {
			return true
		}
	}
	return false
}

// describedBinary knows binary data behind something that describes it: a JSON object, as dogpile.cache writes it before a cached
// value, or a byte or two before one of Python's pickles.
func describedBinary(value string) bool {
	if strings.HasPrefix(value, `{"`) && strings.Contains(value, "}") {
		return true
	}
	return strings.Contains(value, "\x80\x04\x95") || strings.Contains(value, "\x80\x05\x95")
}

// hostAndProcess reads "host:pid", "host|pid", "pid@host" and "host_pid_<32 hexadecimal digits>".
func hostAndProcess(value string) (host, process string, ok bool) {
	if pid, name, found := strings.Cut(value, "@"); found && isProcess(pid) && isHost(name) {
		return name, pid, true
	}
	if n := len(value) - 33; n > 0 && value[n] == '_' && isHex(value[n+1:]) {
		if i := strings.LastIndexByte(value[:n], '_'); i > 0 && isProcess(value[i+1:n]) && isHost(value[:i]) {
			return value[:i], value[i+1 : n], true
		}
	}
	if i := strings.LastIndexAny(value, ":|"); i > 0 && isProcess(value[i+1:]) && isHost(value[:i]) {
		return value[:i], value[i+1:], true
	}
	return "", "", false
}

// namedClient reads a token that begins with a name and ends with what makes it unique: "web-1:9f86d081", "web-1:<uuid>".
func namedClient(value string) (name string, ok bool) {
	i := strings.IndexAny(value, ":|#@/")
	if i < 2 || !isHost(value[:i]) || isHex(value[:i]) {
		return "", false
	}
	unique := value[i+1:]
	return value[:i], isUUID(unique) || len(unique) >= 8 && isHex(unique)
}

// isProcess: Linux numbers processes up to 4,194,304, Windows up to ten digits.
// isProcess says whether a number may be a process id: those of Linux (up to 4,194,304), macOS and BSD have seven digits at
// most; more digits make a random number.
func isProcess(s string) bool { return s != "" && len(s) <= 7 && allDigits(s) && s[0] != '0' }

// isHost is what RFC 1123 allows, and the underscore that it does not; with at least one letter, or an IPv4 address.
func isHost(s string) bool {
	letters := false
	for i := range len(s) {
		switch c := s[i]; {
		case isLower(c) || isUpper(c):
			letters = true
		case isDigit(c) || c == '-' || c == '.' || c == '_':
		default:
			return false
		}
	}
	return len(s) <= 253 && (letters || strings.Count(s, ".") == 3)
}

// isRandomText says whether a text looks drawn from the alphabet of base64 (either kind): 16 characters and more, of both
// cases or with digits between the letters, without the separators of words that people write.
func isRandomText(value string) bool {
	text := strings.TrimRight(value, "=")
	if len(text) < 16 || len(value)-len(text) > 2 {
		return false
	}
	var upper, lower, digits int
	for i := range len(text) {
		switch c := text[i]; {
		case isUpper(c):
			upper++
		case isLower(c):
			lower++
		case isDigit(c):
			digits++
		case c != '+' && c != '/' && c != '-' && c != '_':
			return false
		}
	}
	if upper == 0 || lower == 0 {
		return digits >= 3 && upper+lower > 0 && isAlnum(text) && !endsInNumber(text)
	}
	if strings.ContainsAny(text, "+/=") {
		return decodesBase64(value)
	}
	return digits > 0 || upper*4 > lower
}

// endsInNumber: a word with a number at its end ("checkoutworkers0017") is a name, not a draw.
func endsInNumber(text string) bool { return allLetters(strings.TrimRight(text, "0123456789")) }

func decodesBase64(value string) bool {
	if _, err := base64.StdEncoding.DecodeString(value); err == nil {
		return true
	}
	_, err := base64.RawStdEncoding.DecodeString(value)
	return err == nil
}

// isText says whether a value can be shown as it is: valid UTF-8 without control characters but white space.
func isText(value string) bool {
	for i := range len(value) {
		if c := value[i]; c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return utf8.ValidString(value)
}

// mostlyText says whether half of the bytes at least are visible ones: a name with a stray byte is a name.
func mostlyText(value string) bool {
	visible := 0
	for i := range len(value) {
		if value[i] > ' ' && value[i] < 0x7f {
			visible++
		}
	}
	return 2*visible >= len(value)
}

func isInteger(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && len(s) <= 20 && allDigits(s)
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return false
			}
		} else if !isHexDigit(s[i]) {
			return false
		}
	}
	return true
}

func isHexDigit(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

func isHex(s string) bool {
	for i := range len(s) {
		if !isHexDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

func allDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

func allLetters(s string) bool {
	for i := range len(s) {
		if !isLower(s[i]) && !isUpper(s[i]) {
			return false
		}
	}
	return s != ""
}

func isAlnum(s string) bool {
	for i := range len(s) {
		if !isLower(s[i]) && !isUpper(s[i]) && !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}
