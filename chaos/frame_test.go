//go:build chaos

package chaos

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"

	"typus/internal/db/dbtest"
	"typus/internal/porttest"
	"typus/internal/processtest"
)

// The settings of a run; scripts/chaos sets them. They are none of Typus.
const (
	shortVariable  = "TYPUS_CHAOS_SHORT"  // not empty: small sizes
	roundsVariable = "TYPUS_CHAOS_ROUNDS" // how often each blow falls, instead of the usual number
	seedVariable   = "TYPUS_CHAOS_SEED"   // of everything that is drawn
)

// program is the real binary, built once for all tests.
var program string

// theSeed is of this run.
var theSeed uint64

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	theSeed = uint64(time.Now().UnixNano()) % 1_000_000
	if given := os.Getenv(seedVariable); given != "" {
		n, err := strconv.ParseUint(given, 10, 64)
		if err != nil {
			fmt.Fprintln(os.Stderr, seedVariable, err)
			return 2
		}
		theSeed = n
	}
	fmt.Printf("chaos: SEED=%d\n", theSeed)
	dir, err := os.MkdirTemp("", "typus-chaos-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "typus")
	build := exec.Command("go", "build", "-o", program, "./cmd/typus")
	build.Dir, build.Stderr = "..", os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "building the program:", err)
		return 1
	}
	return m.Run()
}

// short reports whether sizes are small.
func short() bool { return os.Getenv(shortVariable) != "" }

// size is the small one or that of a whole run.
func size[T any](inCI, whole T) T {
	if short() {
		return inCI
	}
	return whole
}

// rounds is how often a blow falls: as ROUNDS says, else as size does.
func rounds(t *testing.T, inCI, whole int) int {
	t.Helper()
	given := os.Getenv(roundsVariable)
	if given == "" {
		return size(inCI, whole)
	}
	n, err := strconv.Atoi(given)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q", roundsVariable, given)
	}
	return n
}

// drawn is the source of what a test draws: the same for the same seed and test.
func drawn(t *testing.T) *rand.Rand {
	t.Helper()
	name := fnv.New64a()
	_, _ = name.Write([]byte(t.Name())) // never fails
	return rand.New(rand.NewPCG(theSeed, name.Sum64()))
}

// between draws a time.
func between(r *rand.Rand, from, to time.Duration) time.Duration {
	return from + time.Duration(r.Int64N(int64(to-from)))
}

// figures writes the one line in which a test says what it measured.
func figures(t *testing.T, format string, args ...any) {
	t.Helper()
	t.Logf("figures: "+format, args...)
}

// site is an installation: a database, and the settings that all its servers have.
type site struct {
	database string // as TYPUS_DATABASE says it
	environ  []string
}

// sqliteSite is an installation in a directory of its own, which goes with the test.
func sqliteSite(t *testing.T, more ...string) *site {
	t.Helper()
	return siteOn(filepath.Join(t.TempDir(), "data", "typus.db"), more...)
}

// postgresSite is one on a database of its own of the server that all tests share
// (withpostgres). It does not sync, so that only the program may be killed here.
func postgresSite(t *testing.T, more ...string) *site {
	t.Helper()
	return siteOn(dbtest.EmptyPostgres(t), more...)
}

// siteOn is an installation on a database, a path or postgres://….
func siteOn(database string, more ...string) *site {
	s := &site{database: database, environ: append([]string{"TYPUS_DATABASE=" + database}, more...)}
	if s.postgres() {
		s.environ = append(s.environ, "TYPUS_SECRET_KEY="+strings.Repeat("s", 40))
	}
	return s
}

func (s *site) postgres() bool { return strings.HasPrefix(s.database, "postgres://") }

// eachDatabase runs a test on an installation of each kind, on both side by side.
func eachDatabase(t *testing.T, test func(t *testing.T, s *site)) {
	for kind, of := range map[string]func(*testing.T, ...string) *site{"sqlite": sqliteSite, "postgres": postgresSite} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, of(t))
		})
	}
}

