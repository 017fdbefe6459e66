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
		WakeUp: wakeUpPolling + "; for simple-redis-mutex PUBLISH @simple-redis-mutex:locks-releases with the key and the value",
		Steps: map[Verb]Step{
			VerbExtend:      {Does: "sets its TTL", Then: renewalWins},
			VerbRelease:     {Does: deletes, Then: besideHolder},
			VerbForceExpire: {Does: deletes, Then: besideHolder, Milder: shortens, MilderThen: untilRenewal},
		},
		plan:      planString,
		samples:   func(key string) []*inspector.Lock { return sampleStrings(inspector.SchemeToken, key, "token") },
		announced: []keyspace.Pattern{{Glob: "@simple-redis-mutex:lock-*"}},
		channels:  []string{inspector.SimpleMutexChannel},
	})
}
