package inspector

import (
	"strconv"
	"strings"

	"locktop/keyspace"
)

// redisson is the layout of Redisson's RLock and of its kin (spin, fenced, fair, multi): a hash whose fields are
// "<UUID of the client>:<thread>", each with its entry count. The fields prove it, so that the name does not matter.
var redisson = schemeFile{
	info: SchemeInfo{
		Name:         SchemeRedisson,
		Systems:      "Redisson (lock, fair, fenced, spin and multi lock)",
		RecognisedBy: "hash; every field is uuid:thread, with a positive count; any name",
		Shows:        "client, thread, entry count, TTL",
	},
	recognise: recogniseRedisson,
}

func recogniseRedisson(c *candidate) (recognition, bool) {
	if c.Type != keyspace.TypeHash || c.Truncated || len(c.Value.Fields) == 0 {
		return recognition{}, false
	}
	for _, f := range c.Value.Fields {
		if _, _, ok := redissonHolder(f.Name); !ok {
			return recognition{}, false
		}
		if n, ok := entryCount(f.Value); !ok || n < 1 {
			return recognition{}, false
		}
	}
	holders := make([]Holder, 0, len(c.Value.Fields))
	for _, f := range c.Value.Fields {
		client, thread, _ := redissonHolder(f.Name)
		n, _ := entryCount(f.Value)
		holders = append(holders, Holder{
			Owner: f.Name,
			Label: "client " + client[:8] + ", thread " + thread,
			Count: Count{N: n, Known: true},
		})
	}
	return recognition{
		mode: ModeExclusive, holders: holders,
		evidence: []string{"a hash whose fields are a Redisson client and its thread", c.ttlEvidence()},
	}, true
}

// redissonHolder splits "<8-4-4-4-12 hexadecimal digits>:<digits>".
func redissonHolder(field string) (client, thread string, ok bool) {
	client, thread, ok = strings.Cut(field, ":")
	return client, thread, ok && isUUID(client) && len(thread) <= 20 && allDigits(thread)
}

// entryCount reads a count as HINCRBY writes it: no sign but a minus, no leading zeros.
func entryCount(value string) (int64, bool) {
	n, err := strconv.ParseInt(value, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == value
}

func (c *candidate) ttlEvidence() string {
	if c.ExpiresAt.IsZero() {
		return evidenceNoTTL
	}
	return evidenceTTL
}
