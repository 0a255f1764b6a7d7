package main

import (
	"context"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/accounts"
	"typus/internal/store"
)

const (
	hour = time.Hour
	// The demo's account began with so many credits and was given more when they
	// ran low.
	demoFirstCredits = 20
	demoMoreCredits  = 30
	// demoDays is how many working days the past is long.
	demoDays = 28
)

// workday is a time of a working day in the past; 0 working days ago is today.
func (m *month) workday(ago, at, minute int) time.Time {
	day := m.now.UTC().Truncate(24 * hour)
	for ago > 0 {
		day = day.AddDate(0, 0, -1)
		if w := day.Weekday(); w != time.Saturday && w != time.Sunday {
			ago--
		}
	}
	return day.Add(time.Duration(at)*hour + time.Duration(minute)*time.Minute)
}

// on plans something for a working day.
func (m *month) on(ago, at, minute int, do func(context.Context) error) {
	m.plan(m.workday(ago, at, minute), do)
}

// tell writes the agenda of the past.
func (m *month) tell() {
	m.on(demoDays, 8, 30, m.found)
	m.on(demoDays, 9, 10, m.settle)
	m.on(demoDays, 9, 40, func(ctx context.Context) error {
		return m.hire(ctx, &m.lars, "lars.beispiel@example.com", "Lars Beispiel", typus.RoleAdmin)
	})
	m.on(demoDays, 9, 42, func(ctx context.Context) error {
		return m.hire(ctx, &m.nina, "nina.winter@example.com", "Nina Winter", typus.RoleMember)
	})
	m.on(demoDays-1, 10, 5, m.connect)
	m.on(demoDays-1, 10, 30, m.openPosition)
	m.on(20, 13, 15, m.ownWords)
	m.on(16, 9, 50, func(ctx context.Context) error {
		return m.hire(ctx, &m.iris, demoInterviewer, "Iris Herbst", typus.RoleInterviewer)
	})
	m.on(14, 15, 30, func(ctx context.Context) error { return m.blindly(ctx, true) })
	m.on(14, 8, 20, func(ctx context.Context) error {
		_, _, err := m.accounts.GrantCredits(ctx, m.account, accounts.Grant{Amount: demoMoreCredits, Note: "Nachbestellung, Rechnung 2026-1042", Actor: operator})
		return err
	})
	m.on(10, 7, 50, func(ctx context.Context) error {
		return m.accounts.Change(ctx, m.account, m.petra, func(a *typus.Account) { a.Notify = typus.NotifyDaily })
	})
	m.on(5, 15, 40, func(ctx context.Context) error {
		return m.clerk.NoteExport(ctx, m.account, typus.AuditCandidatesExported, "", m.petra)
	})
	m.on(2, 9, 20, func(ctx context.Context) error {
		return m.hire(ctx, nil, "omar.sommer@example.com", "Omar Sommer", typus.RoleViewer)
	})
	m.on(1, 7, 35, m.logIn)
	m.inviteAll()
}

// settle is what an owner sets first.
func (m *month) settle(ctx context.Context) error {
	return m.accounts.Change(ctx, m.account, m.petra, func(a *typus.Account) {
		a.KeepFinishedDays, a.KeepUnfinishedDays = 180, 90
		a.WelcomeDE = "Schön, dass Sie sich für eine Stelle in unserem Vertrieb interessieren. Mit diesem Fragebogen bereiten wir das Gespräch mit Ihnen vor. " +
			"Was Sie antworten, ersetzt kein Gespräch und entscheidet nicht für sich allein."
		a.Notice = typus.NoticeFacts{
			Consequence: typus.ConsequenceInterview, Operator: "Rechenzentrum Beispiel GmbH", Country: "DE", Abroad: typus.AbroadNone,
			Officer: "datenschutz@example.com",
		}
	})
}

// openPosition opens the position that some of the guests apply for; the others apply
// without one.
func (m *month) openPosition(ctx context.Context) error {
	field := typus.Position{Name: "Außendienst Süd", Ref: "crm-job-7", Reminders: typus.RemindersOfAccount}
	var err error
	m.field, err = m.accounts.AddPosition(ctx, store.WholeAccount(m.account), field, []int64{m.lars.UserID, m.nina.UserID}, m.petra)
	if err != nil {
		return err
	}
	// The form on the careers page invites for it, and must not read anybody.
	_, _, err = m.access.CreateLimitedKey(ctx, m.account, "Karriereseite", access.KeyLimit{Scope: typus.ScopeInvite, OnePosition: true, PositionID: m.field}, m.petra)
	return err
}

// ownWords puts the account's own text in place of our invitation.
func (m *month) ownWords(ctx context.Context) error {
	return m.accounts.SetLetterTemplate(ctx, typus.LetterTemplate{
		AccountID: m.account, Kind: typus.LetterInvitation, Language: "de", Subject: "Ihr Fragebogen bei {account}",
		Body: "Guten Tag {name},\n\nvielen Dank für Ihr Interesse an einer Stelle im Vertrieb. Bevor wir uns kennenlernen, bitten wir Sie um etwa 15 bis 20 Minuten " +
			"für einen Fragebogen darüber, wie Sie arbeiten.\n\n{link}\n\nDer Link gilt bis zum {expires}. Sie können jederzeit unterbrechen und später weitermachen.\n\n" +
			"Freundliche Grüße\nPetra Maurer",
	}, m.lars, nil)
}

// office is a time at or after the given one at which people work; spread tells
// apart those who begin the day.
func office(at time.Time, spread int) time.Time {
	at = at.UTC()
	morning := at.Truncate(24 * hour).Add(7*hour + time.Duration(10+spread*7%50)*time.Minute)
	switch {
	case at.Hour() >= 17:
		at = morning.Add(24 * hour)
	case at.Before(morning):
		at = morning
	}
	for at.Weekday() == time.Saturday || at.Weekday() == time.Sunday {
		at = at.Truncate(24 * hour).Add(24*hour + morning.Sub(morning.Truncate(24*hour)))
	}
	return at
}
