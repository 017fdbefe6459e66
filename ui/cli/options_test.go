package cli

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"locktop/keyspace"
)

// resolve parses a command line with an environment, as the commands do.
func resolve(t *testing.T, environment map[string]string, args ...string) (keyspace.Place, string, error) {
	t.Helper()
	var said strings.Builder
	a := &app{stdin: strings.NewReader(environment["stdin"]), stdout: io.Discard, stderr: &said, fromEnv: map[string]string{}}
	a.lookup = func(name string) (string, bool) {
		value, ok := environment[name]
		return value, ok
	}
	var (
		c connecting
		o keyspace.Place
	)
	cmd := &cobra.Command{
		Use: "test", Args: cobra.NoArgs, SilenceErrors: true, SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			o, err = a.place(cmd, &c)
			return err
		},
	}
	cmd.Flags().Bool("help", false, "")
	c.add(cmd)
	a.finish(cmd)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(t.Context())
	return o, said.String(), err
}

func TestPlace(t *testing.T) {
	type env = map[string]string
	for _, c := range []struct {
		name        string
		environment env
		args        []string
		want        string // network addr/db user:password
	}{
		{"nothing", nil, nil, "tcp 127.0.0.1:6379/0 :"},
		{"flags", nil, []string{"-h", "::1", "-p", "7", "-n", "2"}, "tcp [::1]:7/2 :"},
		{"socket", nil, []string{"-s", "/run/r.sock"}, "unix /run/r.sock/0 :"},
		{"REDIS_URL", env{"REDIS_URL": "redis://u:p@other:1/4"}, nil, "tcp other:1/4 u:p"},
		{"a flag of the place hides REDIS_URL whole", env{"REDIS_URL": "redis://u:p@other:1/4"}, []string{"-p", "7"}, "tcp 127.0.0.1:7/0 :"},
		{"so does a variable", env{"REDIS_URL": "redis://u:p@other:1/4", "LOCKTOP_HOST": "h"}, nil, "tcp h:6379/0 :"},
		{"a flag beside REDIS_URL", env{"REDIS_URL": "redis://u:p@other:1/4"}, []string{"-n", "0"}, "tcp other:1/0 u:p"},
		{"--url beats all variables", env{"REDIS_URL": "redis://x:1", "LOCKTOP_URL": "redis://y:1", "LOCKTOP_HOST": "z"}, []string{"-u", "redis://other:1"}, "tcp other:1/0 :"},
		{"what --url says beats variables", env{"LOCKTOP_DB": "9", "LOCKTOP_USER": "v", "LOCKTOP_PASS": "v"}, []string{"-u", "redis://u:p@other:1/4"}, "tcp other:1/4 u:p"},
		{"--url hides the variables for what a URL may name", env{"LOCKTOP_DB": "9", "LOCKTOP_USER": "v", "LOCKTOP_PASS": "v", "REDISCLI_AUTH": "q"}, []string{"-u", "redis://other:1/0"}, "tcp other:1/0 :q"},
		{"a comma in LOCKTOP_URL", env{"LOCKTOP_URL": "redis://:a,b@y:1"}, nil, "tcp y:1/0 :a,b"},
		{"a socket on the line hides a host of the environment", env{"LOCKTOP_HOST": "h", "LOCKTOP_PORT": "7"}, []string{"-s", "/s"}, "unix /s/0 :"},
		{"a flag beats what --url says", nil, []string{"-u", "redis://u:p@other:1/4", "-n", "5", "--user", "w", "--pass", "r"}, "tcp other:1/5 w:r"},
		{"LOCKTOP_URL before REDIS_URL", env{"REDIS_URL": "redis://x:1", "LOCKTOP_URL": "redis://y:1"}, nil, "tcp y:1/0 :"},
		{"a flag before its variable", env{"LOCKTOP_PORT": "8"}, []string{"-p", "7"}, "tcp 127.0.0.1:7/0 :"},
		{"host of the environment, port of the line", env{"LOCKTOP_HOST": "h"}, []string{"-p", "7"}, "tcp h:7/0 :"},
		{"a host on the line hides a socket of the environment", env{"LOCKTOP_SOCKET": "/s"}, []string{"-h", "h"}, "tcp h:6379/0 :"},
		{"socket of the environment", env{"LOCKTOP_SOCKET": "/s"}, nil, "unix /s/0 :"},
		{"REDISCLI_AUTH", env{"REDISCLI_AUTH": "q"}, nil, "tcp 127.0.0.1:6379/0 :q"},
		{"a URL's password before REDISCLI_AUTH", env{"REDISCLI_AUTH": "q", "REDIS_URL": "redis://:p@other:1"}, nil, "tcp other:1/0 :p"},
		{"asked for", env{"stdin": "typed\nmore", "REDISCLI_AUTH": "q"}, []string{"--askpass"}, "tcp 127.0.0.1:6379/0 :typed"},
		{"asked for with -", env{"stdin": "typed"}, []string{"--pass", "-"}, "tcp 127.0.0.1:6379/0 :typed"},
		{"an empty variable is none", env{"LOCKTOP_PORT": "", "REDIS_URL": ""}, nil, "tcp 127.0.0.1:6379/0 :"},
	} {
		t.Run(c.name, func(t *testing.T) {
			place, _, err := resolve(t, c.environment, c.args...)
			if err != nil {
				t.Fatal(err)
			}
			o := place.Servers[0]
			if got := placed(place.Servers...); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if o.TLS != nil {
				t.Error("TLS is on")
			}
		})
	}
}

