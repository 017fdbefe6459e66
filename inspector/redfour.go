package inspector

import (
	"strings"

	"locktop/keyspace"
)

// redfour is the lock of redfour and ioredfour (npm): a hash with the number of the acquisition,
// which comes from a counter that all locks of a namespace share. Its clients listen on one channel
// for all these locks from their start on, also when they do not wait (redfour 1.0, ioredfour 1.4).
var redfour = schemeFile{
	info: SchemeInfo{
		Name:         SchemeRedfour,
		Systems:      "redfour, ioredfour (npm)",
		RecognisedBy: "hash `<namespace>:<name>` with only the field `index` and a TTL; a lock's name, or clients that listen on `<namespace>-release`",
		Shows:        "the number of the acquisition, which is its fencing token; TTL; how many clients wait at most. The holder is not stored",
	},
	recognise: recogniseRedfour,
	beside: func(r keyspace.Record) keyspace.Company {
		if _, ok := redfourIndex(r); !ok {
			return keyspace.Company{}
		}
		return keyspace.Company{Channels: RedfourChannels(r.Key)}
	},
	owners: nil, // a channel of all locks belongs to no key
}

// RedfourField is the field with the number.
const RedfourField = "index"

func recogniseRedfour(c *candidate) (recognition, bool) {
	index, ok := redfourIndex(c.Record)
	if !ok {
		return recognition{}, false
	}
	waiters := c.sharedListeners(RedfourChannels(c.Key)...)
	evidence := []string{"a hash with only the field index, which is a number", c.ttlEvidence()}
	switch {
	case waiters.Count > 0:
		evidence = append(evidence, "clients listen on the channel for all locks of its namespace")
	case c.name.grade == nameSilent || c.name.aside:
		return recognition{}, false
	default:
		evidence = append(evidence, c.name.evidence())
	}
	number := c.Value.Fields[0].Value
	return recognition{
		mode: ModeExclusive, waiters: waiters, fencing: &index, evidence: evidence,
		holders: []Holder{{Owner: number, Label: "acquisition " + number}},
	}, true
}

func redfourIndex(r keyspace.Record) (int64, bool) {
	if r.Type != keyspace.TypeHash || r.Truncated || len(r.Value.Fields) != 1 || r.Value.Fields[0].Name != RedfourField || r.ExpiresAt.IsZero() {
		return 0, false
	}
	index, ok := entryCount(r.Value.Fields[0].Value)
	return index, ok && index > 0 && strings.Contains(r.Key, ":")
}

// RedfourChannels returns the channels on which a release of the lock may be announced. There may
// be several, because a namespace can contain colons.
func RedfourChannels(key string) []string {
	var channels []string
	for i := range len(key) {
		if key[i] == ':' && i > 0 && i+1 < len(key) {
			channels = append(channels, key[:i]+"-release")
		}
	}
	return channels
}
