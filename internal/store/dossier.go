package store

import (
	"context"
	"slices"

	"typus"
	"typus/internal/db"
)

// Dossier is what stands about a candidate beside their row and their result, as a user
// reads it. To who is blind to the candidate it says nothing of what others made of the
// result, nor when the test was begun and completed.
type Dossier struct {
	Audit      []typus.AuditEntry   // the newest 200 lines, oldest first
	Letters    []typus.Letter       // the newest 200, oldest first
	Notes      []typus.Note         // at most MaxNotes, newest first
	Ratings    []Rating             // as RatingsOf
	Interviews []Interview          // as InterviewsOf
	Decisions  []typus.Decision     // newest first
	Questions  []typus.CoreQuestion // as CoreQuestions
	Comments   []typus.Comment      // newest version first
	Deliveries []DeliveryTo         // where the result was sent, by endpoint
	Own        typus.OwnResult      // what became of the candidate's own result
	Requests   []typus.Request      // of the candidate to the team, newest first
	OwnTerms   typus.OwnResultTerms // of the candidate's position, the zero ones where it says nothing
	Earlier    []Earlier            // as EarlierOf
	Tags       []string             // of the account, by name, at most 200; none for who reads a part of it, or is blind somewhere
	Keeping    typus.Keeping        // how long the candidate is kept; nothing for who is blind to them
	Viewed     bool                 // the user has looked at the result before, however long ago
	Opened     bool                 // the user wanted to see figures of a result that should not be interpreted
}

// DossierOf reads what stands about a candidate with one statement: a page has many parts,
// and to ask for each of them takes longer than to find it. A list that is added here gets
// its statement, which others may run alone, and a line below.
func (r *reads) DossierOf(ctx context.Context, reader Reader, candidateID int64) (Dossier, error) {
	var (
		d     Dossier
		reads []commentRead
		seen  []int64
		own   []typus.OwnResult
		terms []typus.OwnResultTerms
		keep  []typus.Keeping
	)
	b := bundle{StatementBuilder: reader.statement()}
	b.Set("id", candidateID)
	b.Set("type", typus.EventCandidateCompleted)
	b.list(auditColumns, reader.auditFor(), into(&d.Audit, scanAudit))
	b.list(letterColumns, reader.lettersFor(), into(&d.Letters, scanLetter))
	b.list(noteColumns, reader.notesOf(), into(&d.Notes, scanNote))
	b.list(ratingColumns, reader.ratingsOf(`= :id`), into(&d.Ratings, scanRating))
	b.list(interviewColumns, reader.interviewsOf(), into(&d.Interviews, scanInterview))
	b.list(questionColumns, questionsOfAccount, into(&d.Questions, scanQuestion))
	b.list(decisionColumns, reader.decisionsOf(), into(&d.Decisions, scanDecision))
	b.list(commentColumns, reader.commentsOf(), into(&d.Comments, scanComment))
	b.list(commentReadColumns, reader.commentReads(), into(&reads, scanCommentRead))
	b.list(deliveryToColumns, reader.deliveriesAbout(), into(&d.Deliveries, scanDeliveryTo))
	b.list(ownColumns, reader.ownResultFor(), into(&own, scanOwnResult))
	b.list(`own_result, own_result_reason`, reader.ownTermsFor(), into(&terms, scanTerms))
	b.list(requestColumns, reader.requestsFor(), into(&d.Requests, scanRequest))
	b.list(earlierColumns, reader.earlierFor(), into(&d.Earlier, scanEarlier))
	if reader.proposesTags() {
		b.list(`tag`, tagsOfAccount, into(&d.Tags, db.ScanText))
	}
	b.list(`decided_at, closed_at, keep_until, keep_reason`, reader.keepingFor(), into(&keep, scanKeeping))
	b.list(`1`, lookedAt, into(&seen, db.ScanInt))
	err := b.read(ctx, r)
	for _, action := range seen {
		d.Viewed, d.Opened = d.Viewed || action == 1, d.Opened || action == 2
	}
	for _, o := range own {
		d.Own = o
	}
	for _, t := range terms {
		d.OwnTerms = t
	}
	for _, k := range keep {
		d.Keeping = k
	}
	withReads(d.Comments, reads)
	slices.Reverse(d.Audit)
	slices.Reverse(d.Letters)
	slices.Sort(d.Tags)
	return d, err
}

// lookedAt says by numbers what the user has done with the result: 1, they have looked at
// it; 2, they wanted to see figures all the same.
const lookedAt = `
	select case when exists (
		select 1 from audit_log where account_id` + db.OffIndex + ` = :account and candidate_id = :id and user_id = :user and action in ` + viewed + `) then 1 else 0 end
	union all
	select case when exists (
		select 1 from audit_log where account_id` + db.OffIndex + ` = :account and candidate_id = :id and user_id = :user
			and action = '` + string(typus.AuditReportOpened) + `') then 2 else 0 end`
