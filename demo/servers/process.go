package servers

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"locktop/keyspace"
)

// transport is how we talk to a server process of our own.
type transport string

const (
	overSocket   transport = "unix" // in a directory that only this user may enter
	overLoopback transport = "tcp"  // with a random password, which is in no command line
)

const (
	// maxSocketPath is what fits into a socket's address everywhere: macOS has 104 bytes, one of them the final zero.
	maxSocketPath = 103
	// startTimeout is how long a server may take until it accepts a connection; 20 ms are usual.
	startTimeout = 10 * time.Second
	// portTries is how often another free port is tried when somebody took ours between our look and the server's start.
	portTries = 5
)

// placement says where a server process of our own listens, and what it is told besides.
type placement struct {
	over transport
	// Over loopback, the address may be that of a server that is no more, so that another one takes its place. Left empty,
	// they are a free port and a random password.
	addr, password string
	lines          []string // of its configuration
}

// errTakenPort says that the server could not have its port.
var errTakenPort = errors.New("the port was taken meanwhile")

// process is a redis-server or valkey-server that we started: without persistence, with notifications on, within 128 MB.
type process struct {
	binary  binary
	dir     string
	options keyspace.Options
	cmd     *exec.Cmd
	guard   *guard
	exited  chan struct{}
}

// openProcess starts the best server on PATH, looked for by findBinary or mustFindBinary.
func openProcess(ctx context.Context, over transport, find func(context.Context) (binary, error)) (Servers, error) {
	b, err := find(ctx)
	if err != nil {
		return nil, err
	}
	p, err := launch(ctx, b, placement{over: over})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// launch starts a server, with another try when its port was taken at the wrong moment.
func launch(ctx context.Context, b binary, at placement) (*process, error) {
	for range portTries {
		p, err := startProcess(ctx, b, at)
		if err == nil {
			return p, nil
		}
		if !errors.Is(err, errTakenPort) {
			return nil, fmt.Errorf("start %s: %w", b.path, err)
		}
	}
	return nil, fmt.Errorf("start %s: %w, %d times", b.path, errTakenPort, portTries)
}

// startProcess starts the server in a directory of its own, and waits until it accepts connections.
func startProcess(ctx context.Context, b binary, at placement) (_ *process, err error) {
	dir, err := privateDir()
	if err != nil {
		return nil, err
	}
	p := &process{binary: b, dir: dir, exited: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	config, err := p.configure(at)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "server.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return nil, err
	}
	p.cmd = exec.Command(b.path, file)
	p.cmd.Env, p.cmd.SysProcAttr = withoutSecrets(), attributes()
	if err := p.cmd.Start(); err != nil {
		p.cmd = nil
		return nil, err
	}
	p.guard, err = newGuard(p.cmd.Process.Pid, dir)
	go p.wait()
	if err != nil {
		return nil, fmt.Errorf("guard against our own death: %w", err)
	}
	return p, p.awaitAnswer(ctx)
}

// withoutSecrets is our environment without the variables in which passwords are given to us, which no child of ours needs.
func withoutSecrets() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "REDIS") || strings.HasPrefix(variable, "LOCKTOP_")
	})
}

// privateDir makes a directory that only this user may enter, with room for a socket's path.
func privateDir() (string, error) {
	parent := os.TempDir()
	if len(filepath.Join(parent, "locktop-demo-0123456789", "redis.sock")) > maxSocketPath {
		parent = "/tmp" // where TMPDIR is too long for a socket; a system without sockets does not care
	}
	return os.MkdirTemp(parent, "locktop-demo-") // MkdirTemp makes it 0700
}

