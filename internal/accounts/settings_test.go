package accounts_test

import (
	"strings"
	"testing"

	"typus"
)

func TestWhatAnAccountSetsIsCheckedAndWrittenDown(t *testing.T) {
	run(t, func(w *world) {
		set := func(change func(a *typus.Account)) error {
			return w.Accounts.Change(w.Ctx, w.Account, ada, change)
		}
		err := set(func(a *typus.Account) {
			a.Name, a.InviteDays, a.WelcomeDE, a.NotifyEmails = " Süd & Söhne ", 14, "Hallo\r\nWelt ", "a@example.com, b@example.com"
			a.Accent, a.Credits, a.Plan, a.ShelfMonths = "#FFCC00", 99, typus.PlanBusiness, 36
		})
		if err != nil {
			w.Fatal(err)
		}
		a, _ := w.Store.Account(w.Ctx, w.Account)
		if a.Name != "Süd & Söhne" || a.InviteDays != 14 || a.WelcomeDE != "Hallo\nWelt" || a.NotifyEmails != "a@example.com\nb@example.com" || a.Accent != "#ffcc00" || a.Credits != 10 || a.ShelfMonths != 36 || a.Plan != typus.PlanStarter {
			w.Errorf("account %+v", a)
		}
		log, _ := w.Store.Audit(w.Ctx, w.Account, 1)
		if len(log) != 1 || log[0].Action != "account.changed" || log[0].Detail != "name Muster Software GmbH → Süd & Söhne, invite_days 30 → 14, accent none → #ffcc00, welcome_de, notify_emails, shelf_months 12 → 36" {
			w.Errorf("audit log %+v", log)
		}
		for field, change := range map[string]func(a *typus.Account){
			"name":                  func(a *typus.Account) { a.Name = " " },
			"language":              func(a *typus.Account) { a.Language = "fr" },
			"role_profile":          func(a *typus.Account) { a.RoleProfile = "x" },
			"invite_days":           func(a *typus.Account) { a.InviteDays = 366 },
			"contact_email":         func(a *typus.Account) { a.ContactEmail = "x" },
			"accent":                func(a *typus.Account) { a.Accent = "red" },
			"reminders":             func(a *typus.Account) { a.Reminders = 3 },
			"keep_finished_days":    func(a *typus.Account) { a.KeepFinishedDays = -1 },
			"keep_unfinished_days":  func(a *typus.Account) { a.KeepUnfinishedDays = 3651 },
			"keep_undecided_days":   func(a *typus.Account) { a.KeepUndecidedDays = 3651 },
			"keep_undecided_days ":  func(a *typus.Account) { a.KeepFinishedDays, a.KeepFromDecision, a.KeepUndecidedDays = 180, true, 90 },
			" keep_undecided_days":  func(a *typus.Account) { a.KeepFinishedDays, a.KeepFromDecision, a.KeepUndecidedDays = 0, true, 365 },
			"keep_answers_days":     func(a *typus.Account) { a.KeepAnswersDays = 91 },
			"shelf_months":          func(a *typus.Account) { a.ShelfMonths = 5 },
			"welcome_de":            func(a *typus.Account) { a.WelcomeDE = strings.Repeat("x", 1001) },
			"welcome_en":            func(a *typus.Account) { a.WelcomeEN = "a\u202eb" },
			"notify":                func(a *typus.Account) { a.Notify = "often" },
			"notice_consequence":    func(a *typus.Account) { a.Notice.Consequence = "maybe" },
			"notice_country":        func(a *typus.Account) { a.Notice.Country = "XX" },
			"notice_abroad":         func(a *typus.Account) { a.Notice.Abroad = "NO" },
			"notice_safeguard":      func(a *typus.Account) { a.Notice.Safeguard = "hope" },
			"notice_operator":       func(a *typus.Account) { a.Notice.Operator = strings.Repeat("x", 201) },
			"notice_officer":        func(a *typus.Account) { a.Notice.Officer = "a\u202eb" },
			"notice_basis_en":       func(a *typus.Account) { a.Notice.Basis.EN = strings.Repeat("x", 601) },
			"notice_period_de":      func(a *typus.Account) { a.Notice.Period.DE = "a\x00b" },
			"notice_client":         func(a *typus.Account) { a.Notice.Client = strings.Repeat("x", 201) },
			"notice_client_kind_de": func(a *typus.Account) { a.Notice.ClientKind.DE = strings.Repeat("x", 201) },
			"notice_consequence_de": func(a *typus.Account) { a.Notice.Consequence = typus.ConsequenceOwn },
			"notice_safeguard_de":   func(a *typus.Account) { a.Notice.Safeguard = typus.SafeguardOwn },
			"notify_emails":         func(a *typus.Account) { a.NotifyEmails = "a@example.com kaputt" },
		} {
			err := set(change)
			w.WantKind(err, typus.Invalid)
			if e, ok := err.(*typus.Error); !ok || len(e.Fields) != 1 || e.Fields[0].Name != strings.TrimSpace(field) {
				w.Errorf("%s: %v", field, err)
			}
		}
		if err := set(func(*typus.Account) {}); err != nil {
			w.Error(err)
		}
		if log, _ := w.Store.Audit(w.Ctx, w.Account, 10); len(log) != 1 {
			w.Errorf("nothing changed and yet it is written down: %+v", log)
		}
		w.WantKind(w.Accounts.Change(w.Ctx, w.Account+99, ada, func(*typus.Account) {}), typus.NotFound)
	})
}
