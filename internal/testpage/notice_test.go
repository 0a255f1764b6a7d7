package testpage

import (
	"strings"
	"testing"

	"typus"
)

// What the account has set is what the candidate is told; another period is
// another text, and another version of it.
func TestTheNoticeNamesThePeriodThatTheAccountHasSet(t *testing.T) {
	f := newTestFace(t)
	account := typus.Account{Name: "Muster GmbH"}
	open, err := f.notice("de", account)
	if err != nil || !strings.Contains(open.Text, "Die genaue Frist nennt Ihnen Muster GmbH") {
		t.Errorf("%v: %s", err, open.Text)
	}
	account.KeepFinishedDays = 90
	set, err := f.notice("de", account)
	if err != nil || !strings.Contains(set.Text, "90 Tage nach der Abgabe") || strings.Contains(set.Text, "sechs Monate") || set.Version == open.Version {
		t.Errorf("%v: %s", err, set.Text)
	}
}
