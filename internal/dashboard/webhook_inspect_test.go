package dashboard

import (
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"typus"
	"typus/internal/inspect"
	"typus/internal/webhook"
)

// pastedOf is a delivery as somebody copies it from a receiver.
func pastedOf(g received) url.Values {
	var lines []string
	for name := range g.header {
		lines = append(lines, name+": "+g.header.Get(name))
	}
	return url.Values{"headers": {strings.Join(lines, "\r\n")}, "payload": {string(g.body)}}
}

func TestADeliveryThatWasPastedIsExplained(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		r := newReceiver(t)
		id, secret := w.newEndpoint(r.URL)
		w.deliver()
		c := w.as(admin)
		c.get(endpointPath(id)).want(t, 200, inspectPath)
		c.get(inspectPath).want(t, 200, "Zustellung prüfen", `type="password"`)
		c.follow(c.post(endpointPath(id)+"/test", nil)).want(t, 200, "angekommen")
		form := pastedOf(r.requests()[0])
		body := form.Get("payload")
		inspect := func(holds ...string) answer {
			t.Helper()
			a := c.post(inspectPath, form)
			a.body = html.UnescapeString(a.body)
			if a.StatusCode != 200 {
				t.Errorf("status %d", a.StatusCode)
			}
			for _, text := range holds {
				if !strings.Contains(a.body, text) {
					t.Errorf("%q is missing in %s", text, a.body)
				}
			}
			if strings.Contains(a.body, secret) {
				t.Error("the secret is sent back")
			}
			return a
		}
		inspect("Was eingefügt ist, passt zusammen", "Sie passt zu: CRM, Aktuelles Geheimnis.")
		form.Set("secret", secret)
		inspect("Was eingefügt ist, passt zusammen")
		form.Set("secret", strings.TrimPrefix(secret, "whsec_"))
		inspect("mit und einmal ohne „whsec_“")
		form.Set("secret", webhook.NewSecret())
		inspect("CRM, Aktuelles Geheimnis", "anderen Geheimnis")
		form.Set("secret", secret)
		form.Set("payload", strings.ReplaceAll(body, `":`, `": `))
		inspect("mit anderem Leerraum", "Erste Abweichung")
		form.Set("payload", strings.Replace(body, "Jana", "Jena", 1))
		inspect(fmt.Sprintf("Nach %d Bytes", strings.Index(body, "Jana")+1), `"Jena Be`, `"Jana Be`)
		// Without a signature of what was sent, nothing is said about it.
		form.Set("headers", "webhook-id: "+r.requests()[0].header.Get("webhook-id")+"\nX-Service-Signature: "+webhook.Sign(secret, []byte("{}")))
		if a := inspect("Keine der üblichen Ursachen"); strings.Contains(a.body, "Jana Be") {
			t.Error("the body that was sent is shown to who has no signature of it")
		}
		for _, word := range []string{secret, "Jena", "Signature", "Beispiel"} {
			if strings.Contains(w.logs.String(), word) {
				t.Errorf("the log holds %q", word)
			}
		}
		if lines := fmt.Sprint(w.settingsShown()); strings.Count(lines, "webhook.") != 2 {
			t.Errorf("audit %s", lines)
		}
	})
}

func TestWhatCannotBeInspectedIsNamed(t *testing.T) {
	w := newWorld(t)
	c := w.as(admin)
	c.post(inspectPath, nil).want(t, 422, `id="secret-fault"`, `id="headers-fault"`, `id="payload-fault"`)
	form := url.Values{"secret": {"whsec_geheim-geheim"}, "headers": {"Content-Type: text/plain"}, "payload": {"{}"}}
	if a := c.post(inspectPath, form).want(t, 422, "Darin steht keine Signatur", "Content-Type: text/plain"); strings.Contains(a.body, "geheim-geheim") {
		t.Error("the secret is sent back")
	}
	form.Set("headers", "webhook-signature: v1,x")
	form.Set("payload", strings.Repeat("x", inspect.MaxBody+1))
	c.post(inspectPath, form).want(t, 422, "höchstens 128 KB")
	form.Set("payload", strings.Repeat("x", maxPasted))
	c.post(inspectPath, form).want(t, 413, "577 KB", "576 KB")
	for _, role := range []typus.UserRole{viewer, member} {
		w.as(role).get(inspectPath).want(t, 403)
	}
}
