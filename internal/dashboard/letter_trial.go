package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"typus/internal/auth"
	"typus/internal/mail"
)

// Rehearser hands one letter to the mail server and tells what was said;
// mail.SMTP is one.
type Rehearser interface {
	Rehearse(ctx context.Context, m mail.Message) ([]string, error)
}

// trialWithin bounds a letter that somebody waits for.
const trialWithin = 30 * time.Second

// sendTrial sends a letter to the user who asks for it. It does not use the outbox,
// because the user wants to see the answer of the mail server.
func (f *face) sendTrial(v *visit) error {
	if f.Rehearser == nil {
		return f.undone(v, lettersPath, f.say(v, "letters.trial.noServer"))
	}
	if err := f.Accounts.NoteTrial(v.Context(), v.User, v.actor()); err != nil {
		_, said, err := f.denied(v, err, "fault.form")
		if err != nil {
			return err
		}
		return f.undone(v, lettersPath, said)
	}
	m, err := mail.Trial{Look: mail.LookOf(v.Account, 0), Language: v.lang, AccountName: v.Account.Name, Contact: v.Account.ContactEmail}.Message()
	if err != nil {
		return err
	}
	if m, err = f.heads.Put(v.Context(), m); err != nil {
		return err
	}
	m.To = v.User.Email
	if base, err := url.Parse(f.BaseURL); err == nil {
		m.ID = "trial-" + auth.NewToken() + "@" + strings.ReplaceAll(base.Hostname(), ":", "-")
	}
	ctx, cancel := context.WithTimeout(v.Context(), trialWithin)
	defer cancel()
	said, failed := f.rehearse(ctx, v.Account.ID, m)
	if failed == nil {
		return f.done(v, lettersPath, f.say(v, "letters.trial.sent", "Email", v.User.Email))
	}
	refusal, refused := errors.AsType[*mail.SendError](failed)
	if refused && !refusal.Session {
		f.Log.InfoContext(v.Context(), "a trial letter was not accepted", "code", refusal.Code) // its words may name the recipient
	} else {
		f.Log.WarnContext(v.Context(), "a trial letter was not accepted", "error", failed)
	}
	view, err := f.lettersView(v)
	if err != nil {
		return err
	}
	view.Fault, view.Switch.None = true, true
	view.Dialogue, view.Reason = said, f.say(v, "letters.reason.ours")
	if refused {
		reason, words := f.letterReason(v, refusal.Reason)
		view.Reason = strings.Trim(reason+": "+words, ": ")
	}
	return f.render(v, http.StatusUnprocessableEntity, view)
}

// rehearse hands a letter to the mail server in the name of an account, as letters to its
// candidates go out.
func (f *face) rehearse(ctx context.Context, accountID int64, m mail.Message) ([]string, error) {
	stored, own, err := f.Store.Sender(ctx, accountID)
	if err == nil && own {
		m.Sender, err = mail.OpenSender(f.Box, stored)
	}
	if err != nil {
		return nil, err
	}
	return f.Rehearser.Rehearse(ctx, m)
}