// placed is servers in words: "network addr/db user:password" of each.
func placed(servers ...keyspace.Options) string {
	var all []string
	for _, o := range servers {
		all = append(all, fmt.Sprintf("%s %s/%d %s:%s", o.Network, o.Addr, o.DB, o.Username, o.Password))
	}
	return strings.Join(all, "; ")
}

func TestSeveralServers(t *testing.T) {
	type env = map[string]string
	for _, c := range []struct {
		environment    env
		args           []string
		want, sentinel string // the servers, and the master that sentinels name
	}{
		{nil, []string{"-u", "redis://a:1", "-u", "redis://u:p@b:2/0"}, "tcp a:1/0 :; tcp b:2/0 u:p", ""},
		{env{"LOCKTOP_URL": "redis://a:1  redis://b"}, []string{"-n", "3"}, "tcp a:1/3 :; tcp b:6379/3 :", ""},
		{env{"REDISCLI_AUTH": "q"}, []string{"-u", "redis://a:1", "-u", "redis://:p@b:2"}, "tcp a:1/0 :q; tcp b:2/0 :p", ""},
		{nil, []string{"--sentinel", "m"}, "tcp 127.0.0.1:26379/0 :", "m tcp 127.0.0.1:26379/0 :"},
		{nil, []string{"--sentinel", "m", "-p", "7", "-n", "2"}, "tcp 127.0.0.1:7/0 :", "m tcp 127.0.0.1:7/2 :"},
		{
			env{"LOCKTOP_SENTINEL_PASS": "s"},
			[]string{"--sentinel", "m", "-u", "redis://u:p@a/4", "-u", "redis://b:7"},
			"tcp a:26379/0 :s; tcp b:7/0 :s", "m tcp a:26379/4 u:p",
		},
	} {
		place, said, err := resolve(t, c.environment, c.args...)
		if err != nil {
			t.Errorf("%v %q: %v", c.environment, c.args, err)
			continue
		}
		sentinel := ""
		if place.Sentinel != "" {
			sentinel = place.Sentinel + " " + placed(place.Master)
		}
		if got := placed(place.Servers...); got != c.want || sentinel != c.sentinel {
			t.Errorf("%v %q: %s, master %q; want %s, master %q", c.environment, c.args, got, sentinel, c.want, c.sentinel)
		}
		if strings.Contains(where(place), ":p") || strings.Contains(said, "hush") {
			t.Errorf("a secret in %q or %q", where(place), said)
		}
	}
}

