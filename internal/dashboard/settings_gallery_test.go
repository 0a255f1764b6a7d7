package dashboard

import (
	"net/netip"
	"strings"
	"time"

	"typus"
	"typus/internal/auth"
	"typus/internal/inspect"
	"typus/internal/page"
	"typus/internal/webhook"
)

func init() { galleries = append(galleries, keysGallery, hooksGallery) }

// newKeyShown is a key that was made just now.
const newKeyShown = "typ_live_0123456789ABCDEFGHIJabcdefghij012345"

func keysGallery(f *face, lang string, p persona) map[string]page.View {
	v := speaking(lang)
	key := func(id int64, name string) typus.APIKey {
		return typus.APIKey{ID: id, Name: name, Hash: "9f86d081" + strings.Repeat("0", 56), CreatedBy: p.email, CreatedAt: someTime, Scope: typus.ScopeAll}
	}
	used, ended, expired := key(1, p.account), key(2, p.name), key(3, "n8n")
	used.LastUsedAt, ended.RevokedAt, expired.ExpiresAt = someTime, someTime, someTime
	ended.Scope, expired.PositionID = typus.ScopeWithoutScores, 8
	form, site, unseen := key(5, "Karriereseite"), key(6, p.free), key(4, "Zapier")
	form.Scope, form.PositionID, site.Scope, unseen.PositionID = typus.ScopeInvite, 7, typus.ScopeInvite, 9
	form.Hash = auth.Hash(newKeyShown)
	positions := []typus.Position{{Standard: true, State: typus.PositionOpen}, {ID: 7, Name: p.account, State: typus.PositionOpen}, {ID: 8, Name: "Vertrieb Nord", State: typus.PositionClosed}}
	rows := keyRows([]typus.APIKey{unseen, used, ended, expired, site, form},
		[]typus.Calls{{KeyID: 1, Answered: 12345, Refused: 17}, {KeyID: 2, Answered: 1}}, someTime.Add(time.Hour))
	for i := range rows {
		f.tellKey(v, &rows[i], positions)
	}
	shell := p.shell(areaSettings, sectionKeys)
	fresh := shell
	fresh.Flash = flash{Kind: "good", Text: f.say(v, "apikeys.created"), Secret: newKeyShown}
	create := func(positions []typus.Position) keyFormView {
		view := keyFormView{
			frame: shell, Name: &field{Name: "name", Label: "apikeys.name", Hint: "apikeys.name.hint", First: true},
			Scope: f.scopeField(v), Position: f.keyPositionField(v, positions),
		}
		view.Crumbs = []crumb{{Label: "shell.keys", Path: keysPath}}
		return view
	}
	wrong := create(positions)
	wrong.Name.Value, wrong.Name.Fault, wrong.Scope.Fault, wrong.Position.Fault = p.free, f.say(v, "fault.tooLong"), f.say(v, "apikeys.fault.scope"), f.say(v, "apikeys.fault.position")
	f.sum(&wrong.frame, v, wrong.fields()...)
	revoke := keyRevokeView{frame: shell, Key: rows[0], Name: &field{Name: "name", Label: "apikeys.revoke.name", First: true}}
	log := apiLogView{
		frame: shell, Key: f.keyChoice(v, []typus.APIKey{used, ended}, 1), Code: f.codeChoice(v, "not_found"), Filtered: true,
		Refusals: refusedCallRows([]typus.RefusedCall{
			{ID: 2, KeyID: 1, Method: "GET", Route: "/api/v1/candidates/{id}", Status: 404, Code: "not_found", RequestID: "G7J4QZ3MXK2NPWVB6YTRCDLEFA", At: someTime},
			{ID: 1, KeyID: 9, Method: "BREW", Status: 405, Code: "method_not_allowed", RequestID: strings.Repeat("a", 64), At: someTime},
		}, []typus.APIKey{used}),
		Days:  []typus.Calls{{Day: "2026-11-27", Answered: 1200, Refused: 40}, {Day: "2026-11-26", Answered: 3}},
		Most:  1240,
		Older: keysPath + "/protokoll?vor=1", Newest: keysPath + "/protokoll",
	}
	return map[string]page.View{
		"apikeys":        apiKeysView{frame: shell, Keys: rows, Manage: true, Example: "https://typus.example.com/api/v1/candidates?limit=1"},
		"apikeys-new":    apiKeysView{frame: fresh, Keys: rows, Manage: true, Invites: "https://typus.example.com/api/v1/invites"},
		"apikeys-empty":  apiKeysView{frame: shell, Manage: true},
		"apikeys-viewer": apiKeysView{frame: shell, Keys: rows},
		"apikey-create":  create(positions), "apikey-create-one": create(positions[:1]), "apikey-create-wrong": wrong, "apikey-revoke": revoke,
		"api-log":       log,
		"api-log-empty": apiLogView{frame: shell, Key: f.keyChoice(v, nil, 0), Code: f.codeChoice(v, "")},
	}
}

