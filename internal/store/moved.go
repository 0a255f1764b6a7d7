package store

import (
	"context"
	"strings"

	"typus/internal/db"
)

// MovedKind says what a column of a moved table holds, beside what its type says.
type MovedKind byte

// The kinds of columns. An id is written anew where another database has it already.
const (
	MovedNumber    MovedKind = iota
	MovedText                // any
	MovedBytes               // any
	MovedID                  // counting key of its own table
	MovedOwned               // id of a row of the table Of that moves along, or null
	MovedNamed               // id of a row of the table Of that may be gone; 0 and null are nobody
	MovedSealed              // sealed under the server's key
	MovedUnique              // text that no other account of a database may have
	MovedRole                // key of a role profile, which for an own one holds its id
	MovedRoleJSON            // JSON in which such keys stand
	MovedEvidence            // the same, stored packed
	MovedQuestion            // key of a question, which for an own one holds its id
	MovedMaker               // text that is either the id of a user or none
	MovedOf                  // text that is the id of a row of the table Of, which moves along
	MovedSealer              // text that names the server's key with which its row is sealed
	MovedForgotten           // text that is good on its server only, and arrives empty
	MovedLogin               // MovedUnique that for somebody who is only invited holds the account's id
	MovedToken               // MovedUnique in whose place stands the row's own id once it is erased
	MovedRepeated            // text in which the ids of an account and of a position stand
)

// MovedColumn is one column of a moved table.
type MovedColumn struct {
	Name string
	Kind MovedKind
	Of   string // table of the id, "" for no id
}

// MovedTable is a table of which an account's rows go along when it moves to another
// database. Its columns are all there are.
type MovedTable struct {
	Name    string
	Columns []MovedColumn
	of      string // finds the rows of an account and of its test world
	order   string // a key of the table
	shared  bool   // its rows are several accounts', and those that are there already stay
}

// theAccount finds an account ($1) and its test world.
const theAccount = `(select id from accounts where id = $1 or parent_id = $1)`

func withAccount(column string) string { return column + ` in ` + theAccount }

func ofRows(column, table string) string {
	return column + ` in (select id from ` + table + ` where account_id in ` + theAccount + `)`
}

