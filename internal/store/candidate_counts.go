package store

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"typus"
	"typus/internal/db"
)

// Count is a number of candidates; with More it is at least so many.
type Count struct {
	N    int
	More bool
}

// CandidateCounts are the numbers of a CandidateQuery in each status, whichever status
// it asks for, and the tags of the account. They are exact up to 10,000. For a search
// or a tag they are exact as long as the rarest of the words and tags asked for belongs
// to at most 3,000 candidates (10,000 if they are sorted).
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

// countCandidates counts with one statement of bounded cost. For a search or a tag it
// also returns the ids of the page in their order, and one more id if more candidates
// follow.
func (r reads) countCandidates(ctx context.Context, p *plan) (CandidateCounts, []int64, error) {
	most := countUpTo
	if p.f.searched() {
		most = p.f.few()
	}
	p.count()
	query, args := p.Numbered()
	c, err := db.One(ctx, r, func(row db.Row) (countedPage, error) { return scanCounts(row, most) }, "", query, args...)
	return c.CandidateCounts, c.ids, err
}

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
