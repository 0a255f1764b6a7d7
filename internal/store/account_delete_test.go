package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// belongs are the tables whose rows belong to an account, by the schema: those that name one, a
// candidate or a user, and those that point to such a table.
func belongs(t *testing.T, s *store.Store) []string {
	t.Helper()
	of := []string{"accounts"}
	for grown := true; grown; {
		grown = false
		for _, table := range tables(t, s) {
			if slices.Contains(of, table) || slices.Contains(store.OutliveAccounts, table) {
				continue
			}
			columns := rows(t, s, "select name from pragma_table_info('"+table+"')")
			parents := rows(t, s, `select "table" from pragma_foreign_key_list('`+table+`')`)
			owned := slices.ContainsFunc(columns, func(c string) bool { return slices.Contains([]string{"account_id", "candidate_id", "user_id"}, c) })
			if owned || slices.ContainsFunc(parents, func(p string) bool { return slices.Contains(of, p) }) {
				of, grown = append(of, table), true
			}
		}
	}
	slices.Sort(of)
	return of
}

func TestADeletionKnowsEveryTableOfAnAccount(t *testing.T) {
	if known, is := store.DeletionTables(), belongs(t, storetest.OpenSQLite(t)); !slices.Equal(known, is) {
		t.Errorf("a deletion takes rows out of\n%q, and an account has some in\n%q", known, is)
	}
}

// furnished makes an account with a test world that has rows in every table.
func furnished(t *testing.T, s *store.Store) int64 {
	t.Helper()
	everything(t, s)
	account := lastID(t, s, `select max(account_id) from role_profiles`)
	world := lastID(t, s, fmt.Sprintf(`select id from accounts where parent_id = %d`, account))
	of := func(table string) int64 {
		return lastID(t, s, fmt.Sprintf(`select max(id) from %s where account_id = %d`, table, account))
	}
	filled(t, s, world, 1)
	candidate, user := of("candidates"), of("users")
	key := newKey(t, s, account)
	salt := unique("")
	for _, q := range []string{
		`insert into sessions (token_hash, user_id, account_id, verified, confirmed_at, created_at, seen_at, expires_at, ip, agent) values ('s{salt}', {user}, {account}, 1, 0, 0, 0, 0, '', '')`,
		`insert into recovery_codes (user_id, hash) values ({user}, 'r{salt}')`,
		`insert into user_links (token_hash, user_id, created_at, expires_at) values ('l{salt}', {user}, 0, 0)`,
		`insert into idempotency_keys (api_key_id, key, request_sha256, status, candidate_id, created_at) values ({key}, 'k', '', 201, {candidate}, 0)`,
		`insert into world_acts (candidate_id, account_id, act, due_at) select max(id), account_id, 'begin', 0 from candidates where account_id = {world} group by account_id`,
		`insert into world_moves (account_id, target_at, begun_at, done_at) values ({world}, 0, 0, 0)`,
		`insert into api_calls (account_id, key_id, day, calls) values ({account}, {key}, '2026-03-04', 1)`,
		`insert into api_refusals (account_id, key_id, method, route, status, code, request_id, created_at) values ({account}, {key}, 'GET', '', 404, '', '', 0)`,
		`insert into account_senders (account_id, address, name, bounce_address, dkim_domain, dkim_selector) values ({account}, '', '', '', '', '') on conflict do nothing`,
		`insert into sent_forms (account_id, form, made_id, created_at) values ({account}, 'f{salt}', 0, 0)`,
		`insert into letter_templates (account_id, kind, language, subject, body, changed_by, changed_at) values ({account}, 'invitation', 'en', '', '', '', 0)`,
		`insert into candidate_tags (account_id, tag, candidate_id) values ({account}, 't', {candidate})`,
		`insert into requests (account_id, candidate_id, kind, created_at, body) values ({account}, {candidate}, 'copy', 0, '')`,
		`insert into interviews (candidate_id, user_id) values ({candidate}, 77)`,
		`insert into enrolments (token_hash, link_id, name, email, email_key, language, letter_id, created_at, expires_at)
			select 'e{salt}', max(id), '', 'a{salt}', 'a{salt}', 'de', 0, 0, 0 from public_links where account_id = {account}`,
		`insert into position_members (position_id, user_id) select max(id), {user} from positions where account_id = {account} on conflict do nothing`,
		`insert into position_logos (position_id, body) select max(id), cast('x' as ` + byteType(s) + `) from positions where account_id = {account} on conflict do nothing`,
		`insert into kept_letters (account_id, letter_id, candidate_id, kind, recipient, sealed, created_at, drop_at)
			select account_id, max(id), max(candidate_id), '', '', cast('x' as ` + byteType(s) + `), 0, 0 from letters where account_id = {world} and candidate_id is not null group by account_id on conflict do nothing`,
	} {
		run(t, s, "%s", strings.NewReplacer("{salt}", salt, "{user}", fmt.Sprint(user), "{account}", fmt.Sprint(account), "{world}", fmt.Sprint(world),
			"{key}", fmt.Sprint(key), "{candidate}", fmt.Sprint(candidate)).Replace(q))
	}
	return account
}

