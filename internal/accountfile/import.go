package accountfile

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"typus"
	"typus/internal/backup"
	"typus/internal/db"
	"typus/internal/seal"
	"typus/internal/store"
)

// AccountImport says which file is to be put into which database, and how.
type AccountImport struct {
	Store    *store.Store
	Box      *seal.Box
	File     string
	Key      []byte            // of the file
	Erasures []store.Tombstone // who was erased since, by the ids of the file or of this database
	NewIDs   string            // the file for the ids that change, not there yet; "": those that others know must not
	Start    bool              // webhooks go on at once, instead of being paused
	Replace  bool              // the account is here, in another state, which goes
	// Check looks at what the operator alone sets of an account, once all its rows are there.
	Check func(ctx context.Context, tx *store.Tx, accountID int64) error
	// Alone is asked before so many rows are written, which keeps all others from writing.
	Alone func(rows int) error
}

// ImportedAccount is an account that was put into a database.
type ImportedAccount struct {
	Account    int64  `json:"account"` // its id here
	Was        int64  `json:"was"`     // its id there
	Candidates int    `json:"candidates"`
	Rows       int    `json:"rows"`
	Erased     int    `json:"erased"` // people who were erased since
	Paused     int    `json:"paused"` // webhooks
	NewIDs     string `json:"new_ids,omitempty"`
	Renumbered bool   `json:"renumbered"` // candidates have other ids than in the file
	Replaced   bool   `json:"replaced"`   // a later state of the account is gone

	// What the operator of the other server had given it.
	Plan        typus.Plan `json:"plan"`
	Credits     int64      `json:"credits"`
	Host        string     `json:"host"`          // "" for the server's
	Sender      string     `json:"sender"`        // of its letters, "" for the server's
	MaxPeople   int        `json:"max_people"`    // 0 for any number
	LettersADay int        `json:"letters_a_day"` // 0 for the server's number

	// As it is here now: by the file or, where it was replaced, as before.
	SuspendedAt     *time.Time `json:"suspended_at"` // null: it is not
	SuspendedReason string     `json:"suspended_reason"`
}

// ImportAccount puts the account of a file into a database: all of it, or nothing. Ids stay
// as they are where nobody here has them, and go on by the same number for a whole table
// otherwise. Invalid: the file is damaged, of another version or another key. Conflict: an
// address, a key, a link or an event of it is here already, or ids that others know are; all
// of them are named. Other errors are those of the database.
func ImportAccount(ctx context.Context, o AccountImport) (ImportedAccount, error) {
	schema, err := o.Store.Newest(ctx)
	if err != nil {
		return ImportedAccount{}, err
	}
	file, err := openAccountFile(o.File, o.Key, schema)
	if err != nil {
		return ImportedAccount{}, err
	}
	if o.NewIDs != "" {
		if err := backup.Writable(o.NewIDs); err != nil {
			return ImportedAccount{}, err
		}
	}
	in, err := o.survey(ctx, file)
	if err != nil {
		return ImportedAccount{}, err
	}
	if err := o.Alone(in.rows); err != nil {
		return ImportedAccount{}, err
	}
	var done ImportedAccount
	err = o.Store.InTx(ctx, func(tx *store.Tx) error {
		var err error
		done, err = o.put(ctx, tx, file, in)
		return err
	})
	if o.NewIDs == "" {
		return done, err
	}
	return done, o.nameList(done, err)
}

// moving is one import under way in its transaction.
type moving struct {
	AccountImport
	tx *store.Tx
	in *inFile
	by map[string]int64 // by how much the ids of a table go on
}

func (o AccountImport) put(ctx context.Context, tx *store.Tx, file *accountFile, in *inFile) (ImportedAccount, error) {
	m := &moving{AccountImport: o, tx: tx, in: in, by: map[string]int64{}}
	if err := tx.TakeTime(ctx); err != nil {
		return ImportedAccount{}, err
	}
	var was typus.Account // which is replaced
	if o.Replace {
		var err error
		if was, err = m.remove(ctx, file); err != nil {
			return ImportedAccount{}, err
		}
	}
	if err := tx.AwaitHosts(ctx); err != nil {
		return ImportedAccount{}, err
	}
	var taken []string
	for _, look := range []func(context.Context, *accountFile) ([]string, error){m.reserve, m.takenTexts} {
		more, err := look(ctx, file)
		if err != nil {
			return ImportedAccount{}, err
		}
		taken = append(taken, more...)
	}
	if len(taken) > 0 {
		return ImportedAccount{}, typus.Errorf(typus.Conflict, "the account cannot be taken in, and nothing was written: %s", strings.Join(taken, "; "))
	}
	if err := m.insert(ctx, file); err != nil {
		if typus.Is(err, typus.Conflict) {
			err = typus.Errorf(typus.Conflict, "somebody has just taken here what the account has, such as a login address; nothing was written: import again, and it is named").WithCause(err)
		}
		return ImportedAccount{}, err
	}
	if o.Replace { // whether it is suspended is for whoever runs this server to say, and not for an old file
		if err := tx.SetSuspended(ctx, m.moved("accounts", file.Account), was.SuspendedAt, was.SuspendedReason); err != nil {
			return ImportedAccount{}, err
		}
	}
	if err := m.Check(ctx, tx, m.moved("accounts", file.Account)); typus.Is(err, typus.Invalid) {
		return ImportedAccount{}, typus.Errorf(typus.Invalid, "the account cannot be taken in, and nothing was written: %v; change it on the other server, and export again", err).WithCause(err)
	} else if err != nil {
		return ImportedAccount{}, err
	}
	done := ImportedAccount{
		Account: m.moved("accounts", file.Account), Was: file.Account, Candidates: len(in.ids["candidates"]), Rows: in.rows, Erased: len(in.erased),
		Renumbered: m.by["candidates"] > 0, Replaced: o.Replace,
	}
	if m.by["accounts"] > 0 || m.by["candidates"] > 0 {
		c := backup.CameBefore{Account: file.Account, Created: in.begun, Accounts: m.by["accounts"], Candidates: m.by["candidates"]}
		if err := c.Keep(ctx, tx); err != nil {
			return ImportedAccount{}, err
		}
	}
	if err := m.settle(ctx, &done); err != nil {
		return ImportedAccount{}, err
	}
	err := m.listNewIDs(&done)
	return done, err
}

