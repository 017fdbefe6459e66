package embedded

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

func clientCommand(s *Server, c *call) {
	sub, args := strings.ToLower(c.args[1]), c.args[2:]
	arity, known := map[string]int{
		"id": 0, "getname": 0, "setname": 1, "setinfo": 2, "no-touch": 1, "no-evict": 1, "info": 0, "list": -1, "kill": -1,
		"getredir": 0, "unblock": -1,
	}[sub]
	switch {
	case !known:
		// Among them is TRACKING: it is answered as by a server from before it, so that clients fall back.
		c.unknownSubcommand()
		return
	case arity >= 0 && len(args) != arity:
		c.wrongArity("client|" + sub)
		return
	}
	switch sub {
	case "id":
		c.reply.integer(c.client.id)
	case "getname":
		if c.client.name == "" {
			c.reply.null()
			return
		}
		c.reply.bulk(c.client.name)
	case "setname":
		c.setName(args[0])
	case "setinfo":
		c.setLibrary(args[0], args[1])
	case "no-touch":
		c.onOrOff(args[0], &c.client.noTouch)
	case "no-evict":
		c.onOrOff(args[0], &c.client.noEvict)
	case "info":
		c.reply.verbatim(s.describe(c.client) + "\n")
	case "list":
		s.listClients(c, args)
	case "kill":
		s.killClients(c, args)
	case "getredir":
		c.reply.integer(-1)
	case "unblock":
		s.unblockClient(c, args)
	}
}

// plainName says that a text fits into a field of CLIENT LIST: no blanks, nothing that is not printable ASCII.
func plainName(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < '!' || r > '~' })
}

func (c *call) setName(name string) {
	if !plainName(name) {
		c.reply.failure("ERR Client names cannot contain spaces, newlines or special characters.")
		return
	}
	c.client.name = name
	c.reply.ok()
}

func (c *call) setLibrary(field, value string) {
	if !plainName(value) {
		c.reply.failure("ERR " + strings.ToLower(field) + " cannot contain spaces, newlines or special characters.")
		return
	}
	switch strings.ToLower(field) {
	case "lib-name":
		c.client.library = value
	case "lib-ver":
		c.client.libraryIs = value
	default:
		c.reply.failure("ERR Unrecognized option '" + field + "'")
		return
	}
	c.reply.ok()
}

func (c *call) onOrOff(word string, flag *bool) {
	switch strings.ToLower(word) {
	case "on":
		*flag = true
	case "off":
		*flag = false
	default:
		c.reply.failure(errorSyntax)
		return
	}
	c.reply.ok()
}

// describe is the client's line of CLIENT LIST: of the fields of Redis 7.0 those that this server has a value for, and the
// library's name of 7.2.
func (s *Server) describe(c *client) string {
	flags := ""
	if c.monitoring {
		flags += "O"
	}
	if c.subscriptionCount() > 0 {
		flags += "P"
	}
	multi := -1
	if c.transaction != nil {
		flags += "x"
		multi = len(c.transaction.queue)
	}
	if c.waiter != nil {
		flags += "b"
	}
	if c.watchBroken {
		flags += "d"
	}
	if c.conn.LocalAddr().Network() == "unix" {
		flags += "U"
	}
	if c.noEvict {
		flags += "e"
	}
	if c.noTouch {
		flags += "T"
	}
	resp := 2
	if c.resp3 {
		resp = 3
	}
	return fmt.Sprintf("id=%d addr=%s laddr=%s name=%s age=%d idle=%d flags=%s db=%d sub=%d psub=%d ssub=0 multi=%d omem=%d "+
		"cmd=%s user=default redir=-1 resp=%d lib-name=%s lib-ver=%s",
		c.id, s.address(c.conn.RemoteAddr()), s.address(c.conn.LocalAddr()), c.name, int64(s.now.Sub(c.since)/time.Second),
		int64(s.now.Sub(c.used)/time.Second), cmp.Or(flags, "N"), c.db.number, len(c.channels), len(c.patterns), multi,
		c.output.queued(), cmp.Or(c.lastCommand, "NULL"), resp, c.library, c.libraryIs)
}

// kind is what CLIENT LIST TYPE and CLIENT KILL TYPE select by.
func (c *client) kind() string {
	if c.subscriptionCount() > 0 {
		return "pubsub"
	}
	return "normal"
}

