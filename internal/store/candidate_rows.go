package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"typus"
)

// CandidateSort is the order of a list.
type CandidateSort string

// The orders of a list: newest invitation first, by name, best overall score
// first (finished tests only).
const (
	SortNewest  CandidateSort = ""
	SortName    CandidateSort = "name"
	SortOverall CandidateSort = "overall"
)

// The sizes of a page of CandidateRows.
const (
	RowsOnScreen = 50
	RowsInBatch  = 500
)

const (
	// fewRows is how many candidates of a word or a tag are looked up to be counted
	// and sorted. A list of more is walked in its order instead, which comes upon
	// enough of them soon: newest first at least. By name whoever is looked for may
	// stand at the end of the alphabet, so more of them are looked up before walking
	// is the better way.
	fewRows       = 3000
	fewRowsSorted = 10_000
	// countUpTo bounds how far candidates are counted.
	countUpTo = 10_000
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

// Count is a number of candidates; with More it is at least so many.
type Count struct {
	N    int
	More bool
}

// CandidateCounts are the numbers of a CandidateQuery in each status, whatever
// the status it asks for, and the tags of the account.
type CandidateCounts struct {
	All, Open, Started, Finished Count
	Tags                         []string // sorted, at most 200

	page *foundPage // of a search or a tag
}

// foundPage is a page behind a cursor: its ids in order, one more than fit if more
// follow.
type foundPage struct {
	after int64
	ids   []int64
}

// of is the number in a status; "" for all.
func (c CandidateCounts) of(s typus.Status) Count {
	switch s {
	case typus.StatusOpen:
		return c.Open
	case typus.StatusStarted:
		return c.Started
	case typus.StatusFinished:
		return c.Finished
	}
	return c.All
}

// CandidateRow is a candidate as a list shows it.
type CandidateRow struct {
	typus.Candidate
	Sheet []byte            // the packed answers of a running test, nil without one
	Mail  typus.LetterState // of the newest invitation letter, "" without one
	Tags  []string          // sorted
}

// few is how many candidates of a search or a tag are looked up.
func (f CandidateQuery) few() int {
	if f.Sort == SortNewest {
		return fewRows
	}
	return fewRowsSorted
}

// size is how many rows a page has.
func (f CandidateQuery) size() int {
	if f.Batch {
		return RowsInBatch
	}
	return RowsOnScreen
}

// question puts a statement together from constants, and its parameters in the
// order of their first use.
type question struct {
	text strings.Builder
	args []any
}

// add appends a piece of a statement; each ? becomes the next parameter.
func (q *question) add(piece string, values ...any) {
	for i, part := range strings.Split(piece, "?") {
		if i > 0 {
			q.args = append(q.args, values[i-1])
			q.text.WriteString("$" + strconv.Itoa(len(q.args)))
		}
		q.text.WriteString(part)
	}
}

// The tags of an account, found by stepping from one to the next along the index.
const (
	tagSeparator = "\x1f" // no tag holds a control character
	tagsShown    = 200
	eachTag      = `each_tag (tag) as (
		select min(tag) from candidate_tags where account_id = ?
		union all
		select (select min(t.tag) from candidate_tags t where t.account_id = ? and t.tag > each_tag.tag) from each_tag where each_tag.tag is not null)`
)

// span is the time of invitation in the form of the index.
func (f CandidateQuery) span() (from, to int64) {
	to = millis(farFuture)
	if !f.From.IsZero() {
		from = millis(f.From)
	}
	if !f.To.IsZero() {
		to = millis(f.To)
	}
	return from, to
}

// farFuture is behind every time there is, in milliseconds of 13 digits.
var farFuture = time.Date(2286, 11, 20, 0, 0, 0, 0, time.UTC)

// find writes which candidates a search or a tag finds: found, with their status,
// null where another condition is not fulfilled, and what the order goes by. They are
// looked up one by one, each once, in the order of the table. A join would leave the
// choice to PostgreSQL, which reads all candidates sooner than some thousand by their
// ids.
func (f CandidateQuery) find(q *question, accountID int64, s search) {
	if f.Search != "" {
		q.add(`, walked as materialized (select candidate_id from candidate_words where account_id = ? and word >= ? and word < ?`, accountID, s.from, s.until)
	} else {
		q.add(`, walked as materialized (select candidate_id from candidate_tags where account_id = ? and tag = ?`, accountID, f.Tag)
	}
	from, to := f.span()
	q.add(` limit `+strconv.Itoa(f.few()+1)+`),
		hit as materialized (select distinct candidate_id as hit_id from walked order by hit_id),
		found as materialized (select hit_id, (select c.status from candidates c
			where c.id = hit_id and c.erased_at is null and c.created_at >= ? and c.created_at < ?`, from, to)
	if s.more {
		f.matches(q, s)
	}
	if f.Search != "" {
		f.tagged(q)
	}
	q.add(`) as hit_status, (select c.` + f.key() + ` from candidates c where c.id = hit_id) as hit_key from hit)`)
}

// foundIDs writes the ids of a page of found, as one text.
func (f CandidateQuery) foundIDs(q *question) {
	q.add(`coalesce((select string_agg(cast(hit_id as text), ' ' order by ` + f.order("hit_key", "hit_id") + `) from (
		select hit_id, hit_key from found where hit_status is not null and `)
	if f.Status != "" {
		q.add(`hit_status = ? and `, string(f.Status))
	}
	f.place(q, "hit_key", "hit_id")
	q.add(` order by ` + f.order("hit_key", "hit_id") + ` limit ` + strconv.Itoa(f.size()+1) + `) listed), '')`)
}

// matches asks for all words of the search. Unused places match everything, so
// that there is one statement for any number of words. PostgreSQL takes a pattern
// in the middle of a text for very rare, and would then read all words again for
// every candidate that it expects not to find; of a case it expects the opposite.
func (f CandidateQuery) matches(q *question, s search) {
	q.add(` and case when true`)
	for _, p := range s.patterns {
		q.add(` and c.words like ? escape '\'`, p)
	}
	q.add(` then 1 else 0 end <> 0`)
}

// tagged asks for the tag of a candidate that was found otherwise. A limit keeps
// both databases from turning the question round and starting at the tag.
func (f CandidateQuery) tagged(q *question) {
	if f.Tag != "" {
		q.add(` and (select t.candidate_id from candidate_tags t
			where t.account_id = c.account_id and t.tag = ? and t.candidate_id = c.id limit 1) is not null`, f.Tag)
	}
}

// CountCandidates counts the candidates of f in each status, as far as 10,000,
// and those of a search or a tag among the first 3,000 words (10,000 where they are
// to be sorted), whichever statuses they have. Its cost is bounded, however many
// there are.
func (r reads) CountCandidates(ctx context.Context, accountID int64, f CandidateQuery) (CandidateCounts, error) {
	s, possible := asked(f.Search)
	if f.Search != "" && !possible || !storable(f.Tag) {
		return CandidateCounts{}, nil
	}
	var q question
	q.add(`with recursive `+eachTag, accountID, accountID)
	most := countUpTo
	if f.Search == "" && f.Tag == "" {
		q.add(` select 0`)
		for _, st := range statuses {
			from, to := f.span()
			q.add(`, (select count(*) from (select 1 from candidates where account_id = ? and erased_at is null and status = '`+string(st)+`'
				and created_at >= ? and created_at < ? limit `+strconv.Itoa(countUpTo+1)+`) counted)`, accountID, from, to)
		}
		q.add(`, ''`)
	} else {
		most = f.few()
		f.find(&q, accountID, s)
		q.add(` select (select count(*) from walked)`)
		for _, st := range statuses {
			q.add(`, (select count(*) from found where hit_status = '` + string(st) + `')`)
		}
		q.add(`, `)
		f.foundIDs(&q)
	}
	q.add(`, coalesce((select string_agg(tag, '` + tagSeparator + `') from (select tag from each_tag where tag is not null limit ` + strconv.Itoa(tagsShown) + `) listed), '')`)
	return one(ctx, r, func(row scanner) (CandidateCounts, error) { return f.scanCounts(row, most) }, "", q.text.String(), q.args...)
}

var statuses = [...]typus.Status{typus.StatusOpen, typus.StatusStarted, typus.StatusFinished}

// scanCounts reads counts that are exact while none of them is above most.
func (f CandidateQuery) scanCounts(row scanner, most int) (CandidateCounts, error) {
	c := CandidateCounts{page: &foundPage{after: f.After.ID}}
	var walked int
	var page, tags string
	if err := row.Scan(&walked, &c.Open.N, &c.Started.N, &c.Finished.N, &page, &tags); err != nil {
		return c, err
	}
	for _, n := range []*Count{&c.Open, &c.Started, &c.Finished} {
		n.More = max(n.N, walked) > most
		n.N = min(n.N, countUpTo)
		c.All.N += n.N
		c.All.More = c.All.More || n.More
	}
	for _, text := range strings.Fields(page) {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return c, err
		}
		c.page.ids = append(c.page.ids, id)
	}
	c.Tags = split(tags)
	return c, nil
}

