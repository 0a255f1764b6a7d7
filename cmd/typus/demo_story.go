package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"strings"
	"time"

	"typus"
	"typus/internal/assess"
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
	m.on(20, 13, 15, m.ownWords)
	m.on(14, 8, 20, func(ctx context.Context) error {
		_, err := m.steps.GrantCredits(ctx, m.account, demoMoreCredits, "Nachbestellung, Rechnung 2026-1042", operator)
		return err
	})
	m.on(10, 7, 50, func(ctx context.Context) error {
		return m.steps.ChangeAccount(ctx, m.account, m.petra, func(a *typus.Account) { a.Notify = typus.NotifyDaily })
	})
	m.on(5, 15, 40, func(ctx context.Context) error {
		return m.steps.NoteExport(ctx, m.account, "candidates.exported", "", m.petra)
	})
	m.on(2, 9, 20, func(ctx context.Context) error {
		return m.hire(ctx, nil, "omar.sommer@example.com", "Omar Sommer", typus.RoleViewer)
	})
	m.on(1, 7, 35, m.logIn)
	m.inviteAll()
}

// settle is what an owner sets first.
func (m *month) settle(ctx context.Context) error {
	return m.steps.ChangeAccount(ctx, m.account, m.petra, func(a *typus.Account) {
		a.KeepFinishedDays, a.KeepUnfinishedDays = 180, 90
		a.WelcomeDE = "Schön, dass Sie sich für eine Stelle in unserem Vertrieb interessieren. Mit diesem Fragebogen bereiten wir das Gespräch mit Ihnen vor. " +
			"Was Sie antworten, ersetzt kein Gespräch und entscheidet nicht für sich allein."
	})
}

// connect makes keys and a webhook, and plans what the CRM asks every day.
func (m *month) connect(ctx context.Context) error {
	id, key, err := m.steps.CreateKey(ctx, m.account, "CRM", m.petra)
	if err != nil {
		return err
	}
	m.key, m.keyID = key, id
	trial, _, err := m.steps.CreateKey(ctx, m.account, "Versuch mit n8n", m.petra)
	if err != nil {
		return err
	}
	m.on(18, 9, 30, func(ctx context.Context) error { return m.steps.RevokeKey(ctx, m.account, trial, m.lars) })
	if _, m.secret, err = m.steps.CreateEndpoint(ctx, m.account, m.hook, "Bewerbungen im CRM", m.petra); err != nil {
		return err
	}
	for ago := demoDays - 2; ago >= 1; ago-- {
		m.on(ago, 11, 25, func(ctx context.Context) error { return m.called(ctx, id, 30+ago*17%23) })
	}
	refuse := func(ago, minute int, key int64, r typus.Refusal) {
		m.on(ago, 10, minute, func(ctx context.Context) error {
			r.RequestID = rand.Text()
			return m.called(ctx, key, 0, r)
		})
	}
	const invites, one = "/api/v1/invites", "/api/v1/candidates/{id}"
	wrong := typus.Refusal{Method: "POST", Route: invites, Status: 400, Code: "invalid_input"}
	unknown := typus.Refusal{Method: "GET", Route: one, Status: 404, Code: "not_found"}
	for minute := range 4 {
		refuse(demoDays-2, 10+3*minute, trial, wrong)
	}
	refuse(25, 12, trial, typus.Refusal{Method: "PUT", Route: invites, Status: 405, Code: "method_not_allowed"})
	refuse(22, 31, id, unknown)
	refuse(16, 44, id, unknown)
	refuse(15, 7, id, typus.Refusal{Method: "POST", Route: invites, Status: 409, Code: "conflict"})
	for minute := range 3 {
		refuse(12, 50+minute, id, typus.Refusal{Method: "GET", Route: "/api/v1/candidates", Status: 429, Code: "rate_limited"})
	}
	refuse(6, 21, id, wrong)
	refuse(3, 2, id, unknown)
	refuse(1, 36, id, wrong)
	return nil
}

// ownWords puts the account's own text in place of our invitation.
func (m *month) ownWords(ctx context.Context) error {
	return m.steps.SetLetterTemplate(ctx, typus.LetterTemplate{
		AccountID: m.account, Kind: typus.LetterInvitation, Language: "de", Subject: "Ihr Fragebogen bei {account}",
		Body: "Guten Tag {name},\n\nvielen Dank für Ihr Interesse an einer Stelle im Vertrieb. Bevor wir uns kennenlernen, bitten wir Sie um 10 bis 15 Minuten " +
			"für einen Fragebogen darüber, wie Sie arbeiten.\n\n{link}\n\nDer Link gilt bis zum {expires}. Sie können jederzeit unterbrechen und später weitermachen.\n\n" +
			"Freundliche Grüße\nPetra Muster",
	}, m.lars)
}

