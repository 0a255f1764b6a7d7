package dashboard

import (
	"net/http"
	"strconv"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/panel"
)

// roleRoundView shows the newest round of experts of a role profile: who is asked, and
// what they said once it has ended.
type roleRoundView struct {
	frame
	roleRow
	Round    typus.RoleRound
	Open     bool
	Until    time.Time
	Experts  []expertRow
	Answered int
	Few      bool // it is asked whether the round is to end, although too few have answered to say anything
	Council  councilView
}

// Template names the page.
func (roleRoundView) Template() string { return "role_round" }

// expertRow is one expert; Link is "" once it is of no use.
type expertRow struct {
	Name, Task, Link string
	Answered         time.Time
}

// councilView is what the experts say, without saying who said what.
type councilView struct {
	panel.Council
	Rows []councilRow
	Why  string // text key of why nothing is proposed, "" where something is
}

// councilRow is one dimension.
type councilRow struct {
	panel.Dimension
	Name, Agreement  string
	Middle, From, To string // the median, and the lowest and the highest rater's mean
	FromStart        int    // percent
}

// agreementTexts are the words for how far the experts agree.
var agreementTexts = map[panel.Agreement]string{
	panel.AgreementUnknown: "roles.agreement.unknown", panel.AgreementNone: "roles.agreement.none", panel.AgreementWeak: "roles.agreement.weak",
	panel.AgreementModerate: "roles.agreement.moderate", panel.AgreementStrong: "roles.agreement.strong", panel.AgreementVery: "roles.agreement.very",
}

// missingTexts say why nothing is proposed.
var missingTexts = map[panel.Missing]string{
	panel.MissingRaters: "roles.missing.raters", panel.MissingJudges: "roles.missing.judges", panel.MissingWeight: "roles.missing.weight",
}

func (f *face) councilView(v *visit, experts []typus.RoleExpert) councilView {
	c := councilView{Council: accounts.CouncilOf(f.Instrument.Dimensions(), experts)}
	c.Why = missingTexts[c.Missing]
	for _, d := range c.Dimensions {
		c.Rows = append(c.Rows, councilRow{
			d, inWords(f.Instrument.DimensionName(v.lang, d.Key), d.Key), f.say(v, agreementTexts[d.Agreement]),
			rounded(v.lang, d.Median, 1), rounded(v.lang, d.Low, 1), rounded(v.lang, d.High, 1), percent(d.Start),
		})
	}
	return c
}

// round shows the experts of a role profile, or the form that asks them.
func (f *face) round(v *visit) error {
	p, err := f.ownRole(v, v.PathValue("profil"))
	if err != nil {
		return err
	}
	rounds, err := f.Store.RoleRounds(v.Context(), v.Account.ID, p.ID)
	if err != nil {
		return err
	}
	if len(rounds) == 0 || v.URL.Query().Has("neu") && !rounds[0].Open(f.now()) {
		return f.render(v, http.StatusOK, f.roleAskView(v, f.roleFrame(v), &p, ""))
	}
	view, err := f.roundView(v, f.roleFrame(v), p, rounds[0])
	if err != nil {
		return err
	}
	return f.render(v, http.StatusOK, view)
}

func (f *face) roundView(v *visit, fr frame, p typus.RoleProfile, r typus.RoleRound) (roleRoundView, error) {
	experts, err := f.Store.RoleExperts(v.Context(), v.Account.ID, r.ID)
	if err != nil {
		return roleRoundView{}, err
	}
	view := roleRoundView{frame: fr, roleRow: ownRoleRow(p), Round: r, Open: r.Open(f.now()), Until: r.CreatedAt.AddDate(0, accounts.ExpertsNamed, 0)}
	view.Crumbs = append(view.Crumbs, crumb{Name: view.Name, Path: view.Path})
	for _, e := range experts {
		row := expertRow{Name: e.Name, Task: e.Task, Answered: e.AnsweredAt}
		if !e.AnsweredAt.IsZero() {
			view.Answered++
		} else if view.Open {
			if row.Link, err = f.Accounts.ExpertLink(v.Account, e); err != nil {
				return view, err
			}
		}
		view.Experts = append(view.Experts, row)
	}
	if !view.Open {
		view.Council = f.councilView(v, experts)
	}
	return view, nil
}

// askExperts asks experts about a role profile.
func (f *face) askExperts(v *visit) error {
	p, err := f.ownRole(v, v.PathValue("profil"))
	if err != nil {
		return err
	}
	err = f.Accounts.AskExperts(v.Context(), v.Account.ID, p.ID, typedExperts(v), v.lang, v.actor())
	switch {
	case typus.Is(err, typus.Conflict):
		return f.undone(v, roundPath(p.Key()), f.say(v, "roles.askedAlready"))
	case err != nil:
		return f.unasked(v, f.roleAskView(v, f.roleFrame(v), &p, ""), err)
	}
	return f.done(v, roundPath(p.Key()), f.say(v, "roles.asked"))
}

// onRound does something to a round that the form names.
func (f *face) onRound(v *visit, said string, do func(profileID, roundID int64) error) error {
	p, err := f.ownRole(v, v.PathValue("profil"))
	if err != nil {
		return err
	}
	id, err := strconv.ParseInt(v.PostFormValue("runde"), 10, 64)
	if err != nil {
		return typus.Errorf(typus.NotFound, "there is no such round of experts")
	}
	if err := do(p.ID, id); err != nil {
		return err
	}
	return f.done(v, roundPath(p.Key()), f.say(v, said))
}

// roundToClose is the page of the newest round of the role profile in the address. NotFound
// where nobody was asked.
func (f *face) roundToClose(v *visit) (roleRoundView, error) {
	p, err := f.ownRole(v, v.PathValue("profil"))
	if err != nil {
		return roleRoundView{}, err
	}
	rounds, err := f.Store.RoleRounds(v.Context(), v.Account.ID, p.ID)
	if err == nil && len(rounds) == 0 {
		err = typus.Errorf(typus.NotFound, "nobody was asked")
	}
	if err != nil {
		return roleRoundView{}, err
	}
	return f.roundView(v, f.roleFrame(v), p, rounds[0])
}

// closeRound ends a round. Where too few have answered to say anything, it asks before.
func (f *face) closeRound(v *visit) error {
	if v.PostFormValue("bestaetigt") == "" {
		view, err := f.roundToClose(v)
		if err != nil {
			return err
		}
		if view.Open && view.Answered < panel.Fewest && strconv.FormatInt(view.Round.ID, 10) == v.PostFormValue("runde") {
			view.Few = true
			view.alert(f.say(v, "roles.round.few", "Answered", view.Answered, "All", len(view.Experts)))
			return f.render(v, http.StatusUnprocessableEntity, view)
		}
	}
	return f.onRound(v, "roles.closed", func(p, r int64) error { return f.Accounts.CloseRound(v.Context(), v.Account.ID, p, r, v.actor()) })
}

// eraseExperts erases who the experts were.
func (f *face) eraseExperts(v *visit) error {
	return f.onRound(v, "roles.namesErased", func(p, r int64) error { return f.Accounts.EraseExperts(v.Context(), v.Account.ID, p, r, v.actor()) })
}
