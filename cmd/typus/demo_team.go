package main

import (
	"context"
	"iter"

	"typus"
	"typus/internal/auth"
	"typus/internal/mail"
)

// demoOwner is who logs in to the demo's dashboard.
const demoOwner = "petra.muster@example.com"

// hire makes the team of the demo's account and returns the owner's password. The
// others have accepted an invitation or still have to.
func (m *month) hire(ctx context.Context) (string, error) {
	password, other := auth.NewToken()[:16], auth.NewToken()
	for _, u := range []struct {
		typus.User
		password *string
	}{
		{typus.User{Email: demoOwner, Name: "Petra Muster", Role: typus.RoleOwner}, &password},
		{typus.User{Email: "lars.beispiel@example.com", Name: "Lars Beispiel", Role: typus.RoleAdmin}, &other},
		{typus.User{Email: "nina.winter@example.com", Name: "Nina Winter", Role: typus.RoleMember}, &other},
		{typus.User{Email: "omar.sommer@example.com", Role: typus.RoleViewer}, nil},
	} {
		u.AccountID = m.account
		if _, _, err := m.steps.CreateUser(ctx, u.User, u.password, operator); err != nil {
			return "", err
		}
	}
	return password, nil
}

// mailbox takes the demo's letters; nobody reads them, and nothing leaves the
// machine.
type mailbox struct{}

// Send accepts every letter.
func (mailbox) Send(_ context.Context, msgs []mail.Message) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range msgs {
			if !yield(i, nil) {
				return
			}
		}
	}
}

// Rehearse takes a letter that somebody tries.
func (mailbox) Rehearse(context.Context, mail.Message) ([]string, error) {
	return []string{"250 2.0.0 taken by the demo, which sends nothing on"}, nil
}
