package db

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"typus"
)

// addressForm is what an address of PostgreSQL looks like.
const addressForm = "postgres://USER:PASSWORD@HOST:5432/DATABASE"

// readAddress reads the postgres:// address. Invalid says what is wrong with it,
// without the password, which may stand anywhere in an address that is wrong.
func readAddress(dsn string) (*pgxpool.Config, error) {
	u, err := url.Parse(dsn)
	if err != nil || strayPassword(u) || strayAt(dsn) {
		return nil, typus.Errorf(typus.Invalid, "the postgres:// address cannot be read; write "+addressForm+
			", and in user and password %% as %%25, / as %%2F, ? as %%3F, # as %%23, @ as %%40, : as %%3A")
	}
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, typus.Errorf(typus.Invalid, "the postgres:// address is not understood: %s; write "+addressForm+", with parameters such as ?sslmode=require", parameterFault(u, err))
	}
	return config, nil
}

// strayPassword reports whether an unescaped / ? or # in the password has ended the
// host part of the address too early, so that the @ before the host comes after it.
func strayPassword(u *url.URL) bool {
	return u.Fragment != "" || strings.Contains(u.Path, "@") || strings.Contains(u.RawQuery, "@") && u.User == nil
}

// strayAt reports whether there is an unescaped @ in user or password. The driver takes
// what follows for the host, and would show it in an error.
func strayAt(dsn string) bool {
	_, authority, _ := strings.Cut(dsn, "://")
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority = authority[:end]
	}
	return strings.Count(authority, "@") > 1
}

// parameterFault says which part of the address is wrong. It uses the error that the
// driver wraps, because the driver's own text contains the address.
func parameterFault(u *url.URL, err error) string {
	for name, values := range u.Query() {
		alone := url.URL{Scheme: u.Scheme, Host: "localhost", RawQuery: url.Values{name: values}.Encode()}
		if _, err := pgxpool.ParseConfig(alone.String()); err != nil && name != "password" {
			return fmt.Sprintf("%s=%s is wrong", name, strings.Join(values, ","))
		}
	}
	if parse, ok := errors.AsType[*pgconn.ParseConfigError](err); ok && parse.Unwrap() == nil {
		return "it lacks a part"
	}
	return "its host or port is wrong"
}
