package inspector

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// effect is what a command does to whether the key is there, and for how long.
type effect uint8

const (
	effectNone     effect = iota
	effectIfAbsent        // makes the key where it is not there (SET NX)
	effectSet             // makes the key, or another one in its place
	effectIfThere         // writes another value, and only where the key is there (SET XX)
	effectAdd             // makes the key where it is not there, and leaves its TTL alone (HSET, ZADD)
	effectExpire          // sets the TTL of a key that is there
	effectDelete          // removes it
	effectUnclear         // nobody knows
)

// act is what one command does about a lock.
type act struct {
	effort effort
	effect effect
	// from and to are which arguments are keys, or channels.
	from, to int
	channel  bool
	// everything: it names no key; ofDatabase: it is about those of its own database.
	everything, ofDatabase bool
	owner                  []byte
	// ttl is the TTL that it sets; zero: none. It is known where ttlKnown says so.
	ttl      time.Duration
	ttlKnown bool
	// condition is on what a command depends beyond whether the key is there: NX, XX, GT or LT of
	// EXPIRE, XX of ZADD. asks: it returns the value that was there before (GETSET).
	condition string
	asks      bool
}

// maxCommand is the length of the longest name of a command that matters.
const maxCommand = 24

// upper is the name of a command in capitals, without making a string of each.
func upper(name []byte, word *[maxCommand]byte) string {
	if len(name) > maxCommand {
		return ""
	}
	for i, c := range name {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		word[i] = c
	}
	return string(word[:len(name)])
}

// runsScript says whether a command runs a script whose keys it names.
func runsScript(name string) bool {
	switch name {
	case "EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO", "FCALL", "FCALL_RO":
		return true
	}
	return false
}

// looksAtEnd says whether a command asks for a TTL.
func looksAtEnd(name string) bool {
	switch name {
	case "PTTL", "TTL", "PEXPIRETIME", "EXPIRETIME":
		return true
	}
	return false
}

// scriptKeys are the keys of a script, and what comes after them: EVAL script 2 key key argument.
func scriptKeys(args [][]byte) (keys, rest [][]byte) {
	if len(args) < 3 {
		return nil, nil
	}
	n, err := strconv.Atoi(string(args[2]))
	if err != nil || n < 0 {
		return nil, nil
	}
	n = min(n, len(args)-3)
	return args[3 : 3+n], args[3+n:]
}

// longestToken is how long a token may be, at most: what is longer is something else.
const longestToken = 256

// shortestToken is how long the argument of a script must be to be taken for a token by its looks.
const shortestToken = 6

// tokenAmong is the argument of a script that looks most like a token: a holder's, Redisson's, else the first that is no number
// and has figures, as random ones do.
func tokenAmong(args [][]byte, l *Lock) []byte {
	var first []byte
	for _, arg := range args {
		if len(arg) == 0 || len(arg) > longestToken || string(arg) == l.Key {
			continue
		}
		for i := range l.Holders {
			if l.Holders[i].Owner == string(arg) {
				return arg
			}
		}
		if _, _, ok := redissonHolder(string(arg)); ok {
			return arg
		}
		if _, err := strconv.ParseFloat(string(arg), 64); err != nil && first == nil && len(arg) >= shortestToken && bytes.ContainsAny(arg, "0123456789") {
			first = arg
		}
	}
	return first
}

// purposeOf is what the text of a script says that it is for.
func purposeOf(script []byte) effort {
	lower := strings.ToLower(string(script[:min(len(script), 16<<10)]))
	has := func(words ...string) bool {
		for _, word := range words {
			for _, quote := range []string{"'", `"`} {
				if strings.Contains(lower, quote+word+quote) {
					return true
				}
			}
		}
		return false
	}
	switch {
	case has("del", "unlink", "hdel", "zrem", "srem"):
		return effortRelease
	case has("set", "setnx", "hset", "hsetnx", "hincrby", "zadd", "sadd"):
		return effortAcquire
	case has("pexpire", "expire", "pexpireat", "expireat"):
		return effortExtend
	}
	return effortNone
}

// keyed says whether a key is the first argument of a command, or any of those that take several.
func keyed(args [][]byte, key string) bool {
	if len(args) < 2 {
		return false
	}
	if string(args[1]) == key {
		return true
	}
	switch strings.ToUpper(string(args[0])) {
	case "DEL", "UNLINK", "EXISTS", "MGET":
		for _, arg := range args[2:] {
			if string(arg) == key {
				return true
			}
		}
	}
	return false
}

