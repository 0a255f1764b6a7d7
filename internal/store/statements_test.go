package store_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

var parameter = regexp.MustCompile(`\$\d+`)

// record is what an SQLite store has run so far.
type record struct {
	mu    sync.Mutex
	texts map[string]bool
}

// recorded opens a fresh store whose statements are recorded.
func recorded(t *testing.T) (*store.Store, *record) {
	t.Helper()
	ran := &record{texts: map[string]bool{}}
	return storetest.OpenSQLite(t).Watched(func(query string) error {
		ran.mu.Lock()
		defer ran.mu.Unlock()
		ran.texts[query] = true
		return nil
	}), ran
}

func (r *record) list() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.texts))
}

// SQLite numbers the parameters by their first use, PostgreSQL by their name.
func TestParametersAreFirstUsedInAscendingOrder(t *testing.T) {
	_, ran := everythingRecorded(t)
	statements := ran.list()
	if len(statements) < 90 {
		t.Errorf("only %d statements seen", len(statements))
	}
	for _, text := range statements {
		seen := map[string]bool{}
		for _, name := range parameter.FindAllString(text, -1) {
			if !seen[name] && name != fmt.Sprint("$", len(seen)+1) {
				t.Errorf("%s comes as number %d in %s", name, len(seen)+1, text)
			}
			seen[name] = true
		}
	}
}

// whole is what everything runs, once a test has asked.
var whole struct {
	sync.Mutex
	ran *record
}

// everythingRecorded opens a fresh store, and brings the statements that everything runs. They
// are found out once, among many rows, where a few more run. The fresh store has none:
// SQLite's plans are the same whatever rows there are, since it keeps no statistics here.
func everythingRecorded(t *testing.T) (*store.Store, *record) {
	t.Helper()
	whole.Lock()
	defer whole.Unlock()
	if whole.ran == nil {
		s, ran := recorded(t)
		fill(t, s, 2000)
		everything(t, s)
		whole.ran = ran
	}
	return storetest.OpenSQLite(t), whole.ran
}

