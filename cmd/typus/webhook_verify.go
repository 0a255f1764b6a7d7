package main

import (
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"typus"
	"typus/internal/inspect"
)

// verifyFlags are where webhook verify finds what it checks. A secret is never an
// argument: those of running programs can be read by others.
type verifyFlags struct {
	secretFile, secretEnv string
	headers               []string
	headersFile, body     string
	prefix, at            string
}

func (a *app) webhookVerify() *cobra.Command {
	c := &cobra.Command{
		Use:   "verify --secret-file FILE --header \"Name: value\" --body FILE",
		Short: "Check the signatures of a delivery, and say why one does not match",
		Long: "Check the signatures of a delivery as a receiver got it. Where one does not match, the usual causes are tried, and the one that fits is named: JSON that was parsed and written anew, a line break, a wrong form of the secret, base64 against hex, another header, the clock. " +
			"It needs neither server nor database. The exit code is 1 unless each signature that is there is right.",
		Args: cobra.NoArgs,
	}
	var v verifyFlags
	c.Flags().StringVar(&v.secretFile, "secret-file", "", "file with the secret; one line break at its end is left out")
	c.Flags().StringVar(&v.secretEnv, "secret-env", "", "name of the environment variable with the secret")
	c.Flags().StringArrayVar(&v.headers, "header", nil, "one header, \"Name: value\"; may be given several times")
	c.Flags().StringVar(&v.headersFile, "headers-file", "", "file with all headers: lines, as curl -v shows them, or a JSON object")
	c.Flags().StringVar(&v.body, "body", "-", "file with the body, byte for byte; - is what comes in")
	c.Flags().StringVar(&v.prefix, "prefix", "X-Service", "first part of the service's header names")
	c.Flags().StringVar(&v.at, "at", "", "when the delivery arrived, as 2026-11-29T18:00:00Z; without it, now")
	c.MarkFlagsOneRequired("secret-file", "secret-env")
	c.MarkFlagsMutuallyExclusive("secret-file", "secret-env")
	c.MarkFlagsOneRequired("header", "headers-file")
	c.RunE = func(_ *cobra.Command, _ []string) error {
		pasted, err := a.pasted(v)
		if err != nil {
			return err
		}
		return a.printInspection(inspect.Delivery(pasted))
	}
	return c
}

func (a *app) pasted(v verifyFlags) (inspect.Pasted, error) {
	p := inspect.Pasted{Now: time.Now()}
	var faults []typus.Field
	fault := func(name, message string) {
		faults = append(faults, typus.Field{Name: name, Code: typus.CodeInvalid, Msg: message})
	}
	var err error
	if p.Secret, err = a.secretFrom(v.secretFile, v.secretEnv); err != nil {
		fault("secret", err.Error())
	}
	headers := strings.Join(v.headers, "\n")
	if v.headersFile != "" {
		text, err := os.ReadFile(v.headersFile)
		if err != nil {
			fault("headers-file", "cannot be read")
		}
		headers += "\n" + string(text)
	}
	p.Headers = inspect.ReadHeaders(headers, v.prefix)
	if p.Body, err = a.bodyIn(v.body); err != nil {
		fault("body", err.Error())
	}
	if v.at != "" {
		if p.Now, err = time.Parse(time.RFC3339, v.at); err != nil {
			fault("at", "is not a time such as 2026-11-29T18:00:00Z")
		}
	}
	return p, typus.WrongFields(faults)
}

// secretFrom is what stands in a file, but for one line break at its end, or without one
// in an environment variable.
func (a *app) secretFrom(file, variable string) (string, error) {
	if file == "" {
		for _, line := range a.environ {
			if value, found := strings.CutPrefix(line, variable+"="); found && value != "" {
				return value, nil
			}
		}
		return "", errors.New("the environment variable is not set")
	}
	text, err := os.ReadFile(file) //nolint:gosec // whoever runs the command says which
	if err != nil {
		return "", errors.New("the file cannot be read")
	}
	secret := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if secret == "" {
		return "", errors.New("the file is empty")
	}
	return secret, nil
}

// bodyIn reads one byte more than is looked at, so that a longer body is noticed.
func (a *app) bodyIn(name string) ([]byte, error) {
	from := a.in
	if name != "-" {
		f, err := os.Open(name) //nolint:gosec // whoever runs the command says which
		if err != nil {
			return nil, errors.New("the file cannot be read")
		}
		defer func() { _ = f.Close() }()
		from = f
	}
	body, err := io.ReadAll(io.LimitReader(from, inspect.MaxBody+1))
	if err != nil {
		return nil, errors.New("cannot be read")
	}
	if len(body) > inspect.MaxBody {
		return nil, errors.New("has more than 128 KiB; a delivery has at most 64")
	}
	return body, nil
}

// printInspection says what was found, and fails unless all of it is right.
func (a *app) printInspection(i inspect.Inspection) error {
	var lines []string
	for _, f := range []inspect.Finding{i.Service, i.Standard} {
		said := f.In("en")
		lines = append(lines, said.Header+": "+said.Is)
		for _, text := range said.Found {
			lines = append(lines, "  "+text)
		}
		for _, text := range said.Mend {
			lines = append(lines, "  > "+text)
		}
	}
	if closing := i.Closing("en"); closing != "" {
		lines = append(lines, closing)
	}
	err := a.print(newInspectionView(i), strings.Join(lines, "\n"))
	if err == nil && !i.OK() {
		err = typus.Errorf(typus.Conflict, "a receiver does not accept this delivery")
	}
	return err
}

// inspectionView is an inspection for programs.
type inspectionView struct {
	OK         bool          `json:"ok"`
	Signatures []findingView `json:"signatures"`
}

type findingView struct {
	Header  string      `json:"header"`
	Verdict string      `json:"verdict"` // right, late, wrong, missing
	Causes  []causeView `json:"causes"`
}

type causeView struct {
	Cause string `json:"cause"`
	About string `json:"about"` // "" for most
	Said  string `json:"said"`
	Mend  string `json:"mend"`
}

func newInspectionView(i inspect.Inspection) inspectionView {
	view := inspectionView{OK: i.OK()}
	for _, f := range []inspect.Finding{i.Service, i.Standard} {
		found := findingView{Header: f.Header, Verdict: string(f.Verdict), Causes: []causeView{}}
		for _, c := range f.Causes {
			said := inspect.Finding{Header: f.Header, Causes: []inspect.Cause{c}}.In("en")
			found.Causes = append(found.Causes, causeView{c.Key, c.About, said.Found[0], said.Mend[0]})
		}
		view.Signatures = append(view.Signatures, found)
	}
	return view
}
