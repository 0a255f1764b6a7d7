package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"typus/internal/sandbox"
	"typus/internal/store"
)

// lettersView are letters, newest first.
type lettersView struct {
	Letters []letterView `json:"letters"`
}

// letterView is a letter that a test world keeps, as it would have gone out.
type letterView struct {
	ID          int64   `json:"id"`
	Kind        string  `json:"kind"`
	CandidateID *int64  `json:"candidate_id"` // null for letters about nobody
	FromName    string  `json:"from_name"`
	To          string  `json:"to"`
	ReplyTo     *string `json:"reply_to"`
	Subject     string  `json:"subject"`
	Text        string  `json:"text"`
	HTML        string  `json:"html"`
	CreatedAt   string  `json:"created_at"`
}

func viewLetter(l sandbox.Letter) letterView {
	v := letterView{
		ID: l.ID, Kind: string(l.Kind), FromName: l.FromName, To: l.To, ReplyTo: orNull(l.ReplyTo),
		Subject: l.Subject, Text: l.Text, HTML: l.HTML, CreatedAt: timestamp(l.CreatedAt),
	}
	if l.CandidateID != 0 {
		v.CandidateID = &l.CandidateID
	}
	return v
}

// letters answers a page of the letters that the test world keeps, newest first.
func (a *api) letters(w http.ResponseWriter, r *http.Request) error {
	q := readQuery(w, r, []string{"to", "limit", "cursor"}, otherPages)
	q.noSpace("to")
	before, limit := q.letterCursor(keyOf(r.Context()).AccountID), q.limit()
	if err := invalid(q.faults); err != nil {
		return err
	}
	found, err := a.lettersBefore(r.Context(), q.values, before, limit+1)
	if err != nil {
		return err
	}
	if len(found) > limit {
		found = found[:limit]
		w.Header().Set("Link", a.nextLetters(r, q.values, found[limit-1].ID))
	}
	v := lettersView{Letters: []letterView{}}
	for _, l := range found {
		v.Letters = append(v.Letters, viewLetter(l))
	}
	return answer(w, http.StatusOK, v)
}

// noSpace refuses a space in an address: it was a plus, and nobody would be found.
func (q *query) noSpace(name string) {
	if strings.Contains(q.values.Get(name), " ") {
		q.fault(name, "has a space in it, which no address has; a + in a query is a space, so write it as %2B")
	}
}

// lettersBefore reads letters before one of them, those to one address only if the query has
// one.
func (a *api) lettersBefore(ctx context.Context, q url.Values, before int64, limit int) ([]sandbox.Letter, error) {
	worldID := keyOf(ctx).AccountID
	if q.Has("to") {
		return a.sandbox.LettersTo(ctx, worldID, q.Get("to"), before, limit)
	}
	return a.sandbox.Letters(ctx, worldID, before, limit)
}

// The cursors of letters are those of an account that there cannot be, so that none is taken
// for one of the list of candidates.

func (a *api) nextLetters(r *http.Request, given url.Values, last int64) string {
	kept := url.Values{}
	for _, name := range []string{"to", "limit"} {
		if given.Has(name) {
			kept.Set(name, given.Get(name))
		}
	}
	filters := url.Values{}
	if given.Has("to") {
		filters.Set("to", given.Get("to"))
	}
	kept.Set("cursor", encodeCursor(-keyOf(r.Context()).AccountID, filters, store.Cursor{ID: last}))
	return fmt.Sprintf("<%s?%s>; rel=%q", a.links.APILetters(), kept.Encode(), "next")
}

// letterCursor reads the letter to go on behind, 0 without one. The recipient in the cursor
// applies without being sent again, and must be the same if it is.
func (q *query) letterCursor(accountID int64) int64 {
	given := q.values.Get("cursor")
	if given == "" {
		return 0
	}
	filters, at, ok := decodeCursor(-accountID, given)
	switch {
	case !ok:
		q.fault("cursor", "is not a cursor of this list; follow the Link header as it stands")
	case q.values.Has("to") && (!filters.Has("to") || q.values.Get("to") != filters.Get("to")):
		q.fault("cursor", "belongs to a list with another to; follow the Link header as it stands")
	case filters.Has("to"):
		q.values.Set("to", filters.Get("to"))
	}
	return at.ID
}