// fill puts n rows into every table that grows, spread over 50 accounts.
func fill(t *testing.T, s *store.Store, n int) {
	t.Helper()
	for range 50 {
		newAccount(t, s)
	}
	numbers := fmt.Sprintf(`with recursive n (i) as (select 1 union all select i + 1 from n where i < %d) `, n)
	const candidate = `100000000000000 + i`
	for _, q := range []string{
		`insert into api_keys (account_id, name, hash, created_by, created_at) select i % 50 + 1, '', 'h' || i, '', 0 from n`,
		`insert into webhook_endpoints (account_id, url, status_changed_at, created_at) select i % 50 + 1, '', 0, 0 from n`,
		`insert into api_refusals (account_id, key_id, method, route, status, code, request_id, created_at) select i % 50 + 1, i % 100, '', '', 400, '', '', 0 from n`,
		`insert into api_calls (account_id, key_id, day, calls) select i % 50 + 1, i % 100, 'd' || i, 1 from n`,
		`insert into webhook_secrets (endpoint_id, role, key_id, ciphertext, created_at) select i, 'current', '', 'x', 0 from n`,
		`insert into candidates (account_id, external_id, name, email, token_hash, token_sealed, status, language, role_profile, created_at, completed_at, expires_at, open_ref)
			select i % 50 + 1, case i % 3 when 0 then null else 'crm-' || i end, 'N', 'e', 't' || i, 'x', case i % 3 when 0 then 'offen' when 1 then 'begonnen' else 'abgeschlossen' end,
			'de', 'r', 1700000000000 + i, case i % 3 when 2 then 1700000000000 + i else null end, 1800000000000, 'ref' || i from n`,
		`insert into tombstones (id, created_at, erased_at) select 200000000000000 + i, 0, i from n`,
		`insert into account_deletions (account_id, created_at, begun_at) select 1000000 + i, 0, i from n`,
		`insert into deleted_usage (account_id, month, completions, taken_over, invitations, letters, deliveries, people) select 1000000 + i, i || '-11', 0, 0, 0, 0, 0, 0 from n`,
		`insert into deletion_counts (account_id, name, present) select 1000000 + i, 'letters', 0 from n`,
		`insert into sheets (candidate_id, body, saved_at) select ` + candidate + `, 'x', 0 from n`,
		`insert into results (candidate_id, scores, answers, instrument, instrument_hash, norm, role_profile, role_snapshot, scoring_version, created_at)
			select ` + candidate + `, 'x', 'x', '', '', '', '', 'x', '', 0 from n`,
		`insert into credit_ledger (account_id, delta, reason, candidate_id, actor, balance_after, created_at)
			select i % 50 + 1, -1, 'completion', ` + candidate + `, '', 0, 0 from n`,
		`insert into idempotency_keys (api_key_id, key, request_sha256, status, candidate_id, created_at) select i % 50 + 1, 'k' || i, '', 201, 0, i from n`,
		`insert into webhook_events (id, account_id, type, candidate_id, occurred_at, payload_sha256)
			select 'e' || i, i % 50 + 1, 'candidate.completed', ` + candidate + `, 0, '' from n`,
		`insert into webhook_deliveries (id, account_id, event_id, endpoint_id, kind, state, next_attempt_at)
			select 'd' || i, (i % 50 + 1) % 50 + 1, 'e' || i, i % 50 + 1, 'auto', case i % 20 when 0 then 'pending' else 'delivered' end, 1700000000000 + i from n`,
		`insert into webhook_replays (account_id, endpoint_id, state, of_state, of_outcome, through_id, total, created_at, finished_at)
			select i % 50 + 1, i, 'done', '', '', 'd' || i, 1, i, case i % 50 when 0 then null else i end from n`,
		`update webhook_deliveries set replay_id = (select min(id) from webhook_replays) where id like '%7'`,
		`insert into webhook_attempts (account_id, delivery_id, n, started_at, url, response_head, outcome) select i % 50 + 1, 'd' || i, 1, i, '', 'HTTP/1.1 200 OK', 'delivered' from n`,
		`insert into letters (account_id, candidate_id, kind, language, recipient, state, next_attempt_at, created_at)
			select i % 50 + 1, ` + candidate + `, 'invitation', 'de', '', case i % 50 when 0 then 'queued' else 'sent' end, 0, 0 from n`,
		`insert into kept_letters (account_id, letter_id, kind, recipient, sealed, created_at, drop_at, forward_at)
			select i % 50 + 1, (select min(id) from letters) + i - 1, 'invitation', '', cast('x' as ` + byteType(s) + `), i, i, case i % 40 when 0 then i else null end from n`,
		`update letters set turn = id where state = 'queued' and id % 100 = 0`,
		`insert into candidate_words (account_id, word, candidate_id) select i % 50 + 1, cast('m' || i as ` + byteType(s) + `), ` + candidate + ` from n`,
		`insert into candidate_tags (account_id, tag, candidate_id) select i % 50 + 1, 'tag' || i % 7, ` + candidate + ` from n`,
		`insert into notes (account_id, candidate_id, user_id, author, body, created_at) select i % 50 + 1, ` + candidate + `, 1, '', '', 0 from n`,
		`update candidates set email_key = 'e' || id % 997, overall = 50`,
		`update candidates set remind_at = id where id % 40 = 0`,
		`update letters set sent_at = 1700000000000 + id where state = 'sent'`,
		`update letters set state = 'held', held_until = id where id % 60 = 1`,
		`insert into letter_templates (account_id, kind, language, subject, body, changed_by, changed_at) select i, 'invitation', 'de', '', '', '', 0 from n where i <= 50`,
		`insert into audit_log (account_id, candidate_id, actor, action, created_at) select i % 50 + 1, ` + candidate + `, '', '', 0 from n`,
		`insert into imports (account_id, user_id, actor, file_name, language, role_profile, send_email, state, created_at, lease_until, drop_at)
			select i % 50 + 1, 0, '', '', '', '', 0, case i % 50 when 0 then 'running' else 'done' end, 0, i, case i % 20 when 0 then i else null end from n`,
		`insert into import_rows (import_id, n, name, email, external_id, language, state, candidate_id)
			select i % 200 + 1, i / 200 + 2, '', '', '', '', case i % 3 when 0 then 'ready' else 'invited' end, ` + candidate + ` from n`,
		`insert into sent_forms (account_id, form, made_id, created_at) select i % 50 + 1, 'f' || i, 0, i from n`,
		`insert into users (account_id, email, email_key, role, created_at) select i % 50 + 1, '', 'u' || i, 'viewer', 0 from n`,
		`insert into positions (account_id, name, confidential, blind, created_at) select i % 50 + 1, '', i % 7 / 6, i % 5 / 4, 0 from n`,
		`insert into retention_turns (account_id, at, finished, unfinished, waiting, failed) select i % 50 + 1, i, 0, 0, 0, 0 from n`,
		`insert into position_members (position_id, user_id) select i, i from n`,
		`insert into core_questions (account_id, position_id, place, bank) select i % 50 + 1, i, i % 5, 'co' || i % 4 from n`,
		`update candidates set position_id = id % 2000 + 1 where id % 3 > 0`,
		`insert into role_profiles (account_id, name, base, created_at) select i % 50 + 1, '', 'hunter', 0 from n`,
		`insert into role_versions (profile_id, version, profile, basis, reason, user_id, signed_by, signed_at) select i, 1, cast('x' as ` + byteType(s) + `), 'person', '', 0, '', 0 from n`,
		`insert into role_rounds (profile_id, user_id, asked_by, created_at, expires_at, named) select i, 0, '', i, i, case i % 20 when 0 then 1 else 0 end from n`,
		`insert into role_experts (round_id, name, task, language, token_hash, token_sealed) select i, '', '', 'de', 'e' || i, cast('x' as ` + byteType(s) + `) from n`,
		`insert into interviews (candidate_id, user_id, opened_at) select ` + candidate + `, i, i from n`,
		`insert into comments (candidate_id, user_id, author, body, confirmed, created_at) select ` + candidate + `, i, '', '', 'letter', i from n`,
		`insert into own_results (candidate_id, released_at) select ` + candidate + `, i from n`,
		`insert into public_links (account_id, position_id, token_hash, token_sealed, most, created_at, revoked_at)
			select i % 50 + 1, i % 2000 + 1, 'p' || i, cast('x' as ` + byteType(s) + `), 50, i, case when i <= 2000 then null else i end from n`,
		`insert into enrolments (token_hash, link_id, name, email, email_key, language, letter_id, candidate_id, created_at, expires_at)
			select 'n' || i, i, '', '', 'e' || i, 'de', i, case i % 3 when 0 then ` + candidate + ` else null end, i, i from n`,
		`insert into requests (account_id, candidate_id, kind, body, created_at, answered_at) select i % 50 + 1, ` + candidate + `, 'erasure', '', i, case i % 20 when 0 then null else i end from n`,
		`insert into world_acts (account_id, candidate_id, act, due_at) select i % 50 + 1, ` + candidate + `, 'slow', i from n`,
		`insert into world_moves (account_id, target_at, begun_at, done_at) select i % 50 + 1, i, i, case when i <= 50 then null else i end from n`,
		`insert into decisions (candidate_id, user_id, author, stage, created_at) select ` + candidate + `, i, '', 'rejection', i from n`,
		`insert into ratings (candidate_id, user_id, author, question, mark, saved_at) select ` + candidate + `, i, '', 'co' || i % 7, i % 6, 0 from n`,
		`insert into sessions (token_hash, user_id, account_id, confirmed_at, created_at, seen_at, expires_at) select 's' || i, i, i % 50 + 1, i, i, i, i from n`,
		`insert into user_links (token_hash, user_id, created_at, expires_at) select 'l' || i, i, i, i from n`,
		`insert into recovery_codes (user_id, hash) select i, 'r' || i from n`,
		`insert into login_failures (who, failures, until, seen_at) select 'w' || i, 1, 0, i from n`,
		`insert into signups (token_hash, email, email_key, account_name, language, password_hash, created_at, expires_at) select 'u' || i, '', 'u' || i, '', '', '', i, i from n`,
	} {
		write(t, s, func(tx *store.Tx) error { return tx.Exec(t.Context(), numbers+q) })
	}
}

