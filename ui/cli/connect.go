package cli

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktop/keyspace"
)

// connecting is the flags that say where the server is and who we are there; they are redis-cli's.
type connecting struct {
	host, socket string
	port, db     int
	urls         []string
	user, pass   string
	askPass      bool
	security     security
}

// add offers all of them.
func (c *connecting) add(cmd *cobra.Command) {
	addGroup(cmd, groupConnection, func(set *pflag.FlagSet) {
		set.StringVarP(&c.host, "host", "h", "127.0.0.1", "server's `NAME` or address")
		set.IntVarP(&c.port, "port", "p", 6379, "server's `PORT`")
		set.StringVarP(&c.socket, "socket", "s", "", "`PATH` of the server's unix socket, in the place of host and port")
		set.IntVarP(&c.db, "db", "n", 0, "database `NUMBER`")
		set.StringArrayVarP(&c.urls, "url", "u", nil, "the same in one `URL`: redis[s]://user:password@host:port/db or unix:///path?db=n; REDIS_URL is read too")
		c.addSecrets(set)
	})
}

// addSecrets offers those that a URL needs besides.
func (c *connecting) addSecrets(set *pflag.FlagSet) {
	set.StringVar(&c.user, "user", "", "ACL `USER`")
	set.StringVarP(&c.pass, "pass", "a", "", "`PASSWORD`; better in REDISCLI_AUTH, or - to be asked for it")
	set.BoolVar(&c.askPass, "askpass", false, "ask for the password")
	c.security.add(set)
}

// options are what the flags, the environment and the defaults come to, in this order of precedence. A place that is
// named on the command line hides REDIS_URL as a whole, so that no password goes to a server it was not meant for.
func (a *app) options(cmd *cobra.Command, c *connecting) (keyspace.Options, error) {
	o, urlOnLine, err := a.place(cmd, c)
	if err != nil {
		return o, err
	}
	// A URL on the command line hides the variables for what a URL may name; what it does not name is the default.
	overrides := func(flag string) bool {
		return a.onLine(cmd, flag) || cmd.Flags().Changed(flag) && !urlOnLine
	}
	if overrides("db") {
		o.DB = c.db
	}
	if overrides("user") {
		o.Username = c.user
	}
	if overrides("pass") {
		o.Password = c.pass
	}
	if o.DB < 0 {
		return o, usage("--db %d: databases are numbered from 0", o.DB)
	}
	if err := a.password(cmd, c, &o); err != nil {
		return o, err
	}
	return o, a.applySecurity(cmd, &c.security, &o)
}

// place finds out where the server is; the answer has what a URL says besides. onLine: it came from --url itself.
func (a *app) place(cmd *cobra.Command, c *connecting) (o keyspace.Options, onLine bool, err error) {
	if len(c.urls) > 1 {
		return o, false, usage("--url was given %d times: this version looks at one server at a time", len(c.urls))
	}
	given := func(is func(string) bool) string { // the first flag that names the place, but for --url
		for _, flag := range []string{"socket", "host", "port"} {
			if is(flag) {
				return flag
			}
		}
		return ""
	}
	line := given(func(flag string) bool { return a.onLine(cmd, flag) })
	environment := given(func(flag string) bool { return a.fromEnv[flag] != "" })
	redisURL, hasRedisURL := a.lookup("REDIS_URL")
	switch {
	case a.onLine(cmd, "socket") && (a.onLine(cmd, "host") || a.onLine(cmd, "port")):
		return o, false, usage("--socket names the server, and so do --host and --port: give one of them")
	case a.onLine(cmd, "url") && line != "":
		return o, false, usage("--url and --%s both name the server: give one of them", line)
	case a.onLine(cmd, "url"):
		o, err = parseURL("--url", c.urls[0])
		return o, true, err
	case line != "":
		return c.address(cmd, a.onLine(cmd, "host") || a.onLine(cmd, "port"))
	case a.fromEnv["url"] != "" && environment != "":
		return o, false, usage("LOCKTOP_URL and %s both name the server: unset one of them", a.fromEnv[environment])
	case a.fromEnv["url"] != "":
		o, err = parseURL("LOCKTOP_URL", c.urls[0])
		return o, false, err
	case environment == "" && hasRedisURL && redisURL != "":
		o, err = parseURL("REDIS_URL", redisURL)
		return o, false, err
	default:
		return c.address(cmd, false)
	}
}

