package actions

import (
	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	addRecipe(Recipe{
		Scheme: inspector.SchemeSetNX,
		Type:   keyspace.TypeString,
		Guard:  guardString,
		WakeUp: wakeUpPolling,
		Steps: map[Verb]Step{
			VerbRelease:     {Does: deletes, Then: besideHolder},
			VerbForceExpire: {Does: deletes, Then: besideHolder, Milder: "gives it that TTL", MilderThen: besideHolder},
		},
		Refused:  map[Verb]string{VerbExtend: neverEnds},
		Warnings: []string{unchecked},
		plan:     planString,
		samples:  func(key string) []*inspector.Lock { return sampleStrings(inspector.SchemeSetNX, key, "locked") },
	})
}
