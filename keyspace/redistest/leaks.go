package redistest

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// leaksEnd is how long goroutines may take to end after the last test: a client of a server that is gone dials once a second
// (go-redis v9.23, pool.tryDial), and learns only then that it was closed.
const leaksEnd = 3 * time.Second

// atOnce is how many parallel tests of a package run at the same time where nothing else was asked for: more than there are
// cores, because nearly all of their time they wait for a server.
const atOnce = 6

// ManyAtOnce lets so many tests run. It belongs into a TestMain, before the tests.
func ManyAtOnce() {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		if err := f.Value.Set(strconv.Itoa(max(atOnce, runtime.GOMAXPROCS(0)))); err != nil {
			panic(err) // it is a number
		}
	}
}

// Main runs the tests of a package, many at once, and fails where goroutines are left behind.
func Main(m *testing.M) {
	ManyAtOnce()
	LeaveNothing(m)
}

// LeaveNothing runs the tests of a package, and fails where goroutines are left behind.
func LeaveNothing(m *testing.M) {
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
