package webhook

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"typus/internal/webhook/hostiletest"
)

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

func TestOnlyTrustedCertificatesAreAcceptedAndWhyNotIsSaid(t *testing.T) {
	tomorrow, yesterday, later := time.Now().Add(12*time.Hour), time.Now().Add(-12*time.Hour), time.Now().Add(36*time.Hour)
	old := &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	for what, c := range map[string]struct {
		ip      string
		until   time.Time
		trusted bool
		conf    *tls.Config
		code    string
	}{
		"trusted by the CA file": {"127.0.0.1", tomorrow, true, &tls.Config{}, ""},
		"self-signed":            {"127.0.0.1", tomorrow, false, &tls.Config{}, CodeTLSAuthority},
		"expired":                {"127.0.0.1", yesterday, true, &tls.Config{}, CodeTLSExpired + " " + yesterday.UTC().Format(time.RFC3339)},
		"not valid yet":          {"127.0.0.1", later, true, &tls.Config{}, CodeTLSNotYet + " " + later.Add(-24*time.Hour).UTC().Format(time.RFC3339)},
		"of another host":        {"127.0.0.2", tomorrow, true, &tls.Config{}, CodeTLSHost + " 127.0.0.2"},
		"TLS 1.1 only":           {"127.0.0.1", tomorrow, true, old, CodeTLSVersion},
		"wants ours":             {"127.0.0.1", tomorrow, true, &tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}, CodeTLS + " handshake failure"},
	} {
		cert, file := hostiletest.Certificate(t, c.ip, c.until)
		conf := c.conf.Clone()
		conf.Certificates = []tls.Certificate{cert}
		srv := tlsReceiver(t, conf, thanks)
		o := ClientOptions{}
		if c.trusted {
			o.CAFile = file
		}
		out := client(t, o).Post(t.Context(), request(srv.URL))
		if out.Attempt.ErrorCode != c.code || out.Delivered != (c.code == "") {
			t.Errorf("%s: %+v, want code %q", what, out.Attempt, c.code)
		}
	}
}

// With TLS 1.3 the receiver says so after our side of the handshake. Over HTTP/2 the
// transport hides it when it comes before the request, which is then said to have
// met a closed connection; and a receiver that closes before it has read the request
// resets the connection, which can overtake what it said.
func TestAReceiverThatWantsACertificateOfOursIsHeard(t *testing.T) {
	cert, file := hostiletest.Certificate(t, "127.0.0.1", time.Now().Add(time.Hour))
	srv := tlsReceiver(t, &tls.Config{Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequireAnyClientCert}, thanks)
	a := client(t, ClientOptions{CAFile: file}).Post(t.Context(), request(srv.URL)).Attempt
	if !slices.Contains([]string{CodeTLS + " certificate required", CodeClosed, CodeReset}, a.ErrorCode) {
		t.Errorf("%+v", a)
	}
}

func TestAServerWithoutTLSIsSaidToHaveNone(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(thanks))
	defer srv.Close()
	for what, url := range map[string]string{"http": srv.URL, "something else": hostiletest.Start(t, hostiletest.SpeaksGarbage).URL} {
		if a := client(t, ClientOptions{}).Post(t.Context(), request("https"+url[len("http"):])).Attempt; a.ErrorCode != CodeTLSMissing {
			t.Errorf("%s: %+v", what, a)
		}
	}
}

// The error of a broken handshake holds our own address, which is nobody's business.
func TestABrokenHandshakeTellsNoAddress(t *testing.T) {
	for want, b := range map[string]hostiletest.Behaviour{
		CodeTLS + " connection closed": func(conn net.Conn) {
			io.ReadFull(conn, make([]byte, 100))
			conn.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, conn)
		},
		CodeTLS + " connection reset": hostiletest.ResetsAtOnce,
	} {
		r := hostiletest.Start(t, b)
		if a := client(t, ClientOptions{}).Post(t.Context(), request("https"+r.URL[len("http"):])).Attempt; a.ErrorCode != want {
			t.Errorf("code %q, want %q", a.ErrorCode, want)
		}
	}
}

// A certificate's names are a stranger's text and end in our log and pages.
func TestWhatACodeIsAboutIsShortAndPrintable(t *testing.T) {
	said := join(CodeTLSHost, "evil\x00\x1b[31m\u202e.example.com, "+strings.Repeat("long", 1000))
	code, about := SplitCode(said)
	if code != CodeTLSHost || len(about) != maxAbout || !strings.HasPrefix(about, "evil[31m.example.com, ") {
		t.Errorf("code %q about %q", code, about)
	}
	if code, about := SplitCode(join(CodeDNS, "")); code != CodeDNS || about != "" {
		t.Errorf("code %q about %q", code, about)
	}
}

func TestHTTP2IsSpokenAndSurvivesAClosedConnection(t *testing.T) {
	cert, file := hostiletest.Certificate(t, "127.0.0.1", time.Now().Add(time.Hour))
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
