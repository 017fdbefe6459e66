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
			VerbExtend:      {Does: "gives it a TTL, which it did not have", Then: "The lock then ends by itself, whether its holder is alive or not."},
			VerbRelease:     {Does: deletes, Then: besideHolder},
			VerbForceExpire: {Does: deletes, Then: besideHolder, Milder: "gives it that TTL", MilderThen: besideHolder},
		},
		Warnings: []string{unchecked},
		plan:     planString,
		samples:  func(key string) []*inspector.Lock { return sampleStrings(inspector.SchemeSetNX, key, "locked") },
	})
}
