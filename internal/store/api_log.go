package store

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"typus"
	"typus/internal/db"
)

// dayForm is how the days of the API's counts are written, in UTC.
const dayForm = "2006-01-02"

// Day is the day of a time as the counts of calls name it.
func Day(at time.Time) string { return at.UTC().Format(dayForm) }

// AddCalls adds to the counts of keys on days, in the order of the list; each key
// is in it once for a day. Those of accounts that were deleted meanwhile are left out.
func (t *Tx) AddCalls(ctx context.Context, list []typus.Calls) error {
	list, err := ofAccounts(ctx, t, list, func(c typus.Calls) int64 { return c.AccountID })
	if err != nil {
		return err
	}
	return db.UpsertAll(ctx, t.db, `insert into api_calls (account_id, key_id, day, calls, refused) values `, `
		on conflict (account_id, key_id, day) do update set
			calls = api_calls.calls + excluded.calls, refused = api_calls.refused + excluded.refused`, list,
		func(c typus.Calls) []any { return []any{c.AccountID, c.KeyID, c.Day, c.Answered, c.Refused} })
}

var accountsThere = `select id from accounts where id in (` + db.Params(1, manyIDs) + `) order by id`

// ofAccounts are those of a list whose account is there, and stays until the transaction ends:
// these rows have no foreign key that would say so.
func ofAccounts[T any](ctx context.Context, t *Tx, list []T, account func(T) int64) ([]T, error) {
	there := map[int64]bool{}
	for _, x := range list {
		there[account(x)] = false
	}
	for page := range slices.Chunk(slices.Sorted(maps.Keys(there)), manyIDs) {
		found, err := db.All(ctx, t, db.ScanInt, accountsThere+t.db.KeepRows(), db.Padded(page, manyIDs, 0)...)
		if err != nil {
			return nil, err
		}
		for _, id := range found {
			there[id] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !there[account(x)] }), nil
}

// AddRefusedCalls appends refused calls to the log, but for those of accounts that were deleted
// meanwhile.
func (t *Tx) AddRefusedCalls(ctx context.Context, list []typus.RefusedCall) error {
	list, err := ofAccounts(ctx, t, list, func(r typus.RefusedCall) int64 { return r.AccountID })
	if err != nil {
		return err
	}
	return db.InsertAll(ctx, t.db, `insert into api_refusals (account_id, key_id, method, route, status, code, request_id, created_at) values `, list,
		func(r typus.RefusedCall) []any {
			return []any{r.AccountID, r.KeyID, r.Method, r.Route, r.Status, r.Code, r.RequestID, db.Millis(r.At)}
		})
}

// CallsByKey counts the calls of each key of an account from a day on. A key that was
// not used is absent.
func (r *reads) CallsByKey(ctx context.Context, accountID int64, from time.Time) ([]typus.Calls, error) {
	return db.All(ctx, r, scanCalls, `
		select account_id, key_id, '', cast(sum(calls) as bigint), cast(sum(refused) as bigint)
		from api_calls where account_id = $1 and day >= $2 group by account_id, key_id order by key_id`, accountID, Day(from))
}

// KeysAndCalls lists the keys of an account as APIKeys does, and the calls of each key
// on each day from a day on, newest first; a day without calls is absent. It is one
// statement.
func (r *reads) KeysAndCalls(ctx context.Context, accountID int64, from time.Time) ([]typus.APIKey, []typus.Calls, error) {
	var (
		keys []typus.APIKey
		days []typus.Calls
	)
	_, err := db.All(ctx, r, func(row db.Row) (bool, error) {
		var c typus.Calls
		k, err := scanKey(withMore{row, []any{&c.Day, &c.Answered, &c.Refused}})
		if len(keys) == 0 || keys[len(keys)-1].ID != k.ID {
			keys = append(keys, k)
		}
		if c.Day != "" {
			c.AccountID, c.KeyID = k.AccountID, k.ID
			days = append(days, c)
		}
		return true, err
	}, `
		select `+keyColumns+`, coalesce(day, ''), coalesce(calls, 0), coalesce(refused, 0)
		from api_keys left join (select key_id, day, calls, refused from api_calls where account_id = $1 and day >= $2) used on key_id = id
		where account_id = $3 order by id, day desc`, accountID, Day(from), accountID)
	return keys, days, err
}

