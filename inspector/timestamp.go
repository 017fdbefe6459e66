package inspector

import (
	"strconv"
	"strings"
	"time"

	"locktop/keyspace"
)

// Plausible ends of leases: further away, a number is no time.
const plausibleYears = 10 * 365 * 24 * time.Hour

// timestampSlack is how far the end that the value states may be from the key's own, where it has both.
const timestampSlack = 3 * time.Second

// timestampLayout is the lock whose value is the end of its lease: seconds, seconds with a fraction (redis-mutex),
// milliseconds (errorception, the texts), or "<id>:<milliseconds>" (jedis-lock). Rivals take it over by GETSET once the end
// is past, so that the key needs no TTL, and is there when the lease is long over.
var timestampLayout = layout{
	info: SchemeInfo{
		Name: SchemeTimestamp, Systems: "SETNX and GETSET: jedis-lock, redis-mutex (Ruby), errorception redis-lock",
		RecognisedBy: "string whose value is a time near now: 10 digits, 10.x, 13 digits, or id:13 digits",
		Shows:        "the end that the value states; the id where there is one; lapsed locks",
	},
	recognise: recogniseTimestamp,
}

func recogniseTimestamp(l look) (recognition, bool) {
	r := l.record
	if r.Type != keyspace.TypeString || l.name.trap {
		return recognition{}, false
	}
	id, end, format, is := parseLease(r.Value.Text)
	if !is || end.Before(l.now.Add(-plausibleYears)) || end.After(l.now.Add(plausibleYears)) {
		return recognition{}, false
	}
	switch {
	case l.name.about || l.name.word != "" && l.name.vague && id == "":
		return recognition{}, false // "lock:last", "lease:until": a time about a lock
	case l.name.word == "" && (!isUUID(id) || l.name.other):
		return recognition{}, false
	case !r.ExpiresAt.IsZero() && end.Sub(r.ExpiresAt).Abs() > timestampSlack:
		return recognition{}, false // the time of the acquisition, kept in a token lock
	}
	found := recognition{scheme: SchemeTimestamp, held: true, leaseEnds: end, clues: cluesOf(l, SchemeTimestamp)}
	found.clues.fact = "the value is the end of the lease: " + format
	found.holder = Holder{Owner: r.Value.Text, Label: r.Value.Text, ExpiresAt: end}
	if id != "" {
		found.holder.Label = labelOf(id)
	}
	return found, true
}

// parseLease reads the forms of a lease's end. format says in words which one it is.
func parseLease(value string) (id string, end time.Time, format string, ok bool) {
	if colon := strings.LastIndexByte(value, ':'); colon > 0 {
		id, value = value[:colon], value[colon+1:]
		if len(value) != 13 || isDigits(id) {
			return "", time.Time{}, "", false
		}
	}
	switch whole, fraction, point := strings.Cut(value, "."); {
	case !isDigits(whole) || point && !isDigits(fraction):
		return "", time.Time{}, "", false
	case len(whole) == 13 && !point:
		ms, err := strconv.ParseInt(whole, 10, 64)
		format = "13 digits, milliseconds"
		if id != "" {
			format = "an id and milliseconds"
		}
		return id, time.UnixMilli(ms), format, err == nil
	case len(whole) == 10:
		seconds, err := strconv.ParseInt(whole, 10, 64)
		if !point {
			return id, time.Unix(seconds, 0), "10 digits, seconds", err == nil
		}
		fraction = (fraction + "000000000")[:9]
		nanos, fractionErr := strconv.ParseInt(fraction, 10, 64)
		return id, time.Unix(seconds, nanos), "seconds with a fraction", err == nil && fractionErr == nil
	}
	return "", time.Time{}, "", false
}

// leaseID is the part of a timestamp lock's value that names its holder; empty where it names none.
func leaseID(value string) string {
	id, _, _, _ := parseLease(value)
	return id
}
