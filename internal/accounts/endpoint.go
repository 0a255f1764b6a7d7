package accounts

import (
	"context"
	"errors"
	"time"

	"typus"
	"typus/internal/clerk"
	"typus/internal/store"
	"typus/internal/webhook"
)

const (
	// MaxEndpoints bounds the webhooks of one account (our choice).
	MaxEndpoints = 10
	// reopenAfter is how long an endpoint stays off at least after the server has
	// switched it off, so that nobody can speed up attempts by switching it on.
	reopenAfter = time.Minute
)

// CreateEndpoint is AddEndpoint without a header of its own.
func (s *Steps) CreateEndpoint(ctx context.Context, accountID int64, url, description string, by typus.Actor) (int64, string, error) {
	return s.AddEndpoint(ctx, accountID, EndpointForm{URL: url, Description: description}, by)
}

// AddEndpoint adds a webhook and returns its secret, which signs all deliveries to it.
// Invalid names every wrong field; what the guard refuses has its webhook.Refusal as
// cause. Conflict when the account has MaxEndpoints already, or the form was sent before;
// NotFound for the account.
//
// Who may: the face lets admins only.
func (s *Steps) AddEndpoint(ctx context.Context, accountID int64, form EndpointForm, by typus.Actor) (int64, string, error) {
	form, err := s.checkEndpoint(form, webhook.Header{})
	if err != nil {
		return 0, "", err
	}
	secret := webhook.NewSecret()
	var id int64
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		e := typus.Endpoint{AccountID: accountID, URL: form.URL, Description: form.Description, Status: typus.EndpointActive, CreatedAt: s.now()}
		return s.clerk.Once(ctx, tx, accountID, by, func() (int64, error) {
			var err error
			if id, err = s.addEndpoint(ctx, tx, e, secret, by); err != nil || form.Header == (webhook.Header{}) {
				return id, err
			}
			return id, tx.SetStaticHeader(ctx, accountID, id, s.sealHeader(id, form.Header))
		})
	})
	return id, secret, err
}

// checkEndpoint returns what was typed in its canonical form. kept is the header that is
// stored, as far as it can be opened.
func (s *Steps) checkEndpoint(form EndpointForm, kept webhook.Header) (EndpointForm, error) {
	form = form.trimmed()
	var f clerk.Faults
	f.Remark("description", form.Description)
	s.checkHeader(&f, &form, kept)
	url, err := s.guard.CheckURL(form.URL)
	form.URL = url
	if err == nil {
		err = f.Err()
	} else if refused, ok := errors.AsType[*typus.Error](err); ok && f.Err() != nil {
		refused.Fields = append(refused.Fields, f...)
	}
	return form, err
}

func (s *Steps) addEndpoint(ctx context.Context, tx *store.Tx, e typus.Endpoint, secret string, by typus.Actor) (int64, error) {
	account, err := tx.LockAccount(ctx, e.AccountID)
	if err == nil {
		err = account.Open()
	}
	if err != nil {
		return 0, err
	}
	others, err := tx.Endpoints(ctx, e.AccountID)
	if err != nil {
		return 0, err
	}
	if len(others) >= MaxEndpoints {
		return 0, typus.Errorf(typus.Conflict, "an account has at most %d webhooks; delete one first", MaxEndpoints)
	}
	if e.ID, err = tx.AddEndpoint(ctx, e); err != nil {
		return 0, err
	}
	if _, err := s.addSecret(ctx, tx, e, typus.SecretCurrent, secret, e.CreatedAt); err != nil {
		return 0, err
	}
	return e.ID, s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: e.AccountID, Action: typus.AuditWebhookCreated, Detail: e.Trace()})
}

// onEndpoint locks an endpoint, does something with it, and writes a line into the
// audit log. NotFound, and the errors of do.
func (s *Steps) onEndpoint(ctx context.Context, accountID, id int64, action typus.AuditAction, by typus.Actor, do func(tx *store.Tx, e typus.Endpoint, now time.Time) error) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		e, err := tx.LockEndpoint(ctx, accountID, id)
		if err != nil {
			return err
		}
		now := s.now()
		if err := do(tx, e, now); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: action, Detail: e.Trace()})
	})
}

// EditEndpoint changes the address, the description and the own header of a webhook. After
// a change of address or header, what waits is due at once. agreed is asked, perhaps more than
// once, about the webhook as stored at that moment, and nothing changes unless it agrees.
// Invalid as for AddEndpoint, and if the webhook moves to another host and its header was not
// typed again: nobody else is told it by mistake. NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) EditEndpoint(ctx context.Context, accountID, id int64, form EndpointForm, by typus.Actor, agreed func(now typus.Endpoint) bool) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		e, err := tx.LockEndpoint(ctx, accountID, id)
		if err != nil {
			return err
		}
		kept, _ := s.OwnHeader(e) // one that is lost can be replaced or removed
		form, err := s.checkEndpoint(form, kept)
		if err != nil || !agreed(e) {
			return err
		}
		if err := form.follows(e); err != nil {
			return err
		}
		if err := s.changeEndpoint(ctx, tx, e, form); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: typus.AuditWebhookChanged, Detail: e.Trace()})
	})
}