func hooksGallery(f *face, lang string, p persona) map[string]page.View {
	v := speaking(lang)
	shell := p.shell(areaSettings, sectionWebhooks)
	hook := func(id int64, st typus.EndpointStatus, name string) typus.Endpoint {
		return typus.Endpoint{ID: id, URL: "https://hooks.example.com/typus?key=" + strings.Repeat("x", 80), Description: name, Status: st, CreatedAt: someTime, LastSuccessAt: someTime, StatusChangedAt: someTime}
	}
	failing := hook(2, typus.EndpointFailing, p.name)
	failing.ConsecutiveFailures, failing.LastSuccessAt = 5, time.Time{}
	rates := typus.EndpointRates{DayArrived: 12, DayAll: 12, WeekArrived: 97, WeekAll: 101, Waiting: 3}
	held := typus.EndpointRates{Held: 7}
	rows := []endpointRow{
		newEndpointRow(hook(1, typus.EndpointActive, p.account), rates, false), newEndpointRow(failing, rates, false),
		newEndpointRow(hook(3, typus.EndpointFailing, ""), typus.EndpointRates{}, false), newEndpointRow(hook(4, typus.EndpointPaused, "n8n"), held, false),
		newEndpointRow(hook(5, typus.EndpointGone, "Zapier"), held, false), newEndpointRow(hook(6, typus.EndpointDisabled, "ERP"), held, false),
	}
	var plainRows []endpointRow
	for _, row := range rows {
		row.Plain = true
		plainRows = append(plainRows, row)
	}
	open := openings{HTTP: true, Networks: []netip.Prefix{netip.MustParsePrefix("10.20.0.0/16")}, Ports: []uint16{9000}}
	form := endpointFormView{
		frame: shell, URL: &field{Name: "url", Label: "webhooks.url", Hint: "webhooks.url.hint", Type: "url", First: true},
		Description: &field{Name: "description", Label: "webhooks.description", Hint: "webhooks.description.hint", Optional: true}, Back: endpointsPath,
	}
	form.HeaderName, form.HeaderValue = headerNameField(), headerValueField()
	headed := form
	headed.ID, headed.HeaderOpen, headed.HeaderShown = 7, true, "••••6789"
	headed.URL = &field{Name: "url", Label: "webhooks.url", Hint: "webhooks.url.hint", Type: "url", Value: "https://hooks.example.com/typus"}
	headed.HeaderName = &field{Name: "header_name", Label: "webhooks.header.name", Hint: "webhooks.header.name.hint", Value: strings.Repeat("X-Gateway-Key-", 7), Optional: true, Fault: f.say(v, "webhooks.header.fault.name")}
	headed.HeaderValue = &field{Name: "header_value", Label: "webhooks.header.value", Hint: "webhooks.header.keep", Type: "password", Optional: true, Fault: f.say(v, "webhooks.header.fault.moved")}
	headed.DropHeader = &field{Name: "header_drop", Label: "webhooks.header.drop", Type: "checkbox", Optional: true}
	f.sum(&headed.frame, v, headed.HeaderName, headed.HeaderValue)
	wrong := form
	wrong.ID, wrong.Open = 7, open
	wrong.URL = &field{Name: "url", Label: "webhooks.url", Hint: "webhooks.url.hint", Type: "url", Value: p.free, Fault: f.say(v, "webhooks.refused.privateHTTP")}
	f.sum(&wrong.frame, v, wrong.URL)
	secrets := secretState{Current: typus.WebhookSecret{ID: 1, CreatedAt: someTime}}
	next, previous := secrets, secrets
	next.Next = typus.WebhookSecret{ID: 2, ValidUntil: someTime}
	previous.Previous = typus.WebhookSecret{ID: 2, ValidUntil: someTime}
	sign := newVector("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", rows[0].Endpoint)
	shown := readShown("current whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\nnext ")
	password := endpointSecretView{frame: shell, Endpoint: rows[0], Password: &field{Name: "password", Label: "webhooks.secret.password", Type: "password", Autocomplete: "current-password", First: true}}
	test := testEventView{frame: shell, Endpoint: rows[0], Attempt: typus.Attempt{HTTPStatus: 500, Duration: 123 * time.Millisecond, StartedAt: someTime}, Fault: newEndpointFault(webhook.Code5xx), Answer: p.name}
	arrived := testEventView{frame: shell, Endpoint: rows[0], Arrived: true, Attempt: typus.Attempt{HTTPStatus: 204, Duration: 8 * time.Millisecond, StartedAt: someTime}}
	idle, binary := test, test
	idle.frame = p.suspended(shell)
	foreign, expired := test, test
	foreign.Attempt.HTTPStatus, foreign.Answer, foreign.Fault = 0, "", newEndpointFault(webhook.CodeTLSHost+" a-very-long-name-of-a-host.and-its-even-longer-domain.example.com, *.example.org")
	expired.Attempt.HTTPStatus, expired.Answer, expired.Fault = 0, "", newEndpointFault(webhook.CodeTLSExpired+" 2026-01-02T03:04:05Z")
	binary.Answer, binary.Binary = "AAECAw==", true
	return map[string]page.View{
		"webhooks":            webhooksView{frame: shell, Hooks: rows, Manage: true, Room: true, Open: open},
		"webhooks-full":       webhooksView{frame: shell, Hooks: rows[:1], Manage: true, Most: 10},
		"webhooks-idle":       webhooksView{frame: p.suspended(shell), Hooks: rows, Manage: true, Room: true, Open: open},
		"webhooks-viewer":     webhooksView{frame: shell, Hooks: plainRows, Room: true, Open: open},
		"webhooks-empty":      webhooksView{frame: shell, Manage: true, Room: true, Example: "{\n  \"event\": \"candidate.completed\"\n}"},
		"webhooks-none":       webhooksView{frame: shell},
		"webhook-form":        form,
		"webhook-form-wrong":  wrong,
		"webhook-form-header": headed,
		"sample":              sampleGallery(lang, p),
		"webhook":             endpointView{frame: shell, Endpoint: rows[0], Secrets: secrets, Vector: sign, Prefix: "X-Service", CanReach: true, External: externalField(), Own: &header{"X-Gateway-Key", "••••6789"}},
		"webhook-shown":       endpointView{frame: shell, Endpoint: rows[0], Secrets: next, Shown: shown, Vector: sign, Prefix: "X-Service", CanReach: true, External: externalField()},
		"webhook-failing":     endpointView{frame: shell, Endpoint: rows[1], Secrets: previous, Trouble: trouble{newEndpointFault(webhook.Code4xx), "dlv_1", 404, someTime}, Missed: missed{Count: 12, Most: 1000, Path: replaysPath}, Vector: sign, Prefix: "X-Service", CanReach: true, External: externalField()},
		"webhook-idle":        endpointView{frame: p.suspended(shell), Endpoint: rows[1], Secrets: previous, Trouble: trouble{newEndpointFault(webhook.Code4xx), "dlv_1", 404, someTime}, Missed: missed{Count: 12, Most: 1000, Path: replaysPath}, Vector: sign, Prefix: "X-Service", CanReach: true, External: externalField()},
		"webhook-off":         endpointView{frame: shell, Endpoint: rows[4], Secrets: secretState{Lost: true}, Own: &header{}, OwnLost: true, Missed: missed{Count: 1, Most: 1000}},
		"webhook-off-idle":    endpointView{frame: p.suspended(shell), Endpoint: rows[4], Secrets: secrets, Own: &header{"X-Gateway-Key", "••••6789"}, Missed: missed{Count: 1, Most: 1000}},
		"webhook-inspect":     inspectGallery(shell, nil),
		"webhook-inspect-bad": inspectGallery(shell, wrongFindings(lang)),
		"webhook-inspect-ok":  inspectGallery(shell, rightFindings(lang)),
		"webhook-replaying":   endpointView{frame: shell, Endpoint: rows[0], Secrets: secrets, Missed: missed{Running: 7}, CanReach: true, External: externalField()},
		"webhook-delete":      endpointDeleteView{shell, rows[3]},
		"webhook-secret":      password,
		"webhook-secret-free": endpointSecretView{frame: shell, Endpoint: rows[0]},
		"webhook-test":        test,
		"webhook-test-idle":   idle,
		"webhook-test-good":   arrived,
		"webhook-test-host":   foreign,
		"webhook-test-old":    expired,
		"webhook-test-bytes":  binary,
		"webhook-test-wait":   testEventView{frame: shell, Endpoint: rows[0], Pending: true},
	}
}

