package dashboard

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/mail/smtptest"
	"typus/internal/report"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// deed is how a form is sent so that it succeeds, and what stands in the audit log
// afterwards.
type deed struct {
	action   string         // of the one line, "" when nothing is written down
	form     url.Values     // what is sent
	file     string         // the name of the field of a file, "" for none
	done     bool           // candidate and import have come to their end
	before   func(s *scene) // what makes it possible
	wrong    url.Values     // what is refused, nil: nothing that can be typed is
	noted    string         // of the line that a refusal leaves all the same, "" for none
	stranger bool           // it is sent by somebody who is not logged in
}

// scene is what a deed happens to.
type scene struct {
	*client
	estate
	form url.Values
}

const (
	candidateName = "/dashboard/kandidat/{id}"
	positionName  = "/dashboard/stellen/{id}"
)

// undecided is fresh, on a page that has seen no decision.
func undecided(s *scene) {
	fresh(s)
	s.form.Set("last-"+s.form.Get("id"), "0")
}

// fresh makes the candidate one to whom nobody has written yet.
func fresh(s *scene) {
	out := s.invitedBy(s.account, assess.Invitation{Name: "Neu Muster", Email: "neu@example.com"})
	s.names[candidateName] = id(out)
	s.form.Set("id", id(out))
}

// doubted makes the candidate one whose result should not be interpreted.
func doubted(s *scene) {
	out := s.invitedBy(s.account, assess.Invitation{Name: "Eilig Muster", Email: "eilig@example.com"})
	s.Must(s.Assess.Begin(s.Ctx, out.Token, typus.Notice{Version: "v1", Language: "de", At: s.Now()}, "Hinweise"))
	s.rush(out)
	s.names[candidateName] = id(out)
}

// answering fills in an answer to the request of the candidate.
func answering(s *scene) {
	s.form.Set("antwort-"+s.names[candidateName+"/anfragen/{anfrage}"], "Das ist berichtigt.")
}

// heardAll fills in a whole guide.
func heardAll(s *scene) {
	s.form.Set("von", strconv.FormatInt(s.user.ID, 10))
	in := s.face.Instrument
	for _, q := range report.GuideOf(in, in.Roles()[0], "de").Questions() {
		s.form.Set("bewertung-"+q.Key, "3")
	}
}

// heardLate fills in the guide of somebody who has finished.
func heardLate(s *scene) {
	doubted(s)
	heardAll(s)
}

// heardTwice fills in a guide that is saved already, otherwise.
func heardTwice(s *scene) {
	heardAll(s)
	s.post("/dashboard/kandidat/"+s.names[candidateName]+"/leitfaden", s.form).want(s, 303)
	s.form.Set("bewertung-co2", "5")
}

// blinded makes the candidate one whose result is withheld from everybody.
func blinded(s *scene) {
	doubted(s)
	s.Must(s.Accounts.SetBlind(s.Ctx, store.WholeAccount(s.account), 0, by, func(typus.Position) (accounts.Blind, bool) { return accounts.Blind{On: true, Everybody: true}, true }))
}

func rotated(s *scene) {
	hooks, err := s.Store.Endpoints(s.Ctx, s.account)
	s.Must(err)
	_, _, err = s.Accounts.RotateSecret(s.Ctx, s.account, hooks[0].ID, by)
	s.Must(err)
}

func paused(s *scene) {
	hooks, err := s.Store.Endpoints(s.Ctx, s.account)
	s.Must(err)
	s.Must(s.Accounts.PauseEndpoint(s.Ctx, s.account, hooks[0].ID, by))
}

// replaying begins a run that sends nothing yet.
func replaying(s *scene) {
	hooks, err := s.Store.Endpoints(s.Ctx, s.account)
	s.Must(err)
	s.names[replaysPath+"/{id}"] = fmt.Sprint(s.replayRun(s.account, hooks[0].ID, false))
}

// overdue makes sixty people wait for an owner's word.
func overdue(s *scene) {
	s.Must(s.Store.InTx(s.Ctx, func(tx *store.Tx) error { return tx.SetErasureWaits(s.Ctx, s.account, 60) }))
}

// joined makes the person who is invited to the team one who has accepted.
func joined(s *scene) {
	password := goodPassword
	u := typus.User{AccountID: s.account, Email: "joined-" + s.user.Email, Role: typus.RoleMember}
	id, _, err := s.Access.CreateUser(s.Ctx, u, &password, by.Name)
	s.Must(err)
	s.names["/dashboard/einstellungen/team/{id}"] = strconv.FormatInt(id, 10)
}

