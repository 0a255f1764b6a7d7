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
	"typus/internal/assess"
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
var actionTexts = map[string]string{
	"account.set_up":                 "audit.accountSetUp",
	"account.signed_up":              "audit.accountSignedUp",
	"user.created":                   "audit.userCreated",
	"user.invited":                   "audit.userInvited",
	"user.link_made":                 "audit.userLinkMade",
	"user.joined":                    "audit.userJoined",
	"user.role_changed":              "audit.userRoleChanged",
	"user.removed":                   "audit.userRemoved",
	"user.renamed":                   "audit.userRenamed",
	"user.logged_in":                 "audit.userLoggedIn",
	"user.login_failed":              "audit.userLoginFailed",
	"user.password_wrong":            "audit.userPasswordWrong",
	"user.logged_out":                "audit.userLoggedOut",
	"user.code_failed":               "audit.userCodeFailed",
	"user.session_ended":             "audit.userSessionEnded",
	"user.sessions_ended":            "audit.userSessionsEnded",
	"user.password_forgotten":        "audit.userPasswordForgotten",
	"user.password_set":              "audit.userPasswordSet",
	"user.password_changed":          "audit.userPasswordChanged",
	"user.email_change_asked":        "audit.userEmailChangeAsked",
	"user.email_changed":             "audit.userEmailChanged",
	"user.email_restored":            "audit.userEmailRestored",
	"user.totp_reset":                "audit.userTOTPReset",
	"user.totp_on":                   "audit.userTOTPOn",
	"user.totp_off":                  "audit.userTOTPOff",
	"user.recovery_codes_made":       "audit.userRecoveryCodesMade",
	"user.recovery_code_used":        "audit.userRecoveryCodeUsed",
	"key.created":                    "audit.keyCreated",
	"key.revoked":                    "audit.keyRevoked",
	"webhook.created":                "audit.webhookCreated",
	"webhook.deleted":                "audit.webhookDeleted",
	"candidate.finished_by_operator": "audit.candidateFinishedByOperator",
	"candidate.cancelled":            "candidates.audit.cancelled",
	"candidate.extended":             "candidates.audit.extended",
	"candidate.corrected":            "candidates.audit.corrected",
	"candidate.reminded":             "candidates.audit.reminded",
	"candidate.invitation_resent":    "candidates.audit.resent",
	"candidate.declined":             "candidates.audit.declined",
	"candidate.erased":               "candidates.audit.erased",
	"candidates.exported":            "candidates.audit.exported",
	assess.ReportViewed:              "candidates.audit.viewed",
	assess.ReportViewedEarly:         "blind.audit.early",
	assess.ReportUnrated:             "blind.audit.unrated",
	"position.blind_on":              "blind.audit.on",
	"position.blind_to_all":          "blind.audit.toAll",
	"position.blind_off":             "blind.audit.off",
	assess.ReportOpened:              "report.audit.opened",
	"interview.rated":                "guide.audit.rated",
	"note.deleted":                   "candidates.audit.noteDeleted",
	"account.score_sorting_on":       "candidates.audit.sortingOn",
	"account.score_sorting_off":      "candidates.audit.sortingOff",
	"account.changed":                "audit.accountChanged",
	"account.logo_changed":           "audit.accountLogoChanged",
	"account.logo_removed":           "audit.accountLogoRemoved",
	"candidate.invited":              "audit.candidateInvited",
	"candidate.expired":              "audit.candidateExpired",
	"candidate.link_requested":       "audit.candidateLinkRequested",
	"candidate.reminders_off":        "audit.candidateRemindersOff",
	"import.started":                 "audit.importStarted",
	"import.cancelled":               "audit.importCancelled",
	"import.finished":                "audit.importFinished",
	"letter.tried":                   "audit.letterTried",
	"import.exported":                "audit.importExported",
	"credits.exported":               "audit.creditsExported",
	"letter.retried":                 "audit.letterRetried",
	"letter_template.changed":        "audit.letterTemplateChanged",
	"letter_template.reset":          "audit.letterTemplateReset",
	"webhook.changed":                "audit.webhookChanged",
	"webhook.paused":                 "audit.webhookPaused",
	"webhook.resumed":                "audit.webhookResumed",
	"webhook.switched_off":           "audit.webhookSwitchedOff",
	"webhook.tested":                 "audit.webhookTested",
	"webhook.secret_shown":           "audit.webhookSecretShown",
	"webhook.secret_made":            "audit.webhookSecretMade",
	"webhook.secret_switched":        "audit.webhookSecretSwitched",
	"webhook.secret_dropped":         "audit.webhookSecretDropped",
	"retention.erased":               "audit.retentionErased",
	"retention.waits":                "audit.retentionWaits",
	"retention.allowed":              "audit.retentionAllowed",
	"audit.exported":                 "audit.exported",
}

