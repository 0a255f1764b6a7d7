package dashboard

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"typus"
)

// letterLogView is what became of the letters of the account.
type letterLogView struct {
	frame
	Filters  []chip
	Filter   string
	Letters  []letterRow
	Filtered bool   // not all letters are asked for
	Older    string // the next page, "" for none
	Here     string // this page, to come back to
}

// letterRow is one letter.
type letterRow struct {
	ID        int64
	Kind      string // text key
	To        string
	Candidate int64  // 0 for letters that are about nobody
	State     string // text key
	Class     string // of the badge
	Perhaps   bool   // it may have arrived
	Code      int    // of the mail server, 0 for none or where the reason says it
	Reason    string
	Said      string    // by the mail server, behind the reason, in its own words
	At        time.Time // when it was written
	Next      time.Time // when it goes out or is tried again; zero: not by itself
	NextIs    string    // text key: which of the two
	Attempts  int
	Retry     bool
}

// Template names the page.
func (letterLogView) Template() string { return "letter_log" }

// letterFilters are the filters of the log, by their name in the address.
var letterFilters = []struct {
	slug, name string // name is a text key
	filter     typus.LetterStand
}{
	{"", "letters.log.all", ""},
	{"wartet", "letters.state.waiting", typus.LetterStandWaiting},
	{"verzoegert", "letters.state.deferred", typus.LetterStandDeferred},
	{"zurueckgestellt", "letters.state.postponed", typus.LetterStandPostponed},
	{"nicht-gesendet", "letters.state.held", typus.LetterStandHeld},
	{"ungewiss", "letters.log.uncertain", typus.LetterStandUncertain},
	{"unzustellbar", "letters.state.bounced", typus.LetterStandBounced},
	{"gesendet", "letters.state.sent", typus.LetterStandSent},
}

var letterKindNames = map[typus.LetterKind]string{
	typus.LetterInvitation:     "letters.kind.invitation",
	typus.LetterReminder:       "letters.kind.reminder",
	typus.LetterReceipt:        "letters.kind.receipt",
	typus.LetterCompleted:      "letters.kind.completed",
	typus.LetterDigest:         "letters.kind.digest",
	typus.LetterLinkRequested:  "letters.kind.linkRequested",
	typus.LetterOwnAsked:       "own.letter.asked",
	typus.LetterOwnCode:        "own.letter.code",
	typus.LetterOwnReleased:    "own.letter.released",
	typus.LetterOwnAnswered:    "own.letter.answered",
	typus.LetterWebhookFailing: "letters.kind.webhookFailing",
	typus.LetterWebhookGivenUp: "letters.kind.webhookGivenUp",
	typus.LetterWebhookOff:     "letters.kind.webhookOff",
	typus.LetterCreditsLow:     "letters.kind.creditsLow",
	typus.LetterCreditsEmpty:   "letters.kind.creditsEmpty",
	typus.LetterCreditsRefused: "letters.kind.creditsRefused",
	typus.LetterTeamInvitation: "letters.kind.teamInvitation",
	typus.LetterPasswordReset:  "letters.kind.passwordReset",
	typus.LetterEmailChange:    "letters.kind.emailChange",
	typus.LetterEmailChanged:   "letters.kind.emailChanged",
	typus.LetterEmailMoved:     "letters.kind.emailChanged",
	typus.LetterSignUp:         "letters.kind.signup",
	typus.LetterEnrolment:      "link.letter",

	typus.LetterEmailRestored:   "letters.kind.emailRestored",
	typus.LetterPasswordChanged: "letters.kind.passwordChanged",
	typus.LetterTOTPOn:          "letters.kind.totpOn",
	typus.LetterTOTPOff:         "letters.kind.totpOff",
	typus.LetterTOTPReset:       "letters.kind.totpReset",
	typus.LetterRecoveryCodes:   "letters.kind.recoveryCodes",
}

// lettersPerPage is how many letters the log shows at once.
const lettersPerPage = 50

