package store_test

import (
	"bytes"
	"testing"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestTheAuditLogOfACandidateIsReadInItsAccountOnly(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account, other := newAccount(t, s), newAccount(t, s)
		candidate := newCandidate(t, s, account, nil)
		want := typus.AuditEntry{AccountID: account, CandidateID: candidate, Actor: "api key 1a2b3c4d", Action: "candidate.invited", Detail: "ü", CreatedAt: noon}
		for _, e := range []typus.AuditEntry{want, {AccountID: account, Actor: "operator", Action: "key.created", CreatedAt: noon}, want} {
			write(t, s, func(tx *store.Tx) error { return tx.AddAudit(t.Context(), e) })
		}
		list := must[[]typus.AuditEntry](t)(s.AuditOf(t.Context(), account, candidate))
		if len(list) != 2 || list[0].ID >= list[1].ID {
			t.Fatalf("the candidate's log: %+v", list)
		}
		want.ID = list[0].ID
		if list[0] != want {
			t.Errorf("got %+v, want %+v", list[0], want)
		}
		if newest := must[[]typus.AuditEntry](t)(s.Audit(t.Context(), account, 1)); len(newest) != 1 || newest[0] != list[len(list)-1] {
			t.Errorf("newest %+v", newest)
		}
		if list := must[[]typus.AuditEntry](t)(s.Audit(t.Context(), other, 10)); len(list) != 0 {
			t.Errorf("another account's audit log: %+v", list)
		}
		if list := must[[]typus.AuditEntry](t)(s.AuditOf(t.Context(), other, candidate)); len(list) != 0 {
			t.Errorf("another account reads %+v", list)
		}
		write(t, s, func(tx *store.Tx) error {
			for range 250 {
				if err := tx.AddAudit(t.Context(), typus.AuditEntry{AccountID: account, CandidateID: candidate, UserID: 7, Actor: "a", Action: "report.viewed", CreatedAt: noon}); err != nil {
					return err
				}
			}
			return nil
		})
		if list := must[[]typus.AuditEntry](t)(s.AuditOf(t.Context(), account, candidate)); len(list) != 200 || list[0].Action != "report.viewed" || list[0].ID >= list[199].ID {
			t.Errorf("%d lines of a long log", len(list))
		}
		for of, want := range map[int64]bool{account: true, other: false} {
			if got, err := s.Noted(t.Context(), of, candidate, 7, "report.viewed"); got != want || err != nil {
				t.Errorf("noted for account %d: %t, %v", of, got, err)
			}
		}
		for user, want := range map[int64]bool{7: true, 8: false} {
			reader := store.WholeAccount(account)
			reader.UserID = user
			if got := must[store.Dossier](t)(s.DossierOf(t.Context(), reader, candidate)); got.Viewed != want {
				t.Errorf("user %d has viewed: %v", user, got.Viewed)
			}
		}
	})
}

func TestAMarkKeepsTheFirstValueUntilItIsReplaced(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		if v, err := s.Mark(t.Context(), "secret_key_check"); v != nil || err != nil {
			t.Errorf("an unset mark: %x, %v", v, err)
		}
		for _, value := range []string{"first", "second"} {
			write(t, s, func(tx *store.Tx) error {
				got, err := tx.SetMark(t.Context(), "secret_key_check", []byte(value))
				if string(got) != "first" {
					t.Errorf("setting %q returned %q", value, got)
				}
				return err
			})
		}
		if v := must[[]byte](t)(s.Mark(t.Context(), "secret_key_check")); !bytes.Equal(v, []byte("first")) {
			t.Errorf("got %q", v)
		}
		for _, value := range []string{"third", "fourth"} {
			write(t, s, func(tx *store.Tx) error { return tx.ReplaceMark(t.Context(), "secret_key_check", []byte(value)) })
		}
		if m := must[map[string][]byte](t)(s.Marks(t.Context(), "secret_")); len(m) != 1 || !bytes.Equal(m["secret_key_check"], []byte("fourth")) {
			t.Errorf("the marks are %q", m)
		}
		if m := must[map[string][]byte](t)(s.Marks(t.Context(), "public_")); len(m) != 0 {
			t.Errorf("the marks are %q", m)
		}
		if v := must[[]byte](t)(s.Mark(t.Context(), "secret_key_check")); !bytes.Equal(v, []byte("fourth")) {
			t.Errorf("replaced by %q", v)
		}
	})
}
