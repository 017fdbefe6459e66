package script

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/metrics"
	"time"

	lua "github.com/yuin/gopher-lua"
)

const (
	// lookEvery is after how many instructions a script looks at the clock and the heap. One
	// instruction makes 3 KB at most, except where it is weighed.
	lookEvery = 1000
	// weighEvery is after how much possible growth the heap is measured.
	weighEvery = 4 << 20
	// arrayLimit bounds an array: the interpreter fills it up with nils to the index that is set.
	arrayLimit = 1 << 18
	// stringShare is the part of the memory that one string may take. The interpreter copies strings
	// into its errors.
	stringShare = 4
	// valueSize is what a value takes in an array.
	valueSize = 16
)

// The interpreter has this bound for all its states in a variable.
func init() { lua.MaxArrayIndex = arrayLimit }

// WithDefaults fills in what is not set.
func (l Limits) WithDefaults() Limits {
	return Limits{Time: cmp.Or(l.Time, defaultTime), Memory: cmp.Or(l.Memory, defaultMemory)}
}

// heapMetric is how much the objects take that have not been collected.
const heapMetric = "/memory/classes/heap/objects:bytes"

var ended = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// stopError is why a script was stopped.
type stopError string

func (e stopError) Error() string { return "Script stopped: " + string(e) }

// spending is what a run has used of its limits.
type spending struct {
	limits   Limits
	deadline time.Time
	made     int    // bytes of strings, in and out of Redis too
	given    int    // bytes of the keys and arguments
	weight   int    // possible growth of the heap since it was measured
	base     uint64 // the smallest heap that was measured
	left     int    // instructions until the next look
	stopped  error  // why the run has to end
	sample   [1]metrics.Sample
}

// A machine is the context of its own interpreter, which asks it before every instruction whether
// it is done.
//
// It is never done but stopped, and so has no channel until then: the coroutines of the interpreter
// must not watch it.

// Done counts the instruction that is about to be run.
func (m *machine) Done() <-chan struct{} {
	m.left--
	if m.left <= 0 || m.engine.alarm.Load() {
		m.look()
	}
	if m.stopped != nil {
		return ended
	}
	return nil
}

// Err is why the script was stopped.
func (m *machine) Err() error { return m.stopped }

// Deadline is that of the run.
func (m *machine) Deadline() (time.Time, bool) { return m.deadline, true }

// Value makes the machine a context.
func (m *machine) Value(any) any { return nil }

// look stops the script if it has to end.
func (m *machine) look() {
	m.left = lookEvery
	m.engine.alarm.Store(false) // before the questions, so that an alarm after them is not lost
	switch {
	case m.stopped != nil:
	case m.engine.interrupted.Load():
		m.stopped = stopError("the server is shutting down")
	case !time.Now().Before(m.deadline):
		m.stopped = stopError(fmt.Sprintf("it ran for longer than %v, the limit of the embedded server",
			m.limits.Time))
	default:
		m.measure()
	}
}

// measure stops the script if the heap has grown too much. What is only waiting to be collected,
// here or elsewhere in the process, does not count, so that a heap that seems too large is
// collected first.
func (m *machine) measure() {
	m.weight = 0
	heap := m.heap()
	if m.base == 0 || heap < m.base {
		m.base = heap
	}
	if heap-m.base <= uint64(m.limits.Memory) {
		return
	}
	runtime.GC()
	if heap = m.heap(); heap > m.base && heap-m.base > uint64(m.limits.Memory) {
		m.stopForMemory()
	}
}

func (m *machine) heap() uint64 {
	metrics.Read(m.sample[:])
	return m.sample[0].Value.Uint64()
}

func (m *machine) stopForMemory() {
	if m.stopped == nil {
		m.stopped = stopError(fmt.Sprintf("the embedded server gives it %d MB of memory, and one string %d MB",
			m.limits.Memory>>20, m.limits.Memory/stringShare>>20))
	}
}

// raise ends what a Go function does for a script that was stopped.
func (m *machine) raise(L *lua.LState) {
	L.Error(lua.LString(m.stopped.Error()), 0)
}

// tick counts a step of a Go function that may take many.
func (m *machine) tick(L *lua.LState) {
	if m.Done() != nil {
		m.raise(L)
	}
}

// charge counts the bytes of a string that is about to be made, and stops a script that has made
// too many.
func (m *machine) charge(L *lua.LState, bytes int) {
	if bytes > m.limits.Memory/stringShare || bytes > m.limits.Memory-m.made { // not the sum, which can overflow
		m.stopForMemory()
	}
	if m.stopped != nil {
		m.raise(L)
	}
	m.made += bytes
}

// weigh notes that the heap may be about to grow by so much, and measures it from time to time.
func (m *machine) weigh(L *lua.LState, bytes int) {
	m.weight += bytes
	if m.weight >= weighEvery && m.stopped == nil {
		m.measure()
	}
	if m.stopped != nil {
		m.raise(L)
	}
}

// weighIndex looks at an index before a table is given a value there.
func (m *machine) weighIndex(L *lua.LState, index lua.LValue) {
	n, isNumber := index.(lua.LNumber)
	switch {
	case !isNumber || n < 64 || n > arrayLimit:
	case n == arrayLimit: // the next one would be kept apart from the array, whose length would stay as it is
		L.RaiseError("table index %d: arrays have fewer than %d elements here", arrayLimit, arrayLimit)
	default:
		m.weigh(L, int(n)*valueSize)
	}
}
