package main

import (
	"errors"
	"io/fs"
	"net"
	"net/url"
	"regexp"

	"typus/internal/db"
)

var keywords = regexp.MustCompile(`(?:^|\s)(host|hostaddr|port|dbname|user|password|sslmode|service)\s*=\s*('[^']*'|\S*)`)

// keywordForm reports whether text names a PostgreSQL database as libpq's tools do
// ("host=… dbname=…"), and writes the same as an address, without the password.
func keywordForm(text string) (string, bool) {
	found := keywords.FindAllStringSubmatch(text, -1)
	if found == nil || keywords.FindStringIndex(text)[0] != 0 {
		return "", false
	}
	value := map[string]string{"host": "HOST", "port": "5432", "dbname": "DATABASE", "user": "USER"}
	for _, m := range found {
		value[m[1]] = unquoted(m[2])
	}
	u := url.URL{Scheme: "postgres", User: url.UserPassword(value["user"], "PASSWORD"), Host: net.JoinHostPort(value["host"], value["port"]), Path: "/" + value["dbname"]}
	if value["sslmode"] != "" {
		u.RawQuery = url.Values{"sslmode": {value["sslmode"]}}.Encode()
	}
	return u.String(), true
}

func unquoted(text string) string {
	if len(text) > 1 && text[0] == '\'' {
		return text[1 : len(text)-1]
	}
	return text
}

// unreadable says why a file that a setting names cannot be read.
func unreadable(path string, err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no file " + path
	}
	return db.Refused(path, err).Msg
}