// byteType is a type that both a word and its database agree on.
func byteType(s *store.Store) string {
	if s.Dialect() == "sqlite" {
		return "blob"
	}
	return "bytea"
}

// small are statements that may read a whole table, with the reason.
var small = map[string]string{
	"from accounts where id > 0 order by id":             "the operator lists all accounts",
	"select name from schema_migrations":                 "as many rows as there are migrations",
	"select count(*) from candidates), (select":          "counts all there is, after a backup",
	"delete from sessions":                               "ends all logins, after a restore",
	"sqlite_sequence":                                    "as many rows as there are tables",
	"setval(":                                            "reads no table",
	"where state = 'running' and (lease_until":           "along the index of what is running",
	"select id from webhook_endpoints where settle_at >": "up to 500 rows at once, usually none",
	"left join notices n on":                             "by its key, of as few rows as there were texts",
	"from account_logos":                                 "by its key, of as few rows as there are accounts, and positions along the index of their hashes",
	"sqlite_dbpage":                                      "pages of the file, on SQLite alone",
	"from sqlite_master":                                 "as many rows as there are tables",
	"from pragma_table_info":                             "as many rows as a table has columns",
	"select count(*) from letters where state":           "counts what waits, along the index of what waits",
	"select 'deliveries', 'pending', count":              "along the index of each state, ten thousand rows at most; TestWhatWaitsIsReadAlongItsIndexes",
	"e.status in ('active', 'failing')) due":             "one look for each webhook, when the operator asks how all is",
	"line.next_attempt_at":                               "the first two hundred entries of the index of what is in line",
	"pg_database_size":                                   "reads no table",
	"candidates where name_key is null":                  "along the index of what an earlier version left without words",
	"insert into schema_migrations":                      "written once",
	"create table":                                       "run once",
	"from server_marks":                                  "a handful of rows",
	"update webhook_endpoints set drain_below = $1, drain_from = '', settle_at": "as many rows as there are webhooks, at a start with other settings",
	"from letter_templates":        "at most six rows of an account",
	"delete from letter_templates": "at most six rows of an account",
	"clock_readings":               "a few hundred rows",
	"from chores":                  "a handful of rows",
	"update chores":                "a handful of rows",
	"from role_profiles p left join role_versions v":  "at most fifty profiles of an account and the archived, for whose versions PostgreSQL prefers one pass while the table is small",
	"from world_moves where done_at is null":          "along the index of what is under way",
	"delete from positions where account_id":          "of as few rows as a test world has positions, when it is reset",
	"delete from kept_letters where id in":            "removes up to 500 rows at once",
	"delete from position_logos where position_id in": "of as few rows as a test world has positions, when it is reset",
	"select 1":                                                 "reads nothing",
	"select sqlite_version()":                                  "reads nothing",
	"in ($1, $2) limit $3)":                                    "removes up to 2,000 rows of an account at once, when it is deleted",
	"test = 0 limit $3)":                                       "likewise",
	"test = 1 limit $3)":                                       "likewise",
	"id + 0 = id) limit $3)":                                   "likewise",
	"id || '' = id) limit $3)":                                 "likewise",
	"from position_logos where":                                "of as few rows as there are positions with a logo",
	"delete from accounts where":                               "one row: the database looks whether anything is left that points to it",
	"delete from role_rounds where":                            "likewise, of the few of an account, when it is deleted",
	"delete from webhook_endpoints where":                      "likewise",
	"delete from sent_forms":                                   "as delete from idempotency_keys",
	"delete from api_calls":                                    "as delete from idempotency_keys",
	"delete from notices":                                      "of as few rows as there were texts",
	"from account_senders order by account_id":                 "as many rows as there are accounts",
	"from accounts where keep_finished_days":                   "as many rows as there are accounts",
	"delete from idempotency_keys":                             "removes up to 500 rows at once, for which PostgreSQL prefers one pass while the table is small",
	"set response_head = '', response_body = null where id in": "empties up to 500 rows at once, as delete from idempotency_keys",
	"delete from user_links where":                             "removes up to 500 rows at once",
	"delete from login_failures where who in":                  "removes up to 500 rows at once",
	"delete from signups where token_hash in":                  "removes up to 500 rows at once",
	"order by urgent desc, turn, id limit":                     "the first entries of the index of what is due",
	"row_number() over (partition by account_id":               "of up to 500 letters that have become due",
	"update letters set state = case when unclear":             "along the index of what is being sent",
	"where state = 'sending' and lease_owner =":                "along the index of what is being sent",
	"where state = 'sending' and (lease_owner =":               "along the index of what is being sent",
	"where state = 'running' and lease_owner =":                "along the index of what is running",
	"from idempotency_keys where api_key_id in (select id from api_keys where account_id in": "all of an account that is exported, for which PostgreSQL prefers one pass while the table is small",
	"select id from webhook_events where account_id in (select id from accounts":             "likewise",
}

