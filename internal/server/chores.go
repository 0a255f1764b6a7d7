package server

import (
	"context"
	"time"

	"typus/internal/api"
	"typus/internal/assess"
	"typus/internal/courier"
)

// chores is the column of what recurs; each turn is taken by one instance. The
// names are those of the rows in the database and never change.
func chores(steps *assess.Steps, calls *api.CallLog) []courier.Chore {
	return []courier.Chore{
		{Name: "remind candidates", Every: 5 * time.Minute, Run: steps.RemindDue},
		{Name: "note expired invitations", Every: 5 * time.Minute, Run: steps.ExpireDue},
		{Name: "trim the API log", Every: 10 * time.Minute, Run: calls.Trim},
		{Name: "forget API counts", Every: time.Hour, Run: calls.Forget},
		{Name: "forget logins", Every: time.Hour, Run: steps.ForgetLogins},
		{Name: "forget sent forms", Every: time.Hour, Run: steps.ForgetForms},
		{Name: "forget imports", Every: time.Hour, Run: steps.ForgetImports},
		{Name: "forget recipients", Every: time.Hour, Run: steps.ForgetRecipients},
		{Name: "forget answers of receivers", Every: time.Hour, Run: steps.ForgetAnswers},
		{Name: "retention", Every: time.Hour, Run: steps.Retain},
		{Name: "index candidates", Every: time.Hour, Run: steps.IndexCandidates},
	}
}

// shared is what every instance does beside the others, under a name of its own.
func shared(steps *assess.Steps, worker string) []courier.Chore {
	return []courier.Chore{
		{Name: "imports", Every: time.Second, Run: func(ctx context.Context) error { return steps.RunImports(ctx, worker) }},
	}
}