// split reads a list of tags.
func split(tags string) []string {
	if tags == "" {
		return nil
	}
	list := strings.Split(tags, tagSeparator)
	slices.Sort(list)
	return list
}

// CandidateRows lists a page of f. counted is what CountCandidates said of the
// same query: it decides whether to sort the few there are or to walk along the
// order, and knows the page of the few that a search finds. The cursor is that of the last row when more rows follow, zero when none
// do. Candidates that arrive while somebody pages do not shift the pages.
//
// By name, those that IndexCandidates has not come to are missing.
func (r reads) CandidateRows(ctx context.Context, accountID int64, f CandidateQuery, counted CandidateCounts) ([]CandidateRow, RowCursor, error) {
	s, possible := asked(f.Search)
	if f.Search != "" && !possible || !storable(f.Tag) {
		return nil, RowCursor{}, nil
	}
	searched := f.Search != "" || f.Tag != ""
	if searched && !counted.All.More && (counted.page == nil || counted.page.after != f.After.ID) {
		var err error
		if counted, err = r.CountCandidates(ctx, accountID, f); err != nil {
			return nil, RowCursor{}, err
		}
	}
	if searched && !counted.All.More {
		return r.rowsInOrder(ctx, accountID, f, counted.page.ids)
	}
	var q question
	q.add(`with `)
	if n := counted.of(f.Status); !searched && f.Sort != SortNewest && !n.More && n.N <= fewRowsSorted {
		f.fewPage(&q, accountID)
	} else {
		f.walkPage(&q, accountID, s)
	}
	order := f.order("row_key", "row_id")
	q.add(` order by ` + order + ` limit ` + strconv.Itoa(f.size()+1) + `)
		select ` + rowColumns + ` from page cross join candidates where candidates.id = page.row_id order by ` + order)
	list, err := all(ctx, r, scanRow, q.text.String(), q.args...)
	if err != nil || len(list) <= f.size() {
		return list, RowCursor{}, err
	}
	list = list[:f.size()]
	return list, f.cursor(list[f.size()-1]), nil
}

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