func smallOnPurpose(text string) bool {
	for part := range small {
		if strings.Contains(text, part) {
			return true
		}
	}
	return strings.Contains(text, "with recursive n (i)") || strings.HasPrefix(text, "pragma") || strings.HasPrefix(text, "begin") || strings.Contains(text, "closure") || text == "commit" || text == "rollback"
}

// insertsValues matches plain inserts. In their plan SQLite names the tables that
// point to the new row; it reads those only while a foreign key is broken.
var insertsValues = regexp.MustCompile(`^\s*insert into \w+ [^$]*\svalues \(`)

// No statement may read a table that grows from one end to the other, whatever
// the number of rows; SQLite says so in its plan.
func TestSQLiteFindsEveryRowByAnIndex(t *testing.T) {
	s, ran := everythingRecorded(t)
	seen := 0
	for _, text := range ran.list() {
		if smallOnPurpose(text) || insertsValues.MatchString(text) {
			continue
		}
		seen++
		for _, line := range rows(t, s, "explain query plan "+text, make([]any, parameters(text))...) {
			if step := line[strings.LastIndex(line, "|")+1:]; scans(step) {
				t.Errorf("%s\nin the plan of %s", step, text)
			}
		}
	}
	if seen < 765 { // who takes one out on purpose says so here
		t.Errorf("%d statements were planned, want 765 at least", seen)
	}
}

