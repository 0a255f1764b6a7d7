package dashboard

import (
	"os"
	"regexp"
	"testing"
	"time"

	"typus/internal/webhook"
)

func TestEveryErrorCodeOfADeliveryHasItsText(t *testing.T) {
	source, err := os.ReadFile("../webhook/code.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`(?m)^\tCode\w+ += "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(codes) != len(errorKeys) {
		t.Errorf("%d codes and %d texts", len(codes), len(errorKeys))
	}
	for _, code := range codes {
		if errorKeys[code[1]] == "" {
			t.Errorf("%s has no text", code[1])
		}
	}
}

func TestAFaultNamesTheHostOrTheTime(t *testing.T) {
	host := newEndpointFault(webhook.CodeTLSHost + " other.example.com, *.example.org")
	if host.About != "other.example.com, *.example.org" || host.More != "webhooks.error.tlsHost.more" || !host.At.IsZero() {
		t.Errorf("%+v", host)
	}
	expired := newEndpointFault(webhook.CodeTLSExpired + " 2026-01-02T03:04:05Z")
	if !expired.At.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) || expired.About != "" || expired.More != "webhooks.error.tlsExpired.more" {
		t.Errorf("%+v", expired)
	}
	if bare := newEndpointFault(webhook.CodeTLSHost); bare.Said != "webhooks.error.tlsHost" || bare.More != "" {
		t.Errorf("%+v", bare)
	}
}
