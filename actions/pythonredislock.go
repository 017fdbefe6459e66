package actions

import (
	"strings"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// The waiters of python-redis-lock are blocked on a list, for as long as their own expire or timeout, or for ever with neither.
func init() {
	const wakes = "deletes the key and pushes a wake-up onto the list of its waiters"
	const then = "A client that is blocked on it enters at once. The holder is not told: if it is alive it goes on believing that it holds the lock, its renewal and its release fail with NotAcquired."
	addRecipe(Recipe{
		Scheme: inspector.SchemePythonRedisLock,
		Type:   keyspace.TypeString,
		Guard:  guardString,
		WakeUp: "DEL lock-signal:<name>, LPUSH lock-signal:<name> 1, PEXPIRE lock-signal:<name> 1000, before the key is deleted",
		Steps: map[Verb]Step{
			VerbExtend:  {Does: "sets its TTL", Then: renewalWins},
			VerbRelease: {Does: wakes, Then: then},
			VerbForceExpire: {
				Does: wakes, Then: then, Milder: limits,
				MilderThen: untilRenewal + " The clients that are blocked on it are not told when it ends: they try again when the time is over for which they wait, which has no end where they have neither expire nor timeout.",
			},
		},
		plan: planPythonRedisLock,
		samples: func(key string) []*inspector.Lock {
			return sampleStrings(inspector.SchemePythonRedisLock, key, "KWfupndwb+Lq1x80C8oRdlwF")
		},
		companions: []inspector.Naming{{Lock: "lock:$", Beside: signalBeginning + "$"}},
	})
}

const (
	signalBeginning = "lock-signal:"
	// signalFor is how long a wake-up lies there for a client that is on its way, in milliseconds, as the library has it.
	signalFor = "1000"
)

func planPythonRedisLock(p *plan, r Request, holder inspector.Holder, now time.Time) error {
	if frees(r) {
		signal := signalBeginning + strings.TrimPrefix(r.Lock.Key, "lock:")
		p.keys = append(p.keys, signal)
		p.do("DEL", signal)
		p.do("LPUSH", signal, "1")
		p.do("PEXPIRE", signal, signalFor)
	}
	return planString(p, r, holder, now)
}