// moved are the tables in an order that the foreign keys allow. Behind the name of a column
// stands its type ($ text, % bytes, else a number), or what it is: # the counting key, >t the
// id of a row of t that moves along, ~t of one that may be gone, ! sealed, * unique among all
// accounts, @ key of a role profile, @= and @% JSON and packed JSON with such keys, ? key of a
// question, ^ id of a user as text, & name of the key that sealed, - text that arrives empty,
// ** key of a login, *# hash of a token or what stands in its place, *+ what makes an
// invitation repeatable.
var moved = []MovedTable{
	movedTable("accounts", `(id = $1 or parent_id = $1)`, "id", `
		id# name$ plan$ credits language$ role_profile@ invite_days contact_email$ created_at logo_type$ logo_hash$ accent$ reminders
		keep_finished_days keep_unfinished_days welcome_de$ welcome_en$ notify$ notify_emails$ score_sorting_at score_sorting_by$ keep_set_at
		erasure_waits erasure_word_at notice$ decides_elsewhere shelf_months keep_from_decision keep_undecided_days own_result$
		own_result_reason$ keep_answers_days parent_id>accounts ahead forwards_letters zone$ deleting_at host* letters_a_day max_people
		suspended_at suspended_reason$`),
	movedTable("account_logos", withAccount("account_id"), "account_id", `account_id>accounts body%`),
	movedTable("account_senders", withAccount("account_id"), "account_id", `
		account_id>accounts address$ name$ bounce_address$ dkim_domain$ dkim_selector$ dkim_key!`),
	movedTable("users", withAccount("account_id"), "id", `
		id# account_id>accounts email$ email_key** role$ password_hash$ created_at name$ language$ theme$ totp_sealed! totp_at totp_step
		last_login_at only_named results_read_at`),
	movedTable("recovery_codes", ofRows("user_id", "users"), "user_id, hash", `user_id>users hash$ used_at`),
	movedTable("user_links", ofRows("user_id", "users"), "token_hash", `
		token_hash* user_id>users created_at expires_at used_at purpose$ detail^ ended_at place totp_at`),
	movedTable("role_profiles", withAccount("account_id"), "id", `id# account_id>accounts name$ base$ created_at archived_at`),
	movedTable("role_rounds", ofRows("profile_id", "role_profiles"), "id", `
		id# profile_id>role_profiles user_id~users asked_by$ created_at expires_at closed_at named`),
	movedTable("role_experts", `round_id in (select r.id from role_rounds r join role_profiles p on p.id = r.profile_id where p.account_id in `+theAccount+`)`, "id", `
		id# round_id>role_rounds name$ task$ language$ token_hash*# token_sealed! answered_at answers$`),
	movedTable("role_versions", ofRows("profile_id", "role_profiles"), "profile_id, version", `
		profile_id>role_profiles version profile@= grounds$ basis$ round_id>role_rounds reason$ user_id~users signed_by$ signed_at`),
	movedTable("positions", withAccount("account_id"), "id", `
		id# account_id>accounts name$ standard state$ confidential blind blind_all created_at ref$ client_kind$ client_name$ role_profile@
		language$ invite_days reminders closed_at own_result$ own_result_reason$ client_de$ client_en$ notice$ logo_type$ logo_hash$`),
	movedTable("position_logos", ofRows("position_id", "positions"), "position_id", `position_id>positions body%`),
	movedTable("position_members", ofRows("position_id", "positions"), "position_id, user_id", `position_id>positions user_id>users`),
	movedTable("core_questions", withAccount("account_id"), "id", `
		id# account_id>accounts position_id>positions place bank$ ask_de$ ask_en$ high_de$ high_en$ low_de$ low_en$`),
	movedTable("letter_templates", withAccount("account_id"), "account_id, kind, language", `
		account_id>accounts kind$ language$ subject$ body$ changed_by$ changed_at`),
	movedTable("api_keys", withAccount("account_id"), "id", `
		id# account_id>accounts name$ hash* created_by$ created_at last_used_at expires_at revoked_at scope$ position_id>positions`),
	movedTable("api_calls", withAccount("account_id"), "account_id, key_id, day", `account_id>accounts key_id~api_keys day$ calls refused`),
	movedTable("api_refusals", withAccount("account_id"), "id", `
		id# account_id>accounts key_id~api_keys method$ route$ status code$ request_id$ created_at`),
	movedTable("webhook_endpoints", withAccount("account_id"), "id", `
		id# account_id>accounts url$ description$ status$ max_in_flight rate_per_s burst consecutive_failures first_failure_at last_failure_at
		last_success_at last_claimed_at status_changed_at probe_after disabled_reason$ static_header! version created_at failing_told_at
		given_up_told_at due_at bucket_full_at last_duration_ms settle_at drain_below drain_from$ drop_until$`),
	movedTable("webhook_secrets", ofRows("endpoint_id", "webhook_endpoints"), "id", `
		id# endpoint_id>webhook_endpoints role$ key_id& ciphertext! created_at valid_until`),
	movedTable("public_links", withAccount("account_id"), "id", `
		id# account_id>accounts position_id>positions token_hash* token_sealed! most confirmed ends_at created_at revoked_at`),
	movedTable("notices", `exists (
			select 1 from candidates c where c.notice_version = notices.version and c.notice_language = notices.language and c.account_id in `+theAccount+`)`,
		"version, language", `version$ language$ body$ used_at`),
	movedTable("candidates", withAccount("account_id"), "id", `
		id# account_id>accounts external_id$ name$ email$ token_hash*# token_sealed! status$ language$ chose_language role_profile@ instrument$
		created_at started_at completed_at expires_at cancelled_at declined_at notice_version$ notice_language$ notice_at open_ref*+ scores%
		name_key% words$ overall invited_by~users reminded remind_at reminders_off_at erased_at expired_at email_key$ position_id>positions
		keep_until keep_reason$ stage$ answered_at`),
	movedTable("candidate_words", withAccount("account_id"), "account_id, word, candidate_id", `account_id>accounts word% candidate_id~candidates`),
	movedTable("candidate_tags", withAccount("account_id"), "account_id, tag, candidate_id", `account_id>accounts tag$ candidate_id>candidates`),
	movedTable("sheets", ofRows("candidate_id", "candidates"), "candidate_id", `candidate_id>candidates body% saved_at ages%`),
	movedTable("results", ofRows("candidate_id", "candidates"), "id", `
		id# candidate_id>candidates scores@% answers% instrument$ instrument_hash$ norm$ role_profile@ role_snapshot@% scoring_version$
		supersedes~results created_at`),
	movedTable("own_results", ofRows("candidate_id", "candidates"), "candidate_id", `
		candidate_id>candidates released_at released_by$ opened_at code_hash- code_at code_tries proven_email$`),
	movedTable("interviews", ofRows("candidate_id", "candidates"), "candidate_id, user_id", `
		candidate_id>candidates user_id~users rated_at opened_at opened_without_reason$`),
	movedTable("ratings", ofRows("candidate_id", "candidates"), "candidate_id, user_id, question", `
		candidate_id>candidates user_id~users author$ question? mark note$ saved_at`),
	movedTable("decisions", ofRows("candidate_id", "candidates"), "id", `
		id# candidate_id>candidates user_id~users author$ stage$ reasons$ sources$ body$ created_at`),
	movedTable("comments", ofRows("candidate_id", "candidates"), "id", `
		id# candidate_id>candidates user_id~users author$ body$ confirmed$ created_at`),
	movedTable("requests", ofRows("candidate_id", "candidates"), "id", `
		id# account_id>accounts candidate_id>candidates kind$ body$ created_at answer$ answered_at answered_by$`),
	movedTable("notes", ofRows("candidate_id", "candidates"), "id", `
		id# account_id>accounts candidate_id>candidates user_id~users author$ body$ created_at`),
	movedTable("imports", withAccount("account_id"), "id", `
		id# account_id>accounts user_id~users actor$ file_name$ language$ role_profile@ send_email state$ source% total blank valid done failed
		left_out$ lease_owner$ lease_until created_at started_at finished_at drop_at position_id>positions reading$`),
	movedTable("import_rows", ofRows("import_id", "imports"), "import_id, n", `
		import_id>imports n name$ email$ external_id$ language$ state$ reason$ candidate_id~candidates email_key$ mended`),
	movedTable("credit_ledger", withAccount("account_id"), "id", `
		id# account_id>accounts delta reason$ candidate_id>candidates note$ actor$ balance_after created_at reference$`),
	movedTable("idempotency_keys", ofRows("api_key_id", "api_keys"), "api_key_id, key", `
		api_key_id>api_keys key$ request_sha256$ status candidate_id~candidates created_at`),
	movedTable("webhook_events", `id in (
			select id from webhook_events where `+withAccount("account_id")+` and test = 0
			union all select id from webhook_events where `+withAccount("account_id")+` and test = 1)`, "id", `
		id* account_id>accounts type$ candidate_id~candidates test occurred_at payload% payload_sha256$`),
	movedTable("webhook_replays", withAccount("account_id"), "id", `
		id# account_id>accounts endpoint_id>webhook_endpoints state$ of_state$ of_outcome$ of_candidate~candidates from_at until_at
		through_id$ after_id$ total made created_at finished_at`),
	movedTable("webhook_deliveries", withAccount("account_id"), "id", `
		id* account_id>accounts event_id:webhook_events endpoint_id>webhook_endpoints kind$ state$ attempt failures interruptions next_attempt_at
		lease_owner$ lease_until last_status last_error$ finished_at outcome$ replay_id>webhook_replays`),
	movedTable("webhook_attempts", `delivery_id in (select id from webhook_deliveries where account_id in `+theAccount+`)`, "id", `
		id# delivery_id:webhook_deliveries n started_at duration_ms url$ remote_ip$ request_headers$ http_status error_code$ response_head$ response_body% outcome$
		account_id~accounts`),
	movedTable("letters", withAccount("account_id"), "id", `
		id# account_id>accounts candidate_id>candidates kind$ language$ recipient$ state$ attempts next_attempt_at lease_owner$ lease_until
		last_code last_error$ created_at sent_at user_id~users detail! held_until unclear urgent turn kept`),
	movedTable("kept_letters", withAccount("account_id"), "id", `
		id# account_id>accounts letter_id>letters candidate_id>candidates kind$ recipient$ sealed! created_at drop_at forward_at forwards
		recipient_key$`),
	movedTable("enrolments", ofRows("link_id", "public_links"), "token_hash", `
		token_hash* link_id>public_links name$ email$ email_key$ language$ letter_id~letters candidate_id>candidates created_at expires_at`),
	movedTable("audit_log", withAccount("account_id"), "id", `
		id# account_id>accounts candidate_id~candidates actor$ action$ detail$ ip$ request_id$ created_at user_id~users`),
	movedTable("retention_turns", withAccount("account_id"), "id", `id# account_id>accounts at finished unfinished waiting failed`),
	movedTable("world_acts", withAccount("account_id"), "candidate_id", `candidate_id>candidates account_id>accounts act$ vector$ step due_at`),
	movedTable("world_moves", withAccount("account_id"), "id", `id# account_id>accounts target_at begun_at done_at lease_owner$ lease_until`),
}

