package store

import (
	"context"
	"slices"
	"time"

	"typus"
	"typus/internal/db"
	"typus/internal/words"
)

// NewCandidate is what an invitation stores: the candidate with TokenHash and
// SealedToken, what makes the invitation repeatable, and when to look for the
// first reminder.
type NewCandidate struct {
	typus.Candidate
	OpenRef  string    // "" for an invitation that cannot be repeated
	RemindAt time.Time // zero: there will be none
}

const (
	candidateColumns = `id, account_id, coalesce(external_id, ''), name, email, status, language, chose_language <> 0, role_profile, instrument,
		coalesce(invited_by, 0), coalesce(position_id, 0), created_at, started_at, completed_at, answered_at, expires_at, cancelled_at, declined_at, token_hash, token_sealed, scores`
	noCandidate = "there is no such candidate"
)

func scanCandidate(row db.Row) (typus.Candidate, error) { return candidateScanner()(row) }

// candidateScanner is scanCandidate for many rows: they are read through the same places,
// which is half of the memory that a row needs besides its texts.
func candidateScanner() func(db.Row) (typus.Candidate, error) {
	var c typus.Candidate
	var scores *string
	places := []any{&c.ID, &c.AccountID, &c.ExternalID, &c.Name, &c.Email, (*string)(&c.Status), &c.Language, &c.ChoseLanguage, &c.RoleProfile, &c.Instrument, &c.InvitedBy, &c.PositionID,
		(*db.Instant)(&c.CreatedAt), (*db.Instant)(&c.StartedAt), (*db.Instant)(&c.CompletedAt), (*db.Instant)(&c.AnsweredAt), (*db.Instant)(&c.ExpiresAt),
		(*db.Instant)(&c.CancelledAt), (*db.Instant)(&c.DeclinedAt), &c.TokenHash, &c.SealedToken, &scores}
	return func(row db.Row) (typus.Candidate, error) {
		c = typus.Candidate{}
		err := row.Scan(places...)
		if err == nil && scores != nil {
			c.Scores, err = decodeScores(*scores)
		}
		return c, err
	}
}

// AddCandidate adds an open candidate, or reports false when another one
// of the account holds the same OpenRef. Conflict: the token's hash is there already.
func (t *Tx) AddCandidate(ctx context.Context, c NewCandidate) (int64, bool, error) {
	ids, err := t.AddCandidates(ctx, []NewCandidate{c})
	if err != nil || ids[0] == 0 {
		return 0, false, err
	}
	return ids[0], true, nil
}

// AddCandidates is AddCandidate for many. It returns their ids, with 0 for each whose
// OpenRef is held by another candidate, which may be one of list.
func (t *Tx) AddCandidates(ctx context.Context, list []NewCandidate) ([]int64, error) {
	var (
		ids  []int64
		keys []candidateWord
	)
	for part := range slices.Chunk(list, db.RowsAtOnce) {
		joined := make([]string, len(part))
		for n, c := range part {
			joined[n] = words.Joined(words.Of(c.Name, c.Email, c.ExternalID))
		}
		added, err := t.addCandidates(ctx, part, joined)
		if err != nil {
			return nil, err
		}
		for n, c := range part {
			id := added[c.TokenHash]
			ids = append(ids, id)
			if id == 0 {
				continue
			}
			for _, w := range words.Keys(joined[n]) {
				keys = append(keys, candidateWord{c.AccountID, id, w})
			}
		}
	}
	return ids, t.addWords(ctx, keys)
}

// addCandidates maps the TokenHash of each added candidate to its id, because the
// databases return the rows in no promised order.
func (t *Tx) addCandidates(ctx context.Context, list []NewCandidate, joined []string) (map[string]int64, error) {
	const columns = 18
	args := make([]any, 0, len(list)*columns)
	for n, c := range list {
		args = append(args,
			c.AccountID, db.TextOrNull(c.ExternalID), c.Name, c.Email, typus.MailboxKey(c.Email), c.TokenHash, c.SealedToken, c.Language, db.Flag(c.ChoseLanguage), c.RoleProfile,
			db.Millis(c.CreatedAt), db.Millis(c.ExpiresAt), db.TextOrNull(c.OpenRef), db.IDOrNull(c.InvitedBy), db.MillisOrNull(c.RemindAt), words.SortKey(c.Name), joined[n], db.IDOrNull(c.PositionID))
	}
	ids := make(map[string]int64, len(list))
	_, err := db.All(ctx, t, func(row db.Row) (int64, error) {
		var (
			hash string
			id   int64
		)
		if err := row.Scan(&hash, &id); err != nil {
			return 0, err
		}
		ids[hash] = id
		return id, nil
	}, `
		insert into candidates (account_id, external_id, name, email, email_key, token_hash, token_sealed, language, chose_language, role_profile, created_at,
			expires_at, open_ref, invited_by, remind_at, name_key, words, position_id)
		values `+db.RowPlaces(len(list), columns)+`
		on conflict (account_id, open_ref) where open_ref is not null do nothing returning token_hash, id`, args...)
	return ids, err
}

