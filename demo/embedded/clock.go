package embedded

import "time"

// wall is what the clock of this server shows. Whatever a real server would ask its machine's clock for comes from here;
// how long something takes (the patience of BLPOP, the uptime) does not. The server is locked.
func (s *Server) wall() time.Time { return time.Now().Add(s.ahead) }

// Jump sets the clock of this server forward by so much, or back, as an operator or NTP does on a machine. TIME, also
// inside Lua, what is left of a TTL and what EXPIREAT means follow at once. A key whose deadline is over by that expires
// like any other: it is gone for every command, and announced when one names it or after [Options].ReapDelay.
func (s *Server) Jump(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead += d
	s.wakeReaper()
}
