package actions

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	addRecipe(Recipe{
		Scheme: inspector.SchemeTimestamp,
		Type:   keyspace.TypeString,
		Guard:  guardString,
		WakeUp: wakeUpPolling,
		Steps: map[Verb]Step{
			VerbExtend: {
				Does: "changes its value, which is the end of its lease, to a later end in the same format, " +
					"by this machine's clock; a TTL that would end sooner is set to the new lease",
				Then: "The next action on it has to name the new value.",
			},
			VerbRelease:     {Does: deletes, Then: besideHolder},
			VerbForceExpire: {Does: deletes, Then: besideHolder, Milder: limits, MilderThen: besideHolder},
		},
		Warnings: []string{unchecked},
		OwnEnd:   true,
		Stamped:  true,
		plan:     planTimestamp,
		samples: func(key string) []*inspector.Lock {
			return sampleStrings(inspector.SchemeTimestamp, key, "1700000000000")
		},
	})
}

// planTimestamp writes a later end into the value where a lease is extended; else it does what is done to every string.
//
// The key has a TTL afterwards if it had one before. A TTL that would end before the new lease is set to the lease, because
// the key would go before its value says so. Both are written by one command, which the server refuses whole.
func planTimestamp(p *plan, r Request, holder inspector.Holder, now time.Time) error {
	p.sameHolder = func(value string) bool { return sameID(r.Lock.Observed.Value.Text, value) }
	if r.Verb != VerbExtend {
		return planString(p, r, holder, now)
	}
	if err := p.onString(r); err != nil {
		return err
	}
	stamp, err := parseTimestamp(r.Lock.Observed.Value.Text)
	if err != nil || r.Lock.Observed.Truncated {
		return unsupported("the end of the lease in its value is in no format that locktop writes")
	}
	if left := stamp.end.Sub(now); left > r.TTL {
		return refusal{result: ResultChanged, holder: r.Owner, reason: longerLeft(left)}
	}
	key, value := r.Lock.Key, stamp.at(now.Add(r.TTL))
	p.done = Outcome{
		Result: ResultExtended, Holder: clip(value),
		Detail: "its value, which is the end of its lease, becomes " + printable(clip(value)),
	}
	switch {
	case seenEndless(r.Lock):
		p.do("SET", key, value)
		p.keepsTTL = true
	case r.Lock.Observed.ExpiresAt.Sub(now) > r.TTL:
		p.facts = append(p.facts, notShorter(key, r.TTL))
		p.do("SET", key, value, "KEEPTTL")
		p.keepsTTL = true
	default:
		p.facts = append(p.facts, notLonger(key, r.TTL))
		p.do("SET", key, value, "PX", millis(r.TTL))
		p.done.TTL = r.TTL.Truncate(time.Millisecond)
	}
	return nil
}

// sameID says whether two values have the same id, so that only the lease is another.
func sameID(was, is string) bool {
	before, err := parseTimestamp(was)
	after, err2 := parseTimestamp(is)
	return err == nil && err2 == nil && before.prefix != "" && before.prefix == after.prefix
}

// stamp is the value of a timestamp lock, taken apart so that a later end can be written in the same format: whole or
// fractional seconds, milliseconds, microseconds or nanoseconds since 1970, alone or behind "id:".
type stamp struct {
	prefix   string // the id and its colon
	end      time.Time
	unit     time.Duration // of a whole number that does not count seconds; else 0
	decimals int           // of fractional seconds
}

var errStamp = errors.New("no known format of a time")

// unitOf is what a whole number of so many digits counts in the years from 2001 to 2286, where ten
// are seconds.
var unitOf = map[int]time.Duration{13: time.Millisecond, 16: time.Microsecond, 19: time.Nanosecond}

// parseTimestamp reads the formats by the number of digits.
func parseTimestamp(value string) (stamp, error) {
	var s stamp
	if colon := strings.LastIndexByte(value, ':'); colon >= 0 {
		s.prefix, value = value[:colon+1], value[colon+1:]
	}
	whole, fraction, hasFraction := strings.Cut(value, ".")
	if strings.Trim(whole+fraction, "0123456789") != "" || (hasFraction && (fraction == "" || len(fraction) > 9)) {
		return stamp{}, errStamp
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	switch {
	case err != nil:
		return stamp{}, errStamp
	case len(whole) == 10:
		nanos, err := strconv.ParseInt((fraction + "000000000")[:9], 10, 64)
		if err != nil {
			return stamp{}, errStamp
		}
		s.end, s.decimals = time.Unix(n, nanos), len(fraction)
	case unitOf[len(whole)] != 0 && !hasFraction:
		s.unit = unitOf[len(whole)]
		perSecond := int64(time.Second / s.unit)
		s.end = time.Unix(n/perSecond, n%perSecond*int64(s.unit))
	default:
		return stamp{}, errStamp
	}
	return s, nil
}

// at is the value with another end, rounded up to what the format can say.
func (s stamp) at(end time.Time) string {
	if s.unit != 0 {
		return s.prefix + strconv.FormatInt(end.Add(s.unit-1).UnixNano()/int64(s.unit), 10)
	}
	step := time.Second
	for range s.decimals {
		step /= 10
	}
	end = end.Add(step - 1)
	text := s.prefix + strconv.FormatInt(end.Unix(), 10)
	if s.decimals > 0 {
		nanos := strconv.Itoa(1_000_000_000 + end.Nanosecond())[1:]
		text += "." + nanos[:s.decimals]
	}
	return text
}