// invitingLocks is where the numbers of LockInviting begin, far away from all others.
const invitingLocks = 1 << 62

// LockInviting is for those who invite an address only if it has no open invitation
// (OpenByEmail). Within an account they wait for each other, because two who look at
// the same moment would both find none. It must be taken before any candidate is
// locked. In a test world all who invite take it, first of all, and so does whoever moves its
// clock or resets it.
func (t *Tx) LockInviting(ctx context.Context, accountID int64) error {
	return t.db.LockNumber(ctx, invitingLocks+accountID)
}

// Candidate reads a candidate of the account. NotFound.
func (r *reads) Candidate(ctx context.Context, accountID, id int64) (typus.Candidate, error) {
	return db.One(ctx, r, scanCandidate, noCandidate,
		`select `+candidateColumns+` from candidates where account_id = $1 and id = $2 and erased_at is null`, accountID, id)
}

// CandidateFor reads a candidate for a user, without the scores where they are withheld,
// and without the times of the test where the user is blind. NotFound, also for what the
// user does not read.
func (r *reads) CandidateFor(ctx context.Context, reader Reader, id int64) (typus.Candidate, error) {
	c, err := r.candidateFor(ctx, reader, id, "")
	return blinded(c), err
}

// blinded is a candidate without what their user is blind to.
func blinded(c typus.Candidate) typus.Candidate {
	if c.Blind {
		c.Scores, c.StartedAt, c.CompletedAt, c.AnsweredAt = nil, time.Time{}, time.Time{}, time.Time{}
	}
	return c
}

// LockCandidateFor is CandidateFor with the lock of LockCandidate and with all times, by
// which the steps go. NotFound.
func (t *Tx) LockCandidateFor(ctx context.Context, reader Reader, id int64) (typus.Candidate, error) {
	return t.candidateFor(ctx, reader, id, t.db.LockRows())
}

func (r *reads) candidateFor(ctx context.Context, reader Reader, id int64, lock string) (typus.Candidate, error) {
	q := reader.statement()
	q.Set("id", id)
	q.Add(`select ` + candidateColumns + reader.blindColumn("candidates") + `
		from candidates where account_id = :account and id = :id and erased_at is null` + reader.within("candidates") + lock)
	query, args := q.Numbered()
	return db.One(ctx, r, scanCandidateFor, noCandidate, query, args...)
}

func scanCandidateFor(row db.Row) (typus.Candidate, error) {
	var blind db.Truth
	c, err := scanCandidate(withMore{row, []any{&blind}})
	if c.Blind = bool(blind); c.Blind {
		c.Scores = nil
	}
	return c, err
}

// LockCandidate reads a candidate and locks it until the transaction ends, so that
// writers of one test wait for each other. NotFound.
func (t *Tx) LockCandidate(ctx context.Context, accountID, id int64) (typus.Candidate, error) {
	return db.One(ctx, t, scanCandidate, noCandidate,
		`select `+candidateColumns+` from candidates where account_id = $1 and id = $2 and erased_at is null`+t.db.LockRows(), accountID, id)
}

// letsIn is true of a candidate unless their account is being deleted.
const letsIn = `(select a.deleting_at from accounts a where a.id = candidates.account_id) is null`

// CandidateByToken finds the candidate of a link by the hex SHA-256 of its token. It
// takes no account, because the token tells which one it is. NotFound.
func (r *reads) CandidateByToken(ctx context.Context, tokenHash string) (typus.Candidate, error) {
	return db.One(ctx, r, scanCandidate, noCandidate, `select `+candidateColumns+` from candidates where token_hash = $1 and erased_at is null and `+letsIn, tokenHash)
}

// LockCandidateByToken is CandidateByToken with the lock of LockCandidate. NotFound.
func (t *Tx) LockCandidateByToken(ctx context.Context, tokenHash string) (typus.Candidate, error) {
	return db.One(ctx, t, scanCandidate, noCandidate,
		`select `+candidateColumns+` from candidates where token_hash = $1 and erased_at is null and `+letsIn+t.db.LockRows(), tokenHash)
}

// CandidateByOpenRef finds the candidate that holds an open reference. NotFound.
func (r *reads) CandidateByOpenRef(ctx context.Context, accountID int64, openRef string) (typus.Candidate, error) {
	return db.One(ctx, r, scanCandidate, noCandidate,
		`select `+candidateColumns+` from candidates where account_id = $1 and open_ref = $2`, accountID, openRef)
}

