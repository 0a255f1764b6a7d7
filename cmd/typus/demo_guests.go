package main

import (
	"context"
	"fmt"
	mathrand "math/rand/v2"
	"strings"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/notice"
	"typus/internal/store"
)

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
	if g.field {
		i.PositionID = m.field
	}
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
		out, err = m.steps.InviteByForm(ctx, store.WholeAccount(m.account), i, false, m.actor(g.by))
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
	id, err := m.steps.AddImport(ctx, store.WholeAccount(m.account), typus.Import{FileName: "messe-koeln.csv", SendEmail: true}, []byte(source), m.nina)
	if err != nil {
		return err
	}
	if err := m.steps.PreviewImport(ctx, store.WholeAccount(m.account), id, assess.List{Rows: rows}); err != nil {
		return err
	}
	m.plan(m.at.Add(4*time.Minute), func(ctx context.Context) error {
		if err := m.steps.StartImport(ctx, store.WholeAccount(m.account), id, m.nina); err != nil {
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
		if g.opened {
			m.plan(m.at.Add(thought), func(ctx context.Context) error { return m.take(ctx, n, c, token, 12+n, g) })
		}
	case refuses:
		m.plan(m.at.Add(thought), func(ctx context.Context) error { return m.steps.Decline(ctx, token) })
	case withdrawn:
		m.plan(m.at.Add(26*hour), func(ctx context.Context) error { return m.steps.Cancel(ctx, store.WholeAccount(m.account), c.ID, by) })
	}
	m.turn(g, c, token)
	if g.typo {
		m.plan(m.at.Add(50*time.Minute), func(ctx context.Context) error {
			_, email := fictitious(n)
			if err := m.steps.Correct(ctx, store.WholeAccount(m.account), c.ID, c.Name, email, by, nil); err != nil {
				return err
			}
			return m.steps.Resend(ctx, store.WholeAccount(m.account), c.ID, by)
		})
	}
	return m.tag(ctx, c, g.tags)
}

// turn plans what else came of an invitation.
func (m *month) turn(g guest, c typus.Candidate, token string) {
	switch g.turn {
	case asksAgain:
		m.on(1, 9, 55, func(ctx context.Context) error { return m.steps.RequestLink(ctx, token) })
	case extended:
		m.on(3, 8, 15, func(ctx context.Context) error {
			return m.steps.Extend(ctx, store.WholeAccount(m.account), c.ID, c.ExpiresAt.AddDate(0, 0, 21), m.nina, nil)
		})
	case unreminded:
		m.on(8, 18, 5, func(ctx context.Context) error { return m.steps.StopReminders(ctx, token) })
	case reminded:
		m.on(1, 8, 40, func(ctx context.Context) error {
			return m.steps.Remind(ctx, store.WholeAccount(m.account), c.ID, m.lars)
		})
	}
}

// take answers the first statements of the test, all of them at one sitting, and
// hands in where that is all.
func (m *month) take(ctx context.Context, n int, c typus.Candidate, token string, answers int, g guest) error {
	account, err := m.store.Account(ctx, m.account)
	if err != nil {
		return err
	}
	read := notice.For(c.Language, account)
	if err := m.steps.Begin(ctx, token, typus.Notice{Version: read.Version, Language: read.Language, At: m.at}, read.Stored); err != nil {
		return err
	}
	given := m.answers(uint64(n), g)[:answers]
	for _, one := range given {
		m.at = m.at.Add(time.Duration(one.ActiveMS+40) * time.Millisecond)
	}
	if _, err := m.steps.Answer(ctx, token, given); err != nil || answers < len(m.test.Items()) {
		return err
	}
	m.at = m.at.Add(5 * time.Second)
	if err := m.steps.Finish(ctx, token); err != nil {
		return err
	}
	m.read(n, c, g)
	return nil
}

// answers are all that a guest would give.
func (m *month) answers(seed uint64, g guest) []assess.Given {
	given := plausible(m.test, seed)
	for i, item := range m.test.Items() {
		if g.slips && item.Type == instrument.Instructed {
			given[i].Value = item.Expect%m.test.Points() + 1
		}
		if g.races {
			given[i].ActiveMS /= 8
		}
	}
	return given
}

// read plans that the team looks at a report and writes down what it thinks.
func (m *month) read(n int, c typus.Candidate, g guest) {
	next := office(m.at.Add(time.Duration(1+n%3)*hour), n)
	reader := m.actor([]string{byPetra, byNina, byPetra, byLars}[n%4])
	if g.talks {
		m.interview(c)
	} else if next.Before(m.now) && n%5 != 0 {
		m.plan(next, func(ctx context.Context) error {
			if m.blind && reader == m.nina {
				return nil // who rates first is shown no result
			}
			return m.steps.NoteView(ctx, store.WholeAccount(m.account), c.ID, reader)
		})
	}
	for i, note := range g.notes {
		at := office(next.Add(time.Duration(i*21)*hour), n+4)
		if !at.Before(m.now) {
			continue
		}
		m.plan(at, func(ctx context.Context) error {
			return m.steps.AddNote(ctx, store.WholeAccount(m.account), typus.Note{CandidateID: c.ID, Body: note.text}, m.actor(note.by))
		})
	}
}

// tag gives a candidate the tags of a guest.
func (m *month) tag(ctx context.Context, c typus.Candidate, tags string) error {
	if tags == "" {
		return nil
	}
	return m.store.InTx(ctx, func(tx *store.Tx) error {
		for tag := range strings.SplitSeq(tags, ", ") {
			if err := tx.TagCandidate(ctx, store.WholeAccount(m.account), c.ID, tag); err != nil {
				return err
			}
		}
		return nil
	})
}
