package dashboard

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/roster"
	"typus/internal/store"
)

const (
	auditRows = 50
	auditPage = 1000 // rows that an export reads at once
)

// auditView shows who did what, when and from where.
type auditView struct {
	frame
	Rows           []auditRow
	Action, Person field
	Filtered       bool
	Older          string // address of the next page, "" for none
	Newest         string // address of the first page, "" on it
	CSV            string // address of the export
}

// Template names the page.
func (auditView) Template() string { return "audit" }

// auditRow is one line of the log.
type auditRow struct {
	At        time.Time
	Who, What string
	Code      string // of the action, as the export has it
	Detail    string
	IP        string
	Candidate int64
	Name      string // of the candidate, "" when there is none any more
}

// actionTexts say in words what is done. An action that is missing here is shown
// as it is stored.
var actionTexts = map[typus.AuditAction]string{
	typus.AuditAccountSetUp:                "audit.accountSetUp",
	typus.AuditAccountSignedUp:             "audit.accountSignedUp",
	typus.AuditUserCreated:                 "audit.userCreated",
	typus.AuditUserInvited:                 "audit.userInvited",
	typus.AuditUserLinkMade:                "audit.userLinkMade",
	typus.AuditUserJoined:                  "audit.userJoined",
	typus.AuditUserRoleChanged:             "audit.userRoleChanged",
	typus.AuditUserReachChanged:            "audit.userReachChanged",
	typus.AuditUserRemoved:                 "audit.userRemoved",
	typus.AuditUserRenamed:                 "audit.userRenamed",
	typus.AuditUserLoggedIn:                "audit.userLoggedIn",
	typus.AuditUserLoginFailed:             "audit.userLoginFailed",
	typus.AuditUserPasswordWrong:           "audit.userPasswordWrong",
	typus.AuditUserLoggedOut:               "audit.userLoggedOut",
	typus.AuditUserCodeFailed:              "audit.userCodeFailed",
	typus.AuditUserSessionEnded:            "audit.userSessionEnded",
	typus.AuditUserSessionsEnded:           "audit.userSessionsEnded",
	typus.AuditUserPasswordForgotten:       "audit.userPasswordForgotten",
	typus.AuditUserPasswordSet:             "audit.userPasswordSet",
	typus.AuditUserPasswordChanged:         "audit.userPasswordChanged",
	typus.AuditUserEmailChangeAsked:        "audit.userEmailChangeAsked",
	typus.AuditUserEmailChanged:            "audit.userEmailChanged",
	typus.AuditUserEmailRestored:           "audit.userEmailRestored",
	typus.AuditUserTOTPReset:               "audit.userTOTPReset",
	typus.AuditUserTOTPOn:                  "audit.userTOTPOn",
	typus.AuditUserTOTPOff:                 "audit.userTOTPOff",
	typus.AuditUserRecoveryCodesMade:       "audit.userRecoveryCodesMade",
	typus.AuditUserRecoveryCodeUsed:        "audit.userRecoveryCodeUsed",
	typus.AuditKeyCreated:                  "audit.keyCreated",
	typus.AuditKeyRevoked:                  "audit.keyRevoked",
	typus.AuditWebhookCreated:              "audit.webhookCreated",
	typus.AuditWebhookDeleted:              "audit.webhookDeleted",
	typus.AuditCandidateFinishedByOperator: "audit.candidateFinishedByOperator",
	typus.AuditCandidateCancelled:          "candidates.audit.cancelled",
	typus.AuditCandidateExtended:           "candidates.audit.extended",
	typus.AuditCandidateCorrected:          "candidates.audit.corrected",
	typus.AuditCandidateReminded:           "candidates.audit.reminded",
	typus.AuditCandidateInvitationResent:   "candidates.audit.resent",
	typus.AuditCandidateDeclined:           "candidates.audit.declined",
	typus.AuditCandidateCommented:          "comment.audit.written",
	typus.AuditCommentRead:                 "comment.audit.read",
	typus.AuditOwnReleased:                 "own.audit.released",
	typus.AuditOwnAsked:                    "own.audit.asked",
	typus.AuditOwnEntered:                  "own.audit.entered",
	typus.AuditOwnAnswered:                 "own.audit.answered",
	typus.AuditOwnTerms:                    "own.audit.terms",
	typus.AuditPositionOwn:                 "own.audit.position",
	typus.AuditPersonCopied:                "person.audit.copied",
	typus.AuditCandidateDecided:            "decision.audit.decided",
	typus.AuditCandidateErased:             "candidates.audit.erased",
	typus.AuditCandidatesExported:          "candidates.audit.exported",
	typus.AuditReportSaved:                 "pdf.audit.saved",
	typus.AuditReportViewed:                "candidates.audit.viewed",
	typus.AuditReportViewedBeforeRating:    "blind.audit.early",
	typus.AuditReportOpenedWithoutRating:   "blind.audit.unrated",
	typus.AuditPositionAdded:               "position.audit.added",
	typus.AuditPositionChanged:             "position.audit.changed",
	typus.AuditPositionMembers:             "position.audit.members",
	typus.AuditPositionConfidentialOn:      "position.audit.confidentialOn",
	typus.AuditPositionConfidentialOff:     "position.audit.confidentialOff",
	typus.AuditPositionClosed:              "position.audit.closed",
	typus.AuditPositionReopened:            "position.audit.reopened",
	typus.AuditPositionArchived:            "position.audit.archived",
	typus.AuditPublicLinkOn:                "link.audit.on",
	typus.AuditPublicLinkChanged:           "link.audit.changed",
	typus.AuditPublicLinkRenewed:           "link.audit.renewed",
	typus.AuditPublicLinkRevoked:           "link.audit.revoked",
	typus.AuditCandidateEnrolled:           "link.audit.enrolled",
	typus.AuditPositionBlindOn:             "blind.audit.on",
	typus.AuditPositionBlindToAll:          "blind.audit.toAll",
	typus.AuditPositionBlindOff:            "blind.audit.off",
	typus.AuditPositionCore:                "core.audit.changed",
	typus.AuditRoleExpertsAsked:            "roles.audit.asked",
	typus.AuditRoleExpertsClosed:           "roles.audit.closed",
	typus.AuditRoleExpertsErased:           "roles.audit.erased",
	typus.AuditRoleSigned:                  "roles.audit.signed",
	typus.AuditRoleArchived:                "roles.audit.archived",
	typus.AuditRoleOffered:                 "roles.audit.offered",
	typus.AuditReportOpened:                "report.audit.opened",
	typus.AuditInterviewRated:              "guide.audit.rated",
	typus.AuditInterviewChanged:            "guide.audit.changed",
	typus.AuditInterviewRatedEarly:         "guide.audit.ratedEarly",
	typus.AuditNoteDeleted:                 "candidates.audit.noteDeleted",
	typus.AuditAccountScoreSortingOn:       "candidates.audit.sortingOn",
	typus.AuditAccountScoreSortingOff:      "candidates.audit.sortingOff",
	typus.AuditAccountChanged:              "audit.accountChanged",
	typus.AuditKeyLost:                     "audit.keyLost",
	typus.AuditAccountLogoChanged:          "audit.accountLogoChanged",
	typus.AuditAccountLogoRemoved:          "audit.accountLogoRemoved",
	typus.AuditAccountExported:             "audit.accountExported",
	typus.AuditAccountSuspended:            "audit.accountSuspended",
	typus.AuditAccountResumed:              "audit.accountResumed",
	typus.AuditAccountImported:             "audit.accountImported",
	typus.AuditCandidateKept:               "keep.audit.kept",
	typus.AuditCandidateKeepEnded:          "keep.audit.ended",
	typus.AuditCandidateInvited:            "audit.candidateInvited",
	typus.AuditCandidateExpired:            "audit.candidateExpired",
	typus.AuditCandidateLinkRequested:      "audit.candidateLinkRequested",
	typus.AuditCandidateRemindersOff:       "audit.candidateRemindersOff",
	typus.AuditImportStarted:               "audit.importStarted",
	typus.AuditImportCancelled:             "audit.importCancelled",
	typus.AuditImportFinished:              "audit.importFinished",
	typus.AuditLetterTried:                 "audit.letterTried",
	typus.AuditImportExported:              "audit.importExported",
	typus.AuditCreditsExported:             "audit.creditsExported",
	typus.AuditLetterRetried:               "audit.letterRetried",
	typus.AuditLetterReturned:              "audit.letterReturned",
	typus.AuditLetterTemplateChanged:       "audit.letterTemplateChanged",
	typus.AuditLetterTemplateReset:         "audit.letterTemplateReset",
	typus.AuditWebhookChanged:              "audit.webhookChanged",
	typus.AuditWebhookPaused:               "audit.webhookPaused",
	typus.AuditWebhookResumed:              "audit.webhookResumed",
	typus.AuditWebhookSwitchedOff:          "audit.webhookSwitchedOff",
	typus.AuditWebhookTested:               "audit.webhookTested",
	typus.AuditWebhookReplayed:             "audit.webhookReplayed",
	typus.AuditReplayStarted:               "audit.replayStarted",
	typus.AuditReplayCancelled:             "audit.replayCancelled",
	typus.AuditReplayFinished:              "audit.replayFinished",
	typus.AuditWebhookSecretShown:          "audit.webhookSecretShown",
	typus.AuditWebhookSecretMade:           "audit.webhookSecretMade",
	typus.AuditWebhookSecretSwitched:       "audit.webhookSecretSwitched",
	typus.AuditWebhookSecretDropped:        "audit.webhookSecretDropped",
	typus.AuditRetentionErased:             "audit.retentionErased",
	typus.AuditRetentionWaits:              "audit.retentionWaits",
	typus.AuditRetentionAllowed:            "audit.retentionAllowed",
	typus.AuditWorldMoved:                  "audit.worldMoved",
	typus.AuditWorldReset:                  "audit.worldReset",
	typus.AuditWorldCredits:                "audit.worldCredits",
	typus.AuditWorldForwardOn:              "audit.worldForwardOn",
	typus.AuditWorldForwardOff:             "audit.worldForwardOff",
	typus.AuditAuditExported:               "audit.exported",
}