// planned gives SQLite's plan of each statement that is asked for to a check, and
// says how many there are.
func planned(t *testing.T, s *store.Store, ran *record, asked func(text string) bool, sound func(plan string) bool) int {
	t.Helper()
	seen := 0
	for _, text := range ran.list() {
		if !asked(text) {
			continue
		}
		seen++
		if plan := strings.Join(rows(t, s, "explain query plan "+text, make([]any, parameters(text))...), "\n"); !sound(plan) {
			t.Errorf("%s\nis the plan of %s", plan, text)
		}
	}
	return seen
}

// holds makes a check of texts for one of some parts.
func holds(parts ...string) func(text string) bool {
	return func(text string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
	}
}

// Few candidates share an external_id, so every list that names one starts there.
func TestListsOfAnExternalIdStartAtItsIndex(t *testing.T) {
	s, ran := everythingRecorded(t)
	lists := planned(t, s, ran, holds("and external_id = $2"), holds("INDEX candidates_external (account_id=? AND external_id=?"))
	if lists != 8 {
		t.Errorf("%d statements name an external_id, want 8", lists)
	}
}

// Without statistics SQLite would rather read everything of an account than some
// of it by ids.
func TestWhatHasAnIdIsReadByIt(t *testing.T) {
	s, ran := everythingRecorded(t)
	asked := regexp.MustCompile(`from (candidates|letters) where account_id[^$]+\$1 .*\b(id|candidate_id) in \(`)
	seen := planned(t, s, ran, asked.MatchString, holds("SEARCH candidates USING INTEGER PRIMARY KEY", "SEARCH letters USING INDEX letters_candidate (candidate_id=?)"))
	if seen != 5 {
		t.Errorf("%d statements ask for ids, want 5", seen)
	}
}