// fewPage writes the page of candidates that are read first and then sorted.
func (f CandidateQuery) fewPage(q *question, accountID int64) {
	from, to := f.span()
	q.add(`few as materialized (select c.id as row_id, c.`+f.key()+` as row_key from candidates c
		where c.account_id = ? and c.erased_at is null and c.created_at >= ? and c.created_at < ?`, accountID, from, to)
	if f.Status != "" {
		q.add(` and c.status = ?`, string(f.Status))
	}
	q.add(`), page as materialized (select row_id, row_key from few where `)
	f.place(q, "row_key", "row_id")
}

// walkPage writes the page of candidates that are come upon in the order of an
// index. A sum or a joined text has no index: so the databases go along the order
// and nothing else.
func (f CandidateQuery) walkPage(q *question, accountID int64, s search) {
	from, to := f.span()
	q.add(`page as materialized (select c.id as row_id, c.`+f.key()+` as row_key
		from candidates c where c.account_id = ? and c.erased_at is null and `, accountID)
	f.place(q, "c."+f.key(), "c.id")
	if f.Sort == SortNewest {
		q.add(` and c.created_at >= ?`, from)
	} else {
		q.add(` and c.created_at + 0 >= ? and c.created_at + 0 < ?`, from, to)
	}
	switch {
	case f.Status == "":
	case f.Sort == SortNewest:
		q.add(` and c.status = ?`, string(f.Status))
	default:
		q.add(` and c.status || '' = ?`, string(f.Status))
	}
	if f.Search != "" {
		f.matches(q, s)
	}
	f.tagged(q)
}