// configure makes the server's configuration. It goes into a file, because a command line can be read by everybody.
func (p *process) configure(at placement) (string, error) {
	lines := []string{
		`save ""`, "appendonly no", "daemonize no", "maxmemory 128mb", "notify-keyspace-events " + notifyFlags,
		"dir " + strconv.Quote(p.dir), "logfile " + strconv.Quote(p.logFile()), "loglevel warning",
	}
	if at.over == overSocket {
		socket := filepath.Join(p.dir, "redis.sock")
		p.options = keyspace.Options{Network: "unix", Addr: socket}
		lines = append(lines, "port 0", "unixsocket "+strconv.Quote(socket), "unixsocketperm 700")
	} else {
		p.options = keyspace.Options{Network: "tcp", Addr: at.addr, Password: cmp.Or(at.password, rand.Text())}
		if at.addr == "" {
			var err error
			if p.options.Addr, err = freeAddress(); err != nil {
				return "", fmt.Errorf("find a free port: %w", err)
			}
		}
		host, port, err := net.SplitHostPort(p.options.Addr)
		if err != nil {
			return "", err
		}
		lines = append(lines, "bind "+host, "port "+port, "requirepass "+p.options.Password)
	}
	return strings.Join(append(lines, at.lines...), "\n") + "\n", nil
}

// The ports of servers that die and come back are below those that systems give to outgoing connections (from 32768 on Linux,
// from 49152 elsewhere): one of these could take the port of a dead server, and keep it for as long as it is open. They are
// above those of keyspace/redistest.
const (
	lowestPort  = 23000
	highestPort = 32000
)

// given are the ports that freeAddress has given: while a server is dead, nobody else in this process gets its port.
var given sync.Map

// freeAddress is a loopback address that nobody listens on, another one each time.
func freeAddress() (addr string, err error) {
	for range 100 {
		addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(lowestPort+mathrand.N(highestPort-lowestPort)))
		if _, taken := given.LoadOrStore(addr, true); taken {
			continue
		}
		var listener net.Listener
		if listener, err = net.Listen("tcp", addr); err == nil {
			return addr, listener.Close()
		}
	}
	return "", fmt.Errorf("no free port between %d and %d: %w", lowestPort, highestPort, err)
}

// notifyFlags are the notifications that locktop needs, spelt out because "A" would hide n.
const notifyFlags = "Kg$hzxen"

func (p *process) logFile() string { return filepath.Join(p.dir, "server.log") }

// wait collects the process when it ends, by our will or not. The guard goes first: once the process is collected the
// system may give its number to another.
func (p *process) wait() {
	_ = p.cmd.Wait() // it has no good end: we kill it, for it has nothing to save
	p.guard.release()
	close(p.exited)
}

// awaitAnswer dials until the server answers. The client library would wait 100 ms after its first failure.
func (p *process) awaitAnswer(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	var dialer net.Dialer
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := dialer.DialContext(ctx, p.options.Network, p.options.Addr)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-p.exited:
			return p.whyExited()
		case <-ctx.Done():
			return fmt.Errorf("no answer on %s: %w; %w", p.options.Addr, ctx.Err(), err)
		case <-tick.C:
		}
	}
}

// whyExited is the last line that the server wrote before it ended by itself.
func (p *process) whyExited() error {
	said, err := os.ReadFile(p.logFile())
	if err != nil {
		return fmt.Errorf("it ended at once, and its log cannot be read: %w", err)
	}
	if bytes.Contains(said, []byte("Address already in use")) {
		return errTakenPort
	}
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	return fmt.Errorf("it ended at once: %q", lines[len(lines)-1])
}

func (p *process) Connections() []keyspace.Options { return []keyspace.Options{p.options} }
func (p *process) Reset(ctx context.Context) error { return empty(ctx, p.options) }

// Name is "redis-server 7.0.15 (private)".
func (p *process) Name() string { return p.binary.private() }

// Close ends the process and removes its directory.
func (p *process) Close() error {
	var errs []error
	if p.cmd != nil {
		if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			errs = append(errs, fmt.Errorf("stop %s: %w", p.binary.name, err))
		} else {
			<-p.exited
		}
	}
	if err := os.RemoveAll(p.dir); err != nil {
		errs = append(errs, fmt.Errorf("remove the server's directory: %w", err))
	}
	return errors.Join(errs...)
}
