package cli

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/keyspace/redistest"
)

// authority signs certificates, into files.
type authority struct {
	t           *testing.T
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	file        string
}

func newAuthority(t *testing.T, dir string) *authority {
	t.Helper()
	a := &authority{t: t, file: filepath.Join(dir, "authority.pem")}
	a.key = a.newKey()
	a.certificate = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.write(a.file, "CERTIFICATE", a.signed(a.certificate, &a.key.PublicKey))
	return a
}

func (a *authority) newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	return key
}

func (a *authority) signed(template *x509.Certificate, public *ecdsa.PublicKey) []byte {
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, public, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	return der
}

func (a *authority) write(file, kind string, der []byte) {
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// sign makes a certificate for these names, good until a time, and its key.
func (a *authority) sign(file string, until time.Time, names ...string) (certificate, key string) {
	private := a.newKey()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: names[0]}, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: until,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	a.write(file+".pem", "CERTIFICATE", a.signed(template, &private.PublicKey))
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		a.t.Fatal(err)
	}
	a.write(file+".key", "PRIVATE KEY", der)
	return file + ".pem", file + ".key"
}

// TestTLS connects in every way that is right, and in every way that is wrong: then one line says what, why, and the mend.
func TestTLS(t *testing.T) {
	ownState(t)
	dir, elsewhere := t.TempDir(), t.TempDir()
	ours, others := newAuthority(t, dir), newAuthority(t, elsewhere)
	server := redistest.StartTLS(t, "--tls-auth-clients", "optional")
	wants := redistest.StartTLS(t, "--tls-auth-clients", "yes")
	plain := redistest.Start(t)
	for _, s := range []*redistest.Server{server.Server, wants.Server, plain} {
		s.Do("SET", "lock:a", "worker-7", "PX", 600000)
	}
	show := func(s *redistest.Server, cert, key string) {
		s.Do("CONFIG", "SET", "tls-cert-file", cert, "tls-key-file", key)
	}
	soon := time.Now().Add(time.Hour)
	expired, expiredKey := ours.sign(filepath.Join(dir, "expired"), time.Now().Add(-time.Hour), "127.0.0.1")
	named, namedKey := ours.sign(filepath.Join(dir, "named"), soon, "db.example")
	odd, oddKey := ours.sign(filepath.Join(dir, "odd"), soon, "\x1b]0;pwned\x07.example")
	stranger, strangerKey := others.sign(filepath.Join(elsewhere, "stranger"), soon, "127.0.0.1")
	dated, datedKey := others.sign(filepath.Join(elsewhere, "dated"), time.Now().Add(-time.Hour), "127.0.0.1")
	use := func(cert, key string) func() { return func() { show(server.Server, cert, key) } }
	usual := use(server.ServerCert, server.ServerKey)
	for _, test := range []struct {
		name   string
		before func()
		args   string
		says   string // empty: it works
	}{
		{"the authority", usual, "-p {server} --tls --cacert {ca}", ""},
		{"a URL", usual, "-u rediss://127.0.0.1:{server} --cacert {ca}", ""},
		{"a certificate of ours that nobody asked for", usual, "-p {server} --tls --cacert {ca} --cert " + server.ClientCert + " --key " + server.ClientKey, ""},
		{"a certificate of ours", usual, "-p {wants} --tls --cacert " + wants.CA + " --cert " + wants.ClientCert + " --key " + wants.ClientKey, ""},
		{"another name", use(named, namedKey), "-p {server} --tls --cacert " + ours.file + " --sni db.example", ""},
		{"anything", use(expired, expiredKey), "-p {server} --tls --insecure", ""},
		{"the wrong authority", usual, "-p {server} --tls --cacert " + ours.file, "with --cacert"},
		{"an authority that nobody knows", usual, "-p {server} --tls", "with --cacert"},
		{"an expired certificate", use(expired, expiredKey), "-p {server} --tls --cacert " + ours.file, "renewed"},
		{"the wrong name", use(named, namedKey), "-p {server} --tls --cacert " + ours.file, "--sni"},
		{"the wrong --sni", usual, "-p {server} --tls --cacert {ca} --sni other.example", "--sni"},
		{"a name that a terminal would obey", use(odd, oddKey), "-p {server} --tls --cacert " + ours.file + " --sni x.example", "--sni"},
		{"no certificate of ours", usual, "-p {wants} --tls --cacert " + wants.CA, "give --cert and --key"},
		{"a certificate of a stranger", usual, "-p {wants} --tls --cacert " + wants.CA + " --cert " + stranger + " --key " + strangerKey, "an authority has signed which the server trusts"},
		{"an expired one of ours", usual, "-p {wants} --tls --cacert " + wants.CA + " --cert " + dated + " --key " + datedKey, "--cert"},
		{"no key", usual, "-p {wants} --tls --cacert " + wants.CA + " --cert " + wants.ClientCert, "--cert and --key belong together"},
		{"the wrong key", usual, "-p {wants} --tls --cacert " + wants.CA + " --cert " + wants.ClientCert + " --key " + strangerKey, "--cert, --key"},
		{"a key that is none", usual, "-p {wants} --tls --cacert " + wants.CA + " --cert " + wants.ClientCert + " --key " + wants.CA, "--cert, --key"},
		{"no file", usual, "-p {server} --tls --cacert " + filepath.Join(dir, "none"), "--cacert"},
		{"a plain port", usual, "-p {plain} --tls --cacert {ca}", "leave --tls"},
		{"a TLS port without it", usual, "-p {server}", "--tls"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.before()
			line := strings.NewReplacer("{server}", portOf(server.Server), "{wants}", portOf(wants.Server), "{plain}", portOf(plain), "{ca}", server.CA).Replace(test.args)
			args := strings.Fields(line)
			code, stdout, stderr := run(t, append([]string{"list"}, args...)...)
			if test.says == "" {
				if code != exitDone || !strings.Contains(stdout, "lock:a") {
					t.Errorf("code %d, %s%s", code, stdout, stderr)
				}
				if code, stdout, stderr := run(t, append([]string{"extend", "lock:a", "--holder", "worker-7", "--ttl", "1h", "--yes"}, args...)...); code != exitDone {
					t.Errorf("extend: code %d, %s%s", code, stdout, stderr)
				}
				return
			}
			if code != exitError && code != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, test.says) || strings.Contains(stderr, "\x1b") {
				t.Errorf("code %d, %q %q, want %s", code, stdout, stderr, test.says)
			}
		})
	}
}

