package store

import (
	"context"
	"slices"
	"time"

	"typus"
	"typus/internal/db"
	"typus/internal/words"
)

// EraseCandidate removes for good everything that says who a candidate is, what they
// answered and what came of it (GDPR Art. 17). Numbers stay: the row with its times and
// status, its ledger entry, its audit lines, and when letters and deliveries went. What
// was still to be sent is cancelled. NotFound also if the candidate is already erased.
//
// Nobody writes any of it back (decision 0038). Whoever writes about a candidate has
// locked its row, and finds it erased once the lock is free. Whoever writes rows of an
// import has locked the import. Letters, deliveries and idempotency keys are written
// only if they are unchanged. Imports are locked before candidates (LockToErase), in
// the same order as when inviting from an import.
func (t *Tx) EraseCandidate(ctx context.Context, accountID, id int64, at time.Time) error {
	if _, err := t.LockToErase(ctx, accountID, id); err != nil {
		return err
	}
	d, err := db.One(ctx, t, scanDescribed, noCandidate,
		`select `+describedColumns+` from candidates where account_id = $1 and id = $2 and erased_at is null`, accountID, id)
	if err != nil {
		return err
	}
	for _, w := range words.Stems(d.words) {
		if err := t.dropWord(ctx, accountID, id, w); err != nil {
			return err
		}
	}
	addresses, err := t.addressesOf(ctx, d)
	if err != nil {
		return err
	}
	for _, statement := range erasures {
		if _, err := t.db.Exec(ctx, statement, id); err != nil {
			return err
		}
	}
	if err := t.eraseKeys(ctx, id); err != nil {
		return err
	}
	if err := t.eraseFromLists(ctx, accountID, addresses, at); err != nil {
		return err
	}
	if err := t.eraseEnrolments(ctx, accountID, id, addresses); err != nil {
		return err
	}
	if err := t.eraseEvents(ctx, accountID, id, at); err != nil {
		return err
	}
	return t.db.Must(ctx, noCandidate, `
		update candidates set external_id = null, name = '', email = '', email_key = '', token_hash = 'erased ' || id, token_sealed = $1, open_ref = null,
			scores = null, overall = null, stage = '', words = '', name_key = $2, remind_at = null, keep_until = null, keep_reason = '',
			answered_at = null, notice_version = null, notice_language = null, notice_at = null, erased_at = $3
		where account_id = $4 and id = $5`,
		[]byte{}, []byte{}, db.Millis(at), accountID, id)
}

// erasures are about one candidate, which the caller has locked within its
// account.
var erasures = [...]string{
	`delete from sheets where candidate_id = $1`,
	`delete from results where candidate_id = $1`,
	`delete from notes where candidate_id = $1`,
	`delete from candidate_tags where candidate_id = $1`,
	`delete from interviews where candidate_id = $1`,
	`delete from ratings where candidate_id = $1`,
	`delete from decisions where candidate_id = $1`,
	`delete from comments where candidate_id = $1`,
	`delete from own_results where candidate_id = $1`,
	`delete from requests where candidate_id = $1`,
	`delete from world_acts where candidate_id = $1`,
	`update import_rows set name = '', email = '', email_key = '', external_id = '' where candidate_id = $1`,
	emptyLetters + ` where candidate_id = $1`,
	// After the letters: whoever was keeping one has kept it by now, or finds it taken away.
	`delete from kept_letters where candidate_id = $1`,
	`delete from kept_letters where kind = '` + string(typus.LetterDigest) + `' and account_id = (select account_id from candidates where id = $1)`,
}

// LockToErase first locks the account's imports that have not ended and then reads and
// locks a candidate for its erasure. So rows of imports change before an erasure or
// after it, never at the same time. A file that is uploaded during the erasure counts
// as uploaded after it. NotFound.
func (t *Tx) LockToErase(ctx context.Context, accountID, id int64) (typus.Candidate, error) {
	if err := t.db.Lock(ctx, `select id from imports where account_id = $1 and finished_at is null order by id`, accountID); err != nil {
		return typus.Candidate{}, err
	}
	return t.LockCandidate(ctx, accountID, id)
}

// addressesOf are the keys of the addresses by which a candidate is known or was known
// before a correction: those to which letters went, and of the lines they were invited by.
func (t *Tx) addressesOf(ctx context.Context, d described) ([]string, error) {
	former, err := db.All(ctx, t, db.ScanText, `
		select recipient from letters where candidate_id = $1 and kind in (`+candidateKinds+`)
		union select email from import_rows where candidate_id = $2`, d.id, d.id)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, address := range append(former, d.email) {
		if address != "" {
			keys = append(keys, typus.MailboxKey(address))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// eraseFromLists removes a person from the account's imports where no row is known to
// be theirs: it finds duplicates, and rows that are still to be confirmed, by their
// addresses. The uploaded files cannot be searched. If one is still kept, it is dropped
// if there is a preview of it; otherwise its import ends.
func (t *Tx) eraseFromLists(ctx context.Context, accountID int64, emailKeys []string, at time.Time) error {
	_, err := t.db.Exec(ctx, `
		update imports set source = null, left_out = '',
			state = case when state = 'mapping' then 'cancelled' else state end,
			finished_at = case when state = 'mapping' then cast($1 as bigint) else finished_at end,
			drop_at = case when state = 'mapping' then cast($2 as bigint) else drop_at end
		where account_id = $3 and finished_at is null and source is not null`, db.Millis(at), db.Millis(at), accountID)
	for _, key := range emailKeys {
		if err != nil {
			return err
		}
		_, err = t.db.Exec(ctx, `
			update import_rows set name = '', email = '', email_key = '', external_id = ''
			where email_key = $1 and candidate_id is null and import_id in (select id from imports where account_id = $2)`, key, accountID)
	}
	return err
}

// eraseEvents cancels what was still to be delivered about a candidate, and then
// empties the events and the answers of the receivers. In this order an attempt under
// way has either written its answer before the answers are emptied, or comes too late
// to write it.
func (t *Tx) eraseEvents(ctx context.Context, accountID, id int64, at time.Time) error {
	events, err := db.All(ctx, t, db.ScanText, `
		select id from webhook_events where account_id = $1 and type = $2 and candidate_id = $3 and test = 0`,
		accountID, typus.EventCandidateCompleted, id)
	if err != nil {
		return err
	}
	for _, event := range events {
		for _, s := range []struct {
			text string
			args []any
		}{
			{`update webhook_deliveries set state = 'cancelled', finished_at = $1, lease_owner = '', lease_until = 0
				where account_id` + db.OffIndex + ` = $2 and event_id = $3 and state in ('pending', 'sending', 'held')`, []any{db.Millis(at), accountID, event}},
			{`update webhook_events set payload = null where account_id = $1 and id = $2`, []any{accountID, event}},
			{`update webhook_attempts set response_head = '', response_body = null
				where delivery_id in (select id from webhook_deliveries where event_id = $1)`, []any{event}},
		} {
			if _, err := t.db.Exec(ctx, s.text, s.args...); err != nil {
				return err
			}
		}
	}
	return nil
}
