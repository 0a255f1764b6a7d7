package main

import (
	"context"
	"strings"

	"typus"
	"typus/internal/access"
	"typus/internal/auth"
)

// demoOwner is who logs in to the demo's dashboard.
const demoOwner = "petra.maurer@example.com"

// demoAddress is where the demo's team sits: a network for documentation (RFC 5737).
const demoAddress = "192.0.2.24"

// found makes the account and its owner.
func (m *month) found(ctx context.Context) error {
	var err error
	m.account, err = m.access.CreateAccount(ctx, typus.Account{Name: "Demo GmbH", ContactEmail: "personal@example.com", Language: "de", Zone: typus.FirstZone}, demoFirstCredits)
	if err != nil {
		return err
	}
	m.password = auth.NewToken()[:16]
	owner := typus.User{AccountID: m.account, Email: demoOwner, Name: "Petra Maurer", Role: typus.RoleOwner}
	id, _, err := m.access.CreateUser(ctx, owner, &m.password, operator)
	m.petra = typus.Actor{Name: demoOwner, UserID: id, IP: demoAddress}
	return err
}

// hire has Petra invite somebody to the team who accepts in the afternoon.
func (m *month) hire(ctx context.Context, into *typus.Actor, email, name string, role typus.UserRole) error {
	link, err := m.access.InviteUser(ctx, typus.User{AccountID: m.account, Email: email, Name: name, Role: role}, m.petra)
	if err != nil || into == nil {
		return err
	}
	m.plan(m.at.Add(3*hour), func(ctx context.Context) error {
		token := link[strings.LastIndexByte(link, '/')+1:]
		m.passwords[email] = auth.NewToken()[:16]
		in, err := m.access.SetPasswordByLink(ctx, token, name, m.passwords[email], access.Device{IP: demoAddress, Agent: "Firefox, Windows"})
		*into = typus.Actor{Name: email, UserID: in.User.ID, IP: demoAddress}
		return err
	})
	return nil
}

// logIn is a working day of Petra's.
func (m *month) logIn(ctx context.Context) error {
	in, err := m.access.LogIn(ctx, demoOwner, m.password, access.Device{IP: demoAddress, Agent: "Firefox, macOS"})
	if err != nil {
		return err
	}
	m.plan(m.at.Add(6*hour), func(ctx context.Context) error { return m.access.LogOut(ctx, in.Session, in.User) })
	return nil
}

// actor is somebody of the team.
func (m *month) actor(who string) typus.Actor {
	switch who {
	case byLars:
		return m.lars
	case byNina, byImport:
		return m.nina
	}
	return m.petra
}
