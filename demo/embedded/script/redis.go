package script

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// redisConstants are the levels of redis.log and the flags of redis.set_repl.
var redisConstants = map[string]lua.LNumber{
	"LOG_DEBUG": 0, "LOG_VERBOSE": 1, "LOG_NOTICE": 2, "LOG_WARNING": 3,
	"REPL_NONE": 0, "REPL_AOF": 1, "REPL_SLAVE": 2, "REPL_REPLICA": 2, "REPL_ALL": 3,
}

// openRedis makes the library by which a script reaches the server. There is no log, no replica and
// no debugger: what would act on them does nothing.
func (m *machine) openRedis() {
	var major, minor, patch int
	if _, err := fmt.Sscanf(m.engine.Version, "%d.%d.%d", &major, &minor, &patch); err != nil {
		major = 0 // an engine without a version is none of Redis
	}
	values := map[string]lua.LValue{
		"REDIS_VERSION":     lua.LString(m.engine.Version),
		"REDIS_VERSION_NUM": lua.LNumber(major<<16 | minor<<8 | patch),
	}
	for name, value := range redisConstants {
		values[name] = value
	}
	nothing := func(*lua.LState) int { return 0 }
	m.library("redis", map[string]lua.LGFunction{
		"call":  func(L *lua.LState) int { return m.callRedis(L, false) },
		"pcall": func(L *lua.LState) int { return m.callRedis(L, true) },
		"error_reply": func(L *lua.LState) int {
			L.Push(m.errorReply(L))
			return 1
		},
		"status_reply": func(L *lua.LState) int {
			if L.GetTop() != 1 || L.Get(1).Type() != lua.LTString {
				L.Push(m.errorTable("ERR wrong number or type of arguments"))
				return 1
			}
			L.Push(m.table(map[string]lua.LValue{"ok": L.Get(1)}))
			return 1
		},
		"sha1hex": func(L *lua.LState) int {
			if L.GetTop() != 1 {
				m.throwReply(L, "ERR wrong number of arguments")
			}
			s, _ := text(L.Get(1)) // as in Redis, what is no text is empty
			L.Push(lua.LString(Hash(s)))
			return 1
		},
		"log":     m.log,
		"setresp": m.setRESP,
		"set_repl": func(L *lua.LState) int {
			if L.GetTop() != 1 {
				m.throwReply(L, "ERR redis.set_repl() requires two arguments.") // the words of Redis
			}
			if flags, _ := number(L.Get(1)); flags < 0 || flags > 3 {
				m.throwReply(L, "ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.")
			}
			return 0
		},
		"replicate_commands": func(L *lua.LState) int {
			L.Push(lua.LTrue)
			return 1
		},
		"breakpoint": func(L *lua.LState) int {
			L.Push(lua.LFalse)
			return 1
		},
		"debug": nothing,
		"acl_check_cmd": func(L *lua.LState) int {
			words, problem := m.words(L)
			if problem == "" && m.engine.Known != nil && !m.engine.Known(words[0]) {
				problem = "ERR Invalid command passed to redis.acl_check_cmd()"
			}
			if problem != "" {
				m.throwReply(L, problem)
			}
			L.Push(lua.LTrue)
			return 1
		},
	}, values)
}

// errorTable is an error as scripts see it.
func (m *machine) errorTable(text string) *lua.LTable {
	return m.table(map[string]lua.LValue{"err": lua.LString(text), "ignore_error_stats_update": lua.LTrue})
}

// throwReply throws an error, without a place.
func (m *machine) throwReply(L *lua.LState, text string) { L.Error(m.errorTable(text), 0) }

// words are the arguments of redis.call, or what is wrong with them.
func (m *machine) words(L *lua.LState) (words []string, problem string) {
	if L.GetTop() == 0 {
		return nil, "ERR Please specify at least one argument for this redis lib call"
	}
	words = make([]string, L.GetTop())
	for i := range words {
		switch v := L.Get(i + 1).(type) {
		case lua.LString:
			words[i] = string(v)
		case lua.LNumber:
			words[i] = formatNumber(float64(v), exactDigits)
		default:
			return nil, "ERR Lua redis lib command arguments must be strings or integers"
		}
		m.charge(L, len(words[i]))
	}
	return words, ""
}

// callRedis is redis.call, or redis.pcall, whose errors are results.
func (m *machine) callRedis(L *lua.LState, protected bool) int {
	words, problem := m.words(L)
	var answer []byte
	if problem == "" {
		m.weigh(L, weighEvery) // a command can add much with few words: SETRANGE, SUNIONSTORE
		answer = m.request.Call(words, m.resp3)
		m.charge(L, len(answer))
		if answer[0] == '-' {
			problem = errorWords(answer)
		}
	}
	switch {
	case problem == "":
		L.Push(m.decode(L, answer))
	case protected:
		L.Push(m.errorTable(problem))
	default:
		m.throwReply(L, problem)
	}
	return 1
}

// errorReply makes an error of a text. Without a code it gets one.
func (m *machine) errorReply(L *lua.LState) *lua.LTable {
	s, isString := L.Get(1).(lua.LString)
	if L.GetTop() != 1 || !isString {
		return m.errorTable("ERR wrong number or type of arguments")
	}
	message := strings.TrimRight(strings.TrimPrefix(string(s), "-"), "\r\n")
	if !strings.Contains(message, " ") {
		message = "ERR " + message
	}
	m.charge(L, len(message))
	return m.errorTable(message)
}

// log checks its arguments as Redis does, and writes nothing: the server belongs to a program that
// has the terminal for itself.
func (m *machine) log(L *lua.LState) int {
	level, isNumber := L.Get(1).(lua.LNumber)
	switch {
	case L.GetTop() < 2:
		m.throwReply(L, "ERR redis.log() requires two arguments or more.")
	case !isNumber:
		m.throwReply(L, "ERR First argument must be a number (log level).")
	case level < 0 || level > 3:
		m.throwReply(L, "ERR Invalid debug level.")
	}
	return 0
}

func (m *machine) setRESP(L *lua.LState) int {
	if L.GetTop() != 1 {
		m.throwReply(L, "ERR redis.setresp() requires one argument.")
	}
	version, _ := number(L.Get(1))
	if version != 2 && version != 3 {
		m.throwReply(L, "ERR RESP version must be 2 or 3.")
	}
	m.resp3 = version == 3
	return 0
}
