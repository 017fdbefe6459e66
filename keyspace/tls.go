package keyspace

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"
)

// mendTLS says what mends an error of TLS; false: it is none.
func mendTLS(err error) (mend string, is bool) {
	var (
		verification *tls.CertificateVerificationError
		authority    x509.UnknownAuthorityError
		name         x509.HostnameError
		invalid      x509.CertificateInvalidError
		noHeader     tls.RecordHeaderError
		alert        tls.AlertError
	)
	text := err.Error()
	switch {
	case errors.As(err, &noHeader), strings.Contains(text, "first record does not look like a TLS handshake"):
		return "this port speaks plain Redis: leave --tls (rediss://) out", true
	case errors.As(err, &name):
		return "give a name that the server's certificate is for with --sni", true
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "have the server's certificate renewed, or look whether this machine's clock is right", true
	case errors.As(err, &authority):
		return "give the CA that signed the server's certificate with --cacert", true
	case errors.As(err, &verification):
		return "have a certificate made for the server that clients can verify", true
	case errors.As(err, &alert), strings.Contains(text, "remote error: tls: "):
		return mendAlert(text), true
	case strings.Contains(text, "tls: "):
		return "check --cert, --key and --cacert", true
	default:
		return "", false
	}
}

// mendAlert says what mends what the server has against us.
func mendAlert(text string) string {
	switch {
	case strings.Contains(text, "certificate required"), strings.Contains(text, "handshake failure"):
		return "the server wants a certificate of its clients: give --cert and --key"
	case strings.Contains(text, "expired certificate"):
		return "our certificate has expired: give a new one with --cert and --key"
	case strings.Contains(text, "certificate"):
		return "the server does not take our certificate: " + trusted
	case strings.Contains(text, "protocol version"):
		return "the server speaks no TLS 1.2 or 1.3, which its tls-protocols can change"
	case strings.Contains(text, "unrecognized name"):
		return "the server does not know the name that it is asked by: give another one with --sni"
	default:
		return "check --cert, --key and --cacert"
	}
}

const trusted = "give one with --cert and --key that an authority has signed which the server trusts"

// mendHangUp is for a server that closes the connection, and whose alert, if there was one, got lost with it.
func mendHangUp(config *tls.Config) string {
	wants := "if the server wants a certificate of its clients, give --cert and --key"
	if len(config.Certificates) > 0 || config.GetClientCertificate != nil {
		wants = "if the server does not take our certificate, " + trusted
	}
	return wants + "; if it speaks plain Redis, leave --tls (rediss://) out"
}
