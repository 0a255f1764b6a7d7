package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"database/sql"
	"math/big"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"typus/internal/db/dbtest"
	"typus/internal/porttest"
)

// Each way to miss a PostgreSQL server, by a process of its own: one sentence with the
// address and the remedy, and never the password.
func TestAPostgreSQLServerThatCannotBeUsedIsSaidInOneSentence(t *testing.T) {
	dsn := dbtest.EmptyPostgres(t)
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	at := func(change func(u *url.URL)) string {
		c := *u
		c.User = url.UserPassword(u.User.Username(), "geheim")
		change(&c)
		return c.String()
	}
	stranger := listening(t, func(c net.Conn) { c.Write([]byte("SSH-2.0-OpenSSH_9.2\r\n")); c.Close() })
	silent := listening(t, func(c net.Conn) { <-t.Context().Done(); c.Close() })
	for name, c := range map[string]struct {
		dsn   string
		code  int
		words []string
	}{
		"a wrong port":       {at(func(u *url.URL) { u.Host = "127.0.0.1:1" }), 1, []string{"nothing listens at 127.0.0.1:1"}},
		"a wrong host":       {at(func(u *url.URL) { u.Host = "no-such.invalid:5432" }), 1, []string{`there is no host "no-such.invalid"`}},
		"a wrong database":   {at(func(u *url.URL) { u.Path = "/nichts" }), 1, []string{u.Host, `has no database "nichts"`, "createdb nichts"}},
		"a wrong user":       {at(func(u *url.URL) { u.User = url.UserPassword("fremd", "geheim") }), 1, []string{u.Host, `"fremd"`, "createuser fremd"}},
		"TLS it lacks":       {at(func(u *url.URL) { u.RawQuery = "sslmode=require" }), 1, []string{u.Host, "speaks no TLS", "sslmode=disable"}},
		"another program":    {at(func(u *url.URL) { u.Host = stranger; u.RawQuery = "sslmode=disable" }), 1, []string{stranger, "is it PostgreSQL?"}},
		"silence":            {at(func(u *url.URL) { u.Host = silent; u.RawQuery = "sslmode=disable" }), 1, []string{silent, "does not answer"}},
		"a missing socket":   {"postgres:///typus?host=/nowhere&user=typus&password=geheim", 1, []string{"/nowhere/.s.PGSQL.5432"}},
		"a slash unescaped":  {"postgres://typus:ge/heim-geheim@127.0.0.1/typus", 2, []string{"postgres://USER:PASSWORD@HOST", "%2F"}},
		"an at sign":         {"postgres://typus:ge@heim@127.0.0.1/typus", 2, []string{"@ as %40"}},
		"two at signs":       {"postgres://typus:g@e@heim@127.0.0.1:5432/typus", 2, []string{"@ as %40"}},
		"a hash unescaped":   {"postgres://typus:ge#geheim@127.0.0.1/typus", 2, []string{"%23"}},
		"a question mark":    {"postgres://typus:1?geheim@127.0.0.1/typus", 2, []string{"%3F"}},
		"a percent sign":     {"postgres://typus:100%geheim@127.0.0.1/typus", 2, []string{"%25"}},
		"a wrong sslmode":    {at(func(u *url.URL) { u.RawQuery = "sslmode=perhaps" }), 2, []string{"sslmode=perhaps is wrong"}},
		"a wrong pool":       {at(func(u *url.URL) { u.RawQuery = "pool_max_conns=0" }), 2, []string{"pool_max_conns=0 is wrong"}},
		"the keyword form":   {"host=db.example.com dbname=typus user=typus password=geheim", 2, []string{"postgres://typus:PASSWORD@db.example.com:5432/typus"}},
		"keywords in quotes": {"dbname='typus' host = 'localhost' sslmode=require", 2, []string{"postgres://USER:PASSWORD@localhost:5432/typus?sslmode=require"}},
	} {
		t.Run(name, func(t *testing.T) {
			code, said := ended(t, []string{"TYPUS_DATABASE=" + c.dsn, "TYPUS_SECRET_KEY=" + strings.Repeat("s", 40), "TYPUS_ADDR=" + porttest.Free(t)}, "serve")
			oneSentence(t, code, c.code, said, c.words...)
			if strings.Contains(said, "heim") && !strings.Contains(said, "geheim") {
				t.Errorf("a part of the password is said: %s", said)
			}
			if n := strings.Count(said, u.Host); n > 1 {
				t.Errorf("the address is said %d times: %s", n, said)
			}
		})
	}
}

// listening is the address of a server that treats each connection as told.
func listening(t *testing.T, answer func(c net.Conn)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go answer(c)
		}
	}()
	return ln.Addr().String()
}

// Rights in a server that was reached: the schema, and what others have made in it.
func TestMissingRightsInADatabaseAreSaidInOneSentence(t *testing.T) {
	dsn := dbtest.EmptyPostgres(t)
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(statement string) {
		t.Helper()
		if _, err := db.ExecContext(context.Background(), statement); err != nil {
			t.Fatal(err)
		}
	}
	exec(`drop role if exists schwach; create role schwach login password 'geheim'`)
	defer exec(`drop owned by schwach; drop role schwach`)
	u, _ := url.Parse(dsn)
	u.User = url.UserPassword("schwach", "geheim")
	environ := []string{"TYPUS_DATABASE=" + u.String(), "TYPUS_SECRET_KEY=" + strings.Repeat("s", 40), "TYPUS_ADDR=" + porttest.Free(t)}
	exec(`revoke create on schema public from public`) // as of PostgreSQL 15
	code, said := ended(t, environ, "serve")
	oneSentence(t, code, 1, said, `"schwach"`, "grant create on schema public to schwach")
	must[struct{}](t, []string{"TYPUS_DATABASE=" + dsn, environ[1]}, "migrate")
	code, said = ended(t, environ, "serve")
	oneSentence(t, code, 1, said, `"schwach"`, "owner to schwach")
}

// A server with a certificate that nobody here knows.
func TestATLSFaultOfPostgreSQLIsSaidInOneSentence(t *testing.T) {
	cert := selfSigned(t)
	address := listening(t, func(c net.Conn) {
		defer c.Close()
		request := make([]byte, 8)
		if _, err := c.Read(request); err != nil { // SSLRequest
			return
		}
		c.Write([]byte("S"))
		tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}}).Handshake()
	})
	environ := []string{"TYPUS_SECRET_KEY=" + strings.Repeat("s", 40), "TYPUS_ADDR=" + porttest.Free(t)}
	code, said := ended(t, append(environ, "TYPUS_DATABASE=postgres://typus:geheim@"+address+"/typus?sslmode=verify-full"), "serve")
	oneSentence(t, code, 1, said, address, "certificate", "sslrootcert=FILE")
}

func selfSigned(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "db"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