// DropCalls deletes up to 500 counts of days before the day of a time, and returns how
// many it deleted. The caller repeats it until there are none.
func (t *Tx) DropCalls(ctx context.Context, before time.Time) (int, error) {
	return t.db.Exec(ctx, `
		delete from api_calls where (account_id, key_id, day) in (
			select account_id, key_id, day from api_calls where day < $1 order by day limit 500)`, Day(before))
}

func scanCalls(row db.Row) (typus.Calls, error) {
	var c typus.Calls
	err := row.Scan(&c.AccountID, &c.KeyID, &c.Day, &c.Answered, &c.Refused)
	return c, err
}

// RefusedCallFilter chooses refused calls; the zero value of a field chooses all.
type RefusedCallFilter struct {
	KeyID  int64
	Code   string
	Before int64 // only those with a lower id: where the page before ended
	Limit  int
}

// Each filter has a statement of its own. It may pass over rows, but not over many,
// because the log of an account is bounded.
var refusals = map[[2]bool]string{
	{false, false}: selectRefusals + `order by id desc limit $3`,
	{true, false}:  selectRefusals + `and key_id = $3 order by id desc limit $4`,
	{false, true}:  selectRefusals + `and code = $3 order by id desc limit $4`,
	{true, true}:   selectRefusals + `and key_id = $3 and code = $4 order by id desc limit $5`,
}

const selectRefusals = `
	select id, account_id, key_id, method, route, status, code, request_id, created_at
	from api_refusals where account_id = $1 and id < $2 `

// RefusedCalls lists refused calls of an account, newest first, and reports whether
// there are more after them.
func (r *reads) RefusedCalls(ctx context.Context, accountID int64, f RefusedCallFilter) ([]typus.RefusedCall, bool, error) {
	if !db.Storable(f.Code) {
		return nil, false, nil
	}
	if f.Before == 0 {
		f.Before = math.MaxInt64
	}
	args := []any{accountID, f.Before}
	if f.KeyID != 0 {
		args = append(args, f.KeyID)
	}
	if f.Code != "" {
		args = append(args, f.Code)
	}
	list, err := db.All(ctx, r, scanRefusedCall, refusals[[2]bool{f.KeyID != 0, f.Code != ""}], append(args, f.Limit+1)...)
	if err != nil || len(list) <= f.Limit {
		return list, false, err
	}
	return list[:f.Limit], true, nil
}

func scanRefusedCall(row db.Row) (typus.RefusedCall, error) {
	var r typus.RefusedCall
	err := row.Scan(&r.ID, &r.AccountID, &r.KeyID, &r.Method, &r.Route, &r.Status, &r.Code, &r.RequestID, (*db.Instant)(&r.At))
	return r, err
}

// trimBatch bounds one transaction of TrimRefusedCalls.
const trimBatch = 500

// TrimRefusedCalls deletes all but the newest keep refused calls of every account, in small
// transactions, and returns how many it deleted. Several servers may do so at the same
// time.
func (s *Store) TrimRefusedCalls(ctx context.Context, keep int) (int, error) {
	dropped, account := 0, int64(0)
	for {
		next, found, err := db.Maybe(ctx, s, db.ScanInt,
			`select account_id from api_refusals where account_id > $1 order by account_id limit 1`, account)
		if err != nil || !found {
			return dropped, err
		}
		account = next
		n, err := s.trimRefusedCalls(ctx, account, keep)
		dropped += n
		if err != nil {
			return dropped, err
		}
	}
}

// trimRefusedCalls looks for the newest call that is too many outside of a transaction,
// because most accounts have none and need no transaction.
func (s *Store) trimRefusedCalls(ctx context.Context, accountID int64, keep int) (int, error) {
	newest, found, err := db.Maybe(ctx, s, db.ScanInt,
		`select id from api_refusals where account_id = $1 order by id desc limit 1 offset $2`, accountID, keep)
	if err != nil || !found {
		return 0, err
	}
	return s.InBatches(ctx, func(tx *Tx) (int, error) {
		return tx.db.Exec(ctx, `
			delete from api_refusals where id in (
				select id from api_refusals where account_id = $1 and id <= $2 order by id limit $3)`, accountID, newest, trimBatch)
	})
}
