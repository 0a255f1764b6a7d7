package store_test

import (
	"database/sql"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/db/dbtest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// rows runs a query in a transaction of its own.
func rows(t testing.TB, s *store.Store, query string, args ...any) []string {
	t.Helper()
	var list []string
	write(t, s, func(tx *store.Tx) error {
		var err error
		list, err = tx.Rows(t.Context(), query, args...)
		return err
	})
	return list
}

// Addresses that an earlier version has stored are found like later ones, whatever
// the database takes for lower case.
func TestStoredAddressesAreFoundWithoutCase(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		emails := []string{"Jana@Example.com", "IDA.INGRID@EXAMPLE.com", "Ümit@example.com", "Anna@MÜLLER.example.com", "plain@example.com"}
		ids := map[string]int64{}
		for _, email := range emails {
			ids[typus.MailboxKey(email)] = newCandidate(t, s, account, func(c *store.NewCandidate) { c.Email = email })
		}
		var listed int64
		write(t, s, func(tx *store.Tx) error {
			var err error
			if listed, err = tx.AddImport(t.Context(), typus.Import{AccountID: account, CreatedAt: noon}, []byte{1}); err != nil {
				return err
			}
			var rows []typus.ImportRow
			for n, email := range emails {
				rows = append(rows, typus.ImportRow{N: n + 2, Name: "P", Email: email, State: typus.RowReady})
			}
			return tx.ReplaceImportRows(t.Context(), typus.Import{ID: listed, AccountID: account}, rows)
		})
		write(t, s, func(tx *store.Tx) error {
			for _, back := range []string{
				`drop index candidates_open_email`, `drop index candidates_email`, `drop index import_rows_email`,
				`alter table candidates drop column email_key`, `alter table import_rows drop column email_key`,
				`create index candidates_open_email on candidates (account_id)`, `create index import_rows_email on import_rows (n)`,
				`delete from schema_migrations where name = '0009_email_keys.sql'`,
			} {
				if err := tx.Exec(t.Context(), back); err != nil {
					return err
				}
			}
			return nil
		})
		if applied := must[[]string](t)(s.Migrate(t.Context())); !slices.Equal(applied, []string{"0009_email_keys.sql"}) {
			t.Errorf("applied %q", applied)
		}
		var asked []string
		for email := range ids {
			asked = append(asked, strings.ToUpper(email))
		}
		if found := must[map[string]int64](t)(s.OpenByEmail(t.Context(), account, 0, asked, noon)); !maps.Equal(found, ids) {
			t.Errorf("found %v, want %v", found, ids)
		}
		for _, id := range ids {
			write(t, s, func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), account, id, noon) })
		}
		for _, r := range must[[]typus.ImportRow](t)(s.ImportRows(t.Context(), account, listed, "", 0, 10)) {
			if r.Email != "" {
				t.Errorf("%s is left in a list", r.Email)
			}
		}
	})
}

// Keys that an earlier version stored as they are go on being known.
func TestStoredKeysAreFoundByTheirHash(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		key, id := newKey(t, s, account), newCandidate(t, s, account, nil)
		run(t, s, `alter table idempotency_keys add column body %s not null default ''`, byteType(s))
		run(t, s, `insert into idempotency_keys (api_key_id, key, request_sha256, status, body, candidate_id, created_at) values (%d, 'invite ä', 'sha', 200, 'x', %d, %d)`,
			key, id, noon.UnixMilli())
		run(t, s, `delete from schema_migrations where name = '0015_erased_keys.sql'`)
		must[[]string](t)(s.Migrate(t.Context()))
		write(t, s, func(tx *store.Tx) error {
			a, err := tx.ClaimIdempotencyKey(t.Context(), key, "invite ä", "other", noon)
			if err == nil && (a == nil || *a != (store.StoredAnswer{RequestSHA256: "sha", CandidateID: id, Repeat: true})) {
				t.Errorf("the answer is %+v", a)
			}
			return err
		})
	})
}

