package assess_test

import (
	"maps"
	"testing"

	"typus"
	"typus/internal/assess"
	"typus/internal/db/dbtest"
	"typus/internal/store/storetest"
	"typus/internal/worldtest"
)

// What a candidate costs in statements and rows. docs/scale.md reckons with these figures where
// the first wall stands; whoever changes one changes the page too.
func TestWhatACandidateCosts(t *testing.T) {
	type statements struct{ invite, begin, answer, answerAll, finish int64 }
	for name, c := range map[string]struct {
		open func(testing.TB) string
		want statements
	}{
		"sqlite":   {storetest.SQLite, statements{6, 6, 3, 3, 19}},
		"postgres": {storetest.Postgres, statements{7, 6, 4, 4, 21}}, // with the locks that one writer need not take
	} {
		t.Run(name, func(t *testing.T) {
			dsn := c.open(t)
			s, ran := storetest.Counted(storetest.Open(t, dsn))
			w := worldtest.New(t, s, worldtest.Options{})
			_, _, err := w.Accounts.CreateEndpoint(w.Ctx, w.Account, "https://crm.example.com/typus", "", ada)
			w.Must(err)
			contents := dbtest.Contents(t, dsn)
			before := contents()
			cost := func(err error) int64 {
				t.Helper()
				w.Must(err)
				return ran.Swap(0)
			}
			_ = cost(nil)
			var got statements
			out, _, err := w.Assess.Invite(w.Ctx, w.Account, assess.Invitation{Name: "Kim Beispiel", Email: "kim@example.com", ExternalID: "crm-42"}, nil)
			got.invite = cost(err)
			got.begin = cost(w.Assess.Begin(w.Ctx, out.Token, typus.Notice{Version: "v", Language: "de", At: w.Now()}, "text"))
			var given []assess.Given
			for _, it := range w.Instrument.Items() {
				given = append(given, assess.Given{ItemID: it.ID, Value: 3})
			}
			_, err = w.Assess.Answer(w.Ctx, out.Token, given[:1])
			got.answer = cost(err)
			_, err = w.Assess.Answer(w.Ctx, out.Token, given[1:])
			got.answerAll = cost(err)
			got.finish = cost(w.Assess.Finish(w.Ctx, out.Token))
			if got != c.want {
				t.Errorf("statements %+v, want %+v", got, c.want)
			}
			rows, after := map[string]int{}, contents()
			for _, table := range dbtest.Changed(before, after) {
				if n := len(after[table]) - len(before[table]); n > 0 {
					rows[table] = n
				}
			}
			want := map[string]int{
				"candidates": 1, "candidate_words": 5, "results": 1, "credit_ledger": 1, "letters": 1, "webhook_events": 1, "webhook_deliveries": 1,
				"notices": 1, // of the account: the next one who confirms the same text adds none
			}
			if !maps.Equal(rows, want) {
				t.Errorf("rows %v, want %v", rows, want)
			}
		})
	}
}