// protected gives the person who has accepted a second factor.
func protected(s *scene) {
	joined(s)
	user, err := strconv.ParseInt(s.names["/dashboard/einstellungen/team/{id}"], 10, 64)
	s.Must(err)
	s.protect(s.account, user)
}

// newAddress asks for another address.
func newAddress(s *scene) {
	s.post(profilePath+"/email", fields("email", "new-"+s.user.Email, "password", goodPassword)).want(s, 303)
	s.names["/bestaetigen/{token}"] = s.brought(s.account, typus.LetterEmailChange)
}

// passwordLink is the way to a new password of a user.
func passwordLink(s *scene, email string) {
	link, err := s.Access.NewPasswordLink(s.Ctx, s.account, email, by.Name)
	s.Must(err)
	s.names["/passwort/{token}"] = strings.TrimPrefix(link, s.server.URL+"/passwort/")
}

// secondFactor turns it on, and puts a code of it into the form.
func secondFactor(s *scene) {
	seed, _ := s.withTOTP()
	s.form.Set("code", s.code(seed))
}

// fields are the fields of a form by name and value.
func fields(pairs ...string) url.Values {
	all := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		all.Set(pairs[i], pairs[i+1])
	}
	return all
}

var newPassword = "ganz andere Wörter jetzt"

