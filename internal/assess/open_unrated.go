package assess

import (
	"context"
	"strings"

	"golang.org/x/text/unicode/norm"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
)

// maxReason bounds why a result is opened without ratings, in code points (our choice).
const maxReason = 500

// OpenUnrated opens a finished candidate's result, which is withheld until the user has
// rated, to a user who will not rate, for good. The reason is kept with the candidate;
// the audit log, which is never erased, says only that it happened. Doing it again
// changes nothing. Invalid without a reason; NotFound.
func (s *Steps) OpenUnrated(ctx context.Context, reader store.Reader, candidateID int64, reason string, by typus.Actor) error {
	reason = norm.NFC.String(strings.TrimSpace(reason))
	var f clerk.Faults
	if typus.Blank(reason) {
		f.Add("reason", typus.CodeRequired, "is required")
	} else {
		f.AtMost("reason", reason, maxReason)
	}
	if err := f.Err(); err != nil {
		return err
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := tx.LockCandidateFor(ctx, reader, candidateID)
		if err != nil || !c.Withheld() {
			return err
		}
		opened, err := tx.OpenUnrated(ctx, candidateID, by.UserID, reason, s.now())
		if err != nil || !opened {
			return err
		}
		return s.recordOf(ctx, tx, c, by, typus.AuditReportOpenedWithoutRating, "")
	})
}