// inviteAll plans the invitations, those by import together.
func (m *month) inviteAll() {
	var list []int
	for n, g := range guests {
		switch {
		case g.by == byImport:
			list = append(list, n)
		case g.day == 0:
			m.plan(m.now.Add(-6*hour), func(ctx context.Context) error { return m.invite(ctx, n, g) })
		default:
			m.on(g.day, 7+n*5%9, n*23%60, func(ctx context.Context) error { return m.invite(ctx, n, g) })
		}
	}
	m.on(guests[list[0]].day, 14, 12, func(ctx context.Context) error { return m.importList(ctx, list) })
}

// invite invites one person and plans what they do.
func (m *month) invite(ctx context.Context, n int, g guest) error {
	name, email := fictitious(n)
	i := assess.Invitation{Name: name, Email: email, SendEmail: true}
	if g.typo {
		i.Email = strings.Replace(email, "@", "x@", 1)
	}
	m.letters.unknown[i.Email], m.letters.slow[i.Email] = g.typo || g.lost, g.slow
	var (
		out assess.Invited
		err error
	)
	if g.by == byAPI {
		i.ExternalID = fmt.Sprintf("crm-%d", 1001+n)
		if out, _, err = m.steps.Invite(ctx, m.account, i, nil); err == nil {
			err = m.called(ctx, m.keyID, 1)
		}
	} else {
		out, err = m.steps.InviteByForm(ctx, m.account, i, false, m.actor(g.by))
	}
	if err != nil {
		return err
	}
	return m.follow(ctx, n, g, out.Candidate)
}

// importList invites the people of a file, in which two lines were no good.
func (m *month) importList(ctx context.Context, list []int) error {
	var rows []typus.ImportRow
	for i, n := range list {
		name, email := fictitious(n)
		rows = append(rows, typus.ImportRow{N: i + 2, Name: name, Email: email, ExternalID: fmt.Sprintf("messe-%02d", i+1)})
	}
	name, email := fictitious(list[3])
	rows = append(rows,
		typus.ImportRow{N: len(list) + 2, Name: "Kim Beispiel", Email: "kim.beispiel@example"},
		typus.ImportRow{N: len(list) + 3, Name: name, Email: email})
	source := "Name;E-Mail;external_id\n"
	for _, r := range rows {
		source += r.Name + ";" + r.Email + ";" + r.ExternalID + "\n"
	}
	id, err := m.steps.AddImport(ctx, typus.Import{AccountID: m.account, FileName: "messe-koeln.csv", SendEmail: true}, []byte(source), m.nina)
	if err != nil {
		return err
	}
	if err := m.steps.PreviewImport(ctx, m.account, id, rows, 0, nil); err != nil {
		return err
	}
	m.plan(m.at.Add(4*time.Minute), func(ctx context.Context) error {
		if err := m.steps.StartImport(ctx, m.account, id, m.nina); err != nil {
			return err
		}
		if err := m.steps.RunImports(ctx, "demo"); err != nil {
			return err
		}
		invited, err := m.store.ImportRows(ctx, m.account, id, typus.RowInvited, 0, len(list))
		if err != nil {
			return err
		}
		for i, r := range invited {
			c, err := m.store.Candidate(ctx, m.account, r.CandidateID)
			if err != nil {
				return err
			}
			g := guests[list[i]]
			g.tags = strings.TrimPrefix(g.tags+", Messe Köln", ", ")
			if err := m.follow(ctx, list[i], g, c); err != nil {
				return err
			}
		}
		return nil
	})
	return nil
}