// deeds are for each POST the ways in which it succeeds.
var deeds = map[string][]deed{
	"/anmelden": {{action: "user.logged_in", stranger: true, before: func(s *scene) { s.form.Set("email", s.user.Email) }, form: fields("password", goodPassword)},
		{stranger: true, form: fields("email", "nobody@example.com", "password", goodPassword)},
		{action: "user.login_failed", stranger: true, before: func(s *scene) { s.form.Set("email", s.user.Email) }, form: fields("password", "falsch falsch falsch")}},
	"/anmelden/code": {{action: "user.logged_in", before: func(s *scene) {
		secondFactor(s)
		s.post("/abmelden", nil)
		s.login(s.user.Email, goodPassword)
	}, form: fields(), wrong: fields("code", "000000"), noted: "user.code_failed"}},
	"/abmelden": {{action: "user.logged_out"}},
	"/passwort": {{action: "user.password_forgotten", stranger: true, before: func(s *scene) { s.form.Set("email", s.user.Email) }},
		{stranger: true, form: fields("email", "nobody@example.com")}},
	"/passwort/{token}": {{action: "user.password_set user.logged_in", stranger: true, before: func(s *scene) { passwordLink(s, s.user.Email) }, form: fields("password", newPassword), wrong: fields("password", "kurz")},
		{action: "user.joined user.logged_in", stranger: true, before: func(s *scene) { passwordLink(s, s.guest.Email) }, form: fields("password", newPassword), wrong: fields("password", "kurz")}},
	"/bestaetigen/{token}": {{action: "user.email_changed", before: newAddress},
		{action: "user.email_changed", stranger: true, before: func(s *scene) {
			newAddress(s)
			s.form.Set("email", s.user.Email)
		}, form: fields("password", goodPassword), wrong: fields("password", "falsch falsch falsch"), noted: "user.password_wrong"}},
	"/zuruecknehmen/{token}": {{action: "user.email_restored user.logged_in", stranger: true, before: func(s *scene) {
		newAddress(s)
		s.post("/bestaetigen/"+s.names["/bestaetigen/{token}"], nil).want(s, 303)
		s.names["/zuruecknehmen/{token}"] = s.brought(s.account, typus.LetterEmailChanged)
	}, form: fields("password", newPassword), wrong: fields("password", "kurz")}},
	"/einrichten":   {{wrong: fields("token", "x")}}, // an account that is made has its own test
	"/registrieren": {{form: fields("company", "Neu GmbH", "language", "de", "email", "new@example.com", "password", goodPassword), stranger: true, wrong: fields("email", "x")}},

	"/dashboard/einladen":                                  {{action: "candidate.invited", form: fields("name", "Neu Muster", "email", "neu@example.com", "formular", strings.Repeat("n", 26)), wrong: fields("name", "Neu", "email", "x")}},
	"/dashboard/einladen/brief":                            {{form: fields("name", "Neu Muster")}},
	"/dashboard/import":                                    {{file: "datei", wrong: fields("role_profile", "x")}},
	"/dashboard/import/{id}/spalten":                       {{form: fields("name", "0", "email", "1", "ueberschrift", "1"), wrong: fields("name", "0", "email", "0")}},
	"/dashboard/import/{id}/zeilen":                        {{form: fields("zeile", "2", "name-2", "Kim", "email-2", "kim@example.com"), wrong: fields("zeile", "x")}},
	"/dashboard/import/{id}/start":                         {{action: "import.started", before: previewed}},
	"/dashboard/import/{id}/abbrechen":                     {{action: "import.cancelled", before: started}, {}},
	"/dashboard/import/{id}/ergebnis.csv":                  {{action: "import.exported", done: true}},
	"/dashboard/credits/export.csv":                        {{action: "credits.exported"}},
	"/dashboard/einstellungen/konto/aufbewahrung/loeschen": {{action: "retention.allowed", before: overdue, form: fields("personen", "60"), wrong: fields("personen", "59")}, {form: fields("personen", "60")}},
	"/dashboard/einstellungen/konto/aufbewahrung":          {{action: "account.changed", form: fields("keep_finished_days", "365", "keep_answers_days", "90"), wrong: fields("keep_answers_days", "6")}},
	"/dashboard/einstellungen/konto/{teil}":                {{action: "account.logo_removed", form: fields("entfernen", "1")}, {action: "account.logo_changed", file: "logo"}, {action: "account.changed", form: fields("welcome_de", "Moin"), wrong: fields("welcome_de", strings.Repeat("x", 100_000/2))}},
	noticePath:                                             {{action: "account.changed", form: fields("notice_operator", "Muster Hosting AG"), wrong: fields("notice_country", "XX")}},
	ownTermsPath:                                           {{action: "account.own_result_changed", form: fields("policy", "at_once"), wrong: fields("policy", "none")}, {form: fields("policy", "released")}},
	candidateName + "/auskunft":                            {{action: "candidate.copied"}, {action: "report.saved candidate.copied", done: true}},
	candidateName + "/freigeben":                           {{action: "own_result.released", done: true}, {}},
	candidateName + "/anfragen/{anfrage}":                  {{action: "own_result.answered", before: answering, wrong: fields("x", "y")}},
	"/dashboard/export":                                    {{action: "candidates.exported"}},
	"/dashboard/sortierung":                                {{action: "account.score_sorting_on", form: fields("an", "1", "gelesen", "1"), wrong: fields("an", "1")}},
	bulkRemind.path:                                        {{action: "candidate.reminded", before: fresh, wrong: fields("id", "x")}},
	bulkExtend.path:                                        {{action: "candidate.extended", before: fresh, form: fields("ende", "2027-03-01"), wrong: fields("ende", "x")}},
	bulkCancel.path:                                        {{action: "candidate.cancelled", before: fresh, wrong: fields("id", "x")}},
	bulkErase.path:                                         {{action: "candidate.erased", before: fresh, wrong: fields("id", "x")}},
	rejectPath:                                             {{action: "candidate.decided", before: undecided, form: fields("reasons", "filled"), wrong: fields("id", "x")}},
	comparePath:                                            {{before: fresh}}, // the page that it leads to notes the looks
	"/dashboard/auswahl/export":                            {{action: "candidates.exported", before: fresh, wrong: fields("id", "x")}},
	candidateName + "/erinnern":                            {{action: "candidate.reminded", before: fresh}, {done: true}},
	candidateName + "/senden":                              {{action: "candidate.invitation_resent", before: fresh}, {done: true}},
	candidateName + "/verlaengern":                         {{action: "candidate.extended", form: fields("ende", "2027-03-01"), wrong: fields("ende", "x")}, {done: true, form: fields("ende", "2027-03-01")}},
	candidateName + "/neuer-link":                          {{action: "candidate.extended", before: fresh}, {done: true}},
	candidateName + "/aufbewahren": {{action: "candidate.kept", done: true, form: fields("until", "2027-03-01", "reason", "Klage"), wrong: fields("until", "x", "reason", " "), noted: "report.viewed"},
		{action: "candidate.keep_ended", done: true, before: func(s *scene) {
			s.post("/dashboard/kandidat/"+s.names[candidateName]+"/aufbewahren", fields("until", "2027-03-01", "reason", "Klage")).want(s, 303)
		}, form: fields("end", "1")}},
	candidateName + "/korrigieren":                 {{action: "candidate.corrected", form: fields("name", "Kim Neu", "email", "kim@example.com"), wrong: fields("name", "", "email", "x")}},
	candidateName + "/notizen":                     {{form: fields("notiz", "Notiz"), wrong: fields("notiz", " ")}},
	candidateName + "/leitfaden":                   {{action: "interview.rated_before_result", before: heardAll}, {action: "interview.rated", before: heardLate}, {action: "interview.changed", before: heardTwice}},
	candidateName + "/leitfaden/entwurf":           {{before: heardAll}},
	candidateName + "/leitfaden/entwurf/verwerfen": {{before: heardAll}},
	candidateName + "/trotzdem":                    {{action: "report.opened", before: doubted}},
	candidateName + "/oeffnen":                     {{done: true, form: fields("grund", "kein Interview")}, {action: "report.opened_without_rating", before: blinded, form: fields("grund", "kein Interview"), wrong: fields("grund", " ")}},
	candidateName + "/notizen/{notiz}/loeschen":    {{action: "note.deleted"}},
	candidateName + "/entscheidung":                {{action: "candidate.decided", form: fields("stage", "interview", "last", "0"), wrong: fields("stage", "x")}},
	candidateName + "/stellungnahme":               {{action: "candidate.commented", done: true, form: fields("comment", "Stimmt.", "confirmed", "letter"), wrong: fields("comment", " "), noted: "report.viewed"}},
	candidateName + "/tags":                        {{form: fields("tag", "neu"), wrong: fields("tag", " ")}},
	candidateName + "/tags/entfernen":              {{form: fields("tag", "neu")}},

	newPositionPath:              {{action: "position.added", form: fields("name", "Vertrieb Nord"), wrong: fields("name", " ")}},
	positionName + "/bearbeiten": {{action: "position.changed", form: fields("name", "Vertrieb Nord"), wrong: fields("name", " ")}},
	positionName + "/mitglieder": {{action: "position.members_changed", before: func(s *scene) { s.form.Set("mitglied", strconv.FormatInt(s.guest.ID, 10)) }},
		{action: "position.confidential_on", form: fields("confidential", "1")}, {action: "position.confidential_off", before: secretPosition}, {}},
	positionName + "/ergebnis":     {{action: "position.own_result_changed", form: fields("policy", "none", "reason", "Wir sprechen lieber."), wrong: fields("policy", "none")}, {form: fields("policy", "konto")}},
	positionName + "/hinweise":     {{action: "position.changed", form: fields("notice_consequence", "none"), wrong: fields("notice_consequence", "own")}},
	positionName + "/link":         {{action: "position.link_on", form: fields("most", "5"), wrong: fields("most", "0")}, {action: "position.link_changed", before: linked, form: fields("most", "6", "ends", ""), wrong: fields("most", "x")}, {before: linked, form: fields("most", "5")}},
	positionName + "/link/neu":     {{action: "position.link_renewed", before: linked}, {}},
	positionName + "/link/beenden": {{action: "position.link_revoked", before: linked}, {}},
	positionName + "/interview":    {{action: "position.blind_on", form: fields("blind", "1")}, {action: "position.blind_to_all", form: fields("blind", "1", "alle", "1")}, {action: "position.blind_off", before: blindPosition}, {}},
	positionName + "/fragen":       {{action: "position.core_changed", form: url.Values{"core": {"ad1", "ci1", "in1"}}, wrong: url.Values{"core": {"ad1"}}}},
	positionName + "/schliessen":   {{action: "position.closed"}},
	positionName + "/oeffnen":      {{action: "position.reopened", before: closedPosition}, {}},
	positionName + "/archivieren":  {{action: "position.archived", before: closedPosition}, {}},

	keysPath + "/neu":             {{action: "key.created", form: fields("name", "Neu"), wrong: fields("name", " ")}},
	keysPath + "/{id}/widerrufen": {{action: "key.revoked", form: fields("name", "CRM"), wrong: fields("name", "crm")}},

	endpointsPath + "/neu":             {{action: "webhook.created", form: fields("url", "http://127.0.0.1:65535/new"), wrong: fields("url", "x")}},
	inspectPath:                        {{form: fields("secret", "whsec_eA==", "headers", "webhook-signature: v1,x", "payload", "{}"), wrong: fields("headers", "x", "payload", "")}},
	endpointsPath + "/{id}/bearbeiten": {{action: "webhook.changed", form: fields("url", "http://127.0.0.1:65535/new"), wrong: fields("url", "x")}},
	endpointsPath + "/{id}/pausieren":  {{action: "webhook.paused"}, {before: paused}},
	endpointsPath + "/{id}/fortsetzen": {{action: "webhook.resumed", before: paused}, {}},
	endpointsPath + "/{id}/loeschen":   {{action: "webhook.deleted"}},
	endpointsPath + "/{id}/geheimnis": {{action: "webhook.secret_shown"},
		{action: "webhook.secret_shown", before: func(s *scene) { s.Later(time.Hour) }, form: fields("password", goodPassword), wrong: fields("password", "falsch falsch falsch"), noted: "user.password_wrong"}},
	endpointsPath + "/{id}/geheimnis/wechseln":  {{action: "webhook.secret_made"}, {before: rotated}},
	endpointsPath + "/{id}/geheimnis/umstellen": {{action: "webhook.secret_switched", before: rotated}, {}},
	endpointsPath + "/{id}/geheimnis/beenden":   {{action: "webhook.secret_dropped", before: rotated}, {}},
	endpointsPath + "/{id}/test":                {{action: "webhook.tested"}, {before: paused}},
	deliveriesPath + "/{delivery}/senden":       {{action: "webhook.replayed"}, {before: paused}},
	replaysPath:                                 {{action: "webhook.replay_started", done: true, before: func(s *scene) { s.attempted(200) }}, {}},
	replaysPath + "/{id}/abbrechen":             {{action: "webhook.replay_cancelled", before: replaying}, {}},

	profilePath:               {{action: "user.renamed", form: fields("name", "Ada"), wrong: fields("name", strings.Repeat("x", 1000))}},
	profilePath + "/passwort": {{action: "user.password_changed", form: fields("password", goodPassword, "new_password", newPassword), wrong: fields("password", goodPassword, "new_password", "kurz")}, {wrong: fields("password", "falsch falsch falsch", "new_password", newPassword), noted: "user.password_wrong"}},
	profilePath + "/email":    {{action: "user.email_change_asked", form: fields("email", "new@example.com", "password", goodPassword), wrong: fields("email", "x", "password", goodPassword)}},
	totpPath:                  {{form: fields("password", goodPassword), wrong: fields("password", "falsch falsch falsch"), noted: "user.password_wrong"}},
	totpPath + "/ein": {{action: "user.totp_on", before: func(s *scene) {
		s.post(totpPath, fields("password", goodPassword)).want(s, 303)
		seed, err := s.Access.PendingTOTP(s.Ctx, s.user)
		s.Must(err)
		s.form.Set("code", s.code(seed))
	}, wrong: fields("code", "000000"), noted: "user.code_failed"}},
	totpPath + "/aendern": {{action: "user.totp_off", before: secondFactor, form: fields("password", goodPassword), wrong: fields("password", goodPassword, "code", "000000"), noted: "user.code_failed"},
		{action: "user.recovery_codes_made", before: secondFactor, form: fields("password", goodPassword, "was", "codes")}},
	profilePath + "/sitzungen": {{action: "user.sessions_ended"}, {action: "user.session_ended", before: func(s *scene) {
		s.login(s.user.Email, goodPassword)
		sessions, err := s.Store.SessionsOf(s.Ctx, s.account, s.user.ID)
		s.Must(err)
		s.form.Set("sitzung", sessionID(sessions[0]))
	}}},

	teamPath + "/einladen":   {{action: "user.invited", form: fields("email", "new@example.com", "role", "member", "reichweite", "alle"), wrong: fields("email", "x", "role", "member")}},
	teamPath + "/{id}/rolle": {{action: "user.role_changed", before: joined, form: fields("role", "viewer"), wrong: fields("role", "x")}},
	teamPath + "/{id}/stellen": {{action: "position.members_changed user.reach_changed", before: func(s *scene) {
		joined(s)
		s.form.Set("stellen", s.names[positionName])
	}, form: fields("reichweite", "gewaehlte"), wrong: fields("reichweite", "gewaehlte", "stellen", "x")}, {before: joined, form: fields("reichweite", "alle")}},
	teamPath + "/{id}/entfernen": {{action: "user.removed"}},
	teamPath + "/{id}/link":      {{action: "user.link_made", before: func(s *scene) { s.Later(time.Hour) }}, {before: joined}},
	teamPath + "/{id}/zwei-faktor": {{action: "user.totp_reset", before: protected},
		{action: "user.totp_reset", before: func(s *scene) { protected(s); s.Later(time.Hour) }, form: fields("password", goodPassword), wrong: fields("password", "falsch falsch falsch"), noted: "user.password_wrong"},
		{before: joined}},
	teamPath + "/{id}/sitzungen": {{action: "user.sessions_ended", before: joined}},

	auditPath + "/csv":                               {{action: "audit.exported"}},
	lettersPath + "/probe":                           {{action: "letter.tried"}},
	lettersPath + "/text/{brief}/{sprache}":          {{action: "letter_template.changed", form: fields("subject", "Hallo", "body", "{link}"), wrong: fields("subject", "Hallo", "body", "x")}},
	lettersPath + "/text/{brief}/{sprache}/vorschau": {{form: fields("subject", "Hallo", "body", "{link}"), wrong: fields("subject", "Hallo", "body", "x")}},
	lettersPath + "/text/{brief}/{sprache}/zuruecksetzen": {{action: "letter_template.reset", before: func(s *scene) {
		s.post(lettersPath+"/text/einladung/de", fields("subject", "Hallo", "body", "{link}")).want(s, 303)
	}}, {}},
	lettersPath + "/protokoll/{id}/erneut": {{action: "letter.retried"}},

	"/e/{token}":                      {{wrong: fields("ad1", "9")}}, // what an expert answers has its own test
	roleAskPath:                       {{action: "role_profile.experts_asked", form: council("base", "hunter", "name", "Innendienst"), wrong: fields("base", "hunter", "name", "x")}},
	rolesPath + "/{profil}/fachleute": {{action: "role_profile.experts_asked", form: council(), wrong: fields("expert_1", "Ada")}},
	rolesPath + "/{profil}/fachleute/schliessen": {{action: "role_profile.experts_closed", before: inRound, form: fields("bestaetigt", "1")}, {before: func(s *scene) { inRound(s); s.endRound() }}},
	rolesPath + "/{profil}/fachleute/namen":      {{action: "role_profile.experts_erased", before: inRound}},
	roleNewPath:                                  {{action: "role_profile.signed", form: nine("Außendienst", nil), wrong: fields("name", "x", "sign", "1")}},
	rolesPath + "/{profil}/archivieren":          {{action: "role_profile.archived"}, {before: archived}},
	rolesPath + "/{profil}/anbieten":             {{action: "role_profile.offered", before: archived}, {}},
	rolesPath + "/{profil}/bearbeiten":           {{action: "role_profile.signed", before: edited, wrong: fields("name", "x", "sign", "1")}},

	worldPath:        {{}}, // what is done in a test world stands in its own log
	sandboxClockPath: {{form: fields("dauer", "PT1M"), wrong: fields("dauer", "x")}},
	sandboxResetPath: {{}}, sandboxForwardPath: {{}},

	"/dashboard/sprache":     {{form: fields("sprache", "en"), wrong: fields("sprache", "fr")}},
	"/dashboard/meldung":     {{}},
	"/dashboard/gelesen":     {{form: fields("bis", "1")}},
	"/dashboard/darstellung": {{form: fields("darstellung", "dark"), wrong: fields("darstellung", "x")}},
}

