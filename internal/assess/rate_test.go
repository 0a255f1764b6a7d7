package assess_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func TestRatingsAreFrozenAfterAWhileByAResultAndWhereAClockWasAhead(t *testing.T) {
	now := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		rated, completed time.Time
		frozen           bool
	}{
		"not saved":                            {frozen: false},
		"not saved, with a result":             {completed: now},
		"just saved":                           {rated: now},
		"just saved, with a result":            {rated: now, completed: now.Add(-time.Hour)},
		"just saved, and then came the result": {rated: now.Add(-time.Minute), completed: now, frozen: true},
		"a moment before the end":              {rated: now.Add(-assess.Rethink + time.Millisecond)},
		"at the end":                           {rated: now.Add(-assess.Rethink), frozen: true},
		"by another server's clock":            {rated: now.Add(time.Second)},
		"three days ahead of all now":          {rated: now.Add(72 * time.Hour), frozen: true},
	} {
		if got := assess.Frozen(c.rated, c.completed, now); got != c.frozen {
			t.Errorf("%s: frozen %t", name, got)
		}
	}
}

// A draft comes whole with every pause of somebody who types: what is kept already is not
// written again, and what says nothing is not written at all.
func TestOfRatingsOnlyWhatDiffersIsWritten(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		var written []string
		w := newWorld(t, s.Watched(func(query string) error {
			if what, _, found := strings.Cut(strings.TrimSpace(query), " ratings "); found && (what == "insert into" || what == "delete from") {
				written = append(written, what)
			}
			return nil
		}))
		id := w.invite(assess.Invitation{Name: "Kim Muster", Email: "kim@example.com"}).Candidate.ID
		reader := store.WholeAccount(w.Account)
		reader.UserID = 7
		by, stand, four, five := typus.Actor{Name: "ada@example.com", UserID: 7}, "", 4, 5
		ratings := func(list ...store.Rating) assess.Ratings { return assess.Ratings{List: list, Since: stand} }
		draft := func(list ...store.Rating) {
			t.Helper()
			var err error
			stand, err = w.Assess.KeepDraft(w.Ctx, reader, id, ratings(list...), by)
			w.Must(err)
			if shown, err := w.Store.RatingsOf(w.Ctx, reader, id); err != nil || assess.Digest(shown, 7) != stand {
				t.Errorf("the next page has another stand than the draft: %v", err)
			}
		}
		wrote := func(what string, want ...string) {
			t.Helper()
			if !slices.Equal(written, want) {
				t.Errorf("%s writes %q, want %q", what, written, want)
			}
			written = nil
		}
		draft(store.Rating{Question: "co2"}, store.Rating{Question: "so1"})
		wrote("an empty draft")
		draft(store.Rating{Question: "co2", Note: "Ruhig"}, store.Rating{Question: "so1", Mark: &four})
		wrote("the first draft", "insert into", "insert into")
		draft(store.Rating{Question: "co2", Note: " Ruhig\r\n"}, store.Rating{Question: "so1", Mark: &four})
		wrote("the same once more")
		draft(store.Rating{Question: "co2", Note: "Ruhig, lange"}, store.Rating{Question: "so1", Mark: &four})
		wrote("one more word", "insert into")
		draft(store.Rating{Question: "co2"}, store.Rating{Question: "so1", Mark: &five})
		wrote("a note that is taken back beside another mark", "delete from", "insert into")
		old := stand
		draft(store.Rating{Question: "in2", Note: "Zur alten Frage"})
		wrote("a note on one question alone", "insert into")
		_, err := w.Assess.KeepDraft(w.Ctx, reader, id, assess.Ratings{List: []store.Rating{{Question: "in2", Note: "Alt"}}, Since: old}, by)
		if !assess.Stale(err) {
			t.Errorf("an old window is told %v", err)
		}
		wrote("an old window")
		w.Must(w.Assess.Rate(w.Ctx, reader, id, ratings(store.Rating{Question: "co2", Mark: &four}, store.Rating{Question: "so1", Mark: &five}), by))
		wrote("saving, without the old question", "delete from", "insert into")
		by.Name = "ada.neu@example.com"
		stand = ""
		w.Must(w.Assess.Rate(w.Ctx, reader, id, ratings(store.Rating{Question: "co2", Mark: &four}, store.Rating{Question: "so1", Mark: &five}), by))
		wrote("another name", "insert into", "insert into")
		list, err := w.Store.RatingsOf(w.Ctx, reader, id)
		if err != nil || len(list) != 2 || *list[0].Mark != 4 || *list[1].Mark != 5 || list[1].Author != by.Name || !list[0].Final {
			t.Errorf("kept are %+v, %v", list, err)
		}
	})
}