// The two catalogues, in the same words: table, column, type, and whether null
// is refused. A key is an integer here and a bigint there.
const (
	sqliteColumns = `
		select m.name || '.' || c.name || ' ' || case when c.type = 'INTEGER' then 'bigint' else lower(c.type) end
			|| case when c."notnull" = 1 or c.pk > 0 then ' not null' else '' end
		from sqlite_master m join pragma_table_info(m.name) c
		where m.type = 'table' and m.name not like 'sqlite%'`
	postgresColumns = `
		select table_name || '.' || column_name || ' ' || data_type || case is_nullable when 'NO' then ' not null' else '' end
		from information_schema.columns where table_schema = current_schema`
	sqliteIndexes = `
		select tbl_name || ' ' || name || case when sql like 'create unique%' then ' unique' else '' end || case when sql like '% where %' then ' partial' else '' end
		from sqlite_master where type = 'index' and sql is not null`
	postgresIndexes = `
		select tablename || ' ' || indexname || case when indexdef like 'CREATE UNIQUE%' then ' unique' else '' end || case when indexdef like '% WHERE %' then ' partial' else '' end
		from pg_indexes where schemaname = current_schema and indexname not like '%\_pkey' and indexname not like '%\_key'`
)

func TestBothDatabasesHaveTheSameTablesColumnsAndIndexes(t *testing.T) {
	sqlite, postgres := storetest.OpenSQLite(t), storetest.Open(t, storetest.Postgres(t))
	for what, queries := range map[string][2]string{
		"columns": {sqliteColumns, postgresColumns},
		"indexes": {sqliteIndexes, postgresIndexes},
	} {
		a, b := rows(t, sqlite, queries[0]), rows(t, postgres, queries[1])
		if len(a) < 20 || len(b) < 20 {
			t.Fatalf("%s: %d and %d found: the catalogue was not read", what, len(a), len(b))
		}
		for _, line := range a {
			if !slices.Contains(b, line) {
				t.Errorf("%s only on SQLite: %s", what, line)
			}
		}
		for _, line := range b {
			if !slices.Contains(a, line) && !strings.HasPrefix(line, "rate_log.") { // SQLite's one server counts in its memory
				t.Errorf("%s only on PostgreSQL: %s", what, line)
			}
		}
	}
}

// takeBackPositions undoes the migration that made positions, as far as its tables go.
func takeBackPositions(t *testing.T, s *store.Store) {
	t.Helper()
	for _, back := range []string{
		`alter table api_keys drop column position_id`, `alter table api_keys drop column scope`, `delete from schema_migrations where name = '0045_key_scopes.sql'`,
		`drop table enrolments`, `drop table public_links`, `drop index candidates_email`, `delete from schema_migrations where name = '0035_public_links.sql'`,
		`drop table position_logos`, `alter table signups drop column keep_finished_days`, `delete from schema_migrations where name in ('0037_clients.sql', '0041_kept_turns.sql')`,
		`drop table retention_turns`, `drop index candidates_counted`, `alter table imports drop column position_id`, `alter table accounts drop column keep_from_decision`,
		`alter table accounts drop column keep_undecided_days`, `alter table candidates drop column keep_until`, `alter table candidates drop column keep_reason`,
		`delete from schema_migrations where name = '0029_position_settings.sql'`,
		`drop table core_questions`, `drop table interviews`, `drop index candidates_position`, `drop index candidates_position_completed`, `alter table candidates drop column position_id`,
		`alter table users drop column only_named`, `drop table position_members`, `drop table positions`,
		`delete from schema_migrations where name = '0021_positions.sql'`,
	} {
		run(t, s, "%s", back)
	}
}

