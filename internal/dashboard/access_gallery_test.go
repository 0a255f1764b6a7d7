package dashboard

import (
	"testing"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/page"
	"typus/internal/store"
)

func init() { galleries = append(galleries, accessGallery, teamGallery) }

// door is the layout around a page before the login.
func door() frame { return frame{} }

func accessGallery(f *face, lang string, p persona) map[string]page.View {
	v := speaking(lang)
	email := field{Name: "email", Label: "access.email", Type: "email", Autocomplete: "username", Value: p.email, First: true}
	password := field{Name: "password", Label: "access.password", Type: "password", Autocomplete: "current-password"}
	faulty := email
	faulty.Fault = p.free
	owner, faultyOwner := email, faulty
	owner.Hint, faultyOwner.Hint = "access.emailHint", "access.emailHint"
	found := foundView{
		frame: door(), Action: "/einrichten", First: true, Token: p.free, Company: field{Name: "company", Label: "access.company", Value: p.account, Autocomplete: "organization"},
		Language: field{Name: "language", Label: "access.language", Hint: "access.languageHint", Options: f.languageOptions(v, lang)},
		Name:     field{Name: "name", Label: "access.name", Optional: true, Value: p.name, Autocomplete: "name"}, Email: owner, Password: newPasswordField("password"), Keep: newKeepField(),
	}
	signUp := found
	signUp.First, signUp.Token, signUp.Action, signUp.Email = false, "", "/registrieren", faultyOwner
	f.sum(&signUp.frame, v, &signUp.Company, &signUp.Email)
	wrong := door()
	again := email
	wrong.alert(f.say(v, "access.wrong"), &again)
	taken := door()
	taken.Fault, taken.Alert = true, f.say(v, "access.addressTaken")
	name := field{Name: "name", Label: "access.name", Optional: true, Value: p.name, Autocomplete: "name", First: true}
	login, own := presentLogin()
	return map[string]page.View{
		"login":          loginView{frame: door(), Email: email, Password: password, SignUp: true},
		"login-empty":    loginView{frame: door(), Email: email, Password: password, Setup: true},
		"login-wrong":    loginView{frame: wrong, Email: again, Password: password, Back: "/dashboard/kandidaten?suche=" + p.free},
		"code":           codeView{frame: door(), Code: codeField()},
		"forgot":         forgotView{frame: door(), Email: email, Mail: true},
		"forgot-sent":    forgotView{frame: door(), Email: email, Mail: true, Sent: true},
		"forgot-nomail":  forgotView{frame: door(), Email: email},
		"password":       setPasswordView{frame: door(), Email: p.email, Account: p.account, Name: name, Password: newPasswordField("password"), Action: "/passwort/x"},
		"password-join":  setPasswordView{frame: door(), Email: p.email, Account: p.account, Name: name, Password: newPasswordField("password"), Action: "/passwort/x", Invited: true},
		"dead":           deadLinkView{frame: door(), Mail: true},
		"dead-nomail":    deadLinkView{frame: door()},
		"confirm":        confirmView{frame: door(), Email: p.email, Action: "/bestaetigen/x"},
		"confirm-asking": confirmView{frame: door(), Email: p.email, Login: login, Password: own, Action: "/bestaetigen/x"},
		"takeback":       takeBackView{frame: door(), Email: p.email, Password: newPasswordField("password"), Action: "/zuruecknehmen/x"},
		"confirm-signup": confirmView{frame: door(), Email: p.email, Action: "/bestaetigen/x", SignUp: true, Password: &field{Name: "password", Label: "access.chosenPassword", Type: "password", Autocomplete: "current-password", First: true}},
		"confirm-taken":  confirmView{frame: taken, Email: p.email, Taken: true},
		"found-setup":    found,
		"found-signup":   signUp,
		"nosetup":        noSetupView{door()},
		"signedup":       signedUpView{door()},
		"nosignup":       noSignUpView{door()},
		"welcome":        welcomeView{p.shell("", ""), "https://typus.example.com", true},
		"welcome-nomail": welcomeView{p.shell("", ""), "https://typus.example.com", false},
	}
}

var someTime = time.Date(2026, time.November, 27, 10, 20, 0, 0, time.UTC)