// action says an action in words.
func (f *face) action(v *visit, code string) string {
	if key := actionTexts[code]; key != "" {
		return f.say(v, key)
	}
	return code
}

// auditFilter reads the filter from an address. It names a user by id, or is
// "operator".
func auditFilter(v *visit) store.AuditFilter {
	q := v.URL.Query()
	f := store.AuditFilter{Action: q.Get("aktion")}
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
		q.Set("aktion", filter.Action)
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
			At: e.CreatedAt, Who: f.actorName(v, e.Actor), What: f.action(v, e.Action), Code: e.Action, Detail: f.detail(v, e.AuditEntry), IP: e.IP, Candidate: e.CandidateID, Name: e.Candidate,
		})
	}
	return f.render(v, http.StatusOK, view)
}

func (f *face) actionOptions(v *visit, chosen string) []option {
	var options []option
	for code := range actionTexts {
		options = append(options, option{Value: code, Label: f.action(v, code), Chosen: code == chosen})
	}
	slices.SortFunc(options, func(a, b option) int { return cmp.Compare(a.Label, b.Label) })
	return append([]option{{Value: "", Label: f.say(v, "audit.all"), Chosen: chosen == ""}}, options...)
}

func (f *face) personOptions(v *visit, users []typus.User, filter store.AuditFilter) []option {
	options := []option{{Value: "", Label: f.say(v, "audit.all")}}
	for _, u := range users {
		options = append(options, option{Value: strconv.FormatInt(u.ID, 10), Label: u.Called(), Chosen: u.ID == filter.UserID})
	}
	return append(options, option{Value: "operator", Label: f.say(v, "audit.operator"), Chosen: filter.Actor == "operator"})
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
	if err := f.clerk.NoteExport(v.Context(), v.Account.ID, "audit.exported", "", v.actor()); err != nil {
		return err
	}
	out := newCSV(v.w, "typus-protokoll-"+f.now().Format("2006-01-02")+".csv")
	var heads []string
	for _, key := range []string{"audit.at", "audit.who", "audit.action", "audit.code", "audit.detail", "audit.ip", "audit.request", "audit.candidateID"} {
		heads = append(heads, f.say(v, key))
	}
	out.Row(heads...)
	for len(list) > 0 {
		for _, e := range list {
			candidate := ""
			if e.CandidateID != 0 {
				candidate = strconv.FormatInt(e.CandidateID, 10)
			}
			out.Row(e.CreatedAt.UTC().Format(time.RFC3339), f.actorName(v, e.Actor), f.action(v, e.Action), e.Action,
				strings.TrimSpace(f.detail(v, e)), e.IP, e.RequestID, candidate)
		}
		if err := out.send(); err != nil || len(list) < auditPage {
			return err
		}
		filter.Before = list[len(list)-1].ID
		if list, err = f.Store.AuditLog(v.Context(), v.Reader, filter); err != nil {
			return err
		}
	}
	return out.send()
}
