package script

import lua "github.com/yuin/gopher-lua"

// openCoroutine takes the interpreter's coroutines, and sees to it that they are bounded as their
// script is.
func (m *machine) openCoroutine(theirs *lua.LTable) {
	function := func(name string) lua.LGFunction { return theirs.RawGetString(name).(*lua.LFunction).GFunction }
	create, resume, yield := function("create"), function("resume"), function("yield")
	m.library("coroutine", map[string]lua.LGFunction{
		"create": func(L *lua.LState) int {
			m.create(L, create, "create")
			return 1
		},
		"resume": func(L *lua.LState) int {
			thread, isThread := L.Get(1).(*lua.LState)
			if !isThread {
				argumentError(L, 1, "resume", "coroutine expected")
			}
			if problem := m.cannotResume(thread); problem != "" {
				L.Push(lua.LFalse)
				L.Push(lua.LString(problem))
				return 2
			}
			return m.resume(L, thread, resume)
		},
		"wrap": func(L *lua.LState) int {
			thread := m.create(L, create, "wrap")
			L.Pop(1)
			L.Push(L.NewFunction(func(L *lua.LState) int { return m.resumeWrapped(L, thread, resume) }))
			return 1
		},
		"yield": func(L *lua.LState) int {
			if m.goCalls > 0 { // the interpreter would lose its way
				L.Error(lua.LString("attempt to yield across metamethod/C-call boundary"), 0)
			}
			return yield(L)
		},
		"running": func(L *lua.LState) int {
			if L == m.state {
				L.Push(lua.LNil)
			} else {
				L.Push(L)
			}
			return 1
		},
		"status": func(L *lua.LState) int {
			thread, isThread := L.Get(1).(*lua.LState)
			if !isThread {
				argumentError(L, 1, "status", "coroutine expected")
			}
			L.Push(lua.LString(m.status(L, thread)))
			return 1
		},
	}, nil)
}

func (m *machine) status(L, thread *lua.LState) string {
	switch {
	case thread == L:
		return "running"
	case thread.Dead:
		return "dead"
	case m.resumed[thread]:
		return "normal"
	}
	return "suspended"
}

// create pushes a coroutine that asks the machine before each instruction, as the script does.
func (m *machine) create(L *lua.LState, create lua.LGFunction, function string) *lua.LState {
	if f := functionArgument(L, 1, function); f.IsG {
		argumentError(L, 1, function, "Lua function expected")
	}
	m.weigh(L, callDepth*128+firstRegisters*valueSize)
	create(L)
	thread := L.Get(-1).(*lua.LState)
	thread.SetContext(m)
	return thread
}

// cannotResume is why a coroutine cannot be resumed; "" if it can.
func (m *machine) cannotResume(thread *lua.LState) string {
	switch {
	case thread.Dead:
		return "cannot resume dead coroutine"
	case m.resumed[thread]:
		return "cannot resume non-suspended coroutine"
	}
	return ""
}

// resume runs a coroutine until it yields or ends.
func (m *machine) resume(L, thread *lua.LState, resume lua.LGFunction) int {
	if len(m.resumed) >= resumeDepth {
		L.RaiseError("C stack overflow")
	}
	goCalls := m.goCalls
	m.goCalls = 0
	m.resumed[thread] = true
	ended := false
	defer func() {
		m.goCalls = goCalls
		delete(m.resumed, thread)
		L.G.CurrentThread = L
		thread.Dead = thread.Dead || !ended
	}()
	results := resume(L)
	ended = true
	return results
}

// resumeWrapped is resume for the function that coroutine.wrap has made: errors are thrown on.
func (m *machine) resumeWrapped(L, thread *lua.LState, resume lua.LGFunction) int {
	if problem := m.cannotResume(thread); problem != "" {
		L.RaiseError("%s", problem)
	}
	L.Insert(thread, 1)
	results := m.resume(L, thread, resume)
	if L.Get(-results) == lua.LFalse {
		m.rethrow(L)
	}
	return results - 1
}

// rethrow throws what ended a coroutine. A text gets a place, as in Lua.
func (m *machine) rethrow(L *lua.LState) {
	if s, isText := text(L.Get(-1)); isText && m.stopped == nil {
		m.charge(L, 2*len(s))
		L.RaiseError("%s", s)
	}
	L.Error(L.Get(-1), 0)
}
