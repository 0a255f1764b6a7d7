package operation

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"typus/internal/db/dbtest"
	"typus/internal/porttest"
)

const host = "typus.example.com"

// instances starts servers on one PostgreSQL behind a proxy of this machine.
func instances(t *testing.T, n int) (servers []*process, addrs []string) {
	t.Helper()
	program := filepath.Join(tree(t), "typus")
	dsn := dbtest.EmptyPostgres(t)
	for range n {
		addr := porttest.Free(t)
		serve := exec.Command(program, "serve")
		serve.Env = []string{
			"TYPUS_ADDR=" + addr, "TYPUS_BASE_URL=https://" + host, "TYPUS_TRUSTED_PROXIES=127.0.0.1/32",
			"TYPUS_DATABASE=" + dsn, "TYPUS_SECRET_KEY=" + strings.Repeat("s", 40),
		}
		servers, addrs = append(servers, start(t, serve, addr)), append(addrs, addr)
	}
	return servers, addrs
}

// through makes a client for whom the host's name leads to addr.
func through(addr string, trusted *x509.CertPool) *http.Client {
	dialer := net.Dialer{}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return dialer.DialContext(ctx, network, addr)
			},
			TLSClientConfig: &tls.Config{RootCAs: trusted},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       30 * time.Second,
	}
}

// get asks for one page, as a client who claims to come from elsewhere.
func get(t *testing.T, c *http.Client, address string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Forwarded-For", "203.0.113.9")
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// inFront checks what both examples promise; scheme is what the client of the proxy speaks.
func inFront(t *testing.T, c *http.Client, scheme string, servers []*process) {
	t.Helper()
	if resp, body := get(t, c, scheme+"://"+host+"/healthz?verbose"); resp.StatusCode != http.StatusOK || !strings.Contains(body, `"settings"`) {
		t.Errorf("a client of this machine, whatever it claims, is told: %s %s", resp.Status, body)
	}
	resp, _ := get(t, c, scheme+"://"+host+"/docs/start")
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("a page: %s %v", resp.Status, resp.Header)
	}
	large := strings.NewReader(`{"name":"` + strings.Repeat("a", 15<<20) + `"}`) // what Typus refuses, not the proxy
	post, err := c.Post(scheme+"://"+host+"/api/v1/invites", "application/json", large)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(post.Body)
	if post.Body.Close(); err != nil || !strings.Contains(string(body), `"request_id"`) {
		t.Errorf("15 MiB: %s %.200s, %v", post.Status, body, err)
	}
	for i := range len(servers) - 1 { // all but the last one die
		servers[i].Process.Kill()
		<-servers[i].ended
		for range 20 {
			if resp, body := get(t, c, scheme+"://"+host+"/healthz"); resp.StatusCode != http.StatusOK {
				t.Fatalf("with %d of %d servers dead: %s %s", i+1, len(servers), resp.Status, body)
			}
		}
	}
}

func TestNginxStandsInFrontOfOneAndOfThree(t *testing.T) {
	for _, n := range []int{1, 3} {
		servers, addrs := instances(t, n)
		dir, addr, plain := t.TempDir(), porttest.Free(t), porttest.Free(t)
		trusted := certify(t, dir)
		conf := read(t, "nginx.conf")
		for from, to := range map[string]string{
			"listen 443 ":    "listen " + addr + " ",
			"listen 80;":     "listen " + plain + ";",
			"/var/log/nginx": dir,
			"/etc/letsencrypt/live/typus.example.com": dir,
			"  server 127.0.0.1:8080;\n":              servedBy(addrs),
		} {
			if !strings.Contains(conf, from) {
				t.Fatalf("nginx.conf has no %q", from)
			}
			conf = strings.ReplaceAll(conf, from, to)
		}
		user := "" // of root's, nginx would make nobody's, to whom the directory is closed
		if os.Geteuid() == 0 {
			user = "user root;\n"
		}
		whole := user + "daemon off;\npid " + dir + "/pid;\nerror_log " + dir + "/start.log;\nevents {}\nhttp {\n"
		for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
			whole += kind + "_temp_path " + dir + "/" + kind + ";\n"
		}
		write(t, filepath.Join(dir, "nginx.conf"), whole+conf+"}\n")
		program, err := exec.LookPath("nginx")
		if err != nil {
			program = "/usr/sbin/nginx" // seldom in the path of who is not root
		}
		proxy := start(t, exec.Command(program, "-e", dir+"/start.log", "-c", dir+"/nginx.conf"), addr)
		c := through(addr, trusted)
		inFront(t, c, "https", servers)

		if resp, _ := get(t, through(plain, nil), "http://"+host+"/docs?a=b"); resp.Header.Get("Location") != "https://"+host+"/docs?a=b" {
			t.Errorf("without TLS: %s to %q", resp.Status, resp.Header.Get("Location"))
		}
		secret := strings.Repeat("Zq", 16)
		for _, path := range []string{"/t/" + secret, "/t/" + secret + "/frage/7", "/dashboard/passwort/" + secret, "/dashboard/e/" + secret, "/dashboard?q=Janaoeztuerk"} {
			get(t, c, "https://"+host+path)
		}
		proxy.stop(t)
		logged := read(t, dir+"/typus.log") + read(t, dir+"/typus-error.log")
		if strings.Contains(logged, secret) || strings.Contains(logged, "Janaoeztuerk") {
			t.Errorf("the log tells: %s", logged)
		}
		for _, want := range []string{`"GET /t/..." 404`, `"GET /t/.../frage/7" 404`, `"GET /healthz" 200`} {
			if !strings.Contains(logged, want) {
				t.Errorf("the log lacks %s: %s", want, logged)
			}
		}
	}
}

func servedBy(addrs []string) string {
	lines := ""
	for _, a := range addrs {
		lines += "  server " + a + ";\n"
	}
	return lines
}

func TestCaddyStandsInFrontOfOneAndOfThree(t *testing.T) {
	for _, n := range []int{1, 3} {
		servers, addrs := instances(t, n)
		dir, addr := t.TempDir(), porttest.Free(t)
		conf := read(t, "Caddyfile")
		for from, to := range map[string]string{
			"\n" + host + " {": "\nhttp://" + host + ":" + addr[strings.LastIndex(addr, ":")+1:] + " {\n\tbind " + addr[:strings.LastIndex(addr, ":")],
			"127.0.0.1:8080":   strings.Join(addrs, " "),
		} {
			if !strings.Contains(conf, from) {
				t.Fatalf("the Caddyfile has no %q", from)
			}
			conf = strings.ReplaceAll(conf, from, to)
		}
		write(t, filepath.Join(dir, "Caddyfile"), "{\n\tadmin off\n}\n"+conf)
		caddy := exec.Command("caddy", "run", "--config", filepath.Join(dir, "Caddyfile"), "--adapter", "caddyfile")
		caddy.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
		proxy := start(t, caddy, addr)
		inFront(t, through(addr, nil), "http", servers)
		proxy.stop(t)
	}
}

// certify makes the certificate of the host, for this test alone.
func certify(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{host}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	write(t, filepath.Join(dir, "fullchain.pem"), string(certificate))
	write(t, filepath.Join(dir, "privkey.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(certificate)
	return pool
}

func read(t *testing.T, path string) string {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func write(t *testing.T, path, body string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
}
