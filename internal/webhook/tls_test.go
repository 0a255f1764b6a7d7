package webhook

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// certificate makes a self-signed certificate for ip, and the PEM file that
// makes a client trust it.
func certificate(t *testing.T, ip string, until time.Time) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: until.Add(-24 * time.Hour), NotAfter: until,
		IPAddresses: []net.IP{net.ParseIP(ip)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

func tlsReceiver(t *testing.T, conf *tls.Config, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	srv := httptest.NewUnstartedServer(handler)
	srv.TLS = conf
	srv.EnableHTTP2 = true
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	t.Cleanup(srv.Close)
	return srv
}

func thanks(http.ResponseWriter, *http.Request) {}

func TestOnlyTrustedCertificatesAreAccepted(t *testing.T) {
	tomorrow, yesterday := time.Now().Add(12*time.Hour), time.Now().Add(-12*time.Hour)
	for what, c := range map[string]struct {
		ip      string
		until   time.Time
		trusted bool
		conf    *tls.Config
		code    string
	}{
		"trusted by the CA file": {"127.0.0.1", tomorrow, true, &tls.Config{}, ""},
		"self-signed":            {"127.0.0.1", tomorrow, false, &tls.Config{}, CodeTLS},
		"expired":                {"127.0.0.1", yesterday, true, &tls.Config{}, CodeTLS},
		"of another host":        {"127.0.0.2", tomorrow, true, &tls.Config{}, CodeTLS},
		"TLS 1.1 only":           {"127.0.0.1", tomorrow, true, &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, CodeTLS},
		"wants our certificate":  {"127.0.0.1", tomorrow, true, &tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}, CodeTLS},
	} {
		cert, file := certificate(t, c.ip, c.until)
		conf := c.conf.Clone()
		conf.Certificates = []tls.Certificate{cert}
		srv := tlsReceiver(t, conf, thanks)
		o := ClientOptions{}
		if c.trusted {
			o.CAFile = file
		}
		out := client(t, o).Post(t.Context(), request(srv.URL))
		if out.Attempt.ErrorCode != c.code || out.Delivered != (c.code == "") {
			t.Errorf("%s: %+v", what, out)
		}
	}
}

func TestAServerWithoutTLSIsATLSError(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(thanks))
	defer srv.Close()
	if a := client(t, ClientOptions{}).Post(t.Context(), request("https"+srv.URL[len("http"):])).Attempt; a.ErrorCode != CodeTLS {
		t.Errorf("attempt %+v", a)
	}
}

func TestHTTP2IsSpokenAndSurvivesAClosedConnection(t *testing.T) {
	cert, file := certificate(t, "127.0.0.1", time.Now().Add(time.Hour))
	protocols := make(chan string, 3)
	srv := tlsReceiver(t, &tls.Config{Certificates: []tls.Certificate{cert}}, func(w http.ResponseWriter, r *http.Request) {
		protocols <- r.Proto
		w.Header().Set("Connection", "close") // over HTTP/2 this sends GOAWAY
	})
	c := client(t, ClientOptions{CAFile: file})
	for range cap(protocols) {
		out := c.Post(t.Context(), request(srv.URL))
		if got := <-protocols; !out.Delivered || got != "HTTP/2.0" {
			t.Errorf("over %s: %+v", got, out)
		}
	}
}