// Whatever ends a start while positions are being made, the old schema is there with all
// candidates, and the next start makes them: nobody has moved.
func TestPositionsAreMadeWhollyOrNotAtAll(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newCandidate(t, s, account, nil)
		takeBackPositions(t, s)
		killed := s.Watched(func(query string) error {
			if strings.Contains(query, "insert into schema_migrations") { // the tables are made by now
				return errors.New("killed")
			}
			return nil
		})
		if applied, err := killed.Migrate(t.Context()); err == nil {
			t.Fatalf("a killed start applied %q", applied)
		}
		hasKind(t, "the schema after a killed start", s.CheckSchema(t.Context()), typus.Conflict)
		tables := sqliteColumns
		if s.Dialect() == "postgres" {
			tables = postgresColumns
		}
		for _, column := range rows(t, s, tables) {
			if strings.HasPrefix(column, "positions.") || strings.HasPrefix(column, "candidates.position_id") || strings.HasPrefix(column, "interviews.") {
				t.Errorf("a killed start leaves %s", column)
			}
		}
		if applied := must[[]string](t)(s.Migrate(t.Context())); !slices.Equal(applied, []string{"0021_positions.sql", "0029_position_settings.sql", "0035_public_links.sql", "0037_clients.sql", "0041_kept_turns.sql", "0045_key_scopes.sql"}) {
			t.Errorf("the next start applied %q", applied)
		}
		if c := must[typus.Candidate](t)(s.Candidate(t.Context(), account, id)); c.PositionID != 0 {
			t.Errorf("the candidate has moved to position %d", c.PositionID)
		}
		if positions := rows(t, s, `select id from positions`); len(positions) > 0 {
			t.Errorf("the migration makes %d positions", len(positions))
		}
	})
}

// catalogue is what tables, columns and indexes there are, sorted.
func catalogue(t *testing.T, s *store.Store) []string {
	t.Helper()
	queries := []string{sqliteColumns, sqliteIndexes}
	if s.Dialect() == "postgres" {
		queries = []string{postgresColumns, postgresIndexes}
	}
	all := append(rows(t, s, queries[0]), rows(t, s, queries[1])...)
	slices.Sort(all)
	return all
}

// Whatever ends a server while it migrates, the schema is what it was; and the next start
// brings it up to date. Each migration since positions have settings is where one is killed.
func TestAMigrationThatIsKilledIsDoneAgainWholly(t *testing.T) {
	dbtest.RunEmpty(t, func(t *testing.T, dsn string) {
		old := must[*store.Store](t)(store.OpenBefore(t.Context(), dsn, "0029"))
		must[[]string](t)(old.Migrate(t.Context()))
		former := catalogue(t, old)
		if err := old.Close(); err != nil {
			t.Fatal(err)
		}
		for n, again := 1, true; again; n++ {
			left, applied, ended := killedAt(t, dsn, n)
			s := must[*store.Store](t)(store.Open(t.Context(), left))
			err, got := s.CheckSchema(t.Context()), catalogue(t, s)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if again = !ended; ended {
				if err != nil || len(applied) != n-1 || n < 5 {
					t.Errorf("after %d kills a start applies %q, %v", n-1, applied, err)
				}
				continue
			}
			hasKind(t, "the schema after a kill", err, typus.Conflict)
			if !slices.Equal(got, former) {
				t.Errorf("kill %d leaves %q, before it was %q", n, got, former)
			}
			dsn = left
		}
	})
}

