package accounts

import (
	"context"
	"fmt"
	"strings"

	"typus"
	"typus/internal/bounce"
	"typus/internal/clerk"
	"typus/internal/mail"
	"typus/internal/store"
)

// SenderForm is what an operator says of the sender of an account. What is nil stays as it is.
type SenderForm struct {
	From          *string // address, with or without a name before it
	BounceAddress *string // mailbox to which reports come; "" for the server's
	// DKIM is the key that signs; without a domain for that of the sender, without a key for
	// the stored one of that selector and domain or else a new one, zero for the server's.
	DKIM *mail.DKIM
}

// Sender reads in whose name the letters of an account go out, with its key, the zero value for
// none. False: in the server's. NotFound; Internal: the key cannot be opened.
func (s *Steps) Sender(ctx context.Context, accountID int64) (typus.Sender, mail.DKIM, bool, error) {
	if _, err := s.store.Account(ctx, accountID); err != nil {
		return typus.Sender{}, mail.DKIM{}, false, err
	}
	stored, found, err := s.store.Sender(ctx, accountID)
	if err != nil || !found {
		return stored, mail.DKIM{}, false, err
	}
	key, err := mail.OpenDKIM(s.box, stored)
	return stored, key, true, err
}

// SetSender lets the letters of an account go out in a name of its own, or changes that.
// Invalid names every wrong field: no sender is given yet, the address or the key cannot be
// used, or the domain of the key is not that of the sender, so that receivers would not count
// its signature. NotFound; Forbidden for a test world, whose letters are not sent.
//
// Who may: whoever runs the server, whose mail server has to send for that address.
func (s *Steps) SetSender(ctx context.Context, accountID int64, by typus.Actor, form SenderForm) error {
	made := ""
	if form.DKIM != nil && form.DKIM.Selector != "" && form.DKIM.Key == "" {
		var err error
		if made, err = mail.NewKey(); err != nil { // takes a while, so not inside the transaction
			return err
		}
	}
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := lockItself(ctx, tx, accountID); err != nil {
			return err
		}
		was, _, err := tx.Sender(ctx, accountID)
		if err != nil {
			return err
		}
		now := was
		now.AccountID = accountID
		if err := s.fill(&now, form, made); err != nil {
			return err
		}
		if changes := changedSender(was, now); len(changes) > 0 {
			if err := tx.SetSender(ctx, now); err != nil {
				return err
			}
			return s.auditSender(ctx, tx, accountID, by, strings.Join(changes, ", "))
		}
		return nil
	})
}

// DropSender lets the letters of an account go out in the server's name again, and forgets its
// key. NotFound; Forbidden for a test world.
func (s *Steps) DropSender(ctx context.Context, accountID int64, by typus.Actor) error {
	return s.store.InTx(ctx, func(tx *store.Tx) error {
		if err := lockItself(ctx, tx, accountID); err != nil {
			return err
		}
		_, found, err := tx.Sender(ctx, accountID)
		if err != nil || !found {
			return err
		}
		if err := tx.DropSender(ctx, accountID); err != nil {
			return err
		}
		return s.auditSender(ctx, tx, accountID, by, "sender removed")
	})
}

func lockItself(ctx context.Context, tx *store.Tx, accountID int64) error {
	a, err := tx.LockAccount(ctx, accountID)
	if err != nil {
		return err
	}
	return a.Itself()
}

func (s *Steps) auditSender(ctx context.Context, tx *store.Tx, accountID int64, by typus.Actor, detail string) error {
	return s.clerk.Audit(ctx, tx, by, typus.AuditEntry{AccountID: accountID, Action: typus.AuditAccountChanged, Detail: detail})
}

// fill puts what the form says into a sender and seals its key. made is a new key, where one
// may be needed.
func (s *Steps) fill(now *typus.Sender, form SenderForm, made string) error {
	var f clerk.Faults
	switch {
	case form.From != nil:
		fillFrom(&f, now, *form.From)
	case now.Address == "":
		f.Add("from", typus.CodeRequired, wantedFrom)
	}
	if form.BounceAddress != nil {
		now.BounceAddress, _ = typus.Mailbox(typus.TypedAddress(*form.BounceAddress)) // on the wire
		if _, err := bounce.NewMailbox(nil, now.BounceAddress); err != nil && *form.BounceAddress != "" {
			f.Add("bounces", typus.CodeInvalid, wantedBounces)
		}
	}
	key, err := mail.OpenDKIM(s.box, *now)
	if err != nil && form.DKIM == nil {
		return err
	}
	stored := key
	if form.DKIM != nil {
		key = chosenKey(*now, *form.DKIM, stored, made)
	}
	for _, fault := range key.Check() {
		f.Add(fault.Name, fault.Code, fault.Msg)
	}
	if len(f) > 0 {
		return f.Err()
	}
	f.When(!key.Aligned(now.Address), "domain",
		fmt.Sprintf(wantedDomain, now.Address))
	if key != stored {
		now.DKIMDomain, now.DKIMSelector, now.SealedKey = key.Domain, key.Selector, nil
		if key.Key != "" {
			now.SealedKey = s.box.Seal([]byte(key.Key), now.KeyAAD())
		}
	}
	return f.Err()
}

// chosenKey is the key that a form asks for, with its domain.
func chosenKey(now typus.Sender, form, stored mail.DKIM, made string) mail.DKIM {
	if form == (mail.DKIM{}) {
		return form
	}
	if form.Domain == "" {
		_, form.Domain, _ = strings.Cut(now.Address, "@")
	}
	form = form.OnWire()
	switch {
	case form.Key != "":
	case stored.Key != "" && form.Domain == stored.Domain && form.Selector == stored.Selector:
		form.Key = stored.Key
	default:
		form.Key = made
	}
	return form
}

// What a sender must be, as a fault of its form says it.
const (
	wantedFrom    = "must be an address such as Muster GmbH <tests@example.com>"
	wantedBounces = "must be an address such as bounces@example.com, without a plus sign and with at most 20 characters before the @"
	wantedDomain  = "must be the domain of %s, or one above or below it: receivers count no other signature (DMARC)"
)

func fillFrom(f *clerk.Faults, now *typus.Sender, typed string) {
	address, name := strings.TrimSpace(typed), ""
	if at := strings.LastIndexByte(address, '<'); at >= 0 && strings.HasSuffix(address, ">") {
		address, name = address[at+1:len(address)-1], strings.Trim(strings.TrimSpace(address[:at]), `"`)
	}
	wire, fault := typus.Mailbox(typus.TypedAddress(address))
	if fault.Code != "" {
		f.Add("from", typus.CodeInvalid, wantedFrom)
		return
	}
	now.Address, now.Name = wire, typus.TypedName(name)
	f.Remark("from", now.Name)
}

// changedSender says what differs, for the audit log, which is never erased and holds no
// address.
func changedSender(was, now typus.Sender) []string {
	var list []string
	for _, c := range []struct {
		name    string
		changed bool
	}{
		{"sender", was.Address != now.Address || was.Name != now.Name},
		{"bounce_address", was.BounceAddress != now.BounceAddress},
		{"dkim", was.DKIMDomain != now.DKIMDomain || was.DKIMSelector != now.DKIMSelector || string(was.SealedKey) != string(now.SealedKey)},
	} {
		if c.changed {
			list = append(list, c.name)
		}
	}
	return list
}
