package accounts

import (
	"context"
	"fmt"
	"net/http"

	"typus"
	"typus/internal/bounce"
	"typus/internal/clerk"
	"typus/internal/mail"
	"typus/internal/store"
)

// CheckMoved looks, within the transaction that has put an account of another server in, at
// what the operator alone sets: the plan, the limits, the host and the sender. Invalid names
// what Operate and SetSender would not have taken: whoever runs the other server may have
// written anything. NotFound.
func (s *Steps) CheckMoved(ctx context.Context, tx *store.Tx, accountID int64) error {
	a, err := tx.Account(ctx, accountID)
	if err != nil {
		return err
	}
	var f clerk.Faults
	f.When(!a.Plan.Valid(), "plan", "must be starter or business")
	checkLimits(&f, a)
	if name, _ := typus.HostName(a.Host); a.Host != name && a.Host != "" {
		f.Add("host", typus.CodeInvalid, wantedHost)
	} else if err := s.checkHost(ctx, tx, a); err != nil {
		return err
	}
	if err := s.checkSender(ctx, tx, &f, accountID); err != nil {
		return err
	}
	return f.Err()
}

// checkSender adds a fault for each field of a sender that SetSender would not have stored.
func (s *Steps) checkSender(ctx context.Context, tx *store.Tx, f *clerk.Faults, accountID int64) error {
	sender, found, err := tx.Sender(ctx, accountID)
	if err != nil || !found {
		return err
	}
	wire, fault := typus.Mailbox(sender.Address)
	if fault.Code != "" || wire != sender.Address {
		f.Add("from", typus.CodeInvalid, wantedFrom)
	}
	f.Remark("from", sender.Name)
	if _, err := bounce.NewMailbox(nil, sender.BounceAddress); err != nil && sender.BounceAddress != "" {
		f.Add("bounces", typus.CodeInvalid, wantedBounces)
	}
	key, err := mail.OpenDKIM(s.box, sender)
	if err != nil {
		return err
	}
	for _, fault := range key.Check() {
		f.Add(fault.Name, fault.Code, fault.Msg)
	}
	f.When(!key.Aligned(sender.Address), "domain", fmt.Sprintf(wantedDomain, sender.Address))
	return nil
}

// CheckLogo refuses a logo that is not what NewLogo keeps: a picture that it would take, of the
// type that it has, and under its own hash. Invalid; Unavailable: ctx has ended meanwhile.
func CheckLogo(ctx context.Context, l typus.Logo) error {
	if l.MediaType != http.DetectContentType(l.Body) || l.Hash != hashOf(l.Body) {
		return typus.Errorf(typus.Invalid, "the logo is not what its name and type say")
	}
	_, err := readLogo(ctx, l.Body)
	return err
}
