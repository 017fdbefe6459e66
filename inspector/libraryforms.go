package inspector

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"locktop/keyspace"
)

// matcher judges a lock for a library.
type matcher func(*candidate, shape) match

// atMost lowers what a matcher says.
func (m matcher) atMost(most match) matcher {
	return func(c *candidate, s shape) match { return min(m(c, s), most) }
}

// or is the better of two.
func (m match) or(other match) match { return max(m, other) }

func surelyIf(is bool) match {
	if is {
		return matchSurely
	}
	return matchNot
}

func mayIf(is bool) match {
	if is {
		return matchMay
	}
	return matchNot
}

// named goes by the key's name alone.
func named(is func(key string) bool) matcher {
	return func(c *candidate, _ shape) match { return surelyIf(is(c.Key)) }
}

// prefixed goes by how the name begins and by what the value is.
func prefixed(prefix string, is func(token string) bool) matcher {
	return func(c *candidate, _ shape) match {
		return surelyIf(strings.HasPrefix(c.Key, prefix) && is(c.token()))
	}
}

// uuidNamed are locks with a random UUID, as many libraries draw it; the name says nothing for sure.
func uuidNamed(is func(key string) bool) matcher {
	return func(c *candidate, _ shape) match {
		return mayIf(isRandomUUID(c.token()) && !strings.HasPrefix(c.Key, "redlock:") && is(c.Key))
	}
}

// isRandomUUID reports whether a token is a UUID of version 4, which is the random one.
func isRandomUUID(token string) bool { return isUUID(token) && token[14] == '4' }

// sixteenBytes decodes a token of 16 bytes in base64 and returns them in hexadecimal.
func sixteenBytes(token string) (string, bool) {
	decoded, err := base64.StdEncoding.DecodeString(token)
	return hex.EncodeToString(decoded), err == nil && len(decoded) == 16
}

// isTimeUUIDBytes reports whether a token is the bytes of a UUID of version 1 that was drawn in the
// five years before now. One in 64 random tokens has that version, and hardly any of those such a
// time.
func isTimeUUIDBytes(token string, now time.Time) bool {
	bytes, ok := sixteenBytes(token)
	if !ok {
		return false
	}
	_, at, ok := timeUUID(bytes)
	return ok && !at.After(now.Add(24*time.Hour)) && now.Sub(at) < 5*365*24*time.Hour
}

// isMixed reports whether a token has this length and only letters and digits, with letters of both
// cases.
func isMixed(token string, length int) bool {
	return len(token) == length && isAlnum(token) && strings.ToLower(token) != token && strings.ToUpper(token) != token
}

// anyVersion stands for a random number in the place of a UUID's version.
const anyVersion = 0

// isBareUUID reports whether a token has the form of a random UUID, of version 4 or 7, without
// dashes. Of random bytes 3 in 100 have it.
func isBareUUID(token string) bool {
	return len(token) == 32 && isHex(token) && (token[12] == '4' || token[12] == '7') && strings.IndexByte("89ab", token[16]) >= 0
}

// hexOf are so many hexadecimal digits, that may be a UUID of a version, without dashes.
func hexOf(digits int, version byte) matcher {
	return func(c *candidate, s shape) match {
		token := c.token()
		return mayIf(s == shapeHex && len(token) == digits && !isTimeUUID(token) && (version == anyVersion && !isBareUUID(token) || version != anyVersion && token[12] == version))
	}
}

// token is the value without what a serialiser put around it.
func (c *candidate) token() string { return unwrap(c.Value.Text) }

func isTimeUUID(value string) bool {
	_, _, ok := timeUUID(value)
	return ok && isHex(value)
}

// isMachineID knows "<machine>_<process>_<32 hexadecimal digits>" of DistributedLock.
func isMachineID(value string) bool {
	if n := len(value) - 33; n > 0 && value[n] == '_' && isHex(value[n+1:]) {
		_, _, ok := hostAndProcess(value)
		return ok
	}
	return false
}

// cutHex says whether a name is a prefix and so many hexadecimal digits.
func cutHex(key, prefix string, digits int) bool {
	rest, ok := strings.CutPrefix(key, prefix)
	return ok && len(rest) == digits && isHex(rest)
}

// isRQName knows the locks of RQ: which scheduler works on a queue, and which worker cleans its registries.
func isRQName(key string) bool {
	return strings.HasPrefix(key, "rq:scheduler-lock:") || strings.HasPrefix(key, "rq:clean_registries:")
}

// laravelNames are in the names of Laravel's own locks, behind the application's prefixes.
var laravelNames = [...]string{
	"laravel_unique_job:", "laravel-queue-overlap:", "illuminate:cache:flexible:lock:", "framework/command-",
}

