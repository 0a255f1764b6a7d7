// Command typus is the whole product in one file: the server, its demo, and
// the operator's commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
	_ "time/tzdata" // a system without time zones has those of accounts too

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"typus"
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // a reader of our output who leaves must not cut the work short
	ctx, stop := untilSignal()
	code := run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// untilSignal is a context that ends with the first signal to stop. Once anything stops,
// another Ctrl-C ends the process at once. SIGTERM does not, because supervisors repeat it,
// and what is being finished must not be cut short.
func untilSignal() (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(context.Background())
	came := make(chan os.Signal, 1)
	signal.Notify(came, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-came
		signal.Reset(os.Interrupt) // before anybody sees that something stops
		stop()
	}()
	return ctx, stop
}

// run executes one command line and returns the exit code: 0; 1 when the work
// failed; 2 when the command line, a setting or an input is wrong. Of typus bounce
// they are those of sysexits.h.
func run(ctx context.Context, args, environ []string, in io.Reader, out, errOut io.Writer) int {
	return newApp(environ, in, out, errOut).run(ctx, args)
}

func (a *app) run(ctx context.Context, args []string) int {
	root := a.command()
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.errOut)
	var c *cobra.Command
	err := unknownCommand(root, args)
	if err == nil {
		c, err = root.ExecuteContextC(ctx)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintln(a.errOut, "typus:", message(err))
	return a.exitCode(c, err)
}

// exitCode is what the process ends with after an error of command c, which is nil where the
// command line names none.
func (a *app) exitCode(c *cobra.Command, err error) int {
	own, coded := errors.AsType[exit](err)
	switch {
	case coded:
		return own.code
	case c != nil && c.Annotations[piped] != "":
		return exitUsage
	case !a.began || wrongInput(err):
		return 2
	}
	return 1
}

// app is what all commands share.
type app struct {
	environ []string
	in      io.Reader
	out     io.Writer
	errOut  io.Writer
	json    bool
	began   bool // a command's own work began: errors before it are usage errors
	// testPatience is how long a test event may take. A running server takes it up
	// within a second and ends it within 20.
	testPatience time.Duration
}

func newApp(environ []string, in io.Reader, out, errOut io.Writer) *app {
	return &app{environ: environ, in: in, out: out, errOut: errOut, testPatience: 25 * time.Second}
}

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:           "typus",
		Short:         "A sales-personality assessment server",
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print one JSON object")
	root.AddCommand(
		a.demoCommand(), a.serveCommand(), a.migrateCommand(),
		a.secretCommand(),
		a.accountCommand(), a.userCommand(), a.keyCommand(), a.webhookCommand(), a.listenCommand(),
		a.candidateCommand(), a.exportCommand(), a.creditsCommand(), a.usageCommand(), a.bounceCommand(), a.rescoreCommand(),
		a.backupCommand(), a.restoreCommand(), a.erasuresCommand(), a.healthCommand(), a.doctorCommand(), a.versionCommand(),
	)
	root.SetFlagErrorFunc(nameNearestFlag)
	a.markBeginnings(root)
	return root
}

// markBeginnings notes when a command's own work begins. Before that, cobra checks the
// command line, required flags included.
func (a *app) markBeginnings(c *cobra.Command) {
	if do := c.RunE; do != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			a.began = true
			return do(c, args)
		}
	}
	for _, child := range c.Commands() {
		a.markBeginnings(child)
	}
}

// group is a command that only holds others.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		return usageError("name one of: " + childNames(c))
	}}
	c.AddCommand(children...)
	return c
}

func childNames(c *cobra.Command) string {
	var names []string
	for _, child := range c.Commands() {
		name := child.Name()
		if c.HasParent() {
			name = c.Name() + " " + name
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// unknownCommand names a word that stands where a command should and is none. Cobra looks
// at the flags first, and of "user lsit --account 1" it would complain about --account.
func unknownCommand(root *cobra.Command, args []string) error {
	root.InitDefaultHelpCmd()
	c, rest, err := root.Find(args)
	if err == nil && (!c.HasSubCommands() || c.Name() == "help") {
		return nil
	}
	for i := 0; i < len(rest); i++ {
		switch word := rest[i]; {
		case word == "-h", word == "--help", word == "--version":
			return nil
		case !strings.HasPrefix(word, "-"):
			return usageError(fmt.Sprintf("there is no command %q; name one of: %s", strings.TrimSpace(c.CommandPath()+" "+word), childNames(c)))
		case word != "--json" && !strings.Contains(word, "="):
			i++ // the value of a flag
		}
	}
	return nil
}

// usageError is a command line that cannot be meant.
type usageError string

func (e usageError) Error() string { return string(e) }

func wrongInput(err error) bool {
	if _, usage := errors.AsType[usageError](err); usage {
		return true
	}
	return typus.Is(err, typus.Invalid)
}

// message is one line for a person, or a line for each of several faults. The
// cause is shown where the operator has to mend something outside: the database,
// a file.
func message(err error) string {
	e, ok := errors.AsType[*typus.Error](err)
	if !ok {
		return err.Error()
	}
	if len(e.Fields) > 1 {
		faults := make([]string, 0, len(e.Fields))
		for _, f := range e.Fields {
			faults = append(faults, f.Name+" "+f.Msg)
		}
		return strings.Join(faults, "\n       ")
	}
	if e.Cause == nil || e.Kind != typus.Unavailable && e.Kind != typus.Internal {
		return e.Msg
	}
	const longest = 400
	cause := strings.Join(strings.Fields(e.Cause.Error()), " ")
	return e.Msg + " (" + short(cause, longest) + ")"
}

// counted is a number of things in English, by the word for one of them.
func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// print writes v as one JSON object with --json, and text otherwise.
func (a *app) print(v any, text string) error {
	if !a.json {
		_, err := fmt.Fprintln(a.out, text)
		return err
	}
	if err := json.MarshalWrite(a.out, v, jsontext.EscapeForHTML(false)); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.out)
	return err
}
