package assess

import (
	"context"
	"fmt"
	neturl "net/url"
	"strings"

	"typus"
	"typus/internal/store"
	"typus/internal/webhook"
)

// maxEndpoints bounds the webhooks of one account (our choice).
const maxEndpoints = 10

// CreateEndpoint adds a webhook and returns its secret, which signs all
// deliveries to it. Invalid when the guard refuses the address or the description
// is over-long; Conflict when the account has ten endpoints already; NotFound for
// the account.
func (s *Steps) CreateEndpoint(ctx context.Context, accountID int64, url, description, actor string) (int64, string, error) {
	description = strings.TrimSpace(description)
	var f faults
	if f.remark("description", description); f.err() != nil {
		return 0, "", f.err()
	}
	url, err := s.guard.CheckURL(url)
	if err != nil {
		return 0, "", err
	}
	secret := webhook.NewSecret()
	var id int64
	err = s.store.InTx(ctx, func(tx *store.Tx) error {
		e := typus.Endpoint{AccountID: accountID, URL: url, Description: description, Status: typus.EndpointActive, CreatedAt: s.now()}
		var err error
		id, err = s.addEndpoint(ctx, tx, e, secret, actor)
		return err
	})
	return id, secret, err
}

func (s *Steps) addEndpoint(ctx context.Context, tx *store.Tx, e typus.Endpoint, secret, actor string) (int64, error) {
	if _, err := tx.LockAccount(ctx, e.AccountID); err != nil {
		return 0, err
	}
	others, err := tx.Endpoints(ctx, e.AccountID)
	if err != nil {
		return 0, err
	}
	if len(others) >= maxEndpoints {
		return 0, typus.Errorf(typus.Conflict, "an account has at most %d webhooks; delete one first", maxEndpoints)
	}
	id, err := tx.AddEndpoint(ctx, e)
	if err != nil {
		return 0, err
	}
	_, err = tx.AddSecret(ctx, e.AccountID, id, typus.SecretCurrent, s.box.KeyID(), e.CreatedAt, func(secretID int64) ([]byte, error) {
		return s.box.Seal([]byte(secret), webhook.SecretAAD(secretID, id)), nil
	})
	if err != nil {
		return 0, err
	}
	return id, tx.AddAudit(ctx, typus.AuditEntry{
		AccountID: e.AccountID, Actor: actor, Action: "webhook.created", Detail: endpointDetail(id, e.URL), CreatedAt: e.CreatedAt,
	})
}

// DeleteEndpoint ends a webhook and cancels what was still to be delivered to
// it. NotFound.
func (s *Steps) DeleteEndpoint(ctx context.Context, accountID, id int64, actor string) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		e, err := tx.Endpoint(ctx, accountID, id)
		if err != nil {
			return err
		}
		now := s.now()
		if err := tx.SetEndpointStatus(ctx, accountID, id, typus.EndpointDeleted, "", now); err != nil {
			return err
		}
		return tx.AddAudit(ctx, typus.AuditEntry{
			AccountID: accountID, Actor: actor, Action: "webhook.deleted", Detail: endpointDetail(id, e.URL), CreatedAt: now,
		})
	})
}

// endpointDetail names an endpoint for the audit log, which is never erased:
// paths and queries of webhook addresses often hold a secret.
func endpointDetail(id int64, address string) string {
	host := ""
	if u, err := neturl.Parse(address); err == nil {
		host = u.Host
	}
	return fmt.Sprintf("%d %s", id, host)
}
