package store

import (
	"bytes"
	"context"
	"slices"

	"typus/internal/db"
	"typus/internal/words"
)

// indexBatch is how many candidates IndexCandidates takes at once.
const indexBatch = 500

// candidateWord is a row of candidate_words.
type candidateWord struct {
	accountID, candidateID int64
	word                   []byte
}

func (t *Tx) addWords(ctx context.Context, list []candidateWord) error {
	return db.InsertAll(ctx, t.db, `insert into candidate_words (account_id, candidate_id, word) values `, list,
		func(w candidateWord) []any { return []any{w.accountID, w.candidateID, w.word} })
}

// described is what a candidate's words are made from, and the words that are stored.
type described struct {
	id, accountID           int64
	name, email, externalID string
	words                   string
	scores                  *string
}

const describedColumns = `id, account_id, name, email, coalesce(external_id, ''), words, scores`

func scanDescribed(row db.Row) (described, error) {
	var d described
	err := row.Scan(&d.id, &d.accountID, &d.name, &d.email, &d.externalID, &d.words, &d.scores)
	return d, err
}

// describe updates the rows of candidate_words to d's name, address and external_id,
// and returns the new candidates.words.
func (t *Tx) describe(ctx context.Context, d described) (string, error) {
	joined := words.Joined(words.Of(d.name, d.email, d.externalID))
	had, has := words.Keys(d.words), words.Keys(joined)
	for _, w := range words.Stems(d.words) { // an earlier version made a row of every word
		if !holds(has, w) || !holds(had, w) {
			if err := t.dropWord(ctx, d.accountID, d.id, w); err != nil {
				return "", err
			}
		}
	}
	var added []candidateWord
	for _, w := range has {
		if !holds(had, w) {
			added = append(added, candidateWord{d.accountID, d.id, w})
		}
	}
	return joined, t.addWords(ctx, added)
}

func (t *Tx) dropWord(ctx context.Context, accountID, candidateID int64, word []byte) error {
	_, err := t.db.Exec(ctx, `delete from candidate_words where account_id = $1 and word = $2 and candidate_id = $3`, accountID, word, candidateID)
	return err
}

// IndexCandidates writes the words, the sort key and the overall score of
// candidates that an earlier version stored without them or otherwise, up to 500, and says how
// many those were.
func (t *Tx) IndexCandidates(ctx context.Context) (int, error) {
	list, err := db.All(ctx, t, scanDescribed, `
		select `+describedColumns+` from candidates where name_key is null order by id limit $1`+t.db.LockRows(), indexBatch)
	if err != nil {
		return 0, err
	}
	for _, d := range list {
		joined, err := t.describe(ctx, d)
		if err != nil {
			return 0, err
		}
		var overall any
		if d.scores != nil {
			s, err := decodeScores(*d.scores)
			if err != nil {
				return 0, err
			}
			overall = sortedBy(*s)
		}
		_, err = t.db.Exec(ctx, `update candidates set name_key = $1, words = $2, overall = $3 where account_id = $4 and id = $5`,
			words.SortKey(d.name), joined, overall, d.accountID, d.id)
		if err != nil {
			return 0, err
		}
	}
	return len(list), nil
}

func holds(list [][]byte, word []byte) bool {
	return slices.ContainsFunc(list, func(have []byte) bool { return bytes.Equal(have, word) })
}
