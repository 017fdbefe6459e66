package actions

import (
	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	addRecipe(Recipe{
		Scheme: inspector.SchemeToken,
		Type:   keyspace.TypeString,
		Guard:  guardString,
		WakeUp: wakeUpPolling,
		Steps: map[Verb]Step{
			VerbExtend:      {Does: "sets its TTL", Then: renewalWins},
			VerbRelease:     {Does: deletes, Then: besideHolder},
			VerbForceExpire: {Does: deletes, Then: besideHolder, Milder: shortens, MilderThen: untilRenewal},
		},
		plan:    planString,
		samples: func(key string) []*inspector.Lock { return sampleStrings(inspector.SchemeToken, key, "token") },
	})
}
