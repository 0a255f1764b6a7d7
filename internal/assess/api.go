// Package assess moves a candidate one step, in one transaction.
package assess

import (
	"context"
	"log/slog"
	"time"

	"typus"
	"typus/internal/instrument"
	"typus/internal/seal"
	"typus/internal/store"
)

// Steps are the verbs of the product. Everything that moves a candidate goes through them.
type Steps struct{}

// Options are what Steps needs.
type Options struct {
	Store      *store.Store
	Box        *seal.Box
	Instrument *instrument.Instrument
	BaseURL    string           // without a slash at the end
	Now        func() time.Time // nil: time.Now
	Wake       func()           // called after a commit that left something to deliver; may be nil
	Log        *slog.Logger
}

// New makes the steps.
func New(o Options) *Steps { panic("unwritten") }

// Invitation is what an account asks for. All fields are checked here; Invalid names every wrong one.
type Invitation struct {
	Name, Email, ExternalID string
	Language, RoleProfile   string // "": the account's
	SendEmail               bool
	Actor                   string // for the audit log, e.g. "api key 1a2b3c4d"
}

// Check normalises the invitation (trim, NFC) and returns every fault (contract 3).
func (i Invitation) Check() (Invitation, []typus.Field) { panic("unwritten") }

// Invited is the outcome of an invitation.
type Invited struct {
	Candidate typus.Candidate
	Token     string
	Link      string
	Repeat    bool              // an unfinished invitation with the same external_id and e-mail was there
	Mail      typus.LetterState // "" when no letter was ever queued
}

// Idempotency makes a call repeatable. Answer turns the outcome into what is stored and replayed.
type Idempotency struct {
	APIKeyID      int64
	Key           string
	RequestSHA256 string
	Answer        func(Invited) (status int, body []byte, err error)
}

// Invite stores the candidate, its link, its letter and the answer of the idempotency key in one transaction.
// replay is set (and Invited is zero) when the key was used before with the same body. Kinds: Invalid, NoCredit, Conflict.
func (s *Steps) Invite(ctx context.Context, accountID int64, i Invitation, idem *Idempotency) (out Invited, replay *store.StoredAnswer, err error) {
	panic("unwritten")
}

// Link is the invitation link of a candidate.
func (s *Steps) Link(c typus.Candidate) (string, error) { panic("unwritten") }

// Test is a candidate's test as the test page sees it.
type Test struct {
	Candidate                              typus.Candidate
	Account                                typus.Account
	Sheet                                  instrument.Sheet
	Position                               int // first position neither answered nor skipped; len(items) when all are
	Expired, Cancelled, Declined, Finished bool
}

// Test reads the test of a link. NotFound for every token that opens nothing.
func (s *Steps) Test(ctx context.Context, token string) (Test, error) { panic("unwritten") }

// Begin stores the acknowledgement and moves offen → begonnen; calling it again changes nothing.
// Gone: expired, cancelled. (A decline is taken back by beginning.)
func (s *Steps) Begin(ctx context.Context, token string, n typus.Notice, noticeText string) error {
	panic("unwritten")
}

// Given is one answer to one item.
type Given struct {
	ItemID   string
	Value    int // scale minimum to maximum, or 0 with Skip
	Skip     bool
	ActiveMS int
	Changes  int
}

// Answer saves answers (all or none) and returns the test after it. Late or repeated calls after finishing change nothing.
// Invalid: unknown item, value out of range, an item beyond the block in progress. Gone: expired, cancelled. Conflict: not begun.
func (s *Steps) Answer(ctx context.Context, token string, given []Given) (Test, error) {
	panic("unwritten")
}

// SetLanguage stores the candidate's choice of language. Invalid: an unknown one.
func (s *Steps) SetLanguage(ctx context.Context, token, language string) error { panic("unwritten") }

// Finish scores the test and books it in one transaction: status, ledger, result, event, deliveries, letters.
// Finishing again changes nothing. Conflict: items are open (Test.Sheet and instrument.Open say which) or it was not begun.
func (s *Steps) Finish(ctx context.Context, token string) error { panic("unwritten") }

// Decline stores "Ich möchte nicht teilnehmen"; status unchanged.
func (s *Steps) Decline(ctx context.Context, token string) error { panic("unwritten") }

// Cancel withdraws an unfinished invitation. NotFound; Conflict when finished.
func (s *Steps) Cancel(ctx context.Context, accountID, id int64, actor string) error {
	panic("unwritten")
}

// CreateAccount, CreateKey, CreateEndpoint: the operator's and the owner's verbs.
func (s *Steps) CreateAccount(ctx context.Context, a typus.Account, credits int64) (int64, error) {
	panic("unwritten")
}
func (s *Steps) CreateKey(ctx context.Context, accountID int64, name, actor string) (id int64, key string, err error) {
	panic("unwritten")
}
func (s *Steps) CreateEndpoint(ctx context.Context, accountID int64, url, description, actor string) (id int64, secret string, err error) {
	panic("unwritten")
}
func (s *Steps) GrantCredits(ctx context.Context, accountID, amount int64, note, actor string) (balance int64, err error) {
	panic("unwritten")
}
