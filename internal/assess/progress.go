package assess

import (
	"context"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/instrument"
)

// Test is a candidate's test as the test page sees it.
type Test struct {
	Candidate typus.Candidate
	Account   typus.Account
	Sheet     instrument.Sheet // empty before the test begins and after it is finished
	SavedAt   time.Time        // when the sheet was last saved, zero for never
	Position  int              // 0-based: the first item neither answered nor skipped; the number of items when there is none
	Stand     typus.Stand
}

// Test reads the test of a link. NotFound for every token that leads to no test, after
// the same work for each.
func (s *Steps) Test(ctx context.Context, token string) (Test, error) {
	c, err := s.store.CandidateByToken(ctx, auth.Hash(token))
	if err != nil {
		return Test{}, err
	}
	account, err := s.store.Account(ctx, c.AccountID)
	if err != nil {
		return Test{}, err
	}
	sheet, savedAt, err := s.sheet(ctx, s.store, c)
	if err == nil && savedAt.IsZero() && c.Status == typus.StatusStarted {
		// Finishing takes the sheet away: without one the test may have been
		// finished since it was read.
		c, err = s.store.Candidate(ctx, c.AccountID, c.ID)
	}
	if err != nil {
		return Test{}, err
	}
	return s.view(c, account, sheet, savedAt), nil
}

func (s *Steps) view(c typus.Candidate, account typus.Account, sheet instrument.Sheet, savedAt time.Time) Test {
	return Test{
		Candidate: c, Account: account, Sheet: sheet, SavedAt: savedAt,
		Position: frontier(sheet), Stand: c.Stand(s.now()),
	}
}

// sheets is where a sheet is read: the Store, or a Tx to change it.
type sheets interface {
	Sheet(ctx context.Context, accountID, candidateID int64) ([]byte, time.Time, error)
}

// sheet reads the answers of a test. A test goes on with the version of the instrument
// with which it was begun. This program knows one version; a test of another one is
// refused, because it would be scored with the wrong items.
func (s *Steps) sheet(ctx context.Context, from sheets, c typus.Candidate) (instrument.Sheet, time.Time, error) {
	if c.Instrument != "" && c.Instrument != s.instrument.Ref() && c.Status != typus.StatusFinished {
		return instrument.Sheet{}, time.Time{}, typus.Errorf(typus.Internal, "the test was begun with %s; this server has %s", c.Instrument, s.instrument.Ref())
	}
	packed, savedAt, err := from.Sheet(ctx, c.AccountID, c.ID)
	if err != nil {
		return instrument.Sheet{}, time.Time{}, err
	}
	sheet := s.instrument.NewSheet()
	if packed != nil {
		err = sheet.UnmarshalBinary(packed)
	}
	return sheet, savedAt, err
}

// frontier is the first position that is neither answered nor skipped.
func frontier(sheet instrument.Sheet) int {
	for i, a := range sheet.Answers {
		if a.Value == 0 && !a.Skipped {
			return i
		}
	}
	return len(sheet.Answers)
}

// Logo reads the logo of an account. NotFound: it has none.
func (s *Steps) Logo(ctx context.Context, accountID int64) (typus.Logo, error) {
	return s.store.AccountLogo(ctx, accountID)
}
