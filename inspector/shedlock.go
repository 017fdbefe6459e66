package inspector

import (
	"strings"
	"time"

	"locktop/keyspace"
)

// shedLock is the lock of ShedLock (Java): its value says when and where it was taken. It has no waiters: who comes late skips
// the task. A task that is over sooner than its lockAtLeastFor leaves the key until then, with a shorter TTL and the same value
// (InternalRedisLockProvider.java, 7.9.0).
var shedLock = schemeFile{
	traits: traits{unchecked: true, coolsDown: true},
	info: SchemeInfo{
		Name:         SchemeShedLock,
		Systems:      "ShedLock (Java)",
		RecognisedBy: "string `ADDED:<time>@<host>`, since 6.7.0 with `:<uuid>` at its end; any name",
		Shows:        "host, time of the acquisition; `cooldown` where the TTL was cut and the key left",
	},
	recognise: recogniseShedLock,
}

func recogniseShedLock(c *candidate) (recognition, bool) {
	if c.Type != keyspace.TypeString || c.Truncated {
		return recognition{}, false
	}
	at, host, ok := shedLockValue(c.Value.Text)
	if !ok {
		return recognition{}, false
	}
	return recognition{
		mode:     ModeExclusive,
		holders:  []Holder{{Owner: c.Value.Text, Label: host + ", since " + at.UTC().Format("2006-01-02 15:04:05Z")}},
		evidence: []string{"its value is ShedLock's: when and where it was taken", c.ttlEvidence()},
	}, true
}

// shedLockValue reads "ADDED:<ISO 8601>@<host>", with ":<uuid>" at its end since ShedLock 6.7.0.
func shedLockValue(value string) (at time.Time, host string, ok bool) {
	stamp, found := strings.CutPrefix(unwrap(value), "ADDED:")
	if !found {
		return time.Time{}, "", false
	}
	stamp, host, found = strings.Cut(stamp, "@")
	if !found || len(host) > 300 {
		return time.Time{}, "", false
	}
	if i := strings.LastIndexByte(host, ':'); i > 0 && isUUID(host[i+1:]) {
		host = host[:i]
	}
	at, err := time.Parse(time.RFC3339Nano, stamp)
	return at, host, err == nil && host != "" && isText(host)
}
