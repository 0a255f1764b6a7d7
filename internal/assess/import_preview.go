package assess

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"typus"
	"typus/internal/store"
)

// PreviewImport checks the rows of a file and stores them for people to look at; nobody
// is invited. leftOut are the headings of columns that were not read. A row that holds
// Reasons already is faulty. NotFound. Conflict: the import is confirmed already.
func (s *Steps) PreviewImport(ctx context.Context, reader store.Reader, id int64, rows []typus.ImportRow, blank int, leftOut []string) error {
	i, err := s.store.ImportFor(ctx, reader, id)
	if err != nil {
		return err
	}
	i.Total, i.Blank, i.Valid = len(rows), blank, 0
	i.LeftOut = nil
	for _, heading := range leftOut {
		i.LeftOut = append(i.LeftOut, strings.Join(strings.Fields(shown(heading)), " "))
	}
	rows = slices.Clone(rows)
	first := map[string]int{}
	for n := range rows {
		rows[n] = s.checkRow(rows[n])
		if rows[n].State != typus.RowReady {
			continue
		}
		key := strings.ToLower(rows[n].Email)
		if line, twice := first[key]; twice {
			rows[n].State, rows[n].Reasons = typus.RowDuplicate, []string{fmt.Sprint(reasonRow, " ", line)}
			continue
		}
		first[key] = rows[n].N
	}
	if err := s.markOpen(ctx, s.store.OpenByEmail, i, rows, typus.RowDuplicate); err != nil {
		return err
	}
	for _, r := range rows {
		if r.State == typus.RowReady {
			i.Valid++
		}
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error { return tx.ReplaceImportRows(ctx, i, rows) })
}

// checkRow says whether the person of a row can be invited. A value that cannot be used
// is kept in a form that can be shown.
func (s *Steps) checkRow(r typus.ImportRow) typus.ImportRow {
	i, found := s.Check(Invitation{Name: r.Name, Email: r.Email, ExternalID: r.ExternalID, Language: r.Language})
	for _, f := range found {
		r.Reasons = append(r.Reasons, f.Name+"_"+f.Code)
	}
	for name, cell := range map[string]string{"name": i.Name, "email": i.Email, "external_id": i.ExternalID} {
		if strings.ContainsRune(cell, utf8.RuneError) && !slices.Contains(r.Reasons, name+"_"+typus.CodeInvalid) {
			r.Reasons = append(r.Reasons, name+"_"+typus.CodeInvalid)
		}
	}
	if len(r.Reasons) == 0 {
		r.Name, r.Email, r.State = i.Name, i.Email, typus.RowReady
		return r
	}
	slices.Sort(r.Reasons)
	r.State = typus.RowFaulty
	r.Name, r.Email, r.ExternalID, r.Language = shown(i.Name), shown(i.Email), shown(r.ExternalID), shown(r.Language)
	return r
}

// shown is what is kept of an unchecked text: without characters that cannot be stored
// or would disturb a page, and cut to a bounded length.
func shown(text string) string {
	clean := strings.Map(func(r rune) rune {
		if _, unsafe := typus.UnsafeRune(string(r)); unsafe {
			return utf8.RuneError
		}
		return r
	}, norm.NFC.String(strings.ToValidUTF8(text, string(utf8.RuneError))))
	if utf8.RuneCountInString(clean) > maxShown {
		clean = string([]rune(clean)[:maxShown]) + "…"
	}
	return clean
}

// openByEmail is OpenByEmail of a Store or a Tx.
type openByEmail func(ctx context.Context, accountID, positionID int64, emails []string, at time.Time) (map[string]int64, error)

// markOpen marks the ready rows whose address has an open invitation to the import's position.
func (s *Steps) markOpen(ctx context.Context, open openByEmail, i typus.Import, rows []typus.ImportRow, state typus.RowState) error {
	const atOnce = 100
	for part := range slices.Chunk(rows, atOnce) {
		var emails []string
		for _, r := range part {
			if r.State == typus.RowReady {
				emails = append(emails, r.Email)
			}
		}
		if len(emails) == 0 {
			continue
		}
		found, err := open(ctx, i.AccountID, i.PositionID, emails, s.now())
		if err != nil {
			return err
		}
		for n, r := range part {
			if id, known := found[strings.ToLower(r.Email)]; known && r.State == typus.RowReady {
				part[n].State, part[n].Reasons, part[n].CandidateID = state, []string{reasonOpen}, id
			}
		}
	}
	return nil
}
