package store

import (
	"context"
	"slices"
	"strconv"
	"time"

	"typus"
	"typus/internal/db"
	"typus/internal/words"
)

// CandidateSort is the order of a list.
type CandidateSort string

// The orders of a list: newest invitation first, by name, best overall score
// first (finished tests only whose result may be interpreted).
const (
	SortNewest  CandidateSort = ""
	SortName    CandidateSort = "name"
	SortOverall CandidateSort = "overall"
)

// The sizes of a page of CandidatePage.
const (
	RowsOnScreen = 50
	RowsInBatch  = 500
)

// CandidateQuery selects candidates of one account for people to look through.
// Zero fields do not filter.
type CandidateQuery struct {
	Search   string // the beginnings of words of name, e-mail address and external_id, all of which must be there
	Tag      string
	Status   typus.Status
	From, To time.Time // invited at or after, and before
	Sort     CandidateSort
	After    RowCursor // continue behind this row
	Batch    bool      // pages of RowsInBatch instead of RowsOnScreen
}

// RowCursor is the place of a row in a list: what its order goes by, and its id.
// Zero: the start.
type RowCursor struct {
	At      time.Time
	NameKey []byte
	Overall int
	ID      int64
}

// CandidatePage is a page of a list, and what stands beside it.
type CandidatePage struct {
	Rows   []CandidateRow
	Next   RowCursor // behind the last row, zero when no more rows follow
	Counts CandidateCounts
}

// CandidatePage reads a page of f with two statements, however many candidates
// there are. What few are found for is looked up and sorted; the others are come upon
// in their order, which is bounded only where most of those on the way are wanted.
// Candidates that arrive while somebody pages do not shift the pages.
//
// By name, those that IndexCandidates has not come to are missing.
func (r reads) CandidatePage(ctx context.Context, accountID int64, f CandidateQuery) (CandidatePage, error) {
	s, possible := f.asks()
	if !possible {
		return CandidatePage{}, nil
	}
	var (
		page CandidatePage
		ids  []int64
		err  error
	)
	if page.Counts, ids, err = r.countCandidates(ctx, accountID, f, s); err != nil {
		return page, err
	}
	if f.searched() && !page.Counts.All.More {
		page.Rows, page.Next, err = r.rowsInOrder(ctx, accountID, f, ids)
	} else {
		page.Rows, page.Next, err = r.rowsAlong(ctx, accountID, f, s, page.Counts.of(f.Status))
	}
	return page, err
}

// asks are the words that are searched for. False: nobody can be found by them or the
// tag.
func (f CandidateQuery) asks() (words.Search, bool) {
	if !db.Storable(f.Search) || !db.Storable(f.Tag) {
		return words.Search{}, false
	}
	asks, possible := words.Ask(f.Search)
	return asks, possible || f.Search == ""
}

// searched reports whether candidates are found by a word or a tag.
func (f CandidateQuery) searched() bool { return f.Search != "" || f.Tag != "" }

// size is how many rows a page has.
func (f CandidateQuery) size() int {
	if f.Batch {
		return RowsInBatch
	}
	return RowsOnScreen
}

// span is the time of invitation in the form of the index.
func (f CandidateQuery) span() (from, to int64) {
	to = db.Millis(farFuture)
	if !f.From.IsZero() {
		from = db.Millis(f.From)
	}
	if !f.To.IsZero() {
		to = db.Millis(f.To)
	}
	return from, to
}

// farFuture is behind every time there is, in milliseconds of 13 digits.
var farFuture = time.Date(2286, 11, 20, 0, 0, 0, 0, time.UTC)

// rowsInOrder reads the rows of a page whose ids are known.
func (r reads) rowsInOrder(ctx context.Context, accountID int64, f CandidateQuery, ids []int64) ([]CandidateRow, RowCursor, error) {
	more := len(ids) > f.size()
	ids = ids[:min(len(ids), f.size())]
	byID := make(map[int64]CandidateRow, len(ids))
	for part := range slices.Chunk(ids, manyIDs) {
		list, err := r.CandidateRowsOf(ctx, accountID, part)
		if err != nil {
			return nil, RowCursor{}, err
		}
		for _, row := range list {
			byID[row.ID] = row
		}
	}
	var list []CandidateRow
	for _, id := range ids {
		if row, there := byID[id]; there { // not erased meanwhile
			list = append(list, row)
		}
	}
	if !more || len(list) == 0 {
		return list, RowCursor{}, nil
	}
	return list, f.cursor(list[len(list)-1]), nil
}

