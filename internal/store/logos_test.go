package store_test

import (
	"testing"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestALogoIsKeptReplacedAndRemoved(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		ctx, account, other := t.Context(), newAccount(t, s), newAccount(t, s)
		position := newPosition(t, s, typus.Position{AccountID: account, Name: "Süd"})
		for name, set := range map[string]func(tx *store.Tx, l typus.Logo) error{
			"the account's":  func(tx *store.Tx, l typus.Logo) error { return tx.SetAccountLogo(ctx, account, l) },
			"the position's": func(tx *store.Tx, l typus.Logo) error { return tx.SetPositionLogo(ctx, account, position, l) },
		} {
			for _, want := range []typus.Logo{{MediaType: "image/png", Hash: "a" + name, Body: []byte{1, 0, 2}}, {MediaType: "image/webp", Hash: "b" + name, Body: []byte{3}}} {
				write(t, s, func(tx *store.Tx) error { return set(tx, want) })
				got := must[typus.Logo](t)(s.Logo(ctx, account, want.Hash))
				if string(got.Body) != string(want.Body) || got.Hash != want.Hash || got.MediaType != want.MediaType {
					t.Errorf("%s logo: %+v, want %+v", name, got, want)
				}
				_, err := s.Logo(ctx, other, want.Hash)
				hasKind(t, "another account's logo", err, typus.NotFound)
			}
			_, err := s.Logo(ctx, account, "a"+name)
			hasKind(t, "a replaced logo", err, typus.NotFound)
		}
		a, p := must[typus.Account](t)(s.Account(ctx, account)), must[typus.Position](t)(s.Position(ctx, account, position))
		if a.LogoHash != "bthe account's" || a.LogoType != "image/webp" || p.LogoHash != "bthe position's" || p.LogoType != "image/webp" {
			t.Errorf("account %+v, position %+v", a, p)
		}
		write(t, s, func(tx *store.Tx) error {
			if err := tx.SetPositionLogo(ctx, account, position, typus.Logo{}); err != nil {
				return err
			}
			return tx.SetAccountLogo(ctx, account, typus.Logo{})
		})
		for _, hash := range []string{"bthe account's", "bthe position's", ""} {
			_, err := s.Logo(ctx, account, hash)
			hasKind(t, "a removed logo", err, typus.NotFound)
		}
		err := s.InTx(ctx, func(tx *store.Tx) error { return tx.SetPositionLogo(ctx, other, position, typus.Logo{Hash: "x"}) })
		hasKind(t, "another account's position", err, typus.NotFound)
	})
}

func newPosition(t testing.TB, s *store.Store, p typus.Position) int64 {
	t.Helper()
	p.State, p.CreatedAt = typus.PositionOpen, noon
	var id int64
	write(t, s, func(tx *store.Tx) (err error) { id, err = tx.AddPosition(t.Context(), p); return err })
	return id
}

// The account of a candidate is the one that the position shows them, and of the default
// position whatever its row says.
func TestACandidateIsReadWithWhatThePositionSaysInPlaceOfTheAccount(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		ctx, account := t.Context(), newAccount(t, s)
		p := typus.Position{
			AccountID: account, Name: "Süd", ClientKind: typus.ClientDescribed, ClientWords: typus.OwnWords{EN: "a bank"}, Language: "en", InviteDays: 7, Reminders: 1,
			RoleProfile: "hunter", Notice: typus.NoticeFacts{Officer: "eve@example.com"},
		}
		p.ID = newPosition(t, s, p)
		logo := typus.Logo{MediaType: "image/png", Hash: "logo", Body: []byte{1}}
		write(t, s, func(tx *store.Tx) error { return tx.SetPositionLogo(ctx, account, p.ID, logo) })
		read := func(change func(c *store.NewCandidate)) typus.Account {
			t.Helper()
			id := newCandidate(t, s, account, change)
			c := must[typus.Candidate](t)(s.Candidate(ctx, account, id))
			read, err := s.VisitByToken(ctx, c.TokenHash)
			if err != nil || read.Candidate.ID != id {
				t.Fatalf("%+v, %v", read, err)
			}
			return read.Account
		}
		plain := must[typus.Account](t)(s.Account(ctx, account))
		if got := read(nil); got != plain {
			t.Errorf("without a position: %+v, want %+v", got, plain)
		}
		p.LogoType, p.LogoHash = logo.MediaType, logo.Hash
		if got, want := read(func(c *store.NewCandidate) { c.PositionID = p.ID }), p.Over(plain); got != want || want.Notice.ClientKind.EN == "" {
			t.Errorf("of the position: %+v, want %+v", got, want)
		}
		write(t, s, func(tx *store.Tx) error {
			standard, err := tx.LockStandardPosition(ctx, account, noon)
			if err != nil {
				return err
			}
			return tx.SetPositionOwnTerms(ctx, account, standard.ID, typus.OwnResultTerms{Policy: typus.OwnResultAtOnce})
		})
		if got := read(nil); got.OwnResult.Policy != typus.OwnResultAtOnce {
			t.Errorf("of the default position: %+v", got.OwnResult)
		}
	})
}
