package cli

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktop/keyspace"
)

// connecting is the flags that say where the server is and who we are there; they are redis-cli's.
type connecting struct {
	host, socket string
	port, db     int
	urls         []string
	sentinel     string
	user, pass   string
	askPass      bool
	// sentinelUser and sentinelPass are for the sentinels, user and pass for the master that they name.
	sentinelUser, sentinelPass string
	security                   security
}

// add offers all of them.
func (c *connecting) add(cmd *cobra.Command) {
	addGroup(cmd, groupConnection, func(set *pflag.FlagSet) {
		set.StringVarP(&c.host, "host", "h", "127.0.0.1", "server's `NAME` or address")
		set.IntVarP(&c.port, "port", "p", 6379, "server's `PORT`")
		set.StringVarP(&c.socket, "socket", "s", "", "`PATH` of the server's unix socket, in the place of host and port")
		set.IntVarP(&c.db, "db", "n", 0, "database `NUMBER`")
		set.StringArrayVarP(&c.urls, "url", "u", nil, "the same in one `URL`: redis[s]://user:password@host:port/db or unix:///path?db=n; REDIS_URL is read too; repeated: the independent masters of a Redlock")
		set.StringVar(&c.sentinel, "sentinel", "", "look at the `MASTER` of this name; host and port, or each --url, are sentinels then (port 26379)")
		set.StringVar(&c.sentinelUser, "sentinel-user", "", "ACL `USER` for the sentinels themselves")
		set.StringVar(&c.sentinelPass, "sentinel-pass", "", "`PASSWORD` for the sentinels themselves; better in LOCKTOP_SENTINEL_PASS")
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

// options are those of the one server that is named.
func (a *app) options(cmd *cobra.Command, c *connecting) (keyspace.Options, error) {
	place, err := a.place(cmd, c)
	if err != nil {
		return keyspace.Options{}, err
	}
	return place.Servers[0], nil
}

// place is what the flags, the environment and the defaults come to, in this order of precedence. A server that is
// named on the command line hides REDIS_URL as a whole, so that no password goes to a server it was not meant for.
func (a *app) place(cmd *cobra.Command, c *connecting) (keyspace.Place, error) {
	servers, urlOnLine, err := a.named(cmd, c)
	if err != nil {
		return keyspace.Place{}, err
	}
	// A URL on the command line hides the variables for what a URL may name; what it does not name is the default.
	overrides := func(flag string) bool {
		return a.onLine(cmd, flag) || cmd.Flags().Changed(flag) && !urlOnLine
	}
	for i := range servers {
		o := &servers[i]
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
			return keyspace.Place{}, usage("--db %d: databases are numbered from 0", o.DB)
		}
	}
	if err := a.passwords(cmd, c, servers); err != nil {
		return keyspace.Place{}, err
	}
	for i := range servers {
		if err := a.applySecurity(cmd, &c.security, &servers[i]); err != nil {
			return keyspace.Place{}, err
		}
	}
	place := keyspace.Place{Servers: servers}
	return place, a.applySentinel(cmd, c, &place)
}

// applySentinel makes the servers sentinels, if that was asked for: what was said of user and password is for their master.
func (a *app) applySentinel(cmd *cobra.Command, c *connecting, place *keyspace.Place) error {
	if c.sentinel == "" {
		for _, flag := range []string{"sentinel", "sentinel-user", "sentinel-pass"} {
			if a.onLine(cmd, flag) {
				return usage("--sentinel is empty: name the master that the sentinels watch, such as --sentinel mymaster")
			}
		}
		return nil
	}
	if a.onLine(cmd, "sentinel-pass") {
		a.say("warning: a password in --sentinel-pass can be seen by others in the list of processes; LOCKTOP_SENTINEL_PASS hides it")
	}
	place.Sentinel, place.Master = c.sentinel, place.Servers[0]
	for i := range place.Servers {
		o := &place.Servers[i]
		if o.Network == "unix" {
			return usage("--sentinel: sentinels name their master by host and port, and are reached so themselves; give no socket")
		}
		o.Username, o.Password, o.DB = c.sentinelUser, c.sentinelPass, 0
	}
	return nil
}

// named finds out which servers were named; the answer has what a URL says besides. onLine: it came from --url itself.
func (a *app) named(cmd *cobra.Command, c *connecting) (servers []keyspace.Options, onLine bool, err error) {
	given := func(is func(string) bool) string { // the first flag that names the server, but for --url
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
		return nil, false, usage("--socket names the server, and so do --host and --port: give one of them")
	case a.onLine(cmd, "url") && line != "":
		return nil, false, usage("--url and --%s both name the server: give one of them", line)
	case a.onLine(cmd, "url"):
		servers, err = c.parseURLs("--url", c.urls)
		return servers, true, err
	case line != "":
		return c.address(cmd, a.onLine(cmd, "host") || a.onLine(cmd, "port"))
	case a.fromEnv["url"] != "" && environment != "":
		return nil, false, usage("LOCKTOP_URL and %s both name the server: unset one of them", a.fromEnv[environment])
	case a.fromEnv["url"] != "":
		servers, err = c.parseURLs("LOCKTOP_URL", c.urls)
		return servers, false, err
	case a.ownPlace && a.fromProfile("url"):
		servers, err = c.parseURLs("url of the profile "+a.profile.Name, c.urls)
		return servers, false, err
	case !a.ownPlace && environment == "" && hasRedisURL && redisURL != "":
		servers, err = c.parseURLs("REDIS_URL", strings.Fields(redisURL))
		return servers, false, err
	default:
		return c.address(cmd, false)
	}
}

// address is host and port, or the socket. A host or port on the command line hides a socket of the environment.
func (c *connecting) address(cmd *cobra.Command, hideSocket bool) ([]keyspace.Options, bool, error) {
	if c.sentinel != "" && !cmd.Flags().Changed("port") {
		c.port = sentinelPort
	}
	socketOnLine := cmd.Flags().Changed("socket") && !hideSocket
	switch {
	case socketOnLine && c.socket == "":
		return nil, false, usage("--socket is empty: give the path of the server's unix socket")
	case socketOnLine && strings.Contains(c.socket, "://"):
		return nil, false, usage("--socket is the path of a unix socket; a URL goes with --url")
	case socketOnLine:
		return []keyspace.Options{{Network: "unix", Addr: c.socket}}, false, nil
	case c.port < 1 || c.port > 65535:
		return nil, false, usage("--port %d: ports are 1 to 65535", c.port)
	case c.host == "":
		return nil, false, usage("--host is empty: give a name or an address")
	}
	if err := keyspace.CheckHost(c.host); err != nil {
		return nil, false, usage("--host: %w", err)
	}
	return []keyspace.Options{{Network: "tcp", Addr: net.JoinHostPort(c.host, strconv.Itoa(c.port))}}, false, nil
}

// sentinelPort is where redis-server --sentinel listens.
const sentinelPort = 26379

// parseURLs reads URLs; where says where they were found. The error never holds one: there may be a password in it.
func (c *connecting) parseURLs(where string, urls []string) ([]keyspace.Options, error) {
	var servers []keyspace.Options
	for _, raw := range urls {
		o, err := keyspace.ParseURL(raw)
		if err != nil {
			return nil, usage("%s: %w", where, err)
		}
		if u, err := url.Parse(raw); err == nil && u.Port() == "" && c.sentinel != "" && o.Network == "tcp" {
			o.Addr = net.JoinHostPort(cmp.Or(u.Hostname(), "127.0.0.1"), strconv.Itoa(sentinelPort))
		}
		servers = append(servers, o)
	}
	if len(servers) == 0 {
		return nil, usage("%s is empty: name a server", where)
	}
	return servers, nil
}

// passwords completes the options with a password that is asked for, or in REDISCLI_AUTH, and warns where other users of
// the machine can read one.
func (a *app) passwords(cmd *cobra.Command, c *connecting, servers []keyspace.Options) (err error) {
	lacks := func(o keyspace.Options) bool { return o.Password == "" }
	has := func(o keyspace.Options) bool { return o.Password != "" }
	switch {
	case c.askPass || a.onLine(cmd, "pass") && c.pass == "-":
		if c.askPass && a.onLine(cmd, "pass") && c.pass != "-" {
			return usage("--pass and --askpass both give the password: drop one of them")
		}
		password, err := a.askPassword(cmd.Context())
		if err != nil {
			return failed("reading the password: %w", err)
		}
		for i := range servers {
			servers[i].Password = password
		}
	case a.onLine(cmd, "pass"):
		a.say("warning: a password in --pass can be seen by others in the list of processes; REDISCLI_AUTH and --askpass hide it")
	case a.onLine(cmd, "url") && slices.ContainsFunc(servers, has):
		a.say("warning: a password in --url can be seen by others in the list of processes; REDISCLI_AUTH and --askpass hide it")
	}
	for i := range servers {
		o := &servers[i]
		if lacks(*o) && !a.onLine(cmd, "pass") && !c.askPass {
			o.Password, _ = a.lookup("REDISCLI_AUTH")
			if lacks(*o) {
				if o.Password, err = a.commandedPassword(cmd.Context()); err != nil {
					return err
				}
			}
		}
		if o.Username != "" && lacks(*o) {
			return usage("the user %q has no password: set REDISCLI_AUTH, or give --askpass", o.Username)
		}
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
			return usage("--cacert: %w", err)
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
		load := func() (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(s.cert, s.key)
			return &pair, err
		}
		if _, err := load(); err != nil {
			return usage("--cert, --key: %w", err)
		}
		// Certificates are short-lived: a connection that is made later shows the one that is in the file by then.
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return load() }
	}
	return nil
}

// shortly is where for a header, which says itself whom the sentinels name.
func shortly(place keyspace.Place) string {
	if place.Sentinel != "" {
		return fmt.Sprintf("%s/%d", place.Sentinel, place.Master.DB)
	}
	return where(place)
}

// where names the servers and their database for people and the audit, without a secret.
func where(place keyspace.Place) string {
	names := make([]string, len(place.Servers))
	for i, o := range place.Servers {
		names[i] = string(o.Node())
	}
	addresses := strings.Join(names, ", ")
	if place.Sentinel != "" {
		return fmt.Sprintf("%s/%d by sentinel %s", place.Sentinel, place.Master.DB, addresses)
	}
	return fmt.Sprintf("%s/%d", addresses, place.Servers[0].DB)
}
