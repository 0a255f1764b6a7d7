package notice

import "typus"

// A Gap is something that the notice of an account leaves to somebody who will tell it.
type Gap string

// The gaps, in the order of the notice.
const (
	GapPeriod      Gap = "period"
	GapOperator    Gap = "operator"  // who runs the server, and in which country
	GapAbroad      Gap = "abroad"    // whether data leave the European Economic Area
	GapSafeguard   Gap = "safeguard" // what allows that
	GapConsequence Gap = "consequence"
	GapOfficer     Gap = "officer"
)

// Missing are the gaps in the notice of an account; an invitation goes out with them too.
// The legal basis is never one, because the notice has a text of its own for it, nor is
// the client, whom only agencies have.
func Missing(account typus.Account) []Gap {
	w := writer{language: "de", account: account, facts: account.Notice}
	_, located := CountryOf(w.facts.Country)
	_, abroad := w.abroad()
	var gaps []Gap
	for _, check := range []struct {
		gap  Gap
		open bool
	}{
		{GapPeriod, account.KeepFinishedDays == 0 && !w.facts.Period.Any()},
		{GapOperator, w.facts.Operator == "" || !located},
		{GapAbroad, !abroad && w.facts.Abroad != typus.AbroadNone},
		{GapSafeguard, abroad && w.safeguard() == nil},
		{GapConsequence, w.facts.Consequence == typus.ConsequenceOpen || w.facts.Consequence == typus.ConsequenceOwn && !w.facts.ConsequenceOwn.Any()},
		{GapOfficer, w.facts.Officer == ""},
	} {
		if check.open {
			gaps = append(gaps, check.gap)
		}
	}
	return gaps
}
