package inspector

import (
	"strings"

	"locktop/keyspace"
)

// redissonLayout is Redisson's plain lock (and its spin and fenced locks, which look the same): a hash whose fields are
// "<client UUID>:<thread id>" with the entry count as the value. A hash with "mode" is its read-write lock, which is another
// scheme. The name says nothing: Redisson adds none to the user's.
var redissonLayout = layout{
	info: SchemeInfo{
		Name: SchemeRedisson, Systems: "Redisson RLock, spin lock, fenced lock",
		RecognisedBy: "hash; every field is uuid:threadId with a whole number",
		Shows:        "client, thread, entry count, TTL, renewals by the watchdog",
	},
	recognise: recogniseRedisson,
}

func recogniseRedisson(l look) (recognition, bool) {
	r := l.record
	if r.Type != keyspace.TypeHash || r.Truncated || len(r.Value.Fields) == 0 {
		return recognition{}, false
	}
	for _, f := range r.Value.Fields {
		count, whole := parseCount(f.Value)
		if !isRedissonField(f.Name) || !whole || count < 1 {
			return recognition{}, false
		}
	}
	found := recognition{scheme: SchemeRedisson, held: true, clues: cluesOf(l, SchemeRedisson)}
	found.clues.fact = "a hash whose fields are uuid:thread"
	for i, f := range r.Value.Fields {
		count, _ := parseCount(f.Value)
		h := Holder{Owner: f.Name, Label: redissonLabel(f.Name), Count: Count{N: count, Known: true}}
		if i == 0 {
			found.holder = h
			continue
		}
		found.more = append(found.more, h)
	}
	return found, true
}

// isRedissonField: a UUID, a colon and a thread's number.
func isRedissonField(s string) bool {
	return len(s) > 37 && len(s) <= 37+20 && s[36] == ':' && isUUID(s[:36]) && isDigits(s[37:])
}

// redissonLabel says "client 0f4d3a52, thread 42": the field carries no host.
func redissonLabel(field string) string {
	client, thread, found := strings.Cut(field, ":")
	if !found || len(client) < 8 {
		return field
	}
	return "client " + client[:8] + ", thread " + thread
}
