package embedded

import (
	"crypto/sha1" //nolint:gosec // the name of a script is its SHA-1
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
)

// script is the Lua script that runs at the moment.
type script struct {
	client  *client
	db      *database
	failure string // what the last failing redis.call answered
}

// evalCommand is EVAL, EVALSHA and their read-only twins. miniredis runs the Lua; each redis.call comes back through
// [Server.callFromScript].
func evalCommand(s *Server, c *call) {
	s.script = &script{client: c.client, db: c.db}
	clear(s.values.scriptDatabases)
	args := slices.Clone(c.args)
	if strings.HasPrefix(c.command.name, "evalsha") {
		args[1] = strings.ToLower(args[1]) // the store knows a hash in this form only
	}
	a := s.values.do(false, c.db.number, c.reply.resp3, args...)
	failure := s.script.failure
	s.script = nil
	hash := args[1]
	if !strings.HasPrefix(c.command.name, "evalsha") {
		sum := sha1.Sum([]byte(c.args[1])) //nolint:gosec // the name of a script is its SHA-1
		hash = hex.EncodeToString(sum[:])
	}
	c.reply.raw(mendScriptError(a, failure, hash))
}

// callFromScript runs one redis.call. The clock stands still while a script runs: no key expires under its hands. The
// name of the command comes in capitals, however the script has written it.
func (s *Server) callFromScript(args []string) answer {
	c := &call{client: s.script.client, db: s.script.db, args: args, script: true}
	func() {
		defer s.recoverPanic(c)
		cmd, failure := s.find(args)
		c.command = cmd
		switch {
		case s.isClosing(): // a script that goes on and on must not keep Close waiting
			c.reply.failure("ERR the server is shutting down")
		case cmd == nil:
			c.reply.failure(failure)
		case failure != "":
			c.reply.failure("ERR Wrong number of args calling Redis command from script")
		case cmd.traits&noScript != 0:
			c.reply.failure("ERR This Redis command is not allowed from script")
		default:
			s.run(c)
		}
	}()
	s.script.db = c.db
	if a := answer(c.reply.data); a.failed() {
		s.script.failure = string(a[1 : len(a)-2])
	}
	return c.reply.data
}

// What miniredis makes of every error in a script. An error of a script that runs is followed by a trace, which gives the
// line of the script, and may begin with a place of its own.
const scriptErrorPrefix = "-ERR Error compiling script (new function): "

var (
	scriptTrace = regexp.MustCompile(`\s*stack traceback:.*`)
	scriptLine  = regexp.MustCompile(`:(\d+): in main chunk`)
	scriptPlace = regexp.MustCompile(`^:\d+: `)
)

// mendScriptError words an error of a running script as Redis does: the code of a failed redis.call comes first, because
// clients look at it. An error of the compiler stays as it is.
func mendScriptError(a answer, failure, hash string) answer {
	text, isError := strings.CutPrefix(string(a), scriptErrorPrefix)
	if !isError {
		return a
	}
	line := scriptLine.FindStringSubmatch(text)
	if line == nil {
		return a
	}
	text = scriptTrace.ReplaceAllString(strings.TrimSuffix(text, "\r\n"), "")
	place := "user_script:" + line[1]
	r := reply{}
	switch {
	case failure != "" && strings.Contains(text, failure):
		text = failure
	case strings.Contains(text, "Unknown Redis command called from script"): // the interpreter has worded it anew
		text = "ERR Unknown Redis command called from script"
	default:
		text = "ERR " + place + ": " + scriptPlace.ReplaceAllString(text, "")
	}
	r.failure(text + " script: " + hash + ", on @" + place + ".")
	return r.data
}

func scriptCommand(s *Server, c *call) {
	switch sub := strings.ToLower(c.args[1]); {
	case sub == "exists" && len(c.args) > 2:
		hashes := strings.Split(strings.ToLower(strings.Join(c.args[2:], " ")), " ")
		s.forward(c, append([]string{"SCRIPT", "EXISTS"}, hashes...)...)
	case sub == "load" && len(c.args) == 3, sub == "flush":
		s.forward(c, c.args...)
	case sub == "kill":
		c.reply.failure("NOTBUSY No scripts in execution right now.")
	case sub == "load" || sub == "exists":
		c.wrongArity("script|" + sub)
	default:
		c.unknownSubcommand()
	}
}
