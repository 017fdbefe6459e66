package inspector

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

var (
	uuidForm     = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	hexForm      = regexp.MustCompile(`^[0-9a-fA-F]{16,80}$`)
	alnumForm    = regexp.MustCompile(`^[0-9A-Za-z]{12,64}$`)
	hostPIDForm  = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*)[:|@/]([0-9]{1,10})$`)
	structured   = regexp.MustCompile(`^\s*[\[{<"]|^[aOisbd]:[0-9]+[:;]|^%YAML`)
	smallInteger = regexp.MustCompile(`^-?[0-9]{1,9}$`)
)

// isStructured says whether a value looks like a document (JSON, XML, PHP's or YAML's serialisation) rather than a token.
func isStructured(value string) bool {
	return structured.MatchString(value) || strings.ContainsAny(value, "\n\r") && utf8.ValidString(value)
}

// valueShape describes a token for the evidence.
func valueShape(value string) string {
	switch {
	case value == "":
		return "an empty string"
	case uuidForm.MatchString(value):
		return "a string that is a UUID"
	case hexForm.MatchString(value):
		return fmt.Sprintf("a string of %d hexadecimal digits", len(value))
	case isBase64(value):
		return fmt.Sprintf("a string of %d characters in base64", len(value))
	case smallInteger.MatchString(value):
		return "a string that is a small number"
	case alnumForm.MatchString(value):
		return fmt.Sprintf("a string of %d letters and digits", len(value))
	case !utf8.ValidString(value):
		return fmt.Sprintf("a string of %d raw bytes", len(value))
	default:
		return fmt.Sprintf("a short string of %d bytes", len(value))
	}
}

func isBase64(value string) bool {
	if len(value) != 24 && len(value) != 44 {
		return false
	}
	raw, err := base64.StdEncoding.DecodeString(value)
	return err == nil && len(raw) >= 16
}

// label decodes what a token carries of its holder; where it carries nothing that is certain, the token itself.
func label(value string) string {
	if host, time, ok := decodeUUID1(value); ok {
		return fmt.Sprintf("host %s, since %s", host, time.Format("15:04:05"))
	}
	if m := hostPIDForm.FindStringSubmatch(value); m != nil && !smallInteger.MatchString(m[1]) {
		return m[1] + ", process " + m[2]
	}
	return value
}

// uuid1Epoch is the beginning of UUID time (RFC 9562, section 5.1) in Unix seconds.
const uuid1Epoch = -12219292800

// decodeUUID1 reads Python's uuid1().hex, as redis-py writes it: the host's node number, and when it began to try.
func decodeUUID1(value string) (host string, began time.Time, ok bool) {
	if len(value) != 32 || value[12] != '1' {
		return "", time.Time{}, false
	}
	raw, err := hex.DecodeString(value)
	if err != nil || raw[8]&0xc0 != 0x80 {
		return "", time.Time{}, false
	}
	ticks := uint64(binary.BigEndian.Uint16(raw[6:])&0x0fff)<<48 | uint64(binary.BigEndian.Uint16(raw[4:]))<<32 |
		uint64(binary.BigEndian.Uint32(raw))
	began = time.Unix(uuid1Epoch+int64(ticks/1e7), int64(ticks%1e7)*100)
	if year := began.Year(); year < 2005 || year > 2100 {
		return "", time.Time{}, false // a random number that looks like one
	}
	return hex.EncodeToString(raw[10:]), began, true
}
