package access_test

import (
	"testing"

	"typus"
	"typus/internal/auth"
)

func TestAKeyIsRevokedAndAuditedOnce(t *testing.T) {
	run(t, func(w *world) {
		id, key, err := w.access.CreateKey(w.ctx, w.account, "crm", typus.Actor{Name: "operator"})
		if err != nil {
			w.Fatal(err)
		}
		for range 2 {
			if err := w.access.RevokeKey(w.ctx, w.account, id, typus.Actor{Name: "operator"}); err != nil {
				w.Fatal(err)
			}
		}
		w.wantKind(w.access.RevokeKey(w.ctx, w.account, id+1, typus.Actor{Name: "operator"}), typus.NotFound)
		audit, err := w.store.Audit(w.ctx, w.account, 100)
		if err != nil || len(audit) != 2 || audit[0].Detail != auth.Hash(key)[:8] || audit[1].Detail != audit[0].Detail {
			w.Errorf("audit %+v, %v", audit, err)
		}
	})
}