// place asks for what comes behind the cursor. The start is a cursor, too: so
// the first page and the others are one statement, and one bound of the index.
func (f CandidateQuery) place(q *question, key, id string) {
	switch c := f.After; f.Sort {
	case SortName:
		name := c.NameKey
		if name == nil {
			name = []byte{}
		}
		q.add(`(`+key+`, `+id+`) > (?, ?)`, name, c.ID)
	case SortOverall:
		score := c.Overall
		if c.ID == 0 {
			score = maxOverall + 1
		}
		q.add(key+` is not null and (`+key+`, `+id+`) < (?, ?)`, score, c.ID)
	default:
		before, id0 := millis(c.At), c.ID
		if c.ID == 0 {
			_, before = f.span()
		}
		q.add(`(`+key+`, `+id+`) < (?, ?)`, before, id0)
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
		return RowCursor{NameKey: nameKey(last.Name), ID: last.ID}
	case SortOverall:
		return RowCursor{Overall: last.Scores.Overall, ID: last.ID}
	}
	return RowCursor{At: last.CreatedAt, ID: last.ID}
}

const rowColumns = candidateColumns + `,
	(select s.body from sheets s where s.candidate_id = candidates.id),
	coalesce((select l.state from letters l where l.candidate_id = candidates.id and l.kind = 'invitation' order by l.id desc limit 1), ''),
	coalesce((select string_agg(t.tag, '` + tagSeparator + `') from candidate_tags t where t.candidate_id = candidates.id), '')`

func scanRow(row scanner) (CandidateRow, error) {
	var out CandidateRow
	var tags string
	c, err := scanCandidate(withMore{row, []any{&out.Sheet, &out.Mail, &tags}})
	out.Candidate, out.Tags = c, split(tags)
	return out, err
}

// withMore reads further columns behind those that a scan function knows.
type withMore struct {
	row  scanner
	more []any
}

// Scan implements scanner.
func (w withMore) Scan(dest ...any) error { return w.row.Scan(append(dest, w.more...)...) }

// CandidateRowsOf reads up to 100 candidates of the account by id, newest first;
// ids that it does not have are passed over. Invalid: more than 100 ids.
func (r reads) CandidateRowsOf(ctx context.Context, accountID int64, ids []int64) ([]CandidateRow, error) {
	args, err := idArgs(accountID, ids)
	if err != nil {
		return nil, err
	}
	return all(ctx, r, scanRow, rowsOfQuery, args...)
}

// A sum has no index: SQLite would read all candidates of the account.
var rowsOfQuery = `select ` + rowColumns + ` from candidates where account_id + 0 = $1 and id in (` + idPlaces + `)
	and erased_at is null order by id desc`
