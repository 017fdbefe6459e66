package actions

import (
	"locktop/inspector"
)

func init() {
	addRecipe(Recipe{
		Scheme: inspector.SchemeUnknown,
		Guard:  "none",
		WakeUp: "none",
		Refused: map[Verb]string{
			VerbExtend:      "it is not a lock",
			VerbRelease:     "it is not a lock",
			VerbForceExpire: "it is not a lock: it may be data, which nobody could bring back",
		},
	})
}
