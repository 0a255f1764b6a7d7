package db

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"typus"
)

// connectFault says in one sentence why the PostgreSQL server of an address cannot be used,
// where it was looked for, and the remedy. The driver tries every address of a host
// with and without TLS and reports all of them; the attempt that got furthest says
// most. The password is never shown. An error that is already in our words stays as it
// is.
func connectFault(c *pgx.ConnConfig, err error) error {
	if e, ok := errors.AsType[*typus.Error](err); ok && e.Cause == nil {
		return err
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return serverFault(c, e)
	}
	return typus.Errorf(typus.Unavailable, "%s", pathFault(c, err))
}

// serverFault is what a server says that was reached,
// https://www.postgresql.org/docs/current/errcodes-appendix.html.
func serverFault(c *pgx.ConnConfig, e *pgconn.PgError) error {
	at := "PostgreSQL at " + place(c)
	var why string
	switch e.Code {
	case "28P01":
		why = fmt.Sprintf("does not take the password of the user %q; correct it in TYPUS_DATABASE", c.User)
		if c.Password == "" {
			why = fmt.Sprintf("wants a password of the user %q; write it into TYPUS_DATABASE (postgres://USER:PASSWORD@…)", c.User)
		}
	case "28000":
		why = accessFault(c, e)
	case "3D000":
		why = fmt.Sprintf("has no database %q; make it (createdb %s) or correct the name in TYPUS_DATABASE", c.Database, c.Database)
	case "42501":
		why = fmt.Sprintf("does not let the user %q work in the database %q; make it the owner (alter database %s owner to %s)", c.User, c.Database, c.Database, c.User)
	case "53300":
		why = "has no connection left; close others, raise max_connections, or use less (pool_max_conns in TYPUS_DATABASE)"
	case "57P03":
		why = "is starting or stopping; try again in a moment"
	case "08P01":
		why = "refuses the settings of the connection; behind PgBouncer add default_query_exec_mode=exec to TYPUS_DATABASE"
	default:
		return typus.Errorf(typus.Unavailable, "%s cannot be used", at).WithCause(errors.New(e.Message))
	}
	return typus.Errorf(typus.Unavailable, "%s %s", at, why)
}

// accessFault tells the three cases of 28000 apart: pg_hba.conf wants TLS, has no line
// for us, or there is no such user.
func accessFault(c *pgx.ConnConfig, e *pgconn.PgError) string {
	switch {
	case !strings.Contains(e.Message, "pg_hba.conf"):
		return fmt.Sprintf("does not know the user %q, or does not let it log in; make it (createuser %s) or correct the name in TYPUS_DATABASE", c.User, c.User)
	case strings.HasSuffix(e.Message, "no encryption") && c.TLSConfig == nil:
		return "lets this machine in with TLS only, if at all; add sslmode=require to TYPUS_DATABASE, or a line to pg_hba.conf"
	}
	return fmt.Sprintf("does not let the user %q into the database %q from this machine; add a line to pg_hba.conf", c.User, c.Database)
}

// pathFault is why the server was not reached.
func pathFault(c *pgx.ConnConfig, err error) string {
	if words := tlsFault(c, err); words != "" {
		return words
	}
	at := place(c)
	if name, ok := errors.AsType[*net.DNSError](err); ok {
		return fmt.Sprintf("there is no host %q; correct the name in TYPUS_DATABASE", name.Name)
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("nothing listens at %s; start PostgreSQL, or correct host and port in TYPUS_DATABASE", at)
	case errors.Is(err, syscall.ENOENT):
		return fmt.Sprintf("there is no socket of PostgreSQL at %s; start PostgreSQL, or name a host in TYPUS_DATABASE", at)
	case errors.Is(err, syscall.EACCES):
		return fmt.Sprintf("the user %s may not use the socket of PostgreSQL at %s", currentUser(), at)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded), pgconn.Timeout(err):
		return fmt.Sprintf("%s does not answer; look at host and port in TYPUS_DATABASE and at the firewall", at)
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return fmt.Sprintf("there is no way to %s; look at the host in TYPUS_DATABASE and at the network", at)
	case strings.Contains(err.Error(), "read only connection"):
		return fmt.Sprintf("PostgreSQL at %s is a standby, which takes no writes; name the primary in TYPUS_DATABASE, or all of them (HOST1,HOST2)", at)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), strings.Contains(err.Error(), "receive message"):
		return fmt.Sprintf("what listens at %s ends the connection at once; is it PostgreSQL?", at)
	}
	return fmt.Sprintf("PostgreSQL at %s cannot be used (%s)", at, innermost(err))
}

// tlsFault is what is wrong with TLS, "" if nothing is known to be.
func tlsFault(c *pgx.ConnConfig, err error) string {
	at := "PostgreSQL at " + place(c)
	plain := func(f *pgconn.FallbackConfig) bool { return f.TLSConfig == nil }
	if c.TLSConfig != nil && !slices.ContainsFunc(c.Fallbacks, plain) && strings.Contains(err.Error(), "server refused TLS connection") {
		return at + " speaks no TLS, which TYPUS_DATABASE asks for; switch it on there (ssl = on), or take sslmode=disable on a network you trust"
	}
	if name, ok := errors.AsType[x509.HostnameError](err); ok {
		return fmt.Sprintf("the certificate of %s is for other names (%s); use one of them in TYPUS_DATABASE", at, strings.Join(name.Certificate.DNSNames, ", "))
	}
	if cert, ok := errors.AsType[x509.CertificateInvalidError](err); ok && cert.Reason == x509.Expired {
		return fmt.Sprintf("the certificate of %s is valid from %s to %s; renew it, or set the clock", at, cert.Cert.NotBefore.Format("2006-01-02"), cert.Cert.NotAfter.Format("2006-01-02"))
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return fmt.Sprintf("the certificate of %s is by an authority that this machine does not know; name it with sslrootcert=FILE in TYPUS_DATABASE", at)
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fmt.Sprintf("the certificate of %s cannot be verified", at)
	}
	return ""
}

// place is where a server was looked for: the host and port of the address, or the
// socket.
func place(c *pgx.ConnConfig) string {
	network, address := pgconn.NetworkAddress(c.Host, c.Port)
	if network == "unix" {
		return address
	}
	return net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
}

// innermost is what went wrong, without what each layer says around it.
func innermost(err error) error {
	for {
		switch e := err.(type) { //nolint:errorlint // it unwraps
		case interface{ Unwrap() error }:
			if e.Unwrap() == nil {
				return err
			}
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			err = e.Unwrap()[len(e.Unwrap())-1]
		default:
			return err
		}
	}
}