// killedAt starts a server that is killed when it has made all that the n-th of its
// migrations makes, and returns the database that it leaves, what it applied, and whether it
// has done all because there is no n-th.
func killedAt(t *testing.T, dsn string, n int) (string, []string, bool) {
	t.Helper()
	s := must[*store.Store](t)(store.Open(t.Context(), dsn))
	left, seen := dsn, 0
	applied, err := s.Watched(func(query string) error {
		if !strings.Contains(query, "insert into schema_migrations") {
			return nil
		}
		if seen++; seen < n {
			return nil
		}
		left = killed(t, dsn)
		return errors.New("killed")
	}).Migrate(t.Context())
	if (err == nil) == (seen == n) {
		t.Errorf("the start ends with %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return left, applied, err == nil
}

// killed ends the connection of whoever migrates; of a file it returns a copy of what stands
// on the disk at this moment.
func killed(t *testing.T, dsn string) string {
	t.Helper()
	if strings.HasPrefix(dsn, "postgres://") {
		admin := must[*sql.DB](t)(sql.Open("pgx", dsn))
		defer admin.Close()
		must[sql.Result](t)(admin.ExecContext(t.Context(), `select pg_terminate_backend(pid) from pg_stat_activity
			where datname = current_database() and pid <> pg_backend_pid() and state = 'idle in transaction'`))
		return dsn
	}
	left := filepath.Join(t.TempDir(), "typus.db")
	for _, end := range []string{"", "-wal"} {
		data := must[[]byte](t)(os.ReadFile(dsn + end))
		if err := os.WriteFile(left+end, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return left
}

// oneMailbox is an address in four spellings. Before the migration to mailboxes, spellings that
// differed in more than case were different addresses.
var oneMailbox = []string{"Anna@Müller.example", "anna@mu\u0308ller.example", "anna@xn--mller-kva.example", "anna@MÜLLER。example"}

// remigrated takes the migration to mailboxes back, as far as what was stored before it goes,
// and does it again.
func remigrated(t *testing.T, s *store.Store, former ...string) {
	t.Helper()
	remigratedBy(t, s, "0053_mailbox_keys.sql", former...)
}

func remigratedBy(t *testing.T, s *store.Store, name string, former ...string) {
	t.Helper()
	for _, statement := range former {
		run(t, s, "%s", statement)
	}
	run(t, s, "delete from schema_migrations where name = '%s'", name)
	if applied := must[[]string](t)(s.Migrate(t.Context())); !slices.Equal(applied, []string{name}) {
		t.Errorf("applied %q", applied)
	}
}

// quoted is a text as it stands in a statement.
func quoted(text string) string { return "'" + text + "'" }

func TestPeopleStoredBySpellingAreFoundByTheirMailbox(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		var former []string
		var ids []int64
		for n, email := range oneMailbox {
			lower := strings.ToLower(email)
			id := newCandidate(t, s, account, func(c *store.NewCandidate) {
				c.ExternalID, c.Email, c.OpenRef = "crm-4711", email, "before "+lower
			})
			ids = append(ids, id)
			former = append(former, "update candidates set email_key = "+quoted(lower)+", open_ref = '"+strings.Join([]string{strconv.FormatInt(account, 10), "crm-4711", lower}, "\u001f")+"' where id = "+strconv.FormatInt(id, 10))
			write(t, s, func(tx *store.Tx) error {
				listed, err := tx.AddImport(t.Context(), typus.Import{AccountID: account, CreatedAt: noon}, []byte{1})
				if err != nil {
					return err
				}
				return tx.ReplaceImportRows(t.Context(), typus.Import{ID: listed, AccountID: account}, []typus.ImportRow{{N: n + 2, Name: "P", Email: email, State: typus.RowReady}})
			})
			former = append(former, "update import_rows set email_key = "+quoted(lower)+" where email = "+quoted(email))
		}
		other := newCandidate(t, s, account, func(c *store.NewCandidate) { c.Email = "anna@mueller.example" })
		remigrated(t, s, former...)
		for _, email := range oneMailbox {
			found := must[map[string]int64](t)(s.OpenByEmail(t.Context(), account, 0, []string{email}, noon))
			if want := map[string]int64{typus.MailboxKey(email): ids[3]}; !maps.Equal(found, want) {
				t.Errorf("%s has the open invitation %v, want %v", email, found, want)
			}
		}
		// The third had the key already; each of the others is still invited, but not repeated.
		ref := strings.Join([]string{strconv.FormatInt(account, 10), "crm-4711", "anna@xn--mller-kva.example"}, "\u001f")
		if held := rows(t, s, `select id from candidates where account_id = $1 and open_ref is not null and external_id is not null`, account); len(held) != 1 {
			t.Errorf("%q can be repeated, want the third alone", held)
		}
		if c := must[typus.Candidate](t)(s.CandidateByOpenRef(t.Context(), account, ref)); c.ID != ids[2] {
			t.Errorf("candidate %d is repeated, want %d", c.ID, ids[2])
		}
		write(t, s, func(tx *store.Tx) error { return tx.EraseCandidate(t.Context(), account, ids[0], noon) })
		if left := rows(t, s, `select email from import_rows where email <> ''`); len(left) > 0 {
			t.Errorf("%q are left in lists of somebody who is erased", left)
		}
		if c := must[typus.Candidate](t)(s.Candidate(t.Context(), account, other)); c.Email == "" {
			t.Error("another mailbox is erased as well")
		}
	})
}

// Two users of one mailbox go on logging in, each with their spelling, and nobody else becomes
// a third.
func TestTwoUsersOfOneMailboxGoOnLoggingIn(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		var former []string
		ids := map[string]int64{}
		for n, email := range append(slices.Clone(oneMailbox), "Jörg@example.com", "kim@Jörg.example") {
			account := newAccount(t, s)
			// Under another address at first, as the mailbox is taken.
			id := newUser(t, s, typus.User{AccountID: account, Email: "u" + strconv.Itoa(n) + "@example.com", Role: typus.RoleOwner}, "hash")
			ids[email] = id
			former = append(former, "update users set email = "+quoted(email)+", email_key = "+quoted(strings.ToLower(email))+" where id = "+strconv.FormatInt(id, 10))
		}
		account := newAccount(t, s)
		var guest int64
		write(t, s, func(tx *store.Tx) error {
			var err error
			guest, err = tx.AddInvitedUser(t.Context(), typus.User{AccountID: account, Email: "Lea@Müller.example", Role: typus.RoleViewer, CreatedAt: noon})
			return err
		})
		former = append(former, "update users set email_key = 'invited|"+strconv.FormatInt(account, 10)+"|lea@müller.example' where id = "+strconv.FormatInt(guest, 10))
		remigrated(t, s, former...)
		for email, id := range ids {
			for _, typed := range []string{email, strings.ToUpper(email)} {
				c, found, err := s.CredentialsByLogin(t.Context(), typed)
				if err != nil || !found || c.ID != id {
					t.Errorf("%q logs in as user %d, %t, %v, want %d", typed, c.ID, found, err, id)
				}
			}
			u := must[store.Credentials](t)(lone(s.CredentialsByLogin(t.Context(), email)))
			write(t, s, func(tx *store.Tx) error { return tx.SetPassword(t.Context(), u.AccountID, u.ID, "another") })
			if again := must[store.Credentials](t)(lone(s.CredentialsByLogin(t.Context(), email))); again.ID != id || again.PasswordHash != "another" {
				t.Errorf("after a new password %q logs in as user %d", email, again.ID)
			}
			if found := must[typus.User](t)(s.UserByEmail(t.Context(), u.AccountID, email)); found.ID != id {
				t.Errorf("%q is user %d of the account, want %d", email, found.ID, id)
			}
		}
		if c, found, err := s.CredentialsByLogin(t.Context(), "kim@xn--jrg-sna.example"); err != nil || !found || c.ID != ids["kim@Jörg.example"] {
			t.Errorf("the other spelling logs in as %d, %t, %v", c.ID, found, err)
		}
		for _, email := range []string{"ANNA@müller.example.", "anna@xn--mller-kva.example", "kim@JÖRG.example"} {
			err := s.InTx(t.Context(), func(tx *store.Tx) error {
				_, err := tx.AddUser(t.Context(), typus.User{AccountID: account, Email: email, Role: typus.RoleViewer, CreatedAt: noon}, "hash")
				return err
			})
			hasKind(t, "another login "+email, err, typus.Conflict)
		}
		for _, email := range []string{"lea@xn--mller-kva.example", "Lea@MÜLLER.example"} {
			if u := must[typus.User](t)(s.UserByEmail(t.Context(), account, email)); u.ID != guest {
				t.Errorf("%s is user %d, want the guest %d", email, u.ID, guest)
			}
			if c, found, err := s.CredentialsByLogin(t.Context(), email); found || err != nil {
				t.Errorf("a guest logs in as %d, %v", c.ID, err)
			}
		}
	})
}

