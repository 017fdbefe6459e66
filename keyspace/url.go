package keyspace

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// DefaultPort is where redis-cli looks too.
const DefaultPort = 6379

// ErrURL is what the errors of [ParseURL] wrap.
var ErrURL = errors.New("bad URL")

// ErrHost says that a text is no name or address of a server. The text is not repeated: a URL in its place may have a
// password in it.
var ErrHost = errors.New("neither a name nor an address; a URL goes with --url, and a port with --port")

// CheckHost refuses what cannot be the name or the address of a server.
func CheckHost(host string) error {
	if strings.Contains(host, ":") {
		if _, err := netip.ParseAddr(host); err != nil {
			return ErrHost
		}
	}
	if strings.ContainsAny(host, "/@[]? \t\r\n") {
		return ErrHost
	}
	return nil
}

// userInfo is a user or a password before the host of a URL, also one that is not escaped. In our own advice it has brackets.
var userInfo = regexp.MustCompile(`(?i)\b(rediss?|valkeys?|unix)(\+unix)?:/{1,2}[^\s\[\]]*@`)

// HideUserInfo takes user and password out of each URL of a server in a text.
func HideUserInfo(text string) string { return userInfo.ReplaceAllString(text, "$1$2://***@") }

// ParseURL reads redis://[[user]:password@]host[:port][/db], the same with rediss:// for TLS, and
// unix://[[user]:password@]/path/to.sock[?db=n], as redis-cli and client libraries write them. What stands alone before the
// "@" is a password, as for redis-cli. Of go-redis' parameters db, client_name, dial_timeout, read_timeout and skip_verify
// count, and those of its pool are taken without effect.
//
// Its errors quote nothing of the URL but the names of parameters: where a password is not escaped, any part of the URL may
// be a piece of it.
func ParseURL(raw string) (Options, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return Options{}, fmt.Errorf("%w: it cannot be read (is a character of the password not percent-encoded?); "+
			"write redis://[user:password@]host[:port][/db]", ErrURL)
	}
	if err := misread(raw, u); err != nil {
		return Options{}, err
	}
	o := Options{Username: u.User.Username()}
	password, both := u.User.Password()
	if o.Password = password; !both {
		o.Username, o.Password = "", o.Username
	}
	switch u.Scheme {
	case "redis", "rediss", "valkey", "valkeys":
		if err := o.parseTCP(u); err != nil {
			return Options{}, err
		}
	case "unix", "redis+unix", "valkey+unix":
		o.Network, o.Addr = "unix", u.Host+u.Path // a relative path begins where a host would stand
		if o.Addr == "" {
			return Options{}, fmt.Errorf("%w: it names no socket; write unix:///path/to/redis.sock", ErrURL)
		}
	default:
		return Options{}, fmt.Errorf("%w: it begins with no scheme of Redis; write redis://, rediss:// (TLS) or unix://", ErrURL)
	}
	if err := o.parseParameters(u); err != nil {
		return Options{}, err
	}
	return o, nil
}

// misread says whether a character of the password, which is not escaped, ends it too early, so that a piece of it stands where the
// server's name is.
func misread(raw string, u *url.URL) error {
	inPath := strings.Contains(u.Path, "@") && (u.Host != "" || !strings.Contains(raw, "://")) // unix:///run/a@b is a path
	if strings.Contains(raw, "#") || strings.Contains(u.RawQuery, "@") || inPath {
		return fmt.Errorf("%w: it has a # or an @ where none can be; in a password, write %%23 for #, %%3F for ?, %%2F for / and %%40 for @", ErrURL)
	}
	return nil
}

func (o *Options) parseTCP(u *url.URL) error {
	host, port := u.Hostname(), u.Port()
	if host == "" {
		host = "127.0.0.1"
	}
	if port == "" {
		port = strconv.Itoa(DefaultPort)
	} else if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return fmt.Errorf("%w: its port is not a number from 1 to 65535", ErrURL)
	}
	o.Network, o.Addr = "tcp", net.JoinHostPort(host, port)
	if u.Scheme == "rediss" || u.Scheme == "valkeys" {
		o.TLS = &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	}
	path := strings.Trim(u.Path, "/")
	if path == "" {
		return nil
	}
	var err error
	o.DB, err = parseDB(path)
	return err
}

// poolParameters are those of go-redis' URLs that say how a program pools its connections, which is not how we do.
var poolParameters = []string{
	"conn_max_idle_time", "conn_max_lifetime", "context_timeout_enabled", "idle_check_frequency", "idle_timeout",
	"max_active_conns", "max_conn_age", "max_idle_conns", "max_retries", "max_retry_backoff", "min_idle_conns",
	"min_retry_backoff", "pool_fifo", "pool_size", "pool_timeout", "protocol", "write_timeout",
}

func (o *Options) parseParameters(u *url.URL) error {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return fmt.Errorf("%w: what follows the \"?\" cannot be read; write ?db=1&dial_timeout=2s", ErrURL)
	}
	for name, values := range query {
		value := values[len(values)-1]
		var err error
		switch {
		case value == "" || slices.Contains(poolParameters, name):
		case name == "db":
			o.DB, err = parseDB(value)
		case name == "client_name":
			o.ClientName = value
		case name == "dial_timeout":
			o.DialTimeout, err = parseTimeout(name, value)
		case name == "read_timeout":
			o.CommandTimeout, err = parseTimeout(name, value)
		case name == "skip_verify" && o.TLS != nil:
			o.TLS.InsecureSkipVerify, err = strconv.ParseBool(value) // the user asks for it
			if err != nil {
				err = fmt.Errorf("%w: skip_verify is neither true nor false", ErrURL)
			}
		default:
			err = fmt.Errorf("%w: it has a parameter that is not known here; db, client_name, dial_timeout, read_timeout "+
				"and, with rediss://, skip_verify are", ErrURL)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func parseDB(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%w: its database is not a number from 0", ErrURL)
	}
	return n, nil
}

// parseTimeout reads "2s", and "2" as seconds, as go-redis does.
func parseTimeout(name, text string) (time.Duration, error) {
	if seconds, err := strconv.Atoi(text); err == nil {
		text = strconv.Itoa(seconds) + "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%w: %s is not a time above zero, such as 2s", ErrURL, name)
	}
	return d, nil
}
