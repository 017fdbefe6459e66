package embedded

import (
	"crypto/subtle"
	"strings"
)

// The version that the server claims: the oldest of the 7.0 line, whose commands and events it follows.
const redisVersion = "7.0.0"

const (
	errorPassword = "WRONGPASS invalid username-password pair or user is disabled."
	errorDisabled = "ERR This instance has cluster support disabled"
)

func (s *Server) authenticate(c *client, user, password string) bool {
	right := user == "default" &&
		(s.options.Password == "" || subtle.ConstantTimeCompare([]byte(password), []byte(s.options.Password)) == 1)
	c.authenticated = c.authenticated || right
	return right
}

func authCommand(s *Server, c *call) {
	user := "default"
	switch {
	case len(c.args) > 3:
		c.reply.failure(errorSyntax)
		return
	case len(c.args) == 3:
		user = c.args[1]
	case s.options.Password == "":
		c.reply.failure("ERR AUTH <password> called without any password configured for the default user. " +
			"Are you sure your configuration is correct?")
		return
	}
	if !s.authenticate(c.client, user, c.args[len(c.args)-1]) {
		c.reply.failure(errorPassword)
		return
	}
	c.reply.ok()
}

func helloCommand(s *Server, c *call) {
	resp3, args := c.client.resp3, c.args[1:]
	if len(args) > 0 {
		switch args[0] {
		case "2", "3":
			resp3 = args[0] == "3"
		default:
			c.reply.failure("NOPROTO unsupported protocol version")
			return
		}
		args = args[1:]
	}
	name, named := "", false
	for len(args) > 0 {
		switch {
		case strings.EqualFold(args[0], "AUTH") && len(args) >= 3:
			if !s.authenticate(c.client, args[1], args[2]) {
				c.reply.failure(errorPassword)
				return
			}
			args = args[3:]
		case strings.EqualFold(args[0], "SETNAME") && len(args) >= 2:
			name, named = args[1], true
			if !plainName(name) {
				c.setName(name)
				return
			}
			args = args[2:]
		default:
			c.reply.failure("ERR Syntax error in HELLO option '" + args[0] + "'")
			return
		}
	}
	if s.options.Password != "" && !c.client.authenticated {
		c.reply.failure("NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO " +
			"AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time")
		return
	}
	if named {
		c.client.name = name
	}
	c.client.resp3, c.reply.resp3 = resp3, resp3
	c.reply.mapping(7)
	c.reply.bulk("server")
	c.reply.bulk("redis")
	c.reply.bulk("version")
	c.reply.bulk(redisVersion)
	c.reply.bulk("proto")
	if resp3 {
		c.reply.integer(3)
	} else {
		c.reply.integer(2)
	}
	c.reply.bulk("id")
	c.reply.integer(c.client.id)
	c.reply.bulk("mode")
	c.reply.bulk("standalone")
	c.reply.bulk("role")
	c.reply.bulk("master")
	c.reply.bulk("modules")
	c.reply.array(0)
}

func pingCommand(_ *Server, c *call) {
	text := ""
	switch len(c.args) {
	case 1:
	case 2:
		text = c.args[1]
	default:
		c.wrongArity("ping")
		return
	}
	switch {
	case c.client.subscriptionCount() > 0 && !c.reply.resp3:
		c.reply.bulks("pong", text)
	case len(c.args) == 2:
		c.reply.bulk(text)
	default:
		c.reply.status("PONG")
	}
}

func echoCommand(_ *Server, c *call) { c.reply.bulk(c.args[1]) }

func selectCommand(s *Server, c *call) {
	n, failure := databaseNumber(c.args[1])
	if failure != "" {
		c.reply.failure(failure)
		return
	}
	c.db = s.databases[n]
	if !c.script {
		c.client.db = c.db
	}
	c.reply.ok()
}

func quitCommand(_ *Server, c *call) {
	c.reply.ok()
	c.last = true
}

// resetCommand is RESET: the connection is as if it were new.
func resetCommand(s *Server, c *call) {
	s.resetClient(c.client)
	c.client.db, c.client.name = s.databases[0], ""
	c.client.resp3, c.client.authenticated, c.client.noTouch, c.client.noEvict = false, false, false, false
	c.db, c.reply.resp3 = c.client.db, false
	c.reply.status("RESET")
}

func roleCommand(_ *Server, c *call) {
	c.reply.array(3)
	c.reply.bulk("master")
	c.reply.integer(0)
	c.reply.array(0)
}

// waitCommand is WAIT: there is no replica, so none has the write.
func waitCommand(_ *Server, c *call) { c.reply.integer(0) }

func clusterCommand(_ *Server, c *call) { c.reply.failure(errorDisabled) }

func aclCommand(_ *Server, c *call) {
	if len(c.args) == 2 && strings.EqualFold(c.args[1], "whoami") {
		c.reply.bulk("default")
		return
	}
	c.unknownSubcommand()
}