// What is asked about one candidate is found by the candidate: every finished test
// asks, and an account has millions of letters.
func TestWhatConcernsOneCandidateIsReadByTheCandidate(t *testing.T) {
	s, ran := everythingRecorded(t)
	asked := regexp.MustCompile(`(where|and) (\w\.)?candidate_id = \$\d`)
	seen := planned(t, s, ran, asked.MatchString, holds("candidate_id=?", "INTEGER PRIMARY KEY"))
	if seen < 15 {
		t.Errorf("%d statements ask about one candidate, want 15 at least", seen)
	}
}

// Every start without a mail server counts what waits, beside a million letters that
// are sent.
func TestWhatWaitsIsCountedWithoutReadingWhatIsSent(t *testing.T) {
	s, ran := everythingRecorded(t)
	seen := planned(t, s, ran, holds("select count(*) from letters where state"), holds("INDEX letters_open"))
	if seen != 1 {
		t.Errorf("%d statements count what waits, want 1", seen)
	}
}

// Whoever watches asks several times a minute, beside a million letters and deliveries.
func TestWhatWaitsIsReadAlongItsIndexes(t *testing.T) {
	lite, ran := everythingRecorded(t)
	postgres := storetest.Open(t, storetest.Postgres(t))
	fill(t, postgres, 5000)
	run(t, postgres, "analyze") //nolint:misspell // the word is PostgreSQL's
	seen := 0
	for _, text := range ran.list() {
		if !strings.Contains(text, "select 'deliveries', 'pending', count") && !strings.Contains(text, "min(next_attempt_at) from letters") && !strings.Contains(text, "line.next_attempt_at") && !strings.Contains(text, ") first) due") {
			continue
		}
		seen++
		plan := strings.Join(rows(t, lite, "explain query plan "+text, make([]any, parameters(text))...), "\n")
		if regexp.MustCompile(`(SCAN|SEARCH) (letters|webhook_deliveries|webhook_endpoints|d|e)( *$|\n)|TEMP B-TREE|letters_candidate|letters_open`).MatchString(plan) {
			t.Errorf("%s\nis the plan of %s", plan, text)
		}
		plan = strings.Join(planOf(t, postgres, text), "\n")
		if strings.Contains(plan, "Seq Scan on letters") || strings.Contains(plan, "Seq Scan on webhook_deliveries") {
			t.Errorf("%s\nis the plan of %s", plan, text)
		}
	}
	if seen < 7 {
		t.Errorf("%d statements read what waits, want 7 at least", seen)
	}
}

// An account books thousands of completions between two grants; every one of
// them asks for the last grant.
func TestTheLastGrantIsFoundWithoutReadingCompletions(t *testing.T) {
	s, ran := everythingRecorded(t)
	grants := planned(t, s, ran, holds("reason = 'grant'"), holds("INDEX credit_ledger_grants (account_id=?)"))
	if grants != 2 {
		t.Errorf("%d statements ask for grants, want 2", grants)
	}
}

// Most candidates of an account that never finished have let their invitation run
// out; every look at the credits counts those who have not.
func TestWhoCanStillFinishIsCountedWithoutReadingTheOthers(t *testing.T) {
	s, ran := everythingRecorded(t)
	seen := planned(t, s, ran, countsOpen, holds("INDEX candidates_expired (account_id=? AND expires_at>?)"))
	if seen != 1 {
		t.Errorf("%d statements count who can still finish, want 1", seen)
	}
}

func countsOpen(text string) bool {
	return strings.Contains(text, store.GoesOn+"$2") && strings.Contains(text, "reason = 'completion'")
}

// smallSets are parts of statements that hold few rows, however many there are
// in the tables.
var smallSets = []string{"waiting", "due", "asked", "each_tag", "listed", "sized", "smallest", "walked", "hit", "found", "sums", "counted", "few", "page", "latest", "reach", "reached", "numbered", "placed", "places", "each_role", "needing", "reachable", "asked0", "asked1", "asked2", "asked3", "asked4", "kept0", "kept1", "kept2", "kept3", "kept4", "listed0", "listed1", "listed2", "listed3", "listed4", "listed5", "listed6", "listed7", "listed8", "listed9", "listed10", "listed11", "listed12"}