// lacks is for what this machine has not got: a test is left out, but in CI it fails.
func lacks(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// serve starts a server and waits until it answers. Any number may run on PostgreSQL.
func (s *site) serve(t *testing.T, args ...string) *processtest.Running {
	t.Helper()
	return processtest.Serve(t, program, s.environ, args...)
}

// serveAt is serve at an address that stays the same after a blow.
func (s *site) serveAt(t *testing.T, addr string, args ...string) *processtest.Running {
	t.Helper()
	return processtest.ServeAt(t, program, addr, s.environ, args...)
}

// address is one for serveAt.
func address(t *testing.T) string {
	t.Helper()
	return porttest.Free(t)
}

// command runs a command of the program, which must succeed, and returns what it printed.
func (s *site) command(t *testing.T, args ...string) string {
	t.Helper()
	out, err := s.try(args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// try runs a command of the program. The error carries what it wrote besides.
func (s *site) try(args ...string) (string, error) {
	var out, more strings.Builder
	c := exec.Command(program, args...)
	c.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.TempDir()}, s.environ...)
	c.Stdout, c.Stderr = &out, &more
	if err := c.Run(); err != nil {
		return out.String(), fmt.Errorf("typus %s: %w: %s", strings.Join(args, " "), err, more.String())
	}
	return out.String(), nil
}

// said runs a command with --json and decodes its answer.
func said[T any](t *testing.T, s *site, args ...string) T {
	t.Helper()
	var v T
	out := s.command(t, append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("typus %s printed %q: %v", strings.Join(args, " "), out, err)
	}
	return v
}

// account is what the operator has made for a customer.
type account struct {
	id      int64
	keys    []string // a key may make 100 requests a minute
	granted int64
}

// newAccount makes an account with credits and keys, on the plan that never refuses.
func (s *site) newAccount(t *testing.T, credits int64, keys int) *account {
	t.Helper()
	type made struct {
		ID  int64  `json:"id"`
		Key string `json:"key"`
	}
	a := &account{granted: credits}
	a.id = said[made](t, s, "account", "create", "--name", "Muster GmbH", "--plan", "business", "--credits", strconv.FormatInt(credits, 10)).ID
	for n := range keys {
		a.keys = append(a.keys, said[made](t, s, "key", "create", a.flag(), "--name", fmt.Sprint("key ", n)).Key)
	}
	return a
}

func (a *account) flag() string { return fmt.Sprint("--account=", a.id) }

// hook makes a webhook of the account and returns its id and secret.
func (s *site) hook(t *testing.T, a *account, url string) (int64, string) {
	t.Helper()
	made := said[struct {
		ID     int64  `json:"id"`
		Secret string `json:"secret"`
	}](t, s, "webhook", "create", a.flag(), "--url", url)
	return made.ID, made.Secret
}

// open opens the database as another program does, beside a server or without one. Whoever
// calls it closes it: an SQLite file that nobody has open loses its log.
func (s *site) open(t *testing.T) *sql.DB {
	t.Helper()
	driver, dsn := "sqlite", "file:"+s.database+"?_pragma=busy_timeout(30000)"
	if s.postgres() {
		driver, dsn = "pgx", s.database
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// looking opens the database for the length of a function.
func (s *site) looking(t *testing.T, look func(db *sql.DB)) {
	t.Helper()
	db := s.open(t)
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	look(db)
}

// number asks for one number.
func number(t *testing.T, db *sql.DB, query string, args ...any) int64 {
	t.Helper()
	var n int64
	if err := db.QueryRowContext(context.Background(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// numbers asks for a list of numbers, at most a few to be shown.
func numbers(t *testing.T, db *sql.DB, query string, args ...any) []int64 {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var list []int64
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
		list = append(list, n)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// quantile is the time within which the share q of all came.
func quantile(all []time.Duration, q float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	all = slices.SortedFunc(slices.Values(all), cmp.Compare)
	return all[min(len(all)-1, int(q*float64(len(all))))]
}
