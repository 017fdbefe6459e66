package keyspace

import (
	"crypto/tls"
	"net"
)

// Place says where the servers are, as a user names them.
type Place struct {
	// Servers are one server, or any nodes of a cluster, or several independent masters; or, where Sentinel is set, sentinels.
	Servers []Options
	// Sentinel is the name of the master that the sentinels watch; empty: there are none.
	Sentinel string
	// Master says how to speak to the master that the sentinels name, who also give its address.
	Master Options
}

// at is the same user with the same security at another address. TLS expects that address's name in the certificate, unless
// another name than our own address was to be expected.
func (o Options) at(addr string) Options {
	host, _, _ := net.SplitHostPort(addr) // an address without a port has no name to expect
	ownHost, _, _ := net.SplitHostPort(o.Addr)
	if o.TLS != nil && (o.TLS.ServerName == ownHost || o.TLS.ServerName == "") {
		o.TLS = withServerName(o.TLS, host)
	}
	o.Network, o.Addr = "tcp", addr
	return o
}

func withServerName(config *tls.Config, name string) *tls.Config {
	config = config.Clone()
	config.ServerName = name
	return config
}
