package webhook_test

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"typus/internal/webhook"
)

// A receiver checks the raw bytes of the body before it reads them.
func ExampleVerify() {
	const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	body := []byte(`{"event":"candidate.completed"}`)
	header := webhook.Sign(secret, body)

	fmt.Println(header)
	fmt.Println(webhook.Verify(secret, header, body))
	fmt.Println(webhook.Verify(secret, header, []byte(`{ "event": "candidate.completed" }`)))
	// Output:
	// sha256=30fc7994cd1468e38ddc6ac43cbccdb264ad02916f55d90f9dc262832d537d28
	// true
	// false
}

// By Standard Webhooks the time is signed too, so that an old call cannot be sent again.
func ExampleVerifyStandard() {
	const secret, id = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "evt_01JGJ6Q3YJ8X2V6W5T4S3R2Q1P"
	body := []byte(`{"event":"candidate.completed"}`)
	sent := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	signature, err := webhook.SignStandard(secret, id, sent.Unix(), body)
	if err != nil {
		panic(err)
	}
	h := http.Header{}
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", strconv.FormatInt(sent.Unix(), 10))
	h.Set("webhook-signature", signature)

	fmt.Println(webhook.VerifyStandard(secret, h, body, sent.Add(time.Minute)))
	fmt.Println(webhook.VerifyStandard(secret, h, body, sent.Add(time.Hour)))
	// Output:
	// <nil>
	// unauthorized: webhook-timestamp is more than 5m0s away from now
}

// What the guard refuses it refuses with the remedy.
func ExampleGuard_CheckURL() {
	guard := webhook.NewGuard(webhook.Policy{})
	fmt.Println(guard.CheckURL("https://Hooks.Bücher.example.com"))
	_, err := guard.CheckURL("https://10.20.3.4/hook")
	var why webhook.Refusal
	fmt.Println(errors.As(err, &why), string(why))
	// Output:
	// https://hooks.xn--bcher-kva.example.com/ <nil>
	// true private
}