// movedKinds are what stands behind the name of a column, longest first.
var movedKinds = []struct {
	mark string
	kind MovedKind
}{
	{"@=", MovedRoleJSON}, {"@%", MovedEvidence}, {"**", MovedLogin}, {"*#", MovedToken}, {"*+", MovedRepeated}, {"$", MovedText}, {"%", MovedBytes}, {"#", MovedID}, {"!", MovedSealed}, {"*", MovedUnique},
	{"@", MovedRole}, {"?", MovedQuestion}, {"^", MovedMaker}, {"&", MovedSealer}, {"-", MovedForgotten},
}

func movedTable(name, of, order, columns string) MovedTable {
	t := MovedTable{Name: name, of: of, order: order, shared: name == "notices"}
	for _, text := range strings.Fields(columns) {
		t.Columns = append(t.Columns, movedColumn(text))
	}
	return t
}

func movedColumn(text string) MovedColumn {
	if name, of, ok := strings.Cut(text, ">"); ok {
		return MovedColumn{Name: name, Kind: MovedOwned, Of: of}
	}
	if name, of, ok := strings.Cut(text, "~"); ok {
		return MovedColumn{Name: name, Kind: MovedNamed, Of: of}
	}
	if name, of, ok := strings.Cut(text, ":"); ok {
		return MovedColumn{Name: name, Kind: MovedOf, Of: of}
	}
	for _, k := range movedKinds {
		if name, ok := strings.CutSuffix(text, k.mark); ok {
			return MovedColumn{Name: name, Kind: k.kind}
		}
	}
	return MovedColumn{Name: text, Kind: MovedNumber}
}

