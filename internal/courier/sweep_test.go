package courier

import (
	"database/sql"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// What is wrong with the webhooks is no reason to leave letters lying.
func TestTheSweepOfLettersDoesNotWaitForThatOfWebhooks(t *testing.T) {
	for driver, dsn := range map[string]string{"sqlite": storetest.SQLite(t), "pgx": storetest.Postgres(t)} {
		t.Run(driver, func(t *testing.T) {
			w := newWorld(t, storetest.Open(t, dsn), nil)
			id := w.candidate("Anna", "anna@example.com")
			left, held := w.add(typus.Letter{CandidateID: id, Kind: typus.LetterInvitation}), w.add(typus.Letter{CandidateID: id, Kind: typus.LetterReminder})
			if _, err := w.store.ClaimLetters(t.Context(), store.Claim{Owner: "dead", Lease: -time.Second, Limit: 1}); err != nil {
				t.Fatal(err)
			}
			db, err := sql.Open(driver, dsn)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for _, change := range []string{
				`update letters set state = 'held', held_until = 1 where kind = 'reminder'`,
				`alter table webhook_deliveries rename to elsewhere`,
				`alter table webhook_endpoints rename to elsewhere_too`,
			} {
				if _, err := db.ExecContext(t.Context(), change); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.courier(nil, nil).sweep(t.Context()); err == nil {
				t.Error("nothing was wrong")
			}
			for _, letter := range []int64{left, held} {
				if l, err := w.store.Letter(t.Context(), w.account, letter); err != nil || l.State != typus.LetterQueued {
					t.Errorf("%+v, %v, want it queued", l, err)
				}
			}
		})
	}
}
