package redistest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// leaksEnd is how long goroutines may take to end after the last test: a client of a server that is gone dials once a second
// (go-redis v9.23, pool.tryDial), and learns only then that it was closed.
const leaksEnd = 3 * time.Second

// Main runs the tests of a package, and fails where goroutines are left behind.
func Main(m *testing.M) {
	code := m.Run()
	leaked := goleak.Find()
	for deadline := time.Now().Add(leaksEnd); leaked != nil && time.Now().Before(deadline); {
		leaked = goleak.Find()
	}
	if leaked != nil && code == 0 {
		fmt.Fprintln(os.Stderr, leaked)
		code = 1
	}
	os.Exit(code)
}
