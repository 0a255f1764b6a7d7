package typus

import "time"

// AuditEntry is one line of the append-only audit log.
type AuditEntry struct {
	ID          int64
	AccountID   int64
	CandidateID int64  // 0 unless the action is about one candidate
	UserID      int64  // the user who did it, 0 for anybody else
	Actor       string // "operator", "candidate", "api key <fingerprint>", a user's e-mail, "" for a stranger
	Action      string // "candidate.finished_by_operator", "key.revoked", …
	Detail      string
	IP          string // address of who did it, "" where there was no request
	RequestID   string // "" where there was no request
	CreatedAt   time.Time
}
