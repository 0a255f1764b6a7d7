package dashboard

import (
	"fmt"
	"strings"
	"time"

	"typus"
	"typus/internal/page"
	"typus/internal/store"
	"typus/internal/webhook"
)

func init() { galleries = append(galleries, deliveriesGallery) }

func deliveriesGallery(f *face, lang string, p persona) map[string]page.View {
	v := speaking(lang)
	shell := p.shell(areaSettings, sectionWebhooks)
	hook := typus.Endpoint{ID: 1, URL: "https://hooks.example.com/typus", Description: p.account, Status: typus.EndpointActive}
	row := func(i int, d typus.Delivery) store.LoggedDelivery {
		d.ID, d.EventID, d.EndpointID = fmt.Sprintf("dlv_01JGJ6Q3YJ8X2V6W5T4S3R2Q%02d", i), "evt_01JGJ6Q3YJ8X2V6W5T4S3R2Q1P", 1
		d.NextAttemptAt = someTime.Add(time.Hour)
		return store.LoggedDelivery{Delivery: d, MadeAt: someTime, URL: "https://a-rather-long-name-of-a-receiver.example.com:8443/x", EventType: typus.EventCandidateCompleted, OccurredAt: someTime, CandidateID: 42, Name: p.name}
	}
	waiting := row(1, typus.Delivery{Kind: "auto", State: typus.DeliveryPending, Attempt: 3, Failures: 3, LastStatus: 503, LastError: webhook.Code5xx, Outcome: typus.DeliveryAskedToWait})
	erased := row(4, typus.Delivery{Kind: "auto", State: typus.DeliveryCancelled, Attempt: 2, LastError: webhook.CodeBlocked, Outcome: typus.DeliveryBlocked})
	erased.Name, erased.Erased = "", true
	test := row(5, typus.Delivery{Kind: typus.DeliveryTest, State: typus.DeliveryDelivered, Attempt: 1, LastStatus: 204, Outcome: typus.DeliveryArrived})
	test.CandidateID, test.Name = 0, ""
	given := row(3, typus.Delivery{Kind: "replay", State: typus.DeliveryExhausted, Attempt: 14, Failures: 12, LastError: webhook.CodeTLSExpired + " 2026-01-02T03:04:05Z", Outcome: typus.DeliveryTLS})
	list := f.deliveriesView(v, shell, deliveryFilter{Hook: 9, State: typus.DeliveryPending, From: "2026-11-01"}, []typus.Endpoint{hook})
	list.Partly = true
	list.Others = []namesake{{p.name + " (41)", deliveriesPath + "?person=41"}, {p.name + " (7)", deliveriesPath + "?person=7"}}
	list.Older, list.Newest = deliveriesPath+"?vor=dlv_1", deliveriesPath
	for _, d := range []store.LoggedDelivery{waiting, row(2, typus.Delivery{Kind: "auto", State: typus.DeliverySending, Attempt: 1}), given, erased, test,
		row(6, typus.Delivery{Kind: "auto", State: typus.DeliveryHeld})} {
		list.Rows = append(list.Rows, newDeliveryRow(d, false))
	}
	idle := list
	idle.frame, idle.Partly, idle.Rows = p.suspended(list.frame), false, nil
	for _, r := range list.Rows {
		idle.Rows = append(idle.Rows, newDeliveryRow(r.LoggedDelivery, true))
	}
	empty, none, wrong := f.deliveriesView(v, shell, deliveryFilter{}, nil), f.deliveriesView(v, shell, deliveryFilter{Person: p.free}, nil), f.deliveriesView(v, shell, deliveryFilter{From: "gestern"}, nil)
	f.sum(&wrong.frame, v, wrong.From, wrong.To)

	headers := "Content-Type: application/json\nUser-Agent: Typus-Webhooks/1 (+https://typus.example.com/docs/webhooks)\nX-Service-Event: candidate.completed\nX-Service-Signature: sha256=ebe12770…\nX-Service-Delivery: dlv_1\nX-Service-Attempt: 3\nwebhook-id: evt_1\nwebhook-timestamp: 1767323045\nwebhook-signature: v1,ZL0eeeS4…\n"
	attempt := func(n int, change func(a *typus.Attempt)) typus.Attempt {
		a := typus.Attempt{N: n, StartedAt: someTime.Add(time.Duration(n) * time.Hour), Duration: 212 * time.Millisecond, URL: "https://hooks.example.com/typus?key=" + strings.Repeat("x", 80), RemoteIP: "93.184.216.34", RequestHeaders: headers, Outcome: webhook.OutcomeFailed}
		change(&a)
		return a
	}
	attempts := []typus.Attempt{
		attempt(1, func(a *typus.Attempt) { a.ErrorCode, a.RemoteIP = webhook.CodeDNS, "" }),
		attempt(2, func(a *typus.Attempt) { a.Outcome, a.ErrorCode = webhook.OutcomeInterrupted, webhook.CodeInterrupted }),
		attempt(3, func(a *typus.Attempt) {
			a.HTTPStatus, a.ErrorCode, a.ResponseHead, a.ResponseBody = 503, webhook.Code5xx, "HTTP/1.1 503 Service Unavailable\nRetry-After: 60\n", []byte(strings.Repeat("w", 4096))
		}),
		attempt(4, func(a *typus.Attempt) {
			a.HTTPStatus, a.ErrorCode, a.ResponseHead, a.ResponseBody = 500, webhook.Code5xx, "HTTP/2.0 500\nContent-Type: text/html\n", []byte("<h1 style=\"color:red\">Oh \u202egnorw</h1><script>alert(1)</script>")
		}),
		attempt(5, func(a *typus.Attempt) {
			a.HTTPStatus, a.ErrorCode, a.ResponseHead, a.ResponseBody = 400, webhook.Code4xx, "HTTP/1.1 400 Bad Request\n", []byte{0, 1, 2, 0xff}
		}),
		attempt(6, func(a *typus.Attempt) { a.HTTPStatus, a.ErrorCode = 404, webhook.Code4xx }),
	}
	good := []typus.Attempt{attempt(1, func(a *typus.Attempt) {
		a.HTTPStatus, a.Outcome, a.ResponseHead = 204, webhook.OutcomeDelivered, "HTTP/1.1 204 No Content\n"
	})}
	refused := []typus.Attempt{attempt(1, func(a *typus.Attempt) { a.ErrorCode, a.RemoteIP, a.Duration = webhook.CodeBlocked, "", 0 })}
	payload := []byte(`{"event":"candidate.completed","data":{"candidate":{"id":42,"name":"` + p.name + `"},"scores":{"overall":81}}}`)
	sum := strings.Repeat("e65526f5", 8)
	shown := sentBodyView{SHA256: sum, Size: len(payload), Text: string(payload), bytes: payload}
	deleted := hook
	deleted.Status = typus.EndpointDeleted
	in := func(shell frame, d store.LoggedDelivery, e typus.Endpoint, attempts []typus.Attempt, body sentBodyView) deliveryView {
		view := newDeliveryView(shell, "X-Service", d, e, attempts, body)
		view.Crumbs = []crumb{{Label: "shell.webhooks", Path: endpointsPath}, {Label: "deliveries.title", Path: deliveriesPath}}
		return view
	}
	detail := func(d store.LoggedDelivery, e typus.Endpoint, attempts []typus.Attempt, body sentBodyView) deliveryView {
		return in(shell, d, e, attempts, body)
	}
	return map[string]page.View{
		"deliveries-idle": idle, "delivery-idle": in(p.suspended(shell), waiting, hook, attempts[2:3], shown),
		"deliveries": list, "deliveries-empty": empty, "deliveries-none": none, "deliveries-wrong": wrong,
		"delivery":           detail(waiting, hook, attempts, shown),
		"delivery-arrived":   detail(test, hook, good, shown),
		"delivery-closed":    detail(given, deleted, good, sentBodyView{SHA256: sum, Size: 612, Closed: deliveryPath("dlv_1") + "?inhalt=1"}),
		"delivery-elsewhere": detail(given, hook, attempts[4:], sentBodyView{SHA256: sum, Size: 612, Elsewhere: candidatePath(42)}),
		"delivery-erased":    detail(erased, hook, refused, sentBodyView{SHA256: sum, Erased: true}),
		"delivery-forgotten": detail(test, hook, attempts[5:], sentBodyView{SHA256: sum, Forgotten: true}),
		"delivery-held":      detail(row(6, typus.Delivery{Kind: "auto", State: typus.DeliveryHeld}), hook, nil, shown),
	}
}