const galleryBody = `{"event":"candidate.completed","data":{"candidate":{"id":42,"name":"Jürgen Müller"}}}`

func inspectGallery(shell frame, found *inspected) inspectView {
	view := newInspectView(true)
	view.frame, view.Found = shell, found
	view.Crumbs = []crumb{{Label: "shell.webhooks", Path: endpointsPath}}
	if found != nil {
		view.Headers.Value, view.Body.Value = "X-Service-Signature: sha256="+strings.Repeat("0a", 32), galleryBody
	}
	return view
}

// wrongFindings has a signature that does not match, one that is too old, and a body that
// is not the one that was sent.
func wrongFindings(lang string) *inspected {
	return newInspected(inspect.Inspection{
		Service: inspect.Finding{Header: "X-Service-Signature", Verdict: inspect.Wrong, By: "CRM <b>", Causes: []inspect.Cause{
			{Key: inspect.ValuePrefix}, {Key: inspect.SecretOther, About: "CRM, " + strings.Repeat("x", 60)}, {Key: inspect.BodySpaces}, {Key: inspect.BodyEscapes}}},
		Standard:   inspect.Finding{Header: "webhook-signature", Verdict: inspect.Late, Causes: []inspect.Cause{{Key: inspect.TimeOld, About: "3 d"}}},
		Difference: &inspect.Difference{At: 61, Pasted: `"name":"Jurgen Müller"`, Sent: `"name":"Jürgen Müller`},
	}, lang)
}

func rightFindings(lang string) *inspected {
	return newInspected(inspect.Inspection{
		Service:  inspect.Finding{Header: "X-Service-Signature", Verdict: inspect.Right},
		Standard: inspect.Finding{Header: "webhook-signature", Verdict: inspect.Missing},
	}, lang)
}

func sampleGallery(lang string, p persona) sampleView {
	report := galleryReport(lang, true)
	report.Head.MadeUp = nil
	return sampleView{frame: p.shell(areaCandidates, ""), Name: webhook.TestCandidate.Name, Email: webhook.TestCandidate.Email, Report: report}
}
