package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"typus"
)

func (a *app) accountCommand() *cobra.Command {
	return group("account", "Create, list, change, suspend, move and delete accounts",
		a.accountCreate(), a.accountList(), a.accountSet(), a.accountSender(), a.accountSuspend(), a.accountResume(),
		a.accountExport(), a.accountImport(), a.accountDelete())
}

func (a *app) accountCreate() *cobra.Command {
	var account typus.Account
	var plan string
	var credits int64
	days := typus.NewKeepFinishedDays
	var zone *string
	c := &cobra.Command{
		Use: "create --name N", Short: "Create an account", Args: cobra.NoArgs,
		RunE: a.workOn(openToBegin, func(c *cobra.Command, s *site) error {
			account.Plan = typus.Plan(plan)
			if plan == "" {
				account.Plan = s.firstPlan()
			}
			if !c.Flags().Changed("credits") && account.Plan == typus.PlanStarter {
				credits = s.settings.StarterCredits
			}
			if days < 0 || days > 3650 {
				return usageError("--retention-days must be 0 to 3650")
			}
			account.Zone = typus.Zone(*zone)
			account = account.KeptFor(days)
			id, err := s.access.CreateAccount(c.Context(), account, credits)
			if err != nil {
				return err
			}
			return a.print(struct {
				ID            int64 `json:"id"`
				RetentionDays int   `json:"retention_days"`
			}{id, days}, fmt.Sprintf("account %d, retention %s", id, retentionFrom(days, true)))
		}),
	}
	addSite(c)
	c.Flags().StringVar(&account.Name, "name", "", "name of the account, shown to candidates")
	c.Flags().StringVar(&plan, "plan", "", "starter or business (default: business while sign-up is closed, else starter)")
	c.Flags().Int64Var(&credits, "credits", 0, "first credits (default on the starter plan: TYPUS_STARTER_CREDITS)")
	zone = zoneFlag(c, typus.FirstZone)
	c.Flags().IntVar(&days, "retention-days", days, "delete people so many days after the decision, else after their test, 1 to 3650; 0: never")
	c.Flags().StringVar(&account.ContactEmail, "contact-email", "", "address that candidates may write to")
	required(c, "name")
	return c
}

func (a *app) accountList() *cobra.Command {
	type line struct {
		ID      int64      `json:"id"`
		Name    string     `json:"name"`
		Plan    typus.Plan `json:"plan"`
		Credits int64      `json:"credits"`

		MaxPeople   int     `json:"max_people"`    // 0 for any number
		LettersADay int     `json:"letters_a_day"` // 0 for the server's
		DeletingAt  *string `json:"deleting_at"`   // null: nobody has begun to delete it
		SuspendedAt *string `json:"suspended_at"`  // null: it is not
	}
	c := &cobra.Command{
		Use: "list", Short: "List all accounts, with their limits, and which are suspended or being deleted", Args: cobra.NoArgs,
		RunE: a.work(func(c *cobra.Command, s *site) error {
			accounts, err := s.store.Accounts(c.Context())
			if err != nil {
				return err
			}
			lines := []line{}
			text := []string{fmt.Sprintf("%6s  %-8s  %8s  %s", "id", "plan", "credits", "name")}
			for _, x := range accounts {
				lines = append(lines, line{x.ID, x.Name, x.Plan, x.Credits, x.MaxPeople, x.LettersADay, timeOrNull(x.DeletingAt), suspensionOf(x).SuspendedAt})
				text = append(text, fmt.Sprintf("%6d  %-8s  %8d  %s", x.ID, x.Plan, x.Credits, x.Name))
				text = append(text, remarks(x)...)
			}
			return a.print(struct {
				Accounts []line `json:"accounts"`
			}{lines}, strings.Join(text, "\n"))
		}),
	}
	addSite(c)
	return c
}

// remarks are the bounds of an account, if it has any, since when it is suspended, and how a
// deletion of it goes on, in a line each, which stand below its name.
func remarks(a typus.Account) []string {
	var bounds, lines []string
	if a.MaxPeople > 0 {
		bounds = append(bounds, fmt.Sprintf("at most %d people", a.MaxPeople))
	}
	if a.LettersADay > 0 {
		bounds = append(bounds, fmt.Sprintf("at most %d letters a day", a.LettersADay))
	}
	if len(bounds) > 0 {
		lines = append(lines, strings.Join(bounds, ", "))
	}
	if at := timeOrNull(a.SuspendedAt); at != nil {
		lines = append(lines, fmt.Sprintf("suspended since %s; to end that: typus account resume --account %d", *at, a.ID))
	}
	if at := timeOrNull(a.DeletingAt); at != nil {
		lines = append(lines, fmt.Sprintf("being deleted since %s, and shut; unless that command is still running, go on with: typus account delete --account %d --confirm %s",
			*at, a.ID, shellLine([]string{a.Name})))
	}
	for i := range lines {
		lines[i] = strings.Repeat(" ", 28) + lines[i]
	}
	return lines
}

// zoneFlag adds --zone.
func zoneFlag(c *cobra.Command, otherwise typus.Zone) *string {
	return c.Flags().String("zone", string(otherwise), "time zone of the account's days and hours, such as Europe/Berlin")
}

// firstPlan is the plan of an account that is made without naming one. If nobody can
// sign up on a server, its operator runs it for themselves and should not meet a limit
// that they did not ask for.
func (s *site) firstPlan() typus.Plan {
	if s.settings.SignUp == "open" {
		return typus.PlanStarter
	}
	return typus.PlanBusiness
}

// required makes cobra name every missing flag at once, before any work.
func required(c *cobra.Command, flags ...string) {
	for _, f := range flags {
		if err := c.MarkFlagRequired(f); err != nil {
			panic(err) // a flag that does not exist: a slip in this package
		}
	}
}

// accountFlag adds --account.
func accountFlag(c *cobra.Command) *int64 {
	id := c.Flags().Int64("account", 0, "id of the account")
	required(c, "account")
	return id
}