// action says an action in words.
func (f *face) action(v *visit, code typus.AuditAction) string {
	if key := actionTexts[code]; key != "" {
		return f.say(v, key)
	}
	return string(code)
}

// auditFilter reads the filter from an address. It names a user by id, or is
// "operator".
func auditFilter(v *visit) store.AuditFilter {
	q := v.URL.Query()
	f := store.AuditFilter{Action: typus.AuditAction(q.Get("aktion"))}
	if f.UserID, _ = strconv.ParseInt(q.Get("person"), 10, 64); f.UserID == 0 {
		f.Actor = q.Get("person")
	}
	f.Before = position(v, "vor")
	return f
}

// auditAddress is the address of a page of the log.
func auditAddress(path string, filter store.AuditFilter, before int64) string {
	q := url.Values{}
	if filter.Action != "" {
		q.Set("aktion", string(filter.Action))
	}
	if filter.UserID != 0 {
		q.Set("person", strconv.FormatInt(filter.UserID, 10))
	} else if filter.Actor != "" {
		q.Set("person", filter.Actor)
	}
	if before != 0 {
		q.Set("vor", strconv.FormatInt(before, 10))
	}
	return listPath(path, q)
}

func (f *face) audit(v *visit) error {
	filter := auditFilter(v)
	filter.Limit = auditRows + 1
	list, err := f.Store.AuditLines(v.Context(), v.Reader, filter)
	if err != nil {
		return err
	}
	if len(list) == 0 && filter.Before != 0 { // whatever stood on this page is gone
		return f.goOn(v, auditAddress(auditPath, filter, 0))
	}
	users, err := f.Store.Users(v.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	view := auditView{
		frame: f.settingsFrame(v, sectionAudit), Filtered: filter.Action != "" || filter.UserID != 0 || filter.Actor != "",
		Action: field{Name: "aktion", Label: "audit.action", Options: f.actionOptions(v, filter.Action)},
		Person: field{Name: "person", Label: "audit.who", Options: f.personOptions(v, users, filter)},
		CSV:    auditAddress(auditPath+"/csv", filter, 0),
	}
	if len(list) > auditRows {
		list = list[:auditRows]
		view.Older = auditAddress(auditPath, filter, list[auditRows-1].ID)
	}
	if filter.Before != 0 {
		view.Newest = auditAddress(auditPath, filter, 0)
	}
	for _, e := range list {
		view.Rows = append(view.Rows, auditRow{
			At: e.CreatedAt, Who: f.actorName(v, e.Actor), What: f.action(v, e.Action), Code: string(e.Action), Detail: f.detail(v, e.AuditEntry), IP: e.IP, Candidate: e.CandidateID, Name: e.Candidate,
		})
	}
	return f.render(v, http.StatusOK, view)
}

func (f *face) actionOptions(v *visit, chosen typus.AuditAction) []option {
	var options []option
	for code := range actionTexts {
		options = append(options, option{Value: string(code), Label: f.action(v, code), Chosen: code == chosen})
	}
	slices.SortFunc(options, func(a, b option) int { return cmp.Compare(a.Label, b.Label) })
	return append([]option{{Value: "", Label: f.say(v, "audit.all"), Chosen: chosen == ""}}, options...)
}

func (f *face) personOptions(v *visit, users []typus.User, filter store.AuditFilter) []option {
	options := []option{{Value: "", Label: f.say(v, "audit.all")}}
	for _, u := range users {
		options = append(options, option{Value: strconv.FormatInt(u.ID, 10), Label: u.Called(), Chosen: u.ID == filter.UserID})
	}
	return append(options, option{Value: typus.ActorOperator, Label: f.say(v, "audit.operator"), Chosen: filter.Actor == typus.ActorOperator})
}

// exportAudit sends all lines that match the filter, newest first, as a table for a
// spreadsheet. It is a POST because the log notes every export of the log.
func (f *face) exportAudit(v *visit) error {
	filter := auditFilter(v)
	filter.Limit = auditPage
	list, err := f.Store.AuditLog(v.Context(), v.Reader, filter)
	if err != nil {
		return err
	}
	if err := f.clerk.NoteExport(v.Context(), v.Account.ID, typus.AuditAuditExported, "", v.actor()); err != nil {
		return err
	}
	out := newCSV(v.w, "typus-protokoll-"+v.Account.DayOf(f.now())+".csv", v.lang)
	var heads []string
	for _, key := range []string{"audit.at", "audit.who", "audit.action", "audit.code", "audit.detail", "audit.ip", "audit.request", "audit.candidateID"} {
		heads = append(heads, f.say(v, key))
	}
	heads[0] = f.inUTC(v, heads[0])
	out.Row(heads...)
	for len(list) > 0 {
		for _, e := range list {
			candidate := ""
			if e.CandidateID != 0 {
				candidate = strconv.FormatInt(e.CandidateID, 10)
			}
			out.Row(v.inTable(e.CreatedAt), f.actorName(v, e.Actor), f.action(v, e.Action), string(e.Action),
				strings.TrimSpace(f.detail(v, e)), e.IP, roster.Text(e.RequestID), candidate)
		}
		if err := out.send(); err != nil || len(list) < auditPage {
			return err
		}
		if err := f.stillMay(v, admin); err != nil {
			return err
		}
		filter.Before = list[len(list)-1].ID
		if list, err = f.Store.AuditLog(v.Context(), v.Reader, filter); err != nil {
			return err
		}
	}
	return out.send()
}
