package accountfile

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"typus/internal/store"
)

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
