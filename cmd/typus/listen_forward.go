package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"typus"
	"typus/internal/webhook"
)

// listenSecret is what events are signed with. It is the same for a key each time, so that
// the receiver is told once.
func listenSecret(key string) string {
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte("typus listen"))
	return "whsec_" + base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// introduce prints the secret, before the first event.
func (l *listener) introduce() error {
	if l.hook == nil {
		return nil
	}
	return l.say(struct {
		Forward string `json:"forward"`
		Secret  string `json:"secret"`
	}{l.forward, l.secret}, "forwarding to "+l.forward+", signed with the secret "+l.secret)
}

func (l *listener) lost(err error, failures int) {
	if failures == 1 {
		fmt.Fprintf(l.app.errOut, "typus: %s; trying again until it works\n", message(err))
	}
}

// brought is an event, and what the receiver made of it.
type brought struct {
	Event   testEvent `json:"event"`
	Forward *answered `json:"forward"` // null where nothing is forwarded: not asked for, or the person is erased
}

type answered struct {
	Status     int    `json:"status"` // 0: no answer
	DurationMS int64  `json:"duration_ms"`
	Error      string `json:"error"` // the error code of a webhook, "" for none
}

// bring forwards an event and prints it. One that is interrupted is not printed.
func (l *listener) bring(ctx context.Context, e testEvent) error {
	b, text := brought{Event: e}, e.CreatedAt+"  "+e.ID+"  "+e.Type
	if l.hook != nil && e.Body != nil {
		now := typus.Clock(nil).Now()
		attempt := l.hook.Post(ctx, webhook.Request{
			URL: l.forward, Event: typus.Event{ID: e.ID, Type: e.Type, Payload: []byte(*e.Body)},
			DeliveryID: webhook.NewDeliveryID(now), Attempt: 1, Secrets: map[typus.SecretRole]string{typus.SecretCurrent: l.secret}, At: now,
		}).Attempt
		if ctx.Err() != nil {
			return nil //nolint:nilerr // who listens has gone, which is no fault
		}
		b.Forward = &answered{attempt.HTTPStatus, attempt.Duration.Milliseconds(), attempt.ErrorCode}
		text += "  → " + l.forward + "  " + b.Forward.inWords()
	}
	return l.say(b, text)
}

func (f answered) inWords() string {
	if f.Status == 0 {
		return "no answer (" + f.Error + ")"
	}
	return fmt.Sprintf("%d in %d ms", f.Status, f.DurationMS)
}
