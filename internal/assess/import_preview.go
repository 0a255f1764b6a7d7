package assess

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"typus"
	"typus/internal/store"
)

// List is what was read of a file.
type List struct {
	Rows    []typus.ImportRow // one that holds Reasons already is faulty
	Blank   int               // lines without any text
	LeftOut []string          // headings of the columns that were not read
	Reading string            // how it was read, for whoever reads it again
}

// PreviewImport checks the rows of a file and stores them for people to look at; nobody
// is invited. A row that somebody has mended stays as they left it. NotFound. Conflict: the
// import is confirmed already.
func (s *Steps) PreviewImport(ctx context.Context, reader store.Reader, id int64, list List) error {
	at := s.now()
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		i, err := tx.LockImportFor(ctx, reader, id)
		if err != nil {
			return err
		}
		mended, err := tx.MendedRows(ctx, i.AccountID, id)
		if err != nil {
			return err
		}
		rows := overlay(list.Rows, mended)
		if i.Valid, err = s.judge(ctx, tx, i, rows, at); err != nil {
			return err
		}
		i.Total, i.Blank, i.Reading, i.LeftOut = len(rows), list.Blank, list.Reading, nil
		for _, heading := range list.LeftOut {
			i.LeftOut = append(i.LeftOut, strings.Join(strings.Fields(shown(heading)), " "))
		}
		return tx.ReplaceImportRows(ctx, i, rows)
	})
}

// overlay are rows of a file, with those in their place that somebody has mended.
func overlay(rows, mended []typus.ImportRow) []typus.ImportRow {
	byLine := map[int]typus.ImportRow{}
	for _, r := range mended {
		byLine[r.N] = typed(r)
	}
	rows = slices.Clone(rows)
	for n, r := range rows {
		if by, there := byLine[r.N]; there {
			rows[n] = by
		}
	}
	return rows
}

// typed is a row as somebody typed it, to be checked.
func typed(r typus.ImportRow) typus.ImportRow {
	return typus.ImportRow{N: r.N, Name: r.Name, Email: r.Email, ExternalID: strings.TrimSpace(r.ExternalID), Language: r.Language, Mended: true}
}

// judge says of each row what becomes of it, and counts those that can be invited. A row
// without a state is checked; a faulty one stays so; whether others are duplicates
// depends on all.
func (s *Steps) judge(ctx context.Context, tx *store.Tx, i typus.Import, rows []typus.ImportRow, at time.Time) (int, error) {
	for n, r := range rows {
		switch r.State {
		case "":
			rows[n] = s.checkRow(r)
		case typus.RowFaulty:
		default:
			rows[n].State, rows[n].Reasons, rows[n].CandidateID = typus.RowReady, nil, 0
		}
	}
	markTwice(rows)
	if err := s.markOpen(ctx, tx.OpenByEmail, i, rows, typus.RowDuplicate, at); err != nil {
		return 0, err
	}
	remarkIDs(rows)
	valid := 0
	for _, r := range rows {
		if r.State == typus.RowReady {
			valid++
		}
	}
	return valid, nil
}

// markTwice marks the ready rows whose address stands in an earlier one. An emptied row
// has none.
func markTwice(rows []typus.ImportRow) {
	first := map[string]int{}
	for n, r := range rows {
		if r.State != typus.RowReady || r.Email == "" {
			continue
		}
		key := typus.MailboxKey(r.Email)
		if line, twice := first[key]; twice {
			rows[n].State, rows[n].Reasons = typus.RowDuplicate, []string{fmt.Sprint(reasonRow, " ", line)}
			continue
		}
		first[key] = r.N
	}
}

// remarkIDs remarks of the ready rows which have an external ID that another one has too:
// two people, as their addresses say, are one to whoever knows them by it.
func remarkIDs(rows []typus.ImportRow) {
	first := map[string]int{}
	for n, r := range rows {
		if r.State != typus.RowReady || r.ExternalID == "" {
			continue
		}
		earlier, twice := first[r.ExternalID]
		if !twice {
			first[r.ExternalID] = n
			continue
		}
		rows[n].Reasons = []string{fmt.Sprint(reasonSameID, " ", rows[earlier].N)}
		if len(rows[earlier].Reasons) == 0 {
			rows[earlier].Reasons = []string{fmt.Sprint(reasonSameID, " ", r.N)}
		}
	}
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
	if shortened.MatchString(r.ExternalID) {
		r.Reasons = append(r.Reasons, reasonShortened)
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

// shortened is what a spreadsheet makes of a long number: 6,4862E+18. What was behind it
// is lost, and many numbers become the same.
var shortened = regexp.MustCompile(`^-?\d([.,]\d+)?[Ee]\+\d+$`)

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
func (s *Steps) markOpen(ctx context.Context, open openByEmail, i typus.Import, rows []typus.ImportRow, state typus.RowState, at time.Time) error {
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
		found, err := open(ctx, i.AccountID, i.PositionID, emails, at)
		if err != nil {
			return err
		}
		for n, r := range part {
			if id, known := found[typus.MailboxKey(r.Email)]; known && r.State == typus.RowReady {
				part[n].State, part[n].Reasons, part[n].CandidateID = state, []string{reasonOpen}, id
			}
		}
	}
	return nil
}