func lastID(t *testing.T, s *store.Store, query string) int64 {
	t.Helper()
	var id int64
	if _, err := fmt.Sscan(rows(t, s, query)[0], &id); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return id
}

// Nothing of an account is left, nothing of another one changes, and the counts are true.
func TestADeletedAccountLeavesNoRowAndNoOtherChanges(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := furnished(t, s)
		other := newAccount(t, s)
		for _, of := range []int64{other, newWorld(t, s, other)} {
			filled(t, s, of, newUser(t, s, typus.User{AccountID: other, Email: unique("ada") + "@example.com", Role: typus.RoleOwner}, "hash"))
		}
		before := snapshot(t, s)
		world := lastID(t, s, fmt.Sprintf(`select id from accounts where parent_id = %d`, account))
		listed := rows(t, s, fmt.Sprintf(`select id from candidates where account_id = %d order by id`, account))
		was := rows(t, s, `select id from tombstones`)
		counted := map[string]int{}
		for _, d := range deleteAccount(t, s, account).Tables {
			if counted[d.Table] = d.Deleted; d.Present == 0 || d.Present != d.Deleted {
				t.Errorf("of %s %d rows were there and %d are deleted", d.Table, d.Present, d.Deleted)
			}
		}
		after := snapshot(t, s)
		for table := range before {
			if slices.Contains(store.OutliveAccounts, table) {
				continue
			}
			left := slices.Clone(before[table])
			for _, row := range after[table] {
				if n := slices.Index(left, row); n >= 0 {
					left = slices.Delete(left, n, n+1)
				} else {
					t.Errorf("%s has a row that was not there: %s", table, row)
				}
			}
			if len(left) != counted[table] && table != "notices" && table != "server_marks" {
				t.Errorf("%d rows of %s are gone, and the protocol says %d: %q", len(left), table, counted[table], left)
			}
		}
		is := slices.DeleteFunc(rows(t, s, `select id from tombstones order by id`), func(id string) bool { return slices.Contains(was, id) })
		if len(is) < 3 || !slices.Equal(is, listed) {
			t.Errorf("listed as erased %q, want %q", is, listed)
		}
		stones := must[[]store.Tombstone](t)(s.Tombstones(t.Context(), store.Cursor{}, 100))
		if !slices.ContainsFunc(stones, func(x store.Tombstone) bool { return x.Account && x.ID == account }) {
			t.Errorf("the account is not listed: %+v", stones)
		}
		for _, table := range store.DeletionTables() {
			for _, owner := range []string{"account_id", "id", "parent_id"} {
				if (table == "accounts") == (owner == "account_id") || owner == "account_id" && !slices.Contains(columnsOf(t, s, table), owner) {
					continue
				}
				if left := rows(t, s, fmt.Sprintf(`select * from %s where %s in (%d, %d)`, table, owner, account, world)); len(left) > 0 {
					t.Errorf("left in %s: %q", table, left)
				}
			}
		}
		// And of all that there are: then no row is left to anybody.
		for _, id := range rows(t, s, `select id from accounts where id > 0 and parent_id is null`) {
			var n int64
			fmt.Sscan(id, &n)
			deleteAccount(t, s, n)
		}
		for _, table := range store.DeletionTables() {
			if left := rows(t, s, `select * from `+table); len(left) > 0 && table != "accounts" && table != "letters" {
				t.Errorf("after the last account %s has %q", table, left)
			}
		}
	})
}

func columnsOf(t *testing.T, s *store.Store, table string) []string {
	t.Helper()
	if s.Dialect() == "sqlite" {
		return rows(t, s, "select name from pragma_table_info('"+table+"')")
	}
	return rows(t, s, `select cast(column_name as text) from information_schema.columns where table_schema = current_schema and table_name = '`+table+`'`)
}

