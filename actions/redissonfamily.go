package actions

import "locktop/inspector"

// notYet are the recipes of schemes that locktop only shows so far.
func notYet(scheme inspector.Scheme) Recipe {
	const why = "this version only shows such locks: their release takes more than one key"
	return Recipe{
		Scheme: scheme, Guard: "none", WakeUp: "none",
		Refused: map[Verb]string{VerbExtend: why, VerbRelease: why, VerbForceExpire: why},
	}
}
