package embedded_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"locktop/demo/embedded"
)

// TestRefusesToBeOpen asks for servers that other users of the machine, or other machines, could
// use.
func TestRefusesToBeOpen(t *testing.T) {
	open, closed := filepath.Join(t.TempDir(), "open"), filepath.Dir(socketPath(t))
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		o    embedded.Options
		want string
	}{
		"no password":      {embedded.Options{}, "needs a password"},
		"on an address":    {embedded.Options{Network: "tcp", Addr: "127.0.0.1:0"}, "needs a password"},
		"on every network": {embedded.Options{Addr: "0.0.0.0:0", Password: "open sesame"}, "listens on loopback only"},
		"on any network":   {embedded.Options{Addr: ":0", Password: "open sesame"}, "listens on loopback only"},
		"by a name":        {embedded.Options{Addr: "localhost:0", Password: "open sesame"}, "listens on loopback only"},
		"unknown network":  {embedded.Options{Network: "udp", Password: "open sesame"}, "unknown network udp"},
		"open directory":   {embedded.Options{Network: "unix", Addr: filepath.Join(open, "s")}, "only its owner may enter"},
		"no directory":     {embedded.Options{Network: "unix", Addr: filepath.Join(open, "none", "s")}, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && tc.o.Network == "unix" {
				t.Skip("SKIPPED, NOT PASSED: directories have no such modes here")
			}
			s, err := embedded.Start(t.Context(), tc.o)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
			if err == nil {
				t.Error(s.Close())
			}
		})
	}
	for _, o := range []embedded.Options{
		{Network: "unix", Addr: filepath.Join(closed, "s")},
		{Network: "unix", Addr: filepath.Join(open, "s"), Password: "open sesame"},
	} {
		s := start(t, o)
		if info, err := os.Stat(s.Addr()); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the socket has mode %v (%v)", info.Mode(), err)
		}
	}
}

// TestAddresses looks at how both kinds of servers name where they listen, and their clients.
func TestAddresses(t *testing.T) {
	onSocket, onTCP := start(t, embedded.Options{}), start(t, embedded.Options{Password: "open sesame"})
	_, port, _ := strings.Cut(onTCP.Addr(), ":")
	for _, tc := range []struct {
		s    *embedded.Server
		want []string
	}{
		{onSocket, []string{" addr=" + onSocket.Addr() + ":0 laddr=" + onSocket.Addr() + ":0 ", " flags=U ", "$4\r\nport\r\n$1\r\n0\r\n", "tcp_port:0\r\n", onSocket.Addr() + "\r\n"}},
		{onTCP, []string{" addr=127.0.0.1:", " laddr=" + onTCP.Addr() + " ", " flags=N ", "port\r\n$5\r\n" + port + "\r\n", "tcp_port:" + port + "\r\n", "$10\r\nunixsocket\r\n$0\r\n"}},
	} {
		c := dialRaw(t, tc.s.Addr())
		c.do(t, "AUTH", "default", "open sesame")
		got := c.do(t, "CLIENT", "INFO") + c.do(t, "CONFIG", "GET", "port", "unixsocket") + c.do(t, "INFO", "server")
		for _, want := range tc.want {
			if !strings.Contains(got, want) {
				t.Errorf("%q is not in %q", want, got)
			}
		}
	}
}
