package store

import (
	"context"
	"time"

	"typus"
	"typus/internal/db"
)

const (
	enrolmentColumns = `e.token_hash, e.name, e.email, e.language, e.letter_id, coalesce(e.candidate_id, 0), e.created_at, e.expires_at`
	noEnrolment      = "there is no such enrolment"
)

func enrolmentFields(e *typus.Enrolment) []any {
	return []any{&e.Hash, &e.Name, &e.Email, &e.Language, &e.LetterID, &e.CandidateID, (*db.Instant)(&e.CreatedAt), (*db.Instant)(&e.ExpiresAt)}
}

// Enrolled is what somebody typed at a public link, with that link.
type Enrolled struct {
	typus.Enrolment
	Link typus.PublicLink
}

// EnrolmentByToken finds what was typed at a public link by the hex SHA-256 of the token that
// a letter brought, whether or not it has run out. NotFound.
func (r *reads) EnrolmentByToken(ctx context.Context, hash string) (Enrolled, error) {
	scan := func(row db.Row) (Enrolled, error) {
		var (
			e   Enrolled
			err error
		)
		e.Link, err = scanPublicLink(withMore{row, enrolmentFields(&e.Enrolment)})
		return e, err
	}
	return db.One(ctx, r, scan, noEnrolment, `
		select `+publicLinkColumns+`, `+enrolmentColumns+` from enrolments e join public_links l on l.id = e.link_id where e.token_hash = $1`, hash)
}

// AddEnrolment stores what was typed at a link and replaces what the same address waits with
// there; the letter that brought that is told to nobody any more. Of two at the same time the
// later one stays. NotFound: the link is gone.
func (t *Tx) AddEnrolment(ctx context.Context, linkID int64, e typus.Enrolment) error {
	if _, err := db.One(ctx, t, db.ScanInt, noPublicLink, `select id from public_links where id = $1`+t.db.KeepRows(), linkID); err != nil {
		return err
	}
	if _, err := t.forgetLetters(ctx, `select letter_id from enrolments where link_id = $1 and email_key = $2 and candidate_id is null`, linkID, typus.MailboxKey(e.Email)); err != nil {
		return err
	}
	_, err := t.db.Exec(ctx, `
		insert into enrolments (token_hash, link_id, name, email, email_key, language, letter_id, created_at, expires_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		on conflict (link_id, email_key) where candidate_id is null do update set
			token_hash = excluded.token_hash, name = excluded.name, email = excluded.email, language = excluded.language,
			letter_id = excluded.letter_id, created_at = excluded.created_at, expires_at = excluded.expires_at`,
		e.Hash, linkID, e.Name, e.Email, typus.MailboxKey(e.Email), e.Language, e.LetterID, db.Millis(e.CreatedAt), db.Millis(e.ExpiresAt))
	return err
}

// ConfirmEnrolment stores who the candidate is that came of an enrolment, and takes name and
// address out of it: the candidate has them. NotFound: it is gone, or confirmed.
func (t *Tx) ConfirmEnrolment(ctx context.Context, e typus.Enrolment, candidateID int64) error {
	err := t.db.Must(ctx, noEnrolment, `
		update enrolments set candidate_id = $1, name = '', email = '', email_key = '' where token_hash = $2 and candidate_id is null`, candidateID, e.Hash)
	if err != nil {
		return err
	}
	_, err = t.forgetLetters(ctx, `$1`, e.LetterID)
	return err
}

// CandidateByEmail is the newest candidate of a position (the account's default one where it
// is that) with an address, however the test stands. NotFound.
func (r *reads) CandidateByEmail(ctx context.Context, p typus.Position, email string) (typus.Candidate, error) {
	unnamed := p.ID // a number that says the same once more
	if p.Standard {
		unnamed = 0
	}
	return db.One(ctx, r, scanCandidate, noCandidate, `
		select `+candidateColumns+` from candidates
		where email_key = $1 and account_id = $2 and email_key <> '' and erased_at is null and coalesce(position_id, 0) in ($3, $4)
		order by id`+db.OffIndex+` desc limit 1`, typus.MailboxKey(email), p.AccountID, p.ID, unnamed)
}

// DropEnrolments erases up to 500 enrolments whose time is over, confirmed or not, with the
// addresses of their letters, and says how many.
func (t *Tx) DropEnrolments(ctx context.Context, before time.Time) (int, error) {
	hashes, err := db.All(ctx, t, db.ScanText, `select token_hash from enrolments where expires_at <= $1 order by expires_at limit 500`, db.Millis(before))
	if err != nil {
		return 0, err
	}
	for _, hash := range hashes {
		if err := t.dropEnrolments(ctx, `token_hash = $1`, hash); err != nil {
			return 0, err
		}
	}
	return len(hashes), nil
}

// dropEnrolments erases those of which a condition is true.
func (t *Tx) dropEnrolments(ctx context.Context, condition string, args ...any) error {
	if _, err := t.forgetLetters(ctx, `select letter_id from enrolments where `+condition, args...); err != nil {
		return err
	}
	if _, err := t.db.Exec(ctx, `delete from kept_letters where letter_id in (select letter_id from enrolments where `+condition+`)`, args...); err != nil {
		return err
	}
	_, err := t.db.Exec(ctx, `delete from enrolments where `+condition, args...)
	return err
}

// eraseEnrolments erases how a candidate came by a public link, and what waits there under
// the same addresses.
func (t *Tx) eraseEnrolments(ctx context.Context, accountID, candidateID int64, emailKeys []string) error {
	if err := t.dropEnrolments(ctx, `candidate_id = $1`, candidateID); err != nil {
		return err
	}
	for _, key := range emailKeys {
		err := t.dropEnrolments(ctx, `email_key = $1 and candidate_id is null and (select p.account_id from public_links p where p.id = link_id) = $2`, key, accountID)
		if err != nil {
			return err
		}
	}
	return nil
}