// scans reports whether a step of a plan reads a whole table: "SCAN candidates",
// with or without an index that only gives the order.
func scans(step string) bool {
	table, found := strings.CutPrefix(step, "SCAN ")
	name, _, _ := strings.Cut(table, " ")
	return found && !slices.Contains(smallSets, name) && !strings.Contains(table, "CONSTANT ROW")
}

// PostgreSQL is asked for the plan that it would use for any parameters.
func TestPostgresFindsEveryRowByAnIndex(t *testing.T) {
	_, ran := everythingRecorded(t)
	s := storetest.Open(t, storetest.Postgres(t))
	fill(t, s, 5000)
	write(t, s, func(tx *store.Tx) error {
		return tx.Exec(t.Context(), "analyze") //nolint:misspell // the word is PostgreSQL's
	})
	for _, text := range ran.list() {
		if smallOnPurpose(text) {
			continue
		}
		plan := planOf(t, s, text)
		if all := strings.Join(plan, "\n"); countsOpen(text) && !strings.Contains(all, "candidates_expired") {
			t.Errorf("%s\nis the plan of %s", all, text)
		}
		// Nothing is held here: by its state a page would look cheap, whatever was held since.
		if all := strings.Join(plan, "\n"); strings.Contains(text, "update webhook_deliveries") && strings.Contains(text, "where id in ($") && !strings.Contains(all, "webhook_deliveries_pkey") {
			t.Errorf("%s\nis the plan of %s", all, text)
		}
		for _, line := range plan {
			// Accounts and their logos are few in the test, whatever they are elsewhere.
			if strings.Contains(line, "Seq Scan on") && !strings.Contains(line, "Seq Scan on account") && !strings.Contains(line, "waiting") {
				t.Errorf("%s\nin the plan of %s", line, text)
			}
		}
	}
}

// A list of letters to an address costs as much as there are of those.
func TestKeptLettersToAnAddressAreFoundByTheirIndex(t *testing.T) {
	s, ran := everythingRecorded(t)
	seen := planned(t, s, ran, holds("recipient_key = "), func(plan string) bool {
		return strings.Contains(plan, "kept_letters_recipient (account_id=? AND recipient_key=? AND id<?)") && !strings.Contains(plan, "TEMP B-TREE")
	})
	if seen != 1 {
		t.Errorf("%d statements find letters by their address, want 1", seen)
	}
}

// The first list of people that an installation imports finds empty tables, and
// the plan that was made for those stays while it runs.
func TestAddressesAreLookedUpByTheirIndexEvenWhileTheTableIsEmpty(t *testing.T) {
	lite, ran := everythingRecorded(t)
	postgres := storetest.Open(t, storetest.Postgres(t))
	seen := 0
	for _, text := range ran.list() {
		if !strings.Contains(text, "c.email_key = asked.email_key") {
			continue
		}
		seen++
		plan := strings.Join(rows(t, lite, "explain query plan "+text, make([]any, parameters(text))...), "\n")
		if !strings.Contains(plan, "INDEX candidates_open_email (account_id=? AND email_key=?)") {
			t.Errorf("%s\nis the plan of %s", plan, text)
		}
		plan = strings.Join(planOf(t, postgres, text), "\n")
		if !regexp.MustCompile(`candidates_open_email on candidates c .*\n.*Index Cond: .*email_key = `).MatchString(plan) {
			t.Errorf("%s\nis the plan of %s", plan, text)
		}
	}
	if seen != 1 {
		t.Errorf("%d statements look addresses up, want 1", seen)
	}
}

func planOf(t *testing.T, s *store.Store, text string) []string {
	t.Helper()
	count := parameters(text)
	execute := "explain execute the_statement"
	if count > 0 {
		execute += "(" + strings.TrimSuffix(strings.Repeat("null, ", count), ", ") + ")"
	}
	var plan []string
	write(t, s, func(tx *store.Tx) error {
		for _, q := range []string{"set local plan_cache_mode = force_generic_plan", "prepare the_statement as " + text} {
			if err := tx.Exec(t.Context(), q); err != nil {
				return err
			}
		}
		var err error
		if plan, err = tx.Rows(t.Context(), execute); err != nil {
			return err
		}
		return tx.Exec(t.Context(), "deallocate the_statement")
	})
	return plan
}

