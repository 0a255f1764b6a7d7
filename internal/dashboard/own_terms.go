package dashboard

import (
	"net/http"

	"typus"
)

// ownTermsView says when candidates see their own result: those of the account, or of one of
// its positions.
type ownTermsView struct {
	frame
	Back   string
	Action string
	Name   string // of the position, "" for the account
	Policy *field
	Reason *field
}

// Template names the page.
func (ownTermsView) Template() string { return "own_terms" }

// ofAccount is the choice by which a position leaves it to the account, as forms send it.
const ofAccount = "konto"

// ownPolicies are the policies in words.
var ownPolicies = map[typus.OwnResultPolicy][2]string{
	ofAccount:               {"own.policy.account", "own.policy.accountHint"},
	typus.OwnResultReleased: {"own.policy.released", "own.policy.releasedHint"},
	typus.OwnResultAtOnce:   {"own.policy.atOnce", "own.policy.atOnceHint"},
	typus.OwnResultNone:     {"own.policy.none", "own.policy.noneHint"},
}

func (f *face) ownTermsView(fr frame, v *visit, terms typus.OwnResultTerms, policies ...typus.OwnResultPolicy) ownTermsView {
	view := ownTermsView{
		frame: fr, Back: accountPath, Action: ownTermsPath,
		Policy: &field{Name: "policy", Label: "own.policy", Hint: "own.policyHint"},
		Reason: &field{Name: "reason", Label: "own.reason", Hint: "own.reasonHint", Rows: 3, Value: terms.Reason, Depends: true},
	}
	for _, p := range policies {
		words := ownPolicies[p]
		view.Policy.Options = append(view.Policy.Options, option{Value: string(p), Label: f.say(v, words[0]), Hint: f.say(v, words[1]), Chosen: p == terms.Policy})
	}
	view.Seen = seen(view.Policy, view.Reason)
	return view
}

func (f *face) accountTerms(v *visit, terms typus.OwnResultTerms) ownTermsView {
	return f.ownTermsView(f.settingsFrame(v, sectionOwn), v, terms, typus.OwnResultPolicies()...)
}

func (f *face) positionTerms(v *visit, p typus.Position, terms typus.OwnResultTerms) ownTermsView {
	terms = terms.Or(typus.OwnResultTerms{Policy: ofAccount})
	view := f.ownTermsView(f.positionFrame(v, p), v, terms, append([]typus.OwnResultPolicy{ofAccount}, typus.OwnResultPolicies()...)...)
	view.Name, view.Back = f.positionName(v, p), positionPath(p)
	view.Action = view.Back + "/ergebnis"
	return view
}

func (f *face) ownTerms(v *visit) error {
	return f.render(v, http.StatusOK, f.accountTerms(v, v.Account.OwnResult))
}

func (f *face) ownTermsOf(v *visit, p typus.Position) error {
	return f.render(v, http.StatusOK, f.positionTerms(v, p, p.OwnResult))
}

// changeTerms makes something of terms as they are, false: nothing.
type changeTerms = func(now typus.OwnResultTerms) (typus.OwnResultTerms, bool)

// setOwnTerms stores when the candidates of the account see their own result.
func (f *face) setOwnTerms(v *visit) error {
	view := func(now typus.OwnResultTerms) ownTermsView { return f.accountTerms(v, now) }
	return f.keepTerms(v, view, func(change changeTerms) error {
		return f.Accounts.SetOwnTerms(v.Context(), v.Account.ID, v.actor(), change)
	})
}

// setOwnTermsOf stores it for a position.
func (f *face) setOwnTermsOf(v *visit, p typus.Position) error {
	view := func(now typus.OwnResultTerms) ownTermsView { return f.positionTerms(v, p, now) }
	return f.keepTerms(v, view, func(change changeTerms) error {
		return f.Accounts.SetPositionOwnTerms(v.Context(), v.Reader, p.ID, v.actor(), func(now typus.OwnResultTerms) (typus.OwnResultTerms, bool) {
			terms, goOn := change(now)
			if terms.Policy == ofAccount {
				terms.Policy = ""
			}
			return terms, goOn
		})
	})
}

// keepTerms stores what was typed unless others stand there than the form showed. What cannot
// be stored stays in the form.
func (f *face) keepTerms(v *visit, viewOf func(now typus.OwnResultTerms) ownTermsView, keep func(changeTerms) error) error {
	typed := typus.OwnResultTerms{Policy: typus.OwnResultPolicy(v.PostFormValue("policy")), Reason: v.PostFormValue("reason")}
	var (
		view ownTermsView
		late bool
	)
	err := keep(func(now typus.OwnResultTerms) (typus.OwnResultTerms, bool) {
		view = viewOf(now)
		late = overtaken(v, view.Policy, view.Reason)
		return typed, !late
	})
	switch {
	case late && err == nil:
		f.compare(&view.frame, v, view.Policy, view.Reason)
		return f.render(v, http.StatusConflict, view)
	case typus.Is(err, typus.Invalid):
		for i, o := range view.Policy.Options {
			view.Policy.Options[i].Chosen = o.Value == v.PostFormValue("policy")
		}
		view.Reason.Value, view.Seen = v.PostFormValue("reason"), v.PostFormValue(seenName)
		f.blame(&view.frame, v, err, view.Policy, view.Reason)
		return f.render(v, http.StatusUnprocessableEntity, view)
	case err != nil:
		return err
	}
	return f.done(v, view.Action, f.say(v, "own.termsKept"))
}
