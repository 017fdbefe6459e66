package actions

import "locktop/inspector"

// shedLockRecipe is ShedLock's. It has no tombstone: its extension writes over any value (SET XX).
var shedLockRecipe = Recipe{
	Scheme: inspector.SchemeShedLock,
	Guard:  guardString,
	WakeUp: "none: who comes late skips the task",
	Steps: map[Verb]Step{
		VerbExtend:      {Does: "sets its TTL", Then: renewalWins},
		VerbRelease:     {Does: deletes, Then: "The task may run again at its next time, here or elsewhere, beside one that still runs."},
		VerbForceExpire: {Does: deletes, Then: "The task may run again at its next time, here or elsewhere, beside one that still runs.", Milder: shortens, MilderThen: untilRenewal},
	},
	Warnings: []string{unchecked},
}
