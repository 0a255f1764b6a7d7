package typus_test

import (
	"testing"

	"typus"
)

// What a position says of itself stands in the place of what the account says of itself, and
// what it leaves open is the account's.
func TestAPositionTakesThePlaceOfTheAccountWhereItSaysSomething(t *testing.T) {
	account := typus.Account{
		Name: "Muster Personal GmbH", LogoType: "image/png", LogoHash: "a",
		Notice: typus.NoticeFacts{
			Client: "Beispiel AG", Consequence: typus.ConsequenceOwn, ConsequenceOwn: typus.OwnWords{DE: "Dann reden wir."},
			Basis: typus.OwnWords{DE: "§ 26 BDSG"}, Officer: "ada@example.com", Operator: "Muster Hosting AG",
		},
	}
	open := typus.Position{Reminders: typus.RemindersOfAccount}
	if got := open.Over(account); got != account {
		t.Errorf("a position that says nothing makes %+v", got)
	}
	bank := typus.OwnWords{DE: "eine Bank"}
	for name, c := range map[string]struct {
		position typus.Position
		client   string
		kind     typus.OwnWords
	}{
		"as the account": {typus.Position{}, "Beispiel AG", typus.OwnWords{}},
		"itself":         {typus.Position{ClientKind: typus.ClientOwn}, "", typus.OwnWords{}},
		"named":          {typus.Position{ClientKind: typus.ClientNamed, ClientName: "Andere AG"}, "Andere AG", typus.OwnWords{}},
		"described":      {typus.Position{ClientKind: typus.ClientDescribed, ClientWords: bank}, "", bank},
	} {
		if n := c.position.Over(account).Notice; n.Client != c.client || n.ClientKind != c.kind || n.Operator != "Muster Hosting AG" {
			t.Errorf("%s: for %q, %+v", name, n.Client, n.ClientKind)
		}
	}
	said := typus.Position{
		LogoType: "image/jpeg", LogoHash: "b",
		Notice: typus.NoticeFacts{Consequence: typus.ConsequenceNone, Basis: typus.OwnWords{EN: "section 26"}, Officer: "eve@example.com"},
	}
	got := said.Over(account)
	if n := got.Notice; n.Consequence != typus.ConsequenceNone || n.ConsequenceOwn.Any() || n.Basis != said.Notice.Basis || n.Officer != "eve@example.com" {
		t.Errorf("the notice says %+v", n)
	}
	if got.LogoType != "image/jpeg" || got.LogoHash != "b" {
		t.Errorf("the logo is %s %s", got.LogoType, got.LogoHash)
	}
}