// address is host and port, or the socket. A host or port on the command line hides a socket of the environment.
func (c *connecting) address(cmd *cobra.Command, hideSocket bool) (keyspace.Options, bool, error) {
	socketOnLine := cmd.Flags().Changed("socket") && !hideSocket
	switch {
	case socketOnLine && c.socket == "":
		return keyspace.Options{}, false, usage("--socket is empty: give the path of the server's unix socket")
	case socketOnLine:
		return keyspace.Options{Network: "unix", Addr: c.socket}, false, nil
	case c.port < 1 || c.port > 65535:
		return keyspace.Options{}, false, usage("--port %d: ports are 1 to 65535", c.port)
	case c.host == "":
		return keyspace.Options{}, false, usage("--host is empty: give a name or an address")
	}
	return keyspace.Options{Network: "tcp", Addr: net.JoinHostPort(c.host, strconv.Itoa(c.port))}, false, nil
}

// parseURL reads a URL; where says where it was found. The error never holds it: there may be a password in it.
func parseURL(where, url string) (keyspace.Options, error) {
	o, err := keyspace.ParseURL(url)
	if err != nil {
		return o, usage("%s: %v", where, err)
	}
	return o, nil
}

// password completes the options with a password that is asked for, or in REDISCLI_AUTH, and warns where other users of
// the machine can read it.
func (a *app) password(cmd *cobra.Command, c *connecting, o *keyspace.Options) error {
	switch {
	case c.askPass || a.onLine(cmd, "pass") && c.pass == "-":
		if c.askPass && a.onLine(cmd, "pass") && c.pass != "-" {
			return usage("--pass and --askpass both give the password: drop one of them")
		}
		password, err := a.askPassword(cmd.Context())
		if err != nil {
			return failed("reading the password: %w", err)
		}
		o.Password = password
	case a.onLine(cmd, "pass"):
		a.say("warning: a password in --pass can be seen by others in the list of processes; REDISCLI_AUTH and --askpass hide it")
	case a.onLine(cmd, "url") && o.Password != "":
		a.say("warning: a password in --url can be seen by others in the list of processes; REDISCLI_AUTH and --askpass hide it")
	case o.Password == "":
		o.Password, _ = a.lookup("REDISCLI_AUTH")
	}
	if o.Username != "" && o.Password == "" {
		return usage("the user %q has no password: set REDISCLI_AUTH, or give --askpass", o.Username)
	}
	return nil
}

// security is the flags about TLS.
type security struct {
	tls               bool
	caCert, cert, key string
	sni               string
	insecure          bool
}

func (s *security) add(set *pflag.FlagSet) {
	set.BoolVar(&s.tls, "tls", false, "speak TLS")
	set.StringVar(&s.caCert, "cacert", "", "`FILE` of the certificate authority to trust, in the place of the system's")
	set.StringVar(&s.cert, "cert", "", "`FILE` of our own certificate")
	set.StringVar(&s.key, "key", "", "`FILE` of its private key")
	set.StringVar(&s.sni, "sni", "", "`NAME` that the server's certificate must have, where it is not the host")
	set.BoolVar(&s.insecure, "insecure", false, "do not check the server's certificate")
}

// applySecurity makes the TLS configuration, if TLS was asked for.
func (a *app) applySecurity(cmd *cobra.Command, s *security, o *keyspace.Options) error {
	if o.TLS == nil && !s.tls {
		for _, flag := range []string{"cacert", "cert", "key", "sni", "insecure"} {
			if a.onLine(cmd, flag) {
				return usage("--%s is about TLS, which is off: add --tls, or use a rediss:// URL", flag)
			}
		}
		return nil
	}
	if o.Network == "unix" {
		return usage("--tls does not go with a unix socket: drop one of them")
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.TLS != nil {
		config = o.TLS.Clone()
	}
	if host, _, err := net.SplitHostPort(o.Addr); err == nil && config.ServerName == "" {
		config.ServerName = host
	}
	if s.sni != "" {
		config.ServerName = s.sni
	}
	config.InsecureSkipVerify = config.InsecureSkipVerify || s.insecure
	if err := s.certificates(config); err != nil {
		return err
	}
	o.TLS = config
	return nil
}

// certificates reads the files.
func (s *security) certificates(config *tls.Config) error {
	if s.caCert != "" {
		pem, err := os.ReadFile(s.caCert)
		if err != nil {
			return usage("--cacert: %v", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return usage("--cacert %s: there is no certificate in PEM form in it", s.caCert)
		}
	}
	if (s.cert == "") != (s.key == "") {
		return usage("--cert and --key belong together: give both, or none")
	}
	if s.cert != "" {
		pair, err := tls.LoadX509KeyPair(s.cert, s.key)
		if err != nil {
			return usage("--cert, --key: %v", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return nil
}

// where names the server and database for people and the audit, without a secret.
func where(o keyspace.Options) string { return fmt.Sprintf("%s/%d", o.Node(), o.DB) }
