package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"typus/internal/bounce"
)

// Exit codes by which a mail server knows what to do with a message that it has piped
// (sysexits.h).
const (
	exitUsage    = 64 // the command line is wrong
	exitNoReport = 65 // what came is no message
	exitTryAgain = 75 // the server keeps the message and tries again
)

// exit is an error with an exit code of its own.
type exit struct {
	error
	code int
}

// Unwrap returns the error without its code.
func (e exit) Unwrap() error { return e.error }

// piped is the annotation of a command that a mail server runs.
const piped = "piped by a mail server"

// drained is how many bytes behind what is read of a report are taken off the pipe. A mail
// server may take a pipe that closes early for a failure.
const drained = 64 << 20

func (a *app) bounceCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "bounce < report",
		Short: "Take a report from a mail server that a letter was returned",
		Long: "Read one message from standard input: the report of a mail server (RFC 3464) to the envelope sender that a letter was sent with, see TYPUS_BOUNCE_ADDRESS. " +
			"If it says that a server has given the letter up (failed), the letter is undeliverable, with the server's words. Every other message changes nothing: " +
			"delays, automatic replies, reports about other letters or a sending that was repeated since. It works beside a running server.\n\n" +
			"Which letter is meant stands in the address that the report was sent to: --recipient, else ORIGINAL_RECIPIENT or RECIPIENT in the environment, else X-Original-To, Delivered-To, Envelope-To or To in its header.\n\n" +
			"The exit code is 0 for every message that was understood, also where nothing changed; 64 for a wrong command line, 65 for what is no message, " +
			"and 75, on which the mail server tries again, if the settings are wrong or the database cannot be used.",
		Args:        cobra.NoArgs,
		Annotations: map[string]string{piped: "yes"},
	}
	addSite(c)
	recipient := c.Flags().String("recipient", "", "address that the message was sent to, as the mail server knows it")
	c.RunE = func(c *cobra.Command, args []string) error {
		report, err := a.readReport()
		if err != nil {
			return exit{err, exitNoReport}
		}
		err = a.work(func(c *cobra.Command, s *site) error {
			return a.takeBack(c.Context(), s, report, a.sentTo(*recipient, report))
		})(c, args)
		if err != nil {
			return exit{err, exitTryAgain}
		}
		return nil
	}
	return c
}

// readReport reads the message and takes the rest of it off the pipe.
func (a *app) readReport() (bounce.Report, error) {
	report, err := bounce.Read(a.in)
	_, _ = io.Copy(io.Discard, io.LimitReader(a.in, drained)) // what is left says nothing to us
	return report, err
}

// sentTo is where the address stands that the report was sent to.
func (a *app) sentTo(recipient string, report bounce.Report) string {
	if recipient != "" {
		return recipient
	}
	for _, name := range []string{"ORIGINAL_RECIPIENT=", "RECIPIENT="} {
		for _, pair := range a.environ {
			if value, found := strings.CutPrefix(pair, name); found && value != "" {
				return value
			}
		}
	}
	return report.To
}

// taken is what became of a report, as --json prints it.
type taken struct {
	Outcome  bounce.Outcome `json:"outcome"`   // "" for what is no report
	LetterID int64          `json:"letter_id"` // 0 for none of ours
	Changed  bool           `json:"changed"`
	Says     string         `json:"says"` // what changed, or why nothing did
}

// takeBack marks the letter that a report says has come back.
func (a *app) takeBack(ctx context.Context, s *site, report bounce.Report, to string) error {
	said := taken{Outcome: report.Outcome}
	posting, ours := bounce.Find(s.box, to)
	if ours {
		said.LetterID = posting.LetterID
	}
	if ours && report.Outcome == bounce.Failed {
		var err error
		if said.Changed, err = s.steps.ReturnLetter(ctx, posting, report.Code, report.Said); err != nil {
			return err
		}
	}
	said.Says = said.text()
	return a.print(said, said.Says)
}

func (t taken) text() string {
	switch {
	case t.LetterID == 0:
		return "nothing changed: no letter was sent with an address that this message was sent to"
	case t.Changed:
		return fmt.Sprintf("letter %d is undeliverable", t.LetterID)
	case t.Outcome == bounce.Failed:
		return fmt.Sprintf("nothing changed: letter %d is marked already, was sent again since, or is erased", t.LetterID)
	case t.Outcome == bounce.Nothing:
		return "nothing changed: this is no report about a delivery"
	}
	return fmt.Sprintf("nothing changed: letter %d is %s", t.LetterID, t.Outcome)
}
