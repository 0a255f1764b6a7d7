package accounts_test

import (
	"strings"
	"testing"

	"typus"
	"typus/internal/store"
)

// own is an own question in German.
func own(ask string) typus.CoreQuestion { return typus.CoreQuestion{Ask: typus.OwnWords{DE: ask}} }

// bank are questions of the bank.
func bank(keys string) []typus.CoreQuestion {
	var list []typus.CoreQuestion
	for key := range strings.FieldsSeq(keys) {
		list = append(list, typus.CoreQuestion{Key: key})
	}
	return list
}

func TestCoreQuestionsAreCheckedPutInOrderAndWrittenDown(t *testing.T) {
	run(t, func(w *world) {
		set := func(list ...typus.CoreQuestion) error {
			return w.Accounts.ChangeCore(w.Ctx, store.WholeAccount(w.Account), 0, ada, func([]typus.CoreQuestion) ([]typus.CoreQuestion, bool) { return list, true })
		}
		asked := func() string {
			all, err := w.Store.CoreQuestions(w.Ctx, w.Account)
			w.Must(err)
			var keys []string
			for _, q := range typus.CoreOf(all, 0) {
				if q.Own() {
					q.Key = q.Ask.DE + q.Ask.EN
				}
				keys = append(keys, q.Key)
			}
			return strings.Join(keys, " ")
		}
		w.Must(set(append([]typus.CoreQuestion{own("  Was\r\n war? ")}, bank("in1 ad2")...)...))
		if got := asked(); got != "ad2 in1 Was war?" {
			w.Errorf("asked are %s", got)
		}
		w.Must(set(append([]typus.CoreQuestion{own("Was war?")}, bank("ad2 in1")...)...)) // the same
		long := strings.Repeat("x", 301)
		for field, list := range map[string][]typus.CoreQuestion{
			"core":       bank("ad1 ad2"),
			"core ":      bank("ad1 ad2 ad3 ad4 ad5 ad6 ci1 ci2 ci3"),
			"core  ":     bank("ad1 ad2 zz9"),
			"core   ":    bank("ad1 ad2 ad2"),
			"ask_de_1":   append(bank("ad1 ad2"), own(long)),
			"ask_de_2":   append(bank("ad1 ad2"), own("Was?"), own(" Was? ")),
			"ask_de_1 ":  append(bank("ad1 ad2"), own("a\u202eb")),
			"low_de_1":   append(bank("ad1 ad2"), typus.CoreQuestion{Ask: typus.OwnWords{DE: "Was?"}, Low: typus.OwnWords{DE: long}}),
			"ask_en_1":   append(bank("ad1 ad2"), typus.CoreQuestion{Ask: typus.OwnWords{DE: "Was?"}, High: typus.OwnWords{EN: "much"}}),
			"ask_de_1  ": append(bank("ad1 ad2"), typus.CoreQuestion{Low: typus.OwnWords{DE: "wenig"}}),
		} {
			err := set(list...)
			w.WantKind(err, typus.Invalid)
			if e, ok := err.(*typus.Error); !ok || len(e.Fields) != 1 || e.Fields[0].Name != strings.TrimSpace(field) {
				w.Errorf("%s: %v", field, err)
			}
		}
		if got := asked(); got != "ad2 in1 Was war?" {
			w.Errorf("after what was refused asked are %s", got)
		}
		w.Must(set(bank("in2 co2 lo2 so1")...)) // what is proposed
		if got := asked(); got != "" {
			w.Errorf("the proposal is stored as a choice: %s", got)
		}
		log, err := w.Store.Audit(w.Ctx, w.Account, 10)
		w.Must(err)
		if len(log) != 2 || log[1].Action != "position.core_changed" || log[1].Detail != "3 1" || log[0].Detail != "0 0" {
			w.Errorf("audit log %+v", log)
		}
	})
}
