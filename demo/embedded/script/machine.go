package script

import (
	"slices"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// Bounds of the interpreter. Both stacks are those of each coroutine.
const (
	callDepth      = 256 // of functions
	firstRegisters = 1 << 10
	mostRegisters  = 1 << 16
	// resumeDepth is how many coroutines may have resumed one another. It bounds the stack of the
	// process together with callDepth, because a call from Go into Lua takes some of it.
	resumeDepth = 50
	// mostValues bounds what one call takes or gives, as in Lua.
	mostValues = 8000
)

// machine is an interpreter with the libraries, which runs one script after the other.
type machine struct {
	engine  *Engine
	state   *lua.LState
	globals *lua.LTable                 // behind the read-only table that scripts see
	behind  map[*lua.LTable]*lua.LTable // what a read-only table shows
	concat  *lua.LFunction
	index   *lua.LFunction
	null    *lua.LUserData // cjson.null

	spending
	request Request
	program *Program
	resp3   bool                 // what redis.setresp has chosen
	line    int                  // where the script failed
	resumed map[*lua.LState]bool // coroutines that run or wait for another that they have resumed
	goCalls int                  // calls from Go into Lua that are under way in the running coroutine
}

// newMachine makes an interpreter.
func newMachine(e *Engine) *machine {
	m := &machine{engine: e, behind: map[*lua.LTable]*lua.LTable{}, resumed: map[*lua.LState]bool{}}
	m.sample[0].Name = heapMetric
	L := lua.NewState(lua.Options{
		SkipOpenLibs: true, CallStackSize: callDepth, RegistrySize: firstRegisters, RegistryMaxSize: mostRegisters,
		RegistryGrowStep: 4 * firstRegisters,
	})
	m.state = L
	L.Panic = m.panicked
	lua.OpenBase(L)
	lua.OpenCoroutine(L)
	lua.OpenMath(L)
	theirs := L.G.Global
	m.globals = L.CreateTable(0, 32)
	L.Env = m.readOnly(m.globals)
	L.G.Global = L.Env
	m.globals.Metatable = m.table(map[string]lua.LValue{"__index": L.NewFunction(m.missingGlobal)})
	m.concat, m.index = L.NewFunction(m.concatenate), L.NewFunction(m.weighKey)
	m.null = &lua.LUserData{Metatable: lua.LNil, Env: L.Env}

	m.openBase(theirs)
	m.openMath(theirs.RawGetString("math").(*lua.LTable))
	m.openCoroutine(theirs.RawGetString("coroutine").(*lua.LTable))
	m.openString()
	m.openTable()
	m.openBit()
	m.openJSON()
	m.openRedis()
	m.globals.RawSetString("_G", L.Env)
	m.globals.RawSetString("_VERSION", lua.LString(lua.LuaVersion))
	L.SetContext(m)
	return m
}

// begin makes the machine ready for a run.
func (m *machine) begin(r Request) {
	limits := m.engine.WithDefaults()
	m.spending = spending{limits: limits, deadline: time.Now().Add(limits.Time), left: lookEvery, sample: m.sample}
	if m.engine.interrupted.Load() {
		m.left = 0
	}
	for _, word := range slices.Concat(r.Keys, r.Args) {
		m.given += len(word)
	}
	m.request, m.program, m.resp3, m.line, m.goCalls = r, r.Program, false, 0, 1
	m.globals.RawSetString("KEYS", m.strings(r.Keys))
	m.globals.RawSetString("ARGV", m.strings(r.Args))
}

// isClean reports whether the next script may run on the same interpreter: this one has ended well,
// and has left no more than some registers that are not used any more.
func (m *machine) isClean() bool {
	const little = 1 << 20
	isMain := m.state.G.CurrentThread == m.state
	if len(m.resumed) > 0 || !isMain || m.made+m.given > little {
		return false
	}
	m.globals.RawSetString("KEYS", lua.LNil)
	m.globals.RawSetString("ARGV", lua.LNil)
	return true
}

// instantiate pushes the main function of a program.
func (m *machine) instantiate(L *lua.LState, proto *lua.FunctionProto) {
	L.Push(L.NewFunctionFromProto(proto))
	L.Push(m.concat)
	L.Push(m.index)
	L.Call(2, 1)
}

// panicked notes the line where the script failed, and unwinds.
func (m *machine) panicked(L *lua.LState) {
	for level := 0; m.line == 0; level++ {
		frame, exists := L.GetStack(level)
		if !exists {
			break
		}
		if _, err := L.GetInfo("Sl", frame, lua.LNil); err == nil && frame.Source == mainChunk && frame.CurrentLine > 0 {
			m.line = frame.CurrentLine
		}
	}
	panic(&lua.ApiError{Type: lua.ApiErrorRun, Object: L.Get(-1)})
}

// table makes a table of fields.
func (m *machine) table(fields map[string]lua.LValue) *lua.LTable {
	t := m.state.CreateTable(0, len(fields))
	for name, value := range fields {
		t.RawSetString(name, value)
	}
	return t
}

// strings makes an array.
func (m *machine) strings(texts []string) *lua.LTable {
	t := m.state.CreateTable(len(texts), 0)
	for _, text := range texts {
		t.Append(lua.LString(text))
	}
	return t
}

// library makes a global table of functions and values that scripts can only read.
func (m *machine) library(name string, functions map[string]lua.LGFunction, values map[string]lua.LValue) *lua.LTable {
	t := m.table(values)
	for name, function := range functions {
		t.RawSetString(name, m.state.NewFunction(function))
	}
	shown := m.readOnly(t)
	m.globals.RawSetString(name, shown)
	return shown
}

const errorReadOnly = "Attempt to modify a readonly table"

// readOnly makes a table that shows another one, and cannot be changed: it stays empty, so that
// each assignment asks its metatable.
func (m *machine) readOnly(shown *lua.LTable) *lua.LTable {
	t := m.state.CreateTable(0, 0)
	t.Metatable = m.table(map[string]lua.LValue{
		"__index": shown,
		"__newindex": m.state.NewFunction(func(L *lua.LState) int {
			L.RaiseError(errorReadOnly)
			return 0
		}),
	})
	m.behind[t] = shown
	return t
}

// contents is what a table holds, also where it only shows another one.
func (m *machine) contents(t *lua.LTable) *lua.LTable {
	if shown := m.behind[t]; shown != nil {
		return shown
	}
	return t
}

// writable is the first argument: a table that may be changed.
func (m *machine) writable(L *lua.LState, function string) *lua.LTable {
	t := tableArgument(L, function)
	if m.behind[t] != nil {
		L.Error(lua.LString(errorReadOnly), 0)
	}
	return t
}

func (m *machine) missingGlobal(L *lua.LState) int {
	L.RaiseError("%s", "Script attempted to access nonexistent global variable '"+clip(display(L.Get(2)))+"'")
	return 0
}

// concatenate is what ".." does: it joins strings and numbers from the right, and leaves the rest
// to metatables.
func (m *machine) concatenate(L *lua.LState) int {
	n := L.GetTop()
	value := L.Get(n)
	for n--; n > 0; {
		first := n
		length, isText := textLength(value)
		for first > 0 && isText {
			more, also := textLength(L.Get(first))
			if !also {
				break
			}
			length += more
			first--
		}
		if first == n {
			value = m.concatenateOther(L, L.Get(n), value)
			n--
			continue
		}
		m.charge(L, length)
		joined := make([]byte, 0, length)
		for i := first + 1; i <= n; i++ {
			joined = appendText(joined, L.Get(i))
		}
		value = lua.LString(appendText(joined, value))
		n = first
	}
	L.Push(value)
	return 1
}

func (m *machine) concatenateOther(L *lua.LState, left, right lua.LValue) lua.LValue {
	method := L.GetMetaField(left, "__concat")
	if method == lua.LNil {
		method = L.GetMetaField(right, "__concat")
	}
	if method == lua.LNil {
		wrong := left
		if _, isText := textLength(left); isText {
			wrong = right
		}
		L.RaiseError("attempt to concatenate a %s value", wrong.Type())
	}
	return m.invoke(L, method, left, right)
}

// invoke calls a value from Go, and gives its first result.
func (m *machine) invoke(L *lua.LState, function lua.LValue, arguments ...lua.LValue) lua.LValue {
	m.goCalls++
	defer func() { m.goCalls-- }()
	L.Push(function)
	for _, argument := range arguments {
		L.Push(argument)
	}
	L.Call(len(arguments), 1)
	result := L.Get(-1)
	L.Pop(1)
	return result
}

// weighKey gives the key of an assignment, after it was weighed.
func (m *machine) weighKey(L *lua.LState) int {
	m.weighIndex(L, L.Get(1))
	return 1
}
