package store

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/db"
)

// PersonTable is what a table holds about a candidate (GDPR Art. 15).
type PersonTable struct {
	Name    string
	DE, EN  string // what it is
	Team    bool   // what the team wrote or did, and who: not in the copy that candidates take themselves
	Columns []PersonColumn
	Rows    [][]any // by column: nil, int64, bool, string or time.Time
}

// PersonColumn is a column of it.
type PersonColumn struct {
	Name   string
	DE, EN string // what it says
	kind   columnKind
}

// Without is the table without some of its columns.
func (t PersonTable) Without(drop func(PersonColumn) bool) PersonTable {
	columns, rows := t.Columns, t.Rows
	t.Columns, t.Rows = nil, make([][]any, len(rows))
	for i, c := range columns {
		if drop(c) {
			continue
		}
		t.Columns = append(t.Columns, c)
		for n, row := range rows {
			t.Rows[n] = append(t.Rows[n], row[i])
		}
	}
	return t
}

// columnKind is what a column holds.
type columnKind byte

const (
	asText columnKind = iota
	asNumber
	asTruth
	asTime
	asTeamText // what the team wrote, or who of it did something
	asHost     // an address, of which the host is shown: the rest may be a secret
)

// Team reports whether it is the team's: not in the copy that candidates take themselves.
func (c PersonColumn) Team() bool { return c.kind == asTeamText }

// Moment reports whether it holds moments.
func (c PersonColumn) Moment() bool { return c.kind == asTime }

// personTable is a table with the rest of the statement behind the columns.
type personTable struct {
	PersonTable
	from string
}

// Person is everything that is stored about a candidate, but for what a test leaves out with
// its reason.
type Person struct {
	Tables  []PersonTable
	Results []Result // oldest first
	Sheet   []byte   // the answers of a test that goes on, packed; nil for none
	Payload []byte   // what webhooks were sent, in JSON; nil for nothing
}

// Person reads it. NotFound, also if the candidate is erased.
func (r *reads) Person(ctx context.Context, accountID, candidateID int64) (Person, error) {
	var p Person
	if _, err := r.Candidate(ctx, accountID, candidateID); err != nil {
		return p, err
	}
	whole := WholeAccount(accountID)
	b := bundle{StatementBuilder: whole.statement()}
	b.Set("id", candidateID)
	p.Tables = make([]PersonTable, len(personTables))
	for i, t := range personTables {
		p.Tables[i] = t.PersonTable
		columns := t.columns()
		b.list(columns, `select `+columns+` from `+t.from, into(&p.Tables[i].Rows, t.scan))
	}
	if err := b.read(ctx, r); err != nil {
		return p, err
	}
	var err error
	p.Results, err = db.All(ctx, r, scanResult, `
		select `+resultColumns+` from results r join candidates c on c.id = r.candidate_id
		where c.account_id = $1 and c.id = $2 order by r.id`, accountID, candidateID)
	if err != nil {
		return p, err
	}
	sheet, err := r.Sheet(ctx, accountID, candidateID)
	if err != nil {
		return p, err
	}
	p.Sheet = sheet.Body
	sent, err := r.EventOf(ctx, accountID, candidateID, typus.EventCandidateCompleted)
	if typus.Is(err, typus.NotFound) {
		return p, nil
	}
	p.Payload = sent.Payload
	return p, err
}

// columns are those of the statement.
func (t personTable) columns() string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

