package webhook

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"time"
)

// tlsAlert is what package tls calls an alert that the other side sent.
const tlsAlert = "remote error"

// tlsFault says why there was no TLS.
func tlsFault(err error) (code, about string) {
	if isTimeout(err) {
		return CodeTLSTimeout, ""
	}
	if _, plain := errors.AsType[tls.RecordHeaderError](err); plain {
		return CodeTLSMissing, ""
	}
	if code, about := certificateFault(err); code != "" {
		return code, about
	}
	about = tlsReason(err)
	if about == "protocol version not supported" || strings.HasPrefix(about, "server selected unsupported protocol version") {
		return CodeTLSVersion, ""
	}
	return CodeTLS, about
}

// certificateFault names the commonest faults of a certificate, "" for others.
func certificateFault(err error) (code, about string) {
	if _, unknown := errors.AsType[x509.UnknownAuthorityError](err); unknown {
		return CodeTLSAuthority, ""
	}
	if other, found := errors.AsType[x509.HostnameError](err); found {
		return CodeTLSHost, strings.Join(hosts(other.Certificate), ", ")
	}
	invalid, found := errors.AsType[x509.CertificateInvalidError](err)
	switch {
	case !found || invalid.Reason != x509.Expired:
		return "", ""
	case strings.Contains(invalid.Detail, " is before "): // the one reason stands for both
		return CodeTLSNotYet, invalid.Cert.NotBefore.UTC().Format(time.RFC3339)
	}
	return CodeTLSExpired, invalid.Cert.NotAfter.UTC().Format(time.RFC3339)
}

// hosts are the names and addresses that a certificate is for.
func hosts(c *x509.Certificate) []string {
	list := c.DNSNames
	for _, ip := range c.IPAddresses {
		list = append(list, ip.String())
	}
	return list
}

// tlsReason is what TLS says, in a few words. An error of the connection below would
// show our own address, so it is put into our words.
func tlsReason(err error) string {
	switch {
	case isOp(err, tlsAlert):
		o, _ := errors.AsType[*net.OpError](err)
		return strings.TrimPrefix(o.Err.Error(), "tls: ")
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed"
	}
	reason, found := strings.CutPrefix(err.Error(), "tls: ")
	if !found {
		return ""
	}
	return strings.TrimPrefix(reason, "failed to verify certificate: ")
}
