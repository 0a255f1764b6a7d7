package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/inspect"
)

func (a *app) webhookCheck() *cobra.Command {
	c := &cobra.Command{
		Use:   "check URL --secret-file FILE",
		Short: "Try a receiver with eleven deliveries, and say what it should have done",
		Long: "Try a receiver with eleven deliveries of test events: right, forged, old, twice the same, with umlauts, of 64 KiB, with a member that it does not know, with external_id null, during a change of secrets, slow, and on a connection that is used again. " +
			"It says what the receiver answered to each and what it should have done; whether it did its work once cannot be seen from here. It needs neither server nor database. The exit code is 1 unless all went well.",
		Args: cobra.ExactArgs(1),
	}
	file := c.Flags().String("secret-file", "", "file with the secret of the receiver; one line break at its end is left out")
	variable := c.Flags().String("secret-env", "", "name of the environment variable with the secret")
	prefix := c.Flags().String("prefix", "X-Service", "first part of the service's header names")
	c.MarkFlagsOneRequired("secret-file", "secret-env")
	c.MarkFlagsMutuallyExclusive("secret-file", "secret-env")
	c.RunE = func(c *cobra.Command, args []string) error {
		secret, err := a.secretFrom(*file, *variable)
		if err != nil {
			return typus.WrongFields([]typus.Field{{Name: "secret", Code: typus.CodeInvalid, Msg: err.Error()}})
		}
		trials, err := inspect.Check(c.Context(), inspect.Receiver{URL: args[0], Secret: secret, Prefix: *prefix})
		if err != nil {
			return err
		}
		return a.printTrials(trials)
	}
	return c
}

// printTrials says what a receiver did, and fails unless all of it was right.
func (a *app) printTrials(trials []inspect.Trial) error {
	type line struct {
		Delivery string `json:"delivery"`
		OK       bool   `json:"ok"`
		Answer   string `json:"answer"`
		Should   string `json:"should"`
	}
	lines, text, wrong := []line{}, []string{}, 0
	for i, t := range trials {
		lines = append(lines, line{t.Name, t.OK, t.Answer, t.Should})
		said := fmt.Sprintf("%2d  ok     %s: %s", i+1, t.Name, t.Answer)
		if !t.OK {
			wrong++
			said = fmt.Sprintf("%2d  WRONG  %s: %s; a receiver %s", i+1, t.Name, t.Answer, t.Should)
		}
		text = append(text, said)
	}
	err := a.print(struct {
		OK         bool   `json:"ok"`
		Deliveries []line `json:"deliveries"`
	}{wrong == 0, lines}, strings.Join(text, "\n"))
	if err == nil && wrong > 0 {
		err = typus.Errorf(typus.Conflict, "%d of %d deliveries went wrong", wrong, len(trials))
	}
	return err
}
