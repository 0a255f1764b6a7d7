package dashboard

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"typus"
	"typus/internal/store"
)

// event is one line of the timeline.
type event struct {
	At     time.Time
	Text   string
	Detail string // why; "" for nothing to say
	Said   string // by the mail server, behind the detail, in its own words
	Log    string // the page that says more, "" for none or for who may not open it
	Bad    bool
}

// letterEvents name the letters by kind and by what became of them.
var letterEvents = map[typus.LetterKind]struct{ sent, failed, held, uncertain string }{
	typus.LetterInvitation:  {"candidate.event.invitationSent", "candidate.event.invitationFailed", "candidate.event.invitationHeld", "candidate.event.invitationUncertain"},
	typus.LetterReminder:    {"candidate.event.reminderSent", "candidate.event.reminderFailed", "candidate.event.reminderHeld", "candidate.event.reminderUncertain"},
	typus.LetterReceipt:     {"candidate.event.receiptSent", "candidate.event.receiptFailed", "candidate.event.receiptHeld", "candidate.event.receiptUncertain"},
	typus.LetterOwnCode:     {"own.event.codeSent", "own.event.codeFailed", "own.event.codeHeld", "own.event.codeUncertain"},
	typus.LetterOwnReleased: {"own.event.releasedSent", "own.event.releasedFailed", "own.event.releasedHeld", "own.event.releasedUncertain"},
	typus.LetterOwnAnswered: {"own.event.answeredSent", "own.event.answeredFailed", "own.event.answeredHeld", "own.event.answeredUncertain"},
}

// auditEvents name the actions of the audit log that the timeline shows. Other actions
// show elsewhere on the page, or by what follows from them.
var auditEvents = map[typus.AuditAction]string{
	typus.AuditCandidateCancelled:          "candidate.event.cancelled",
	typus.AuditCandidateExtended:           "candidate.event.extended",
	typus.AuditCandidateCorrected:          "candidate.event.corrected",
	typus.AuditCandidateReminded:           "candidate.event.reminded",
	typus.AuditCandidateInvitationResent:   "candidate.event.resent",
	typus.AuditCandidateDeclined:           "candidate.event.declined",
	typus.AuditCandidateExpired:            "candidate.event.expired",
	typus.AuditCandidateLinkRequested:      "candidate.event.linkRequested",
	typus.AuditCandidateRemindersOff:       "candidate.event.remindersOff",
	typus.AuditCandidateFinishedByOperator: "candidate.event.finishedByOperator",
	typus.AuditReportViewed:                "candidate.event.viewed",
	typus.AuditReportViewedBeforeRating:    "blind.event.early",
	typus.AuditReportSaved:                 "pdf.event.saved",
	typus.AuditReportOpenedWithoutRating:   "blind.event.unrated",
	typus.AuditReportOpened:                "report.event.opened",
	typus.AuditCandidateCommented:          "comment.event",
	typus.AuditNoteDeleted:                 "candidate.event.noteDeleted",
	typus.AuditOwnReleased:                 "own.event.released",
	typus.AuditOwnAsked:                    "own.event.asked",
	typus.AuditOwnEntered:                  "own.event.entered",
	typus.AuditOwnAnswered:                 "own.event.answered",
	typus.AuditPersonCopied:                "person.event.copied",
	typus.AuditInterviewRated:              "guide.event.rated",
	typus.AuditInterviewChanged:            "guide.event.changed",
	typus.AuditInterviewRatedEarly:         "guide.event.ratedEarly",
}

// timeline tells what happened to a test, newest first.
func (f *face) timeline(v *visit, c typus.Candidate, about store.Dossier) []event {
	t := timeline{f: f, v: v, reasons: map[int64]string{}}
	for _, i := range about.Interviews {
		t.reasons[i.UserID] = i.Reason
	}
	// Events of the same time stay in the order in which they are collected.
	first, later := firstLetters(c, about.Letters)
	t.invited(c, about.Audit)
	t.letters(first)
	t.steps(c)
	t.audit(about.Audit)
	t.letters(later)
	t.deliveries(about.Deliveries)
	slices.Reverse(t.events)
	slices.SortStableFunc(t.events, func(a, b event) int { return b.At.Compare(a.At) })
	return t.events
}

// timeline collects events.
type timeline struct {
	f       *face
	v       *visit
	events  []event
	reasons map[int64]string // why users opened the result without ratings
}

func (t *timeline) add(at time.Time, key string, pairs ...any) *event {
	t.events = append(t.events, event{At: at, Text: t.f.say(t.v, key, pairs...)})
	return &t.events[len(t.events)-1]
}

// firstLetters parts the letters that were written with the invitation from those
// that followed.
func firstLetters(c typus.Candidate, letters []typus.Letter) (first, later []typus.Letter) {
	for _, l := range letters {
		if l.Kind == typus.LetterInvitation && l.CreatedAt.Equal(c.CreatedAt) {
			first = append(first, l)
		} else {
			later = append(later, l)
		}
	}
	return first, later
}

