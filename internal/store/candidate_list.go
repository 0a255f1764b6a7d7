package store

import (
	"context"
	"strconv"
	"time"

	"typus"
	"typus/internal/db"
)

// By says how a reference to a candidate is read.
type By string

// The readings of a reference: id first and then external_id, or one of them only.
const (
	ByEither     By = ""
	ByID         By = "id"
	ByExternalID By = "external_id"
)

// AnyPosition asks for the candidates of all positions.
const AnyPosition int64 = -1

// ofPositionOnly is a condition on candidates: they are of a position (0: of the account's
// default one), given as the parameter. No index is gone along for it.
const ofPositionOnly = ` and coalesce(position_id, 0) = `

// CandidateByRef finds a candidate by internal id or external_id and says which of them
// matched. A number without leading zeros that fits int64 is tried as an id first and
// then as an external_id; anything else is an external_id. Of several candidates with
// the same external_id it returns the newest. With a position (0: the account's default
// one, AnyPosition: whichever) nobody of another one is found. NotFound.
func (r *reads) CandidateByRef(ctx context.Context, accountID int64, ref string, by By, positionID int64) (typus.Candidate, By, error) {
	only, args := "", []any{accountID, ref}
	if positionID != AnyPosition {
		only, args = ofPositionOnly+"$3", append(args, positionID)
	}
	if id, isID := candidateID(ref); isID && by != ByExternalID {
		c, found, err := db.Maybe(ctx, r, scanCandidate,
			`select `+candidateColumns+` from candidates where account_id = $1 and id = $2 and erased_at is null`+only, append([]any{accountID, id}, args[2:]...)...)
		if err != nil || found {
			return c, ByID, err
		}
	}
	if by == ByID || ref == "" || !db.Storable(ref) {
		return typus.Candidate{}, by, typus.Errorf(typus.NotFound, noCandidate)
	}
	c, err := db.One(ctx, r, scanCandidate, noCandidate, `
		select `+candidateColumns+` from candidates where account_id = $1 and external_id = $2 and erased_at is null`+only+`
		order by created_at desc, id desc limit 1`, args...)
	return c, ByExternalID, err
}

// candidateID reads ^[1-9][0-9]{0,18}$ within int64.
func candidateID(ref string) (int64, bool) {
	if ref == "" || ref[0] < '1' || ref[0] > '9' {
		return 0, false
	}
	id, err := strconv.ParseInt(ref, 10, 64)
	return id, err == nil
}

// CandidateFilter selects candidates of one account. Zero fields do not filter.
type CandidateFilter struct {
	Status         typus.Status
	ExternalID     string
	HasExternalID  bool  // filter by ExternalID even when it is ""
	PositionID     int64 // with HasPosition, 0 for the account's default one
	HasPosition    bool
	CompletedSince time.Time // finished ones only, newest completion first
	After          Cursor    // continue behind this row
	Limit          int       // 1 to 100
}

// Cursor is the place of a row in a list: its sort time and id. Zero: the start.
type Cursor struct {
	At time.Time
	ID int64
}

// empty reports whether no candidate can match the filter: no candidate has the
// external_id "", and only finished ones were completed.
func (f CandidateFilter) empty() bool {
	if f.HasExternalID && f.ExternalID == "" || !db.Storable(f.ExternalID) {
		return true
	}
	return !f.CompletedSince.IsZero() && f.Status != "" && f.Status != typus.StatusFinished
}

// Candidates lists candidates, newest first (by created_at and id; with CompletedSince
// by completed_at and id). The cursor is that of the last row if more rows follow, else
// zero. Rows that are added while somebody turns pages do not shift the pages. A limit
// below 1 counts as 1, above 100 as 100.
func (r *reads) Candidates(ctx context.Context, accountID int64, f CandidateFilter) ([]typus.Candidate, Cursor, error) {
	if f.empty() {
		return nil, Cursor{}, nil
	}
	f.Limit = min(max(f.Limit, 1), 100)
	query, args := f.statement(accountID)
	list, err := db.AllOf(ctx, r, f.Limit+1, candidateScanner(), query, args...)
	if err != nil || len(list) <= f.Limit {
		return list, Cursor{}, err
	}
	list = list[:f.Limit]
	return list, f.cursor(list[f.Limit-1]), nil
}

func (f CandidateFilter) cursor(last typus.Candidate) Cursor {
	if f.CompletedSince.IsZero() {
		return Cursor{At: last.CreatedAt, ID: last.ID}
	}
	return Cursor{At: last.CompletedAt, ID: last.ID}
}

// statement is one constant text for each combination of filters, because a text that
// serves all of them ("$2 is null or …") reads the whole table. It is put together from
// constants, never from a caller's text. It reads one row too many, which tells whether
// more follow.
func (f CandidateFilter) statement(accountID int64) (string, []any) {
	erased := "erased_at"
	if f.HasPosition && f.ExternalID == "" {
		// Most indexes have nobody who was erased. The others are those of positions.
		erased += db.OffIndex
	}
	query := `select ` + candidateColumns + ` from candidates where account_id = $1 and ` + erased + ` is null`
	args := []any{accountID}
	next := func(value any) string {
		args = append(args, value)
		return "$" + strconv.Itoa(len(args))
	}
	sort, completed, status := "created_at", "completed_at", "status"
	if f.HasPosition {
		switch {
		case f.ExternalID != "":
			query += ofPositionOnly + next(f.PositionID)
		case f.PositionID == 0:
			query += " and position_id is null"
		default:
			query += " and position_id = " + next(f.PositionID)
		}
		// The candidates of a position stand together, in the order of the list, and so do
		// its completions.
		status = "status" + db.OffTextIndex
	}
	if f.ExternalID != "" {
		query += " and external_id = " + next(f.ExternalID)
		// A sum or a joined text has no index: so SQLite, too, goes by the
		// external_id, which few share, and not along all completions or all of a status.
		completed, status = "completed_at"+db.OffIndex, "status"+db.OffTextIndex
	}
	if !f.CompletedSince.IsZero() {
		sort = completed
		query += " and " + completed + " >= " + next(db.Millis(f.CompletedSince))
	} else if f.Status != "" {
		query += " and " + status + " = " + next(string(f.Status))
	}
	if f.After != (Cursor{}) {
		query += " and (" + sort + ", id) < (" + next(db.Millis(f.After.At)) + ", " + next(f.After.ID) + ")"
	}
	// Not in the same line: Go 1.26 may return a list in memory of this call, which has
	// gone, if the returning line itself makes it longer.
	query += " order by " + sort + " desc, id desc limit " + next(f.Limit+1)
	return query, args
}
