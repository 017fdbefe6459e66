package embedded

// transaction is what a client queued since MULTI.
type transaction struct {
	queue  [][]string
	broken bool // a command was refused, so EXEC will be too
}

// watchedKey is a key in one database.
type watchedKey struct {
	database int
	key      string
}

func multiCommand(_ *Server, c *call) {
	if c.client.transaction != nil {
		c.reply.failure("ERR MULTI calls can not be nested")
		return
	}
	c.client.transaction = &transaction{}
	c.reply.ok()
}

func discardCommand(s *Server, c *call) {
	if c.client.transaction == nil {
		c.reply.failure("ERR DISCARD without MULTI")
		return
	}
	s.endTransaction(c.client)
	c.reply.ok()
}

func execCommand(s *Server, c *call) {
	t := c.client.transaction
	if t == nil {
		c.reply.failure("ERR EXEC without MULTI")
		return
	}
	changed := c.client.watchBroken
	for key, wasExpired := range c.client.watched {
		changed = changed || !wasExpired && s.isExpired(key) // also where nobody has removed it yet
	}
	s.endTransaction(c.client)
	switch {
	case t.broken:
		c.reply.failure("EXECABORT Transaction discarded because of previous errors.")
		return
	case changed:
		c.reply.nullArray()
		return
	}
	c.reply.array(len(t.queue))
	for _, args := range t.queue {
		s.now = s.wall()
		queued := &call{client: c.client, db: c.client.db, args: args, queued: true, reply: reply{resp3: c.client.resp3}}
		queued.command, _ = s.find(args) // it was checked when it was queued
		s.run(queued)
		c.reply.data = append(c.reply.data, queued.reply.data...)
	}
	c.db = c.client.db
}

func (s *Server) endTransaction(c *client) {
	c.transaction = nil
	s.unwatch(c)
}

func watchCommand(s *Server, c *call) {
	if c.client.transaction != nil {
		c.reply.failure("ERR WATCH inside MULTI is not allowed")
		return
	}
	for _, key := range c.args[1:] {
		watched := watchedKey{c.db.number, key}
		if s.watchers[watched] == nil {
			s.watchers[watched] = map[*client]bool{}
		}
		s.watchers[watched][c.client] = true
		if _, again := c.client.watched[watched]; !again {
			c.client.watched[watched] = s.isExpired(watched)
		}
	}
	c.reply.ok()
}

func (s *Server) isExpired(key watchedKey) bool {
	e := s.databases[key.database].keys[key.key]
	return e != nil && e.expired(s.now.UnixMilli())
}

func unwatchCommand(s *Server, c *call) {
	s.unwatch(c.client)
	c.reply.ok()
}

func (s *Server) unwatch(c *client) {
	for key := range c.watched {
		delete(s.watchers[key], c)
		if len(s.watchers[key]) == 0 {
			delete(s.watchers, key)
		}
	}
	clear(c.watched)
	c.watchBroken = false
}

// touch breaks the transactions of those who watch the key, except that the end of a key is nothing new to those who have
// watched it only after its deadline.
func (s *Server) touch(database int, key string) {
	watched := watchedKey{database, key}
	for c := range s.watchers[watched] {
		if c.watched[watched] && s.databases[database].keys[key] == nil {
			c.watched[watched] = false
			continue
		}
		c.watchBroken = true
	}
}
