package dashboard

import (
	"errors"
	"strconv"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// ownPanel is what the page of a candidate says about their own result: who lets them see it,
// and what they ask for.
type ownPanel struct {
	Base     string
	Policy   typus.OwnResultPolicy
	Released time.Time
	By       string
	Opened   time.Time
	Release  bool // the visitor may release it
	Blind    bool // the visitor sees what is asked for, and nothing else
	Requests []ownAsk
}

// ownAsk is a request of the candidate, with the form for an answer.
type ownAsk struct {
	typus.Request
	Label  string
	Again  time.Time // when another test makes sense at the earliest, of a request for one
	Invite string    // address of the form that invites to another test, filled in
	Action string    // where the answer goes, "" where there is none to be given
	Field  *field
}

// Open reports whether something waits for an answer.
func (p ownPanel) Open() bool {
	for _, q := range p.Requests {
		if q.Request.Open() {
			return true
		}
	}
	return false
}

// ownKinds are what candidates ask for, in words.
var ownKinds = map[typus.RequestKind]string{
	typus.RequestResult: "own.kind.result", typus.RequestCorrection: "own.kind.correction", typus.RequestAccess: "own.kind.access",
	typus.RequestErasure: "own.kind.erasure", typus.RequestRetest: "own.kind.retest",
}

// addOwn adds what becomes of the candidate's own result, and warns at the decision while a
// correction waits. Who is blind to the candidate sees none of it but requests, where they
// answer them all the same.
func (f *face) addOwn(v *visit, row store.CandidateRow, about store.Dossier, view *candidateView) {
	if row.Blind && len(about.Requests) == 0 || row.Status != typus.StatusFinished || !v.may(viewer) {
		return
	}
	p := &ownPanel{
		Base: view.Base, Blind: row.Blind, Policy: about.OwnTerms.Or(v.Account.OwnResult).Policy,
		Released: about.Own.ReleasedAt, By: about.Own.ReleasedBy, Opened: about.Own.OpenedAt,
	}
	p.Release = !p.Blind && v.may(member) && p.Policy == typus.OwnResultReleased && p.Released.IsZero()
	for _, q := range about.Requests {
		ask := ownAsk{Request: q, Label: f.say(v, ownKinds[q.Kind])}
		if q.Kind == typus.RequestRetest {
			ask.Again = row.Answered().Add(typus.RetestAfter)
			ask.Invite = invitePath + "?" + paramPosition + "=" + positionParam(typus.Position{ID: row.PositionID}) + "&" + paramLike + "=" + strconv.FormatInt(row.ID, 10)
			if p.Blind { // when they finished is withheld
				ask.Again = q.CreatedAt.Add(typus.RetestAfter)
			}
		}
		if q.Open() && v.may(member) {
			ask.Action = view.Base + "/anfragen/" + strconv.FormatInt(q.ID, 10)
			ask.Field = &field{Name: "antwort-" + strconv.FormatInt(q.ID, 10), Label: "own.answer", Hint: "own.answerHint", Rows: 3}
		}
		if q.Open() && q.Kind == typus.RequestCorrection && view.Decision != nil {
			view.Decision.Correction = true
		}
		p.Requests = append(p.Requests, ask)
	}
	view.Own = p
}

// releaseOwn lets the candidate see their result.
func (f *face) releaseOwn(v *visit, c typus.Candidate) error {
	if c.Status != typus.StatusFinished {
		return f.undone(v, candidatePath(c.ID), f.say(v, "own.noResult"))
	}
	err := f.Steps.ReleaseOwn(v.Context(), v.Reader, c.ID, v.actor())
	switch {
	case hindered(err, assess.ObstacleTerms):
		return f.undone(v, candidatePath(c.ID), f.say(v, "own.notReleasable"))
	case err != nil:
		return err
	}
	return f.done(v, candidatePath(c.ID), f.say(v, "own.isReleased"))
}

// answerOwn answers a request of the candidate. What cannot be kept stays in the form.
func (f *face) answerOwn(v *visit, c typus.Candidate) error {
	if c.Blind && !v.Reader.AnswersBlind() {
		return f.goOn(v, candidatePath(c.ID))
	}
	id, err := strconv.ParseInt(v.PathValue("anfrage"), 10, 64)
	if err != nil {
		return typus.Errorf(typus.NotFound, "there is no such request")
	}
	text := v.PostFormValue("antwort-" + v.PathValue("anfrage"))
	err = f.Steps.AnswerRequest(v.Context(), v.Reader, typus.Request{ID: id, CandidateID: c.ID, Answer: text}, v.actor())
	switch {
	case err == nil:
		return f.done(v, candidatePath(c.ID), f.say(v, "own.isAnswered"))
	case hindered(err, assess.CodeAnswered):
		return f.undone(v, candidatePath(c.ID), f.say(v, "own.answeredBefore"))
	case !typus.Is(err, typus.Invalid):
		return err
	}
	return f.again(v, c, func(view *candidateView) {
		if view.Own == nil {
			return
		}
		for _, q := range view.Own.Requests {
			if q.ID == id && q.Field != nil {
				q.Field.Value = text
				q.Field.Fault = f.faultOf(v, err)
				f.sum(&view.frame, v, q.Field)
			}
		}
	})
}

// faultOf is the first fault of an error of kind Invalid in words.
func (f *face) faultOf(v *visit, err error) string {
	invalid, is := errors.AsType[*typus.Error](err)
	if !is || len(invalid.Fields) == 0 {
		return f.say(v, "fault.form")
	}
	return f.faultText(v, invalid.Fields[0])
}
