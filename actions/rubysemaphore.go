package actions

import (
	"strings"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	addRecipe(Recipe{
		Scheme: inspector.SchemeRubySemaphore,
		Type:   keyspace.TypeHash,
		Guard:  "the key is a hash, and the holder's token was taken when it was seen to be; other holders may come and go",
		WakeUp: "LPUSH SEMAPHORE:<name>:AVAILABLE <token>, which is the token itself",
		Steps: map[Verb]Step{
			VerbRelease: {
				Does: "takes the token from those that are held, and puts it back to the free ones",
				Then: "A client that is blocked on it takes the token at once. The holder is not told: if it is alive it goes on, and one client more than the limit is inside.",
			},
		},
		Refused: map[Verb]string{
			VerbExtend:      "a token of this semaphore has no lease: it is held until it is given back",
			VerbForceExpire: "to delete its keys while it is in use is a full reset, after which all tokens are free again whoever holds them; release its holders one by one",
		},
		Warnings: []string{
			"A holder that is still alive gives its token back a second time: from then on one client more than the limit is let in, for good. Stop it first.",
		},
		plan: planRubySemaphore,
		samples: func(key string) []*inspector.Lock {
			return []*inspector.Lock{sampleShare(inspector.SchemeRubySemaphore, key, "0", "1700000000.5")}
		},
		companions: []inspector.Naming{{Lock: "SEMAPHORE:$:GRABBED", Beside: "SEMAPHORE:$:AVAILABLE"}},
	})
}

// planRubySemaphore gives a token back.
func planRubySemaphore(p *plan, r Request, holder inspector.Holder, _ time.Time) error {
	if err := p.onShare(r, holder); err != nil {
		return err
	}
	name := strings.TrimSuffix(strings.TrimPrefix(r.Lock.Key, "SEMAPHORE:"), ":GRABBED")
	available := "SEMAPHORE:" + name + ":AVAILABLE"
	p.keys = append(p.keys, available)
	p.do("HDEL", r.Lock.Key, holder.Owner)
	p.do("LPUSH", available, holder.Owner)
	return nil
}