func isLaravelName(key string) bool {
	for _, part := range laravelNames {
		if strings.Contains(key, part) {
			return true
		}
	}
	i := strings.Index(key, "framework/schedule-")
	return i >= 0 && cutHex(key[i:], "framework/schedule-", 40)
}

func isLaravel(c *candidate, _ shape) match {
	random := isMixed(c.token(), 16)
	return surelyIf(isLaravelName(c.Key) || random && laravelCache(c.Key)).or(mayIf(random))
}

// laravelCache reports whether a key has the prefix of Laravel's cache: "<prefix of Redis><slug>_cache_", with dashes since
// Laravel 13, with a colon at its end before 10. The slug of the application is "laravel" or in the prefix of Redis as well:
// "shop_database_shop_cache_".
func laravelCache(key string) bool {
	if strings.Contains(key, "laravel_cache_") || strings.Contains(key, "laravel-cache-") || strings.Contains(key, "laravel_cache:") {
		return true
	}
	for _, dash := range [...]string{"_", "-"} {
		slug, rest, found := strings.Cut(key, dash+"database"+dash)
		rest, cached := strings.CutPrefix(rest, slug+dash+"cache")
		if found && cached && (strings.HasPrefix(rest, dash) || strings.HasPrefix(rest, ":")) {
			return true
		}
	}
	return false
}

// isBull knows the lock of a job of Bull or BullMQ by the job's hash beside it. Where nobody could look for that, it may be
// one all the same.
func isBull(c *candidate, valueFits bool) match {
	job, ok := bullJob(c.Key)
	if !ok || !valueFits {
		return matchNot
	}
	for _, beside := range c.Companions {
		if beside.Key == job && beside.Type == keyspace.TypeHash {
			return matchSurely
		}
	}
	return mayIf(len(c.Companions) == 0)
}

// bullJob is the key of the job in "<prefix>:<queue>:<job>:lock".
func bullJob(key string) (job string, ok bool) {
	job, ok = strings.CutSuffix(key, ":lock")
	return job, ok && strings.Count(job, ":") >= 2
}

// besideJob names the hash of the job that a lock of Bull or BullMQ is for. That it is there is all that matters.
func besideJob(r keyspace.Record) keyspace.Company {
	job, ok := bullJob(r.Key)
	if !ok || r.Type != keyspace.TypeString {
		return keyspace.Company{}
	}
	if s := shapeOf(r.Value.Text); s != shapeUUID && s != shapeUUIDTag {
		return keyspace.Company{}
	}
	return keyspace.Company{Keys: []string{job}, Present: []string{job}}
}

// redislockToken splits what bsm/redislock writes: 16 bytes in URL-safe base64 without padding, which are 22 characters, and
// the metadata that the application gave (redislock.go, 0.9.4).
func redislockToken(value string) (token, metadata string, ok bool) {
	const size = 22
	if len(value) < size || !isText(value) {
		return "", "", false
	}
	if len(value) == 24 && isRandomText(value) { // 18 random bytes, as rueidis draws: no metadata
		return "", "", false
	}
	token, metadata = value[:size], value[size:]
	// The last character carries four bits only: it is one of A, Q, g, w.
	if strings.IndexByte("AQgw", token[size-1]) < 0 || !isRandomText(token) || strings.ContainsAny(token, "+/") || strings.HasPrefix(metadata, "=") {
		return "", "", false
	}
	return token, metadata, true
}

// microtimeToken reads what cheprasov/php-redis-lock writes: "<pid>:<PHP's microtime>:<random>", such as
// "4711:0.12345600 1767323045:8812".
func microtimeToken(value string) (process string, at time.Time, ok bool) {
	process, rest, _ := strings.Cut(value, ":")
	stamp, random, _ := strings.Cut(rest, ":")
	fraction, seconds, _ := strings.Cut(stamp, " ")
	if !isProcess(process) || !allDigits(random) || len(seconds) != 10 || !strings.HasPrefix(fraction, "0.") {
		return "", time.Time{}, false
	}
	whole, err := strconv.ParseInt(seconds, 10, 64)
	part, err2 := strconv.ParseFloat(fraction, 64)
	if err != nil || err2 != nil {
		return "", time.Time{}, false
	}
	return process, time.Unix(whole, int64(part*1e9)), true
}

// uniqidTime reads PHP's uniqid: eight hexadecimal digits of seconds, five of microseconds.
func uniqidTime(value string) (time.Time, bool) {
	if len(value) != 13 || !isHex(value) {
		return time.Time{}, false
	}
	seconds, err := strconv.ParseInt(value[:8], 16, 64)
	micros, err2 := strconv.ParseInt(value[8:], 16, 64)
	if err != nil || err2 != nil || micros >= 1_000_000 {
		return time.Time{}, false
	}
	return time.Unix(seconds, micros*1000), true
}