// MovedTables are the tables that move with an account, in an order in which their rows can
// be put into another database. Nobody may change them.
func MovedTables() []MovedTable { return moved }

// Unique reports whether no other account of a database may have what a column of the kind
// holds.
func (k MovedKind) Unique() bool { return k == MovedUnique || k == MovedLogin || k == MovedToken }

// Counted reports whether the table has a counting key, which is its first column.
func (t MovedTable) Counted() bool { return t.Columns[0].Kind == MovedID }

func (t MovedTable) names() string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

// ReadMoved hands each row of an account and of its test world to each: with the place of its
// table among MovedTables, in their order, and of a table in the order of its key. All of it
// is of one moment. A row holds nil, int64, string or []byte, and may be kept. Errors of each
// end it.
func (s *Store) ReadMoved(ctx context.Context, accountID int64, each func(table int, row []any) error) error {
	return s.Snapshot(ctx, func(a *db.Access) error {
		for i, t := range moved {
			if err := t.read(ctx, a, accountID, func(row []any) error { return each(i, row) }); err != nil {
				return err
			}
		}
		return nil
	})
}

func (t MovedTable) read(ctx context.Context, from db.Querier, accountID int64, each func(row []any) error) error {
	return db.Each(ctx, from, func(r db.Row) error {
		row, to := make([]any, len(t.Columns)), make([]any, len(t.Columns))
		for i := range row {
			to[i] = &row[i]
		}
		if err := r.Scan(to...); err != nil {
			return err
		}
		return each(row)
	}, `select `+t.names()+` from `+t.Name+` where `+t.of+` order by `+t.order, accountID)
}

