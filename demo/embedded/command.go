package embedded

import (
	"fmt"
	"strings"
	"time"
)

// traits of a command, as COMMAND tells them.
type traits uint16

const (
	write traits = 1 << iota
	readOnly
	fast
	noScript     // refused inside Lua
	noAuth       // allowed before AUTH
	subscriberOK // allowed to a subscriber that speaks the older protocol
	noQueue      // runs at once even inside MULTI
	noTouch      // does not count as a use of its keys (OBJECT IDLETIME)
	blocks       // may wait
	unmonitored  // not shown to MONITOR: administration, secrets
	looksItself  // it looks its keys up itself, or not at all
)

// command is a row of the command table.
type command struct {
	name              string // lower case
	arity             int    // words with the name; negative: at least so many
	traits            traits
	first, last, step int // which words are keys, as in COMMAND
	run               handler
}

// handler runs one command. The server is locked.
type handler func(s *Server, c *call)

// call is one command on its way.
type call struct {
	client  *client
	db      *database // the selected one; SELECT changes it
	command *command
	args    []string // the name first
	reply   reply
	script  bool // it comes from Lua
	queued  bool // it comes from EXEC
	waiter  *waiter
	last    bool // the connection ends with the answer
}

// mayWait says whether the client can be made to wait: inside MULTI and Lua, blocking commands give up at once.
func (c *call) mayWait() bool { return !c.script && !c.queued }

func (c *call) unknownSubcommand() {
	c.reply.failure(fmt.Sprintf("ERR unknown subcommand '%.128s'. Try %s HELP.", c.args[1], strings.ToUpper(c.command.name)))
}

func (c *call) wrongArity(name string) {
	c.reply.failure("ERR wrong number of arguments for '" + name + "' command")
}

// keys calls f with every key that the command names, unless it looks them up itself.
func (c *call) keys(f func(key string)) {
	if c.command.first == 0 || c.command.traits&looksItself != 0 {
		return
	}
	last := c.command.last
	if last < 0 {
		last += len(c.args)
	}
	for i := c.command.first; i <= last && i < len(c.args); i += c.command.step {
		f(c.args[i])
	}
}

// find looks the command up and checks the number of its words; a failure is the answer to the client.
func (s *Server) find(args []string) (cmd *command, failure string) {
	cmd = s.commands[strings.ToLower(args[0])]
	if cmd == nil {
		var begin strings.Builder
		for _, arg := range args[1:] {
			if begin.Len() > 128 {
				break
			}
			fmt.Fprintf(&begin, "'%.128s' ", arg)
		}
		return nil, fmt.Sprintf("ERR unknown command '%.128s', with args beginning with: %s", args[0], begin.String())
	}
	if cmd.arity > 0 && len(args) != cmd.arity || len(args) < -cmd.arity {
		return cmd, "ERR wrong number of arguments for '" + cmd.name + "' command"
	}
	return cmd, ""
}

// serve runs one command of a client and queues the answer. A waiter says that the answer is still to come.
func (s *Server) serve(c *client, args []string) *waiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	current := &call{client: c, db: c.db, args: args, reply: reply{resp3: c.resp3}}
	func() {
		defer s.recoverPanic(current)
		s.now = s.wall()
		c.used = s.now
		s.process(current)
	}()
	if s.isClosing() {
		c.output.close() // a server that dies does not answer: this may be a script that was stopped amid its work
	}
	c.output.write(current.reply.data)
	if current.last {
		c.output.end()
	}
	func() {
		defer s.recoverPanic(nil)
		s.serveWaiters()
	}()
	return current.waiter
}

// process refuses, queues or runs a command, in the order of the checks of Redis.
func (s *Server) process(c *call) {
	cmd, failure := s.find(c.args)
	c.command = cmd
	if cmd != nil {
		c.client.lastCommand = statisticsName(c.args, cmd)
	}
	inTransaction := c.client.transaction != nil
	switch {
	case failure != "":
	case s.options.Password != "" && !c.client.authenticated && cmd.traits&noAuth == 0:
		failure = "NOAUTH Authentication required."
	case !c.client.resp3 && c.client.subscriptionCount() > 0 && cmd.traits&subscriberOK == 0:
		failure = fmt.Sprintf("ERR Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context", cmd.name)
	}
	if failure != "" {
		if cmd != nil {
			s.statistics.command(c.client.lastCommand).rejected++
		}
		if inTransaction {
			c.client.transaction.broken = true
		}
		c.reply.failure(failure)
		return
	}
	if inTransaction && cmd.traits&noQueue == 0 {
		c.client.transaction.queue = append(c.client.transaction.queue, c.args)
		c.reply.status("QUEUED")
		return
	}
	s.run(c)
}

// run executes a command that has passed the checks.
func (s *Server) run(c *call) {
	if c.command.runsScript() {
		s.feedMonitors(c) // what the script runs comes after it
	}
	c.keys(func(key string) {
		e := s.lookup(c.db, key)
		switch {
		case e != nil && c.command.traits&noTouch == 0 && !c.client.noTouch:
			e.touched = s.now
		case e == nil && c.command.traits&readOnly != 0:
			s.missed(c.db, key)
		}
	})
	begin := time.Now()
	start := len(c.reply.data)
	c.command.run(s, c)
	if !c.command.runsScript() {
		s.feedMonitors(c)
	}
	s.statistics.count(statisticsName(c.args, c.command), time.Since(begin), answer(c.reply.data[start:]).failed(), s.now)
}

// containers are the commands whose second word names the real command.
var containers = map[string]bool{
	"acl": true, "client": true, "command": true, "config": true, "memory": true, "object": true, "pubsub": true, "script": true,
}

// statisticsName is the command's name in CLIENT LIST and INFO commandstats: "get", "client|list".
func statisticsName(args []string, cmd *command) string {
	if len(args) < 2 || !containers[cmd.name] || len(args[1]) > 32 || !plainName(args[1]) {
		return cmd.name
	}
	return cmd.name + "|" + strings.ToLower(args[1])
}
