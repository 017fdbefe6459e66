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
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"
)

// Flags are the notify-keyspace-events letters that locktop needs, spelt out because "A" would hide n.
const Flags = "Kg$hzxen"

// Server is a redis-server process.
type Server struct {
	// Addr is its "127.0.0.1:port", the same after a Restart; Socket is its unix socket.
	Addr, Socket string

	tb      testing.TB
	binary  string
	dir     string
	options func(port string) []string // what it is started with on a port
	link    *Link                      // what its cluster reaches it by; nil if that is Addr
	args    []string                   // what it was started with
	cmd     *exec.Cmd
	done    chan struct{}
	log     bytes.Buffer
}

// Start runs redis-server with notifications on; args are more of its options ("--maxmemory", "1mb"), and win.
func Start(tb testing.TB, args ...string) *Server {
	tb.Helper()
	return StartMasters(tb, 1, args...)[0]
}

// StartMasters runs so many servers, as Start does, at the same time; they know nothing of each other.
func StartMasters(tb testing.TB, n int, args ...string) []*Server {
	tb.Helper()
	servers := make([]*Server, n)
	for i := range servers {
		servers[i] = newServer(tb)
		servers[i].options = func(port string) []string { return servers[i].common(port, args) }
	}
	launch(tb, servers...)
	return servers
}

// newServer makes what a server needs before it runs, and what ends it with the test.
func newServer(tb testing.TB) *Server {
	tb.Helper()
	binary := Require(tb, "redis-server")
	dir, err := os.MkdirTemp("", "locktop-redis-") // not TempDir: its path can be too long for a socket
	if err != nil {
		tb.Fatal(err)
	}
	s := &Server{tb: tb, binary: binary, dir: dir, Socket: filepath.Join(dir, "redis.sock")}
	tb.Cleanup(func() {
		s.Kill()
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// common are the options of every server that holds data, and then those of the test.
func (s *Server) common(port string, args []string) []string {
	return append([]string{
		"--port", port, "--bind", "127.0.0.1", "--unixsocket", s.Socket,
		"--save", "", "--appendonly", "no", "--dir", s.dir, "--notify-keyspace-events", Flags,
	}, args...)
}

// launch starts servers at the same time, each on a free port.
func launch(tb testing.TB, servers ...*Server) {
	tb.Helper()
	var starting errgroup.Group
	for _, s := range servers {
		starting.Go(s.startAnywhere)
	}
	if err := starting.Wait(); err != nil {
		tb.Fatal(err)
	}
}

// startAnywhere starts the server on a free port.
func (s *Server) startAnywhere() error {
	var lastErr error
	for range 5 { // Somebody else may take the port between our look and the server's start.
		port, err := freePort()
		if err != nil {
			return err
		}
		s.Addr = net.JoinHostPort("127.0.0.1", port)
		s.args = s.options(port)
		if lastErr = s.start(); lastErr == nil {
			return nil
		}
	}
	return fmt.Errorf("redis-server did not start: %w\n%s", lastErr, s.log.String())
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

func (s *Server) start() error {
	cmd := exec.Command(s.binary, s.args...)
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
	c := s.briefly(30 * time.Second)
	defer c.Close()
	v, err := c.Do(context.Background(), args...).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		s.tb.Fatalf("%v: %v", args, err)
	}
	return v
}

// briefly is a client for a look at the server that may fail, because it is hung or just going; the caller closes it.
func (s *Server) briefly(patience time.Duration) *redis.Client {
	return redis.NewClient(&redis.Options{
		Network: "unix", Addr: s.Socket, MaxRetries: -1, DialerRetries: 1, ReadTimeout: patience,
		DisableIdentity: true, // what the test has not asked for shall not be in the server's statistics
	})
}

// Version is what the server is ("redis", "valkey") and which one ("7.0.15"), by its own account.
func (s *Server) Version() (software, version string) {
	s.tb.Helper()
	about := make(map[string]string)
	for line := range strings.Lines(fmt.Sprint(s.Do("INFO", "server"))) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		about[name] = value
	}
	if version := about["valkey_version"]; version != "" {
		return "valkey", version
	}
	return "redis", about["redis_version"]
}

// HasFieldTTLs reports whether the fields of a hash can have TTLs of their own (HPEXPIRE), by
// trying it.
func (s *Server) HasFieldTTLs() bool {
	s.tb.Helper()
	c := s.briefly(30 * time.Second)
	defer c.Close()
	err := c.Do(context.Background(), "HPEXPIRE", "no-such-key", 1000, "FIELDS", 1, "field").Err()
	if err != nil && !strings.HasPrefix(err.Error(), "ERR unknown command") {
		s.tb.Fatalf("HPEXPIRE: %v", err)
	}
	return err == nil
}

// running says that the server has been started and not been killed since.
func (s *Server) running() bool { return s.cmd != nil }
