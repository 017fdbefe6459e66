package inspector

import (
	"strconv"
	"strings"
	"time"

	"locktop/keyspace"
)

// A number counts as the end of a lease if it lies within these of now.
const (
	oldestLease = 2 * 365 * 24 * time.Hour
	latestLease = 365 * 24 * time.Hour
)

// leaseSlack is by how much the key's TTL may outlast the end in its value. With a greater difference that is no end but, say,
// the moment of the acquisition, and the lock would count as lapsed from its first second on. A TTL that ends sooner is
// a limit that somebody has set since, such as a force-expiry with a delay; under a name that says nothing only such a one
// will do, for a session that states its end has the very same TTL.
const leaseSlack = 3 * time.Second

// timestamp is the lock whose value is the end of its lease, taken over by GETSET once that has passed.
var timestamp = schemeFile{
	traits: traits{anyOwner: true, ownCount: true},
	info: SchemeInfo{
		Name:         SchemeTimestamp,
		Systems:      "SETNX + GETSET, jedis-lock, redis-mutex (Ruby), redis-lock (npm), machinery (Go)",
		RecognisedBy: "string with a time in seconds or milliseconds, or id:milliseconds; with a TTL also micro- or nanoseconds; a lock's name, or uuid:milliseconds",
		Shows:        "the end of the lease; the holder's id if the value has one, else the holder is unknown",
	},
	recognise: recogniseTimestamp,
}

func recogniseTimestamp(c *candidate) (recognition, bool) {
	if c.Type != keyspace.TypeString || c.Truncated || len(c.Value.Text) > maxToken {
		return recognition{}, false
	}
	id, end, ok := leaseEnd(c.Value.Text)
	if !ok || end.Before(c.now.Add(-oldestLease)) || end.After(c.now.Add(latestLease)) {
		return recognition{}, false
	}
	if !isUUID(id) && (c.name.grade == nameSilent || c.name.aside || c.isCounter()) {
		return recognition{}, false
	}
	if id == "" && !c.name.numbers {
		return recognition{}, false
	}
	if id == "" && len(c.Value.Text) > 13 && allDigits(c.Value.Text) && c.ExpiresAt.IsZero() {
		return recognition{}, false // the clock of a program is drawn for a token as well
	}
	outlasts := leaseSlack
	if c.name.grade == nameSilent {
		outlasts = -leaseSlack
	}
	if !c.ExpiresAt.IsZero() && c.ExpiresAt.Sub(end) > outlasts {
		return recognition{}, false
	}
	label := UnknownHolder
	if id != "" {
		label = labelOf(id, shapeOf(id), c.now)
	}
	return recognition{
		mode:      ModeExclusive,
		holders:   []Holder{{Owner: c.Value.Text, Label: label}},
		leaseEnds: end,
		evidence:  []string{c.name.evidence(), "its value states when the lease ends", c.ttlEvidence()},
	}, true
}

// leaseEnd reads the end of a lease: 13 digits are milliseconds since 1970, 16 are microseconds, 19
// are nanoseconds, 10 digits with or without a fraction are seconds, and 13 digits after the last
// colon are milliseconds that belong to the id before it.
func leaseEnd(value string) (id string, end time.Time, ok bool) {
	digits := value
	if i := strings.LastIndexByte(value, ':'); i > 0 {
		id, digits = value[:i], value[i+1:]
		if len(digits) != 13 || shapeOf(id) == shapeForeign {
			return "", time.Time{}, false
		}
	}
	whole, fraction, float := strings.Cut(digits, ".")
	if !allDigits(whole) || whole[0] == '0' || float && (len(fraction) > 20 || !allDigits(fraction)) {
		return "", time.Time{}, false
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	switch {
	case err != nil:
		return "", time.Time{}, false
	case len(whole) == 13 && !float:
		return id, time.UnixMilli(n), true
	case len(whole) == 16 && !float:
		return id, time.UnixMicro(n), true
	case len(whole) == 19 && !float:
		return id, time.Unix(0, n), true
	case len(whole) == 10:
		nanoseconds, _ := strconv.ParseInt((fraction + "000000000")[:9], 10, 64) // digits only: no error is possible
		return id, time.Unix(n, nanoseconds), true
	}
	return "", time.Time{}, false
}