// LockByOpenRef is CandidateByOpenRef with the lock of LockCandidate. A candidate that
// was corrected, erased or finished while this waited no longer holds the reference.
// NotFound.
func (t *Tx) LockByOpenRef(ctx context.Context, accountID int64, openRef string) (typus.Candidate, error) {
	return db.One(ctx, t, scanCandidate, noCandidate,
		`select `+candidateColumns+` from candidates where account_id = $1 and open_ref = $2`+t.db.LockRows(), accountID, openRef)
}

// ClearOpenRef makes room for another invitation of the same person. NotFound.
func (t *Tx) ClearOpenRef(ctx context.Context, accountID, id int64) error {
	return t.db.Must(ctx, noCandidate, `update candidates set open_ref = null where account_id = $1 and id = $2`, accountID, id)
}

// SetCandidateLanguage stores the language that the candidate or the invitation chose,
// for the test and for the letters to the candidate that still wait. NotFound.
func (t *Tx) SetCandidateLanguage(ctx context.Context, accountID, id int64, language string) error {
	err := t.db.Must(ctx, noCandidate, `update candidates set language = $1, chose_language = 1 where account_id = $2 and id = $3`, language, accountID, id)
	if err != nil {
		return err
	}
	_, err = t.db.Exec(ctx, `
		update letters set language = $1 where candidate_id = $2 and kind in (`+candidateKinds+`) and state <> 'sent'`, language, id)
	return err
}

// SetRoleProfile stores the role profile with which the result is matched. NotFound.
func (t *Tx) SetRoleProfile(ctx context.Context, accountID, id int64, key string) error {
	return t.db.Must(ctx, noCandidate, `update candidates set role_profile = $1 where account_id = $2 and id = $3`, key, accountID, id)
}

// ExtendCandidate moves the end of an invitation. NotFound.
func (t *Tx) ExtendCandidate(ctx context.Context, accountID, id int64, expires time.Time) error {
	return t.db.Must(ctx, noCandidate, `update candidates set expires_at = $1, expired_at = null where account_id = $2 and id = $3`, db.Millis(expires), accountID, id)
}

// BeginCandidate moves offen to begonnen, stores the acknowledgement and takes a
// decline back; false when the status was not offen.
func (t *Tx) BeginCandidate(ctx context.Context, accountID, id int64, n typus.Notice, instrument string, at time.Time) (bool, error) {
	changed, err := t.db.Exec(ctx, `
		update candidates set status = 'begonnen', started_at = $1, instrument = $2, declined_at = null,
			notice_version = $3, notice_language = $4, notice_at = $5
		where account_id = $6 and id = $7 and status = 'offen'`,
		db.Millis(at), instrument, n.Version, n.Language, db.Millis(n.At), accountID, id)
	return changed == 1, err
}

// FinishCandidate moves a candidate from begonnen to abgeschlossen, stores the scores
// and frees the OpenRef. It reports false if the status was not begonnen. Of any number
// of calls at the same time exactly one gets true.
func (t *Tx) FinishCandidate(ctx context.Context, accountID, id int64, s typus.Scores, at time.Time) (bool, error) {
	scores, err := encodeScores(s)
	if err != nil {
		return false, err
	}
	changed, err := t.db.Exec(ctx, `
		update candidates set status = 'abgeschlossen', completed_at = $1, scores = $2, overall = $3, open_ref = null, remind_at = null
		where account_id = $4 and id = $5 and status = 'begonnen'`,
		db.Millis(at), []byte(scores), sortedBy(s), accountID, id)
	return changed == 1, err
}

// sortedBy is the key of the order by score. It is null for a result that should not be
// interpreted, which is left out of that order.
func sortedBy(s typus.Scores) any {
	if s.Doubtful() {
		return nil
	}
	return s.Overall
}

// CancelCandidate marks an unfinished candidate cancelled and frees the OpenRef;
// false when it was finished or cancelled already.
func (t *Tx) CancelCandidate(ctx context.Context, accountID, id int64, at time.Time) (bool, error) {
	changed, err := t.db.Exec(ctx, `
		update candidates set cancelled_at = $1, open_ref = null, remind_at = null
		where account_id = $2 and id = $3 and `+invited,
		db.Millis(at), accountID, id)
	return changed == 1, err
}

// DeclineCandidate stores "Ich möchte nicht teilnehmen" of an unfinished
// candidate; false when it was finished or had declined already.
func (t *Tx) DeclineCandidate(ctx context.Context, accountID, id int64, at time.Time) (bool, error) {
	changed, err := t.db.Exec(ctx, `
		update candidates set declined_at = $1, remind_at = null
		where account_id = $2 and id = $3 and `+unfinished+` and declined_at is null`,
		db.Millis(at), accountID, id)
	return changed == 1, err
}

// TakeBackDecline clears a decline: the candidate goes on after all. NotFound.
func (t *Tx) TakeBackDecline(ctx context.Context, accountID, id int64) error {
	return t.db.Must(ctx, noCandidate, `update candidates set declined_at = null where account_id = $1 and id = $2`, accountID, id)
}
