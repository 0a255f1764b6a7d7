package backup

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"typus"
	"typus/internal/assess"
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

// known are the tables whose ids other systems know: they change with the operator's consent.
var known = []string{"candidates", "positions"}

// inFile is what there is to know of a file before the first row of it is written.
type inFile struct {
	rows   int
	ids    map[string][]int64         // of the rows of each table with a counting key, ascending
	named  map[string][]int64         // of rows that may be gone
	texts  map[string]map[uint64]bool // hashes of the ids that are texts: of events and deliveries
	seed   maphash.Seed
	logos  map[string]map[int64]typus.Logo // what the rows of accounts and positions say of theirs, by table and id
	erased []store.Tombstone               // who is on the list, by the id of the file
	begun  int64                           // when the account was made
	host   string                          // its own
	daily  any                             // letters_a_day
	world  int64                           // 0: none
}

// on reports whether a row of a table is in the file.
func (f *inFile) on(table string, id int64) bool {
	_, found := slices.BinarySearch(f.ids[table], id)
	return found
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
		if err := Writable(o.NewIDs); err != nil {
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

// nameList gives the list of new ids its name once the account is in. Where nobody knows
// whether it is, the list stays under its other name, as one does that another import has left:
// it is the only one that there is of an account that is in.
func (o AccountImport) nameList(done ImportedAccount, err error) error {
	part := o.NewIDs + ".part"
	switch {
	case typus.Is(err, typus.OutcomeUnknown):
		return andSay(err, fmt.Sprintf("if typus account list shows the account %d, the list of its new ids is in %s", done.Account, part))
	case err != nil && done.NewIDs == "":
		if _, there := os.Lstat(part); there == nil {
			return andSay(err, part+" was left by an import that was cut off: if the account is in, it is the list of its new ids")
		}
		return err
	case err == nil:
		if err := GiveName(part, o.NewIDs); err != nil {
			return typus.Errorf(typus.Conflict, "the account %d is in, and the list of its new ids is in %s: %v", done.Account, part, err).WithCause(err)
		}
	}
	removeAll(part)
	return err
}

// andSay adds a sentence to what an error says.
func andSay(err error, more string) error {
	own, ok := errors.AsType[*typus.Error](err)
	if !ok {
		return err
	}
	said := *own
	said.Msg += "; " + more
	return &said
}

// survey reads the whole file and looks at every row.
func (o AccountImport) survey(ctx context.Context, file *accountFile) (*inFile, error) {
	in := &inFile{
		ids: map[string][]int64{}, named: map[string][]int64{}, texts: map[string]map[uint64]bool{}, seed: maphash.MakeSeed(),
		logos: map[string]map[int64]typus.Logo{"accounts": {}, "positions": {}},
	}
	before, err := cameBeforeIn(ctx, o.Store)
	if err != nil {
		return nil, err
	}
	since := erasedSince{map[person]store.Tombstone{}, before}
	for _, t := range o.Erasures {
		since.listed[personOf(t)] = t
	}
	in.rows, err = file.rows(func(table int, row []any) error {
		t := store.MovedTables()[table]
		if err := in.look(t, row); err != nil {
			return err
		}
		if err := in.sound(ctx, t, row); err != nil {
			return err
		}
		return in.lookErased(t, row, since, file.Account)
	})
	if err != nil {
		return nil, err
	}
	if len(in.ids["accounts"]) == 0 || in.ids["accounts"][0] != file.Account {
		return nil, in.wrong("accounts", "the account of the first line is not there")
	}
	for table, ids := range in.named {
		slices.Sort(ids)
		in.named[table] = slices.Compact(ids)
	}
	return in, nil
}

// erasedSince finds who of a file was erased since, by the ids of the file and by those that
// they have had here.
type erasedSince struct {
	listed map[person]store.Tombstone
	before []cameBefore
}

// of is when a row of the file of an account was erased, by the id and the time of the row.
func (e erasedSince) of(account, begun int64, row person) (store.Tombstone, bool) {
	stone, found := e.listed[row]
	for _, c := range e.before {
		by := c.candidates
		if row.account {
			by = c.accounts
		}
		if !found && c.account == account && c.created == begun {
			stone, found = e.listed[person{row.account, row.id + by, row.created}]
		}
	}
	return stone, found
}

// lookErased refuses an account that was deleted here, and keeps who of it was erased since.
func (f *inFile) lookErased(t store.MovedTable, row []any, since erasedSince, account int64) error {
	ofAccount := t.Name == "accounts"
	if !ofAccount && (t.Name != "candidates" || valueOf(t, row, "erased_at") != nil) {
		return nil
	}
	id := row[0].(int64)
	created, _ := valueOf(t, row, "created_at").(int64)
	stone, found := since.of(account, f.begun, person{ofAccount, id, created})
	switch {
	case !found:
	case ofAccount:
		return typus.Errorf(typus.Conflict, "the account %d was deleted on %s, and stays so: nobody of it is brought back", stone.ID, stone.ErasedAt.Format(time.DateOnly))
	default:
		stone.ID = id
		f.erased = append(f.erased, stone)
	}
	return nil
}

func (f *inFile) wrong(table, what string) error {
	return typus.Errorf(typus.Invalid, "the file holds what no account can: %s: %s; nothing was written", table, what)
}

// look refuses a row that no export has written, and keeps which ids it has.
func (f *inFile) look(t store.MovedTable, row []any) error {
	for i, c := range t.Columns {
		if !fits(c.Kind, row[i]) {
			return f.wrong(t.Name, c.Name+" is of another type")
		}
		if text, isText := row[i].(string); isText {
			if !f.lookText(t, c, text) {
				return f.wrong(t.Name, c.Name+" names a row of another account")
			}
			continue
		}
		id, isID := row[i].(int64)
		switch {
		case !isID:
		case c.Kind == store.MovedID:
			own := f.ids[t.Name]
			if id <= 0 || id > mostMovedID || len(own) > 0 && own[len(own)-1] >= id {
				return f.wrong(t.Name, "ids are not in their order")
			}
			f.ids[t.Name] = append(own, id)
		case c.Kind == store.MovedOwned && !f.on(c.Of, id):
			return f.wrong(t.Name, c.Name+" names a row of another account")
		case c.Kind == store.MovedNamed && id > mostMovedID:
			return f.wrong(t.Name, c.Name+" is no id")
		case c.Kind == store.MovedNamed && id > 0 && !f.on(c.Of, id):
			f.named[c.Of] = append(f.named[c.Of], id)
		}
	}
	if t.Name == "accounts" {
		return f.lookAccount(t, row)
	}
	return nil
}

// lookText keeps the ids that are texts, and is false for one that names no row of the file.
func (f *inFile) lookText(t store.MovedTable, c store.MovedColumn, text string) bool {
	hash := maphash.String(f.seed, text)
	if c.Kind == store.MovedUnique && c.Name == "id" {
		if f.texts[t.Name] == nil {
			f.texts[t.Name] = map[uint64]bool{}
		}
		f.texts[t.Name][hash] = true
	}
	return c.Kind != store.MovedOf || f.texts[c.Of][hash]
}

// lookAccount wants the account first, and then its test world.
func (f *inFile) lookAccount(t store.MovedTable, row []any) error {
	parent, isWorld := valueOf(t, row, "parent_id").(int64)
	switch n := len(f.ids["accounts"]); {
	case n == 1 && !isWorld && valueOf(t, row, "ahead") == int64(0):
		f.host, f.daily = textOf(t, row, "host"), valueOf(t, row, "letters_a_day")
		f.begun, _ = valueOf(t, row, "created_at").(int64)
		return nil
	case n == 2 && isWorld && parent == f.ids["accounts"][0] && textOf(t, row, "host") == f.host:
		f.world = row[0].(int64)
		if valueOf(t, row, "letters_a_day") != f.daily || valueOf(t, row, "max_people") != int64(0) {
			return f.wrong("accounts", "the test world has limits of its own")
		}
		return nil
	}
	return f.wrong("accounts", "it is not one account with its test world")
}

// fits reports whether a column can hold a value.
func fits(kind store.MovedKind, value any) bool {
	if value == nil {
		return kind != store.MovedID && !kind.Unique()
	}
	switch kind {
	case store.MovedNumber, store.MovedID, store.MovedOwned, store.MovedNamed:
		_, ok := value.(int64)
		return ok
	case store.MovedBytes, store.MovedSealed, store.MovedRoleJSON, store.MovedEvidence:
		_, ok := value.([]byte)
		return ok
	}
	text, ok := value.(string)
	return ok && db.Storable(text)
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
		c := cameBefore{account: file.Account, created: in.begun, accounts: m.by["accounts"], candidates: m.by["candidates"]}
		if err := c.keep(ctx, tx); err != nil {
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
	listed := personsOn(m.Erasures)
	err = eachPage(ctx, m.tx, store.Cursor{}, func(page []store.Tombstone) error {
		if slices.ContainsFunc(page, func(t store.Tombstone) bool { return !listed[personOf(t)] }) {
			return typus.Errorf(typus.Conflict, "somebody was erased just now; import again")
		}
		return nil
	})
	if err != nil {
		return typus.Account{}, err
	}
	return was, m.tx.RemoveAccount(ctx, file.Account)
}

// uniques say in words what must not be on a server twice.
var uniques = map[string]string{
	"accounts.host":           "host names that are in use here",
	"users.email_key":         "login addresses that are in use here",
	"api_keys.hash":           "API keys that are here",
	"user_links.token_hash":   "one-time links of users that are here",
	"role_experts.token_hash": "links of experts that are here",
	"public_links.token_hash": "public links that are here",
	"candidates.token_hash":   "links of tests that are here",
	"webhook_events.id":       "events of webhooks that are here",
	"webhook_deliveries.id":   "deliveries of webhooks that are here",
	"enrolments.token_hash":   "confirmations of addresses that are here",
}

// mostNamed is how many of what is there already are named one by one.
const mostNamed = 20

// takenTexts says of what must be unique on a server what is there already.
func (m *moving) takenTexts(ctx context.Context, file *accountFile) ([]string, error) {
	found := map[string][]string{}
	waiting := map[string][]string{}
	look := func(column string) error {
		table, name, _ := strings.Cut(column, ".")
		there, err := m.tx.Taken(ctx, table, name, waiting[column])
		found[column] = append(found[column], there...)
		waiting[column] = waiting[column][:0]
		return err
	}
	_, err := file.rows(func(table int, row []any) error {
		t := store.MovedTables()[table]
		m.textsWithIDs(t, row)
		for i, c := range t.Columns {
			text, _ := row[i].(string)
			if !c.Kind.Unique() || text == "" || c.Kind == store.MovedToken && strings.HasPrefix(text, erasedToken) {
				continue
			}
			column := t.Name + "." + c.Name
			if waiting[column] = append(waiting[column], text); len(waiting[column]) == 1000 {
				if err := look(column); err != nil {
					return err
				}
			}
		}
		return nil
	})
	var list []string
	for column, words := range uniques {
		if err == nil {
			err = look(column)
		}
		if n := len(found[column]); n > 0 && column == "users.email_key" {
			slices.Sort(found[column])
			list = append(list, fmt.Sprintf("%s: %d (%s)", words, n, strings.Join(found[column][:min(n, mostNamed)], ", ")))
		} else if n > 0 {
			list = append(list, fmt.Sprintf("%s: %d", words, n))
		}
	}
	slices.Sort(list)
	return list, err
}

// erasedToken is what stands in place of the hash of the token of who is erased, before the id.
const erasedToken = "erased "

// textsWithIDs writes the ids anew that stand in texts beside others, in a row whose own are
// those of the file.
func (m *moving) textsWithIDs(t store.MovedTable, row []any) {
	for i, c := range t.Columns {
		text, is := row[i].(string)
		if !is {
			continue
		}
		switch c.Kind {
		case store.MovedToken:
			if strings.HasPrefix(text, erasedToken) {
				row[i] = erasedToken + strconv.FormatInt(m.moved(t.Name, row[0].(int64)), 10)
			}
		case store.MovedLogin:
			email, _ := valueOf(t, row, "email").(string)
			account, _ := valueOf(t, row, "account_id").(int64)
			row[i] = store.LoginMoved(text, email, account, m.moved("accounts", account))
		case store.MovedRepeated:
			of := func(table string) func(int64) int64 { return func(id int64) int64 { return m.moved(table, id) } }
			row[i] = assess.RefMoved(text, of("accounts"), of("positions"))
		}
	}
}

// reserve keeps the ids free that the rows are to have, and says which that others know are
// not.
func (m *moving) reserve(ctx context.Context, _ *accountFile) ([]string, error) {
	var list []string
	for _, t := range store.MovedTables() {
		if !t.Counted() {
			continue
		}
		all := slices.Concat(m.in.ids[t.Name], m.in.named[t.Name])
		if len(all) == 0 {
			continue
		}
		taken, err := m.tx.TakenIDs(ctx, t.Name, all)
		if err != nil {
			return nil, err
		}
		least, most, by := slices.Min(all), slices.Max(all), int64(0)
		if len(taken) > 0 {
			by = most - least + 1
			if most = 0; slices.Contains(known, t.Name) && m.NewIDs == "" {
				list = append(list, fmt.Sprintf("ids of %s that others have here: %d (with --new-ids FILE all of them change, and the file says how)", t.Name, len(taken)))
				continue
			}
		}
		last, err := m.tx.ReserveIDs(ctx, t.Name, most, by)
		if err != nil {
			return nil, err
		}
		if last > mostID {
			return nil, m.in.wrong(t.Name, "ids are too far apart")
		}
		if by > 0 {
			m.by[t.Name] = last - slices.Max(all)
		}
	}
	return list, nil
}

func (m *moving) moved(table string, id int64) int64 {
	if id <= 0 {
		return id
	}
	return id + m.by[table]
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

// lineUp has a letter wait here behind those that wait already, whatever its place was on the
// other server: it gets a turn once it is due. What is of the test world is kept and not sent.
func (m *moving) lineUp(t store.MovedTable, row []any) {
	for i, c := range t.Columns {
		switch c.Name {
		case "turn":
			row[i] = nil
		case "urgent":
			row[i] = int64(0) // a person who waits for it can ask again here
		case "kept":
			row[i] = db.Flag(valueOf(t, row, "account_id") == m.in.world)
		}
	}
}

// anew makes of a row of the file one of this database.
func (m *moving) anew(t store.MovedTable, row []any) error {
	m.textsWithIDs(t, row)
	if t.Name == "letters" {
		m.lineUp(t, row)
	}
	for i, c := range t.Columns {
		switch v := row[i].(type) {
		case int64:
			if c.Kind == store.MovedID {
				row[i] = m.moved(t.Name, v)
			} else if c.Of != "" {
				row[i] = m.moved(c.Of, v)
			}
		case string:
			row[i] = m.text(c.Kind, v)
		case []byte:
			changed, err := m.body(c.Kind, v)
			if err != nil {
				return m.in.wrong(t.Name, c.Name+" cannot be read")
			}
			row[i] = changed
		}
	}
	return eachSealed(t, row, func(value []byte, place string) ([]byte, error) { return m.Box.Seal(value, place), nil })
}

// text is a text with the ids of this database in it.
func (m *moving) text(kind store.MovedKind, s string) string {
	switch kind {
	case store.MovedForgotten:
		return ""
	case store.MovedSealer:
		return m.Box.KeyID()
	case store.MovedMaker:
		if id, err := strconv.ParseInt(s, 10, 64); err == nil {
			return strconv.FormatInt(m.moved("users", id), 10)
		}
	case store.MovedRole:
		key, version, versioned := strings.Cut(s, "@")
		if id, own := typus.OwnRoleID(key); own {
			key = typus.RoleProfile{ID: m.moved("role_profiles", id)}.Key()
		}
		if versioned {
			return key + "@" + version
		}
		return key
	case store.MovedQuestion:
		if id, own := typus.OwnQuestionID(s); own {
			return typus.OwnQuestionKey(m.moved("core_questions", id))
		}
	}
	return s
}

// roleInJSON finds the key of an own role profile, alone or with its version.
var roleInJSON = regexp.MustCompile(`"own-[0-9]{1,15}["@]`)

func (m *moving) body(kind store.MovedKind, b []byte) ([]byte, error) {
	if m.by["role_profiles"] == 0 {
		return b, nil
	}
	change := func(body []byte) []byte {
		return roleInJSON.ReplaceAllFunc(body, func(found []byte) []byte {
			end := len(found) - 1
			return slices.Concat([]byte{'"'}, []byte(m.text(store.MovedRole, string(found[1:end]))), found[end:])
		})
	}
	switch kind {
	case store.MovedRoleJSON:
		return change(b), nil
	case store.MovedEvidence:
		return store.RepackRoles(b, change)
	}
	return b, nil
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

// listNewIDs writes the ids that others know, under the name that the file has until the
// import is done.
func (m *moving) listNewIDs(done *ImportedAccount) error {
	if m.NewIDs == "" {
		return nil
	}
	part := m.NewIDs + ".part"
	if err := beginPart(part); err != nil {
		return err
	}
	var text bytes.Buffer
	out := bufio.NewWriter(&text)
	_, _ = fmt.Fprintln(out, "kind,old_id,new_id") // memory takes everything
	for _, table := range known {
		for _, id := range m.in.ids[table] {
			_, _ = fmt.Fprintf(out, "%s,%d,%d\n", strings.TrimSuffix(table, "s"), id, m.moved(table, id)) // likewise
		}
	}
	_ = out.Flush()        // likewise
	done.NewIDs = m.NewIDs // from here on this is what lies there
	if err := os.WriteFile(part, text.Bytes(), 0o600); err != nil {
		return db.Refused(part, err)
	}
	if err := errors.Join(syncFile(part), SyncDir(filepath.Dir(part))); err != nil {
		return db.Refused(part, err)
	}
	return nil
}