func TestAnAccountThatIsBeingDeletedLetsNobodyIn(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newCandidate(t, s, account, func(c *store.NewCandidate) { c.TokenHash = "theirs" })
		addLetter(t, s, invitation(account, id))
		beginDeletion(t, s, account)
		_, err := s.CandidateByToken(t.Context(), "theirs")
		hasKind(t, "a link", err, typus.NotFound)
		_, err = s.VisitByToken(t.Context(), "theirs")
		hasKind(t, "a page", err, typus.NotFound)
		write(t, s, func(tx *store.Tx) error {
			_, err := tx.LockCandidateByToken(t.Context(), "theirs")
			hasKind(t, "a step", err, typus.NotFound)
			return nil
		})
		letters := must[[]typus.Letter](t)(s.ClaimLetters(t.Context(), store.Claim{Owner: "a", Lease: time.Minute, Limit: 9}))
		if len(letters) != 0 {
			t.Errorf("letters still go out: %+v", letters)
		}
		a := must[typus.Account](t)(s.Account(t.Context(), account))
		hasKind(t, "a change", a.Itself(), typus.Conflict)
		write(t, s, func(tx *store.Tx) error {
			return tx.AddRefusedCalls(t.Context(), []typus.RefusedCall{{AccountID: account + 99, Method: "GET", Status: 404, At: noon}})
		})
		if left := rows(t, s, `select id from api_refusals`); len(left) != 0 {
			t.Errorf("calls of an account that is gone are kept: %q", left)
		}
	})
}

// A deletion that was cut off after any of its steps is done by the next one, and counts each
// row once.
func TestADeletionThatWasCutOffGoesOn(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		for range 230 { // three pages
			newCandidate(t, s, account, nil)
		}
		beginDeletion(t, s, account)
		write(t, s, func(tx *store.Tx) error {
			_, err := tx.DeletePeople(t.Context(), account, 0, noon.Add(time.Hour))
			return err
		})
		if left := rows(t, s, `select count(*) from candidates`); left[0] != "130" {
			t.Errorf("%s are left after a page", left)
		}
		endDeletion(t, s, account)
		for _, d := range must[store.Deletion](t)(s.Deletion(t.Context(), account)).Tables {
			if d.Table == "candidates" && (d.Present != 230 || d.Deleted != 230) {
				t.Errorf("counted %+v", d)
			}
		}
		if listed := rows(t, s, `select count(*) from tombstones`); listed[0] != "230" {
			t.Errorf("%s are listed", listed)
		}
	})
}

// Whoever sends a letter has the letter first and then the account, which a deletion that has
// the account already would wait for in a circle; likewise whoever changes a webhook. That goes
// for the account and for its test world.
func TestADeletionWaitsForOthersBeforeItLocksTheAccount(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	account := newAccount(t, s)
	for name, of := range map[string]int64{"the account": account, "its test world": newWorld(t, s, account)} {
		addLetter(t, s, invitation(of, newCandidate(t, s, of, nil)))
		newEndpoint(t, s, of)
		for table, statement := range map[string]string{
			"letters": `update letters set attempts = attempts + 1 where account_id = %d`, "webhook_endpoints": `update webhook_endpoints set version = version + 1 where account_id = %d`,
			"accounts": `update accounts set credits = credits + 1 where id = %d`,
		} {
			at := meanwhile(t, s, fmt.Sprintf(statement, of), func(tx *store.Tx) error {
				_, err := tx.LockToBegin(t.Context(), account)
				return err
			})
			if !strings.Contains(at, "from "+table) {
				t.Errorf("of %s it waits at %q", name, at)
			}
		}
	}
}

// An erasure that is under way when an account is taken out comes to its end before anybody
// looks who was erased. Of whatever else is locked before the account, it waits likewise.
func TestTakingAnAccountOutWaitsForWhoeverIsAtWork(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	for _, table := range []string{"candidates", "letters", "positions"} {
		account := newAccount(t, s)
		id := newCandidate(t, s, account, nil)
		addLetter(t, s, invitation(account, id))
		newPosition(t, s, typus.Position{AccountID: account, Name: "Vertrieb"})
		at := meanwhile(t, s, fmt.Sprintf(`update %s set created_at = created_at + 1 where account_id = %d`, table, account), func(tx *store.Tx) error {
			if err := tx.LockToRemove(t.Context(), account); err != nil {
				return err
			}
			return tx.RemoveAccount(t.Context(), account)
		})
		if !strings.Contains(at, "from "+table) || !strings.HasSuffix(at, "for no key update") {
			t.Errorf("of %s it waits at %q", table, at)
		}
		_, err := s.Account(t.Context(), account)
		hasKind(t, "the account after that", err, typus.NotFound)
	}
}

// Two who delete at once are told the same: the first to end says when it ended.
func TestTheEndOfADeletionStaysWhatItWas(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		was := deleteAccount(t, s, account)
		write(t, s, func(tx *store.Tx) error { return tx.EndDeletion(t.Context(), account, noon.Add(2*time.Hour)) })
		if is := must[store.Deletion](t)(s.Deletion(t.Context(), account)); !is.EndedAt.Equal(was.EndedAt) {
			t.Errorf("it ended %v, and now %v", was.EndedAt, is.EndedAt)
		}
	})
}
