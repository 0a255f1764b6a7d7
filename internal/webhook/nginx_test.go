package webhook

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"typus/internal/porttest"
	"typus/internal/waittest"
	"typus/internal/webhook/hostiletest"
)

// nginxConf closes every connection without an answer, as many do for what
// they do not know, and logs each request.
const nginxConf = `
daemon off;
worker_processes 1;
pid %[1]s/pid;
error_log %[1]s/error.log;
events {}
http {
	access_log %[1]s/access.log;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	server {
		listen %[2]s ssl http2;
		ssl_certificate %[1]s/cert.pem;
		ssl_certificate_key %[1]s/key.pem;
		location / { return 444; }
	}
}
`

// nginx is a real nginx in a directory of its own.
type nginx struct{ dir, url, caFile string }

// startNginx starts nginx and stops it at the end of the test. It is in
// Debian's package nginx (scripts/tools); without it the test fails.
func startNginx(t *testing.T) nginx {
	t.Helper()
	if testing.Short() {
		t.Skip("nginx: not with -short")
	}
	program, err := exec.LookPath("nginx")
	if err != nil {
		program = "/usr/sbin/nginx" // seldom in the path of who is not root
	}
	n := nginx{dir: t.TempDir()}
	var cert tls.Certificate
	cert, n.caFile = hostiletest.Certificate(t, "127.0.0.1", time.Now().Add(time.Hour))
	n.write(t, "cert.pem", "CERTIFICATE", cert.Certificate[0])
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	n.write(t, "key.pem", "PRIVATE KEY", key)
	addr := porttest.Free(t)
	n.url = "https://" + addr + "/hook"
	conf := filepath.Join(n.dir, "nginx.conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, nginxConf, n.dir, addr), 0o600); err != nil {
		t.Fatal(err)
	}
	n.run(t, exec.Command(program, "-p", n.dir, "-e", n.dir+"/error.log", "-c", conf), addr)
	return n
}

func (n nginx) write(t *testing.T, name, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(n.dir, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run starts nginx and waits until it listens.
func (n nginx) run(t *testing.T, cmd *exec.Cmd, addr string) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatalf("nginx cannot be started, scripts/tools installs it: %v", err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
	})
	t.Cleanup(func() {
		if said, _ := os.ReadFile(n.dir + "/error.log"); t.Failed() {
			t.Logf("nginx said:\n%s", said)
		}
	})
	waittest.Until(t, "nginx listens", func() bool {
		conn, err := net.Dial("tcp4", addr)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

// posts is how many POSTs nginx has logged.
func (n nginx) posts(t *testing.T) int {
	t.Helper()
	log, err := os.ReadFile(n.dir + "/access.log")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(log), `"POST /hook HTTP/2.0"`)
}

// return 444 makes nginx reset the stream with PROTOCOL_ERROR after the request.
func TestNginxThatClosesWithoutAnAnswerGetsOnePOST(t *testing.T) {
	n := startNginx(t)
	c := client(t, ClientOptions{CAFile: n.caFile})
	for want := range 3 {
		a := c.Post(t.Context(), request(n.url)).Attempt
		if a.ErrorCode != CodeHTTP2Reset+" PROTOCOL_ERROR" || a.RemoteIP != "127.0.0.1" {
			t.Errorf("attempt %+v", a)
		}
		waittest.Until(t, "nginx has logged the POST", func() bool { return n.posts(t) > want })
	}
	if got := n.posts(t); got != 3 {
		t.Errorf("nginx received %d POSTs in 3 attempts", got)
	}
}
