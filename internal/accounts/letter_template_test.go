package accounts_test

import (
	"testing"
	"time"

	"typus"
	"typus/internal/store"
)

func TestAnOwnTextIsKeptAndTakenBack(t *testing.T) {
	run(t, func(w *world) {
		own := typus.LetterTemplate{AccountID: w.account, Kind: typus.LetterInvitation, Language: "de", Subject: "Hallo", Body: "Hier: {link}"}
		for range 2 {
			if err := w.accounts.SetLetterTemplate(w.ctx, own, ada); err != nil {
				w.Fatal(err)
			}
		}
		got, err := w.store.LetterTemplate(w.ctx, w.account, typus.LetterInvitation, "de")
		if err != nil || got == nil || got.Body != own.Body || got.ChangedBy != ada.Name {
			w.Errorf("%+v, %v", got, err)
		}
		bad := own
		bad.Body, bad.Language = "Hier: {Link}", "fr"
		w.wantKind(w.accounts.SetLetterTemplate(w.ctx, bad, ada), typus.Invalid)
		for range 2 {
			if err := w.accounts.ResetLetterTemplate(w.ctx, w.account, typus.LetterInvitation, "de", ada); err != nil {
				w.Fatal(err)
			}
		}
		if got, err := w.store.LetterTemplate(w.ctx, w.account, typus.LetterInvitation, "de"); got != nil || err != nil {
			w.Errorf("%+v, %v", got, err)
		}
	})
}

func TestLettersToTheTeamNameNobodyAfterAYear(t *testing.T) {
	run(t, func(w *world) {
		err := w.store.InTx(w.ctx, func(tx *store.Tx) error {
			_, err := tx.AddLetter(w.ctx, typus.Letter{AccountID: w.account, Kind: typus.LetterDigest, To: "ada@example.com", CreatedAt: w.Now()})
			return err
		})
		if err != nil {
			w.Fatal(err)
		}
		to := func() string {
			if err := w.accounts.ForgetRecipients(w.ctx, w.Now()); err != nil {
				w.Fatal(err)
			}
			list, err := w.store.Letters(w.ctx, w.account, 1)
			if err != nil || len(list) != 1 {
				w.Fatalf("letters %+v, %v", list, err)
			}
			return list[0].To
		}
		w.Later(365 * 24 * time.Hour)
		if to() == "" {
			w.Error("the recipient is gone before its time")
		}
		w.Later(time.Minute)
		if to() != "" {
			w.Error("the recipient is still there")
		}
	})
}