// blindPosition, secretPosition and closedPosition change the position of the scene beforehand.
func blindPosition(s *scene) {
	s.post(s.address(s.T, positionName+"/interview"), fields("blind", "1", "alle", "1")).want(s, 303)
}

// linked switches the public link of the position on.
func linked(s *scene) {
	s.post(s.address(s.T, positionName+"/link"), fields("most", "5")).want(s, 303)
}

func secretPosition(s *scene) {
	s.post(s.address(s.T, positionName+"/mitglieder"), fields("confidential", "1")).want(s, 303)
}

func closedPosition(s *scene) {
	s.post(s.address(s.T, positionName+"/schliessen"), nil).want(s, 303)
}

// previewed gives the import a row to be invited.
func previewed(s *scene) {
	list, err := strconv.ParseInt(s.names["/dashboard/import/{id}"], 10, 64)
	s.Must(err)
	s.Must(s.Assess.PreviewImport(s.Ctx, store.WholeAccount(s.account), list, assess.List{Rows: []typus.ImportRow{{N: 2, Name: "Jana Muster", Email: "jana@example.com"}}}))
}

func started(s *scene) {
	previewed(s)
	list, err := strconv.ParseInt(s.names["/dashboard/import/{id}"], 10, 64)
	s.Must(err)
	s.Must(s.Assess.StartImport(s.Ctx, store.WholeAccount(s.account), list, by))
}

