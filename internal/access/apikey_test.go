package access_test

import (
	"testing"

	"typus"
	"typus/internal/auth"
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
		if err != nil || len(audit) != 2 || audit[0].Detail != auth.Hash(key)[:8] || audit[1].Detail != audit[0].Detail {
			w.Errorf("audit %+v, %v", audit, err)
		}
	})
}
