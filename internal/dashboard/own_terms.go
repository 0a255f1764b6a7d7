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
		Reason: &field{Name: "reason", Label: "own.reason", Hint: "own.reasonHint", Rows: 3, Value: terms.Reason},
	}
	for _, p := range policies {
		words := ownPolicies[p]
		view.Policy.Options = append(view.Policy.Options, option{Value: string(p), Label: f.say(v, words[0]), Hint: f.say(v, words[1]), Chosen: p == terms.Policy})
	}
	view.Seen = seen(view.Policy, view.Reason)
	return view
}

func (f *face) accountTerms(v *visit) ownTermsView {
	return f.ownTermsView(f.settingsFrame(v, sectionOwn), v, v.Account.OwnResult, typus.OwnResultPolicies()...)
}

func (f *face) positionTerms(v *visit, p typus.Position) ownTermsView {
	terms := p.OwnResult.Or(typus.OwnResultTerms{Policy: ofAccount})
	view := f.ownTermsView(f.positionFrame(v, p), v, terms, append([]typus.OwnResultPolicy{ofAccount}, typus.OwnResultPolicies()...)...)
	view.Name, view.Back = f.positionName(v, p), positionPath(p)
	view.Action = view.Back + "/ergebnis"
	return view
}

func (f *face) ownTerms(v *visit) error { return f.render(v, http.StatusOK, f.accountTerms(v)) }

func (f *face) ownTermsOf(v *visit, p typus.Position) error {
	return f.render(v, http.StatusOK, f.positionTerms(v, p))
}

// setOwnTerms stores when the candidates of the account see their own result.
func (f *face) setOwnTerms(v *visit) error {
	return f.keepTerms(v, f.accountTerms(v), func(terms typus.OwnResultTerms) error {
		return f.Accounts.SetOwnTerms(v.Context(), v.Account.ID, terms, v.actor())
	})
}

// setOwnTermsOf stores it for a position.
func (f *face) setOwnTermsOf(v *visit, p typus.Position) error {
	return f.keepTerms(v, f.positionTerms(v, p), func(terms typus.OwnResultTerms) error {
		if terms.Policy == ofAccount {
			terms.Policy = ""
		}
		return f.Accounts.SetPositionOwnTerms(v.Context(), v.Reader, p.ID, terms, v.actor())
	})
}

// keepTerms stores what was typed. What cannot be stored stays in the form.
func (f *face) keepTerms(v *visit, view ownTermsView, keep func(typus.OwnResultTerms) error) error {
	if overtaken(v, view.Policy, view.Reason) {
		f.compare(&view.frame, v, view.Policy, view.Reason)
		return f.render(v, http.StatusConflict, view)
	}
	err := keep(typus.OwnResultTerms{Policy: typus.OwnResultPolicy(v.PostFormValue("policy")), Reason: v.PostFormValue("reason")})
	if typus.Is(err, typus.Invalid) {
		for i, o := range view.Policy.Options {
			view.Policy.Options[i].Chosen = o.Value == v.PostFormValue("policy")
		}
		view.Reason.Value = v.PostFormValue("reason")
		f.blame(&view.frame, v, err, view.Policy, view.Reason)
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	if err != nil {
		return err
	}
	return f.done(v, view.Action, f.say(v, "own.termsKept"))
}
