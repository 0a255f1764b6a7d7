package dashboard

import (
	"net/http"
	"time"

	"typus"
	"typus/internal/access"
)

// teamView lists the people of the account.
type teamView struct {
	frame
	Members, Invited []memberRow
	Link             string // of an invitation, shown this once
}

// Template names the page.
func (teamView) Template() string { return "team" }

// memberRow is one person.
type memberRow struct {
	ID          int64
	Name, Email string
	Role        string // text key
	HasTOTP     bool
	Sessions    int
	LastLogin   time.Time
	Since       time.Time
	Me          bool
	Editable    bool
}

func newMemberRow(v *visit, u typus.User, sessions int) memberRow {
	return memberRow{
		ID: u.ID, Name: u.Name, Email: u.Email, Role: roleNames[u.Role], HasTOTP: u.HasTOTP, Sessions: sessions,
		LastLogin: u.LastLoginAt, Since: u.CreatedAt, Me: u.ID == v.User.ID, Editable: v.mayEdit(u),
	}
}

func (f *face) team(v *visit) error {
	users, err := f.Store.Users(v.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	view := teamView{frame: f.settingsFrame(v, sectionTeam)}
	view.Link = view.Flash.Secret
	var counts map[int64]int
	if v.may(admin) {
		if counts, err = f.Store.SessionCounts(v.Context(), v.Account.ID, f.now()); err != nil {
			return err
		}
	}
	for _, u := range users {
		row := newMemberRow(v, u, counts[u.ID])
		if u.HasPassword {
			view.Members = append(view.Members, row)
		} else {
			view.Invited = append(view.Invited, row)
		}
	}
	return f.render(v, http.StatusOK, view)
}

// mayEdit reports whether the visitor may change a user. Only owners may change owners.
func (v visitor) mayEdit(u typus.User) bool {
	return v.may(admin) && (u.Role != typus.RoleOwner || v.may(owner))
}

// inviteUserView asks whom to invite to the team.
type inviteUserView struct {
	frame
	Email, Name, Role, Language field
	Reach                       *reachForm // nil while there is only the default position
	Ask                         askedAddress
}

// Template names the page.
func (inviteUserView) Template() string { return "team_invite" }

func (f *face) inviteUserView(v *visit) (inviteUserView, error) {
	view := inviteUserView{
		frame:    f.settingsFrame(v, sectionTeam),
		Email:    field{Name: "email", Label: "access.email", Type: "email", Autocomplete: "off"},
		Name:     field{Name: "name", Label: "team.inviteName", Autocomplete: "off", Optional: true},
		Role:     field{Name: "role", Label: "team.role", Options: f.roleOptions(v, typus.RoleMember)},
		Language: field{Name: "language", Label: "access.language", Hint: "team.languageHint", Options: f.languageOptions(v, v.Account.Language)},
	}
	view.Crumbs = []crumb{{Label: "shell.team", Path: teamPath}}
	all, err := f.Store.Positions(v.Context(), v.Reader)
	if len(all) > 1 {
		view.Reach = f.reachOf(v, all, true, nil)
	}
	return view, err
}

func (i *inviteUserView) fields() []*field {
	return append([]*field{&i.Email, &i.Name, &i.Role, &i.Language}, i.Reach.fields()...)
}

// roleHints say what each role may do.
var roleHints = map[typus.UserRole]string{
	typus.RoleOwner: "team.ownerHint", typus.RoleAdmin: "team.adminHint", typus.RoleMember: "team.memberHint", typus.RoleViewer: "team.viewerHint",
	typus.RoleInterviewer: "team.interviewerHint",
}

// roleOptions are the roles that the visitor may give.
func (f *face) roleOptions(v *visit, chosen typus.UserRole) []option {
	var options []option
	for _, role := range typus.UserRoles() {
		if role == typus.RoleOwner && !v.may(owner) {
			continue
		}
		options = append(options, option{Value: string(role), Label: f.say(v, roleNames[role]), Hint: f.say(v, roleHints[role]), Chosen: role == chosen})
	}
	return options
}

func (f *face) inviteUserPage(v *visit) error {
	view, err := f.inviteUserView(v)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}

func (f *face) inviteUser(v *visit) error {
	takeMeant(v)
	u := typus.User{
		AccountID: v.Account.ID, Email: v.PostFormValue("email"), Name: v.PostFormValue("name"),
		Role: typus.UserRole(v.PostFormValue("role")), Language: knownLanguage(v.PostFormValue("language")),
	}
	view, err := f.inviteUserView(v)
	if err != nil {
		return err
	}
	fields := view.fields()
	view.Ask = askedOf(v, askTeam)
	if view.Ask.Meant != "" && writable(view.Ask.Typed) {
		fill(v, fields...)
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	view.Ask = view.Ask.answered()
	var reach []access.Reach
	if view.Reach != nil {
		chosen, sound := f.typedReach(v, view.Reach, u.Role, nil)
		if !sound {
			fill(v, fields...)
			f.sum(&view.frame, v, fields...)
			return f.render(v, http.StatusUnprocessableEntity, view)
		}
		reach = append(reach, chosen)
	}
	link, err := f.Access.InviteUser(v.Context(), u, v.actor(), reach...)
	if err == nil {
		return f.invited(v, link)
	}
	if sent, err := f.sentBefore(v, err, to(teamPath)); sent {
		return err
	}
	fill(v, fields...)
	status := http.StatusUnprocessableEntity
	switch {
	case f.blame(&view.frame, v, err, fields...):
	case typus.Is(err, typus.TooMany):
		if status, err = f.refusalAt(&view.frame, v, err, "fault.form", &view.Email, fields[1:]...); err != nil {
			return err
		}
	case typus.Is(err, typus.Conflict):
		view.Email.Fault = f.say(v, "team.known")
		f.sum(&view.frame, v, fields...)
	case typus.Is(err, typus.Forbidden):
		return f.refuse(v)
	default:
		return err
	}
	return f.render(v, status, view)
}

// invited says that a letter brings the link. Without a mail server the link is shown
// this once, because nothing else can bring it. With a mail server it is not shown:
// whoever sees it could accept in place of a person of whom they know only the address.
func (f *face) invited(v *visit, link string) error {
	if f.Mail {
		return f.done(v, teamPath, f.say(v, "team.invited"))
	}
	return f.reveal(v, teamPath, link, f.say(v, "team.invitedByHand"))
}

// memberView changes one person of the team.
type memberView struct {
	frame
	Member  memberRow
	Invited bool
	Mail    bool // brings the link of an invitation; otherwise it is shown
	Role    *field
	Path    string
	Reset   bool       // the visitor may take the second factor away
	Reach   *reachForm // nil where nothing is to be chosen
	Sees    string     // text key: whose candidates the role reads in any case
	Shown   string     // what the form about the reach showed

	positions []typus.Position // from which the form lets choose
}

// Template names the page.
func (memberView) Template() string { return "member" }

// memberOf reads the user that an address names. NotFound.
func (f *face) memberOf(v *visit) (typus.User, error) {
	id, err := pathID(v)
	if err != nil {
		return typus.User{}, err
	}
	return f.Store.User(v.Context(), v.Account.ID, id)
}

// userRoleField is the choice of a role, as it is stored of a user.
func (f *face) userRoleField(v *visit, u typus.User) *field {
	return &field{Name: "role", Label: "team.role", Options: f.roleOptions(v, u.Role)}
}

func (f *face) memberView(v *visit, u typus.User) (memberView, error) {
	counts, err := f.Store.SessionCounts(v.Context(), v.Account.ID, f.now())
	view := memberView{
		frame: f.settingsFrame(v, sectionTeam), Invited: !u.HasPassword, Mail: f.Mail, Path: memberPath(u.ID),
		Member: newMemberRow(v, u, counts[u.ID]), Reset: v.mayReset(u),
		Role: f.userRoleField(v, u),
	}
	view.Member.Name, view.Seen = u.Called(), seen(view.Role)
	view.Crumbs = []crumb{{Label: "shell.team", Path: teamPath}}
	if err != nil {
		return view, err
	}
	return view, f.reachOfMember(&view, v, u)
}

// reachOfMember fills in whose candidates a person reads.
func (f *face) reachOfMember(view *memberView, v *visit, u typus.User) error {
	all, err := f.Store.Positions(v.Context(), v.Reader)
	if err != nil || len(all) < 2 && !u.OnlyNamed {
		return err
	}
	naming, err := f.Store.PositionsNaming(v.Context(), v.Account.ID, u.ID)
	if err != nil {
		return err
	}
	view.positions, view.Reach = all, f.reachOfRole(v, all, u, naming)
	switch u.Role {
	case typus.RoleOwner:
		view.Sees = "reach.owner"
		return nil
	case typus.RoleAdmin:
		view.Sees = "reach.everything"
	}
	view.Shown = seen(view.Reach.fields()...)
	return nil
}

func (f *face) member(v *visit) error {
	u, err := f.memberOf(v)
	if err != nil {
		return err
	}
	view, err := f.memberView(v, u)
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}

// memberFailed says why a change of a person was refused.
func (f *face) memberFailed(v *visit, u typus.User, err error) error {
	switch typus.KindOf(err) {
	case typus.Forbidden:
		return f.refuse(v)
	case typus.Conflict, typus.Invalid, typus.TooMany:
	default:
		return err
	}
	view, viewErr := f.memberView(v, u)
	if viewErr != nil {
		return viewErr
	}
	view.Fault, view.Alert = true, f.say(v, "team.lastOwner")
	if view.Invited {
		view.Alert = f.say(v, "team.accepted")
	}
	status := http.StatusUnprocessableEntity
	switch typus.KindOf(err) {
	case typus.Invalid:
		view.Alert = f.say(v, "fault.form")
	case typus.TooMany:
		if status, view.Alert, viewErr = f.denied(v, err, "fault.form"); viewErr != nil {
			return viewErr
		}
	}
	return f.render(v, status, view)
}

func (f *face) changeRole(v *visit) error {
	u, err := f.memberOf(v)
	if err != nil {
		return err
	}
	late := false
	in, err := f.Access.ChangeRole(v.Context(), v.Account.ID, u.ID, typus.UserRole(v.PostFormValue("role")), v.Session, v.actor(), func(now typus.User) bool {
		u = now
		late = overtaken(v, f.userRoleField(v, now))
		return !late
	})
	if err != nil {
		return f.memberFailed(v, u, err)
	}
	if late {
		view, err := f.memberView(v, u)
		if err != nil {
			return err
		}
		f.compare(&view.frame, v, view.Role)
		return f.render(v, http.StatusConflict, view)
	}
	f.keep(v, in)
	return f.done(v, teamPath, f.say(v, "team.roleChanged", "Name", u.Called()))
}

// askRemoveUser asks whether a person is to lose the access to the account.
func (f *face) askRemoveUser(v *visit) error {
	u, err := f.memberOf(v)
	if err != nil {
		return err
	}
	if !v.mayEdit(u) {
		return f.refuse(v)
	}
	view := f.removeUserView(f.settingsFrame(v, sectionTeam), v, u)
	if view.Made, err = f.madeBy(v, u); err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}

func (f *face) removeUserView(fr frame, v *visit, u typus.User) removalView {
	view := removalView{
		frame: fr, Heading: "team.removeHeading", What: "team.removeLead", Do: "team.removeHeading", Back: memberPath(u.ID),
		Facts: []fact{{Label: "access.email", Text: u.Email}, {Label: "team.role", Text: f.say(v, roleNames[u.Role])}},
	}
	if u.Name != "" {
		view.Facts = append([]fact{{Label: "team.person", Text: u.Name}}, view.Facts...)
	}
	if u.ID == v.User.ID {
		view.What = "team.removeMe"
	}
	view.Crumbs = []crumb{{Label: "shell.team", Path: teamPath}, {Name: u.Called(), Path: view.Back}}
	return view
}

func (f *face) removeUser(v *visit) error {
	u, err := f.memberOf(v)
	if err != nil {
		return err
	}
	if err := f.Access.RemoveUser(v.Context(), v.Account.ID, u.ID, v.actor()); err != nil {
		return f.memberFailed(v, u, err)
	}
	return f.done(v, teamPath, f.say(v, "team.removed", "Name", u.Called()))
}

func (f *face) inviteUserAgain(v *visit) error {
	u, err := f.memberOf(v)
	if err != nil {
		return err
	}
	link, err := f.Access.InviteUserAgain(v.Context(), v.Account.ID, u.ID, v.actor())
	if sent, err := f.sentBefore(v, err, to(teamPath)); sent {
		return err
	}
	if err != nil {
		return f.memberFailed(v, u, err)
	}
	return f.invited(v, link)
}

func (f *face) endSessionsOf(v *visit) error {
	u, err := f.memberOf(v)
	if err != nil {
		return err
	}
	if err := f.Access.EndSessionsOf(v.Context(), v.Account.ID, u.ID, v.actor()); err != nil {
		return f.memberFailed(v, u, err)
	}
	return f.done(v, teamPath, f.say(v, "team.sessionsEnded", "Name", u.Called()))
}
