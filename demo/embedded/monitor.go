package embedded

import (
	"fmt"
	"strings"
)

func monitorCommand(s *Server, c *call) {
	if !c.client.monitoring {
		c.client.monitoring = true
		s.monitors = append(s.monitors, c.client)
	}
	c.reply.ok()
}

// runsScript says whether a command runs a script.
func (cmd *command) runsScript() bool { return strings.HasPrefix(cmd.name, "eval") }

// clientAdministration are the parts of CLIENT that MONITOR does not show.
var clientAdministration = map[string]bool{"list": true, "kill": true, "no-evict": true, "unblock": true}

// feedMonitors tells those who monitor what has run, or of a script that it is about to, in the form of Redis: no administration, no
// secrets, the commands of a script with the address "lua".
func (s *Server) feedMonitors(c *call) {
	switch {
	case len(s.monitors) == 0, c.command.traits&unmonitored != 0:
		return
	case c.command.name == "client" && clientAdministration[strings.ToLower(c.args[1])]:
		return
	}
	from := c.client.conn.RemoteAddr().String()
	switch {
	case c.script:
		from = "lua"
	case c.client.conn.RemoteAddr().Network() == "unix":
		from = "unix:" + s.Addr()
	}
	line := fmt.Appendf(nil, "+%d.%06d [%d %s]", s.now.Unix(), s.now.Nanosecond()/1000, c.db.number, from)
	for _, arg := range c.args {
		line = append(line, ' ')
		line = appendQuoted(line, arg)
	}
	line = append(line, '\r', '\n')
	for _, monitor := range s.monitors {
		monitor.output.push(line)
	}
}

// appendQuoted writes a word as MONITOR does: every byte that is not printable ASCII is escaped.
func appendQuoted(to []byte, word string) []byte {
	to = append(to, '"')
	for i := range len(word) {
		switch c := word[i]; c {
		case '\\', '"':
			to = append(to, '\\', c)
		case '\n':
			to = append(to, `\n`...)
		case '\r':
			to = append(to, `\r`...)
		case '\t':
			to = append(to, `\t`...)
		case '\a':
			to = append(to, `\a`...)
		case '\b':
			to = append(to, `\b`...)
		default:
			if c < ' ' || c > '~' {
				to = fmt.Appendf(to, `\x%02x`, c)
			} else {
				to = append(to, c)
			}
		}
	}
	return append(to, '"')
}
