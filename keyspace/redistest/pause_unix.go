//go:build unix

package redistest

import "syscall"

// Pause makes the server hang, with its connections open, until Resume.
func (s *Server) Pause() { s.Signal(syscall.SIGSTOP) }

// Resume lets a paused server go on.
func (s *Server) Resume() { s.Signal(syscall.SIGCONT) }
