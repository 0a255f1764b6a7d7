package assess

import (
	"context"

	"typus"
	"typus/internal/store"
)

// ReturnLetter notes that a letter came back after a mail server had taken it: code is the
// SMTP reply of the server that did not take it, 0 for none, and said its words, clean. It
// reports whether that is news: a report that comes twice, or about a letter that was sent
// again since or whose recipient is erased, changes nothing. Unavailable: the letter is being
// sent at this moment, and the report should be tried again.
func (s *Steps) ReturnLetter(ctx context.Context, p typus.Posting, code int, said string) (bool, error) {
	news := false
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		l, marked, err := tx.ReturnLetter(ctx, p, code, typus.FailedReturned+": "+said)
		news = marked
		if err != nil {
			return err
		}
		if !marked {
			return stillGoingOut(ctx, tx, p)
		}
		if l.AccountID == 0 { // to a stranger: it belongs to no account's log
			return nil
		}
		by := typus.Actor{Name: typus.ActorServer}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: l.AccountID, CandidateID: l.CandidateID, Action: typus.AuditLetterReturned, Detail: string(l.Kind)})
	})
	return news && err == nil, err
}

// stillGoingOut is the error if a letter is being sent, or was until a moment ago: a mail
// server may return it before its answer to us has been noted.
func stillGoingOut(ctx context.Context, tx *store.Tx, p typus.Posting) error {
	l, err := tx.Letter(ctx, p.AccountID, p.LetterID)
	switch {
	case typus.Is(err, typus.NotFound):
		return nil
	case err == nil && l.Attempts == p.Attempt && l.To != "" && l.State.MayComeBack():
		return typus.Errorf(typus.Unavailable, "letter %d is being sent at this moment; give the report once more", l.ID)
	}
	return err
}
