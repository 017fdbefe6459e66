package script

import (
	"sort"

	lua "github.com/yuin/gopher-lua"
)

func (m *machine) openTable() {
	m.library("table", map[string]lua.LGFunction{
		"concat": m.join, "foreach": m.forEach, "foreachi": m.forEachIndex, "insert": m.insert, "remove": m.remove, "sort": m.sort,
		"getn": func(L *lua.LState) int {
			L.Push(lua.LNumber(tableArgument(L, "getn").Len()))
			return 1
		},
		"maxn": func(L *lua.LState) int {
			highest := lua.LNumber(0)
			m.contents(tableArgument(L, "maxn")).ForEach(func(key, _ lua.LValue) {
				if n, isNumber := key.(lua.LNumber); isNumber {
					highest = max(highest, n)
				}
			})
			L.Push(highest)
			return 1
		},
		"setn": func(L *lua.LState) int {
			L.RaiseError("'setn' is obsolete")
			return 0
		},
	}, nil)
}

// join is table.concat.
func (m *machine) join(L *lua.LState) int {
	t := tableArgument(L, "concat")
	separator := ""
	if L.Get(2) != lua.LNil {
		separator = stringArgument(L, 2, "concat")
	}
	first, last := optionalInt(L, 3, "concat", 1), 0
	if L.Get(4) == lua.LNil {
		last = t.Len()
	} else {
		last = intArgument(L, 4, "concat")
	}
	result := builder{m: m, L: L}
	for i := first; i <= last; i++ {
		m.tick(L)
		piece, isText := text(t.RawGet(lua.LNumber(i)))
		if !isText {
			L.RaiseError("invalid value (%s) at index %d in table for 'concat'", t.RawGet(lua.LNumber(i)).Type(), i)
		}
		result.add(piece)
		if i < last {
			result.add(separator)
		}
	}
	result.push()
	return 1
}

// forEach is table.foreach, which ends with the first result that is not nil.
func (m *machine) forEach(L *lua.LState) int {
	t, function := m.contents(tableArgument(L, "foreach")), functionArgument(L, 2, "foreach")
	for key := lua.LNil; ; {
		m.tick(L)
		var value lua.LValue
		if key, value = t.Next(key); key == lua.LNil {
			return 0
		}
		if result := m.invoke(L, function, key, value); result != lua.LNil {
			L.Push(result)
			return 1
		}
	}
}

func (m *machine) forEachIndex(L *lua.LState) int {
	t, function := tableArgument(L, "foreachi"), functionArgument(L, 2, "foreachi")
	for i := 1; i <= t.Len(); i++ {
		m.tick(L)
		if result := m.invoke(L, function, lua.LNumber(i), t.RawGetInt(i)); result != lua.LNil {
			L.Push(result)
			return 1
		}
	}
	return 0
}

func (m *machine) insert(L *lua.LState) int {
	t := m.writable(L, "insert")
	end := t.Len() + 1
	switch L.GetTop() {
	case 2:
		m.weighIndex(L, lua.LNumber(end))
		t.RawSet(lua.LNumber(end), L.Get(2))
	case 3:
		at := intArgument(L, 2, "insert")
		m.weighIndex(L, lua.LNumber(max(at, end)))
		if at < 1 || at >= end {
			t.RawSet(lua.LNumber(at), L.Get(3))
		} else {
			t.Insert(at, L.Get(3))
		}
	default:
		L.RaiseError("wrong number of arguments to 'insert'")
	}
	return 0
}

func (m *machine) remove(L *lua.LState) int {
	t := m.writable(L, "remove")
	length := t.Len()
	at := optionalInt(L, 2, "remove", length)
	if at < 1 || at > length {
		return 0
	}
	L.Push(t.Remove(at))
	return 1
}

// sorter sorts a copy of an array: the comparison may change the array itself.
type sorter struct {
	m      *machine
	L      *lua.LState
	values []lua.LValue
	less   *lua.LFunction // nil is "<"
}

func (s *sorter) Len() int      { return len(s.values) }
func (s *sorter) Swap(i, j int) { s.values[i], s.values[j] = s.values[j], s.values[i] }

func (s *sorter) Less(i, j int) bool {
	s.m.tick(s.L)
	if s.less != nil {
		return lua.LVAsBool(s.m.invoke(s.L, s.less, s.values[i], s.values[j]))
	}
	if a, b := s.values[i].Type(), s.values[j].Type(); a != b {
		s.L.Error(lua.LString("attempt to compare "+a.String()+" with "+b.String()), 0)
	}
	s.m.goCalls++
	defer func() { s.m.goCalls-- }()
	return s.L.LessThan(s.values[i], s.values[j])
}

func (m *machine) sort(L *lua.LState) int {
	t := m.writable(L, "sort")
	s := &sorter{m: m, L: L}
	if L.Get(2) != lua.LNil {
		s.less = functionArgument(L, 2, "sort")
	}
	m.weigh(L, t.Len()*valueSize)
	s.values = make([]lua.LValue, t.Len())
	for i := range s.values {
		s.values[i] = t.RawGetInt(i + 1)
	}
	sort.Sort(s)
	for i, value := range s.values {
		t.RawSetInt(i+1, value)
	}
	return 0
}