// takenAtOnce is how many values are looked up in one statement.
const takenAtOnce = 200

// Taken are those of some values that stand in a column already. No value may be "".
func (t *Tx) Taken(ctx context.Context, table, column string, texts []string) ([]string, error) {
	return takenOf(texts, func(part []string) ([]string, error) {
		return db.All(ctx, t, db.ScanText, `select distinct `+column+` from `+table+` where `+column+` in (`+db.Params(1, takenAtOnce)+`)`,
			db.Padded(part, takenAtOnce, "")...)
	})
}

// TakenIDs are those of some ids that rows of a table have already.
func (t *Tx) TakenIDs(ctx context.Context, table string, ids []int64) ([]int64, error) {
	return takenOf(ids, func(part []int64) ([]int64, error) {
		return db.All(ctx, t, db.ScanInt, `select id from `+table+` where id in (`+db.Params(1, takenAtOnce)+`)`,
			db.Padded(part, takenAtOnce, 0)...)
	})
}

func takenOf[T any](all []T, look func(part []T) ([]T, error)) ([]T, error) {
	var taken []T
	for len(all) > 0 {
		n := min(len(all), takenAtOnce)
		found, err := look(all[:n])
		if err != nil {
			return nil, err
		}
		taken, all = append(taken, found...), all[n:]
	}
	return taken, nil
}

// ReserveIDs has a table give new ids above least, and above all that there were, by so many
// more. It returns the last of those, which nobody gets.
func (t *Tx) ReserveIDs(ctx context.Context, table string, least, by int64) (int64, error) {
	return t.db.MoveKeys(ctx, table, least, by)
}

// PutMoved puts rows into the table of a place among MovedTables, as ReadMoved has read them.
// Those of a shared table that are there already stay as they are. Conflict: another row has
// what must be unique; Invalid: a row points to one that is not there.
func (t *Tx) PutMoved(ctx context.Context, table int, rows [][]any) error {
	m := moved[table]
	conflict := ""
	if m.shared {
		conflict = ` on conflict do nothing`
	}
	return db.UpsertAll(ctx, t.db, `insert into `+m.Name+` (`+m.names()+`) values `, conflict, rows, func(row []any) []any { return row })
}

// RepackRoles changes the JSON of a column of evidence and packs it again.
func RepackRoles(stored []byte, change func(body []byte) []byte) ([]byte, error) {
	var body packed
	if err := body.Scan(stored); err != nil {
		return nil, err
	}
	return packed(change(body)).pack(formDictionary)
}

// TakeTime lets what comes after it in the transaction last as long as it needs.
func (t *Tx) TakeTime(ctx context.Context) error { return t.db.TakeTime(ctx) }