// lone is what is found, or NotFound.
func lone(c store.Credentials, found bool, err error) (store.Credentials, error) {
	if err == nil && !found {
		err = typus.Errorf(typus.NotFound, "nobody logs in so")
	}
	return c, err
}

// Of what waits for one mailbox the latest stays.
func TestOfWhatWaitsForOneMailboxTheLatestStays(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		var link int64
		write(t, s, func(tx *store.Tx) error {
			position, err := tx.AddPosition(t.Context(), typus.Position{AccountID: account, Name: "Süd", State: typus.PositionOpen, CreatedAt: noon})
			if err != nil {
				return err
			}
			link, err = tx.AddPublicLink(t.Context(), typus.PublicLink{AccountID: account, PositionID: position, TokenHash: "public", SealedToken: []byte{1}, Most: 9, CreatedAt: noon})
			return err
		})
		var former []string
		letters := map[string]int64{}
		// The third is the oldest, the second the latest.
		for n, email := range oneMailbox {
			hash, at := "hash"+strconv.Itoa(n), noon.Add(time.Duration([]int{1, 3, 0, 2}[n])*time.Minute)
			write(t, s, func(tx *store.Tx) error {
				letter, err := tx.AddLetter(t.Context(), typus.Letter{AccountID: account, Kind: typus.LetterEnrolment, Language: "de", To: email, CreatedAt: at})
				letters[hash] = letter
				return err
			})
			placeholder := "w" + strconv.Itoa(n) + "@example.com"
			write(t, s, func(tx *store.Tx) error {
				err := tx.AddSignUp(t.Context(), typus.SignUp{Hash: hash, Email: placeholder, Language: "de", PasswordHash: "x", CreatedAt: at, ExpiresAt: at.Add(time.Hour)})
				if err != nil {
					return err
				}
				return tx.AddEnrolment(t.Context(), link, typus.Enrolment{Hash: hash, Name: "Anna", Email: placeholder, Language: "de", LetterID: letters[hash], CreatedAt: at, ExpiresAt: at.Add(time.Hour)})
			})
			for _, table := range []string{"signups", "enrolments"} {
				former = append(former, "update "+table+" set email = "+quoted(email)+", email_key = "+quoted(strings.ToLower(email))+" where token_hash = "+quoted(hash))
			}
		}
		remigrated(t, s, append(former, `insert into kept_letters (account_id, letter_id, kind, recipient, recipient_key, sealed, created_at, drop_at)
			select account_id, id, kind, recipient, lower(recipient), cast('x' as `+byteType(s)+`), 0, 0 from letters`)...)
		for _, table := range []string{"signups", "enrolments"} {
			if left := rows(t, s, "select token_hash || ' ' || email_key from "+table); !slices.Equal(left, []string{"hash1 anna@xn--mller-kva.example"}) {
				t.Errorf("%s: %q are left", table, left)
			}
		}
		if told := rows(t, s, `select id from letters where recipient <> ''`); !slices.Equal(told, []string{strconv.FormatInt(letters["hash1"], 10)}) {
			t.Errorf("letters %q still have an address, want that of the latest", told)
		}
		if kept := must[[]typus.KeptLetter](t)(s.KeptLettersTo(t.Context(), account, "Anna@XN--mller-kva.example", 0, 9)); len(kept) != 1 || kept[0].LetterID != letters["hash1"] {
			t.Errorf("%v are kept, want the letter of the latest", kept)
		}
	})
}

// Whose domain an earlier version has indexed as it was typed is found in the other spelling,
// too.
func TestADomainIsFoundInTheOtherSpellingAfterAnUpdate(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newCandidate(t, s, account, func(c *store.NewCandidate) { c.Name, c.Email = "Anna", "anna@xn--mller-kva.example" })
		remigratedBy(t, s, "0055_spelled_domains.sql", `update candidates set words = ''`, `delete from candidate_words`)
		write(t, s, func(tx *store.Tx) error { _, err := tx.IndexCandidates(t.Context()); return err })
		for _, text := range []string{"müller.example", "anna@mueller", "anna@xn--mller-kva.example"} {
			rows := must[store.CandidatePage](t)(s.CandidatePage(t.Context(), store.WholeAccount(account), store.CandidateQuery{Search: text})).Rows
			if len(rows) != 1 || rows[0].ID != id {
				t.Errorf("%q finds %d people", text, len(rows))
			}
		}
	})
}
