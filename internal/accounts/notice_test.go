package accounts_test

import (
	"testing"

	"typus"
)

func TestWhatTheNoticeTellsIsStoredTidyAndWrittenDown(t *testing.T) {
	run(t, func(w *world) {
		set := func(change func(n *typus.NoticeFacts)) error {
			return w.Accounts.Change(w.Ctx, w.Account, ada, func(a *typus.Account) { change(&a.Notice) })
		}
		w.Must(set(func(n *typus.NoticeFacts) {
			n.Operator, n.Country, n.Abroad = " Muster\r\nHosting  AG ", "DE", "US"
			n.Safeguard, n.SafeguardOwn = typus.SafeguardOwn, typus.OwnWords{EN: "  consent. "}
			n.Consequence, n.ConsequenceOwn = typus.ConsequenceOwn, typus.OwnWords{DE: "Eins\r\nZwei "}
		}))
		a, err := w.Store.Account(w.Ctx, w.Account)
		want := typus.NoticeFacts{Operator: "Muster Hosting AG", Country: "DE", Abroad: "US", Safeguard: typus.SafeguardOwn, SafeguardOwn: typus.OwnWords{EN: "consent"},
			Consequence: typus.ConsequenceOwn, ConsequenceOwn: typus.OwnWords{DE: "Eins\nZwei"}}
		if err != nil || a.Notice != want {
			w.Errorf("%+v, %v", a.Notice, err)
		}
		log, err := w.Store.Audit(w.Ctx, w.Account, 1)
		if err != nil || len(log) != 1 || log[0].Detail != "notice" {
			w.Errorf("audit log %+v, %v", log, err)
		}
		w.Must(set(func(n *typus.NoticeFacts) { n.Country, n.Abroad = "US", "" }))
		w.WantKind(set(func(n *typus.NoticeFacts) { n.Abroad = typus.AbroadNone }), typus.Invalid)
	})
}