// rowsAlong reads the rows of a page along an order; n is how many there are.
func (r reads) rowsAlong(ctx context.Context, accountID int64, f CandidateQuery, s words.Search, n Count) ([]CandidateRow, RowCursor, error) {
	var q db.Question
	q.Add(`with `)
	if !f.searched() && f.Sort != SortNewest && !n.More && n.N <= fewRowsSorted {
		f.fewPage(&q, accountID)
	} else {
		f.walkPage(&q, accountID, s)
	}
	order := f.order("row_key", "row_id")
	q.Add(` order by ` + order + ` limit ` + strconv.Itoa(f.size()+1) + `)
		select ` + rowColumns + ` from page cross join candidates where candidates.id = page.row_id order by ` + order)
	list, err := db.All(ctx, r, scanRow, q.String(), q.Parameters()...)
	if err != nil || len(list) <= f.size() {
		return list, RowCursor{}, err
	}
	list = list[:f.size()]
	return list, f.cursor(list[f.size()-1]), nil
}

// fewPage writes the page of candidates that are read first and then sorted.
func (f CandidateQuery) fewPage(q *db.Question, accountID int64) {
	from, to := f.span()
	q.Add(`few as materialized (select c.id as row_id, c.`+f.key()+` as row_key from candidates c
		where c.account_id = ? and c.erased_at is null and c.created_at >= ? and c.created_at < ?`, accountID, from, to)
	if f.Status != "" {
		q.Add(` and c.status = ?`, string(f.Status))
	}
	q.Add(`), page as materialized (select row_id, row_key from few where `)
	f.place(q, "row_key", "row_id")
}

// walkPage writes the page of candidates that are come upon in the order of an
// index. A sum or a joined text has no index: so the databases go along the order
// and nothing else.
func (f CandidateQuery) walkPage(q *db.Question, accountID int64, s words.Search) {
	from, to := f.span()
	q.Add(`page as materialized (select c.id as row_id, c.`+f.key()+` as row_key
		from candidates c where c.account_id = ? and c.erased_at is null and `, accountID)
	f.place(q, "c."+f.key(), "c.id")
	if f.Sort == SortNewest {
		q.Add(` and c.created_at >= ?`, from)
	} else {
		q.Add(` and c.created_at`+db.OffIndex+` >= ? and c.created_at`+db.OffIndex+` < ?`, from, to)
	}
	switch {
	case f.Status == "":
	case f.Sort == SortNewest:
		q.Add(` and c.status = ?`, string(f.Status))
	default:
		q.Add(` and c.status`+db.OffTextIndex+` = ?`, string(f.Status))
	}
	if f.Search != "" {
		f.matches(q, s)
	}
	f.tagged(q)
}

// place asks for what comes behind the cursor. The start is a cursor, too: so
// the first page and the others are one statement, and one bound of the index.
func (f CandidateQuery) place(q *db.Question, key, id string) {
	switch c := f.After; f.Sort {
	case SortName:
		name := c.NameKey
		if name == nil {
			name = []byte{}
		}
		q.Add(`(`+key+`, `+id+`) > (?, ?)`, name, c.ID)
	case SortOverall:
		score := c.Overall
		if c.ID == 0 {
			score = maxOverall + 1
		}
		q.Add(key+` is not null and (`+key+`, `+id+`) < (?, ?)`, score, c.ID)
	default:
		before, id0 := db.Millis(c.At), c.ID
		if c.ID == 0 {
			_, before = f.span()
		}
		q.Add(`(`+key+`, `+id+`) < (?, ?)`, before, id0)
	}
}

// maxOverall is the best overall score.
const maxOverall = 100

// key is the column that the order goes by.
func (f CandidateQuery) key() string {
	switch f.Sort {
	case SortName:
		return "name_key"
	case SortOverall:
		return "overall"
	}
	return "created_at"
}

func (f CandidateQuery) order(key, id string) string {
	if f.Sort == SortName {
		return key + ", " + id
	}
	return key + " desc, " + id + " desc"
}

func (f CandidateQuery) cursor(last CandidateRow) RowCursor {
	switch f.Sort {
	case SortName:
		return RowCursor{NameKey: words.SortKey(last.Name), ID: last.ID}
	case SortOverall:
		return RowCursor{Overall: last.Scores.Overall, ID: last.ID}
	}
	return RowCursor{At: last.CreatedAt, ID: last.ID}
}
