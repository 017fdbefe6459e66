package inspector

import (
	"encoding/base64"
	"strings"

	"locktop/keyspace"
)

// pythonRedisLock is the lock of python-redis-lock: a string with an id that is drawn once for each Lock object, and a list on
// which the clients that wait are blocked (src/redis_lock/__init__.py, 4.0.1).
var pythonRedisLock = schemeFile{
	traits: traits{oneToken: true},
	info: SchemeInfo{
		Name:         SchemePythonRedisLock,
		Systems:      "python-redis-lock (Python)",
		RecognisedBy: "string `lock:<name>` of 18 bytes in base64: 24 characters without `=`",
		Shows:        "the id, TTL; how many clients are blocked at most. Without `expire` it has no TTL",
	},
	recognise: recognisePythonRedisLock,
	beside: func(r keyspace.Record) keyspace.Company {
		if !isPythonRedisLock(r) {
			return keyspace.Company{}
		}
		signal := signalOf(r.Key)
		return keyspace.Company{Keys: []string{signal}, Present: []string{signal}, Commands: []string{"blpop"}}
	},
	owners: func(name string) []string {
		if lock, ok := strings.CutPrefix(name, signalBeginning); ok {
			return []string{signalledBeginning + lock}
		}
		return nil
	},
}

// A lock and the list of its wake-ups differ in how their names begin. A release pushes to that
// list, which proves it where the server sends the events of lists.
const (
	signalledBeginning = "lock:"
	signalBeginning    = "lock-signal:"
)

// signalled returns the lock that a push to a list of wake-ups releases.
func signalled(h keyspace.Hint) (key string, is bool) {
	lock, is := strings.CutPrefix(h.Key, signalBeginning)
	return signalledBeginning + lock, is && h.Event == "lpush"
}

func signalOf(key string) string {
	return signalBeginning + strings.TrimPrefix(key, signalledBeginning)
}

func isPythonRedisLock(r keyspace.Record) bool {
	value := r.Value.Text
	if r.Type != keyspace.TypeString || len(value) != 24 || !strings.HasPrefix(r.Key, signalledBeginning) || shapeOf(value) != shapeBase64 {
		return false
	}
	_, err := base64.RawStdEncoding.DecodeString(value)
	return err == nil
}

func recognisePythonRedisLock(c *candidate) (recognition, bool) {
	byRule := c.ruled() && c.Type == keyspace.TypeString && strings.HasPrefix(c.Key, signalledBeginning) &&
		c.Value.Text != "" && len(c.Value.Text) <= maxToken // an application may give an id of its own
	if !byRule && !isPythonRedisLock(c.Record) {
		return recognition{}, false
	}
	return recognition{
		mode:     ModeExclusive,
		holders:  []Holder{{Owner: c.Value.Text, Label: c.Value.Text}},
		waiters:  c.blocked("blpop"),
		evidence: []string{"its name begins with \"lock:\"", "its value is 18 random bytes in base64", c.ttlEvidence()},
	}, true
}