// remove takes the account out that is here, of which the file has another state, and returns
// what it was.
func (m *moving) remove(ctx context.Context, file *accountFile) (typus.Account, error) {
	_, here, err := m.tx.ListedAccount(ctx, store.Tombstone{ID: file.Account, CreatedAt: time.UnixMilli(m.in.begun)})
	if err != nil {
		return typus.Account{}, err
	}
	if !here {
		return typus.Account{}, typus.Errorf(typus.Conflict, "the account %d of the file is not here; import it without --replace", file.Account)
	}
	if err := m.tx.LockToRemove(ctx, file.Account); err != nil {
		return typus.Account{}, err
	}
	was, err := m.tx.Account(ctx, file.Account)
	if err != nil {
		return typus.Account{}, err
	}
	all, err := backup.AllTombstones(ctx, m.tx)
	if err != nil {
		return typus.Account{}, err
	}
	if slices.ContainsFunc(all, func(t store.Tombstone) bool { return !m.in.since.Lists(t) }) {
		return typus.Account{}, typus.Errorf(typus.Conflict, "somebody was erased just now; import again")
	}
	return was, m.tx.RemoveAccount(ctx, file.Account)
}

// insert writes the rows, some at a time.
func (m *moving) insert(ctx context.Context, file *accountFile) error {
	var waiting [][]any
	of := -1
	put := func() error {
		if len(waiting) == 0 {
			return nil
		}
		err := m.tx.PutMoved(ctx, of, waiting)
		waiting = waiting[:0]
		return err
	}
	_, err := file.rows(func(table int, row []any) error {
		if table != of || len(waiting) == db.RowsAtOnce {
			if err := put(); err != nil {
				return err
			}
			of = table
		}
		if err := m.anew(store.MovedTables()[table], row); err != nil {
			return err
		}
		waiting = append(waiting, row)
		return nil
	})
	if err != nil {
		return err
	}
	return put()
}

// settle does what is to be done once all rows are there: it erases again who was erased
// since, pauses the webhooks, and writes down that the account was taken in.
func (m *moving) settle(ctx context.Context, done *ImportedAccount) error {
	now, err := m.tx.Now(ctx)
	if err != nil {
		return err
	}
	if err := m.erase(ctx, done.Account, now); err != nil {
		return err
	}
	for _, account := range []int64{done.Account, m.moved("accounts", m.in.world)} {
		if account == 0 || m.Start {
			continue
		}
		n, err := m.pause(ctx, account, now)
		if err != nil {
			return err
		}
		done.Paused += n
	}
	if err := m.given(ctx, done); err != nil {
		return err
	}
	return m.tx.AddAudit(ctx, typus.AuditEntry{
		AccountID: done.Account, Actor: typus.ActorOperator, Action: typus.AuditAccountImported, Detail: fmt.Sprint(done.Was), CreatedAt: now,
	})
}

// given reads what the account has of the operator of the other server.
func (m *moving) given(ctx context.Context, done *ImportedAccount) error {
	a, err := m.tx.Account(ctx, done.Account)
	if err != nil {
		return err
	}
	sender, _, err := m.tx.Sender(ctx, done.Account)
	done.Plan, done.Credits, done.Host, done.Sender, done.MaxPeople, done.LettersADay = a.Plan, a.Credits, a.Host, sender.Address, a.MaxPeople, a.LettersADay
	if a.Suspended() {
		at := a.SuspendedAt.UTC()
		done.SuspendedAt, done.SuspendedReason = &at, a.SuspendedReason
	}
	return err
}

func (m *moving) erase(ctx context.Context, account int64, now time.Time) error {
	for _, stone := range m.in.erased {
		id := m.moved("candidates", stone.ID)
		of, there, err := m.tx.StillThere(ctx, store.Tombstone{ID: id, CreatedAt: stone.CreatedAt})
		if err != nil {
			return err
		}
		if !there {
			return m.in.wrong("candidates", "somebody who was erased cannot be found")
		}
		if err := m.tx.EraseCandidate(ctx, of, id, stone.ErasedAt); err != nil {
			return err
		}
		err = m.tx.AddAudit(ctx, typus.AuditEntry{AccountID: of, CandidateID: id, Actor: typus.ActorOperator, Action: typus.AuditCandidateErased, CreatedAt: now})
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *moving) pause(ctx context.Context, account int64, now time.Time) (int, error) {
	all, err := m.tx.Endpoints(ctx, account)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, e := range all {
		if !e.On() {
			continue
		}
		if err := m.tx.SetEndpointStatus(ctx, account, e.ID, typus.EndpointPaused, "", now); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