func teamGallery(f *face, lang string, p persona) map[string]page.View {
	v := &visit{visitor: visitor{lang: lang, User: typus.User{ID: 1, Role: typus.RoleOwner}, Session: typus.Session{Verified: true}}}
	profile := profileView{
		frame: p.shell(areaSettings, sectionProfile), Email: p.email, Role: roleNames[typus.RoleOwner],
		Name: &field{Name: "name", Label: "access.name", Hint: "profile.nameHint", Optional: true, Value: p.name, Autocomplete: "name"},
		Sessions: []sessionRow{
			{ID: "1", Agent: "Firefox, Windows", IP: "192.0.2.7", SeenAt: someTime, CreatedAt: someTime, Current: true},
			{ID: "2", Agent: p.free, IP: "2001:db8:1234:5678:9abc:def0:1234:5678", SeenAt: someTime, CreatedAt: someTime},
			{ID: "3", SeenAt: someTime, CreatedAt: someTime},
		},
	}
	protected := profile
	protected.HasTOTP, protected.Left = true, 7
	crumbed := p.shell(areaSettings, sectionProfile)
	crumbed.Crumbs = profileCrumbs()
	code := codeField()
	code.First, code.Hint = false, ""
	qr, err := newQR(auth.TOTPLink(auth.NewTOTPSeed(), "Typus", "kim@example.com"))
	if err != nil {
		panic(err)
	}
	told := crumbed
	told.Flash = flash{Kind: "good", Text: f.say(v, "profile.totpOn"), Secret: "abcd-efgh-ijkl-mnop"}
	wrong := code
	wrong.Fault = f.say(v, "access.wrongCode")
	failed := totpView{frame: crumbed, On: true, Left: 1, Password: presentPassword(), Code: wrong}
	f.sum(&failed.frame, v, &failed.Password, &failed.Code)
	late := totpView{frame: crumbed, Late: true, Code: wrong}
	f.sum(&late.frame, v, &late.Code)

	kim := memberRow{ID: 1, Name: p.name, Email: p.email, Role: roleNames[typus.RoleOwner], HasTOTP: true, Sessions: 2, LastLogin: someTime, Since: someTime, Me: true, Editable: true}
	alex := memberRow{ID: 2, Email: "alex.mustermann@example.com", Role: roleNames[typus.RoleMember], Since: someTime, Editable: true}
	protectedAlex, present := alex, presentPassword()
	protectedAlex.Name, protectedAlex.HasTOTP, protectedAlex.Sessions = p.name, true, 1
	named := alex
	named.Name = alex.Email
	team := teamView{frame: p.shell(areaSettings, sectionTeam), Members: []memberRow{kim, alex}}
	pending := team
	pending.Invited, pending.Link = []memberRow{{ID: 3, Name: p.name, Email: p.email, Role: roleNames[typus.RoleViewer], Since: someTime, Editable: true}, {ID: 4, Email: p.email, Role: roleNames[typus.RoleViewer], Since: someTime}}, "https://typus.example.com/passwort/"+auth.NewSession()
	reading := team
	reading.frame.Me = &me{Email: p.email, Name: p.name, Account: p.account, Role: typus.RoleViewer, Credits: 12}
	teamCrumbs := p.shell(areaSettings, sectionTeam)
	teamCrumbs.Crumbs = []crumb{{Label: "shell.team", Path: teamPath}}
	roles := field{Name: "role", Label: "team.role", Options: f.roleOptions(v, typus.RoleMember)}
	invite := inviteUserView{
		frame: teamCrumbs, Email: field{Name: "email", Label: "access.email", Type: "email", Autocomplete: "off", Value: p.email, Fault: f.say(v, "team.known")},
		Name: field{Name: "name", Label: "team.inviteName", Autocomplete: "off", Optional: true, Value: p.name}, Role: roles,
		Language: field{Name: "language", Label: "access.language", Hint: "team.languageHint", Options: f.languageOptions(v, lang)},
	}
	f.sum(&invite.frame, v, &invite.Email, &invite.Name)
	reached := invite
	reached.frame = teamCrumbs
	reached.Reach = f.reachOf(v, galleryPlaces(p), true, []int64{2})
	reached.Reach.Positions.Fault = f.say(v, "reach.none")
	f.sum(&reached.frame, v, reached.fields()...)
	asked := invite
	asked.frame, asked.Email.Fault, asked.Email.First, asked.Ask = teamCrumbs, "", false, askTeam
	asked.Email.Value, asked.Ask.Typed, asked.Ask.Meant, asked.Ask.Focus = "kim@goglemail.com", "kim@goglemail.com", "kim@googlemail.com", true
	last := teamCrumbs
	last.Fault, last.Alert = true, f.say(v, "team.lastOwner")
	filter := store.AuditFilter{Action: "key.created", UserID: 1}
	audit := auditView{
		frame: p.shell(areaSettings, sectionAudit), Filtered: true, Older: "/dashboard/einstellungen/protokoll?vor=5", Newest: "/dashboard/einstellungen/protokoll", CSV: auditAddress(auditPath+"/csv", filter, 0),
		Action: field{Name: "aktion", Label: "audit.action", Options: f.actionOptions(v, filter.Action)},
		Person: field{Name: "person", Label: "audit.who", Options: f.personOptions(v, []typus.User{{ID: 1, Name: p.name, Email: p.email}}, filter)},
		Rows: []auditRow{
			{At: someTime, Who: p.email, What: f.action(v, "user.role_changed"), Detail: f.detail(v, typus.AuditEntry{Action: "user.role_changed", Detail: p.email + " member → admin"}), IP: "192.0.2.7"},
			{At: someTime, Who: "alexandra.mustermann-beispiel@example.com", What: f.action(v, "user.logged_in"), Detail: "alexandra.mustermann-beispiel@example.com", IP: "192.0.2.7"},
			{At: someTime, Who: f.actorName(v, "operator"), What: f.action(v, "candidate.finished_by_operator"), Candidate: 100000000000001, Name: p.name},
			{At: someTime, Who: p.email, What: f.action(v, "candidate.corrected"), Detail: f.detail(v, typus.AuditEntry{Action: "candidate.corrected", Detail: "name, email"}), Candidate: 100000000000002, Name: p.name, IP: "192.0.2.7"},
			{At: someTime, Who: p.email, What: f.action(v, "candidate.erased"), Candidate: 100000000000003, IP: "192.0.2.7"},
			{At: someTime, Who: f.actorName(v, ""), What: p.free, Detail: p.name, IP: "2001:db8::1"},
		},
	}
	empty := audit
	empty.Rows, empty.Older, empty.Newest, empty.Filtered = nil, "", "", false
	return map[string]page.View{
		"profile":           profile,
		"profile-totp":      protected,
		"profile-password":  changePasswordView{crumbed, presentPassword(), newPasswordField("new_password")},
		"profile-email":     changeEmailView{frame: crumbed, Now: p.email, Email: field{Name: "email", Label: "profile.newEmail", Type: "email", Autocomplete: "email", Value: p.email}, Password: presentPassword()},
		"totp-off":          totpView{frame: crumbed, Password: presentPassword(), Code: code},
		"totp-pending":      totpView{frame: crumbed, Pending: true, Seed: inGroups(auth.NewTOTPSeed()), QR: qr, Code: code},
		"totp-on":           totpView{frame: told, On: true, Left: 10, Codes: auth.NewRecoveryCodes(), Password: presentPassword(), Code: code},
		"totp-wrong":        failed,
		"totp-late":         late,
		"team":              team,
		"team-pending":      pending,
		"team-reading":      reading,
		"team-invite":       invite,
		"team-invite-reach": reached,
		"team-invite-meant": asked,
		"member-reach":      memberView{frame: teamCrumbs, Member: kim, Role: &roles, Path: teamPath + "/1", Reach: f.reachOf(v, galleryPlaces(p), false, []int64{2})},
		"member-admin":      memberView{frame: teamCrumbs, Member: kim, Role: &roles, Path: teamPath + "/1", Sees: "reach.everything", Reach: &reachForm{Positions: f.reachOf(v, galleryPlaces(p), false, nil).Positions}},
		"member":            memberView{frame: teamCrumbs, Member: kim, Role: &roles, Path: teamPath + "/1"},
		"member-factor":     memberView{frame: teamCrumbs, Member: protectedAlex, Reset: true, Role: &roles, Path: teamPath + "/2"},
		"resetfactor":       resetFactorView{frame: teamCrumbs, Member: protectedAlex, Password: &present, Back: teamPath + "/2"},
		"member-last":       memberView{frame: last, Member: kim, Role: &roles, Path: teamPath + "/1"},
		"member-invited":    memberView{frame: teamCrumbs, Member: named, Invited: true, Role: &roles, Path: teamPath + "/2"},
		"member-foreign":    memberView{frame: teamCrumbs, Member: memberRow{ID: 5, Name: p.name, Email: p.email, Role: roleNames[typus.RoleOwner], Since: someTime}, Path: teamPath + "/5"},
		"audit":             audit,
		"audit-empty":       empty,
	}
}

func TestABrowserIsNamedInWords(t *testing.T) {
	for header, want := range map[string]string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0":                                                       "Firefox, Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Safari/605.1.15":                  "Safari, macOS",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0":          "Edge, Windows",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/130.0 Mobile/15E148 Safari/604.1": "Chrome, iOS",
		"Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36":                           "Chrome, Android",
		"": "", "<script>": "",
	} {
		if got := agentWords(header); got != want {
			t.Errorf("%q is %q, want %q", header, got, want)
		}
	}
}