// Whatever succeeds and is written down leaves one line, with who did it, from where
// and in which request; what is refused leaves none, but for guesses at a password or a code.
// The log of the server, which is no place for people and secrets, names none of it.
func TestEveryFormLeavesItsLineInTheAuditLog(t *testing.T) {
	w := newWorld(t)
	w.face.SignUp = true
	w.trials(smtptest.Start(t, nil), "")
	n := 0
	for _, r := range w.face.routes() {
		if r.method != "POST" {
			continue
		}
		list := deeds[r.pattern]
		if len(list) == 0 {
			t.Errorf("%s: nobody has said what it writes down", r.pattern)
		}
		for _, d := range list {
			n++
			t.Run(strings.ReplaceAll(strings.Trim(r.pattern, "/"), "/", " ")+" "+d.action, func(t *testing.T) { w.leavesItsLine(t, r, d, n) })
		}
	}
	w.quietAbout()
}

// tokenForm is what links, sessions and devices are known by; no id is so long.
var tokenForm = regexp.MustCompile(`[A-Za-z0-9_-]{32,}`)

// quietAbout fails if the log of the server names people, accounts or secrets.
func (w *world) quietAbout(words ...string) {
	w.Helper()
	logs := w.logs.String()
	if logs == "" {
		w.Error("nothing was logged")
	}
	for _, word := range append(words, "@example", "Muster", "Jana", "Ada", "Konto ", "GmbH", "typ_live_", "whsec_", goodPassword, newPassword, "falsch", "Notiz", "127.0.0.1:65535") {
		if strings.Contains(logs, word) {
			_, rest, _ := strings.Cut(logs, word)
			w.Errorf("the log holds %q, before %.100q", word, rest)
		}
	}
	if token := tokenForm.FindString(logs); token != "" {
		w.Errorf("the log holds %q", token)
	}
}

