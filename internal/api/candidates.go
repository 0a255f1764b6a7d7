package api

import (
	"context"
	"net/http"
	"slices"
	"unicode/utf8"

	"typus"
	"typus/internal/store"
)

// candidate answers one candidate by its id or external_id (API description 4.3).
func (a *api) candidate(w http.ResponseWriter, r *http.Request) error {
	q := readQuery(w, r, []string{"by", "include", "position"}, foreign{})
	by := store.By(q.oneOf("by", string(store.ByID), string(store.ByExternalID)))
	extra := q.extra()
	if err := invalid(q.faults); err != nil {
		return err
	}
	accountID := keyOf(r.Context()).AccountID
	c, matched, err := a.findCandidate(r, accountID, by, q)
	if err != nil {
		return err
	}
	c = shown(r.Context(), c)[0]
	a.readBack(r.Context(), c)
	extras := []*extraView{nil}
	if extra {
		if extras, err = a.extras(r, accountID, []typus.Candidate{c}); err != nil {
			return err
		}
	}
	if err := a.unmoved(r.Context()); err != nil {
		return err
	}
	w.Header().Set("X-Matched-By", string(matched))
	return answerView(w, func(v *view) { v.candidate(c, extras[0]) })
}

// findCandidate returns the same NotFound for an unknown candidate, for one of another
// account and for one of another position than the query or the key names. An identifier that
// no candidate can have is not looked up.
func (a *api) findCandidate(r *http.Request, accountID int64, by store.By, q *query) (typus.Candidate, store.By, error) {
	none := typus.Errorf(typus.NotFound, "there is no candidate with this id or external_id")
	ref := r.PathValue("id")
	if !possibleExternalID(ref) {
		return typus.Candidate{}, "", none
	}
	position, known, err := a.positionAsked(r, q)
	if err != nil {
		return typus.Candidate{}, "", err
	}
	if !known {
		return typus.Candidate{}, "", none
	}
	c, matched, err := a.store.CandidateByRef(r.Context(), accountID, ref, by, position)
	if typus.Is(err, typus.NotFound) {
		return typus.Candidate{}, "", none
	}
	return c, matched, err
}

// positionAsked is the position that a query or the key narrows to, store.AnyPosition without
// one. It reports false for an unknown one, which nobody is a candidate of, and for another
// one than the key's.
func (a *api) positionAsked(r *http.Request, q *query) (int64, bool, error) {
	key := keyOf(r.Context())
	if !q.values.Has("position") {
		return within(key), true, nil
	}
	ref := q.values.Get("position")
	if ref == "" {
		return 0, false, nil // a broken mapping, as for external_id
	}
	id, err := a.positionNamed(r, ref)
	if typus.Is(err, typus.NotFound) {
		return 0, false, nil
	}
	return id, reached(key, id), err
}

// possibleExternalID reports whether an invitation could have stored s as external_id.
// Internal ids are numbers and pass as well.
func possibleExternalID(s string) bool {
	_, bad := typus.UnsafeRune(s)
	return s != "" && !bad && utf8.RuneCountInString(s) <= 255
}

// candidates answers a page of the list (API description 4.2), newest first.
func (a *api) candidates(w http.ResponseWriter, r *http.Request) error {
	accountID := keyOf(r.Context()).AccountID
	l, q, err := readList(w, r)
	if err != nil {
		return err
	}
	position, known, err := a.positionAsked(r, q)
	if err != nil {
		return err
	}
	l.filter.PositionID, l.filter.HasPosition = position, position != store.AnyPosition
	l.empty = l.empty || !known
	var found []typus.Candidate
	var next store.Cursor
	if !l.empty {
		if found, next, err = a.store.Candidates(r.Context(), accountID, l.filter); err != nil {
			return err
		}
		found = shown(r.Context(), found...)
	}
	a.readBack(r.Context(), found...)
	extras := make([]*extraView, len(found))
	if l.extra && len(found) > 0 {
		if extras, err = a.extras(r, accountID, found); err != nil {
			return err
		}
	}
	if err := a.unmoved(r.Context()); err != nil {
		return err
	}
	if next != (store.Cursor{}) {
		w.Header().Set("Link", l.next(a.links.APICandidates(), accountID, shownCursor(r.Context(), next)))
	}
	return answerView(w, func(v *view) { v.list(found, extras) })
}

// extras are what include=extra adds to each of found.
func (a *api) extras(r *http.Request, accountID int64, found []typus.Candidate) ([]*extraView, error) {
	extras := make([]*extraView, len(found))
	ids := make([]int64, len(found))
	for i, c := range found {
		ids[i] = c.ID
	}
	mails, err := a.store.MailStates(r.Context(), accountID, ids)
	if err != nil {
		return nil, err
	}
	results, err := a.results(r.Context(), accountID, found...)
	if err != nil {
		return nil, err
	}
	positions, err := a.positions(r.Context(), accountID, found...)
	if err != nil {
		return nil, err
	}
	account := typus.Account{ID: accountID, Host: keyOf(r.Context()).Host}
	for i, c := range found {
		link, err := a.steps.Link(account, c)
		if err != nil {
			return nil, err
		}
		if extras[i], err = a.viewExtra(c, link, mails[c.ID], results[c.ID], positions); err != nil {
			return nil, err
		}
	}
	return extras, nil
}

// results are the stored results of those of found who have finished, by their ids.
func (a *api) results(ctx context.Context, accountID int64, found ...typus.Candidate) (map[int64]store.Result, error) {
	var finished []int64
	for _, c := range found {
		if c.Scores != nil {
			finished = append(finished, c.ID)
		}
	}
	if len(finished) == 0 {
		return nil, nil
	}
	list, err := a.store.ResultsFor(ctx, store.WholeAccount(accountID), finished)
	results := make(map[int64]store.Result, len(list))
	for _, kept := range list {
		results[kept.CandidateID] = kept
	}
	return results, err
}

// positions are those of found, by their ids; the account's default one is none of them.
func (a *api) positions(ctx context.Context, accountID int64, found ...typus.Candidate) (map[int64]typus.Position, error) {
	var ids []int64
	for _, c := range found {
		if c.PositionID != 0 && !slices.Contains(ids, c.PositionID) {
			ids = append(ids, c.PositionID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return a.store.PositionsOf(ctx, accountID, ids)
}
