package dashboard

import (
	"typus"
)

// Who may use a route: anybody, or a user with at least this role.
const (
	anyone      = typus.UserRole("")
	interviewer = typus.RoleInterviewer
	viewer      = typus.RoleViewer
	member      = typus.RoleMember
	admin       = typus.RoleAdmin
	owner       = typus.RoleOwner
)

// route is one line of the column.
type route struct {
	method, pattern string
	least           typus.UserRole
	handle          handler
	max             int64 // bytes of the body, 0 for the usual bound of a form
}

// routes are all addresses of the dashboard and of the login. A GET changes nothing.
// Everything that changes something is a POST and answers with a redirect. least is the
// role that a route needs.
func (f *face) routes() []route {
	return append(f.devRoutes(), []route{
		{method: "GET", pattern: "/", least: anyone, handle: f.root},
		{method: "GET", pattern: "/anmelden", least: anyone, handle: f.loginPage},
		{method: "POST", pattern: "/anmelden", least: anyone, handle: f.login},
		{method: "GET", pattern: "/anmelden/code", least: anyone, handle: f.codePage},
		{method: "POST", pattern: "/anmelden/code", least: anyone, handle: f.enterCode},
		{method: "POST", pattern: "/abmelden", least: anyone, handle: f.logout},
		{method: "GET", pattern: "/passwort", least: anyone, handle: f.forgotPage},
		{method: "POST", pattern: "/passwort", least: anyone, handle: f.forgot},
		{method: "GET", pattern: "/passwort/{token}", least: anyone, handle: f.setPasswordPage},
		{method: "POST", pattern: "/passwort/{token}", least: anyone, handle: f.setPassword},
		{method: "GET", pattern: "/bestaetigen/{token}", least: anyone, handle: f.confirmPage},
		{method: "POST", pattern: "/bestaetigen/{token}", least: anyone, handle: f.confirm},
		{method: "GET", pattern: "/zuruecknehmen/{token}", least: anyone, handle: f.takeBackPage},
		{method: "POST", pattern: "/zuruecknehmen/{token}", least: anyone, handle: f.takeBack},
		{method: "GET", pattern: "/einrichten", least: anyone, handle: f.setupPage},
		{method: "POST", pattern: "/einrichten", least: anyone, handle: f.setup},
		{method: "GET", pattern: "/registrieren", least: anyone, handle: f.open(f.signUpPage)},
		{method: "POST", pattern: "/registrieren", least: anyone, handle: f.open(f.signUp)},

		{method: "GET", pattern: "/dashboard/willkommen", least: admin, handle: f.welcome},
		{method: "GET", pattern: "/dashboard/einladen", least: member, handle: f.inviting(f.invite)},
		{method: "POST", pattern: "/dashboard/einladen", least: member, handle: f.inviting(f.inviteSent)},
		{method: "POST", pattern: "/dashboard/einladen/brief", least: member, handle: f.inviting(f.inviteLetter)},
		{method: "GET", pattern: "/dashboard/einladen/{id}", least: member, handle: f.invitedPage},

		{method: "GET", pattern: "/dashboard/import", least: member, handle: f.inviting(f.importStart)},
		{method: "POST", pattern: "/dashboard/import", least: member, handle: f.inviting(f.importUpload), max: maxUpload},
		{method: "GET", pattern: "/dashboard/import/beispiel.csv", least: member, handle: f.importSample},
		{method: "GET", pattern: "/dashboard/import/{id}", least: member, handle: f.importShow},
		{method: "GET", pattern: "/dashboard/import/{id}/spalten", least: member, handle: f.importColumns},
		{method: "POST", pattern: "/dashboard/import/{id}/spalten", least: member, handle: f.importMapped},
		{method: "POST", pattern: "/dashboard/import/{id}/start", least: member, handle: f.importConfirm},
		{method: "POST", pattern: "/dashboard/import/{id}/abbrechen", least: member, handle: f.importCancel},
		{method: "GET", pattern: "/dashboard/import/{id}/stand", least: member, handle: f.importProgress},
		{method: "POST", pattern: "/dashboard/import/{id}/ergebnis.csv", least: member, handle: f.importResult},

		{method: "GET", pattern: "/dashboard/credits", least: viewer, handle: f.credits},
		{method: "POST", pattern: "/dashboard/credits/export.csv", least: viewer, handle: f.creditsExport},

		{method: "GET", pattern: "/dashboard/einstellungen/konto", least: admin, handle: f.account},
		{method: "GET", pattern: blindPath, least: admin, handle: f.blind},
		{method: "POST", pattern: blindPath, least: admin, handle: f.setBlind},
		{method: "GET", pattern: corePath, least: admin, handle: f.core},
		{method: "POST", pattern: corePath, least: admin, handle: f.setCore, max: maxCoreForm},
		{method: "POST", pattern: "/dashboard/einstellungen/konto/logo", least: admin, handle: f.accountLogo, max: maxLogoForm},
		{method: "POST", pattern: "/dashboard/einstellungen/konto/aufbewahrung/loeschen", least: owner, handle: f.allowErasure},
		{method: "POST", pattern: "/dashboard/einstellungen/konto/{teil}", least: admin, handle: f.accountSet},
		{method: "GET", pattern: noticePath, least: admin, handle: f.notice},
		{method: "POST", pattern: noticePath, least: admin, handle: f.noticeSet},
		{method: "GET", pattern: "/dashboard/logo/{hash}", least: interviewer, handle: f.logo},
		{method: "GET", pattern: "/dashboard/farbe/{farbe}", least: admin, handle: f.accentSheet},
		{method: "GET", pattern: homePath, least: interviewer, handle: f.candidates},
		{method: "GET", pattern: peoplePath, least: interviewer, handle: f.candidates},
		{method: "POST", pattern: "/dashboard/export", least: member, handle: f.exportList},
		{method: "GET", pattern: "/dashboard/sortierung", least: admin, handle: f.sorting},
		{method: "POST", pattern: "/dashboard/sortierung", least: admin, handle: f.setSorting},
		{method: "POST", pattern: bulkRemind.path, least: member, handle: f.remindMany},
		{method: "GET", pattern: bulkExtend.path, least: member, handle: f.ask(bulkExtend)},
		{method: "POST", pattern: bulkExtend.path, least: member, handle: f.extendMany},
		{method: "GET", pattern: bulkCancel.path, least: member, handle: f.ask(bulkCancel)},
		{method: "POST", pattern: bulkCancel.path, least: member, handle: f.cancelMany},
		{method: "GET", pattern: bulkErase.path, least: admin, handle: f.ask(bulkErase)},
		{method: "POST", pattern: bulkErase.path, least: admin, handle: f.eraseMany},
		{method: "GET", pattern: rejectPath, least: member, handle: f.deciding(f.askReject)},
		{method: "POST", pattern: rejectPath, least: member, handle: f.deciding(f.rejectMany), max: maxDecision},
		{method: "GET", pattern: rejectedPath, least: member, handle: f.rejected},
		{method: "POST", pattern: "/dashboard/auswahl/export", least: member, handle: f.exportChosen},
		{method: "GET", pattern: guidesPath, least: interviewer, handle: f.guideFiles},
		{method: "GET", pattern: comparePath, least: interviewer, handle: f.comparison},
		{method: "POST", pattern: comparePath, least: interviewer, handle: f.compareChosen},
		{method: "GET", pattern: "/dashboard/kandidat/{id}", least: interviewer, handle: f.candidate},
		{method: "GET", pattern: "/dashboard/kandidat/{id}/bericht.pdf", least: interviewer, handle: f.reportFile},
		{method: "GET", pattern: "/dashboard/kandidat/{id}/leitfaden", least: interviewer, handle: f.ofCandidate(f.guide)},
		{method: "GET", pattern: "/dashboard/kandidat/{id}/leitfaden.pdf", least: interviewer, handle: f.ofCandidate(f.guideFile)},
		{method: "GET", pattern: "/dashboard/kandidat/{id}/hinweise", least: interviewer, handle: f.ofCandidate(f.acknowledged)},
		{method: "POST", pattern: "/dashboard/kandidat/{id}/leitfaden", least: interviewer, handle: f.ofCandidate(f.rate), max: maxGuide},
		{method: "POST", pattern: "/dashboard/kandidat/{id}/leitfaden/entwurf", least: interviewer, handle: f.ofCandidate(f.keepDraft), max: maxGuide},
		{method: "POST", pattern: "/dashboard/kandidat/{id}/leitfaden/entwurf/verwerfen", least: interviewer, handle: f.ofCandidate(f.dropDraft), max: maxGuide},
		{method: "POST", pattern: "/dashboard/kandidat/{id}/trotzdem", least: interviewer, handle: f.sealed(f.openDoubtful)},
		{method: "POST", pattern: "/dashboard/kandidat/{id}/oeffnen", least: interviewer, handle: f.ofCandidate(f.openUnrated)},
		{method: "POST", pattern: "/dashboard/kandidat/{id}/erinnern", least: member, handle: f.ofCandidate(f.remind)},
		{method: "POST", pattern: "/dashboard/kandidat/{id}/senden", least: member, handle: f.ofCandidate(f.resend)},
		{method: "POST", pattern: "/dashboard/kandidat/{id}/verlaengern", least: member, handle: f.ofCandidate(f.extend)},
		{method: "POST", pattern: "/dashboard/kandidat/{id}/korrigieren", least: member, handle: f.ofCandidate(f.correct)},
		{method: "POST", pattern: "/dashboard/kandidat/{id}/notizen", least: member, handle: f.ofCandidate(f.addNote)},
		{method: "GET", pattern: "/dashboard/kandidat/{id}/notizen/{notiz}/loeschen", least: member, handle: f.ofCandidate(f.askDropNote)},
		{method: "POST", pattern: "/dashboard/kandidat/{id}/notizen/{notiz}/loeschen", least: member, handle: f.ofCandidate(f.dropNote)},
		{method: "POST", pattern: "/dashboard/kandidat/{id}/entscheidung", least: member, handle: f.sealed(f.decide), max: maxDecision},
		{method: "POST", pattern: "/dashboard/kandidat/{id}/stellungnahme", least: member, handle: f.sealed(f.comment), max: maxComment},
		{method: "POST", pattern: "/dashboard/kandidat/{id}/tags", least: member, handle: f.sealed(f.addTag)},
		{method: "POST", pattern: "/dashboard/kandidat/{id}/tags/entfernen", least: member, handle: f.sealed(f.dropTag)},

		{method: "GET", pattern: rolesPath, least: viewer, handle: f.roleProfiles},
		{method: "GET", pattern: "/dashboard/rollenprofile/{profil}", least: viewer, handle: f.roleProfile},

		{method: "GET", pattern: "/dashboard/einstellungen", least: interviewer, handle: f.settings},
		{method: "GET", pattern: "/dashboard/einstellungen/api-schluessel", least: viewer, handle: f.apiKeys},
		{method: "GET", pattern: "/dashboard/einstellungen/api-schluessel/neu", least: admin, handle: f.newKey},
		{method: "POST", pattern: "/dashboard/einstellungen/api-schluessel/neu", least: admin, handle: f.createKey},
		{method: "GET", pattern: "/dashboard/einstellungen/api-schluessel/protokoll", least: admin, handle: f.apiLog},
		{method: "GET", pattern: "/dashboard/einstellungen/api-schluessel/{id}/widerrufen", least: admin, handle: f.askRevokeKey},
		{method: "POST", pattern: "/dashboard/einstellungen/api-schluessel/{id}/widerrufen", least: admin, handle: f.revokeKey},
		{method: "GET", pattern: "/dashboard/einstellungen/webhooks", least: viewer, handle: f.webhooks},
		{method: "GET", pattern: "/dashboard/einstellungen/webhooks/neu", least: admin, handle: f.newEndpoint},
		{method: "POST", pattern: "/dashboard/einstellungen/webhooks/neu", least: admin, handle: f.createEndpoint},
		{method: "GET", pattern: "/dashboard/einstellungen/webhooks/{id}", least: admin, handle: f.endpoint},
		{method: "GET", pattern: "/dashboard/einstellungen/webhooks/{id}/bearbeiten", least: admin, handle: f.editEndpoint},
		{method: "POST", pattern: "/dashboard/einstellungen/webhooks/{id}/bearbeiten", least: admin, handle: f.changeEndpoint},
		{method: "POST", pattern: "/dashboard/einstellungen/webhooks/{id}/pausieren", least: admin, handle: f.pauseEndpoint},
		{method: "POST", pattern: "/dashboard/einstellungen/webhooks/{id}/fortsetzen", least: admin, handle: f.resumeEndpoint},
		{method: "GET", pattern: "/dashboard/einstellungen/webhooks/{id}/loeschen", least: admin, handle: f.askDeleteEndpoint},
		{method: "POST", pattern: "/dashboard/einstellungen/webhooks/{id}/loeschen", least: admin, handle: f.deleteEndpoint},
		{method: "GET", pattern: "/dashboard/einstellungen/webhooks/{id}/geheimnis", least: admin, handle: f.askSecret},
		{method: "POST", pattern: "/dashboard/einstellungen/webhooks/{id}/geheimnis", least: admin, handle: f.showSecret},
		{method: "POST", pattern: "/dashboard/einstellungen/webhooks/{id}/geheimnis/wechseln", least: admin, handle: f.rotateSecret},
		{method: "POST", pattern: "/dashboard/einstellungen/webhooks/{id}/geheimnis/umstellen", least: admin, handle: f.switchSecret},
		{method: "GET", pattern: "/dashboard/einstellungen/webhooks/{id}/geheimnis/beenden", least: admin, handle: f.askEndRotation},
		{method: "POST", pattern: "/dashboard/einstellungen/webhooks/{id}/geheimnis/beenden", least: admin, handle: f.endRotation},
		{method: "POST", pattern: "/dashboard/einstellungen/webhooks/{id}/test", least: admin, handle: f.sendTestEvent},
		{method: "GET", pattern: "/dashboard/einstellungen/webhooks/{id}/test/{delivery}", least: admin, handle: f.testEvent},
		{method: "GET", pattern: "/dashboard/einstellungen/profil", least: interviewer, handle: f.profile},
		{method: "POST", pattern: "/dashboard/einstellungen/profil", least: interviewer, handle: f.saveProfile},
		{method: "GET", pattern: "/dashboard/einstellungen/profil/passwort", least: interviewer, handle: f.passwordPage},
		{method: "POST", pattern: "/dashboard/einstellungen/profil/passwort", least: interviewer, handle: f.changePassword},
		{method: "GET", pattern: "/dashboard/einstellungen/profil/email", least: interviewer, handle: f.emailPage},
		{method: "POST", pattern: "/dashboard/einstellungen/profil/email", least: interviewer, handle: f.changeEmail},
		{method: "GET", pattern: "/dashboard/einstellungen/profil/zwei-faktor", least: interviewer, handle: f.totpPage},
		{method: "POST", pattern: "/dashboard/einstellungen/profil/zwei-faktor", least: interviewer, handle: f.startTOTP},
		{method: "POST", pattern: "/dashboard/einstellungen/profil/zwei-faktor/ein", least: interviewer, handle: f.turnOnTOTP},
		{method: "POST", pattern: "/dashboard/einstellungen/profil/zwei-faktor/aendern", least: interviewer, handle: f.changeTOTP},
		{method: "POST", pattern: "/dashboard/einstellungen/profil/sitzungen", least: interviewer, handle: f.endSession},
		{method: "GET", pattern: "/dashboard/einstellungen/team", least: viewer, handle: f.team},
		{method: "GET", pattern: "/dashboard/einstellungen/team/einladen", least: admin, handle: f.inviteUserPage},
		{method: "POST", pattern: "/dashboard/einstellungen/team/einladen", least: admin, handle: f.inviteUser},
		{method: "GET", pattern: "/dashboard/einstellungen/team/{id}", least: admin, handle: f.member},
		{method: "POST", pattern: "/dashboard/einstellungen/team/{id}/rolle", least: admin, handle: f.changeRole},
		{method: "GET", pattern: "/dashboard/einstellungen/team/{id}/entfernen", least: admin, handle: f.askRemoveUser},
		{method: "POST", pattern: "/dashboard/einstellungen/team/{id}/entfernen", least: admin, handle: f.removeUser},
		{method: "POST", pattern: "/dashboard/einstellungen/team/{id}/link", least: admin, handle: f.inviteUserAgain},
		{method: "POST", pattern: "/dashboard/einstellungen/team/{id}/sitzungen", least: admin, handle: f.endSessionsOf},
		{method: "GET", pattern: "/dashboard/einstellungen/team/{id}/zwei-faktor", least: owner, handle: f.askResetFactor},
		{method: "POST", pattern: "/dashboard/einstellungen/team/{id}/zwei-faktor", least: owner, handle: f.resetFactor},
		{method: "GET", pattern: "/dashboard/einstellungen/protokoll", least: admin, handle: f.audit},
		{method: "POST", pattern: "/dashboard/einstellungen/protokoll/csv", least: admin, handle: f.exportAudit},
		{method: "GET", pattern: "/dashboard/einstellungen/briefe", least: admin, handle: f.letters},
		{method: "POST", pattern: "/dashboard/einstellungen/briefe/probe", least: admin, handle: f.sendTrial},
		{method: "GET", pattern: "/dashboard/einstellungen/briefe/text/{brief}/{sprache}", least: admin, handle: f.letterTemplate},
		{method: "POST", pattern: "/dashboard/einstellungen/briefe/text/{brief}/{sprache}", least: admin, handle: f.saveLetterTemplate},
		{method: "GET", pattern: "/dashboard/einstellungen/briefe/text/{brief}/{sprache}/vorschau", least: admin, handle: f.previewLetter},
		{method: "POST", pattern: "/dashboard/einstellungen/briefe/text/{brief}/{sprache}/vorschau", least: admin, handle: f.previewLetter},
		{method: "GET", pattern: "/dashboard/einstellungen/briefe/text/{brief}/{sprache}/zuruecksetzen", least: admin, handle: f.askResetLetterTemplate},
		{method: "POST", pattern: "/dashboard/einstellungen/briefe/text/{brief}/{sprache}/zuruecksetzen", least: admin, handle: f.resetLetterTemplate},
		{method: "GET", pattern: "/dashboard/einstellungen/briefe/protokoll", least: admin, handle: f.letterLog},
		{method: "POST", pattern: "/dashboard/einstellungen/briefe/protokoll/{id}/erneut", least: admin, handle: f.retryLetter},

		{method: "POST", pattern: "/dashboard/sprache", least: interviewer, handle: f.setLanguage},
		{method: "POST", pattern: "/dashboard/darstellung", least: interviewer, handle: f.setTheme},
		{method: "POST", pattern: "/dashboard/meldung", least: interviewer, handle: f.dismiss},
	}...)
}