// invited says who invited, which is in the audit log if it was a user, or that somebody came
// by a public link.
func (t *timeline) invited(c typus.Candidate, audit []typus.AuditEntry) {
	if slices.ContainsFunc(audit, func(a typus.AuditEntry) bool { return a.Action == typus.AuditCandidateEnrolled }) {
		t.add(c.CreatedAt, "link.event")
		return
	}
	i := slices.IndexFunc(audit, func(a typus.AuditEntry) bool { return a.Action == typus.AuditCandidateInvited })
	if i >= 0 {
		t.add(c.CreatedAt, "candidate.event.invitedBy", "Actor", t.called(audit[i].Actor))
	} else {
		t.add(c.CreatedAt, "candidate.event.invited")
	}
}

// steps are what the candidate did.
func (t *timeline) steps(c typus.Candidate) {
	if !c.StartedAt.IsZero() {
		t.add(c.StartedAt, "candidate.event.started")
	}
	switch {
	case c.TakenOver():
		t.add(c.CompletedAt, "candidate.event.takenOver", "Date", t.f.dayOf(t.v, c.AnsweredAt))
	case !c.CompletedAt.IsZero():
		t.add(c.CompletedAt, "candidate.event.completed")
	}
}

// audit tells what the team did. Who looked at the report is told once a day.
func (t *timeline) audit(entries []typus.AuditEntry) {
	looked := map[string]bool{}
	for _, a := range entries {
		key := auditEvents[a.Action]
		look := fmt.Sprint(a.Actor, t.v.Account.DayOf(a.CreatedAt))
		if key == "" || a.Action == typus.AuditReportViewed && looked[look] {
			continue
		}
		looked[look] = looked[look] || a.Action == typus.AuditReportViewed
		e := t.add(a.CreatedAt, key, "Actor", t.called(a.Actor), "Detail", t.detail(a))
		if a.Action == typus.AuditReportOpenedWithoutRating {
			e.Detail = t.reasons[a.UserID]
		}
	}
}

// detail is the detail of an audit line as it stands in a sentence.
func (t *timeline) detail(a typus.AuditEntry) string {
	switch a.Action {
	case typus.AuditCandidateExtended:
		return t.f.dayInWords(t.v, a.Detail)
	case typus.AuditCandidateCorrected:
		return t.f.correctedInWords(t.v, a.Detail)
	}
	return a.Detail
}

// called is who did something, in the reader's language where it was no user.
func (t *timeline) called(actor string) string {
	switch actor {
	case typus.ActorOperator:
		return t.f.say(t.v, "candidate.actor.operator")
	case typus.ActorCandidate:
		return t.f.say(t.v, "candidate.actor.candidate")
	case typus.ActorServer:
		return t.f.say(t.v, "candidate.actor.server")
	}
	if key, found := strings.CutPrefix(actor, "api key "); found {
		if said, err := t.f.pages.Text(t.v.lang, "candidate.actor.key", "Key", key); err == nil {
			return said
		}
	}
	return actor
}

func (t *timeline) letters(list []typus.Letter) {
	for _, l := range list {
		keys, told := letterEvents[l.Kind]
		if !told {
			continue
		}
		var e *event
		switch l.Stand() {
		case typus.LetterStandSent:
			t.add(l.SentAt, keys.sent, "To", l.To)
			continue
		case typus.LetterStandBounced:
			e = t.add(l.CreatedAt, keys.failed, "To", l.To)
			e.Bad = true
		case typus.LetterStandUncertain:
			e = t.add(l.SentAt, keys.uncertain, "To", l.To)
		case typus.LetterStandHeld:
			e = t.add(l.CreatedAt, keys.held)
		default:
			e = t.add(l.CreatedAt, "candidate.event.letterWaits")
		}
		e.Detail, e.Said = t.f.whyNot(t.v, l)
	}
}

// deliveries tell which receivers have the result. An address may hold a secret
// in its path, so the host is all that is shown.
func (t *timeline) deliveries(list []store.DeliveryTo) {
	for _, d := range list {
		if e := t.delivery(d); e != nil && t.v.may(admin) {
			e.Log = deliveryPath(d.ID)
		}
	}
}

// delivery adds a delivery; nil where there is nothing to say.
func (t *timeline) delivery(d store.DeliveryTo) *event {
	host := typus.Endpoint{URL: d.URL}.Host()
	switch d.State {
	case typus.DeliveryDelivered:
		return t.add(d.FinishedAt, "candidate.event.delivered", "Host", host)
	case typus.DeliveryExhausted:
		e := t.add(d.FinishedAt, "candidate.event.notDelivered", "Host", host)
		e.Bad = true
		return e
	case typus.DeliveryPending, typus.DeliverySending, typus.DeliveryHeld:
		return t.add(d.OccurredAt, "candidate.event.delivering", "Host", host)
	case typus.DeliveryCancelled:
	}
	return nil
}