// set makes the scene of a deed, in an account of its own, and the browser that
// sends the form.
func (w *world) set(d deed, n int) (*scene, *client) {
	w.Helper()
	account := w.newAccount(fmt.Sprintf("Konto %d", n))
	s := &scene{client: w.asOf(account, owner), estate: w.furnish(account, d.done), form: maps.Clone(d.form)}
	s.ip = fmt.Sprintf("198.51.%d.7", n)
	if s.form == nil {
		s.form = url.Values{}
	}
	s.form.Set("id", s.names[candidateName])
	if d.before != nil {
		d.before(s)
	}
	if !d.stranger {
		return s, s.client
	}
	c := w.stranger()
	c.ip = s.ip
	return s, c
}

func (w *world) leavesItsLine(t *testing.T, r route, d deed, n int) {
	t.Helper()
	s, c := w.set(d, n)
	account, path := s.account, s.address(t, r.pattern)
	lines := func() []typus.AuditEntry {
		t.Helper()
		list, err := w.Store.Audit(w.Ctx, account, 200)
		w.Must(err)
		return list
	}
	left := func(who string, a answer, before int, action string) {
		t.Helper()
		list := lines()
		list = list[:len(list)-before]
		slices.Reverse(list)
		var actions []string
		for _, e := range list {
			actions = append(actions, string(e.Action))
			if e.IP != s.ip || e.RequestID != a.Header.Get("X-Request-Id") || e.RequestID == "" {
				t.Errorf("%s leaves %+v, not from where (%s) or in which request (%s)", who, e, s.ip, a.Header.Get("X-Request-Id"))
			}
			if !d.stranger && action == d.action && (e.UserID != s.user.ID || e.Actor != s.user.Email) {
				t.Errorf("%s leaves %+v, not who it was", who, e)
			}
		}
		if got := strings.Join(actions, " "); got != action {
			t.Errorf("%s (%s) leaves %q, want %q", who, a.Status, got, action)
		}
	}

	if r.least != anyone {
		for _, other := range []*client{w.stranger(), w.asOf(account, viewer), w.asOf(account, interviewer), w.asOf(w.Account, owner)} {
			if other.user.Role.AtLeast(r.least) && (other.user.AccountID == account || !strings.Contains(r.pattern, "{")) || other.user.Role != owner && other.user.Role.AtLeast(r.least) {
				continue
			}
			before := len(lines())
			other.ip = s.ip
			left("who may not", other.post(path, s.form), before, "")
		}
	}
	if d.wrong != nil {
		before := len(lines())
		wrong := maps.Clone(d.wrong)
		if !wrong.Has("id") {
			wrong.Set("id", s.names[candidateName])
		}
		a := c.post(path, wrong)
		left("what is wrong", a, before, d.noted)
		if a.StatusCode != http.StatusUnprocessableEntity && a.StatusCode != http.StatusSeeOther && a.StatusCode/100 != 4 {
			t.Errorf("what is wrong is answered %s", a.Status)
		}
	}
	if d.form == nil && d.action == "" && d.wrong != nil && d.file == "" {
		return
	}
	before := len(lines())
	var a answer
	if d.file != "" {
		body := []byte("Name;E-Mail\nJana Muster;jana@example.com\n")
		if d.file == "logo" {
			body = logoOf(account + 1)
		}
		a = c.upload(path, d.file, "file", body, s.form)
	} else {
		a = c.post(path, s.form)
	}
	if d.action != "" && !strings.HasSuffix(d.action, "_failed") && a.StatusCode != http.StatusSeeOther && a.StatusCode != http.StatusOK {
		t.Errorf("%s: %.300s", a.Status, a.body)
	}
	left("success", a, before, d.action)
}

