package redistest

import "testing"

// TLS is a server whose port speaks nothing but TLS. Its unix socket is plain, for the test's own commands.
type TLS struct {
	*Server
	*Certificates
}

// StartTLS runs such a server. It asks clients for no certificate, unless args say "--tls-auth-clients", "optional" or "yes".
func StartTLS(tb testing.TB, args ...string) *TLS {
	tb.Helper()
	c := NewCertificates(tb)
	s := newServer(tb)
	s.options = func(port string) []string {
		return s.common("0", append([]string{
			"--tls-port", port, "--tls-ca-cert-file", c.CA, "--tls-cert-file", c.ServerCert, "--tls-key-file", c.ServerKey,
			"--tls-auth-clients", "no",
		}, args...))
	}
	launch(tb, s)
	return &TLS{Server: s, Certificates: c}
}
