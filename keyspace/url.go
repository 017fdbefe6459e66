package keyspace

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// DefaultPort is where redis-cli looks too.
const DefaultPort = 6379

// ParseURL reads redis://[[user]:password@]host[:port][/db], the same with rediss:// for TLS, and
// unix://[[user]:password@]/path/to.sock[?db=n], as redis-cli and client libraries write them. Its errors never quote the
// URL, which may hold a password.
func ParseURL(raw string) (Options, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return Options{}, errors.New("the URL cannot be read (is a character of the password not percent-encoded?); " +
			"write redis://[user:password@]host[:port][/db]")
	}
	o := Options{Username: u.User.Username()}
	o.Password, _ = u.User.Password()
	switch u.Scheme {
	case "redis", "rediss", "valkey", "valkeys":
		if err := o.parseTCP(u); err != nil {
			return Options{}, err
		}
	case "unix", "redis+unix", "valkey+unix":
		o.Network, o.Addr = "unix", u.Path
		if u.Host != "" { // unix://relative/path.sock
			o.Addr = u.Host + u.Path
		}
		if o.Addr == "" {
			return Options{}, errors.New("the URL names no socket; write unix:///path/to/redis.sock")
		}
	default:
		return Options{}, fmt.Errorf("%q is no scheme of a Redis URL; write redis://, rediss:// (TLS) or unix://", u.Scheme)
	}
	if db := u.Query().Get("db"); db != "" {
		if o.DB, err = parseDB(db); err != nil {
			return Options{}, err
		}
	}
	return o, nil
}

func (o *Options) parseTCP(u *url.URL) error {
	host, port := u.Hostname(), u.Port()
	if host == "" {
		host = "127.0.0.1"
	}
	if port == "" {
		port = strconv.Itoa(DefaultPort)
	} else if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return fmt.Errorf("%q is no port; it is a number from 1 to 65535", port)
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

func parseDB(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is no database; it is a number from 0", text)
	}
	return n, nil
}
