package inspector

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"locktop/keyspace"
)

// suo is the semaphore of suo (Ruby): a string with a MessagePack array of [time, token], one for each holder (lib/suo/client/base.rb,
// 0.4.0). Without a holder the array is empty, and the key ends after 60 s.
var suo = schemeFile{
	traits: traits{endless: true, recreates: true},
	info: SchemeInfo{
		Name:         SchemeSuo,
		Systems:      "suo (Ruby)",
		RecognisedBy: "string that is a MessagePack array of [time, token] and nothing else; a lock's name",
		Shows:        "tokens, each with when it was taken or refreshed. It has no TTL while it is held: its clients drop a holder after an hour, or as they are told",
	},
	recognise: recogniseSuo,
}

func recogniseSuo(c *candidate) (recognition, bool) {
	if c.Type != keyspace.TypeString || c.Truncated || c.name.grade == nameSilent {
		return recognition{}, false
	}
	holds, ok := suoHolds(c.Value.Text)
	if !ok || len(holds) == 0 {
		return recognition{}, false
	}
	found := recognition{
		mode:     ModeExclusive,
		evidence: []string{c.name.evidence(), "its value is suo's: a time and a token for each holder, in MessagePack", c.ttlEvidence()},
	}
	if len(holds) > 1 {
		found.mode = ModeSemaphore
	}
	for _, h := range holds {
		found.holders = append(found.holders, Holder{Owner: h.token, Label: h.token + sinceWords(h.at)})
	}
	return found, true
}

// SuoEntry is what the value of a lock of suo has for a holder: when it was taken or refreshed, and the token; empty where it has
// nothing for it.
func SuoEntry(value, token string) string {
	holds, _ := suoHolds(value)
	for _, h := range holds {
		if h.token == token {
			return h.bytes
		}
	}
	return ""
}

// SuoWithout is the value of a lock of suo without one of its holders, and how many are left; false: it is no such value, or the holder
// is not in it.
func SuoWithout(value, token string) (rest string, left int, ok bool) {
	holds, ok := suoHolds(value)
	at := slices.IndexFunc(holds, func(h suoHold) bool { return h.token == token })
	if !ok || at < 0 {
		return "", 0, false
	}
	holds = slices.Delete(holds, at, at+1)
	text := []byte{messagePackArray | byte(len(holds))}
	if len(holds) > messagePackFew {
		text = binary.BigEndian.AppendUint16([]byte{messagePackArray16}, uint16(len(holds)))
	}
	for _, h := range holds {
		text = append(text, h.bytes...)
	}
	return string(text), len(holds), true
}

// suoHold is one element of the array.
type suoHold struct {
	at    time.Time
	token string
	bytes string // as they are in the value
}

// The first bytes of MessagePack's types that suo writes. Those of short arrays and texts have the length in their low bits.
const (
	messagePackArray   = 0x90
	messagePackArray16 = 0xdc
	messagePackPair    = messagePackArray | 2
	messagePackFloat   = 0xcb
	messagePackText    = 0xa0
	messagePackText8   = 0xd9
	messagePackBinary8 = 0xc4
	messagePackFew     = 15 // the longest short array
	messagePackShort   = 31 // the longest short text
)

// suoHolds reads all of a value; false: it is something else.
func suoHolds(value string) ([]suoHold, bool) {
	n, rest, ok := messagePackLength(value)
	if !ok {
		return nil, false
	}
	holds := make([]suoHold, 0, min(n, 16))
	for range n {
		const head = 10 // of a pair, and its number of eight bytes
		if len(rest) < head || rest[0] != messagePackPair || rest[1] != messagePackFloat {
			return nil, false
		}
		seconds := math.Float64frombits(binary.BigEndian.Uint64([]byte(rest[2:head])))
		token, after, ok := messagePackString(rest[head:])
		if !ok || token == "" || !isEpoch(seconds) {
			return nil, false
		}
		holds = append(holds, suoHold{at: time.UnixMicro(int64(seconds * 1e6)), token: token, bytes: rest[:len(rest)-len(after)]})
		rest = after
	}
	return holds, rest == ""
}

// messagePackLength reads how many elements an array has.
func messagePackLength(value string) (n int, rest string, ok bool) {
	switch {
	case value == "":
		return 0, "", false
	case value[0]&^messagePackFew == messagePackArray:
		return int(value[0] & messagePackFew), value[1:], true
	case value[0] == messagePackArray16 && len(value) >= 3:
		return int(value[1])<<8 | int(value[2]), value[3:], true
	}
	return 0, "", false
}

// messagePackString reads a text of up to 255 bytes.
func messagePackString(value string) (text, rest string, ok bool) {
	if value == "" {
		return "", "", false
	}
	n, at := int(value[0]&messagePackShort), 1
	switch {
	case value[0]&^messagePackShort == messagePackText:
	case (value[0] == messagePackText8 || value[0] == messagePackBinary8) && len(value) >= 2:
		n, at = int(value[1]), 2
	default:
		return "", "", false
	}
	if len(value) < at+n {
		return "", "", false
	}
	return value[at : at+n], value[at+n:], true
}
