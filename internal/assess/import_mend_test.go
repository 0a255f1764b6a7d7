package assess_test

import (
	"slices"
	"strings"
	"testing"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// said is what a preview says of each row, by its line.
func (w *world) said(id int64) map[int]string {
	w.Helper()
	said := map[int]string{}
	for _, r := range w.rowsOf(id) {
		said[r.N] = strings.TrimSpace(string(r.State) + " " + strings.Join(r.Reasons, " "))
	}
	return said
}

func (w *world) wantSaid(id int64, want map[int]string) {
	w.Helper()
	for n, said := range w.said(id) {
		if said != want[n] {
			w.Errorf("row %d: %s, want %s", n, said, want[n])
		}
	}
}

func TestAFaultyRowIsMendedInThePreviewAndCheckedAgain(t *testing.T) {
	run(t, func(w *world) {
		all := store.WholeAccount(w.Account)
		id := w.preview([]typus.ImportRow{
			{N: 2, Name: "", Email: "kim@example.com", ExternalID: "1"},
			{N: 3, Name: "Jana Muster", Email: "jana(at)example.com", ExternalID: "6,4862E+18", Reasons: []string{"columns_more"}},
			{N: 4, Name: "Sam Kurz", Email: "sam@example.com"},
			{N: 5, Name: "Pat Lang", Email: "pat(at)example.com"},
		})
		w.wantSaid(id, map[int]string{2: "faulty name_required", 3: "faulty columns_more email_invalid external_id_shortened", 4: "ready", 5: "faulty email_invalid"})
		out, err := w.Assess.MendRows(w.Ctx, all, id, []typus.ImportRow{
			{N: 2, Name: "Kim Beispiel", Email: "SAM@example.com", ExternalID: " 1 "}, // which is Sam's
			{N: 3, Name: "Jana Muster", Email: "jana@example.com", ExternalID: "6486200000000000123"},
			{N: 4, Name: "Eine andere", Email: "andere@example.com"}, // which is sound already
			{N: 5, Name: "Pat Lang", Email: "pat@example", Language: "fr"},
			{N: 99, Name: "Niemand"},
		}, nil)
		w.Must(err)
		if out.Ready != 2 || out.Left != 1 || out.Overtaken != nil {
			w.Errorf("%+v", out)
		}
		// Of two rows with one address the earlier is invited.
		w.wantSaid(id, map[int]string{2: "ready", 3: "ready", 4: "duplicate row 2", 5: "faulty email_invalid language_invalid"})
		rows := w.rowsOf(id)
		if rows[0].ExternalID != "1" || rows[1].ExternalID != "6486200000000000123" || rows[2].Name != "Sam Kurz" || rows[3].Email != "pat@example" || rows[3].Language != "fr" {
			w.Errorf("rows %+v", rows)
		}
		if i := w.imported(id); i.Valid != 2 || i.Total != 4 {
			w.Errorf("import %+v", i)
		}
		// What was mended wrongly is mended once more, and the other row is invited after all.
		_, err = w.Assess.MendRows(w.Ctx, all, id, []typus.ImportRow{{N: 2, Name: "Kim Beispiel", Email: "kim@example.com", ExternalID: "1"}}, nil)
		w.Must(err)
		w.wantSaid(id, map[int]string{2: "ready", 3: "ready", 4: "ready", 5: "faulty email_invalid language_invalid"})
		w.Must(w.Assess.StartImport(w.Ctx, all, id, ada))
		_, err = w.Assess.MendRows(w.Ctx, all, id, []typus.ImportRow{{N: 5, Name: "Pat", Email: "pat@example.com"}}, nil)
		w.WantKind(err, typus.Conflict)
		_, err = w.Assess.MendRows(w.Ctx, store.WholeAccount(w.Account+1), id, nil, nil)
		w.WantKind(err, typus.NotFound)
		w.Must(w.Assess.RunImports(w.Ctx, "a"))
		if i := w.imported(id); i.Invited() != 3 || w.everybody() != 3 {
			w.Errorf("import %+v, %d candidates", i, w.everybody())
		}
	})
}

// Whoever reads the file anew, with other columns, does not type twice.
func TestWhatIsMendedOutlivesThatTheFileIsReadAnew(t *testing.T) {
	run(t, func(w *world) {
		all := store.WholeAccount(w.Account)
		rows := []typus.ImportRow{{N: 2, Name: "", Email: "kim@example.com"}, {N: 3, Name: "Jana", Email: "jana@example.com"}}
		id := w.preview(rows)
		_, err := w.Assess.MendRows(w.Ctx, all, id, []typus.ImportRow{{N: 2, Name: "Kim Beispiel", Email: "kim@example.com"}}, nil)
		w.Must(err)
		rows[1].Name, rows[1].ExternalID = "Jana Muster", "crm-1"
		w.Must(w.Assess.PreviewImport(w.Ctx, all, id, assess.List{Rows: rows, Reading: "utf-8 59 1 false"}))
		got := w.rowsOf(id)
		if got[0].Name != "Kim Beispiel" || !got[0].Mended || got[1].Name != "Jana Muster" || got[1].Mended || w.imported(id).Reading != "utf-8 59 1 false" || w.imported(id).Valid != 2 {
			w.Errorf("rows %+v, import %+v", got, w.imported(id))
		}
	})
}

func TestTwoPeopleWithOneExternalIDGetARemarkAndAreInvited(t *testing.T) {
	run(t, func(w *world) {
		id := w.started([]typus.ImportRow{
			{N: 2, Name: "Kim", Email: "kim@example.com", ExternalID: "crm-1"}, {N: 3, Name: "Jana", Email: "jana@example.com", ExternalID: "crm-1"},
			{N: 4, Name: "Sam", Email: "sam@example.com", ExternalID: "crm-2"}, {N: 5, Name: "Kim", Email: "kim@example.com", ExternalID: "crm-2"},
			{N: 6, Name: "Ada", Email: "ada@example.com"}, {N: 7, Name: "Bob", Email: "bob@example.com"},
		})
		w.wantSaid(id, map[int]string{2: "ready external_id_row 3", 3: "ready external_id_row 2", 4: "ready", 5: "duplicate row 2", 6: "ready", 7: "ready"})
		w.Must(w.Assess.RunImports(w.Ctx, "a"))
		got := w.rowsOf(id)
		if w.everybody() != 5 || got[1].State != typus.RowInvited || !slices.Equal(got[1].Reasons, []string{"external_id_row 2"}) {
			w.Errorf("%d candidates, rows %+v", w.everybody(), got)
		}
	})
}

// Nobody is written back whom an erasure has emptied, and emptied rows are no duplicates of
// each other.
func TestMendingWritesNobodyBack(t *testing.T) {
	run(t, func(w *world) {
		all := store.WholeAccount(w.Account)
		id := w.preview([]typus.ImportRow{{N: 2, Name: "Kim", Email: "kim@example.com"}, {N: 3, Name: "", Email: "jana@example.com"}, {N: 4, Name: "Kim", Email: "KIM@example.com"}})
		other := w.invite(assess.Invitation{Name: "Kim", Email: "kim@example.com"})
		w.Must(w.Assess.Erase(w.Ctx, all, other.Candidate.ID, ada))
		_, err := w.Assess.MendRows(w.Ctx, all, id, []typus.ImportRow{{N: 3, Name: "Jana", Email: "jana@example.com"}}, nil)
		w.Must(err)
		for _, r := range w.rowsOf(id) {
			if r.N != 3 && (r.Name != "" || r.Email != "") {
				w.Errorf("row %+v", r)
			}
		}
		if got := w.rowsOf(id); got[1].Name != "Jana" || got[1].State != typus.RowReady {
			w.Errorf("rows %+v", got)
		}
	})
}

// Of two who mend the same row the second does not undo unseen what the first has typed.
func TestARowThatSomebodyElseHasMendedMeanwhileStays(t *testing.T) {
	run(t, func(w *world) {
		all := store.WholeAccount(w.Account)
		id := w.preview([]typus.ImportRow{{N: 2, Name: "", Email: "kim@example.com"}, {N: 3, Name: "", Email: "jana@example.com"}})
		saw := w.rowsOf(id)
		unseen := func(stored typus.ImportRow) bool { return stored.Name != saw[stored.N-2].Name }
		out, err := w.Assess.MendRows(w.Ctx, all, id, []typus.ImportRow{{N: 2, Name: "Kim Beispiel", Email: "kim@example.com"}}, unseen)
		w.Must(err)
		if out.Ready != 1 || out.Overtaken != nil {
			w.Errorf("the first: %+v", out)
		}
		out, err = w.Assess.MendRows(w.Ctx, all, id, []typus.ImportRow{{N: 2, Name: "Kim B.", Email: "kim@example.com"}, {N: 3, Name: "Jana", Email: "jana@example.com"}}, unseen)
		w.Must(err)
		if got := w.rowsOf(id); out.Ready != 1 || len(out.Overtaken) != 1 || out.Overtaken[0].Name != "Kim Beispiel" || got[0].Name != "Kim Beispiel" || got[1].Name != "Jana" {
			w.Errorf("the second: %+v, rows %+v", out, got)
		}
	})
}
