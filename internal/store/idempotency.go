package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"typus"
	"typus/internal/db"
)

// IdempotencyLife is how long an answer can be replayed.
const IdempotencyLife = 24 * time.Hour

// What the row of a key stands for, written as HTTP statuses.
const (
	statusClaimed = 0
	statusRepeat  = 200
	statusNew     = 201
	statusErased  = 410 // the candidate is erased; nothing else is kept
)

// StoredAnswer is what is kept of the answer of an earlier call with the same
// Idempotency-Key: enough to write it again.
type StoredAnswer struct {
	RequestSHA256 string // of the call's body, hex
	CandidateID   int64
	Repeat        bool // the call repeated an open invitation
	Erased        bool // the candidate is erased: the key is taken, and that is all
}

// keyHash is how an Idempotency-Key is stored. It is a hash because clients put
// addresses and names into keys, and a key outlives the erasure of its candidate.
func keyHash(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// ClaimIdempotencyKey reserves the key for this transaction and returns nil, or returns
// the answer that a call in the last 24 hours has stored under it. It waits for a call
// with the same key that is running, and for an erasure of the candidate whom that call
// invited. Conflict: the wait took longer than the lock time-out; the transaction is
// lost.
func (t *Tx) ClaimIdempotencyKey(ctx context.Context, apiKeyID int64, key, requestSHA256 string, at time.Time) (*StoredAnswer, error) {
	// A transaction that answers leaves no reservation without an answer
	// (statusClaimed); a reservation that was left without one is open to the next
	// call. If the row exists, PostgreSQL locks it even if it does not update it, so
	// that what is read next cannot be erased or dropped in between.
	claimed, err := t.db.Exec(ctx, `
		insert into idempotency_keys as k (api_key_id, key, request_sha256, status, candidate_id, created_at)
		values ($1, $2, $3, $4, 0, $5)
		on conflict (api_key_id, key) do update
		set request_sha256 = excluded.request_sha256, status = excluded.status, candidate_id = 0, created_at = excluded.created_at
		where k.created_at <= $6 or k.status = excluded.status`,
		apiKeyID, keyHash(key), requestSHA256, statusClaimed, db.Millis(at), db.Millis(at.Add(-IdempotencyLife)))
	if db.LockTimeout(err) {
		return nil, stillRunning(err)
	}
	if err != nil || claimed == 1 {
		return nil, err
	}
	answer, err := db.One(ctx, t, scanAnswer, "the stored answer is gone",
		`select request_sha256, status, candidate_id from idempotency_keys where api_key_id = $1 and key = $2`, apiKeyID, keyHash(key))
	if err != nil {
		return nil, err
	}
	return &answer, nil
}

func stillRunning(cause error) error {
	return &typus.Error{
		Kind: typus.Conflict, Msg: "a call with the same Idempotency-Key is still running", Cause: cause,
		Fields: []typus.Field{{Name: "Idempotency-Key", Code: typus.CodeBusy, Msg: "belongs to a call that is still running; try again"}},
	}
}

func scanAnswer(row db.Row) (StoredAnswer, error) {
	var a StoredAnswer
	var status int
	err := row.Scan(&a.RequestSHA256, &status, &a.CandidateID)
	a.Repeat, a.Erased = status == statusRepeat, status == statusErased
	return a, err
}

// StoreAnswer keeps the answer of the call that claimed the key. NotFound: it
// was not claimed.
func (t *Tx) StoreAnswer(ctx context.Context, apiKeyID int64, key string, a StoredAnswer) error {
	status := statusNew
	if a.Repeat {
		status = statusRepeat
	}
	return t.db.Must(ctx, "this Idempotency-Key was not claimed", `
		update idempotency_keys set request_sha256 = $1, status = $2, candidate_id = $3
		where api_key_id = $4 and key = $5`,
		a.RequestSHA256, status, a.CandidateID, apiKeyID, keyHash(key))
}

// eraseKeys removes a candidate from the idempotency keys of the calls that invited
// them. The keys stay taken, so that a repeated call does not invite the person again.
func (t *Tx) eraseKeys(ctx context.Context, candidateID int64) error {
	_, err := t.db.Exec(ctx, `
		update idempotency_keys set request_sha256 = '', status = $1, candidate_id = 0 where candidate_id = $2 and candidate_id > 0`,
		statusErased, candidateID)
	return err
}

// DropIdempotencyKeys deletes up to 500 answers stored before the given time, oldest
// first, and returns how many. The caller repeats it until there are fewer.
func (t *Tx) DropIdempotencyKeys(ctx context.Context, before time.Time) (int, error) {
	return t.db.Exec(ctx, `
		delete from idempotency_keys where (api_key_id, key) in (
			select api_key_id, key from idempotency_keys where created_at < $1 order by created_at limit 500)`, db.Millis(before))
}

// hashKeys replaces the keys that an earlier version stored by their hashes.
func hashKeys(ctx context.Context, tx *db.Tx) error {
	list, err := db.All(ctx, tx, scanPlainKey, `select api_key_id, key from idempotency_keys`)
	if err != nil {
		return err
	}
	for _, k := range list {
		_, err := tx.Exec(ctx, `update idempotency_keys set key = $1 where api_key_id = $2 and key = $3`, keyHash(k.key), k.apiKeyID, k.key)
		if err != nil {
			return err
		}
	}
	return nil
}

// plainKey names a row whose key is not hashed yet.
type plainKey struct {
	apiKeyID int64
	key      string
}

func scanPlainKey(row db.Row) (plainKey, error) {
	var k plainKey
	err := row.Scan(&k.apiKeyID, &k.key)
	return k, err
}
