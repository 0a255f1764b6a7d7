package typus

import "time"

// AuditEntry is one line of the append-only audit log.
type AuditEntry struct {
	ID          int64
	AccountID   int64
	CandidateID int64  // 0 unless the action is about one candidate
	Actor       string // "operator", "candidate", "api key <fingerprint>" or a user's e-mail
	Action      string // "candidate.finished_by_operator", "key.revoked", …
	Detail      string
	CreatedAt   time.Time
}
