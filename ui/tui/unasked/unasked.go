// Package unasked keeps Bubble Tea from asking the terminal for its colours when the program starts.
//
// Bubble Tea v1 does that in an init function, whatever the program is about to do, and waits up to five seconds for a terminal
// that does not answer. It does not ask where the environment has CI, and so this package sets CI before. Go initialises packages
// in the order of their import paths, each after those that it imports. This one imports nothing but os; os/exec, which Bubble Tea
// needs, imports os too, and comes later in that order.
//
// Guaranteed: once [Restore] has returned, the environment is as the program was given it. Package tui calls it when it is
// initialised, which is after Bubble Tea is.
package unasked

import "os"

const variable = "CI"

var before, had = os.LookupEnv(variable)

func init() {
	_ = os.Setenv(variable, "true") // it fails for names that are no names only
}

// Restore gives the environment back.
func Restore() {
	if had {
		_ = os.Setenv(variable, before)
	} else {
		_ = os.Unsetenv(variable)
	}
}
