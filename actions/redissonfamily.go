package actions

import "locktop/inspector"

func init() {
	const why = "this version only shows such locks: their release takes more than one key"
	for _, scheme := range []inspector.Scheme{
		inspector.SchemeRedissonPermits, inspector.SchemeRedissonSemaphore, inspector.SchemeRedissonLatch,
	} {
		addRecipe(Recipe{
			Scheme: scheme, Guard: "none", WakeUp: "none",
			Refused: map[Verb]string{VerbExtend: why, VerbRelease: why, VerbForceExpire: why},
		})
	}
}
