// Package store keeps everything in SQLite or PostgreSQL, with one SQL text for both.
package store

// This file is the agreed interface while the package is being written; its
// content moves into one file per noun.

import (
	"context"
	"time"

	"typus"
)

// Store is an open database. Reads go through it directly; everything that
// changes goes through InTx.
type Store struct{ reads }

// Tx is one transaction: all of it happens or nothing. It reads, too.
type Tx struct{ reads }

// reads are the questions that a Store and a Tx answer alike.
type reads struct{}

// Open opens the database named by dsn: a file path (SQLite) or a postgres:// URL.
// It asserts the settings of the design's D1 and refuses a database that cannot keep its promises.
// It does not migrate.
func Open(ctx context.Context, dsn string) (*Store, error) { panic("unwritten") }

// Close ends the writer and all connections; it waits for the running group.
func (s *Store) Close() error { panic("unwritten") }

// Dialect is "sqlite" or "postgres".
func (s *Store) Dialect() string { panic("unwritten") }

// Migrate brings the schema up to this binary's; kind Conflict when the schema is newer than the binary.
func (s *Store) Migrate(ctx context.Context) (applied []string, err error) { panic("unwritten") }

// Lock takes the exclusive lock of an SQLite file (flock on a file beside it) for `serve`; a no-op on PostgreSQL.
// Conflict: another server holds it. The lock goes with Close.
func (s *Store) Lock() error { panic("unwritten") }

// Ping asks the database one small question (healthz).
func (s *Store) Ping(ctx context.Context) error { panic("unwritten") }

// Settings are the database settings in force, by name, for /healthz?verbose.
func (s *Store) Settings(ctx context.Context) (map[string]string, error) { panic("unwritten") }

// InTx runs fn in one transaction and returns once it is durable. fn may be run again (PostgreSQL
// serialisation failures), so it must have no effect outside the Tx, and must call neither the Store's reads nor InTx.
// An error of fn rolls its writes back and is returned as it is. Unavailable: the database is full, busy or away.
func (s *Store) InTx(ctx context.Context, fn func(tx *Tx) error) error { panic("unwritten") }

// ── accounts, users, keys ──

func (t *Tx) AddAccount(ctx context.Context, a typus.Account) (id int64, err error) {
	panic("unwritten")
}
func (r reads) Account(ctx context.Context, accountID int64) (typus.Account, error) {
	panic("unwritten")
}
func (r reads) Accounts(ctx context.Context) ([]typus.Account, error) { panic("unwritten") }

// AddUser: Conflict when the address (without case) is taken.
func (t *Tx) AddUser(ctx context.Context, u typus.User, passwordHash string) (id int64, err error) {
	panic("unwritten")
}
func (r reads) UserByEmail(ctx context.Context, accountID int64, email string) (typus.User, error) {
	panic("unwritten")
}

// OwnerEmails lists the owners' addresses, or the account's contact address while there is none.
func (r reads) OwnerEmails(ctx context.Context, accountID int64) ([]string, error) {
	panic("unwritten")
}
func (t *Tx) AddUserLink(ctx context.Context, userID int64, tokenHash string, at, expires time.Time) error {
	panic("unwritten")
}

func (t *Tx) AddAPIKey(ctx context.Context, k typus.APIKey) (id int64, err error) { panic("unwritten") }
func (r reads) APIKeys(ctx context.Context, accountID int64) ([]typus.APIKey, error) {
	panic("unwritten")
}
func (r reads) APIKeyByHash(ctx context.Context, hash string) (typus.APIKey, error) {
	panic("unwritten")
}
func (t *Tx) RevokeAPIKey(ctx context.Context, accountID, id int64, at time.Time) error {
	panic("unwritten")
} // NotFound
func (t *Tx) TouchAPIKey(ctx context.Context, accountID, id int64, at time.Time) error {
	panic("unwritten")
} // last_used_at

// ── candidates ──

// NewCandidate is what an invitation stores.
type NewCandidate struct {
	typus.Candidate        // TokenHash and SealedToken set; all reads of candidates return both
	OpenRef   string // "" for an invitation that cannot be repeated
}

// AddCandidate adds the candidate, or reports added=false when an open one holds the same OpenRef.
func (t *Tx) AddCandidate(ctx context.Context, c NewCandidate) (id int64, added bool, err error) {
	panic("unwritten")
}

// Candidate: NotFound when the account has none of that id.
func (r reads) Candidate(ctx context.Context, accountID, id int64) (typus.Candidate, error) {
	panic("unwritten")
}

// By says how a reference to a candidate is read.
type By string

// The readings of a reference: id first and then external_id, or one of them only.
const (
	ByEither     By = ""
	ByID         By = "id"
	ByExternalID By = "external_id"
)

