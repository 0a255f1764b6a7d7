package store

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"typus"
	"typus/internal/db"
	"typus/internal/words"
)

// Count is a number of candidates; with More it is at least so many.
type Count struct {
	N    int
	More bool
}

// CandidateCounts are the numbers of a CandidateQuery in each status, whichever status
// it asks for, and what the list can be narrowed to. They are exact up to 10,000. For a
// search or anything that narrows the list they are exact as long as the rarest of what is
// asked for belongs to at most 3,000 candidates (10,000 if they are sorted).
type CandidateCounts struct {
	All, Open, Started, Finished Count
	Tags                         []string        // sorted, at most 200
	Roles                        []NamedRole     // the role profiles, by key, at most 200
	Positions                    []NamedPosition // by name, the newest 200, none that is archived
}

// NamedRole is a role profile as the list names it.
type NamedRole struct {
	Key  string
	Name string // of an account's own one, "" for one of the test
}

// NamedPosition is a position as the list names it.
type NamedPosition struct {
	ID       int64
	Standard bool   // the account's default one
	Name     string // "" for one that every language has its own name for
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
func (r *reads) countCandidates(ctx context.Context, p *plan) (CandidateCounts, []int64, error) {
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
		c                         countedPage
		walked                    int
		page, tags, roles, places string
	)
	if err := row.Scan(&walked, &c.Open.N, &c.Started.N, &c.Finished.N, &page, &tags, &roles, &places); err != nil {
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
	c.Tags = slices.Compact(split(tags))
	c.Tags = c.Tags[:min(len(c.Tags), 200)]
	for _, text := range split(roles) {
		key, name, _ := strings.Cut(text, " ")
		c.Roles = append(c.Roles, NamedRole{key, name})
	}
	for _, text := range split(places) {
		id, rest, _ := strings.Cut(text, " ")
		standard, name, _ := strings.Cut(rest, " ")
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return c, err
		}
		c.Positions = append(c.Positions, NamedPosition{n, standard == "1", name})
	}
	slices.SortStableFunc(c.Positions, func(a, b NamedPosition) int { return bytes.Compare(words.SortKey(a.Name), words.SortKey(b.Name)) })
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
