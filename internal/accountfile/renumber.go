package accountfile

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"typus"
	"typus/internal/assess"
	"typus/internal/backup"
	"typus/internal/db"
	"typus/internal/store"
)

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
		if last > backup.MostID {
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
