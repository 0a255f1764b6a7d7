package db

import (
	"net/url"
	"slices"
	"strings"
)

// DumpAddress is what PostgreSQL's own programs need to reach the database of an address.
type DumpAddress struct {
	Address  string // without the password, to be shown
	Password string // "" when there is none in the address
	Schema   string // the only one that is ours; "": the database is
}

// forDrivers are parameters of an address that libpq's programs do not know, or that hold a
// password.
var forDrivers = []string{
	"password", "sslpassword", "search_path", "pool_max_conns", "pool_min_conns", "pool_min_idle_conns", "pool_max_conn_lifetime", "pool_max_conn_lifetime_jitter",
	"pool_max_conn_idle_time", "pool_health_check_period", "default_query_exec_mode", "statement_cache_capacity", "description_cache_capacity",
}

// ForDump takes an address of PostgreSQL apart for pg_dump. Invalid: it cannot be read.
func ForDump(dsn string) (DumpAddress, error) {
	if _, err := readAddress(dsn); err != nil {
		return DumpAddress{}, err
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return DumpAddress{}, err
	}
	var d DumpAddress
	q := u.Query()
	if u.User != nil {
		d.Password, _ = u.User.Password()
		u.User = url.User(u.User.Username())
	}
	if given := q.Get("password"); given != "" {
		d.Password = given
	}
	d.Schema, _, _ = strings.Cut(q.Get("search_path"), ",")
	for name := range q {
		if slices.Contains(forDrivers, name) {
			q.Del(name)
		}
	}
	if several := u.Host + q.Get("host"); strings.Contains(several, ",") && q.Get("target_session_attrs") == "" {
		q.Set("target_session_attrs", "read-write") // as we connect: a former primary may hold what is old
	}
	u.RawQuery = q.Encode()
	d.Address = u.String()
	return d, nil
}
