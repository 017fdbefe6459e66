package inspector

import (
	"strconv"
	"strings"
	"time"

	"locktop/keyspace"
)

// token is the lock of SET NX PX: a string with a TTL, whose value proves who holds it.
var token = schemeFile{
	traits: traits{anyOwner: true, ownCount: true},
	info: SchemeInfo{
		Name:         SchemeToken,
		Systems:      "SET NX PX: redlock, redsync, redis-py, Laravel, Spring Integration, Bull and many more",
		RecognisedBy: "string of up to 128 bytes with a TTL, that is no data; a lock's name",
		Shows:        "the token, and host, process or time where it carries them; TTL",
	},
	recognise: recogniseToken,
	beside: func(r keyspace.Record) keyspace.Company {
		if strings.HasPrefix(r.Key, simpleMutex) && r.Type == keyspace.TypeString {
			return keyspace.Company{Channels: []string{SimpleMutexChannel}}
		}
		return besideJob(r)
	},
}

func recogniseToken(c *candidate) (recognition, bool) {
	if c.Type != keyspace.TypeString || c.ExpiresAt.IsZero() {
		return recognition{}, false
	}
	s, ok := c.holderValue()
	if !ok && !c.ownToken() {
		return recognition{}, false
	}
	value := c.Value.Text
	short := s == shapeInteger && len(value) < 12 // a counter, as a rule
	if c.name.grade == nameSilent {
		s = shapeOf(value)
	}
	if short && c.name.grade < namePart || s == shapeEmpty && c.name.grade < nameStrong {
		return recognition{}, false
	}
	return recognition{
		mode:     ModeExclusive,
		waiters:  c.sharedListeners(SimpleMutexChannel),
		holders:  []Holder{{Owner: value, Label: c.holderLabel(s)}},
		evidence: c.tokenEvidence(s, evidenceTTL),
	}, true
}

// ownToken judges a key that no default pattern names, so that a pattern of the user's own does: there a value that nobody
// writes but to be unique is evidence enough, unless the name speaks of one of the other things that hold such values.
func (c *candidate) ownToken() bool {
	if c.name.grade != nameSilent || c.name.aside || c.Truncated || len(c.Value.Text) > maxToken || hasLockLetters(c.Key) {
		return false
	}
	if _, _, isTime := leaseEnd(c.Value.Text); isTime {
		return false
	}
	if c.ExpiresAt.Sub(c.ReadAt) > ownLease {
		return c.inLaravelCache(true)
	}
	return shapeOf(c.Value.Text).tokenLike() && !holdsSecrets(c.Key) || c.inLaravelCache(false)
}

// inLaravelCache reports whether a key is a lock among what Laravel caches, where it has the same prefix: 16 letters and digits. What
// is cached is serialised, so that these are a lock where they are bare; a lock may be serialised as well.
func (c *candidate) inLaravelCache(bare bool) bool {
	return laravelCache(c.Key) && isLaravel(c, shapeOf(c.Value.Text)) == matchSurely && (!bare || len(c.Value.Text) == len(c.token()))
}

// ownLease is the longest TTL of a lock that is known by its value alone.
const ownLease = 24 * time.Hour

// secrets are words of names under which random values are kept that are no locks.
var secrets = map[string]bool{
	"session": true, "sessions": true, "sess": true, "sid": true, "otp": true, "totp": true, "csrf": true, "xsrf": true,
	"token": true, "tokens": true, "cache": true, "cached": true, "rate": true, "limit": true, "limiter": true, "code": true,
	"verify": true, "verification": true, "reset": true, "nonce": true, "idempotency": true, "idem": true, "oauth": true,
	"jwt": true, "auth": true, "login": true, "etag": true, "invite": true, "magic": true, "password": true, "refresh": true,
	"cart": true, "apikey": true, "device": true, "trace": true, "visitor": true, "cookie": true, "challenge": true, "state": true,
}

func holdsSecrets(key string) bool {
	for word, rest := nextWord(key); word != ""; word, rest = nextWord(rest) {
		if secrets[word] {
			return true
		}
	}
	return false
}

// holderValue says whether a string with this name may be a lock's value, and of what shape it is.
func (c *candidate) holderValue() (shape, bool) {
	value := c.Value.Text
	if c.ruled() {
		return shapeOf(value), true
	}
	if c.name.grade == nameSilent || c.Truncated || len(value) > maxDescription {
		return shapeOther, false
	}
	s := shapeOf(value)
	if s == shapeForeign && !c.name.aside {
		if _, described := describedLock(value); described {
			return shapeOther, true
		}
	}
	switch {
	case len(value) > maxToken:
		return s, false
	case s == shapeForeign, s == shapeInteger && !c.name.numbers, c.isCounter(), c.isCounted(), c.name.aside && !c.named() && !s.tokenLike():
		return s, false
	}
	switch strings.ToLower(value) {
	case "false", "no", "off", "free", "open", "unlocked", "none", "null", "nil":
		return s, false // a flag that says that nobody holds it
	}
	return s, true
}