func portOf(s *redistest.Server) string {
	_, port, _ := net.SplitHostPort(s.Addr)
	return port
}

// TestRenewedCertificates watches while the server's certificate, and our own, are renewed, the latter by another authority, and all
// connections are closed.
func TestRenewedCertificates(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	ours, others := newAuthority(t, dir), newAuthority(t, elsewhere)
	soon := time.Now().Add(time.Hour)
	first, firstKey := ours.sign(filepath.Join(dir, "first"), soon, "127.0.0.1")
	second, secondKey := ours.sign(filepath.Join(dir, "second"), soon, "127.0.0.1")
	mine, mineKey := ours.sign(filepath.Join(dir, "mine"), soon, "me")
	server := redistest.StartTLS(t, "--tls-auth-clients", "yes")
	server.Do("CONFIG", "SET", "tls-cert-file", first, "tls-key-file", firstKey, "tls-ca-cert-file", ours.file)

	ctx, stop := context.WithCancel(t.Context())
	var out watched
	var watching sync.WaitGroup
	watching.Go(func() {
		args := []string{"watch", "-p", portOf(server.Server), "--tls", "--cacert", ours.file, "--cert", mine, "--key", mineKey, "--notify", "require"}
		Main(ctx, args, strings.NewReader(""), &out, &out)
	})
	defer watching.Wait()
	defer stop()
	says := func(words string) {
		t.Helper()
		redistest.Eventually(t, 20*time.Second, func() (bool, string) { return strings.Contains(out.String(), words), out.String() })
	}
	says("by push")
	server.Do("SET", "lock:before", "worker-7", "PX", 60000)
	says("lock:before")
	newer, newerKey := others.sign(filepath.Join(elsewhere, "mine"), soon, "me")
	for from, to := range map[string]string{newer: mine, newerKey: mineKey} {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	server.Do("CONFIG", "SET", "tls-cert-file", second, "tls-key-file", secondKey, "tls-ca-cert-file", others.file)
	for _, kind := range []string{"normal", "pubsub"} {
		server.Do("CLIENT", "KILL", "TYPE", kind)
	}
	says("gap")
	redistest.Eventually(t, 20*time.Second, func() (bool, string) {
		server.Do("SET", "lock:after", "worker-7", "PX", 60000)
		return strings.Contains(out.String(), "lock:after"), out.String()
	})
}

// watched is what a command has written until now.
type watched struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (w *watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.Write(b)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.String()
}
