package main

import (
	"context"
	"crypto/rand"

	"typus"
	"typus/internal/store"
)

// connect makes keys and a webhook, and plans what the CRM asks every day.
func (m *month) connect(ctx context.Context) error {
	id, key, err := m.access.CreateKey(ctx, m.account, "CRM", m.petra)
	if err != nil {
		return err
	}
	m.key, m.keyID = key, id
	trial, _, err := m.access.CreateKey(ctx, m.account, "Versuch mit n8n", m.petra)
	if err != nil {
		return err
	}
	m.on(18, 9, 30, func(ctx context.Context) error { return m.access.RevokeKey(ctx, m.account, trial, m.lars) })
	if _, m.secret, err = m.accounts.CreateEndpoint(ctx, m.account, m.hook, "Bewerbungen im CRM", m.petra); err != nil {
		return err
	}
	for ago := demoDays - 2; ago >= 1; ago-- {
		m.on(ago, 11, 25, func(ctx context.Context) error { return m.called(ctx, id, 30+ago*17%23) })
	}
	refuse := func(ago, minute int, key int64, r typus.RefusedCall) {
		m.on(ago, 10, minute, func(ctx context.Context) error {
			r.RequestID = rand.Text()
			return m.called(ctx, key, 0, r)
		})
	}
	const invites, one = "/api/v1/invites", "/api/v1/candidates/{id}"
	wrong := typus.RefusedCall{Method: "POST", Route: invites, Status: 400, Code: "invalid_input"}
	unknown := typus.RefusedCall{Method: "GET", Route: one, Status: 404, Code: "not_found"}
	for minute := range 4 {
		refuse(demoDays-2, 10+3*minute, trial, wrong)
	}
	refuse(25, 12, trial, typus.RefusedCall{Method: "PUT", Route: invites, Status: 405, Code: "method_not_allowed"})
	refuse(22, 31, id, unknown)
	refuse(16, 44, id, unknown)
	refuse(15, 7, id, typus.RefusedCall{Method: "POST", Route: invites, Status: 409, Code: "conflict"})
	for minute := range 3 {
		refuse(12, 50+minute, id, typus.RefusedCall{Method: "GET", Route: "/api/v1/candidates", Status: 429, Code: "rate_limited"})
	}
	refuse(6, 21, id, wrong)
	refuse(3, 2, id, unknown)
	refuse(1, 36, id, wrong)
	return nil
}

// called counts a call of the API in the past; a refused one is logged too.
func (m *month) called(ctx context.Context, keyID int64, answered int, refused ...typus.RefusedCall) error {
	return m.store.InTx(ctx, func(tx *store.Tx) error {
		calls := typus.Calls{AccountID: m.account, KeyID: keyID, Day: store.Day(m.at), Answered: answered, Refused: len(refused)}
		if err := tx.AddCalls(ctx, []typus.Calls{calls}); err != nil {
			return err
		}
		for i := range refused {
			refused[i].AccountID, refused[i].KeyID, refused[i].At = m.account, keyID, m.at
		}
		if err := tx.AddRefusedCalls(ctx, refused); err != nil {
			return err
		}
		return tx.TouchAPIKey(ctx, m.account, keyID, m.at)
	})
}
