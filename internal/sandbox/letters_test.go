package sandbox_test

import (
	"testing"
	"time"

	"typus"
	"typus/internal/mail"
	"typus/internal/store"
)

// What a courier has kept is read with the times of the world, by the world alone.
func TestKeptLettersAreOpenedInTheWorldsTime(t *testing.T) {
	run(t, func(p *play) {
		c := p.invite(p.Test, "anna@example.com")
		claimed, err := p.Store.ClaimLetters(p.Ctx, store.Claim{Owner: "me", Lease: time.Minute, Limit: 1, Kept: true})
		p.Must(err)
		l := claimed[0]
		packed, err := mail.Message{To: l.To, ToName: "Kim", FromName: "Muster", Subject: "Ein Test", Text: "Guten Tag", HTML: "<p>Guten Tag"}.Pack()
		p.Must(err)
		l.State = typus.LetterSent
		_, err = p.Store.KeepLetter(p.Ctx, "me", l, p.Box.Seal(packed, typus.KeptLetter{AccountID: p.Test, LetterID: l.ID}.AAD()), false)
		p.Must(err)
		p.Must(p.Store.InTx(p.Ctx, func(tx *store.Tx) error { return tx.MoveWorld(p.Ctx, p.Test, 72*time.Hour) }))
		list, err := p.Steps.Letters(p.Ctx, p.Test, 0, 10)
		p.Must(err)
		if len(list) != 1 || list[0].CandidateID != c.ID || list[0].Subject != "Ein Test" || list[0].Text != "Guten Tag" || list[0].HTML != "<p>Guten Tag" || !list[0].CreatedAt.Equal(p.Now()) {
			t.Fatalf("%+v", list)
		}
		one, err := p.Steps.Letter(p.Ctx, p.Test, list[0].ID)
		p.Must(err)
		if one != list[0] {
			t.Errorf("%+v", one)
		}
		_, err = p.Steps.Letter(p.Ctx, p.Account, one.ID)
		p.WantKind(err, typus.NotFound)
		p.Must(p.Steps.DropLetters(p.Ctx, p.Now().Add(typus.KeepKeptLetters)))
		if list, err := p.Steps.Letters(p.Ctx, p.Test, 0, 10); err != nil || len(list) != 0 {
			t.Errorf("after 30 days: %+v, %v", list, err)
		}
	})
}

func TestForwardingIsForTestWorldsAndNoted(t *testing.T) {
	run(t, func(p *play) {
		p.WantKind(p.Steps.SetForward(p.Ctx, p.Account, true, operator), typus.Forbidden)
		for _, on := range []bool{true, false} {
			p.Must(p.Steps.SetForward(p.Ctx, p.Test, on, operator))
			if a, err := p.Store.Account(p.Ctx, p.Test); err != nil || a.ForwardsLetters != on {
				t.Errorf("%t, %v", a.ForwardsLetters, err)
			}
		}
	})
}