// CandidateByRef finds a candidate by internal id or external_id (contract 3) and says which matched.
// Several with one external_id: the newest. NotFound.
func (r reads) CandidateByRef(ctx context.Context, accountID int64, ref string, by By) (typus.Candidate, By, error) {
	panic("unwritten")
}

// CandidateByToken finds the candidate of a link by the hex SHA-256 of its token. NotFound.
func (r reads) CandidateByToken(ctx context.Context, tokenHash string) (typus.Candidate, error) {
	panic("unwritten")
}

// CandidateByOpenRef finds the candidate that holds an open reference. NotFound.
func (r reads) CandidateByOpenRef(ctx context.Context, accountID int64, openRef string) (typus.Candidate, error) {
	panic("unwritten")
}

// CandidateFilter selects candidates of one account. Zero fields do not filter.
type CandidateFilter struct {
	Status         typus.Status
	ExternalID     string
	HasExternalID  bool      // filter by ExternalID even when it is ""
	CompletedSince time.Time // finished ones only, newest completion first
	After          Cursor    // continue behind this row
	Limit          int       // 1 to 100
}

// Cursor is the place of a row in a list: its sort time and id. Zero: the start.
type Cursor struct {
	At time.Time
	ID int64
}

// Candidates lists newest first (created_at, id; with CompletedSince completed_at, id). next is the cursor of the last
// row when more rows follow, zero when none do.
func (r reads) Candidates(ctx context.Context, accountID int64, f CandidateFilter) (list []typus.Candidate, next Cursor, err error) {
	panic("unwritten")
}

func (t *Tx) RenameCandidate(ctx context.Context, accountID, id int64, name string) error {
	panic("unwritten")
}
func (t *Tx) ClearOpenRef(ctx context.Context, accountID, id int64) error { panic("unwritten") }

// BeginCandidate moves offen → begonnen and stores the acknowledgement; false when the status was not offen.
func (t *Tx) BeginCandidate(ctx context.Context, accountID, id int64, n typus.Notice, instrument string, at time.Time) (bool, error) {
	panic("unwritten")
}
func (t *Tx) SetCandidateLanguage(ctx context.Context, accountID, id int64, language string) error {
	panic("unwritten")
}

// FinishCandidate moves begonnen → abgeschlossen with its scores and frees the OpenRef; false when the status was not begonnen.
func (t *Tx) FinishCandidate(ctx context.Context, accountID, id int64, s typus.Scores, at time.Time) (bool, error) {
	panic("unwritten")
}

// CancelCandidate marks an unfinished candidate cancelled and frees the OpenRef; false when finished or cancelled already.
func (t *Tx) CancelCandidate(ctx context.Context, accountID, id int64, at time.Time) (bool, error) {
	panic("unwritten")
}

// DeclineCandidate stores "Ich möchte nicht teilnehmen" of an unfinished candidate; false when it was stored already.
func (t *Tx) DeclineCandidate(ctx context.Context, accountID, id int64, at time.Time) (bool, error) {
	panic("unwritten")
}
func (t *Tx) ExtendCandidate(ctx context.Context, accountID, id int64, expires time.Time) error {
	panic("unwritten")
}

// AddNotice stores a notice text once per version and language.
func (t *Tx) AddNotice(ctx context.Context, version, language, body string, at time.Time) error {
	panic("unwritten")
}

// Acknowledgement returns the stored acknowledgement of a candidate; zero At when there is none.
func (r reads) Acknowledgement(ctx context.Context, accountID, id int64) (typus.Notice, error) {
	panic("unwritten")
}

// SaveSheet stores the packed answers of a running test (upsert).
func (t *Tx) SaveSheet(ctx context.Context, accountID, candidateID int64, body []byte, at time.Time) error {
	panic("unwritten")
}

// Sheet returns the packed answers and when they were saved; nil when there are none.
// In a Tx it also locks the candidate's row (FOR UPDATE on PostgreSQL), so that two savers of one test follow each other.
func (r reads) Sheet(ctx context.Context, accountID, candidateID int64) (body []byte, savedAt time.Time, err error) {
	panic("unwritten")
}

// LockCandidate reads a candidate for change: on PostgreSQL with FOR UPDATE. NotFound.
func (t *Tx) LockCandidate(ctx context.Context, accountID, id int64) (typus.Candidate, error) {
	panic("unwritten")
}

// Result is a row of results: the frozen evidence of a finished test.
type Result struct {
	ID             int64
	CandidateID    int64
	Scores         []byte // JSON, the whole result
	Answers        []byte
	Instrument     string
	InstrumentHash string
	Norm           string
	RoleProfile    string
	RoleSnapshot   []byte
	ScoringVersion string
	CreatedAt      time.Time
}

