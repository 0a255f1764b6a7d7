package access_test

import (
	"errors"
	"fmt"
	"testing"

	"typus"
	"typus/internal/access"
	"typus/internal/auth"
	"typus/internal/store"
)

func TestAKeyIsRevokedAndAuditedOnce(t *testing.T) {
	run(t, func(w *world) {
		id, key, err := w.Access.CreateKey(w.Ctx, w.Account, "crm", typus.Actor{Name: "operator"})
		if err != nil {
			w.Fatal(err)
		}
		for range 2 {
			if err := w.Access.RevokeKey(w.Ctx, w.Account, id, typus.Actor{Name: "operator"}); err != nil {
				w.Fatal(err)
			}
		}
		w.WantKind(w.Access.RevokeKey(w.Ctx, w.Account, id+1, typus.Actor{Name: "operator"}), typus.NotFound)
		audit, err := w.Store.Audit(w.Ctx, w.Account, 100)
		if err != nil || len(audit) != 2 || audit[0].Detail != auth.Hash(key)[:8] || audit[1].Detail != audit[0].Detail+" all" {
			w.Errorf("audit %+v, %v", audit, err)
		}
	})
}

func TestALimitedKeyNamesItsLimitsInTheAuditLog(t *testing.T) {
	run(t, func(w *world) {
		by := typus.Actor{Name: "operator"}
		var south int64
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			var err error
			south, err = tx.AddPosition(w.Ctx, typus.Position{AccountID: w.Account, Name: "Süd", State: typus.PositionOpen, CreatedAt: w.Now()})
			return err
		}))
		other, err := w.Access.CreateAccount(w.Ctx, typus.Account{Name: "Andere GmbH", Plan: typus.PlanBusiness}, 0)
		w.Must(err)
		for _, c := range []struct {
			limit access.KeyLimit
			audit string
		}{
			{access.KeyLimit{}, " all"},
			{access.KeyLimit{Scope: typus.ScopeInvite}, " invite"},
			{access.KeyLimit{Scope: typus.ScopeWithoutScores, OnePosition: true, PositionID: south}, fmt.Sprintf(" read-without-scores #%d", south)},
			{access.KeyLimit{OnePosition: true}, " all #"}, // the default one becomes a row
		} {
			id, key, err := w.Access.CreateLimitedKey(w.Ctx, w.Account, "crm", c.limit, by)
			w.Must(err)
			k, err := w.Store.APIKey(w.Ctx, w.Account, id)
			w.Must(err)
			if k.AtStandard {
				c.audit += fmt.Sprint(k.PositionID)
			}
			audit, err := w.Store.Audit(w.Ctx, w.Account, 1)
			if err != nil || audit[0].Detail != auth.Hash(key)[:8]+c.audit || (k.PositionID != 0) != c.limit.OnePosition || k.AtStandard != (c.limit.OnePosition && c.limit.PositionID == 0) {
				w.Errorf("%+v is noted as %+v, %v: %+v", c.limit, audit, err, k)
			}
		}
		for account, limit := range map[int64]access.KeyLimit{
			w.Account: {Scope: "everything", OnePosition: true, PositionID: south + 100},
			other:     {Scope: "ALL", OnePosition: true, PositionID: south},
		} {
			_, _, err := w.Access.CreateLimitedKey(w.Ctx, account, " ", limit, by)
			w.WantKind(err, typus.Invalid)
			if e, _ := errors.AsType[*typus.Error](err); len(e.Fields) != 3 {
				w.Errorf("not every wrong field is named: %+v", e.Fields)
			}
		}
	})
}

// What an admin may do is asked when the key is made, and not when its page was opened.
func TestAnAdminWhoNoLongerSeesEverythingMakesNoKey(t *testing.T) {
	run(t, func(w *world) {
		bo := user(w, "bo@example.com", typus.RoleAdmin)
		make := func() error {
			_, _, err := w.Access.CreateKey(w.Ctx, w.Account, "crm", actor(bo))
			return err
		}
		w.Must(make())
		var secret int64
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			var err error
			secret, err = tx.AddPosition(w.Ctx, typus.Position{AccountID: w.Account, Name: "Vertraulich", State: typus.PositionOpen, Confidential: true, CreatedAt: w.Now()})
			return err
		}))
		w.WantKind(make(), typus.Forbidden)
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return tx.NameInPosition(w.Ctx, w.Account, secret, bo.ID) }))
		w.Must(make())
		_, err := w.Access.ChangeRole(w.Ctx, w.Account, bo.ID, typus.RoleMember, typus.Session{}, typus.Actor{Name: "operator"}, nil)
		w.Must(err)
		w.WantKind(make(), typus.Forbidden)
		w.Must(w.Access.RemoveUser(w.Ctx, w.Account, bo.ID, typus.Actor{Name: "operator"}))
		w.WantKind(make(), typus.Unauthorized)
	})
}
