package redistest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// ServerName is a name that the certificate of a server is for, besides localhost and 127.0.0.1: what a client must say
// (--sni) that reaches the server by an address that the certificate does not have.
const ServerName = "locks.example"

// Certificates are an authority and what it has signed, in files as Redis and redis-cli want them.
type Certificates struct {
	CA                    string // the authority's certificate
	ServerCert, ServerKey string // for localhost, 127.0.0.1 and ServerName
	ClientCert, ClientKey string

	// Roots has the authority, and ClientCertificate the client's certificate, for Go's own TLS.
	Roots             *x509.CertPool
	ClientCertificate tls.Certificate
}

// NewCertificates makes an authority of its own, and what it signs, good for an hour.
func NewCertificates(tb testing.TB) *Certificates {
	tb.Helper()
	must := func(err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
	dir := tb.TempDir()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		must(os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
		return path
	}
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, authority, authority, &authorityKey.PublicKey, authorityKey)
	must(err)
	parsed, err := x509.ParseCertificate(der)
	must(err)
	c := &Certificates{CA: write("ca.pem", "CERTIFICATE", der), Roots: x509.NewCertPool()}
	c.Roots.AddCert(parsed)
	sign := func(serial int64, name string) (certFile, keyFile string) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		must(err)
		der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
			SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name},
			NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
			KeyUsage:    x509.KeyUsageDigitalSignature,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost", ServerName},
		}, authority, &key.PublicKey, authorityKey)
		must(err)
		private, err := x509.MarshalPKCS8PrivateKey(key)
		must(err)
		return write(name+".pem", "CERTIFICATE", der), write(name+".key", "PRIVATE KEY", private)
	}
	c.ServerCert, c.ServerKey = sign(2, "server")
	c.ClientCert, c.ClientKey = sign(3, "client")
	c.ClientCertificate, err = tls.LoadX509KeyPair(c.ClientCert, c.ClientKey)
	must(err)
	return c
}