// parameters counts the parameters of a statement.
func parameters(text string) int {
	names := map[string]bool{}
	for _, name := range parameter.FindAllString(text, -1) {
		names[name] = true
	}
	return len(names)
}

// Who reads some positions only may read few of an account's many candidates: those are
// found by their position, whatever statistics say of the others.
func TestTheListOfSomePositionsIsReadByTheirIndex(t *testing.T) {
	lite, ran := recorded(t)
	readByReaders(t, lite, newAccount(t, lite), 1)
	postgres := storetest.Open(t, storetest.Postgres(t))
	account := newAccount(t, postgres)
	for _, table := range []string{"candidates", "positions", "candidate_words", "candidate_tags"} { // when statistics are made is up to this test
		run(t, postgres, "alter table %s set (autovacuum_enabled = false)", table)
	}
	run(t, postgres, `with recursive n (i) as (select 1 union all select i + 1 from n where i < 20)
		insert into positions (account_id, name, created_at) select %d, '', 0 from n`, account)
	run(t, postgres, `with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)
		insert into candidates (account_id, name, email, token_hash, token_sealed, language, role_profile, created_at, expires_at, position_id)
		select %d, '', '', 't' || i, 'x', 'de', 'r', i, i, i %% 20 + 1 from n`, account)
	asked := holds("c.position_id between reach_id and reach_id")
	texts := ran.list()
	seen := planned(t, lite, ran, asked, holds("INDEX candidates_position (account_id=? AND position_id>? AND position_id<?)"))
	if seen < 5 {
		t.Errorf("%d statements read some positions, want 5 at least", seen)
	}
	byPosition := regexp.MustCompile(`candidates_position .*\n.*Index Cond: .*position_id >= `)
	for _, known := range []bool{false, true} { // what PostgreSQL knows of the tables
		if known {
			write(t, postgres, func(tx *store.Tx) error {
				return tx.Exec(t.Context(), "analyze") //nolint:misspell // the word is PostgreSQL's
			})
		}
		for _, text := range texts {
			if !asked(text) {
				continue
			}
			plan := strings.Join(planOf(t, postgres, text), "\n")
			several := strings.Contains(text, "sized as") // of all candidates, of whom the others are here, a part may be read
			if !byPosition.MatchString(plan) || !(known && several) && strings.Contains(plan, "Seq Scan on candidates") {
				t.Errorf("with statistics %v %s\nis the plan of %s", known, plan, text)
			}
		}
	}
}

// Counting candidates by position reads nothing but the index made for it.
func TestPositionsAreCountedFromAnIndexAlone(t *testing.T) {
	s, ran := recorded(t)
	account := newAccount(t, s)
	for _, reader := range readers(account) {
		must[map[int64]store.StatusCounts](t)(s.PositionCounts(t.Context(), reader, []typus.Position{{Standard: true}, {ID: 1}}))
	}
	sound := func(plan string) bool {
		return strings.Count(plan, "USING COVERING INDEX candidates_counted (account_id=? AND position_id=?") == 2
	}
	if seen := planned(t, s, ran, holds("from accounts where id = $1 and"), sound); seen == 0 {
		t.Error("nothing was counted")
	}
}

// The candidates of one position stand together in an index, in the order of the list.
func TestListsOfAPositionStartAtItsIndex(t *testing.T) {
	s, ran := everythingRecorded(t)
	ofPosition := regexp.MustCompile(`INDEX candidates_position(_completed)? \(account_id=\? AND position_id=\?`)
	sound := func(plan string) bool {
		return ofPosition.MatchString(plan) && !strings.Contains(plan, "TEMP B-TREE")
	}
	asked := func(text string) bool {
		_, list, found := strings.Cut(text, "scores from candidates where account_id = $1 and erased_at + 0 is null and position_id ")
		return found && (strings.HasPrefix(list, "= $2") || strings.HasPrefix(list, "is null"))
	}
	if lists := planned(t, s, ran, asked, sound); lists != 12 {
		t.Errorf("%d statements list a position, want 12", lists)
	}
}