// changeEndpoint stores a form that was checked for a locked endpoint.
func (s *Steps) changeEndpoint(ctx context.Context, tx *store.Tx, e typus.Endpoint, form EndpointForm) error {
	err := tx.SetEndpointAddress(ctx, e.AccountID, e.ID, form.URL, form.Description)
	if err != nil || !form.changesHeader() {
		return err
	}
	if err := tx.SetStaticHeader(ctx, e.AccountID, e.ID, s.sealHeader(e.ID, form.Header)); err != nil {
		return err
	}
	return tx.DrainEndpoint(ctx, e.AccountID, e.ID)
}

// PauseEndpoint stops deliveries to a webhook until it is resumed; they are held
// meanwhile. Conflict when it is off already; NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) PauseEndpoint(ctx context.Context, accountID, id int64, by typus.Actor) error {
	return s.onEndpoint(ctx, accountID, id, typus.AuditWebhookPaused, by, func(tx *store.Tx, e typus.Endpoint, now time.Time) error {
		if !e.On() {
			return typus.Errorf(typus.Conflict, "the webhook is off already")
		}
		return tx.SetEndpointStatus(ctx, accountID, id, typus.EndpointPaused, "", now)
	})
}

// ResumeEndpoint switches a webhook on again, whatever switched it off. It is tried
// with a test event first, and gets one delivery at a time until something arrives.
// With send, what was held follows; otherwise it is dropped. The result says whether
// the test event goes out: after 5 in a minute it does not, and the next delivery is
// the try. Conflict if the webhook is on, or was switched off by the server less than a
// minute ago; NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) ResumeEndpoint(ctx context.Context, accountID, id int64, send bool, by typus.Actor) (bool, error) {
	tested := false
	err := s.store.InTx(ctx, func(tx *store.Tx) error {
		e, err := tx.LockEndpoint(ctx, accountID, id)
		if err != nil {
			return err
		}
		account, err := tx.LockAccount(ctx, accountID) // makes the limit of tests exact
		if err != nil {
			return err
		}
		now := s.now()
		if err := mayReopen(e, now); err != nil {
			return err
		}
		if err := tx.ReopenEndpoint(ctx, accountID, id, now, !send); err != nil {
			return err
		}
		if tested, err = s.probe(ctx, tx, account, id, now); err != nil {
			return err
		}
		return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: typus.AuditWebhookResumed, Detail: e.Trace()})
	})
	return tested, err
}

// mayReopen returns Conflict if a webhook is on, or was switched off by the server a
// moment ago.
func mayReopen(e typus.Endpoint, now time.Time) error {
	if e.On() {
		return typus.Errorf(typus.Conflict, "the webhook is on already")
	}
	wait := typus.Ahead(e.StatusChangedAt.Add(reopenAfter), now, reopenAfter)
	if e.Status != typus.EndpointPaused && wait > 0 {
		return typus.Errorf(typus.Conflict, "the webhook was switched off less than a minute ago; try again in %d seconds", int((wait+time.Second-1)/time.Second))
	}
	return nil
}

// probe sends a test event to a webhook that was switched on, if the account may have
// one more, and reports whether it did.
func (s *Steps) probe(ctx context.Context, tx *store.Tx, account typus.Account, id int64, now time.Time) (bool, error) {
	err := s.mayTest(ctx, tx, account.ID, now)
	if typus.Is(err, typus.TooMany) {
		return false, nil
	}
	if err == nil {
		err = s.addTest(ctx, tx, account, id, webhook.TestCandidate.ExternalID, webhook.NewDeliveryID(now), now)
	}
	return true, err
}

// DeleteEndpoint ends a webhook and cancels what was still to be delivered to
// it. NotFound.
//
// Who may: the face lets admins only.
func (s *Steps) DeleteEndpoint(ctx context.Context, accountID, id int64, by typus.Actor) error {
	return s.onEndpoint(ctx, accountID, id, typus.AuditWebhookDeleted, by, func(tx *store.Tx, _ typus.Endpoint, now time.Time) error {
		if err := tx.SetStaticHeader(ctx, accountID, id, nil); err != nil {
			return err
		}
		return tx.SetEndpointStatus(ctx, accountID, id, typus.EndpointDeleted, "", now)
	})
}
