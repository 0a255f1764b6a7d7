package store

import (
	"context"
	"slices"
	"time"

	"typus"
	"typus/internal/db"
	"typus/internal/words"
)

// CandidateSort is the order of a list.
type CandidateSort string

// The orders of a list: newest invitation first, by name, best overall score
// first (finished tests only whose result may be interpreted, and by an own role profile
// those of its newest version).
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

// CandidateQuery selects candidates of one account for a list that people read. Zero
// fields do not filter.
type CandidateQuery struct {
	Search   string // the beginnings of words of name, e-mail address and external_id, all of which must be there
	Tag      string
	Status   typus.Status
	Position int64 // candidates of this position
	General  bool  // candidates of the account's default position
	Role     string
	Stage    typus.Stage // StageNew also finds whom nothing was decided about
	Need     Need
	Now      time.Time // what Need goes by
	ReadTo   time.Time // results of tests that were completed by then are not new; Need goes by it
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
// there are; candidate_plan.go says how.
// Candidates that arrive while somebody pages do not shift the pages.
//
// In the order by name, candidates are missing that IndexCandidates has not reached
// yet. For a reader from whom results are withheld there is no filter by tag or stage, and not
// for everybody an order by score (Reader.SortsByScore), which is one within a role profile.
func (r *reads) CandidatePage(ctx context.Context, reader Reader, f CandidateQuery) (CandidatePage, error) {
	f = reader.allowed(f)
	asks, possible := f.asks()
	if !possible {
		return CandidatePage{}, nil
	}
	var (
		page CandidatePage
		ids  []int64
		err  error
	)
	if page.Counts, ids, err = r.countCandidates(ctx, newPlan(reader, f, asks)); err != nil {
		return page, err
	}
	if f.searched() && !page.Counts.All.More {
		page.Rows, page.Next, err = r.rowsInOrder(ctx, reader, f, ids)
	} else {
		page.Rows, page.Next, err = r.rowsAlong(ctx, newPlan(reader, f, asks), page.Counts.of(f.Status))
	}
	return page, err
}

// allowed is f without what would tell of results that are withheld: the order by them, and
// tags and stages, which people give because of them. Scores of several role profiles are
// not in one order: the same answers have another in each.
func (r Reader) allowed(f CandidateQuery) CandidateQuery {
	if r.Blind.Somewhere {
		f.Tag, f.Stage = "", ""
	}
	if f.Sort == SortOverall && (f.Role == "" || !r.SortsByScore()) {
		f.Sort = SortNewest
	}
	return f
}

// asks are the words that are searched for. False: nobody can be found by them or the
// tag.
func (f CandidateQuery) asks() (words.Search, bool) {
	if !db.Storable(f.Search) || !db.Storable(f.Tag) || !db.Storable(f.Role) {
		return words.Search{}, false
	}
	asks, possible := words.Ask(f.Search)
	return asks, possible || f.Search == ""
}

// searched reports whether candidates are found by a word, a tag, or anything else that has
// an index of its own.
func (f CandidateQuery) searched() bool {
	return f.Search != "" || f.Tag != "" || f.placed() || f.Role != "" || f.Stage != "" || f.Need != ""
}

// versioned reports whether the list is in the order of scores by an account's own role
// profile. Those of several versions are not in one order: only the newest version counts.
func (f CandidateQuery) versioned() bool {
	_, own := typus.OwnRoleID(f.Role)
	return own && f.Sort == SortOverall
}

// placed reports whether the list is of one position.
func (f CandidateQuery) placed() bool { return f.Position != 0 || f.General }

// size is how many rows a page has.
func (f CandidateQuery) size() int {
	if f.Batch {
		return RowsInBatch
	}
	return RowsOnScreen
}

// few is how many candidates of a search or a tag are looked up.
func (f CandidateQuery) few() int {
	if f.Sort != SortNewest && (f.Search != "" || f.Tag != "") {
		return fewRowsSorted
	}
	return fewRows
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

// farFuture is after every time that is stored, and has 13 digits in milliseconds.
var farFuture = time.Date(2286, 11, 20, 0, 0, 0, 0, time.UTC)

// rowsInOrder reads the rows of a page whose ids are known.
func (r *reads) rowsInOrder(ctx context.Context, reader Reader, f CandidateQuery, ids []int64) ([]CandidateRow, RowCursor, error) {
	more := len(ids) > f.size()
	ids = ids[:min(len(ids), f.size())]
	byID := make(map[int64]CandidateRow, len(ids))
	for part := range slices.Chunk(ids, manyIDs) {
		list, err := r.CandidateRowsOf(ctx, reader, part)
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
func (r *reads) rowsAlong(ctx context.Context, p *plan, n Count) ([]CandidateRow, RowCursor, error) {
	few := !n.More && n.N <= fewRowsSorted
	if few && !p.f.searched() && (p.f.Sort != SortNewest || p.restricted()) {
		p.sortFew()
	} else {
		p.walk()
	}
	query, args := p.Numbered()
	list, err := db.All(ctx, r, scanRow, query, args...)
	size := p.f.size()
	if err != nil || len(list) <= size {
		return list, RowCursor{}, err
	}
	return list[:size], p.f.cursor(list[size-1]), nil
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
