package main

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"typus/internal/db/dbtest"
	"typus/internal/instrument"
	"typus/internal/porttest"
	"typus/internal/waittest"
	"typus/internal/web/logtest"
)

// Two servers and the commands share three connections of a pooler that gives one away for
// the length of a transaction, set up as the README says: the first brings the schema up, a
// candidate gets from the invitation to the webhook, and twenty callers at once are answered.
func TestServersWorkBehindPgBouncer(t *testing.T) {
	if testing.Short() {
		t.Skip("PgBouncer: not with -short")
	}
	direct := dbtest.EmptyPostgres(t)
	pooler := startPgBouncer(t, direct)
	environ := []string{"TYPUS_DATABASE=" + pooler + "?default_query_exec_mode=exec", "TYPUS_SECRET_KEY=" + strings.Repeat("s", 40)}
	first := serve(t, environ)
	second := serve(t, environ)
	account := must[id](t, environ, "account", "create", "--name", "Muster GmbH", "--contact-email", "hr@example.com")
	acc := "--account=" + itoa(account.ID)
	key := must[newKey](t, environ, "key", "create", acc, "--name", "CRM")
	receiver, err := startReceiver()
	if err != nil {
		t.Fatal(err)
	}
	defer receiver.close()
	hook := must[struct {
		Secret string `json:"secret"`
	}](t, environ, "webhook", "create", acc, "--url", receiver.url)
	w := &walk{base: first.base, key: key.Key, secret: hook.Secret, receiver: receiver, test: instrument.Own(), out: discard(), client: &http.Client{Timeout: 30 * time.Second}, externalID: "crm-9"}
	if err := w.invite(t.Context()); err != nil {
		t.Fatal(err)
	}
	must[id](t, environ, "candidate", "finish", acc, "--id", itoa(w.candidateID), "--seed", "7")
	if err := w.receive(t.Context()); err != nil {
		t.Errorf("the webhook: %v", err)
	}
	if err := w.readBack(t.Context()); err != nil {
		t.Error(err)
	}

	var all sync.WaitGroup
	for i := range 20 {
		base := []string{first.base, second.base}[i%2]
		all.Go(func() {
			body := fmt.Sprintf(`{"name":"Kim Beispiel","email":"kim%d@example.com","external_id":"kim-%d","send_email":false}`, i, i)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/api/v1/invites", strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Authorization", "Bearer "+key.Key)
			req.Header.Set("Content-Type", "application/json")
			resp, err := w.client.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			if resp.Body.Close(); resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated {
				t.Errorf("invitation %d: %s", i, resp.Status)
			}
		})
	}
	all.Wait()
	for _, p := range []*process{first, second} {
		if strings.Contains(p.log.String(), "level=ERROR") || strings.Contains(p.log.String(), `"level":"ERROR"`) {
			t.Errorf("the log of a server: %s", p.log)
		}
		p.stop(t)
	}
}

// startPgBouncer runs a real PgBouncer (scripts/tools installs it) before the database of dsn,
// in transaction mode, until the test ends, and returns the address to use in its place.
func startPgBouncer(t *testing.T, dsn string) string {
	t.Helper()
	at, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	// What a pooler passes on to nobody is set for the role.
	conn, err := pgx.ConnectConfig(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, setting := range []string{"statement_timeout = '15s'", "lock_timeout = '5s'", "idle_in_transaction_session_timeout = '30s'"} {
		role := pgx.Identifier{at.User}.Sanitize() + " in database " + pgx.Identifier{at.Database}.Sanitize()
		if _, err := conn.Exec(t.Context(), "alter role "+role+" set "+setting); err != nil {
			t.Fatal(err)
		}
	}
	addr := porttest.Free(t)
	host, port, _ := net.SplitHostPort(addr)
	dir, err := os.MkdirTemp("", "typus-pgbouncer-") // t.TempDir lies in a directory that its user may not enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	password := ""
	if at.Password != "" { // an empty one is a syntax error to it
		password = " password=" + at.Password
	}
	conf := fmt.Sprintf("[databases]\ntypus = host=%s port=%d dbname=%s user=%s%s\n"+
		"[pgbouncer]\nlisten_addr = %s\nlisten_port = %s\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n"+
		"default_pool_size = 3\nmax_client_conn = 100\n",
		at.Host, at.Port, at.Database, at.User, password, host, port)
	path := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(path, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer" // seldom in the path of who is not root
	}
	cmd := exec.Command(program, path) //nolint:gosec // a program of Debian
	const nobody = 65534
	if os.Geteuid() == 0 { // as whom it refuses to run
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		for _, p := range []string{dir, path} {
			if err := os.Chown(p, nobody, nobody); err != nil {
				t.Fatal(err)
			}
		}
	}
	log := new(logtest.Log)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal("PgBouncer is missing (scripts/tools installs it): ", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { cmd.Process.Kill() })
	waittest.Until(t, "PgBouncer", func() bool {
		select {
		case err := <-ended:
			t.Fatalf("PgBouncer ended: %v: %s", err, log)
		default:
		}
		return strings.Contains(log.String(), "process up")
	})
	u := url.URL{Scheme: "postgres", User: url.UserPassword(at.User, "x"), Host: addr, Path: "/typus"}
	return u.String()
}