// actOf is what a command does, by its name and arguments.
func actOf(name string, args [][]byte) act {
	n := len(args)
	one := act{from: 1, to: 2}
	if n < 2 {
		if name == "FLUSHALL" || name == "FLUSHDB" {
			return act{effect: effectDelete, everything: true, ofDatabase: name == "FLUSHDB"}
		}
		return act{}
	}
	third := func() []byte {
		if n > 2 && len(args[2]) <= longestToken {
			return args[2]
		}
		return nil
	}
	switch name {
	case "SET":
		return setAct(args)
	case "SETNX":
		one.effort, one.effect, one.owner, one.ttlKnown = effortAcquire, effectIfAbsent, third(), true
	case "GETSET":
		one.effort, one.effect, one.owner, one.ttlKnown, one.asks = effortAcquire, effectSet, third(), true, true
	case "SETEX", "PSETEX":
		one.effort, one.effect = effortAcquire, effectSet
		if n > 3 {
			one.ttl, one.ttlKnown = span(args[2], name[0] == 'P')
			one.owner = args[3]
		}
	case "HSET", "HMSET", "HSETNX", "HSETEX":
		one.effort, one.effect, one.owner = effortAcquire, effectAdd, third()
	case "HINCRBY", "HINCRBYFLOAT":
		one.effort, one.effect, one.owner = effortAcquire, effectAdd, third()
		if n > 3 && len(args[3]) > 0 && args[3][0] == '-' {
			one.effort = effortRelease
		}
	case "ZADD":
		one.effort, one.effect = effortAcquire, effectAdd
		one.owner = args[n-1]
		for _, arg := range args[2:] {
			if strings.EqualFold(string(arg), "XX") {
				one.effort, one.condition = effortExtend, "XX"
			}
		}
	case "SADD":
		one.effort, one.effect, one.owner = effortAcquire, effectAdd, third()
	case "PEXPIRE", "EXPIRE", "PEXPIREAT", "EXPIREAT", "GETEX", "PERSIST":
		return expireAct(name, args)
	case "DEL", "UNLINK":
		return act{effort: effortRelease, effect: effectDelete, from: 1, to: n}
	case "GETDEL":
		one.effort, one.effect = effortRelease, effectDelete
	case "DELEX", "DELIFEQ":
		one.effort, one.effect = effortRelease, effectUnclear
	case "HDEL", "ZREM", "SREM":
		one.effort, one.effect, one.owner = effortRelease, effectUnclear, third()
	case "ZREMRANGEBYSCORE", "ZPOPMIN", "SPOP", "RESTORE", "MOVE", "APPEND", "SETRANGE", "INCR", "DECR", "INCRBY", "DECRBY":
		one.effect = effectUnclear
	case "RENAME", "RENAMENX", "COPY":
		one.effect, one.to = effectUnclear, min(3, n)
	case "BLPOP", "BRPOP", "BZPOPMIN", "BZPOPMAX":
		return act{effort: effortWait, from: 1, to: n - 1}
	case "BLMOVE", "BRPOPLPUSH":
		one.effort = effortWait
	case "SUBSCRIBE", "SSUBSCRIBE":
		return act{effort: effortWait, from: 1, to: n, channel: true}
	case "UNSUBSCRIBE", "SUNSUBSCRIBE":
		return act{effort: effortLeave, from: 1, to: n, channel: true}
	case "FLUSHALL", "FLUSHDB": // with ASYNC, say
		return act{effect: effectDelete, everything: true, ofDatabase: name == "FLUSHDB"}
	case "SWAPDB":
		return act{effect: effectUnclear, everything: true}
	default:
		return act{}
	}
	return one
}

// setAct reads SET key value [NX|XX|IFEQ value ...] [GET] [EX s|PX ms|EXAT s|PXAT ms|KEEPTTL].
func setAct(args [][]byte) act {
	a := act{effort: effortAcquire, effect: effectSet, from: 1, to: 2, ttlKnown: true}
	if len(args) < 3 {
		return act{}
	}
	if len(args[2]) <= longestToken {
		a.owner = args[2]
	}
	for i := 3; i < len(args); i++ {
		switch word := strings.ToUpper(string(args[i][:min(len(args[i]), 8)])); word {
		case "NX":
			a.effect = effectIfAbsent
		case "XX":
			a.effort, a.effect = effortExtend, effectIfThere
		case "GET":
			a.asks = true
		case "IFEQ", "IFNE", "IFDEQ", "IFDNE":
			a.effort, a.effect = effortExtend, effectUnclear
			i++
		case "KEEPTTL":
			a.effect, a.ttlKnown = effectAdd, false
		case "EX", "PX":
			if i++; i < len(args) {
				a.ttl, a.ttlKnown = span(args[i], word == "PX")
			}
		case "EXAT", "PXAT":
			i++
			a.ttlKnown = false
		}
	}
	return a
}

// expireAct reads what sets a TTL, or takes it away.
func expireAct(name string, args [][]byte) act {
	a := act{effort: effortExtend, effect: effectExpire, from: 1, to: 2}
	switch {
	case name == "PERSIST":
		a.ttlKnown = true
	case name == "GETEX" && len(args) == 2:
		return act{} // which only reads
	case name == "GETEX" && len(args) == 4:
		word := strings.ToUpper(string(args[2]))
		if word == "EX" || word == "PX" {
			a.ttl, a.ttlKnown = span(args[3], word == "PX")
		}
	case (name == "EXPIRE" || name == "PEXPIRE") && len(args) >= 3:
		a.ttl, a.ttlKnown = span(args[2], name[0] == 'P')
		if a.ttlKnown && a.ttl <= 0 {
			a.effort, a.effect = effortRelease, effectDelete
		}
	}
	if name != "GETEX" && len(args) == 4 {
		a.condition = strings.ToUpper(string(args[3]))
	}
	return a
}

// span reads a number of milliseconds or seconds.
func span(word []byte, milliseconds bool) (time.Duration, bool) {
	n, err := strconv.ParseInt(string(bytes.TrimSpace(word)), 10, 64)
	unit := time.Second
	if milliseconds {
		unit = time.Millisecond
	}
	if err != nil || n > int64(forever/unit) || n < -int64(forever/unit) {
		return 0, false
	}
	return time.Duration(n) * unit, true
}
