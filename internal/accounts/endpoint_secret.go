package accounts

import (
	"context"
	"time"

	"typus"
	"typus/internal/store"
	"typus/internal/webhook"
)

// addSecret stores a secret sealed for its row.
func (s *Steps) addSecret(ctx context.Context, tx *store.Tx, e typus.Endpoint, role typus.SecretRole, secret string, at time.Time) (int64, error) {
	return tx.AddSecret(ctx, e.AccountID, e.ID, role, s.box.KeyID(), at, func(secretID int64) ([]byte, error) {
		return s.box.Seal([]byte(secret), webhook.SecretAAD(secretID, e.ID)), nil
	})
}

// liveSecrets are the secrets of a locked endpoint that sign now. First it stores what
// has changed by time alone.
func (s *Steps) liveSecrets(ctx context.Context, tx *store.Tx, e typus.Endpoint, now time.Time) (map[typus.SecretRole]typus.WebhookSecret, error) {
	stored, err := tx.Secrets(ctx, e.AccountID, e.ID)
	if err != nil {
		return nil, err
	}
	live := typus.LiveSecrets(stored, now)
	for _, was := range stored {
		is, found := liveOne(live, was.ID)
		switch {
		case !found:
			err = tx.DropSecret(ctx, e.AccountID, e.ID, was.ID)
		case is.Role != was.Role:
			err = tx.SetSecret(ctx, e.AccountID, is)
		}
		if err != nil {
			return nil, err
		}
	}
	return live, nil
}

func liveOne(live map[typus.SecretRole]typus.WebhookSecret, id int64) (typus.WebhookSecret, bool) {
	for _, s := range live {
		if s.ID == id {
			return s, true
		}
	}
	return typus.WebhookSecret{}, false
}

// RotateSecret begins the change of a webhook's secret and returns the new one with its
// role, next. As after each step of a change, what waits is due at once, because the
// receiver may have refused it for its signature. The old secret stays the current one.
// Both sign until SwitchSecret, which happens by itself after typus.SecretOverlap. If
// the current secret can no longer be opened, because the server's key was changed, it
// is replaced at once, since it signs nothing. Conflict while a change is under way,
// with the time of its end, or if the form was sent before; NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) RotateSecret(ctx context.Context, accountID, id int64, by typus.Actor) (string, typus.SecretRole, error) {
	secret, role := webhook.NewSecret(), typus.SecretNext
	err := s.onEndpoint(ctx, accountID, id, typus.AuditWebhookSecretMade, by, func(tx *store.Tx, e typus.Endpoint, now time.Time) error {
		return s.clerk.Once(ctx, tx, accountID, by, func() (int64, error) {
			var err error
			if role, err = s.rotate(ctx, tx, e, secret, now); err != nil {
				return 0, err
			}
			return id, tx.DrainEndpoint(ctx, accountID, id)
		})
	})
	return secret, role, err
}

func (s *Steps) rotate(ctx context.Context, tx *store.Tx, e typus.Endpoint, secret string, now time.Time) (typus.SecretRole, error) {
	live, err := s.liveSecrets(ctx, tx, e, now)
	if err != nil {
		return "", err
	}
	if _, err := s.openSecret(live[typus.SecretCurrent]); err != nil {
		return typus.SecretCurrent, s.replaceSecrets(ctx, tx, e, live, secret, now)
	}
	if end := rotationEnd(live); !end.IsZero() {
		return "", typus.Errorf(typus.Conflict, "the secret is being changed already; the next change can begin at %s, or as soon as this one is ended by hand", end.Format(time.RFC3339))
	}
	next := typus.WebhookSecret{EndpointID: e.ID, Role: typus.SecretNext, ValidUntil: now.Add(typus.SecretOverlap)}
	if next.ID, err = s.addSecret(ctx, tx, e, typus.SecretNext, secret, now); err != nil {
		return "", err
	}
	return typus.SecretNext, tx.SetSecret(ctx, e.AccountID, next)
}

