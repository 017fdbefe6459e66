package keyspace_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

const password = "hunter2-s3cret"

// listening is a server that does with each connection what it is told, one after the other, and closes all at the end.
func listening(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			serve(conn)
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr().String()
}

// answering is a server that answers everybody with these bytes and hangs up; empty: that hangs up at once.
func answering(t *testing.T, bytes string) string {
	return listening(t, func(conn net.Conn) {
		if bytes != "" {
			_, _ = conn.Read(make([]byte, 512)) // whatever it asks
			_, _ = conn.Write([]byte(bytes))    // the client may be gone
		}
		_ = conn.Close()
	})
}

func TestConnectErrorsNameWhatMendsThem(t *testing.T) {
	t.Parallel()
	plain := redistest.Start(t, "--requirepass", password)
	secure, mutual := redistest.StartTLS(t), redistest.StartTLS(t, "--tls-auth-clients", "yes")
	trusting := func(version uint16) *tls.Config {
		return &tls.Config{RootCAs: mutual.Roots, MinVersion: tls.VersionTLS12, MaxVersion: version}
	}
	for _, test := range []struct {
		name    string
		options keyspace.Options
		kind    error
		says    string
	}{
		{"nobody there", keyspace.Options{Addr: "127.0.0.1:1"}, keyspace.ErrUnreachable, "127.0.0.1:1"},
		{"no socket", keyspace.Options{Network: "unix", Addr: "/nonexistent/redis.sock"}, keyspace.ErrUnreachable, "/nonexistent/redis.sock"},
		{"no such host", keyspace.Options{Addr: "host.invalid:6379"}, keyspace.ErrUnreachable, "host.invalid"},
		{"wrong password", keyspace.Options{Addr: plain.Addr, Password: "no" + password}, keyspace.ErrAuth, "REDISCLI_AUTH"},
		{"no password", keyspace.Options{Addr: plain.Addr}, keyspace.ErrAuth, "REDISCLI_AUTH"},
		{"no such user", keyspace.Options{Addr: plain.Addr, Username: "x", Password: password}, keyspace.ErrAuth, "--user"},
		{"no such database", keyspace.Options{Addr: plain.Addr, Password: password, DB: 4711}, keyspace.ErrDatabase, "4711"},
		{"TLS to a plain server", keyspace.Options{Addr: plain.Addr, TLS: &tls.Config{MinVersion: tls.VersionTLS12}}, keyspace.ErrTLS, "--tls"},
		{"unknown authority", keyspace.Options{Addr: secure.Addr, TLS: &tls.Config{MinVersion: tls.VersionTLS12}}, keyspace.ErrTLS, "--cacert"},
		{"no certificate of ours, TLS 1.2", keyspace.Options{Addr: mutual.Addr, TLS: trusting(tls.VersionTLS12)}, keyspace.ErrTLS, "--cert"},
		{"no certificate of ours, TLS 1.3", keyspace.Options{Addr: mutual.Addr, TLS: trusting(tls.VersionTLS13)}, keyspace.ErrTLS, "--cert"},
		{"hangs up on TLS", keyspace.Options{Addr: answering(t, ""), TLS: trusting(tls.VersionTLS13)}, keyspace.ErrTLS, "--cert"},
		{"plain to a TLS server", keyspace.Options{Addr: secure.Addr}, keyspace.ErrNotRedis, "--tls"},
		{"a web server", keyspace.Options{Addr: answering(t, "HTTP/1.1 400 Bad Request\r\n\r\n")}, keyspace.ErrNotRedis, "protocol"},
		{"hangs up", keyspace.Options{Addr: answering(t, "")}, keyspace.ErrNotRedis, "--tls"},
		{"protected", keyspace.Options{Addr: answering(t, "-DENIED Redis is running in protected mode because...\r\n")}, keyspace.ErrPermission, "protected"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := keyspace.Connect(t.Context(), test.options)
			if !errors.Is(err, test.kind) {
				t.Fatalf("err = %v, want %v", err, test.kind)
			}
			var typed *keyspace.ConnectError
			if !errors.As(err, &typed) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%q does not say %q", err, test.says)
			}
			if strings.Contains(err.Error(), password) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q holds the password, or is more than a line", err)
			}
		})
	}
}

func TestConnectOverTLSAndUnix(t *testing.T) {
	secure := redistest.StartTLS(t)
	c, err := keyspace.Connect(t.Context(), keyspace.Options{Addr: secure.Addr, TLS: &tls.Config{RootCAs: secure.Roots, MinVersion: tls.VersionTLS12}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Read(t.Context(), "k"); err != nil {
		t.Error(err)
	}
	p, _ := watch(t, c, keyspace.ObserveOptions{})
	p.reaches(t, "push", live)
	s := redistest.Start(t, "--requirepass", password)
	u, err := keyspace.Connect(t.Context(), keyspace.Options{Network: "unix", Addr: s.Socket, Password: password, DB: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	software, version := secure.Version()
	server := u.Server()
	if server.Software != software || server.Version != version || server.RunID == "" || server.Role != "master" {
		t.Errorf("server = %+v", server)
	}
}

func TestServerThatDeniesInfoIsKnownByHello(t *testing.T) {
	s := redistest.Start(t)
	c := user(t, s, "~* &* +@all -info")
	if server := c.Server(); server.Version == "" || !strings.Contains(server.Limited, "NOPERM") {
		t.Errorf("server = %+v", server)
	}
}

func TestReplicaSaysSo(t *testing.T) {
	master := redistest.Start(t)
	host, port, err := net.SplitHostPort(master.Addr)
	if err != nil {
		t.Fatal(err)
	}
	replica := redistest.Start(t, "--replicaof", host+" "+port)
	if role := connect(t, replica).Server().Role; role != "replica" {
		t.Errorf("role = %q", role)
	}
}

// TestConnectEndsWithItsContext cancels while the server owes its first answer, for which there would be ten minutes.
func TestConnectEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	mute := listening(t, func(conn net.Conn) {
		if n, _ := conn.Read(make([]byte, 512)); n > 0 { // it asks, after the first dial that sends nothing
			cancel()
		}
	})
	_, err := keyspace.Connect(ctx, keyspace.Options{Addr: mute, CommandTimeout: 10 * time.Minute})
	if !errors.Is(err, context.Canceled) || !errors.Is(err, keyspace.ErrUnreachable) {
		t.Errorf("err = %v", err)
	}
}

// TestBusyServer has a script hold the server up.
func TestBusyServer(t *testing.T) {
	s := redistest.Start(t, "--lua-time-limit", "1")
	endless := s.Client()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = endless.Eval(context.WithoutCancel(t.Context()), "while true do end", nil).Err() // it is killed below
	}()
	defer func() {
		s.Do("SCRIPT", "KILL")
		<-done
	}()
	for until := time.Now().Add(10 * time.Second); time.Now().Before(until); {
		c, err := keyspace.Connect(t.Context(), keyspace.Options{Addr: s.Addr})
		if err == nil {
			_ = c.Close() // the script has not begun
			continue
		}
		if !strings.Contains(err.Error(), "SCRIPT KILL") {
			t.Errorf("%q has no mend", err)
		}
		return
	}
	t.Error("the server was never busy")
}
