package inspector

import (
	"regexp"
	"strconv"
	"time"

	"locktop/keyspace"
)

var timestampScheme = SchemeInfo{
	Name:         SchemeTimestamp,
	Systems:      "SETNX with an expiry time as value, and GETSET takeover: jedis-lock, redis-mutex, hand-written",
	RecognisedBy: "a string of 10 digits (seconds, also with a fraction) or 13 digits (milliseconds), or id:milliseconds, near to now",
	Shows:        "the end of the lease that the value states; lapsed when it is past and the key is still there",
	recognise:    recogniseTimestamp,
}

// A lease ends soon after it was taken. What lies further away is a number of another kind, or a clock gone wrong.
const (
	oldestTimestamp = 2 * 365 * 24 * time.Hour
	newestTimestamp = 366 * 24 * time.Hour
)

var timestampForm = regexp.MustCompile(`(?s)^(?:(.+):)?([0-9]{13}|[0-9]{10}(?:\.[0-9]{1,9})?)$`)

func recogniseTimestamp(r keyspace.Record, name nameEvidence, now time.Time) (recognition, bool) {
	value := r.Value.Text
	if r.Type != keyspace.TypeString || r.Truncated || len(value) > maxHolderValue || name.accounting || name.word == "" {
		return recognition{}, false
	}
	holder, end, form, ok := decodeTimestamp(value)
	if !ok || end.Before(now.Add(-oldestTimestamp)) || end.After(now.Add(newestTimestamp)) {
		return recognition{}, false
	}
	ttl := "it has no TTL: the value alone says when the lease is over"
	if !r.ExpiresAt.IsZero() {
		ttl = "it has a TTL as well"
	}
	return recognition{
		holders:   []Holder{{Owner: value, Label: holder}},
		leaseEnds: end,
		evidence:  []string{name.says(), form, ttl},
	}, true
}

// decodeTimestamp reads the end of a lease from a value, and who holds it where the value names anybody.
func decodeTimestamp(value string) (holder string, end time.Time, form string, ok bool) {
	m := timestampForm.FindStringSubmatch(value)
	if m == nil {
		return "", time.Time{}, "", false
	}
	holder = value
	if m[1] != "" {
		if len(m[2]) != 13 {
			return "", time.Time{}, "", false // host:port, or an id with a serial number
		}
		holder = m[1]
	}
	if len(m[2]) == 13 {
		milliseconds, err := strconv.ParseInt(m[2], 10, 64)
		if err != nil {
			return "", time.Time{}, "", false
		}
		form = "the value is a time in milliseconds"
		if m[1] != "" {
			form = "the value is an id and a time in milliseconds"
		}
		return holder, time.UnixMilli(milliseconds), form, true
	}
	seconds, err := strconv.ParseFloat(m[2], 64)
	if err != nil {
		return "", time.Time{}, "", false
	}
	return holder, time.UnixMicro(int64(seconds * 1e6)), "the value is a time in seconds", true
}
