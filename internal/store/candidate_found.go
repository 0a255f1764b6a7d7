package store

import (
	"strconv"

	"typus/internal/db"
	"typus/internal/words"
)

const (
	// fewRows is how many candidates of a word or a tag are looked up to be counted
	// and sorted. A list of more is walked in its order instead, which comes upon
	// enough of them soon: newest first at least. By name whoever is looked for may
	// stand at the end of the alphabet, so more of them are looked up before walking
	// is the better way.
	fewRows       = 3000
	fewRowsSorted = 10_000
)

// few is how many candidates of a search or a tag are looked up.
func (f CandidateQuery) few() int {
	if f.Sort == SortNewest {
		return fewRows
	}
	return fewRowsSorted
}

// source is a part of an index in which everybody stands whom a query finds: from
// where, and the parameters.
type source struct {
	rows string
	args []any
}

func (f CandidateQuery) sources(accountID int64, s words.Search) []source {
	var list []source
	for _, w := range s.Keys {
		list = append(list, source{` from candidate_words where account_id = ? and word >= ? and word < ?`, []any{accountID, w, words.After(w)}})
	}
	if f.Tag != "" {
		list = append(list, source{` from candidate_tags where account_id = ? and tag = ?`, []any{accountID, f.Tag}})
	}
	return list
}

// find writes which candidates a search or a tag finds: found, with their status,
// null where another condition is not fulfilled, and what the order goes by. Those of
// the smallest source are looked up one by one, each once, in the order of the table. A
// join would leave the choice to PostgreSQL, which reads all candidates sooner than some
// thousand by their ids; and a sum has no index, so the account is no other way.
func (f CandidateQuery) find(q *db.Question, accountID int64, s words.Search) {
	sources, bound := f.sources(accountID, s), ` limit `+strconv.Itoa(f.few()+1)
	if len(sources) == 1 {
		q.Add(`, walked as materialized (select candidate_id`+sources[0].rows, sources[0].args...)
	} else {
		walkSmallest(q, sources, bound)
	}
	from, to := f.span()
	q.Add(bound+`),
		hit as materialized (select distinct candidate_id as hit_id from walked order by hit_id),
		found as materialized (select hit_id, (select c.status from candidates c
			where c.id = hit_id and c.account_id`+db.OffIndex+` = ? and c.erased_at is null and c.created_at >= ? and c.created_at < ?`, accountID, from, to)
	if len(sources) > 1 || s.More {
		f.matches(q, s)
	}
	if f.Search != "" {
		f.tagged(q)
	}
	q.Add(`) as hit_status, (select c.`+f.key()+` from candidates c where c.id = hit_id and c.account_id`+db.OffIndex+` = ?) as hit_key from hit)`, accountID)
}

// walkSmallest writes where the smallest of several sources is walked; sizes are
// taken as far as the bound.
func walkSmallest(q *db.Question, sources []source, bound string) {
	q.Add(`, sized as materialized (`)
	for i, from := range sources {
		if i > 0 {
			q.Add(` union all `)
		}
		q.Add(`select `+strconv.Itoa(i)+` as n, (select count(*) from (select 1`+from.rows+bound+`) counted) as size`, from.args...)
	}
	q.Add(`), smallest as materialized (select n from sized order by size, n limit 1), walked as materialized (`)
	for i, from := range sources {
		if i > 0 {
			q.Add(` union all `)
		}
		q.Add(`select candidate_id`+from.rows+` and (select n from smallest) = `+strconv.Itoa(i), from.args...)
	}
}

// foundIDs writes the ids of a page of found, as one text.
func (f CandidateQuery) foundIDs(q *db.Question) {
	q.Add(`coalesce((select string_agg(cast(hit_id as text), ' ' order by ` + f.order("hit_key", "hit_id") + `) from (
		select hit_id, hit_key from found where hit_status is not null and `)
	if f.Status != "" {
		q.Add(`hit_status = ? and `, string(f.Status))
	}
	f.place(q, "hit_key", "hit_id")
	q.Add(` order by ` + f.order("hit_key", "hit_id") + ` limit ` + strconv.Itoa(f.size()+1) + `) listed), '')`)
}

// matches asks for all words of the search. Unused places match everything, so
// that there is one statement for any number of words. PostgreSQL takes a pattern
// in the middle of a text for very rare, and would then read all words again for
// every candidate that it expects not to find; of a case it expects the opposite.
func (f CandidateQuery) matches(q *db.Question, s words.Search) {
	q.Add(` and case when true`)
	for _, p := range s.Patterns {
		q.Add(` and c.words like ? escape '\'`, p)
	}
	q.Add(` then 1 else 0 end <> 0`)
}

// tagged asks for the tag of a candidate that was found otherwise. A limit keeps
// both databases from turning the question round and starting at the tag.
func (f CandidateQuery) tagged(q *db.Question) {
	if f.Tag != "" {
		q.Add(` and (select t.candidate_id from candidate_tags t
			where t.account_id = c.account_id and t.tag = ? and t.candidate_id = c.id limit 1) is not null`, f.Tag)
	}
}