func (t *Tx) AddResult(ctx context.Context, accountID int64, res Result) (id int64, err error) {
	panic("unwritten")
} // also drops the sheet
func (r reads) Result(ctx context.Context, accountID, candidateID int64) (Result, error) {
	panic("unwritten")
} // newest; NotFound

// ── credits ──

// BookCredit changes the balance and appends the ledger entry. It returns the entry with BalanceAfter.
// Conflict: a completion of this candidate is booked already.
func (t *Tx) BookCredit(ctx context.Context, e typus.CreditEntry) (typus.CreditEntry, error) {
	panic("unwritten")
}
func (r reads) CreditEntries(ctx context.Context, accountID int64, limit int) ([]typus.CreditEntry, error) {
	panic("unwritten")
} // newest first
// LastGrant is the size of the newest grant, 0 for none.
func (r reads) LastGrant(ctx context.Context, accountID int64) (int64, error) { panic("unwritten") }

// ── idempotency ──

// StoredAnswer is the answer of an earlier call with the same Idempotency-Key.
type StoredAnswer struct {
	RequestSHA256 string
	Status        int
	Body          []byte
	CandidateID   int64
}

// ClaimIdempotencyKey reserves the key for this transaction, waiting for an equal call in flight, and returns nil;
// or returns the answer that is stored already (not older than 24 h: an older one is replaced).
// Conflict (with Cause) after the lock time-out.
func (t *Tx) ClaimIdempotencyKey(ctx context.Context, apiKeyID int64, key, requestSHA256 string, at time.Time) (*StoredAnswer, error) {
	panic("unwritten")
}
func (t *Tx) StoreAnswer(ctx context.Context, apiKeyID int64, key string, a StoredAnswer) error {
	panic("unwritten")
}

// DropIdempotencyKeys forgets answers stored before the given time, in batches of 500; it returns how many.
func (t *Tx) DropIdempotencyKeys(ctx context.Context, before time.Time) (int, error) {
	panic("unwritten")
}

// ── webhooks ──

func (t *Tx) AddEndpoint(ctx context.Context, e typus.Endpoint) (id int64, err error) {
	panic("unwritten")
}
func (r reads) Endpoint(ctx context.Context, accountID, id int64) (typus.Endpoint, error) {
	panic("unwritten")
}
func (r reads) Endpoints(ctx context.Context, accountID int64) ([]typus.Endpoint, error) {
	panic("unwritten")
} // without deleted ones
// SetEndpointStatus changes the status; leaving active/failing holds the pending deliveries, deleting cancels them,
// returning to active makes the held ones pending and due. NotFound.
func (t *Tx) SetEndpointStatus(ctx context.Context, accountID, id int64, st typus.EndpointStatus, reason string, at time.Time) error {
	panic("unwritten")
}

// AddSecret stores a secret sealed by seal, which is given the new secret's id (part of the sealing's associated data).
func (t *Tx) AddSecret(ctx context.Context, accountID, endpointID int64, role typus.SecretRole, keyID string, at time.Time, seal func(secretID int64) ([]byte, error)) (id int64, err error) {
	panic("unwritten")
}
func (r reads) Secrets(ctx context.Context, accountID, endpointID int64) ([]typus.WebhookSecret, error) {
	panic("unwritten")
} // current first

// AddEvent stores the event and one auto delivery per endpoint of the account that is not deleted:
// pending and due at once for active and failing endpoints, held for the others. newID makes delivery ids.
func (t *Tx) AddEvent(ctx context.Context, e typus.Event, newID func() string) (deliveries int, err error) {
	panic("unwritten")
}
func (r reads) EventOf(ctx context.Context, accountID, candidateID int64, eventType string) (typus.Event, error) {
	panic("unwritten")
}

// Claimed is a delivery that this owner may attempt now, with all that the attempt needs.
type Claimed struct {
	Delivery typus.Delivery
	Event    typus.Event
	Endpoint typus.Endpoint
	Secrets  []typus.WebhookSecret
}

// ClaimDeliveries takes up to limit due deliveries of active and failing endpoints, at most max_in_flight per endpoint
// (1 while failing), round robin over the endpoints, and records the attempts as started, in one durable transaction.
func (s *Store) ClaimDeliveries(ctx context.Context, owner string, lease time.Duration, limit int) ([]Claimed, error) {
	panic("unwritten")
}

// AttemptResult is what became of an attempt and what follows.
type AttemptResult struct {
	Attempt      typus.Attempt       // Outcome "delivered" or "failed" and the rest of the log line
	State        typus.DeliveryState // delivered, pending, exhausted or held
	Failures     int
	NextIn       time.Duration // with State pending: the wait before the next attempt
	EndpointGone bool          // the receiver answered 410
}

