package accounts_test

import (
	"testing"
	"time"

	"typus"
	"typus/internal/store"
)

func TestAnOwnTextIsKeptAndTakenBack(t *testing.T) {
	run(t, func(w *world) {
		own := typus.LetterTemplate{AccountID: w.Account, Kind: typus.LetterInvitation, Language: "de", Subject: "Hallo", Body: "Hier: {link}"}
		for range 2 {
			if err := w.Accounts.SetLetterTemplate(w.Ctx, own, ada, nil); err != nil {
				w.Fatal(err)
			}
		}
		got, err := w.Store.LetterTemplate(w.Ctx, w.Account, typus.LetterInvitation, "de")
		if err != nil || got == nil || got.Body != own.Body || got.ChangedBy != ada.Name {
			w.Errorf("%+v, %v", got, err)
		}
		bad := own
		bad.Body, bad.Language = "Hier: {Link}", "fr"
		w.WantKind(w.Accounts.SetLetterTemplate(w.Ctx, bad, ada, nil), typus.Invalid)
		for range 2 {
			if err := w.Accounts.ResetLetterTemplate(w.Ctx, w.Account, typus.LetterInvitation, "de", ada, nil); err != nil {
				w.Fatal(err)
			}
		}
		if got, err := w.Store.LetterTemplate(w.Ctx, w.Account, typus.LetterInvitation, "de"); got != nil || err != nil {
			w.Errorf("%+v, %v", got, err)
		}
	})
}

func TestLettersToTheTeamNameNobodyAfterAYear(t *testing.T) {
	run(t, func(w *world) {
		err := w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			_, err := tx.AddLetter(w.Ctx, typus.Letter{AccountID: w.Account, Kind: typus.LetterDigest, To: "ada@example.com", CreatedAt: w.Now()})
			return err
		})
		if err != nil {
			w.Fatal(err)
		}
		to := func() string {
			if err := w.Accounts.ForgetRecipients(w.Ctx, w.Now()); err != nil {
				w.Fatal(err)
			}
			list, err := w.Store.Letters(w.Ctx, w.Account, 1)
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