func TestPlaceRefused(t *testing.T) {
	type env = map[string]string
	for _, c := range []struct {
		environment env
		args        []string
		want        string
	}{
		{nil, []string{"-u", "redis://a:1", "-h", "b"}, "--url and --host both name the server"},
		{nil, []string{"-u", "redis://a:1", "-s", "b"}, "--url and --socket both name the server"},
		{nil, []string{"-s", "b", "-p", "7"}, "--socket names the server, and so do --host and --port"},
		{nil, []string{"-h", "a", "-s", "b"}, "--socket names the server, and so do --host and --port"},
		{env{"LOCKTOP_URL": "redis://a:1", "LOCKTOP_PORT": "1"}, nil, "LOCKTOP_URL and LOCKTOP_PORT both name the server"},
		{nil, []string{"--sentinel="}, "--sentinel is empty: name the master"},
		{nil, []string{"--sentinel-user", "u"}, "--sentinel is empty: name the master"},
		{nil, []string{"--sentinel", "m", "-s", "/s"}, "--sentinel: sentinels name their master by host and port"},
		{nil, []string{"-p", "0"}, "--port 0: ports are"},
		{nil, []string{"-p", "70000"}, "--port 70000: ports are"},
		{nil, []string{"-h", ""}, "--host is empty"},
		{nil, []string{"-s", ""}, "--socket is empty"},
		{nil, []string{"-n", "-1"}, "--db -1"},
		{env{"LOCKTOP_PORT": "x"}, nil, `LOCKTOP_PORT: "…" is not a value for --port`},
		{nil, []string{"--user", "me"}, `the user "me" has no password`},
		{nil, []string{"--pass", "x", "--askpass"}, "--pass and --askpass both give the password"},
		{nil, []string{"--cacert", "x"}, "--cacert is about TLS, which is off"},
		{nil, []string{"--insecure"}, "--insecure is about TLS, which is off"},
		{nil, []string{"--tls", "-s", "/s"}, "--tls does not go with a unix socket"},
		{nil, []string{"--tls", "--cacert", "/nowhere.pem"}, "--cacert: open /nowhere.pem"},
		{nil, []string{"--tls", "--cert", "/c.pem"}, "--cert and --key belong together"},
		{nil, []string{"--url", "http://u:hush@a"}, "--url: "},
		{env{"REDIS_URL": "redis://u:hush@a:x"}, nil, "REDIS_URL: "},
	} {
		_, _, err := resolve(t, c.environment, c.args...)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v %q: got %v, want %s…", c.environment, c.args, err, c.want)
			continue
		}
		if strings.Contains(err.Error(), "hush") {
			t.Errorf("%q tells the password", err)
		}
		if code := (&app{stderr: io.Discard}).exit(t.Context(), err); code != exitUsage {
			t.Errorf("%v: exit code %d, want %d", err, code, exitUsage)
		}
	}
}

func TestPasswordWarning(t *testing.T) {
	for _, args := range [][]string{{"--pass", "hush"}, {"-a", "hush"}, {"-u", "redis://:hush@a:1"}} {
		_, said, err := resolve(t, nil, args...)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(said, "REDISCLI_AUTH") || strings.Contains(said, "hush") {
			t.Errorf("%q: said %q", args, said)
		}
	}
	for _, environment := range []map[string]string{{"LOCKTOP_PASS": "hush"}, {"REDISCLI_AUTH": "hush"}, {"REDIS_URL": "redis://:hush@a:1"}} {
		o, said, err := resolve(t, environment)
		if err != nil || said != "" || o.Servers[0].Password != "hush" {
			t.Errorf("%v: password %q, said %q, %v", environment, o.Servers[0].Password, said, err)
		}
	}
}

func TestTLSOptions(t *testing.T) {
	o, _, err := resolve(t, nil, "--tls", "-h", "db.example")
	if err != nil || o.Servers[0].TLS == nil || o.Servers[0].TLS.ServerName != "db.example" || o.Servers[0].TLS.InsecureSkipVerify {
		t.Fatalf("got %+v, %v", o.Servers[0].TLS, err)
	}
	o, _, err = resolve(t, nil, "--tls", "-h", "10.0.0.1", "--sni", "db.example", "--insecure")
	if err != nil || o.Servers[0].TLS.ServerName != "db.example" || !o.Servers[0].TLS.InsecureSkipVerify {
		t.Fatalf("got %+v, %v", o.Servers[0].TLS, err)
	}
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := resolve(t, nil, "--tls", "--cacert", empty); err == nil || !strings.Contains(err.Error(), "no certificate") {
		t.Errorf("got %v", err)
	}
}

func TestNotARedisServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // the test is over
			}
			_, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			_ = conn.Close()
		}
	}()
	code, stdout, stderr := run(t, "list", "-u", "redis://"+listener.Addr().String())
	if code != exitError || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "not a Redis server") {
		t.Errorf("code %d, %q, %q", code, stdout, stderr)
	}
}