// byAge lists the clients, the oldest first.
func (s *Server) byAge() []*client {
	return slices.SortedFunc(maps.Values(s.clients), func(a, b *client) int { return cmp.Compare(a.id, b.id) })
}

func (s *Server) listClients(c *call, args []string) {
	chosen := func(*client) bool { return true }
	switch {
	case len(args) == 0:
	case len(args) == 2 && strings.EqualFold(args[0], "type"):
		chosen = func(other *client) bool { return other.kind() == strings.ToLower(args[1]) }
	case len(args) > 1 && strings.EqualFold(args[0], "id"):
		for _, id := range args[1:] {
			if n, err := strconv.ParseInt(id, 10, 64); err != nil || n < 1 {
				c.reply.failure("ERR Invalid client ID")
				return
			}
		}
		chosen = func(other *client) bool { return slices.Contains(args[1:], strconv.FormatInt(other.id, 10)) }
	default:
		c.reply.failure(errorSyntax)
		return
	}
	var list strings.Builder
	for _, other := range s.byAge() {
		if chosen(other) {
			list.WriteString(s.describe(other) + "\n")
		}
	}
	c.reply.verbatim(list.String())
}

func (s *Server) killClients(c *call, args []string) {
	if len(args) == 1 { // the old form: an address, and an error where there is nobody
		for _, other := range s.clients {
			if s.address(other.conn.RemoteAddr()) == args[0] {
				s.kill(c, other)
				c.reply.ok()
				return
			}
		}
		c.reply.failure("ERR No such client")
		return
	}
	if len(args) == 0 || len(args)%2 != 0 {
		c.reply.failure(errorSyntax)
		return
	}
	skipMe := true
	filters := []func(*client) bool{}
	for i := 0; i < len(args); i += 2 {
		value := args[i+1]
		switch strings.ToLower(args[i]) {
		case "id":
			filters = append(filters, func(other *client) bool { return strconv.FormatInt(other.id, 10) == value })
		case "addr":
			filters = append(filters, func(other *client) bool { return s.address(other.conn.RemoteAddr()) == value })
		case "laddr":
			filters = append(filters, func(other *client) bool { return s.address(other.conn.LocalAddr()) == value })
		case "type":
			filters = append(filters, func(other *client) bool { return other.kind() == strings.ToLower(value) })
		case "user":
			filters = append(filters, func(*client) bool { return value == "default" })
		case "skipme":
			skipMe = strings.EqualFold(value, "yes")
			if !skipMe && !strings.EqualFold(value, "no") {
				c.reply.failure(errorSyntax)
				return
			}
		default:
			c.reply.failure(errorSyntax)
			return
		}
	}
	killed := int64(0)
	for _, other := range s.byAge() {
		if skipMe && other == c.client {
			continue
		}
		if !slices.ContainsFunc(filters, func(f func(*client) bool) bool { return !f(other) }) {
			s.kill(c, other)
			killed++
		}
	}
	c.reply.integer(killed)
}

// kill drops a connection; the killer's own gets its answer first.
func (s *Server) kill(c *call, other *client) {
	if other == c.client {
		c.last = true
		return
	}
	other.output.close()
	s.unsubscribeAll(other) // its own goroutine may take a moment to see it
}

// unblockClient is CLIENT UNBLOCK: the waiting client gets the answer that it would get when its time is over.
func (s *Server) unblockClient(c *call, args []string) {
	asError := len(args) == 2 && strings.EqualFold(args[1], "error")
	id, err := strconv.ParseInt(append(args, "")[0], 10, 64)
	if err != nil || len(args) > 2 || len(args) == 2 && !asError && !strings.EqualFold(args[1], "timeout") {
		c.reply.failure(errorSyntax)
		return
	}
	other := s.clients[id]
	if other == nil || other.waiter == nil {
		c.reply.integer(0)
		return
	}
	r := reply{resp3: other.resp3}
	if asError {
		r.failure("UNBLOCKED client unblocked via CLIENT UNBLOCK")
	} else {
		other.waiter.nothing(&r)
	}
	other.output.write(r.data)
	s.endWait(other.waiter)
	c.reply.integer(1)
}
