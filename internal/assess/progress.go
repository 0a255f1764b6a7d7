package assess

import (
	"context"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/instrument"
	"typus/internal/store"
)

// Test is a candidate's test as the test page sees it.
type Test struct {
	Candidate typus.Candidate // without scores: see OwnResult
	Account   typus.Account   // as the candidate's position lets them see it; zero in what Answer returns
	// Instrument is the version that the test was begun with, or else the one with which it
	// would begin now.
	Instrument *instrument.Instrument
	Sheet      instrument.Sheet // empty before the test begins and after it is finished
	SavedAt    time.Time        // when the sheet was last saved, zero for never
	Position   int              // 0-based: the first item neither answered nor skipped; the number of items when there is none
	Stand      typus.Stand
	Outdated   []int // positions of answers that Answer was given and has left out; see there

	scores *typus.Scores
}

// Test reads the test of a link. NotFound for every token that leads to no test, after
// the same work for each.
func (s *Steps) Test(ctx context.Context, token string) (Test, error) {
	v, err := s.store.VisitByToken(ctx, auth.Hash(token))
	if err != nil {
		return Test{}, err
	}
	in, sheet, err := s.answersOf(v.Candidate, v.Sheet)
	if err != nil {
		return Test{}, err
	}
	return s.view(v.Candidate, v.Account, in, sheet, v.Sheet.SavedAt), nil
}

func (s *Steps) view(c typus.Candidate, account typus.Account, in *instrument.Instrument, sheet instrument.Sheet, savedAt time.Time) Test {
	scores := c.Scores
	c.Scores = nil
	return Test{
		scores: scores, Candidate: c, Account: account, Instrument: in, Sheet: sheet, SavedAt: savedAt,
		Position: frontier(sheet), Stand: c.Stand(s.now()),
	}
}

// sheet reads the answers of a test, whose candidate is locked, with the row that they are
// stored in, which is empty when there are none, and finds the version that they belong to.
func (s *Steps) sheet(ctx context.Context, tx *store.Tx, c typus.Candidate) (*instrument.Instrument, instrument.Sheet, store.Sheet, error) {
	stored, err := tx.Sheet(ctx, c.AccountID, c.ID)
	if err != nil {
		return nil, instrument.Sheet{}, store.Sheet{}, err
	}
	in, sheet, err := s.answersOf(c, stored)
	return in, sheet, stored, err
}

// answersOf are the answers of a test, and the version that they belong to.
func (s *Steps) answersOf(c typus.Candidate, stored store.Sheet) (*instrument.Instrument, instrument.Sheet, error) {
	in, err := s.test(c)
	if err != nil {
		return nil, instrument.Sheet{}, err
	}
	if stored.Body == nil {
		return in, in.NewSheet(), nil
	}
	var sheet instrument.Sheet
	err = sheet.UnmarshalBinary(stored.Body)
	return in, sheet, err
}

// test is the version of the instrument that a candidate takes: a test goes on with the
// one with which it was begun. Internal: this program does not have that version, and
// would score the answers with the wrong items.
func (s *Steps) test(c typus.Candidate) (*instrument.Instrument, error) {
	if c.Instrument == "" || c.Status == typus.StatusFinished {
		return s.instrument, nil
	}
	in, known := s.instrument.Version(c.Instrument)
	if !known {
		return nil, typus.Errorf(typus.Internal, "the test was begun with %s, which this program does not have", c.Instrument)
	}
	return in, nil
}

// frontier is the first position that is neither answered nor skipped.
func frontier(sheet instrument.Sheet) int {
	for i, a := range sheet.Answers {
		if !answered(a) {
			return i
		}
	}
	return len(sheet.Answers)
}

// Logo reads the logo that the pages of a test show, or of a public link. NotFound: there is
// none.
func (s *Steps) Logo(ctx context.Context, account typus.Account) (typus.Logo, error) {
	return s.store.Logo(ctx, account.ID, account.LogoHash)
}
