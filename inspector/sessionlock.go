package inspector

import (
	"strings"

	"locktop/keyspace"
)

// sessionLock is the lock of a session of Cm_RedisSession, which Magento uses: some fields of the
// session's hash. A request that increments `lock` to 1 has it, and stores its host and process;
// the others increment `wait` (Handler.php, 2.1).
var sessionLock = schemeFile{
	info: SchemeInfo{
		Name:         SchemeSessionLock,
		Systems:      "Cm_RedisSession, php-redis-session-abstract (Magento, OpenMage)",
		RecognisedBy: "hash `sess_<id>` with a `lock` of 1 or more and a `pid`; not if the session is too large to be read. The default patterns do not match sessions: pass `--pattern 'sess_*'`",
		Shows:        "host and process of the request; how many requests wait, by the session's own counter. The TTL is the session's",
	},
	recognise: recogniseSessionLock,
}

// The fields of a session that form its lock.
const (
	SessionLockCount = "lock"
	SessionLockOwner = "pid"
	sessionWaiting   = "wait"
)

func recogniseSessionLock(c *candidate) (recognition, bool) {
	if c.Type != keyspace.TypeHash || c.Truncated || !strings.HasPrefix(c.Key, "sess_") {
		return recognition{}, false
	}
	fields := make(map[string]string, len(c.Value.Fields))
	for _, f := range c.Value.Fields {
		fields[f.Name] = f.Value
	}
	pid := fields[SessionLockOwner]
	tries, ok := entryCount(fields[SessionLockCount])
	if !ok || tries < 1 || pid == "" || len(pid) > maxToken {
		return recognition{}, false
	}
	found := recognition{
		mode:     ModeExclusive,
		holders:  []Holder{{Owner: pid, Label: labelOf(pid, shapeOf(pid), c.now)}},
		evidence: []string{"a session of Cm_RedisSession", "its field lock is not 0", c.ttlEvidence()},
	}
	if n, counted := entryCount(fields[sessionWaiting]); counted && n >= 0 {
		found.waiters = Waiters{Count: int(min(n, maxEntries)), By: WaitersCounter}
	}
	return found, true
}
