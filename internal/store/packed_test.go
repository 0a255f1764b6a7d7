package store_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/instrument"
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

// What the server scores in life takes a third of its size at most, so that four results
// share a page of 4 KB.
func TestTheScoresOfAResultAreStoredInAThirdOfTheirSize(t *testing.T) {
	s := storetest.OpenSQLite(t)
	account := newAccount(t, s)
	test := instrument.Own()
	random := rand.New(rand.NewPCG(97, 6))
	for range 20 {
		sheet := test.NewSheet()
		for i := range sheet.Answers {
			sheet.Answers[i] = instrument.Answer{Value: 1 + random.IntN(6), ActiveMS: 2000 + random.IntN(5000)}
		}
		result := must[instrument.Result](t)(test.Score(sheet, "general_sales"))
		body := must[[]byte](t)(json.Marshal(result))
		evidence(t, s, account, newCandidate(t, s, account, nil), body)
		if got := rows(t, s, fmt.Sprintf("select length(scores) < %d from results order by id desc limit 1", len(body)/3)); got[0] != "1" {
			t.Errorf("%d bytes are not stored in a third", len(body))
		}
	}
}

// What a dictionary has packed can be read with it alone. If this fails, do not change the
// sum: give a new dictionary a new form.
func TestTheDictionaryStaysAsItIs(t *testing.T) {
	text := must[[]byte](t)(os.ReadFile("packed_dictionary.txt"))
	if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != "21bb9111f4ef5e146cd82b40f613eb5ad292da1c2d44c61894b1b56fbad53e15" {
		t.Errorf("the dictionary has changed: %s", got)
	}
}

// Evidence from before there was a dictionary.
func TestEvidenceWithoutADictionaryIsStillRead(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		account := newAccount(t, s)
		id := newCandidate(t, s, account, nil)
		evidence(t, s, account, id, []byte("evidence"))
		write(t, s, func(tx *store.Tx) error { // the answers are packed without one
			return tx.Exec(t.Context(), "update results set scores = answers, role_snapshot = answers")
		})
		got := must[store.Result](t)(s.Result(t.Context(), account, id))
		if string(got.Scores) != "evidence" || string(got.RoleSnapshot) != "evidence" {
			t.Errorf("read %q and %q", got.Scores, got.RoleSnapshot)
		}
	})
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
		evidence(t, s, account, id, make([]byte, 9<<20)) // a few kilobytes, packed
		_, err := s.Result(t.Context(), account, id)
		hasKind(t, "a bomb", err, typus.Internal)
	})
}
