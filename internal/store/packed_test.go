package store_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"typus"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// evidence adds a result with these bytes in each of its three packed columns.
func evidence(t *testing.T, s *store.Store, account, candidate int64, body []byte) {
	t.Helper()
	write(t, s, func(tx *store.Tx) error {
		_, err := tx.AddResult(t.Context(), account, store.Result{
			CandidateID: candidate, Scores: body, Answers: body, RoleSnapshot: body, CreatedAt: noon,
		})
		return err
	})
}

func TestEvidenceComesBackByteForByte(t *testing.T) {
	random := make([]byte, 100_000)
	for i := range random {
		random[i] = byte(rand.IntN(256))
	}
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newCandidate(t, s, account, nil)
		for name, body := range map[string][]byte{
			"none": {}, "a zero byte": {0}, "JSON": []byte(`{"name":"Öztürk","score":61.999999999999986}`), "noise": random,
		} {
			evidence(t, s, account, id, body)
			got := must[store.Result](t)(s.Result(t.Context(), account, id))
			if !bytes.Equal(got.Scores, body) || !bytes.Equal(got.Answers, body) || !bytes.Equal(got.RoleSnapshot, body) {
				t.Errorf("%s came back changed", name)
			}
		}
	})
}

func TestEvidenceIsStoredInLessThanHalfItsSize(t *testing.T) {
	s := storetest.OpenSQLite(t)
	account := newAccount(t, s)
	var body strings.Builder // as repetitive as the dimensions of a result
	for i := range 20 {
		fmt.Fprintf(&body, `{"key":"dimension_%d","answered":10,"sum":%d,"pomp":%f,"score":%d}`, i, 31+i*7%29, 100/(1.5+float64(i)), i*5)
	}
	evidence(t, s, account, newCandidate(t, s, account, nil), []byte(body.String()))
	if got := rows(t, s, fmt.Sprintf("select max(length(scores), length(answers), length(role_snapshot)) < %d from results", body.Len()/2)); got[0] != "1" {
		t.Errorf("%d bytes are not stored in less than half", body.Len())
	}
}

func TestEvidenceThatWasDamagedOrIsNewerIsRefused(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newCandidate(t, s, account, nil)
		for name, change := range map[string]string{
			"cut short":       `substr(scores, 1, length(scores) - 1)`,
			"an unknown form": `cast('{}' as {bytes})`,
			"empty":           `cast('' as {bytes})`,
		} {
			evidence(t, s, account, id, []byte(strings.Repeat("evidence ", 100)))
			kind := map[string]string{"sqlite": "blob", "postgres": "bytea"}[s.Dialect()]
			write(t, s, func(tx *store.Tx) error {
				return tx.Exec(t.Context(), "update results set scores = "+strings.ReplaceAll(change, "{bytes}", kind)+" where id = (select max(id) from results)")
			})
			_, err := s.Result(t.Context(), account, id)
			hasKind(t, name, err, typus.Internal)
		}
	})
}
