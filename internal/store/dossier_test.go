package store_test

import (
	"fmt"
	"reflect"
	"testing"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// What one statement reads about a candidate is what the statements read that it is made of,
// for every reader.
func TestADossierHoldsWhatItsPartsHold(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w, ctx := newReachWorld(t, s), t.Context()
		id := w.candidates["standard"]
		begin(t, s, w.account, id)
		finish(t, s, w.account, id, noon)
		mark := 4
		write(t, s, func(tx *store.Tx) error {
			p, err := tx.LockStandardPosition(ctx, w.account, noon)
			p.Blind = true
			for i := range 3 {
				_, noteErr := tx.AddNote(ctx, typus.Note{AccountID: w.account, CandidateID: id, UserID: int64(i), Author: "a", Body: fmt.Sprint("12\n", i), CreatedAt: noon})
				_, letterErr := tx.AddLetter(ctx, typus.Letter{AccountID: w.account, CandidateID: id, Kind: typus.LetterInvitation, To: "kim@example.com", CreatedAt: noon})
				for _, e := range []error{
					err, noteErr, letterErr,
					tx.TagCandidate(ctx, store.WholeAccount(w.account), id, fmt.Sprint("tag", 3-i)),
					tx.AddAudit(ctx, typus.AuditEntry{AccountID: w.account, CandidateID: id, UserID: 7, Action: "note.deleted", Actor: "7", Detail: fmt.Sprint(i), CreatedAt: noon}),
					tx.PutRating(ctx, id, store.Rating{UserID: 7, Question: fmt.Sprint("co", i), Mark: &mark, Note: "Ü \" '", SavedAt: noon}),
				} {
					if e != nil {
						return e
					}
				}
			}
			_, err = tx.AddDecision(ctx, typus.Decision{CandidateID: id, UserID: 7, Author: "a", Stage: typus.StageInterview, Text: "warum", CreatedAt: noon})
			comment, commentErr := tx.AddComment(ctx, typus.Comment{CandidateID: id, UserID: 7, Author: "a", Text: "Stimmt.\n", Confirmed: "email", CreatedAt: noon})
			viewErr := tx.AddAudit(ctx, typus.AuditEntry{AccountID: w.account, CandidateID: id, UserID: 8, Action: typus.AuditCommentRead, Actor: "8", Detail: fmt.Sprint(comment), CreatedAt: noon})
			for _, e := range []error{err, commentErr, viewErr, tx.SetPositionSecrecy(ctx, p), tx.SetRated(ctx, id, 7, noon),
				tx.SetCoreQuestions(ctx, p, []typus.CoreQuestion{{Key: "co2"}, {Ask: typus.OwnWords{DE: "Was \" ' ?"}}})} {
				if e != nil {
					return e
				}
			}
			_, err = tx.AddEvent(ctx, typus.Event{ID: unique("evt_"), AccountID: w.account, Type: typus.EventCandidateCompleted, CandidateID: id, OccurredAt: noon, Payload: []byte("{}")}, func() string { return unique("dlv_") })
			return err
		})
		for _, reader := range []store.Reader{w.reader(typus.RoleOwner, false), w.reader(typus.RoleMember, false), w.reader(typus.RoleMember, true, "named")} {
			got := must[store.Dossier](t)(s.DossierOf(ctx, reader, id))
			want := store.Dossier{
				Audit: must[[]typus.AuditEntry](t)(s.AuditFor(ctx, reader, id)), Letters: must[[]typus.Letter](t)(s.LettersFor(ctx, reader, id)),
				Notes: must[[]typus.Note](t)(s.NotesOf(ctx, reader, id)), Ratings: must[[]store.Rating](t)(s.RatingsOf(ctx, reader, id)),
				Interviews: must[[]store.Interview](t)(s.InterviewsOf(ctx, reader, id)), Decisions: must[[]typus.Decision](t)(s.DecisionsOf(ctx, reader, id)),
				Questions: must[[]typus.CoreQuestion](t)(s.CoreQuestions(ctx, w.account)), Comments: must[[]typus.Comment](t)(s.CommentsOf(ctx, reader, id)),
				Deliveries: must[[]store.DeliveryTo](t)(s.DeliveriesAbout(ctx, reader, id, typus.EventCandidateCompleted)), Tags: must[[]string](t)(s.Tags(ctx, reader)),
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("a %s reads\n%+v\nin one statement and\n%+v\nin several", reader.Role, got, want)
			}
		}
	})
}
