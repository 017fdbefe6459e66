//go:build !unix

package redistest

// Pause would make the server hang; this system has no signal for that, and the test is skipped.
func (s *Server) Pause() { s.tb.Skip("SKIPPED, NOT PASSED: a process cannot be paused on this system") }

// Resume lets a paused server go on.
func (s *Server) Resume() {}
