package embedded

import (
	"slices"
	"strconv"
	"strings"

	"locktop/demo/embedded/script"
)

// runningScript is the Lua script that runs at the moment.
type runningScript struct {
	client   *client
	db       *database
	readOnly bool // it was called by EVAL_RO or EVALSHA_RO
}

const (
	errorNoScript = "NOSCRIPT No matching script. Please use EVAL."
	hashLength    = 40
)

// evalCommand is EVAL, EVALSHA and their read-only twins.
func evalCommand(s *Server, c *call) {
	bySHA := strings.HasPrefix(c.command.name, "evalsha")
	keys, args, failure := scriptArguments(c.args)
	if bySHA && len(c.args[1]) != hashLength {
		failure = errorNoScript
	}
	if failure != "" {
		c.reply.failure(failure)
		return
	}
	var program *script.Program
	if bySHA {
		program = s.programs.Get(strings.ToLower(c.args[1]))
		if program == nil {
			c.reply.failure(errorNoScript)
			return
		}
	} else if program = s.loadScript(c, c.args[1]); program == nil {
		return
	}
	s.script = &runningScript{client: c.client, db: c.db, readOnly: c.command.traits&readOnly != 0}
	c.reply.raw(s.engine.Run(script.Request{
		Program: program, Keys: keys, Args: args, RESP3: c.reply.resp3, Call: s.callFromScript,
	}))
	s.script = nil
}

// scriptArguments are what follows the script: the number of keys, the keys, and the rest.
func scriptArguments(words []string) (keys, args []string, failure string) {
	n, ok := integer(words[2])
	switch rest := words[3:]; {
	case !ok:
		return nil, nil, errorNotInteger
	case n > int64(len(rest)):
		return nil, nil, "ERR Number of keys can't be greater than number of args"
	case n < 0:
		return nil, nil, "ERR Number of keys can't be negative"
	default:
		return rest[:n], rest[n:], ""
	}
}

// loadScript compiles a script; nil if it is none, which the client has been told.
func (s *Server) loadScript(c *call, text string) *script.Program {
	program, err := s.programs.Load(text)
	if err != nil {
		c.reply.failure("ERR Error compiling script (new function): " + err.Error())
		return nil
	}
	return program
}

// callFromScript runs one redis.call. The clock stands still while a script runs: no key expires
// under its hands. MONITOR and the answer know the command as the script has written it.
func (s *Server) callFromScript(args []string, resp3 bool) []byte {
	running := s.script
	c := &call{client: running.client, db: running.db, args: args, script: true, reply: reply{resp3: resp3}}
	func() {
		defer s.recoverPanic(c)
		cmd, failure := s.find(args)
		c.command = cmd
		switch {
		case cmd == nil:
			c.reply.failure("ERR Unknown Redis command called from script")
		case failure != "":
			c.reply.failure("ERR Wrong number of args calling Redis command from script")
		case cmd.traits&noScript != 0:
			c.reply.failure("ERR This Redis command is not allowed from script")
		case running.readOnly && (cmd.traits&write != 0 || cmd.name == "publish"):
			c.reply.failure("ERR Write commands are not allowed from read-only scripts.")
		default:
			s.run(c)
		}
	}()
	running.db = c.db
	return c.reply.data
}

// knowsCommand is what redis.acl_check_cmd asks.
func (s *Server) knowsCommand(name string) bool { return s.commands[strings.ToLower(name)] != nil }

func scriptCommand(s *Server, c *call) {
	args := c.args[2:]
	switch sub := strings.ToLower(c.args[1]); {
	case sub == "exists" && len(args) > 0:
		c.reply.array(len(args))
		for _, hash := range args {
			c.reply.boolean(s.programs.Get(strings.ToLower(hash)) != nil)
		}
	case sub == "load" && len(args) == 1:
		if program := s.loadScript(c, args[0]); program != nil {
			c.reply.bulk(program.SHA)
		}
	case sub == "flush" && (len(args) == 0 || len(args) == 1 && slices.Contains([]string{"async", "sync"}, strings.ToLower(args[0]))):
		s.programs.Flush()
		c.reply.ok()
	case sub == "flush":
		c.reply.failure("ERR SCRIPT FLUSH only support SYNC|ASYNC option")
	case sub == "kill":
		c.reply.failure("NOTBUSY No scripts in execution right now.")
	case sub == "load" || sub == "exists":
		c.wrongArity("script|" + sub)
	default:
		c.unknownSubcommand()
	}
}

// busySetting is how long a script may run, in milliseconds, as Redis calls the time after which it
// answers BUSY.
func (s *Server) busySetting() string { return strconv.FormatInt(s.engine.Time.Milliseconds(), 10) }
