package store

import (
	"context"
	"time"

	"typus"
)

// IdempotencyLife is how long an answer can be replayed.
const IdempotencyLife = 24 * time.Hour

// StoredAnswer is the answer of an earlier call with the same Idempotency-Key.
type StoredAnswer struct {
	RequestSHA256 string // of the call's body, hex
	Status        int
	Body          []byte
	CandidateID   int64
}

// ClaimIdempotencyKey reserves the key for this transaction and returns nil, or
// returns the answer that a call within 24 hours stored under it. It waits for
// an equal call in flight. Conflict: that call took longer than the lock
// time-out; the transaction is lost.
func (t *Tx) ClaimIdempotencyKey(ctx context.Context, apiKeyID int64, key, requestSHA256 string, at time.Time) (*StoredAnswer, error) {
	// A reservation without an answer (status 0) is not kept by a transaction
	// that answers; one that did not is open to the next.
	claimed, err := t.exec(ctx, `
		insert into idempotency_keys as k (api_key_id, key, request_sha256, status, body, candidate_id, created_at)
		values ($1, $2, $3, 0, $4, 0, $5)
		on conflict (api_key_id, key) do update
		set request_sha256 = excluded.request_sha256, status = 0, body = excluded.body, candidate_id = 0, created_at = excluded.created_at
		where k.created_at <= $6 or k.status = 0`,
		apiKeyID, key, requestSHA256, []byte{}, millis(at), millis(at.Add(-IdempotencyLife)))
	if lockTimeout(err) {
		return nil, typus.Errorf(typus.Conflict, "a call with the same Idempotency-Key is still running").WithCause(err)
	}
	if err != nil || claimed == 1 {
		return nil, err
	}
	answer, err := one(ctx, t.reads, scanAnswer, "the stored answer is gone",
		`select request_sha256, status, body, candidate_id from idempotency_keys where api_key_id = $1 and key = $2`, apiKeyID, key)
	if err != nil {
		return nil, err
	}
	return &answer, nil
}

func scanAnswer(row scanner) (StoredAnswer, error) {
	var a StoredAnswer
	err := row.Scan(&a.RequestSHA256, &a.Status, &a.Body, &a.CandidateID)
	return a, err
}

// StoreAnswer keeps the answer of the call that claimed the key. NotFound: it
// was not claimed.
func (t *Tx) StoreAnswer(ctx context.Context, apiKeyID int64, key string, a StoredAnswer) error {
	return t.must(ctx, "this Idempotency-Key was not claimed", `
		update idempotency_keys set request_sha256 = $1, status = $2, body = $3, candidate_id = $4
		where api_key_id = $5 and key = $6`,
		a.RequestSHA256, a.Status, a.Body, a.CandidateID, apiKeyID, key)
}

// DropIdempotencyKeys forgets the oldest answers stored before the given time,
// at most 500, and says how many; the caller repeats it until there are fewer.
func (t *Tx) DropIdempotencyKeys(ctx context.Context, before time.Time) (int, error) {
	return t.exec(ctx, `
		delete from idempotency_keys where (api_key_id, key) in (
			select api_key_id, key from idempotency_keys where created_at < $1 order by created_at limit 500)`, millis(before))
}