func (f *face) letterLog(v *visit) error {
	asked, before := v.URL.Query().Get("status"), position(v, "vor")
	chosen := letterFilters[0]
	for _, c := range letterFilters {
		if c.slug == asked {
			chosen = c
		}
	}
	letters, err := f.Store.LetterLog(v.Context(), v.Reader, chosen.filter, before, lettersPerPage+1)
	if err != nil {
		return err
	}
	if len(letters) == 0 && before != 0 { // whatever stood on this page is gone
		return f.goOn(v, letterLogPath(chosen.slug, 0))
	}
	view := letterLogView{
		frame: f.settingsFrame(v, sectionLetters), Filter: chosen.name, Filtered: chosen.filter != "" || before > 0,
		Here: letterLogPath(chosen.slug, before),
	}
	if !v.Account.IsWorld() {
		view.Crumbs = []crumb{{Label: "shell.messages", Path: messagesPath}, {Label: "letters.title", Path: lettersPath}}
	}
	for _, c := range letterFilters {
		view.Filters = append(view.Filters, chip{Label: c.name, Path: letterLogPath(c.slug, 0), Current: c == chosen})
	}
	if len(letters) > lettersPerPage {
		letters = letters[:lettersPerPage]
		view.Older = letterLogPath(chosen.slug, letters[lettersPerPage-1].ID)
	}
	for _, l := range letters {
		view.Letters = append(view.Letters, f.letterRow(v, l))
	}
	return f.render(v, http.StatusOK, view)
}

// letterLogPath is the log of one filter, of the letters before an id, 0 for the newest.
func letterLogPath(slug string, before int64) string {
	q := url.Values{}
	if slug != "" {
		q.Set("status", slug)
	}
	if before != 0 {
		q.Set("vor", strconv.FormatInt(before, 10))
	}
	return listPath(logPath, q)
}

func (f *face) letterRow(v *visit, l typus.Letter) letterRow {
	row := letterRow{
		ID: l.ID, Kind: letterKindNames[l.Kind], To: l.To, Candidate: l.CandidateID, Code: l.LastCode,
		At: l.CreatedAt, Attempts: l.Attempts,
	}
	idle := waitsForAccount(v, l)
	row.Reason, row.Said = f.whyNot(v, l)
	if strings.Contains(row.Said, strconv.Itoa(row.Code)) {
		row.Code = 0 // said already
	}
	row.State, row.Class = letterState(l)
	row.Perhaps = l.Stand() == typus.LetterStandUncertain
	switch {
	case idle: // nobody knows when
	case l.Stand() == typus.LetterStandPostponed:
		row.Next, row.NextIs = l.HeldUntil, "letters.log.goesOut"
	case l.State == typus.LetterQueued && l.Attempts > 0:
		row.Next, row.NextIs = l.NextAttemptAt, "letters.log.next"
	case l.State == typus.LetterQueued && l.NextAttemptAt.After(f.now()):
		row.Next, row.NextIs = l.NextAttemptAt, "letters.log.goesOut"
	}
	row.Retry = l.WorthRetrying() && !sentLater(v, l.Kind)
	return row
}

// sentLater reports whether letters of a kind do not go out while the account is suspended as
// it is.
func sentLater(v *visit, kind typus.LetterKind) bool {
	return v.Account.Suspended() && !kind.NeededAlways()
}

// waitsForAccount reports whether a letter goes out by itself once the account is no longer
// suspended.
func waitsForAccount(v *visit, l typus.Letter) bool {
	return sentLater(v, l.Kind) && (l.State == typus.LetterQueued || !l.HeldUntil.IsZero())
}

// letterState is the state of a letter in words, and the class of its badge.
func letterState(l typus.Letter) (string, string) {
	switch l.Stand() {
	case typus.LetterStandSent:
		return "letters.state.sent", "badge-good"
	case typus.LetterStandBounced:
		return "letters.state.bounced", "badge-bad"
	case typus.LetterStandUncertain:
		return "letters.log.uncertain", "badge-warn"
	case typus.LetterStandPostponed:
		return "letters.state.postponed", "badge-warn"
	case typus.LetterStandHeld:
		return "letters.state.held", "badge-warn"
	case typus.LetterStandDeferred:
		return "letters.state.deferred", "badge-warn"
	}
	return "letters.state.waiting", "badge-soft"
}

