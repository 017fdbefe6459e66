package inspector

import (
	"strings"

	"locktop/keyspace"
)

// huey is the task lock of huey (Python): a field among the results of a queue, in one hash. Each such field is a lock, and says
// nothing of who holds it (huey/api.py, TaskLock; huey/storage.py).
var huey = schemeFile{
	traits: traits{unchecked: true, apart: true},
	info: SchemeInfo{
		Name:         SchemeHuey,
		Systems:      "huey (Python), lock_task",
		RecognisedBy: "hash `huey.results.<queue>` with a field `<queue>.lock.<name>` of the value 1, plain or pickled; not where it has more fields than are read",
		Shows:        "the names of the locks that are held, each as a holder; by whom is not stored. They have no TTL",
	},
	recognise: recogniseHuey,
}

const (
	hueyBeginning = "huey.results."
	hueyLock      = ".lock."
	// hueyExpiring begins the keys of RedisExpireHuey, where each result, and so each lock, is a key.
	hueyExpiring = "huey.r."
)

func recogniseHuey(c *candidate) (recognition, bool) {
	queue, ok := strings.CutPrefix(c.Key, hueyBeginning)
	if !ok || c.Type != keyspace.TypeHash || c.Truncated {
		return recognition{}, false
	}
	found := recognition{
		mode:     ModeExclusive,
		evidence: []string{"its name is that of huey's results", "a field among them is a task lock", c.ttlEvidence()},
	}
	for _, f := range c.Value.Fields {
		if owner, name, is := strings.Cut(f.Name, hueyLock); is && isHueyHeld(f.Value) && name != "" && hueyName(owner) == queue {
			found.holders = append(found.holders, Holder{Owner: f.Name, Label: name})
		}
	}
	return found, len(found.holders) > 0
}

// isHueyHeld knows the value of a held lock: 1, as huey's serialiser writes it. That is a pickle since 2.0, which may be signed
// or compressed.
func isHueyHeld(value string) bool { return unwrap(value) == "1" || foreignBinary(value) }

// isHueyKey knows the lock of RedisExpireHuey: "huey.r.<queue>.<queue>.lock.<name>".
func isHueyKey(key string) bool {
	rest, ok := strings.CutPrefix(key, hueyExpiring)
	before, name, is := strings.Cut(rest, hueyLock)
	queue, owner, _ := strings.Cut(before, ".")
	return ok && is && name != "" && queue != "" && hueyName(owner) == queue
}

// hueyName is the name of a queue as it is in the names of its keys: letters, digits and underscores are left of it.
func hueyName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return -1
	}, name)
}
