package dashboard

import (
	"net/http"

	"typus"
)

// ownTermsView says when the candidates of the account see their own result.
type ownTermsView struct {
	frame
	Policy *field
	Reason *field
}

// Template names the page.
func (ownTermsView) Template() string { return "own_terms" }

// ownPolicies are the policies in words.
var ownPolicies = map[typus.OwnResultPolicy][2]string{
	typus.OwnResultReleased: {"own.policy.released", "own.policy.releasedHint"},
	typus.OwnResultAtOnce:   {"own.policy.atOnce", "own.policy.atOnceHint"},
	typus.OwnResultNone:     {"own.policy.none", "own.policy.noneHint"},
}

func (f *face) ownTermsView(fr frame, v *visit, terms typus.OwnResultTerms) ownTermsView {
	fr.Crumbs = []crumb{{Label: "shell.account", Path: accountPath}}
	view := ownTermsView{
		frame:  fr,
		Policy: &field{Name: "policy", Label: "own.policy", Hint: "own.policyHint"},
		Reason: &field{Name: "reason", Label: "own.reason", Hint: "own.reasonHint", Rows: 3, Optional: true, Value: terms.Reason},
	}
	for _, p := range typus.OwnResultPolicies() {
		words := ownPolicies[p]
		view.Policy.Options = append(view.Policy.Options, option{Value: string(p), Label: f.say(v, words[0]), Hint: f.say(v, words[1]), Chosen: p == terms.Policy})
	}
	view.Seen = seen(view.Policy, view.Reason)
	return view
}

func (f *face) ownTerms(v *visit) error {
	return f.render(v, http.StatusOK, f.ownTermsView(f.settingsFrame(v, sectionOwn), v, v.Account.OwnResult))
}

// setOwnTerms stores when candidates see their own result.
func (f *face) setOwnTerms(v *visit) error {
	view := f.ownTermsView(f.settingsFrame(v, sectionOwn), v, v.Account.OwnResult)
	if overtaken(v, view.Policy, view.Reason) {
		f.compare(&view.frame, v, view.Policy, view.Reason)
		return f.render(v, http.StatusConflict, view)
	}
	terms := typus.OwnResultTerms{Policy: typus.OwnResultPolicy(v.PostFormValue("policy")), Reason: v.PostFormValue("reason")}
	err := f.Accounts.SetOwnTerms(v.Context(), v.Account.ID, terms, v.actor())
	if typus.Is(err, typus.Invalid) {
		for i, o := range view.Policy.Options {
			view.Policy.Options[i].Chosen = o.Value == v.PostFormValue("policy")
		}
		view.Reason.Value = terms.Reason
		f.blame(&view.frame, v, err, view.Policy, view.Reason)
		return f.render(v, http.StatusUnprocessableEntity, view)
	}
	if err != nil {
		return err
	}
	return f.done(v, ownTermsPath, f.say(v, "own.termsKept"))
}