// follow plans what an invited person does, and the team because of it.
func (m *month) follow(ctx context.Context, n int, g guest, c typus.Candidate) error {
	token, err := m.steps.Token(c)
	if err != nil {
		return err
	}
	random := mathrand.New(mathrand.NewPCG(uint64(n), 7))
	room := m.now.Sub(m.at)
	thought := min(20*time.Minute+time.Duration(random.Float64()*random.Float64()*80*float64(hour)), room/2)
	by := m.actor(g.by)
	switch g.fate {
	case finishes:
		m.plan(m.at.Add(thought), func(ctx context.Context) error { return m.take(ctx, n, c, token, len(m.test.Items()), g) })
	case begins:
		m.plan(m.at.Add(thought), func(ctx context.Context) error { return m.take(ctx, n, c, token, 30+n*7%50, g) })
	case runsOut:
		if n%3 == 0 {
			m.plan(m.at.Add(thought), func(ctx context.Context) error { return m.take(ctx, n, c, token, 12+n, g) })
		}
		if n == 5 {
			m.on(1, 9, 55, func(ctx context.Context) error { return m.steps.RequestLink(ctx, token) })
		}
	case refuses:
		m.plan(m.at.Add(thought), func(ctx context.Context) error { return m.steps.Decline(ctx, token) })
	case withdrawn:
		m.plan(m.at.Add(26*hour), func(ctx context.Context) error { return m.steps.Cancel(ctx, m.account, c.ID, by) })
	case waits:
		m.waiting(n, c, token)
	}
	if g.typo {
		m.plan(m.at.Add(50*time.Minute), func(ctx context.Context) error {
			_, email := fictitious(n)
			if err := m.steps.Correct(ctx, m.account, c.ID, c.Name, email, by); err != nil {
				return err
			}
			return m.steps.Resend(ctx, m.account, c.ID, by)
		})
	}
	return m.tag(ctx, c, g.tags)
}

// waiting is what happened to some of those who have not begun.
func (m *month) waiting(n int, c typus.Candidate, token string) {
	switch n {
	case 23: // the end of the invitation was near
		m.on(3, 8, 15, func(ctx context.Context) error {
			return m.steps.Extend(ctx, m.account, c.ID, c.ExpiresAt.AddDate(0, 0, 21), m.nina)
		})
	case 35:
		m.on(8, 18, 5, func(ctx context.Context) error { return m.steps.StopReminders(ctx, token) })
	case 43:
		m.on(1, 8, 40, func(ctx context.Context) error { return m.steps.Remind(ctx, m.account, c.ID, m.lars) })
	}
}

// take answers the first statements of the test, all of them at one sitting, and
// hands in where that is all.
func (m *month) take(ctx context.Context, n int, c typus.Candidate, token string, answers int, g guest) error {
	notice := typus.Notice{Version: "demo", Language: "de", At: m.at}
	if err := m.steps.Begin(ctx, token, notice, "Vergangenheit der Demo; niemand hat diesen Hinweis gelesen."); err != nil {
		return err
	}
	given := plausible(m.test, uint64(n))[:answers]
	for _, one := range given {
		m.at = m.at.Add(time.Duration(one.ActiveMS+40) * time.Millisecond)
	}
	if _, err := m.steps.Answer(ctx, token, given); err != nil || answers < len(m.test.Items()) {
		return err
	}
	m.at = m.at.Add(5 * time.Second)
	if err := m.steps.Finish(m.past(ctx), token); err != nil {
		return err
	}
	m.read(n, c, g)
	return nil
}

// read plans that the team looks at a report and writes down what it thinks.
func (m *month) read(n int, c typus.Candidate, g guest) {
	next := office(m.at.Add(time.Duration(1+n%3)*hour), n)
	reader := m.actor([]string{byPetra, byNina, byPetra, byLars}[n%4])
	if next.Before(m.now) && n%5 != 0 {
		m.plan(next, func(ctx context.Context) error { return m.steps.NoteView(ctx, m.account, c.ID, reader) })
	}
	for i, note := range g.notes {
		at := office(next.Add(time.Duration(i*21)*hour), n+4)
		if !at.Before(m.now) {
			continue
		}
		m.plan(at, func(ctx context.Context) error {
			by := m.actor(note.by)
			return m.store.InTx(ctx, func(tx *store.Tx) error {
				_, err := tx.AddNote(ctx, typus.Note{
					AccountID: m.account, CandidateID: c.ID, UserID: by.UserID, Author: by.Name, Body: note.text, CreatedAt: m.at,
				})
				return err
			})
		})
	}
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

func (m *month) tag(ctx context.Context, c typus.Candidate, tags string) error {
	if tags == "" {
		return nil
	}
	return m.store.InTx(ctx, func(tx *store.Tx) error {
		var err error
		for tag := range strings.SplitSeq(tags, ", ") {
			err = errors.Join(err, tx.TagCandidate(ctx, m.account, c.ID, tag))
		}
		return err
	})
}
