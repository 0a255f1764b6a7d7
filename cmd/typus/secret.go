package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/rekey"
)

func (a *app) secretCommand() *cobra.Command {
	return group("secret", "Change the secret key, and see what lies under which", a.secretStatus(), a.secretRotate())
}

func (a *app) secretStatus() *cobra.Command {
	c := &cobra.Command{
		Use:   "status",
		Short: "Count what is stored under which secret key, by fingerprints",
		Long:  "Count the sealed values of each table by the fingerprint of the key that they lie under. Nothing is changed, and no key is said. Exit code 1: some lie under a key that is not given.",
		Args:  cobra.NoArgs,
	}
	addSite(c)
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		count, err := rekey.Look(c.Context(), s.store)
		if err != nil {
			return err
		}
		err = a.print(struct {
			Key   string `json:"key"`
			Other string `json:"other_key,omitempty"`
			rekey.Count
		}{s.box.KeyID(), s.otherKey(), count}, s.underKeys(count))
		if lost := count.Outside(s.box.KeyIDs()...); err == nil && lost > 0 {
			err = s.cannotOpen(count)
		}
		return err
	})
	return c
}

func (a *app) secretRotate() *cobra.Command {
	c := &cobra.Command{
		Use:   "rotate",
		Short: "Seal everything anew under the secret key, while TYPUS_OTHER_SECRET_KEY is the former one",
		Long: "Seal anew with TYPUS_SECRET_KEY what lies under TYPUS_OTHER_SECRET_KEY, 500 rows at a time, beside servers that have both keys. " +
			"Cut off anywhere, nothing is lost, and another call goes on. At the end it says whether the former key may be removed. Step by step: /docs/betrieb.",
		Args: cobra.NoArgs,
	}
	addSite(c)
	c.RunE = a.work(func(c *cobra.Command, s *site) error {
		turned, err := rekey.Rotate(c.Context(), s.store, s.box, a.sayProgress())
		if err != nil {
			return err
		}
		if err := a.print(struct {
			Key string `json:"key"`
			rekey.Turned
		}{s.box.KeyID(), turned}, s.turnedText(turned)); err != nil || turned.Done {
			return err
		}
		return s.notTurned(turned)
	})
	return c
}

// sayProgress says on standard error how far each column is: after its first page, and then
// from time to time.
func (a *app) sayProgress() func(string, int) {
	const often = 50_000
	told := map[string]int{}
	return func(column string, sealed int) {
		if last, begun := told[column]; begun && sealed < last+often {
			return
		}
		told[column] = sealed
		fmt.Fprintf(a.errOut, "%s: %d\n", column, sealed)
	}
}

func (s *site) turnedText(t rekey.Turned) string {
	lines := []string{"sealed anew: " + counted(t.Sealed, "value")}
	for _, column := range slices.Sorted(maps.Keys(t.Columns)) {
		lines = append(lines, fmt.Sprintf("%8d  %s", t.Columns[column], column))
	}
	if t.Damaged > 0 {
		lines = append(lines, counted(t.Damaged, "value")+" cannot be opened with their key: they are damaged, and stay as they are")
	}
	lines = append(lines, s.underKeys(t.Left))
	if t.Done {
		lines = append(lines, "everything lies under the key "+s.box.KeyID()+": TYPUS_OTHER_SECRET_KEY may be removed from all servers. Keep the former key as long as you keep backups that were made under it")
	}
	return strings.Join(lines, "\n")
}

// notTurned says why the former key is still needed, and what to do.
func (s *site) notTurned(t rekey.Turned) error {
	switch {
	case t.Left.Outside(s.box.KeyIDs()...) > 0:
		return s.cannotOpen(t.Left)
	case t.Damaged > 0:
		return typus.Errorf(typus.Conflict, "%s under another key cannot be opened; the former key is needed for nothing else", counted(t.Damaged, "damaged value"))
	}
	return typus.Errorf(typus.Conflict, "a server still seals with the key %s; give each server %s as TYPUS_SECRET_KEY, and run this again", s.otherKey(), s.box.KeyID())
}

func (s *site) cannotOpen(count rekey.Count) error {
	var keys []string
	for _, key := range count.Under() {
		if !s.box.Knows(key) {
			keys = append(keys, key)
		}
	}
	return typus.Errorf(typus.Conflict, "%s under keys that are not given (%s); set the one that is missing as TYPUS_OTHER_SECRET_KEY, and run typus secret rotate", lie(count.Outside(s.box.KeyIDs()...)), strings.Join(keys, ", "))
}

func lie(n int) string {
	if n == 1 {
		return "1 value lies"
	}
	return fmt.Sprint(n, " values lie")
}

// underKeys says in a line for each key how many values lie under it.
func (s *site) underKeys(count rekey.Count) string {
	var lines []string
	for _, key := range slices.Compact(slices.Sorted(slices.Values(append(count.Under(), s.box.KeyIDs()...)))) {
		what := "not given"
		switch key {
		case s.box.KeyID():
			what = "the secret key"
		case s.otherKey():
			what = "the other key"
		}
		lines = append(lines, fmt.Sprintf("under %s (%s): %s", key, what, counted(count.Keys[key], "value")))
	}
	return strings.Join(lines, "\n")
}

// otherKey is the fingerprint of the key that opens too, "" for none.
func (s *site) otherKey() string {
	if ids := s.box.KeyIDs(); len(ids) > 1 {
		return ids[1]
	}
	return ""
}
