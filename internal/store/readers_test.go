package store_test

import (
	"testing"

	"typus"
	"typus/internal/store"
)

// readers are those of an account for whom the statements differ: one who reads
// everything, one of some positions, and one from whom results are withheld.
func readers(account int64) []store.Reader {
	some := store.Reader{AccountID: account, UserID: 1, Role: typus.RoleMember, Positions: store.Positions{Open: true}}
	blind := some
	blind.Blind = store.Blind{Somewhere: true, Standard: true}
	exempt := store.Reader{AccountID: account, UserID: 1, Role: typus.RoleAdmin, Positions: store.Positions{Everything: true}, Blind: store.Blind{Others: true}}
	return []store.Reader{store.WholeAccount(account), some, blind, exempt}
}

// readByReaders calls everything that reads candidates for a user.
func readByReaders(t testing.TB, s *store.Store, account, id int64) {
	t.Helper()
	ctx := t.Context()
	check := func(_ any, err error) {
		t.Helper()
		if err != nil && typus.KindOf(err) != typus.NotFound {
			t.Fatal(err)
		}
	}
	for _, reader := range readers(account) {
		for _, q := range append(queries(), needs()...) {
			check(s.CandidatePage(ctx, reader, q))
			check(s.WalkedPage(ctx, reader, q))
		}
		check(s.Needing(ctx, reader, store.Needs(), noon, noon))
		check(s.CandidateFor(ctx, reader, id))
		check(s.ResultsToPreview(ctx, reader, 500))
		check(s.CandidateRowsOf(ctx, reader, []int64{id}))
		check(s.ResultFor(ctx, reader, id))
		check(s.ResultsFor(ctx, reader, []int64{id}))
		check(s.RatingsFor(ctx, reader, []int64{id}))
		check(s.Looks(ctx, reader, store.LookQuery{IDs: []int64{id}, Since: noon, Until: noon, Comment: 1}))
		check(s.Tags(ctx, reader))
		check(s.NotesOf(ctx, reader, id))
		check(s.DossierOf(ctx, reader, id))
		check(s.LettersFor(ctx, reader, id))
		check(s.LetterFor(ctx, reader, 1))
		check(s.LastLetterFor(ctx, reader, id, typus.LetterInvitation))
		check(s.AuditFor(ctx, reader, id))
		check(s.DeliveriesAbout(ctx, reader, id, typus.EventCandidateCompleted))
		for _, f := range deliveryFilters() {
			_, _, err := s.DeliveryLog(ctx, reader, f, "dlv_1")
			check(nil, err)
		}
		check(s.DeliveryFor(ctx, reader, "dlv_1"))
		check(s.Ledger(ctx, reader, 0, 10))
		check(s.InterviewsOf(ctx, reader, id))
		check(s.DecisionsOf(ctx, reader, id))
		check(s.CommentsOf(ctx, reader, id))
		check(s.Standings(ctx, reader, []int64{id}))
		check(s.Acknowledgement(ctx, reader, id))
		check(s.NoticeText(ctx, reader, id))
		check(s.PositionFor(ctx, reader, 0))
		check(s.PositionFor(ctx, reader, 1))
		check(s.Positions(ctx, reader))
		check(s.PositionCounts(ctx, reader, []typus.Position{{Standard: true}, {ID: 1}}))
		for _, p := range []typus.Position{{Standard: true}, {ID: 1, Blind: true}} {
			check(s.PositionFigures(ctx, reader, p, noon))
			check(s.NewestOf(ctx, reader, p))
			check(s.CountUnbegun(ctx, reader, p, noon))
		}
	}
}

// positionsInTx calls what is about positions, and what changes a candidate for a user.
func positionsInTx(t testing.TB, tx *store.Tx, account, id, user int64) {
	t.Helper()
	ctx := t.Context()
	check := func(_ any, err error) {
		t.Helper()
		if err != nil && typus.KindOf(err) != typus.NotFound {
			t.Fatal(err)
		}
	}
	position, err := tx.LockStandardPosition(ctx, account, noon)
	check(position, err)
	check(tx.StandardPosition(ctx, account))
	check(nil, tx.SetPositionSecrecy(ctx, position))
	check(nil, tx.SetCoreQuestions(ctx, position, []typus.CoreQuestion{{Key: "co2"}, {Ask: typus.OwnWords{DE: "Was war?"}}}))
	check(tx.CoreQuestions(ctx, account))
	another, err := tx.AddPosition(ctx, typus.Position{AccountID: account, Name: "Vertrieb Nord", State: typus.PositionOpen, CreatedAt: noon})
	check(another, err)
	check(nil, tx.SetPositionLogo(ctx, account, another, typus.Logo{MediaType: "image/png", Hash: "y", Body: []byte{1}}))
	check(nil, tx.NameInPosition(ctx, account, another, user))
	check(nil, tx.SetOnlyNamed(ctx, account, user, false))
	named, err := tx.LockPosition(ctx, account, another, noon)
	check(named, err)
	check(tx.LockPositionFor(ctx, store.WholeAccount(account), another, noon))
	check(tx.SharePosition(ctx, account, another))
	check(tx.CancelOpenOf(ctx, account, another, noon))
	check(tx.Position(ctx, account, another))
	check(tx.PositionsOf(ctx, account, []int64{another}))
	check(tx.PositionByRef(ctx, account, "job-7"))
	check(tx.PositionRefTaken(ctx, typus.Position{AccountID: account, Ref: "job-7"}))
	check(tx.MembersOf(ctx, account, another))
	check(tx.PositionsNaming(ctx, account, user))
	check(nil, tx.UnnameInPosition(ctx, another, user))
	check(tx.CountPositions(ctx, account))
	check(nil, tx.SetPosition(ctx, named))
	check(nil, tx.SetPositionState(ctx, named))
	check(nil, tx.SetResultsRead(ctx, account, user, noon, noon))
	for _, reader := range readers(account) {
		check(tx.LockCandidateFor(ctx, reader, id))
		check(nil, tx.TagCandidate(ctx, reader, id, "Messe"))
		check(nil, tx.UntagCandidate(ctx, reader, id, "Fair"))
	}
	check(tx.OpenUnrated(ctx, id, user, "", noon))
	check(tx.AddDecision(ctx, typus.Decision{CandidateID: id, UserID: user, Stage: typus.StageInterview, CreatedAt: noon}))
	check(tx.LastDecision(ctx, id))
	check(tx.AddComment(ctx, typus.Comment{CandidateID: id, Text: "Stimmt.", Confirmed: "letter", CreatedAt: noon}))
	check(tx.LastComment(ctx, id))
	check(nil, tx.LockCandidates(ctx, account, []int64{id}))
	check(tx.StandingOf(ctx, id))
}
