package store

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"typus"
	"typus/internal/db"
	"typus/internal/words"
)

// countUpTo bounds how far candidates are counted.
const countUpTo = 10_000

// Count is a number of candidates; with More it is at least so many.
type Count struct {
	N    int
	More bool
}

// CandidateCounts are the numbers of a CandidateQuery in each status, whatever
// the status it asks for, and the tags of the account. They are exact as far as
// 10,000; those of a search or a tag as long as no more than 3,000 candidates (10,000
// where they are sorted) have the rarest of what is asked for.
type CandidateCounts struct {
	All, Open, Started, Finished Count
	Tags                         []string // sorted, at most 200
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

// The tags of an account, found by stepping from one to the next along the index.
const (
	tagSeparator = "\x1f" // no tag holds a control character
	tagsShown    = 200
	eachTag      = `each_tag (tag) as (
		select min(tag) from candidate_tags where account_id = ?
		union all
		select (select min(t.tag) from candidate_tags t where t.account_id = ? and t.tag > each_tag.tag) from each_tag where each_tag.tag is not null)`
)

// countCandidates counts, with one statement of bounded cost. It also says whom a
// search or a tag has found for the page: their ids in order, one more than fit if
// more follow.
func (r reads) countCandidates(ctx context.Context, accountID int64, f CandidateQuery, s words.Search) (CandidateCounts, []int64, error) {
	var q db.Question
	q.Add(`with recursive `+eachTag, accountID, accountID)
	most, from := countUpTo, ""
	if f.searched() {
		most, from = f.few(), ` from sums`
		f.find(&q, accountID, s)
		q.Add(`, sums as materialized (select (select count(*) from walked) as walked_over`)
		for _, st := range statuses {
			q.Add(`, count(case hit_status when '` + string(st) + `' then 1 end) as ` + string(st))
		}
		q.Add(` from found) select walked_over`)
		for _, st := range statuses {
			q.Add(`, ` + string(st))
		}
		q.Add(`, `)
		f.foundIDs(&q)
	} else {
		start, end := f.span()
		q.Add(` select 0`)
		for _, st := range statuses {
			q.Add(`, (select count(*) from (select 1 from candidates where account_id = ? and erased_at is null and status = '`+string(st)+`'
				and created_at >= ? and created_at < ? limit `+strconv.Itoa(countUpTo+1)+`) counted)`, accountID, start, end)
		}
		q.Add(`, ''`)
	}
	q.Add(`, coalesce((select string_agg(tag, '` + tagSeparator + `') from (select tag from each_tag where tag is not null limit ` + strconv.Itoa(tagsShown) + `) listed), '')` + from)
	c, err := db.One(ctx, r, func(row db.Row) (countedPage, error) { return scanCounts(row, most) }, "", q.String(), q.Parameters()...)
	return c.CandidateCounts, c.ids, err
}

var statuses = [...]typus.Status{typus.StatusOpen, typus.StatusStarted, typus.StatusFinished}

type countedPage struct {
	CandidateCounts
	ids []int64
}

// scanCounts reads counts that are exact while none of them is above most.
func scanCounts(row db.Row, most int) (countedPage, error) {
	var (
		c          countedPage
		walked     int
		page, tags string
	)
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
		c.ids = append(c.ids, id)
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
