package actions

import (
	"locktop/inspector"
	"locktop/keyspace"
)

// ShedLock has no tombstone: its extension writes over any value (SET XX).
func init() {
	const runsTwice = "The task may run again at its next time, here or elsewhere, beside one that still runs."
	addRecipe(Recipe{
		Scheme: inspector.SchemeShedLock,
		Type:   keyspace.TypeString,
		Guard:  guardString,
		WakeUp: "none: who comes late skips the task",
		Steps: map[Verb]Step{
			VerbExtend:      {Does: "sets its TTL", Then: renewalWins},
			VerbRelease:     {Does: deletes, Then: runsTwice},
			VerbForceExpire: {Does: deletes, Then: runsTwice, Milder: shortens, MilderThen: untilRenewal},
		},
		Warnings: []string{unchecked},
		plan:     planString,
		samples: func(key string) []*inspector.Lock {
			return sampleStrings(inspector.SchemeShedLock, key, "ADDED:2026-01-02T03:04:05Z@host")
		},
	})
}
