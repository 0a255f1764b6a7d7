package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/backup"
	"typus/internal/rekey"
	"typus/internal/store"
)

func (a *app) secretCommand() *cobra.Command {
	return group("secret", "Change the secret key, and see what lies under which", a.secretStatus(), a.secretRotate(), a.secretLost())
}

func (a *app) secretStatus() *cobra.Command {
	c := &cobra.Command{
		Use:   "status",
		Short: "Count what is stored under which secret key, by fingerprints",
		Long:  "Count the sealed values of each table by the fingerprint of the key that they lie under. Nothing is changed, and no key is said. Exit code 1: some lie under a key that is not given.",
		Args:  cobra.NoArgs,
	}
	addSite(c)
	c.RunE = a.workOn(openToLook, func(c *cobra.Command, s *site) error {
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

func (a *app) secretLost() *cobra.Command {
	c := &cobra.Command{
		Use:   "lost --confirm FINGERPRINT",
		Short: "After the secret key was lost: make links and webhook secrets anew",
		Long: "Make anew what no key that is given opens, once the key is lost for good, while no server runs. Links and webhook secrets are new, own headers of webhooks are emptied and those webhooks paused, " +
			"second factors stay asked for and are answered by recovery codes alone, own keys of senders (DKIM) are dropped and the server's signs. Nothing else changes. Without --confirm it says what that would be. Step by step: /docs/betrieb.",
		Args: cobra.NoArgs,
	}
	addSite(c)
	confirm := c.Flags().String("confirm", "", "fingerprint of the key that is lost, as the command says it without this flag")
	c.RunE = a.workOn(openLost, func(c *cobra.Command, s *site) error {
		count, err := rekey.Look(c.Context(), s.store)
		if err != nil {
			return err
		}
		known, err := backup.KeysOf(c.Context(), s.store)
		if err != nil {
			return err
		}
		lost := slices.DeleteFunc(append(known, count.Under()...), s.box.Knows)
		slices.Sort(lost)
		lost = slices.Compact(lost)
		if len(lost) == 0 {
			return typus.Errorf(typus.Conflict, "no key is lost: everything lies under keys that are given")
		}
		if *confirm != strings.Join(lost, ",") {
			return usageError(fmt.Sprintf("%s under a key that is not given (%s); only if nobody has it any more, not even beside a backup: typus secret lost --confirm %s", lie(count.Outside(s.box.KeyIDs()...)), strings.Join(lost, ", "), strings.Join(lost, ",")))
		}
		replaced, err := rekey.Replace(c.Context(), s.store, s.box, typus.Clock(nil).Now())
		if err != nil {
			return err
		}
		return a.print(struct {
			Key string `json:"key"`
			rekey.Replaced
		}{s.box.KeyID(), replaced}, s.replacedText(replaced))
	})
	return c
}

func (s *site) replacedText(r rekey.Replaced) string {
	lines := []string{"made anew, or ended:"}
	for _, column := range slices.Sorted(maps.Keys(r.Columns)) {
		if r.Columns[column] > 0 {
			lines = append(lines, fmt.Sprintf("%8d  %s", r.Columns[column], column))
		}
	}
	if r.Open > 0 {
		lines = append(lines, fmt.Sprintf("people who can still take the test and need a new letter: %d", r.Open)+"; their former link leads nowhere; send the invitation again in the dashboard, or have your system fetch the new link by inviting again; invitations that still wait to be sent bring the new link")
	}
	if n := r.Columns[string(store.SealedPublicLinks)]; n > 0 {
		lines = append(lines, counted(n, "public link")+": advertisements need the new address, which the dashboard shows at the position")
	}
	if n := r.Columns[string(store.SealedExpertLinks)]; n > 0 {
		lines = append(lines, counted(n, "link")+" of experts: whoever has not answered yet needs the new one, which the dashboard shows at the role profile")
	}
	if n := r.Columns[string(store.SealedSecrets)]; n > 0 {
		lines = append(lines, counted(n, "webhook secret")+": an admin of the account copies each new one to its receiver")
	}
	if n := r.Columns[string(store.SealedHeaders)]; n > 0 {
		lines = append(lines, counted(n, "own header")+": each webhook with one is paused until an admin has set the header anew and switched the webhook on")
	}
	if n := r.Columns[string(store.SealedFactors)]; n > 0 {
		lines = append(lines, counted(n, "second factor")+": a recovery code logs in; for whoever has none: typus user link --account ID --email E --reset-second-factor")
	}
	if n := r.Columns[string(store.SealedSenderKeys)]; n > 0 {
		lines = append(lines, counted(n, "own key of a sender (DKIM)")+": the server's key signs until the account has a new one: typus account sender --account ID --selector NAME, and publish what it says")
	}
	return strings.Join(append(lines, "the database belongs to the key "+s.box.KeyID()+" now; start the server"), "\n")
}
