// Package redistest starts real Redis servers for tests: on free loopback ports, without persistence, each in a
// directory of its own, stopped by process id when the test ends, and by the kernel if the test binary dies first (Linux).
//
// Where no redis-server is on PATH the test is skipped loudly, and fails instead if LOCKTOP_REQUIRE_REDIS=1.
package redistest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Flags are the notify-keyspace-events letters that locktop needs, spelt out because "A" would hide n.
const Flags = "Kg$hzxen"

// Server is a redis-server process.
type Server struct {
	// Addr is its "127.0.0.1:port", the same after a Restart; Socket is its unix socket.
	Addr, Socket string

	tb   testing.TB
	dir  string
	args []string
	cmd  *exec.Cmd
	done chan struct{}
	log  bytes.Buffer
}

// Start runs redis-server with notifications on; args are more of its options ("--maxmemory", "1mb"), and win.
func Start(tb testing.TB, args ...string) *Server {
	tb.Helper()
	binary := Require(tb, "redis-server")
	dir, err := os.MkdirTemp("", "locktop-redis-") // not TempDir: its path can be too long for a socket
	if err != nil {
		tb.Fatal(err)
	}
	s := &Server{tb: tb, dir: dir, Socket: filepath.Join(dir, "redis.sock")}
	tb.Cleanup(func() {
		s.Kill()
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	var lastErr error
	for range 5 { // Somebody else may take the port between our look and the server's start.
		port, err := freePort()
		if err != nil {
			tb.Fatal(err)
		}
		s.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		s.args = append([]string{
			binary, "--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--unixsocket", s.Socket,
			"--save", "", "--appendonly", "no", "--dir", dir, "--notify-keyspace-events", Flags,
		}, args...)
		if lastErr = s.start(); lastErr == nil {
			return s
		}
	}
	tb.Fatalf("redis-server did not start: %v\n%s", lastErr, s.log.String())
	return nil
}

// Require returns the path of a program that the test needs, or skips the test, loudly; under LOCKTOP_REQUIRE_REDIS=1 it
// fails it.
func Require(tb testing.TB, program string) string {
	tb.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	if os.Getenv("LOCKTOP_REQUIRE_REDIS") == "1" {
		tb.Fatalf("LOCKTOP_REQUIRE_REDIS=1, and %s is not on PATH: %v", program, err)
	}
	tb.Skipf("SKIPPED, NOT PASSED: %s is not on PATH; install it to run this test", program)
	return ""
}

// FreePort is a port that nobody listens on just now, for what a server takes besides its own.
func FreePort(tb testing.TB) string {
	tb.Helper()
	port, err := freePort()
	if err != nil {
		tb.Fatal(err)
	}
	return strconv.Itoa(port)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}

func (s *Server) start() error {
	cmd := exec.Command(s.args[0], s.args[1:]...)
	s.log.Reset()
	cmd.Stdout, cmd.Stderr = &s.log, &s.log
	cmd.SysProcAttr = dieWithParent()
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait() // a killed server's exit status says nothing
		close(done)
	}()
	s.cmd, s.done = cmd, done
	deadline := time.Now().Add(10 * time.Second)
	for time.Now().Before(deadline) {
		select {
		case <-done:
			return errors.New("it exited at once")
		default:
		}
		if conn, err := net.DialTimeout("unix", s.Socket, time.Second); err == nil {
			return conn.Close()
		}
		time.Sleep(2 * time.Millisecond)
	}
	s.Kill()
	return fmt.Errorf("no answer on %s in 10 s", s.Socket)
}

// Kill ends the server at once, as a crash does. Its data are gone.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	s.Signal(syscall.SIGKILL)
	<-s.done
	s.cmd = nil
	_ = os.Remove(s.Socket) // a killed server leaves it behind
}

// Restart kills the server and starts it again, empty, on the same port. Configuration that was set by CONFIG SET is gone.
func (s *Server) Restart() {
	s.tb.Helper()
	s.Kill()
	s.Revive()
}

// Revive starts a killed server again on the same port.
func (s *Server) Revive() {
	s.tb.Helper()
	if err := s.start(); err != nil {
		s.tb.Fatalf("redis-server did not start again: %v\n%s", err, s.log.String())
	}
}

// Signal sends a signal to the process: SIGSTOP makes it hang, SIGCONT go on.
func (s *Server) Signal(signal syscall.Signal) {
	if s.cmd == nil {
		return
	}
	if err := s.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.tb.Errorf("signal %v: %v", signal, err)
	}
}

// Client is a client for the test's own commands; it is closed when the test ends.
func (s *Server) Client(options ...func(*redis.Options)) *redis.Client {
	o := &redis.Options{Network: "unix", Addr: s.Socket, MaxRetries: -1, ContextTimeoutEnabled: true}
	for _, set := range options {
		set(o)
	}
	c := redis.NewClient(o)
	s.tb.Cleanup(func() { _ = c.Close() }) // the test may have closed it already
	return c
}

// Do runs one command and fails the test if the server answers with an error. A nil answer is nil.
func (s *Server) Do(args ...any) any {
	s.tb.Helper()
	c := redis.NewClient(&redis.Options{Network: "unix", Addr: s.Socket, MaxRetries: -1})
	defer c.Close()
	v, err := c.Do(context.Background(), args...).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		s.tb.Fatalf("%v: %v", args, err)
	}
	return v
}