// rotationEnd is when a change that is under way ends by itself, zero without one.
func rotationEnd(live map[typus.SecretRole]typus.WebhookSecret) time.Time {
	if next, found := live[typus.SecretNext]; found {
		return next.ValidUntil.Add(typus.SecretOverlap)
	}
	return live[typus.SecretPrevious].ValidUntil
}

// replaceSecrets puts a secret in the place of all others.
func (s *Steps) replaceSecrets(ctx context.Context, tx *store.Tx, e typus.Endpoint, live map[typus.SecretRole]typus.WebhookSecret, secret string, now time.Time) error {
	for _, old := range live {
		if err := tx.DropSecret(ctx, e.AccountID, e.ID, old.ID); err != nil {
			return err
		}
	}
	_, err := s.addSecret(ctx, tx, e, typus.SecretCurrent, secret, now)
	return err
}

// SwitchSecret makes the next secret the current one. The one before it goes on signing
// beside it for typus.SecretOverlap. Conflict without a next one; NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) SwitchSecret(ctx context.Context, accountID, id int64, by typus.Actor) error {
	return s.onEndpoint(ctx, accountID, id, typus.AuditWebhookSecretSwitched, by, func(tx *store.Tx, e typus.Endpoint, now time.Time) error {
		live, err := s.liveSecrets(ctx, tx, e, now)
		if err != nil {
			return err
		}
		next, found := live[typus.SecretNext]
		if !found {
			return noRotation()
		}
		previous := live[typus.SecretCurrent]
		previous.Role, previous.ValidUntil = typus.SecretPrevious, now.Add(typus.SecretOverlap)
		next.Role, next.ValidUntil = typus.SecretCurrent, time.Time{}
		if err := tx.SetSecret(ctx, accountID, previous); err != nil {
			return err
		}
		if err := tx.SetSecret(ctx, accountID, next); err != nil {
			return err
		}
		return tx.DrainEndpoint(ctx, accountID, id)
	})
}

// EndRotation ends the change of a secret at once: before the switch the next
// one is dropped, after it the previous one. Conflict without a change; NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) EndRotation(ctx context.Context, accountID, id int64, by typus.Actor) error {
	return s.onEndpoint(ctx, accountID, id, typus.AuditWebhookSecretDropped, by, func(tx *store.Tx, e typus.Endpoint, now time.Time) error {
		live, err := s.liveSecrets(ctx, tx, e, now)
		if err != nil {
			return err
		}
		for _, role := range []typus.SecretRole{typus.SecretNext, typus.SecretPrevious} {
			if other, found := live[role]; found {
				if err := tx.DropSecret(ctx, accountID, id, other.ID); err != nil {
					return err
				}
				return tx.DrainEndpoint(ctx, accountID, id)
			}
		}
		return noRotation()
	})
}

func noRotation() error {
	return typus.Errorf(typus.Conflict, "the secret is not being changed")
}

// ShowSecrets opens the live secrets of a webhook for a person, and notes that
// in the audit log. One that cannot be opened is "". NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) ShowSecrets(ctx context.Context, accountID, id int64, by typus.Actor) (map[typus.SecretRole]string, error) {
	var shown map[typus.SecretRole]string
	err := s.onEndpoint(ctx, accountID, id, typus.AuditWebhookSecretShown, by, func(tx *store.Tx, e typus.Endpoint, now time.Time) error {
		live, err := s.liveSecrets(ctx, tx, e, now)
		if err != nil {
			return err
		}
		shown = map[typus.SecretRole]string{}
		for role, secret := range live {
			// The page says which secret cannot be opened, and what to do.
			shown[role], _ = s.openSecret(secret)
		}
		return nil
	})
	return shown, err
}

func (s *Steps) openSecret(secret typus.WebhookSecret) (string, error) {
	plain, err := s.box.Open(secret.Sealed, webhook.SecretAAD(secret.ID, secret.EndpointID))
	return string(plain), err
}