// FinishAttempt writes the outcome back if this owner still holds this attempt, and keeps the endpoint's counters
// (active → failing after 3 consecutive failures, back on success; gone on 410). ok=false: somebody else owns the
// delivery; the attempt is logged as "late", and a late 2xx still turns a pending delivery into delivered when no newer attempt has begun.
func (s *Store) FinishAttempt(ctx context.Context, owner string, d typus.Delivery, r AttemptResult) (ok bool, err error) {
	panic("unwritten")
}

// ReleaseDeliveries gives back what this owner has claimed and not finished: due at once, the attempt marked
// interrupted, none of the 12 used (clean stop).
func (s *Store) ReleaseDeliveries(ctx context.Context, owner string) (int, error) { panic("unwritten") }

// SweepDeliveries ends expired leases (interrupted: next try in 5 s, none of the 12 used; the third in a row counts as
// a failure), holds pending deliveries of endpoints that are off, and makes deliveries due whose time lies more than
// 24.5 h ahead (the clock was set back).
func (s *Store) SweepDeliveries(ctx context.Context) (int, error) { panic("unwritten") }

// NextDelivery and NextLetter are the waits until something is due; ok=false when nothing waits.
func (s *Store) NextDelivery(ctx context.Context) (wait time.Duration, ok bool, err error) {
	panic("unwritten")
}

func (r reads) DeliveriesOf(ctx context.Context, accountID int64, eventID string) ([]typus.Delivery, error) {
	panic("unwritten")
}
func (r reads) Attempts(ctx context.Context, accountID int64, deliveryID string) ([]typus.Attempt, error) {
	panic("unwritten")
}

// ── letters ──

func (t *Tx) AddLetter(ctx context.Context, l typus.Letter) (id int64, err error) { panic("unwritten") } // queued, due at CreatedAt unless set otherwise
// LastLetter is the newest letter of a kind to a candidate. NotFound.
func (r reads) LastLetter(ctx context.Context, accountID, candidateID int64, kind typus.LetterKind) (typus.Letter, error) {
	panic("unwritten")
}

// AccountLetterSince reports whether the account was sent a letter of this kind at or after since.
func (r reads) AccountLetterSince(ctx context.Context, accountID int64, kind typus.LetterKind, since time.Time) (bool, error) {
	panic("unwritten")
}

// MailStates maps candidates to the state of their newest invitation letter; those without one are absent. At most 100 ids.
func (r reads) MailStates(ctx context.Context, accountID int64, candidateIDs []int64) (map[int64]typus.LetterState, error) {
	panic("unwritten")
}
func (r reads) Letters(ctx context.Context, accountID int64, limit int) ([]typus.Letter, error) {
	panic("unwritten")
} // newest first
func (s *Store) ClaimLetters(ctx context.Context, owner string, lease time.Duration, limit int) ([]typus.Letter, error) {
	panic("unwritten")
}

// FinishLetter writes the outcome back if owner still holds the letter: sent, failed, or queued again in `in`.
func (s *Store) FinishLetter(ctx context.Context, owner string, l typus.Letter, in time.Duration) (bool, error) {
	panic("unwritten")
}
func (s *Store) ReleaseLetters(ctx context.Context, owner string) (int, error) { panic("unwritten") }
func (s *Store) SweepLetters(ctx context.Context) (int, error)                 { panic("unwritten") }
func (s *Store) NextLetter(ctx context.Context) (wait time.Duration, ok bool, err error) {
	panic("unwritten")
}

// QueuedLetters counts what waits in the outbox, over all accounts.
func (s *Store) QueuedLetters(ctx context.Context) (int, error) { panic("unwritten") }

// ── audit, marks ──

func (t *Tx) AddAudit(ctx context.Context, a typus.AuditEntry) error { panic("unwritten") }
func (r reads) AuditOf(ctx context.Context, accountID, candidateID int64) ([]typus.AuditEntry, error) {
	panic("unwritten")
}

// Mark returns a server mark; nil when unset. SetMark keeps the first value ever set and returns it.
func (r reads) Mark(ctx context.Context, name string) ([]byte, error) { panic("unwritten") }
func (t *Tx) SetMark(ctx context.Context, name string, value []byte) ([]byte, error) {
	panic("unwritten")
}

// LockAccount reads an account for change: on PostgreSQL with FOR UPDATE, so that two writers follow each other. NotFound.
func (t *Tx) LockAccount(ctx context.Context, accountID int64) (typus.Account, error) { panic("unwritten") }

// TakeBackDecline clears a decline (the candidate began or went on after all).
func (t *Tx) TakeBackDecline(ctx context.Context, accountID, id int64) error { panic("unwritten") }
