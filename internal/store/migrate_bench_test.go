package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"typus/internal/db/dbtest"
	"typus/internal/store"
)

// million is how many candidates an account may have.
const million = 1_000_000

// How long a start takes that brings a database of a million candidates up to date, by
// migration, from before positions had settings. Run it with -benchtime 1x.
func BenchmarkMigrations(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { migrations(b, filepath.Join(b.TempDir(), "typus.db")) })
	b.Run("postgres", func(b *testing.B) { migrations(b, dbtest.EmptyPostgres(b)) })
}

func migrations(b *testing.B, dsn string) {
	b.Helper()
	var names []string
	for _, f := range must[[]os.DirEntry](b)(os.ReadDir("migrations")) {
		if f.Name() >= "0029" {
			names = append(names, f.Name())
		}
	}
	migrateTo(b, dsn, names[0], populate)
	for i, name := range append(names[1:], "9999") {
		took := migrateTo(b, dsn, name, nil)
		b.ReportMetric(took.Seconds(), "s/"+names[i][:4])
	}
	b.ReportMetric(0, "ns/op")
}

// migrateTo applies the migrations before one, and says how long that takes.
func migrateTo(b *testing.B, dsn, before string, then func(b *testing.B, s *store.Store)) time.Duration {
	b.Helper()
	s := must[*store.Store](b)(store.OpenBefore(b.Context(), dsn, before))
	defer s.Close()
	began := time.Now()
	must[[]string](b)(s.Migrate(b.Context()))
	took := time.Since(began)
	if then != nil {
		then(b, s)
	}
	return took
}

// populate writes a million candidates with letters, a third of them decided.
func populate(b *testing.B, s *store.Store) {
	b.Helper()
	run(b, s, `insert into accounts (id, name, plan, created_at) values (1, 'Messe', 'starter', 0)`)
	run(b, s, `with recursive n (i) as (select 1 union all select i + 1 from n where i < 200)
		insert into positions (account_id, name, created_at) select 1, '', 0 from n`)
	const part = 10_000
	for from := 1; from <= million; from += part {
		numbers := fmt.Sprintf(`with recursive n (i) as (select %d union all select i + 1 from n where i < %d) `, from, from+part-1)
		for _, q := range []string{
			`insert into candidates (id, account_id, external_id, name, email, email_key, token_hash, token_sealed, status, language, role_profile, position_id, created_at, expires_at, completed_at, overall, name_key, words)
				select i, 1, 'crm-' || i, 'Kim ' || i, 'kim.' || i || '@example.com', 'kim.' || i || '@example.com', 't' || i, cast('x' as ` + bytesOf(s) + `), case i % 3 when 0 then 'offen' else 'abgeschlossen' end,
					'de', 'role' || (i % 7), i % 200 + 1, i, i + 1000000, case when i % 3 > 0 then i + 900000 end, case when i % 3 > 0 then i % 101 end, cast('kim ' || i as ` + bytesOf(s) + `), ' kim ' || i from n`,
			`insert into letters (account_id, candidate_id, kind, language, recipient, state, created_at, next_attempt_at)
				select 1, i, 'invitation', 'de', '', case when i % 30 = 0 then 'failed' else 'sent' end, i, i from n`,
			`insert into decisions (candidate_id, user_id, author, stage, created_at) select i, 1, '', 'rejection', i from n where i % 3 = 1`,
		} {
			run(b, s, "%s", numbers+q)
		}
	}
}