// letterReasons are our own words about a letter, with their text keys. What a mail
// server said is shown after them, unchanged.
var letterReasons = []struct{ said, key string }{
	{typus.NotSentFinished, "letters.reason.finished"},
	{typus.NotSentCancelled, "letters.reason.cancelled"},
	{typus.NotSentDeclined, "letters.reason.declined"},
	{typus.NotSentExpired, "letters.reason.expired"},
	{typus.NotSentUnwanted, "letters.reason.unwanted"},
	{typus.NotSentLinkWorks, "letters.reason.extended"},
	{typus.NotSentNobody, "letters.reason.nobody"},
	{typus.NotSentWebhooksOn, "letters.reason.webhooksOn"},
	{typus.NotSentWebhooksWork, "letters.reason.webhooksWork"},
	{typus.NotSentWebhookDeleted, "letters.reason.webhookGone"},
	{typus.NotSentLinkOver, "letters.reason.linkOver"},
	{typus.NotSentCodeOver, "own.letter.codeOver"},
	{typus.NotSentAccepted, "letters.reason.accepted"},
	{typus.NotSentUserGone, "letters.reason.userGone"},
	{typus.NotSentOutOfReach, "letters.reason.outOfReach"},
	{typus.NotSentCreditsEmpty, "letters.reason.creditsEmpty"},
	{typus.NotSentCreditsAgain, "letters.reason.creditsAgain"},
	{typus.FailedAddress, "letters.reason.address"},
	{typus.FailedUnreachable, "letters.reason.unreachable"},
	{typus.FailedTurnedAway, "letters.reason.turnedAway"},
	{typus.FailedNoEncryption, "letters.reason.noEncryption"},
	{typus.FailedLoginRefused, "letters.reason.login"},
	{typus.FailedSender, "letters.reason.sender"},
	{typus.FailedRecipient, "letters.reason.recipient"},
	{typus.FailedLetter, "letters.reason.refused"},
	{typus.FailedSilent, "letters.reason.silent"},
	{typus.FailedUnencrypted, "letters.reason.unencrypted"},
	{typus.FailedLogin, "letters.reason.loginFailed"},
	{typus.FailedBrokenOff, "letters.reason.brokenOff"},
	{typus.FailedNoAnswer, "letters.reason.noAnswer"},
	{typus.Unknown, "letters.reason.unknown"},
	{typus.FailedReturned, "letters.reason.returned"},
	{typus.FailedOurs, "letters.reason.ours"},
}

// whyNot says why a letter has not gone out yet or never will, or "" if nothing is
// known to be wrong. said is what the mail server said, in its own words.
func (f *face) whyNot(v *visit, l typus.Letter) (reason, said string) {
	switch {
	case waitsForAccount(v, l):
		return f.say(v, "letters.reason.suspended"), ""
	case !l.HeldUntil.IsZero():
		return f.say(v, "letters.reason.perDay"), ""
	}
	// Our reason for not sending a letter no longer counts once a person sends it
	// again.
	if l.State != typus.LetterHeld && strings.HasPrefix(l.LastError, typus.NotSent) {
		return "", ""
	}
	return f.letterReason(v, l.LastError)
}

// letterReason says in the reader's language why a letter did not go out. rest is the
// part for which we have no text, unchanged.
func (f *face) letterReason(v *visit, said string) (reason, rest string) {
	for _, known := range letterReasons {
		if rest, ok := strings.CutPrefix(said, known.said); ok {
			return f.say(v, known.key), strings.TrimPrefix(rest, ": ")
		}
	}
	return "", said
}

// retryLetter sends a letter again; while the account is suspended only one that goes out all
// the same.
func (f *face) retryLetter(v *visit) error {
	id, err := pathID(v)
	if err != nil {
		return err
	}
	if v.Account.Suspended() {
		l, err := f.Store.LetterFor(v.Context(), v.Reader, id)
		if err != nil {
			return err
		}
		if sentLater(v, l.Kind) {
			return f.suspended(v)
		}
	}
	back := ownPath(v.PostFormValue("seite"))
	if !strings.HasPrefix(back, logPath) {
		back = logPath
	}
	err = f.Steps.RetryLetter(v.Context(), v.Reader, id, v.actor())
	if typus.Is(err, typus.Conflict) {
		return f.undone(v, back, f.say(v, "letters.log.retriedNot"))
	}
	if err != nil {
		return err
	}
	return f.done(v, back, f.say(v, "letters.log.retried"))
}
