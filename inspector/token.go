package inspector

import (
	"strings"
	"time"

	"locktop/keyspace"
)

// longestPlainLease is the longest TTL with which a random value is taken for a lock although its name does not say so.
const longestPlainLease = 24 * time.Hour

// tokenLayout is SET NX PX with a random value: by far the most common lock. Sessions, one-time codes and cache entries
// look the same, so that either the name says lock, or a pattern of the user's own names the key, the value is random, and
// the name says nothing else.
var tokenLayout = layout{
	info: SchemeInfo{
		Name: SchemeToken, Systems: "SET NX PX: redlock, redsync, redis-py, Laravel, Spring, BullMQ, RedLock.net and most others",
		RecognisedBy: "string with a TTL, at most 128 bytes, no data; the name says lock, or the value is random",
		Shows:        "the token as the holder (host and process where it carries them), TTL, renewals; the count is unknown",
	},
	recognise: recogniseToken,
}

func recogniseToken(l look) (recognition, bool) {
	r := l.record
	if r.Type != keyspace.TypeString || r.ExpiresAt.IsZero() || l.shape == shapeData {
		return recognition{}, false
	}
	if !namesLock(l) && !looksLikeToken(l) {
		return recognition{}, false
	}
	found := recognition{scheme: SchemeToken, held: true, clues: cluesOf(l, SchemeToken)}
	found.holder = Holder{Owner: r.Value.Text, Label: labelOf(r.Value.Text)}
	return found, true
}

// looksLikeToken judges a key that only a pattern of the user's own can have named.
func looksLikeToken(l look) bool {
	return l.name.word == "" && !l.name.trap && !l.name.other && l.shape.random() &&
		l.record.ExpiresAt.Sub(l.record.ReadAt) <= longestPlainLease
}

// labelOf says a holder in words where its token carries any; else it is the token itself.
func labelOf(owner string) string {
	switch {
	case len(owner) > 128 || owner == "":
		return owner
	case strings.HasPrefix(owner, "ADDED:"): // ShedLock: ADDED:<time>@<host>:<uuid>
		if _, host, found := strings.Cut(owner, "@"); found && host != "" {
			if colon := strings.LastIndexByte(host, ':'); colon > 0 && isUUID(host[colon+1:]) {
				host = host[:colon]
			}
			return "host " + host
		}
		return owner
	case len(owner) > 37 && isUUID(owner[:36]) && owner[36] == ':' && isDigits(owner[37:]): // BullMQ
		return "worker " + owner[:8] + ", lock " + owner[37:]
	case strings.IndexByte(owner, '|') > 0 && isProcess(owner): // phpredis: host|pid
		host, pid, _ := strings.Cut(owner, "|")
		return "host " + host + ", process " + pid
	case len(owner) >= 36 && isProcess(owner): // DistributedLock: machine_pid_guid
		machine := strings.TrimSuffix(owner, "_WRITERWAITING")
		machine = machine[:len(machine)-33]
		underscore := strings.LastIndexByte(machine, '_')
		return "host " + machine[:underscore] + ", process " + machine[underscore+1:]
	}
	if inner, is := unquote(owner); is && isAlnum(inner) {
		return inner
	}
	return owner
}
