package accountfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"typus"
	"typus/internal/backup"
	"typus/internal/db"
)

// known are the tables whose ids other systems know: they change with the operator's consent.
var known = []string{"candidates", "positions"}

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
		if err := backup.GiveName(part, o.NewIDs); err != nil {
			return typus.Errorf(typus.Conflict, "the account %d is in, and the list of its new ids is in %s: %v", done.Account, part, err).WithCause(err)
		}
	}
	_ = os.Remove(part) // the list has its own name, or nobody needs it
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

// listNewIDs writes the ids that others know, under the name that the file has until the
// import is done.
func (m *moving) listNewIDs(done *ImportedAccount) error {
	if m.NewIDs == "" {
		return nil
	}
	part := m.NewIDs + ".part"
	f, err := beginPart(part)
	if err != nil {
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
	_, err = f.Write(text.Bytes())
	if err = errors.Join(err, f.Sync(), f.Close(), backup.SyncDir(filepath.Dir(part))); err != nil {
		return db.Refused(part, err)
	}
	return nil
}
