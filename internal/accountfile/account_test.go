package accountfile_test

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/accountfile"
	"typus/internal/accounts"
	"typus/internal/backup"
	"typus/internal/instrument"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

var fileKey = bytes.Repeat([]byte("f"), 32)

func boxOf(t testing.TB, name string) *seal.Box {
	t.Helper()
	box, err := seal.New(bytes.Repeat([]byte(name), 32))
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// A server is a database with its secret key.
type server struct {
	*store.Store
	box *seal.Box
}

func newServer(t testing.TB, dsn, key string) server {
	return server{storetest.Open(t, dsn), boxOf(t, key)}
}

// goneBy is by how much the id of somebody who is gone is higher than that of somebody who is
// there.
const goneBy = 70

// filled puts an account with a test world into a database: three rows into each table that
// moves, with values of their own in each column, and ids from first on.
func (s server) filled(t testing.TB, tag string, first int64) int64 {
	t.Helper()
	places := map[string]int{}
	for i, m := range store.MovedTables() {
		places[m.Name] = i
	}
	err := s.InTx(t.Context(), func(tx *store.Tx) error {
		for i, m := range store.MovedTables() {
			n := 3
			switch {
			case m.Name == "account_senders": // test worlds have none
				n = 1
			case strings.HasPrefix(m.Name, "account"): // one for the account and one for its test world
				n = 2
			}
			for k := range n {
				row := make([]any, len(m.Columns))
				for j, c := range m.Columns {
					row[j] = value(m.Name, c, tag, first, k)
				}
				for j, c := range m.Columns {
					if c.Kind == store.MovedSealer {
						row[j] = s.box.KeyID()
					}
					if c.Kind == store.MovedSealed {
						row[j] = s.box.Seal([]byte("geheim "+tag+m.Name+strconv.Itoa(k)), accountfile.PlaceOf(m, row))
					}
				}
				if err := tx.PutMoved(t.Context(), i, [][]any{row}); err != nil {
					return fmt.Errorf("%s: %w", m.Name, errors.Join(err, errors.Unwrap(err)))
				}
			}
			if m.Counted() {
				if _, err := tx.ReserveIDs(t.Context(), m.Name, first+goneBy+2, 0); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return first
}

// checkable is the hash of a password, of which nobody knows it.
const checkable = "$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

func hexSum(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// picture is a logo of k+1 pixels.
func picture(k int) []byte {
	var out bytes.Buffer
	_ = png.Encode(&out, image.NewGray(image.Rect(0, 0, k+1, 1))) // memory takes everything
	return out.Bytes()
}

// value is what the kth row has in a column, as long as it is not sealed.
func value(table string, c store.MovedColumn, tag string, first int64, k int) any {
	id := first + int64(k)
	switch table + "." + c.Name {
	case "accounts.parent_id":
		if k == 0 {
			return nil
		}
		return first
	case "accounts.deleting_at":
		return nil
	case "accounts.letters_a_day":
		return first // a small number is all that PostgreSQL takes
	case "accounts.ahead":
		return int64(k) * id
	case "accounts.plan":
		return "business"
	case "accounts.max_people":
		return int64(1-k) * id
	case "letters.turn":
		return nil // each server has a line of its own
	case "letters.urgent":
		return int64(0)
	case "letters.kept":
		return int64(k / 2)
	case "accounts.host":
		return tag + ".example.com"
	case "accounts.logo_type", "positions.logo_type":
		return "image/png"
	case "accounts.logo_hash", "positions.logo_hash":
		return hexSum(picture(k))
	case "account_logos.body", "position_logos.body":
		return picture(k)
	case "account_senders.address":
		return fmt.Sprintf("%s-%d@example.com", tag, k)
	case "account_senders.bounce_address", "account_senders.dkim_domain", "account_senders.dkim_selector":
		return ""
	case "users.role":
		return string(typus.UserRoles()[k])
	case "users.password_hash":
		return []string{"", checkable, checkable}[k]
	case "webhook_endpoints.max_in_flight", "webhook_endpoints.rate_per_s", "webhook_endpoints.burst":
		return int64(4 + k)
	case "accounts.notice", "positions.notice":
		return ""
	case "webhook_events.test":
		return int64(k / 2)
	case "positions.standard":
		return int64(0)
	case "candidates.erased_at":
		if k < 2 {
			return nil
		}
	case "candidates.scores":
		if k == 0 {
			return nil
		}
	case "candidates.token_hash", "role_experts.token_hash":
		if k == 2 {
			return fmt.Sprintf("erased %d", id)
		}
	case "candidates.open_ref":
		return []any{fmt.Sprintf("%d\u001fcrm-7\u001fkim@example.com", first), fmt.Sprintf("%d\u001f%d\u001fkim@example.com\u001f%d", first, first, first+1), nil}[k]
	case "users.email":
		return fmt.Sprintf("%s-%d@example.com", tag, k)
	case "users.email_key":
		key := fmt.Sprintf("%s-%d@example.com", strings.ToLower(tag), k)
		if k == 2 {
			key = fmt.Sprintf("invited|%d|%s", first+int64(k/2), key)
		}
		return key
	case "webhook_endpoints.status":
		return []string{"active", "failing", "deleted"}[k]
	case "webhook_deliveries.event_id":
		return fmt.Sprintf("%s webhook_events.id %d", tag, k)
	case "webhook_attempts.delivery_id":
		return fmt.Sprintf("%s webhook_deliveries.id %d", tag, k)
	case "webhook_events.account_id", "webhook_deliveries.account_id", "webhook_attempts.account_id":
		return first + int64(k/2)
	case "letters.kind":
		return []string{"invitation", "password_reset", "own_code"}[k]
	case "role_versions.version", "webhook_attempts.n":
		return int64(1)
	case "notices.body":
		return fmt.Sprintf("Hinweis %s %d", tag, k)
	case "notices.version", "candidates.notice_version":
		return hexSum(fmt.Appendf(nil, "Hinweis %s %d", tag, k))
	case "notices.language":
		return fmt.Sprintf("%s candidates.notice_language %d", tag, k)
	}
	roles := fmt.Sprintf(`{"key":"own-%d","ref":"own-%d@1","said":"own-%d it is not"}`, id, id, id)
	switch c.Kind {
	case store.MovedID:
		return id
	case store.MovedNumber:
		return 1_700_000_000_000 + id
	case store.MovedOwned:
		if c.Of == "accounts" && !strings.HasPrefix(table, "account_") {
			return first + int64(k/2)
		}
		return id
	case store.MovedNamed:
		return []int64{id, id + goneBy, 0}[k]
	case store.MovedRole:
		return []string{fmt.Sprintf("own-%d", id), fmt.Sprintf("own-%d@1", id), "general_sales"}[k]
	case store.MovedQuestion:
		return []string{fmt.Sprintf("own%d", id), "co1", "own"}[k]
	case store.MovedMaker:
		return []string{fmt.Sprint(id), "operator", ""}[k]
	case store.MovedRoleJSON:
		return []byte(roles)
	case store.MovedEvidence:
		out := bytes.NewBufferString("z")
		w, _ := flate.NewWriter(out, flate.BestSpeed) // the level is one of its own
		_, _ = w.Write([]byte(roles))                 // memory takes everything
		_ = w.Close()                                 // likewise
		return out.Bytes()
	case store.MovedBytes:
		return []byte{0, byte(k), 255, byte(first)}
	case store.MovedSealed:
		return nil
	}
	return fmt.Sprintf("%s %s.%s %d", tag, table, c.Name, k)
}

// told is all of an account, whatever its ids and the server's key are: each id as its
// distance from the first of its table, and each secret opened.
func (s server) told(t testing.TB, account int64) map[string][]string {
	t.Helper()
	first := map[string]int64{}
	all := map[string][]string{}
	apart := func(table string, id int64) string {
		if id <= 0 {
			return "nobody"
		}
		return fmt.Sprintf("%s+%d", table, id-first[table])
	}
	err := s.ReadMoved(t.Context(), account, func(table int, row []any) error {
		if m := store.MovedTables()[table]; m.Counted() && first[m.Name] == 0 {
			first[m.Name] = row[0].(int64)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.ReadMoved(t.Context(), account, func(table int, row []any) error {
		m := store.MovedTables()[table]
		cells := make([]string, len(row))
		for i, c := range m.Columns {
			switch v := row[i].(type) {
			case int64:
				cells[i] = fmt.Sprint(v)
				if c.Kind == store.MovedID {
					cells[i] = apart(m.Name, v)
				} else if c.Of != "" {
					cells[i] = apart(c.Of, v)
				}
			case string:
				cells[i] = v
				if key, _, _ := strings.Cut(v, "@"); c.Kind == store.MovedRole {
					if id, own := typus.OwnRoleID(key); own {
						cells[i] = strings.Replace(v, key, apart("role_profiles", id), 1)
					}
				}
				if id, own := typus.OwnQuestionID(v); own && c.Kind == store.MovedQuestion {
					cells[i] = apart("core_questions", id)
				}
				if id, err := strconv.ParseInt(v, 10, 64); err == nil && c.Kind == store.MovedMaker {
					cells[i] = apart("users", id)
				}
				if c.Kind == store.MovedSealer {
					cells[i] = strings.Replace(v, s.box.KeyID(), "the key of this server", 1)
				}
				switch c.Kind {
				case store.MovedToken:
					cells[i] = strings.Replace(v, fmt.Sprint("erased ", row[0]), "erased, and its id", 1)
				case store.MovedLogin:
					cells[i] = strings.Replace(v, fmt.Sprintf("invited|%d|", row[1]), "invited, and its account", 1)
				case store.MovedRepeated:
					parts := strings.Split(v, "\u001f")
					for n, of := range map[int]string{0: "accounts", 3: "positions"} {
						if n < len(parts) {
							id, _ := strconv.ParseInt(parts[n], 10, 64) // 0 is nobody
							parts[n] = apart(of, id)
						}
					}
					cells[i] = strings.Join(parts, ", ")
				}
			case []byte:
				body := v
				if c.Kind == store.MovedSealed && len(v) > 0 {
					var err error
					if body, err = s.box.Open(v, accountfile.PlaceOf(m, row)); err != nil {
						return fmt.Errorf("%s: %w", m.Name, err)
					}
				}
				if c.Kind == store.MovedEvidence {
					if _, err := store.RepackRoles(v, func(plain []byte) []byte { body = plain; return plain }); err != nil {
						return err
					}
				}
				cells[i] = string(body)
				if id := first["role_profiles"]; c.Kind == store.MovedEvidence || c.Kind == store.MovedRoleJSON {
					for k := range int64(3) {
						for _, end := range []string{`"`, "@"} {
							cells[i] = strings.ReplaceAll(cells[i], fmt.Sprintf(`"own-%d%s`, id+k, end), fmt.Sprintf(`"%s%s`, apart("role_profiles", id+k), end))
						}
					}
				}
			case nil:
				cells[i] = "null"
			}
		}
		all[m.Name] = append(all[m.Name], strings.Join(cells, " | "))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range all {
		slices.Sort(list) // each database orders texts in its own way
	}
	return all
}

// exported writes an account into a new file.
func (s server) exported(t testing.TB, account int64) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "account.typus")
	_, err := accountfile.ExportAccount(t.Context(), accountfile.AccountOrder{Store: s.Store, Box: s.box, Account: account, To: file, Key: fileKey, Version: "test", Now: noon})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// importing is an import of a file as a server does it, with all webhooks going on.
func (s server) importing(file string) accountfile.AccountImport {
	return accountfile.AccountImport{Store: s.Store, Box: s.box, File: file, Key: fileKey, Start: true, Alone: func(int) error { return nil },
		Check: accounts.New(accounts.Options{Store: s.Store, Box: s.box, Instrument: instrument.Own(), BaseURL: "https://Tests.Müller.example:8443"}).CheckMoved}
}

// withNewIDs tests with an account that has come to another server, by an import that gave it
// new ids because others were taken there, and wrote their list.
func withNewIDs(t *testing.T, test func(t *testing.T, to server, o accountfile.AccountImport, done accountfile.ImportedAccount)) {
	from := newServer(t, storetest.SQLite(t), "a")
	file := from.exported(t, from.filled(t, "moving", 2000))
	storetest.Run(t, func(t *testing.T, st *store.Store) {
		to := server{st, boxOf(t, "b")}
		to.filled(t, "other", 2001)
		o := to.importing(file)
		o.NewIDs = filepath.Join(t.TempDir(), "ids.csv")
		done, err := accountfile.ImportAccount(t.Context(), o)
		if err != nil || !done.Renumbered {
			t.Fatalf("%+v, %v", done, err)
		}
		test(t, to, o, done)
	})
}

func (s server) imports(t testing.TB, file string) accountfile.ImportedAccount {
	t.Helper()
	done, err := accountfile.ImportAccount(t.Context(), s.importing(file))
	if err != nil {
		t.Fatal(err, errors.Unwrap(err))
	}
	return done
}

// sameAccount wants an account to be told alike on two servers, but for the line of the audit
// log that says that it was taken in, and the codes to a result, which are not good any more.
func sameAccount(t *testing.T, was, is map[string][]string) {
	t.Helper()
	for _, m := range store.MovedTables() {
		want, got := was[m.Name], is[m.Name]
		got = slices.DeleteFunc(slices.Clone(got), func(line string) bool { return strings.Contains(line, "account.imported") })
		want = slices.DeleteFunc(slices.Clone(want), func(line string) bool { return strings.Contains(line, "account.imported") })
		if m.Name == "own_results" {
			for i := range want {
				want[i] = withoutCode(want[i])
				got[i] = withoutCode(got[i])
			}
		}
		if len(want) == 0 {
			t.Errorf("%s: nothing to compare", m.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\n got %s\nwant %s", m.Name, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
		}
	}
}

func withoutCode(line string) string {
	cells := strings.Split(line, " | ")
	cells[4] = ""
	return strings.Join(cells, " | ")
}

// Everything of an account arrives, and comes back: from SQLite to PostgreSQL to SQLite, with
// other keys of the servers, where its ids are free and where others have them.
func TestAnAccountArrivesWholeOnAnotherServer(t *testing.T) {
	for _, occupied := range []bool{false, true} {
		t.Run(fmt.Sprintf("occupied=%t", occupied), func(t *testing.T) {
			stations := []server{newServer(t, storetest.SQLite(t), "a")}
			if !testing.Short() {
				stations = append(stations, newServer(t, storetest.Postgres(t), "b"))
			}
			stations = append(stations, newServer(t, storetest.SQLite(t), "c"))
			at, account := stations[0], stations[0].filled(t, "moving", 2000)
			others := at.filled(t, "other", 4000)
			was, otherWas := at.told(t, account), at.told(t, others)
			for i, to := range stations[1:] {
				if occupied {
					to.filled(t, "other", 2001+int64(i)) // some ids are the same
				}
				o := to.importing(at.exported(t, account))
				o.NewIDs = filepath.Join(t.TempDir(), "ids.csv")
				done, err := accountfile.ImportAccount(t.Context(), o)
				if err != nil {
					t.Fatal(err, errors.Unwrap(err))
				}
				if (done.Account == account) == occupied && i == 0 {
					t.Errorf("the account %d became %d", account, done.Account)
				}
				at, account = to, done.Account
				exportedBefore := slices.DeleteFunc(slices.Clone(at.told(t, account)["audit_log"]), func(line string) bool { return !strings.Contains(line, "account.exported") })
				if len(exportedBefore) != i+1 {
					t.Errorf("after %d exports: %v", i+1, exportedBefore)
				}
			}
			is := at.told(t, account)
			for _, told := range []map[string][]string{was, is} {
				told["audit_log"] = slices.DeleteFunc(told["audit_log"], func(line string) bool { return strings.Contains(line, "account.exported") })
			}
			sameAccount(t, was, is)
			sameAccount(t, otherWas, stations[0].told(t, others))
		})
	}
}

// What is to be unique on a server has its words, and no others do.
func TestWhateverIsUniqueHasItsWords(t *testing.T) {
	n := 0
	for _, m := range store.MovedTables() {
		for _, c := range m.Columns {
			if c.Kind.Unique() {
				n++
				if accountfile.Uniques[m.Name+"."+c.Name] == "" {
					t.Errorf("%s.%s has no words", m.Name, c.Name)
				}
			}
		}
	}
	if n != len(accountfile.Uniques) {
		t.Errorf("%d columns, %d words", n, len(accountfile.Uniques))
	}
}

// everythingIn is all that a database holds.
func (s server) everythingIn(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	accounts, err := s.Accounts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range accounts {
		for table, rows := range s.told(t, a.ID) {
			all[table] = append(all[table], rows...)
		}
	}
	return all
}

func refusedImport(t *testing.T, s server, o accountfile.AccountImport, kind typus.Kind, words ...string) {
	t.Helper()
	was := s.everythingIn(t)
	_, err := accountfile.ImportAccount(t.Context(), o)
	if !typus.Is(err, kind) {
		t.Errorf("got %v, want kind %v", err, kind)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q is not said in %v", w, err)
		}
	}
	if is := s.everythingIn(t); fmt.Sprint(is) != fmt.Sprint(was) {
		t.Error("something was written")
	}
}

// What the target has already is named at once, all of it, and nothing is written.
func TestAnAccountThatIsThereAlreadyIsRefusedWithEveryReason(t *testing.T) {
	storetest.Run(t, func(t *testing.T, st *store.Store) {
		s := server{st, boxOf(t, "a")}
		file := s.exported(t, s.filled(t, "moving", 2000))
		words := []string{"moving-0@example.com, moving-1@example.com", "ids of candidates that others have here: 3", "ids of positions that others have here: 3", "--new-ids FILE", "nothing was written"}
		for column, w := range accountfile.Uniques {
			n := 3
			switch column {
			case "candidates.token_hash", "role_experts.token_hash", "users.email_key":
				n = 2 // the third is erased; or is invited by an account with another id
			case "accounts.host":
				n = 1 // that of the test world, too
			}
			words = append(words, fmt.Sprintf("%s: %d", w, n))
		}
		refusedImport(t, s, s.importing(file), typus.Conflict, words...)
		leftovers(t, filepath.Dir(file), "account.typus")
	})
}

func leftovers(t *testing.T, dir string, only ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(only, e.Name()) {
			t.Errorf("%s was left", e.Name())
		}
	}
}

// A file that was changed, cut off, lengthened, or is of another key or version is refused.
func TestADamagedFileOfAnAccountIsRefused(t *testing.T) {
	from, to := newServer(t, storetest.SQLite(t), "a"), newServer(t, storetest.SQLite(t), "b")
	file := from.exported(t, from.filled(t, "moving", 2000))
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for _, word := range []string{"geheim", "moving", "users.email"} {
		if bytes.Contains(body, []byte(word)) {
			t.Errorf("%q can be read in the file", word)
		}
	}
	first := bytes.IndexByte(body, '\n') + 1
	refuse := func(name string, body []byte, words ...string) {
		t.Helper()
		bad := filepath.Join(t.TempDir(), "bad")
		if err := os.WriteFile(bad, body, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { refusedImport(t, to, to.importing(bad), typus.Invalid, words...) })
	}
	refuse("empty", nil, "no file that typus account export has written")
	refuse("another file", []byte("PK\x03\x04../../etc/passwd"), "no file that typus account export has written")
	refuse("first line only", body[:first], "changed, or cut off")
	refuse("longer", append(bytes.Clone(body), 'x'), "changed, or cut off")
	for at := first; at < len(body); at += 997 {
		changed := bytes.Clone(body)
		changed[at] ^= 4
		refuse(fmt.Sprint("a bit at ", at), changed, "changed, or cut off")
		refuse(fmt.Sprint("cut off at ", at), body[:at], "changed, or cut off")
	}
	line := string(body[:first])
	for was, is := range map[string]string{
		`"format":1`: `"format":2`, `"schema":"00`: `"schema":"99`, `"account":2000`: `"account":2001`, `"made_at":"2026`: `"made_at":"2027`, `"typus":"account"`: `"typus":"else"`,
	} {
		if !strings.Contains(line, was) {
			t.Fatalf("%s is not in %s", was, line)
		}
		refuse("another "+was, []byte(strings.Replace(line, was, is, 1)+string(body[first:])))
	}
	o := to.importing(file)
	o.Key = bytes.Repeat([]byte("x"), 32)
	refusedImport(t, to, o, typus.Invalid, "the key of the fingerprint")
	to.imports(t, file)
}

// Who was erased since stays erased, by the ids of the file, and the rest is told apart by
// when they were invited.
func TestWhoWasErasedSinceTheExportIsNotBroughtBack(t *testing.T) {
	storetest.Run(t, func(t *testing.T, st *store.Store) {
		from, to := newServer(t, storetest.SQLite(t), "a"), server{st, boxOf(t, "b")}
		file := from.exported(t, from.filled(t, "moving", 2000))
		created := func(id int64) store.Tombstone {
			return store.Tombstone{ID: id, CreatedAt: time.UnixMilli(1_700_000_000_000 + id).UTC(), ErasedAt: noon}
		}
		gone, another := created(2000), created(2001)
		another.CreatedAt = noon // somebody else who once had this id
		o := to.importing(file)
		o.Erasures = []store.Tombstone{gone, another}
		done, err := accountfile.ImportAccount(t.Context(), o)
		if err != nil || done.Erased != 1 {
			t.Fatalf("%+v, %v", done, err)
		}
		told := to.told(t, done.Account)
		if text := fmt.Sprint(told); strings.Contains(text, "moving candidates.email 0") || !strings.Contains(text, "moving candidates.email 1") {
			t.Error("the wrong one was erased")
		}
		if len(told["results"]) != 2 {
			t.Errorf("results: %v", told["results"])
		}
	})
}

// One customer comes back from a backup in the place of a later state, with everything as it
// was then but for whoever was erased since; nobody else notices.
func TestAnAccountTakesThePlaceOfItsLaterState(t *testing.T) {
	storetest.Run(t, func(t *testing.T, st *store.Store) {
		s := server{st, boxOf(t, "a")}
		account, other := s.filled(t, "moving", 2000), s.filled(t, "other", 3000)
		was, otherWas := s.told(t, account), s.told(t, other)
		file := s.exported(t, account)
		err := s.InTx(t.Context(), func(tx *store.Tx) error {
			if err := tx.EraseCandidate(t.Context(), account, 2000, noon); err != nil {
				return err
			}
			_, err := tx.AddUser(t.Context(), typus.User{AccountID: account, Email: "later@example.com", Role: typus.RoleViewer, CreatedAt: noon}, "")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		o := s.importing(file)
		o.Replace = true
		refusedImport(t, s, o, typus.Conflict, "somebody was erased just now")
		if o.Erasures, err = backup.AllTombstones(t.Context(), s.Store); err != nil {
			t.Fatal(err)
		}
		done, err := accountfile.ImportAccount(t.Context(), o)
		if err != nil || done.Account != account || done.Erased != 1 {
			t.Fatalf("%+v, %v", done, err)
		}
		is := s.told(t, account)
		for _, table := range []string{"users", "positions", "webhook_endpoints", "api_keys", "role_versions"} {
			if !slices.Equal(is[table], was[table]) {
				t.Errorf("%s\n got %v\nwant %v", table, is[table], was[table])
			}
		}
		if text := fmt.Sprint(is); strings.Contains(text, "moving candidates.email 0") || !strings.Contains(text, "moving candidates.email 1") {
			t.Error("the wrong one was erased")
		}
		sameAccount(t, otherWas, s.told(t, other))
		o.File, o.Erasures = s.exported(t, account), nil
		elsewhere := newServer(t, storetest.SQLite(t), "c")
		o.Store, o.Box = elsewhere.Store, elsewhere.box
		refusedImport(t, elsewhere, o, typus.Conflict, "without --replace")
	})
}

// Whether an account is suspended is for whoever runs the server to say: a file from earlier
// neither ends a suspension nor brings one back.
func TestAnAccountThatTakesItsPlaceIsSuspendedAsBefore(t *testing.T) {
	storetest.Run(t, func(t *testing.T, st *store.Store) {
		s := server{st, boxOf(t, "a")}
		account := s.filled(t, "moving", 2000)
		suspended := func(at time.Time, reason string) {
			t.Helper()
			err := s.InTx(t.Context(), func(tx *store.Tx) error { return tx.SetSuspended(t.Context(), account, at, reason) })
			if err != nil {
				t.Fatal(err)
			}
		}
		suspended(noon, "then")
		then := s.exported(t, account)
		suspended(time.Time{}, "")
		serving := s.exported(t, account)
		for _, c := range []struct {
			file   string
			at     time.Time
			reason string
		}{{then, time.Time{}, ""}, {serving, noon.Add(time.Hour), "now"}, {then, noon.Add(time.Hour), "now"}} {
			suspended(c.at, c.reason)
			o := s.importing(c.file)
			o.Replace = true
			done, err := accountfile.ImportAccount(t.Context(), o)
			if err != nil || (done.SuspendedAt != nil) != !c.at.IsZero() || done.SuspendedReason != c.reason {
				t.Fatalf("%+v, %v", done, err)
			}
			a, err := s.Account(t.Context(), account)
			if err != nil || !a.SuspendedAt.Equal(c.at) || a.SuspendedReason != c.reason {
				t.Errorf("suspended at %v, %q, want %v, %q: %v", a.SuspendedAt, a.SuspendedReason, c.at, c.reason, err)
			}
		}
	})
}

// The list of a server names people by their ids there. Who came with new ones and was erased
// since does not come back with the file that they came with, nor does the account itself once
// it was deleted.
func TestWhoCameWithANewIDAndWasErasedDoesNotComeAgain(t *testing.T) {
	withNewIDs(t, func(t *testing.T, to server, o accountfile.AccountImport, done accountfile.ImportedAccount) {
		text, err := os.ReadFile(o.NewIDs)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), "candidate,2000,")
		line, _, _ := strings.Cut(rest, "\n")
		now, err := strconv.ParseInt(line, 10, 64)
		if err != nil || now == 2000 || done.Account == 2000 {
			t.Fatalf("%s: %v", text, err)
		}
		err = to.InTx(t.Context(), func(tx *store.Tx) error {
			if err := tx.LockToRemove(t.Context(), done.Account); err != nil {
				return err
			}
			return tx.RemoveAccount(t.Context(), done.Account)
		})
		if err != nil {
			t.Fatal(err)
		}
		begun := time.UnixMilli(1_700_000_002_000).UTC() // of the account, and of the person with its id
		o.NewIDs += "-again"
		o.Erasures = []store.Tombstone{{Account: true, ID: done.Account, CreatedAt: begun, ErasedAt: noon}}
		refusedImport(t, to, o, typus.Conflict, "was deleted on 2026-11-30")
		o.Erasures = []store.Tombstone{{ID: now, CreatedAt: begun, ErasedAt: noon}, {ID: now + 1, CreatedAt: begun, ErasedAt: noon}}
		if done, err = accountfile.ImportAccount(t.Context(), o); err != nil || done.Erased != 1 {
			t.Fatalf("%+v, %v", done, err)
		}
		if text := fmt.Sprint(to.told(t, done.Account)); strings.Contains(text, "moving candidates.email 0") || !strings.Contains(text, "moving candidates.email 1") {
			t.Error("the wrong one was erased")
		}
	})
}

// An account that was deleted on a server does not come back to it.
func TestADeletedAccountIsNotTakenIn(t *testing.T) {
	from, to := newServer(t, storetest.SQLite(t), "a"), newServer(t, storetest.SQLite(t), "b")
	o := to.importing(from.exported(t, from.filled(t, "moving", 2000)))
	o.Erasures = []store.Tombstone{{Account: true, ID: 2000, CreatedAt: time.UnixMilli(1_700_000_002_000), ErasedAt: noon}}
	refusedImport(t, to, o, typus.Conflict, "was deleted on 2026-11-30")
}

// An account whose deletion begins just before it is read is not exported as what is left.
func TestAnAccountThatIsBeingDeletedIsNotExported(t *testing.T) {
	storetest.Run(t, func(t *testing.T, st *store.Store) {
		account := server{st, boxOf(t, "a")}.filled(t, "moving", 2000)
		dir, begun := t.TempDir(), false
		s := st.Watched(func(statement string) error {
			if begun || !strings.Contains(statement, "(id = $1 or parent_id = $1)") {
				return nil
			}
			begun = true
			return st.InTx(t.Context(), func(tx *store.Tx) error {
				a, err := tx.LockToBegin(t.Context(), account)
				if err != nil {
					return err
				}
				return tx.BeginDeletion(t.Context(), a, noon)
			})
		})
		_, err := accountfile.ExportAccount(t.Context(), accountfile.AccountOrder{
			Store: s, Box: boxOf(t, "a"), Account: account, To: filepath.Join(dir, "account.typus"), Key: fileKey, Version: "test", Now: noon,
		})
		if !begun || !typus.Is(err, typus.Conflict) || !strings.Contains(err.Error(), "is being deleted") {
			t.Errorf("begun %t: %v", begun, err)
		}
		leftovers(t, dir)
	})
}

// Unless it is asked for, nothing goes out to the account's webhooks before an admin has
// switched them on; and webhooks that were off stay so.
func TestWebhooksArrivePaused(t *testing.T) {
	from, to := newServer(t, storetest.SQLite(t), "a"), newServer(t, storetest.SQLite(t), "b")
	o := to.importing(from.exported(t, from.filled(t, "moving", 2000)))
	o.Start = false
	done, err := accountfile.ImportAccount(t.Context(), o)
	if err != nil || done.Paused != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	all, err := to.Endpoints(t.Context(), done.Account)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.On() {
			t.Errorf("%+v is on", e)
		}
	}
}

// What breaks off at any statement of an import leaves nothing.
func TestAnImportThatBreaksOffLeavesNothing(t *testing.T) {
	from := newServer(t, storetest.SQLite(t), "a")
	file := from.exported(t, from.filled(t, "moving", 2000))
	storetest.Run(t, func(t *testing.T, st *store.Store) {
		for at := 1; at < 2000; at += 7 {
			n := 0
			broken := server{st.Watched(func(string) error {
				if n++; n == at {
					return typus.Errorf(typus.Unavailable, "broken off")
				}
				return nil
			}), boxOf(t, "b")}
			_, err := accountfile.ImportAccount(t.Context(), broken.importing(file))
			if err == nil {
				if at < 60 {
					t.Errorf("it was done with %d statements", n)
				}
				break
			}
			if !typus.Is(err, typus.Unavailable) {
				t.Fatal(err)
			}
			if list, err := st.Accounts(t.Context()); err != nil || len(list) != 0 {
				t.Fatalf("broken off at %d: %v, %v", at, list, err)
			}
		}
	})
}

// Of two who import one file at once the second hears what is there already; and so does who
// imports what somebody else takes meanwhile without waiting.
func TestTwoWhoImportOneAccountAtOnce(t *testing.T) {
	from := newServer(t, storetest.SQLite(t), "a")
	file := from.exported(t, from.filled(t, "moving", 2000))
	for what, second := range map[string]func(t *testing.T, s server) error{
		"the same account": func(t *testing.T, s server) error {
			_, err := accountfile.ImportAccount(t.Context(), s.importing(file))
			if typus.Is(err, typus.Conflict) && strings.Contains(err.Error(), "login addresses that are in use here: 2") {
				return nil
			}
			return fmt.Errorf("the second: %w", err)
		},
		"a login": func(t *testing.T, s server) error {
			return s.InTx(t.Context(), func(tx *store.Tx) error {
				account, err := tx.AddAccount(t.Context(), typus.Account{Name: "Andere GmbH", Plan: typus.PlanBusiness, CreatedAt: noon})
				if err != nil {
					return err
				}
				_, err = tx.AddUser(t.Context(), typus.User{AccountID: account, Email: "moving-0@example.com", Role: typus.RoleOwner, CreatedAt: noon}, "")
				return err
			})
		},
	} {
		t.Run(what, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T, st *store.Store) {
				waits, done := make(chan bool, 1000), make(chan error, 1)
				behind := server{st.Watched(func(query string) error {
					if strings.Contains(query, "pg_advisory_xact_lock") || strings.Contains(query, "insert into") {
						waits <- true
					}
					return nil
				}), boxOf(t, "b")}
				begun := false
				first := server{st.Watched(func(query string) error {
					if begun || !strings.Contains(query, "insert into accounts") {
						return nil
					}
					begun = true
					go func() { done <- second(t, behind) }()
					switch {
					case !st.Shared(): // SQLite has one writer
					case what == "a login":
						err := <-done
						done <- err
					default:
						<-waits
					}
					return nil
				}), boxOf(t, "b")}
				_, err := accountfile.ImportAccount(t.Context(), first.importing(file))
				if other := <-done; what == "a login" && st.Shared() {
					if other != nil || !typus.Is(err, typus.Conflict) || !strings.Contains(err.Error(), "somebody has just taken here") {
						t.Errorf("%v, %v", err, other)
					}
				} else if err != nil || what != "a login" && other != nil {
					t.Errorf("%v, %v", err, other)
				}
			})
		})
	}
}

// Cut off between the last commit and the name of the list of new ids, an import has left the
// only list there is: the next one, which is refused, says so and leaves it.
func TestAListOfNewIDsThatWasLeftIsKept(t *testing.T) {
	withNewIDs(t, func(t *testing.T, to server, o accountfile.AccountImport, _ accountfile.ImportedAccount) {
		was, err := os.ReadFile(o.NewIDs)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(o.NewIDs, o.NewIDs+".part"); err != nil {
			t.Fatal(err)
		}
		refusedImport(t, to, o, typus.Conflict, "login addresses", o.NewIDs+".part was left by an import that was cut off")
		if is, err := os.ReadFile(o.NewIDs + ".part"); err != nil || !bytes.Equal(is, was) {
			t.Errorf("the list is %q, %v", is, err)
		}
	})
}

// A file that somebody with its key has made, and that names what is another account's, is
// refused before anything is written.
func TestAFileThatNamesRowsOfOthersIsRefused(t *testing.T) {
	from, to := newServer(t, storetest.SQLite(t), "a"), newServer(t, storetest.SQLite(t), "b")
	from.filled(t, "moving", 2000)
	for what, change := range map[string]func(table, column string, k int) any{
		"another account": func(table, column string, k int) any {
			return onlyIf(table == "candidates" && column == "account_id", int64(7))
		},
		"another person": func(table, column string, k int) any {
			return onlyIf(table == "results" && column == "candidate_id", int64(7))
		},
		"another event": func(table, column string, k int) any {
			return onlyIf(table == "webhook_deliveries" && column == "event_id", "else")
		},
		"another delivery": func(table, column string, k int) any {
			return onlyIf(table == "webhook_attempts" && column == "delivery_id", "else")
		},
		"a third account": func(table, column string, k int) any {
			return onlyIf(table == "accounts" && column == "parent_id" && k == 1, int64(7))
		},
		"another type": func(table, column string, k int) any { return onlyIf(table == "users" && column == "email", int64(7)) },
		"no text":      func(table, column string, k int) any { return onlyIf(table == "users" && column == "email", "a\x00b") },
		"an id twice":  func(table, column string, k int) any { return onlyIf(table == "users" && column == "id", int64(7)) },
	} {
		file := filepath.Join(t.TempDir(), "made")
		err := accountfile.WriteAccountFile(file, fileKey, from.Store, 2000, func(table int, row []any, k int) {
			m := store.MovedTables()[table]
			for i, c := range m.Columns {
				if v := change(m.Name, c.Name, k); v != nil {
					row[i] = v
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(what, func(t *testing.T) { refusedImport(t, to, to.importing(file), typus.Invalid, "nothing was written") })
	}
}

// A file that somebody with its key has made cannot harm other accounts of the server, by what
// all of them share, by what the operator alone gives, or by what takes all memory.
func TestAFileThatWouldHarmOthersIsRefused(t *testing.T) {
	from, to := newServer(t, storetest.SQLite(t), "a"), newServer(t, storetest.SQLite(t), "b")
	from.filled(t, "moving", 2000)
	for what, bad := range map[string]struct {
		column string
		value  any
		all    bool // in all rows of the table
	}{
		"an id that ends all counting":   {column: "users.id", value: int64(900_000_000_000_000)},
		"a named id of that kind":        {column: "results.supersedes", value: int64(900_000_000_000_000)},
		"a year that cannot be written":  {column: "accounts.created_at", value: int64(1) << 62},
		"a year before all":              {column: "candidates.created_at", value: -int64(1) << 62},
		"a text without end":             {column: "candidates.name", value: strings.Repeat("x", 2<<20)},
		"the text of another notice":     {column: "notices.body", value: "Wer Sie einlädt, erfährt nichts."},
		"the logo of somebody else":      {column: "accounts.logo_hash", value: strings.Repeat("a", 64)},
		"the same of a position":         {column: "positions.logo_hash", value: strings.Repeat("a", 64)},
		"another type of a logo":         {column: "accounts.logo_type", value: "image/jpeg"},
		"a page for a logo":              {column: "accounts.logo_type", value: "text/html"},
		"a script for a logo":            {column: "account_logos.body", value: []byte("<script>alert(1)</script>")},
		"a role that there is not":       {column: "users.role", value: "operator"},
		"a password that takes it all":   {column: "users.password_hash", value: strings.Replace(checkable, "m=64", "m=4194304", 1)},
		"a password that ends a process": {column: "users.password_hash", value: strings.Replace(checkable, "t=1", "t=0", 1)},
		"the login of somebody else":     {column: "users.email_key", value: "somebody@example.com"},
		"invited by somebody else":       {column: "users.email_key", value: "invited|1|moving-0@example.com"},
		"all of the courier":             {column: "webhook_endpoints.max_in_flight", value: int64(1_000_000)},
		"a clock of its own":             {column: "accounts.ahead", value: int64(1)},
		"no account":                     {column: "users.account_id", value: nil},
		"the server's host":              {column: "accounts.host", value: "tests.xn--mller-kva.example", all: true},
		"a host in upper case":           {column: "accounts.host", value: "Moving.example.com", all: true},
		"a host with a port":             {column: "accounts.host", value: "moving.example.com:443", all: true},
		"a host of the test world":       {column: "accounts.host", value: "else.example.com"},
		"no plan":                        {column: "accounts.plan", value: "free", all: true},
		"no limit":                       {column: "accounts.max_people", value: int64(-1), all: true},
		"letters of the test world":      {column: "accounts.letters_a_day", value: int64(7)},
		"people of the test world":       {column: "accounts.max_people", value: int64(7), all: true},
		"a sender of the test world":     {column: "account_senders.account_id", value: int64(2001)},
		"an account that goes":           {column: "accounts.deleting_at", value: int64(1_700_000_000_000), all: true},
		"a sender of two lines":          {column: "account_senders.name", value: "Muster\r\nBcc: all@example.com"},
		"a sender that is none":          {column: "account_senders.address", value: "tests@example.com>, <all@example.com"},
		"a mailbox that is none":         {column: "account_senders.bounce_address", value: "a+b@example.com"},
		"a key of another domain":        {column: "account_senders.dkim_domain", value: "else.example.org"},
	} {
		file := filepath.Join(t.TempDir(), "made")
		err := accountfile.WriteAccountFile(file, fileKey, from.Store, 2000, func(table int, row []any, k int) {
			m := store.MovedTables()[table]
			for i, c := range m.Columns {
				if m.Name+"."+c.Name == bad.column && (k == 0 || bad.all) {
					row[i] = bad.value
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(what, func(t *testing.T) { refusedImport(t, to, to.importing(file), typus.Invalid, "nothing was written") })
	}
}

// What begins like the mark of somebody who is erased is looked for like any other text where
// nobody is ever erased.
func TestATextThatLooksErasedIsLookedFor(t *testing.T) {
	from, to := newServer(t, storetest.SQLite(t), "a"), newServer(t, storetest.SQLite(t), "b")
	made := func(tag string, first int64) string {
		from.filled(t, tag, first)
		file := filepath.Join(t.TempDir(), "made")
		err := accountfile.WriteAccountFile(file, fileKey, from.Store, first, func(table int, row []any, k int) {
			m := store.MovedTables()[table]
			for i, c := range m.Columns {
				if m.Name == "api_keys" && c.Name == "hash" && k == 0 {
					row[i] = "erased by nobody"
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	to.imports(t, made("moving", 2000))
	refusedImport(t, to, to.importing(made("other", 4000)), typus.Conflict, "API key")
}

// Whoever ends an import while it looks at a picture does not hear that the file is forged.
func TestAnImportThatIsEndedAtALogoSaysSo(t *testing.T) {
	l := typus.Logo{MediaType: "image/png", Hash: hexSum(picture(1)), Body: picture(1)}
	if err := accountfile.SoundLogo(t.Context(), l); err != nil {
		t.Error(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := accountfile.SoundLogo(ended, l); !typus.Is(err, typus.Unavailable) {
		t.Errorf("ended: %v", err)
	}
}

// Letters of a file wait behind those that wait here already, whatever it says of their place,
// and those of its test world are not sent.
func TestLettersOfAFileDoNotGoBeforeOthers(t *testing.T) {
	from, to := newServer(t, storetest.SQLite(t), "a"), newServer(t, storetest.SQLite(t), "b")
	from.filled(t, "moving", 2000)
	said := map[string]any{"turn": int64(-1) << 40, "urgent": int64(1), "kept": int64(0)}
	file := filepath.Join(t.TempDir(), "made")
	err := accountfile.WriteAccountFile(file, fileKey, from.Store, 2000, func(table int, row []any, _ int) {
		m := store.MovedTables()[table]
		for i, c := range m.Columns {
			if v, is := said[c.Name]; is && m.Name == "letters" {
				row[i] = v
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	account, n := to.imports(t, file).Account, 0
	err = to.ReadMoved(t.Context(), account, func(table int, row []any) error {
		m := store.MovedTables()[table]
		if m.Name != "letters" {
			return nil
		}
		got := map[string]any{}
		for i, c := range m.Columns {
			got[c.Name] = row[i]
		}
		inWorld := got["account_id"] != account
		if n++; got["turn"] != nil || got["urgent"] != int64(0) || (got["kept"] == int64(1)) != inWorld {
			t.Errorf("in the world %t: turn %v, urgent %v, kept %v", inWorld, got["turn"], got["urgent"], got["kept"])
		}
		return nil
	})
	if err != nil || n != 3 {
		t.Errorf("%d letters, %v", n, err)
	}
}

func onlyIf(yes bool, v any) any {
	if yes {
		return v
	}
	return nil
}
