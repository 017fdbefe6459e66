package embedded

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// Errors of a server that would be open to other users.
var (
	errNoPassword = errors.New("a server on TCP needs a password: every user of this machine can connect to its port")
	errOpenSocket = errors.New("a socket without a password needs a directory that only its owner may enter (mode 0700)")
	errNotLocal   = errors.New("a server listens on loopback only")
)

// listen opens the server's socket or port. It fails where another user could use the server.
func (o Options) listen() (net.Listener, error) {
	network := cmp.Or(o.Network, "tcp")
	switch {
	case network == "unix":
		return listenOnSocket(o.Addr, o.Password != "")
	case network != "tcp":
		return nil, net.UnknownNetworkError(network)
	case o.Password == "":
		return nil, errNoPassword
	}
	addr := cmp.Or(o.Addr, "127.0.0.1:0")
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("%w, and not on %s", errNotLocal, addr)
	}
	return net.Listen("tcp", addr)
}

// listenOnSocket makes a socket. Not every system heeds the mode of a socket when somebody
// connects, so what protects it is the directory.
func listenOnSocket(path string, hasPassword bool) (net.Listener, error) {
	info, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 && !hasPassword {
		return nil, errOpenSocket
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// address names an end of a connection as CLIENT LIST does: both ends of a socket are its path.
func (s *Server) address(end net.Addr) string {
	if end.Network() == "unix" {
		return s.Addr() + ":0"
	}
	return end.String()
}

// port is "0" for a server on a socket, as in Redis.
func (s *Server) port() string {
	if addr, isTCP := s.listener.Addr().(*net.TCPAddr); isTCP {
		return strconv.Itoa(addr.Port)
	}
	return "0"
}