// isCounter reports whether a string is a number under a name that counts something: the name speaks of something beside a lock, or
// of the tokens that are given out. To delete such a number would begin the count again.
func (c *candidate) isCounter() bool {
	if c.ruled() {
		return false
	}
	whole, fraction, _ := strings.Cut(c.Value.Text, ".")
	if !isInteger(whole) || fraction != "" && !allDigits(fraction) {
		return false
	}
	return c.name.aside || c.name.counts && c.ExpiresAt.IsZero()
}

// tokenEvidence says why a string is taken for a lock, and where that is little.
func (c *candidate) tokenEvidence(s shape, ttl string) []string {
	facts := []string{c.name.evidence(), s.evidence(), ttl}
	switch _, described := describedLock(c.Value.Text); {
	case described:
		facts[1] = "its value describes who took it, or when"
	case c.name.grade == nameSilent && strings.HasPrefix(c.Value.Text, "s:"):
		facts = append(facts, "a cached text of this length looks the same")
	case !s.tokenLike() && !c.ruled():
		if _, surely := c.library(SchemeToken, s); !surely && c.named() {
			facts = append(facts, evidenceNamedOnly)
		} else if !surely {
			facts = append(facts, evidenceNameOnly)
		}
	}
	return facts
}

// holderLabel says who holds a lock that is a string. Where a library is known to leave the same value for every holder, that is
// nobody in particular.
func (c *candidate) holderLabel(s shape) string {
	value := c.token()
	if s.tokenLike() {
		return labelOf(c.Value.Text, s, c.now)
	}
	if value == "" || isConstant(value) {
		return UnknownHolder
	}
	if _, surely := c.library(SchemeToken, s); surely {
		switch {
		case value == "1":
			return UnknownHolder
		case isRQName(c.Key) && isProcess(value):
			return "process " + value
		}
	}
	return labelOf(c.Value.Text, s, c.now)
}

// labelOf says a token in words where it carries any, and else is the token without what a serialiser put around it.
func labelOf(value string, s shape, now time.Time) string {
	value = unwrap(value)
	if d, ok := describedLock(value); ok {
		return d.label()
	}
	if OnlyTime(value, now) {
		return UnknownHolder
	}
	if operator, ok := tombstoneOf(value); ok {
		return "locktop's tombstone, left by " + operator
	}
	if process, at, ok := microtimeToken(value); ok {
		return "process " + process + tryingSince(at)
	}
	if token, metadata, ok := redislockToken(value); ok && metadata != "" {
		return metadata + " (" + token[:8] + ")"
	}
	if name, ok := namedClient(value); ok {
		return name
	}
	switch s {
	case shapeHost:
		if host, process, ok := hostAndProcess(value); ok {
			return host + ", process " + process
		}
	case shapeHex:
		if node, at, ok := timeUUID(value); ok && at.After(now.AddDate(-1, 0, 0)) && at.Before(now.Add(time.Hour)) {
			return "node " + node + tryingSince(at)
		}
		if at, ok := uniqidTime(value); ok && at.After(now.AddDate(-1, 0, 0)) && at.Before(now.Add(time.Hour)) {
			return value + tryingSince(at)
		}
	case shapeUUIDTag: // BullMQ: the worker, and how many locks it has taken
		if n := value[37:]; len(n) <= 7 && allDigits(n) {
			return "worker " + value[:8] + ", lock " + n
		}
	case shapeOther, shapeEmpty, shapeInteger, shapeUUID, shapeBase64, shapeAlnum, shapeBinary, shapeForeign:
	}
	return value
}

// timeUUID reads a UUID of version 1 without dashes, as redis-py writes it (uuid1().hex): the network address of its host
// and the moment at which it was drawn, which is before the lock was waited for.
func timeUUID(hex string) (node string, at time.Time, ok bool) {
	if len(hex) != 32 || hex[12] != '1' || !strings.ContainsRune("89abAB", rune(hex[16])) {
		return "", time.Time{}, false
	}
	ticks, err := strconv.ParseInt(hex[13:16]+hex[8:12]+hex[:8], 16, 64)
	if err != nil {
		return "", time.Time{}, false
	}
	const gregorian = 122_192_928_000_000_000 // ticks of 100 ns from 1582-10-15 to 1970-01-01 (RFC 9562)
	ticks -= gregorian
	return hex[20:], time.Unix(ticks/1e7, ticks%1e7*100), true
}

// tryingSince says from when on a client has tried, which may be long before it acquired the lock.
func tryingSince(at time.Time) string {
	return ", trying since " + at.UTC().Format("2006-01-02 15:04:05Z")
}

// TombstonePrefix begins the value that a release leaves for a moment where deleting the key would bring the lock back: behind
// it follow the operator's name and when it was left.
const TombstonePrefix = "OPERATOR-HOLD:"

// tombstoneOf reads such a value: "OPERATOR-HOLD:<operator>:<time>".
func tombstoneOf(value string) (operator string, ok bool) {
	rest, ok := strings.CutPrefix(value, TombstonePrefix)
	if !ok {
		return "", false
	}
	if i := strings.LastIndexByte(rest, ':'); i >= 0 {
		rest = rest[:i]
	}
	return rest, true
}
