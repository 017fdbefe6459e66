package actions

import (
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	addRecipe(Recipe{
		Scheme: inspector.SchemeReentrant,
		Type:   keyspace.TypeHash,
		Guard:  guardHash,
		WakeUp: wakeUpPolling,
		Steps: map[Verb]Step{
			VerbExtend:      {Does: "sets its TTL", Then: renewalWins},
			VerbRelease:     {Does: deletes, Then: besideHolder, Milder: takesEntries, MilderThen: stillBelieves},
			VerbForceExpire: {Does: deletes, Then: besideHolder, Milder: shortens, MilderThen: untilRenewal},
		},
		plan: func(p *plan, r Request, holder inspector.Holder, _ time.Time) error {
			return p.onHash(r, holder, nobody)
		},
		samples: func(key string) []*inspector.Lock { return sampleHashes(inspector.SchemeReentrant, key) },
	})
}