// An account begins its log with how it was made.
func TestANewAccountsLogSaysWhoMadeItFromWhere(t *testing.T) {
	w := newEmptyWorldOn(t, storetest.OpenSQLite(t))
	w.face.SignUp = true
	link, err := w.Access.NewSetUpLink(w.Ctx)
	w.Must(err)
	founding := fields("token", strings.TrimPrefix(link, w.server.URL+"/einrichten?token="), "company", "Muster GmbH", "language", "de", "email", "ada@example.com", "password", goodPassword)
	setUp, signUp := w.stranger(), w.stranger()
	setUp.ip, signUp.ip = "198.51.100.7", "198.51.101.7"
	answers := []answer{setUp.post("/einrichten", founding)}
	founding.Set("email", "kim@example.com")
	signUp.post("/registrieren", founding).want(t, 303)
	answers = append(answers, signUp.post("/bestaetigen/"+w.brought(0, typus.LetterSignUp), fields("password", goodPassword)))
	accounts, err := w.Store.Accounts(w.Ctx)
	w.Must(err)
	for i, action := range []typus.AuditAction{"account.set_up", "account.signed_up"} {
		list, err := w.Store.Audit(w.Ctx, accounts[i].ID, 10)
		w.Must(err)
		first := list[len(list)-1]
		if len(list) != 2 || first.Action != action || list[0].Action != "user.logged_in" {
			t.Errorf("the log begins %+v", list)
		}
		for _, e := range list {
			if e.IP != fmt.Sprintf("198.51.10%d.7", i) || e.RequestID != answers[i].Header.Get("X-Request-Id") || e.UserID == 0 {
				t.Errorf("%+v: not who, from where, or in which request", e)
			}
		}
	}
}

