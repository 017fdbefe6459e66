package script

import (
	"fmt"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// Limits bound each run of a script. Zero values are the defaults.
type Limits struct {
	Time   time.Duration // 5 s by default, after which Redis begins to answer BUSY
	Memory int           // bytes; 64 MiB by default
}

const (
	defaultTime   = 5 * time.Second
	defaultMemory = 64 << 20
)

// Engine runs scripts, one at a time.
type Engine struct {
	Limits
	// Version is what the script's redis.REDIS_VERSION says, and Known reports whether a command
	// exists.
	Version string
	Known   func(command string) bool

	idle        *machine    // what the last script left as it was
	seed        uint64      // of math.random; 0 is the first one
	alarm       atomic.Bool // the running script is to look whether it must stop
	interrupted atomic.Bool
}

// Request is one run of a program.
type Request struct {
	Program    *Program
	Keys, Args []string
	RESP3      bool // the client's protocol
	// Call runs redis.call, and gives the whole answer in the protocol that the script has chosen.
	Call func(words []string, resp3 bool) []byte
}

// Interrupt ends the running script and all later ones. It may be called while one runs.
func (e *Engine) Interrupt() {
	e.interrupted.Store(true)
	e.alarm.Store(true)
}

// Run gives the answer of a script to its client, in the protocol: what it has returned, or why it
// failed.
func (e *Engine) Run(r Request) (answer []byte) {
	if len(r.Keys) >= arrayLimit || len(r.Args) >= arrayLimit {
		return errorLine("ERR too many keys or arguments for a script")
	}
	m := e.idle
	e.idle = nil
	if m == nil {
		m = newMachine(e)
	}
	m.begin(r)
	alarm := time.AfterFunc(m.limits.Time, func() { e.alarm.Store(true) })
	answer, failure := m.execute()
	alarm.Stop() // one that comes too late makes the next script look at the clock
	m.request = Request{}
	switch {
	case m.stopped != nil:
		return m.blame("ERR " + m.stopped.Error())
	case failure != nil:
		return m.blame(failure.text)
	}
	if m.isClean() {
		e.idle = m
	}
	return answer
}

// failure is an error of a script, as its client gets it.
type failure struct{ text string }

// execute runs the program. Errors of Lua arrive as panics, because a pcall of the interpreter
// would lose the line.
func (m *machine) execute() (answer []byte, failed *failure) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *lua.ApiError:
			failed = &failure{m.errorText(v.Object)}
		case *failure:
			failed = v
		default: // a bug of the interpreter ends the script, and not the process
			failed = &failure{fmt.Sprintf("ERR the interpreter failed: %v", v)}
		}
	}()
	L := m.state
	m.instantiate(L, m.request.Program.proto)
	L.Call(0, 1)
	value := L.Get(-1)
	answer = m.encode(nil, value, 0)
	L.SetTop(0)
	return answer, nil
}

// blame is an error with the script and the line, as Redis has them.
func (m *machine) blame(text string) []byte {
	return errorLine(fmt.Sprintf("%s script: %s, on @%s:%d.", text, m.program.SHA, mainChunk, max(m.line, 1)))
}

// errorText words what a script has thrown. Of a table, the field err counts, as redis.call throws
// it.
func (m *machine) errorText(thrown lua.LValue) string {
	if table, isTable := thrown.(*lua.LTable); isTable {
		if text, has := table.RawGetString("err").(lua.LString); has {
			return string(text)
		}
		return "ERR (error object is a table value)"
	}
	return "ERR " + display(thrown)
}