// scan reads a row.
func (t personTable) scan(row db.Row) ([]any, error) {
	cells := make(texts, len(t.Columns))
	dest := make([]any, len(cells))
	for i := range cells {
		dest[i] = &cells[i]
	}
	if err := row.Scan(dest...); err != nil {
		return nil, err
	}
	values := make([]any, len(cells))
	for i, c := range cells {
		if !c.Valid {
			continue
		}
		var err error
		if values[i], err = t.Columns[i].kind.value(c.String); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// value is what a text that is not null stands for.
func (k columnKind) value(text string) (any, error) {
	switch k {
	case asText, asTeamText:
		return text, nil
	case asHost:
		u, err := url.Parse(text)
		if err != nil {
			return "", nil //nolint:nilerr // an address that is none has no host
		}
		return u.Host, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return nil, err
	case k == asTime:
		return time.UnixMilli(n).UTC(), nil
	case k == asTruth:
		return n != 0, nil
	}
	return n, nil
}

const ofCandidate = ` where candidate_id = :id order by `

var copiedLetter = []PersonColumn{
	{"kind", "Art", "kind", asText},
	{"language", "Sprache", "language", asText},
	{"recipient", "Empfänger", "recipient", asText},
	{"state", "Stand", "state", asText},
	{"attempts", "Versuche", "attempts", asNumber},
	{"last_code", "letzte Antwort des Mailservers", "last reply of the mail server", asNumber},
	{"last_error", "letzter Fehler", "last fault", asText},
	{"created_at", "geschrieben am", "written at", asTime},
	{"sent_at", "gesendet am", "sent at", asTime},
}

// personTables are the tables in the order in which somebody reads them.
var personTables = []personTable{
	{PersonTable{Name: "candidates", DE: "Einladung und Test", EN: "invitation and test", Columns: []PersonColumn{
		{"id", "Nummer in dieser Software", "number in this software", asNumber},
		{"external_id", "Kennung des Unternehmens", "identifier of the company", asText},
		{"name", "Name", "name", asText},
		{"email", "E-Mail-Adresse", "e-mail address", asText},
		{"status", "Stand des Tests: offen, begonnen, abgeschlossen", "state of the test: open (offen), begun (begonnen), finished (abgeschlossen)", asText},
		{"language", "Sprache von Brief und Test", "language of letter and test", asText},
		{"chose_language", "ob jemand die Sprache gewählt hat", "whether somebody chose the language", asTruth},
		{"role_profile", "Rollenprofil, mit dem verglichen wird", "role profile that the result is compared with", asText},
		{"instrument", "Fassung des Tests", "version of the test", asText},
		{"overall", "Nähe zum Rollenprofil, 0 bis 100", "closeness to the role profile, 0 to 100", asNumber},
		{"position_id", "Nummer der Stelle", "number of the position", asNumber},
		{"invited_by", "Nummer der Person, die eingeladen hat", "number of the person who invited", asNumber},
		{"created_at", "eingeladen am", "invited at", asTime},
		{"started_at", "begonnen am", "begun at", asTime},
		{"completed_at", "abgegeben am", "handed in at", asTime},
		{"answered_at", "aus einem früheren Test übernommen, Antworten gegeben am", "taken over from an earlier test, answers given at", asTime},
		{"expires_at", "Link gültig bis", "link good until", asTime},
		{"expired_at", "Ablauf vermerkt am", "end noted at", asTime},
		{"cancelled_at", "vom Unternehmen zurückgezogen am", "withdrawn by the company at", asTime},
		{"declined_at", "Teilnahme abgelehnt am", "declined at", asTime},
		{"notice_version", "Fassung der bestätigten Hinweise", "version of the notice acknowledged", asText},
		{"notice_language", "Sprache der bestätigten Hinweise", "language of the notice acknowledged", asText},
		{"notice_at", "Hinweise bestätigt am", "notice acknowledged at", asTime},
		{"reminded", "Zahl der Erinnerungen", "number of reminders", asNumber},
		{"remind_at", "nächste Erinnerung", "next reminder", asTime},
		{"reminders_off_at", "Erinnerungen abbestellt am", "reminders stopped at", asTime},
		{"keep_until", "länger aufbewahrt bis", "kept longer until", asTime},
		{"keep_reason", "Grund dafür", "reason for that", asTeamText},
	}}, `candidates where account_id = :account and id = :id`},
	{PersonTable{Name: "notices", DE: "Wortlaut der bestätigten Hinweise", EN: "text of the notice acknowledged", Columns: []PersonColumn{
		{"n.version", "Fassung", "version", asText},
		{"n.language", "Sprache", "language", asText},
		{"n.body", "Wortlaut", "text", asText},
	}}, `notices n join candidates c on c.notice_version = n.version and c.notice_language = n.language where c.account_id = :account and c.id = :id`},
	{PersonTable{Name: "letters", DE: "Briefe. Ihr Wortlaut wird beim Versand gebildet und nicht aufbewahrt.", EN: "letters. Their text is made when they are sent and is not kept.", Columns: copiedLetter},
		`letters where account_id` + db.OffIndex + ` = :account and candidate_id = :id and kind in (` + candidateKinds + `) order by id`},
	{PersonTable{Name: "letters_to_team", Team: true, DE: "Briefe an das Team über die Person", EN: "letters to the team about the person", Columns: copiedLetter},
		`letters where account_id` + db.OffIndex + ` = :account and candidate_id = :id and kind not in (` + candidateKinds + `) order by id`},
	{PersonTable{Name: "comments", DE: "Stellungnahmen der Person", EN: "comments of the person", Columns: []PersonColumn{
		{"body", "Wortlaut", "text", asText},
		{"confirmed", "woher bekannt: letter, email, device (Gerät der Abgabe), code", "how it is known: letter, email, device (that handed in), code", asText},
		{"author", "eingetragen von", "entered by", asTeamText},
		{"created_at", "am", "at", asTime},
	}}, `comments` + ofCandidate + `id`},
	{PersonTable{Name: "own_results", DE: "Einsicht in das eigene Ergebnis", EN: "access to the own result", Columns: []PersonColumn{
		{"released_at", "freigegeben am", "released at", asTime},
		{"released_by", "freigegeben von", "released by", asTeamText},
		{"opened_at", "zuerst angesehen am", "first seen at", asTime},
		{"code_at", "letzter Code verschickt am", "last code sent at", asTime},
		{"code_tries", "Fehlversuche mit diesem Code", "wrong tries with this code", asNumber},
		{"proven_email", "E-Mail-Adresse, bevor das Team sie geändert hat", "e-mail address before the team changed it", asText},
	}}, `own_results where candidate_id = :id`},
	{PersonTable{Name: "requests", DE: "Anfragen der Person und Antworten", EN: "requests of the person, and answers", Columns: []PersonColumn{
		{"kind", "Art: result (Ergebnis sehen), correction (Berichtigung), access (Auskunft), erasure (Löschung), retest (neuer Test)", "kind: result (see it), correction, access, erasure, retest", asText},
		{"body", "Wortlaut", "text", asText},
		{"created_at", "gestellt am", "sent at", asTime},
		{"answer", "Antwort", "answer", asText},
		{"answered_at", "beantwortet am", "answered at", asTime},
		{"answered_by", "beantwortet von", "answered by", asTeamText},
	}}, `requests` + ofCandidate + `id`},
	{PersonTable{Name: "webhook_deliveries", DE: "Übertragungen an angebundene Systeme", EN: "transfers to connected systems", Columns: []PersonColumn{
		{"e.url", "Server des Systems", "host of the system", asHost},
		{"d.state", "Stand", "state", asText},
		{"d.attempt", "Versuche", "attempts", asNumber},
		{"v.occurred_at", "Anlass am", "cause at", asTime},
		{"d.finished_at", "abgeschlossen am", "settled at", asTime},
	}}, `webhook_events v join webhook_deliveries d on d.event_id = v.id join webhook_endpoints e on e.id = d.endpoint_id
		where v.account_id = :account and v.candidate_id = :id and v.test = 0 order by v.occurred_at, d.id`},
	{PersonTable{Name: "import_rows", DE: "Zeilen aus Dateien, mit denen eingeladen wurde", EN: "lines of files by which people were invited", Columns: []PersonColumn{
		{"i.file_name", "Name der Datei", "name of the file", asTeamText},
		{"r.n", "Zeile", "line", asNumber},
		{"r.name", "Name", "name", asText},
		{"r.email", "E-Mail-Adresse", "e-mail address", asText},
		{"r.external_id", "Kennung", "identifier", asText},
		{"r.language", "Sprache", "language", asText},
		{"r.state", "Stand", "state", asText},
		{"r.reason", "warum nicht eingeladen, oder ein Hinweis", "why not invited, or a remark", asText},
		{"r.mended", "von Hand berichtigt", "corrected by hand", asTruth},
		{"i.created_at", "hochgeladen am", "uploaded at", asTime},
	}}, `import_rows r join imports i on i.id = r.import_id where i.account_id = :account and r.candidate_id = :id order by i.id, r.n`},
	{PersonTable{Name: "credit_ledger", DE: "Buchungen", EN: "bookings", Columns: []PersonColumn{
		{"delta", "Credits", "credits", asNumber},
		{"reason", "Anlass", "cause", asText},
		{"created_at", "gebucht am", "booked at", asTime},
	}}, `credit_ledger where account_id` + db.OffIndex + ` = :account and candidate_id = :id order by id`},
	{PersonTable{Name: "notes", Team: true, DE: "Notizen des Teams", EN: "notes of the team", Columns: []PersonColumn{
		{"author", "von", "by", asText},
		{"body", "Wortlaut", "text", asText},
		{"created_at", "am", "at", asTime},
	}}, `notes where account_id` + db.OffIndex + ` = :account and candidate_id = :id order by id`},
	{PersonTable{Name: "candidate_tags", Team: true, DE: "Schlagworte des Teams", EN: "tags of the team", Columns: []PersonColumn{
		{"tag", "Schlagwort", "tag", asText},
	}}, `candidate_tags where account_id` + db.OffIndex + ` = :account and candidate_id = :id order by tag`},
	{PersonTable{Name: "interviews", Team: true, DE: "Gespräche", EN: "interviews", Columns: []PersonColumn{
		{"i.user_id", "Nummer der Person aus dem Team", "number of the member of the team", asNumber},
		{"coalesce(u.email, '')", "E-Mail-Adresse dieser Person, leer: nicht mehr im Team", "their e-mail address; empty: no longer in the team", asText},
		{"i.rated_at", "bewertet am", "rated at", asTime},
		{"i.opened_at", "ohne Bewertung geöffnet am", "opened without ratings at", asTime},
		{"i.opened_without_reason", "Grund dafür", "reason for that", asText},
	}}, `interviews i left join users u on u.id = i.user_id and u.account_id` + db.OffIndex + ` = ` + homeOf(`:account`) + ` where i.candidate_id = :id order by i.user_id`},
	{PersonTable{Name: "ratings", Team: true, DE: "Bewertungen aus Gesprächen", EN: "ratings of interviews", Columns: []PersonColumn{
		{"author", "von", "by", asText},
		{"question", "Kennung der Frage", "key of the question", asText},
		{"mark", "Bewertung, 1 bis 5", "rating, 1 to 5", asNumber},
		{"note", "Notiz", "note", asText},
		{"saved_at", "am", "at", asTime},
	}}, `ratings` + ofCandidate + `user_id, question`},
	{PersonTable{Name: "decisions", Team: true, DE: "Entscheidungen", EN: "decisions", Columns: []PersonColumn{
		{"author", "von", "by", asText},
		{"stage", "Stand: new, interview, offer, rejection, on_hold, withdrew", "stage", asText},
		{"reasons", "Gründe", "reasons", asText},
		{"sources", "worauf sie beruht", "what it rests on", asText},
		{"body", "Wortlaut", "text", asText},
		{"created_at", "am", "at", asTime},
	}}, `decisions` + ofCandidate + `id`},
	{PersonTable{Name: "audit_log", Team: true, DE: "Wer wann was getan und angesehen hat", EN: "who did and saw what, and when", Columns: []PersonColumn{
		{"actor", "wer", "who", asText},
		{"action", "was", "what", asText},
		{"detail", "näher", "more", asText},
		{"created_at", "wann", "when", asTime},
	}}, `audit_log where account_id = :account and candidate_id = :id order by id`},
}

// PersonLeftOut are the columns of tables about candidates that Person leaves out, with the
// reason; "*" stands for all of a table.
var PersonLeftOut = map[string]string{
	"candidates.account_id": "the account is whoever gives the copy", "candidates.token_hash": "a secret", "candidates.token_sealed": "a secret: the link, which the person has",
	"candidates.open_ref": "account, identifier and address once more", "candidates.scores": "in the results", "candidates.name_key": "the name once more, for sorting",
	"candidates.words": "name, address and identifier once more, for searching", "candidates.email_key": "the address once more, for comparing", "candidates.erased_at": "nobody erased is copied",
	"candidates.stage": "the newest of the decisions once more",

	"letters.id": "no use to the person", "letters.account_id": "as above", "letters.candidate_id": "the person", "letters.lease_owner": "of the sending server",
	"letters.lease_until": "of the sending server", "letters.user_id": "to whom of the team; the recipient says it", "letters.detail": "a secret: a sealed code", "letters.next_attempt_at": "of the sending server",
	"letters.held_until": "of the sending server", "letters.kept": "of the sending server", "letters.unclear": "of the sending server", "letters.urgent": "of the sending server", "letters.turn": "of the sending server",

	"comments.id": "no use to the person", "comments.candidate_id": "the person", "comments.user_id": "author says who",
	"own_results.candidate_id": "the person", "own_results.code_hash": "a secret",
	"requests.id": "no use to the person", "requests.account_id": "as above", "requests.candidate_id": "the person",
	"import_rows.import_id": "no use to the person", "import_rows.candidate_id": "the person", "import_rows.email_key": "the address once more, for comparing",
	"credit_ledger.id": "no use to the person", "credit_ledger.account_id": "as above", "credit_ledger.candidate_id": "the person", "credit_ledger.note": "the account's book",
	"credit_ledger.actor": "the account's book", "credit_ledger.balance_after": "the account's book", "credit_ledger.reference": "the account's book",
	"notes.id": "no use to the person", "notes.account_id": "as above", "notes.candidate_id": "the person", "notes.user_id": "author says who",
	"candidate_tags.account_id": "as above", "candidate_tags.candidate_id": "the person",
	"interviews.candidate_id": "the person", "ratings.candidate_id": "the person", "ratings.user_id": "author says who",
	"decisions.id": "no use to the person", "decisions.candidate_id": "the person", "decisions.user_id": "author says who",
	"audit_log.id": "no use to the person", "audit_log.account_id": "as above", "audit_log.candidate_id": "the person", "audit_log.user_id": "actor says who",
	"audit_log.ip": "of whoever did it, not of the person", "audit_log.request_id": "of the server",

	"results.*": "Person.Results", "sheets.*": "Person.Sheet; how old its answers are only decides between two devices", "webhook_events.*": "Person.Payload, and the deliveries say when",
	"kept_letters.*":    "of invented people: those of test worlds",
	"world_acts.*":      "nobody in a test world is real",
	"enrolments.*":      "how a letter led to the test, for a week; name and address are the candidate's",
	"candidate_words.*": "name, address and identifier once more, for searching", "idempotency_keys.*": "a hash of the call that invited",
}