// What the product can write down has words, and nothing has words that it cannot.
func TestEveryActionOfTheLogIsWrittenAndHasWords(t *testing.T) {
	nouns, err := os.ReadFile("../../audit.go")
	if err != nil {
		t.Fatal(err)
	}
	var writers strings.Builder
	for _, pattern := range []string{"../access/*.go", "../accountfile/*.go", "../accounts/*.go", "../assess/*.go", "../backup/*.go", "../rekey/*.go", "../sandbox/*.go", "../store/*.go", "*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				if !strings.HasSuffix(file, "_test.go") && (pattern != "*.go" || strings.Contains(line, "NoteExport(")) {
					writers.WriteString(line)
				}
			}
		}
	}
	constants := regexp.MustCompile(`\t(Audit\w+) +AuditAction = "([^"]+)"`).FindAllStringSubmatch(string(nouns), -1)
	if len(constants) < 70 {
		t.Errorf("%d actions are found", len(constants))
	}
	for _, c := range constants {
		if !regexp.MustCompile(`typus\.` + c[1] + `\b`).MatchString(writers.String()) {
			t.Errorf("nobody writes %s", c[1])
		}
		if actionTexts[typus.AuditAction(c[2])] == "" {
			t.Errorf("%s has no words", c[1])
		}
	}
	if len(actionTexts) != len(constants) {
		t.Errorf("%d actions have words, %d can be written", len(actionTexts), len(constants))
	}
}

// Every action has words, and every one that a form leaves is left by one here.
func TestEveryActionIsTried(t *testing.T) {
	tried := map[typus.AuditAction]bool{}
	for _, list := range deeds {
		for _, d := range list {
			for _, action := range strings.Fields(d.action + " " + d.noted) {
				tried[typus.AuditAction(action)] = true
			}
		}
	}
	for action := range tried {
		if actionTexts[action] == "" {
			t.Errorf("%s has no words", action)
		}
	}
	elsewhere := []typus.AuditAction{ // left by candidates, by the operator, by the server, or tried by a test of its own
		"account.set_up", "account.signed_up", "account.score_sorting_off", "account.exported", "account.imported", "account.suspended", "account.resumed", "account.key_lost", "user.created", "user.recovery_code_used",
		"candidate.finished_by_operator", "candidate.enrolled", "candidate.declined", "candidate.expired", "candidate.link_requested", "candidate.reminders_off",
		"letter.returned", "own_result.asked", "own_result.entered",
		"import.finished", "comment.read", "report.saved", "report.viewed", "report.viewed_before_rating", "webhook.switched_off", "webhook.replay_finished", "retention.erased", "retention.waits",
		"world.moved", "world.reset", "world.credits_set", "world.forward_on", "world.forward_off", // sandbox
	}
	for action := range actionTexts {
		if !tried[action] && !slices.Contains(elsewhere, action) {
			t.Errorf("no form is tried that leaves %s", action)
		}
	}
}
