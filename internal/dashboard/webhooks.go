package dashboard

import (
	"net/http"
	"net/netip"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"typus"
	"typus/internal/accounts"
	"typus/internal/webhook"
)

// webhooksView is the list of the account's webhooks.
type webhooksView struct {
	frame
	Hooks   []endpointRow
	Manage  bool
	Room    bool // for another one
	Most    int
	Example string // a payload, where there is none yet
	Open    openings
}

// Template names the page.
func (webhooksView) Template() string { return "webhooks" }

// openings are what the operator allows beyond public https addresses.
type openings struct {
	HTTP     bool
	Networks []netip.Prefix
	Ports    []uint16
}

// Any reports whether there is any.
func (o openings) Any() bool { return o.HTTP || len(o.Networks)+len(o.Ports) > 0 }

// endpointRow is one webhook in words.
type endpointRow struct {
	typus.Endpoint
	Rates  typus.EndpointRates
	State  string // text key
	Badge  string // good, warn, bad, soft
	Advice string // text key: what it means and what to do, "" for nothing
	Plain  bool   // only its host may be shown: paths often hold a secret
}

// Address is where the webhook is, for those who look at it.
func (h endpointRow) Address() string {
	if !h.Plain {
		return h.URL
	}
	return h.Host()
}

// Called is what the webhook is called in headings.
func (h endpointRow) Called() string {
	if h.Description != "" {
		return h.Description
	}
	return h.Host()
}

// Pausing is how many deliveries are still under way, or not yet held, after the
// webhook was switched off. They are held page by page.
func (h endpointRow) Pausing() int {
	if h.On() {
		return 0
	}
	return h.Rates.Waiting
}

// Resuming is how many deliveries are still held after the webhook was switched on.
// They are released page by page.
func (h endpointRow) Resuming() int {
	if !h.On() {
		return 0
	}
	return h.Rates.Held
}

// Day and Week are shares of arrived deliveries in percent, rounded down so that
// 100 means all of them.
func (h endpointRow) Day() int { return h.Rates.DayArrived * 100 / max(h.Rates.DayAll, 1) }

// Week is Day for seven days.
func (h endpointRow) Week() int { return h.Rates.WeekArrived * 100 / max(h.Rates.WeekAll, 1) }

// webhooks lists the webhooks.
func (f *face) webhooks(v *visit) error {
	rows, err := f.hookRows(v)
	if err != nil {
		return err
	}
	view := webhooksView{Hooks: rows, Manage: v.may(admin), Room: len(rows) < accounts.MaxEndpoints, Most: accounts.MaxEndpoints, Open: f.openings()}
	if len(rows) == 0 && view.Manage {
		payload, err := f.Accounts.ExamplePayload(v.Account)
		if err != nil {
			return err
		}
		if view.Example, err = indented(payload); err != nil {
			return err
		}
	}
	view.frame = f.settingsFrame(v, sectionWebhooks)
	return f.render(v, http.StatusOK, view)
}

func (f *face) openings() openings {
	p := f.Guard.Policy()
	return openings{HTTP: p.AllowHTTP, Networks: p.AllowNets, Ports: p.AllowPorts}
}

func (f *face) hookRows(v *visit) ([]endpointRow, error) {
	endpoints, err := f.Store.Endpoints(v.Context(), v.Account.ID)
	if err != nil {
		return nil, err
	}
	rates, err := f.endpointRates(v)
	if err != nil {
		return nil, err
	}
	var rows []endpointRow
	for _, e := range endpoints {
		rows = append(rows, newEndpointRow(e, rates[e.ID], !v.may(admin)))
	}
	return rows, nil
}

func (f *face) endpointRates(v *visit) (map[int64]typus.EndpointRates, error) {
	now := f.now()
	list, err := f.Store.EndpointRates(v.Context(), v.Account.ID, now.Add(-24*time.Hour), now.Add(-7*24*time.Hour))
	rates := map[int64]typus.EndpointRates{}
	for _, rate := range list {
		rates[rate.EndpointID] = rate
	}
	return rates, err
}

func newEndpointRow(e typus.Endpoint, rates typus.EndpointRates, plain bool) endpointRow {
	row := endpointRow{Endpoint: e, Rates: rates, Plain: plain}
	switch {
	case e.Probing():
		row.State, row.Badge, row.Advice = "webhooks.state.probing", "warn", "webhooks.advice.probing"
	case e.Status == typus.EndpointActive:
		row.State, row.Badge = "webhooks.state.active", "good"
	case e.Status == typus.EndpointFailing:
		row.State, row.Badge, row.Advice = "webhooks.state.failing", "bad", "webhooks.advice.failing"
	case e.Status == typus.EndpointPaused:
		row.State, row.Badge, row.Advice = "webhooks.state.paused", "soft", "webhooks.advice.paused"
	case e.Status == typus.EndpointGone:
		row.State, row.Badge, row.Advice = "webhooks.state.off", "bad", "webhooks.advice.gone"
	default:
		row.State, row.Badge, row.Advice = "webhooks.state.off", "bad", "webhooks.advice.disabled"
	}
	return row
}

// endpointInPath is the webhook that the address names. NotFound: also for a deleted
// one.
func (f *face) endpointInPath(v *visit) (typus.Endpoint, error) {
	id, err := pathID(v)
	if err != nil {
		return typus.Endpoint{}, err
	}
	e, err := f.Store.Endpoint(v.Context(), v.Account.ID, id)
	if err == nil && e.Status == typus.EndpointDeleted {
		return e, typus.Errorf(typus.NotFound, "the webhook is deleted")
	}
	return e, err
}

// refusalKeys are the texts that say why the guard refuses an address.
var refusalKeys = map[webhook.Refusal]string{
	webhook.RefusedLength:      "webhooks.refused.length",
	webhook.RefusedCharacters:  "webhooks.refused.characters",
	webhook.RefusedForm:        "webhooks.refused.form",
	webhook.RefusedScheme:      "webhooks.refused.scheme",
	webhook.RefusedHTTP:        "webhooks.refused.http",
	webhook.RefusedUserinfo:    "webhooks.refused.userinfo",
	webhook.RefusedFragment:    "webhooks.refused.fragment",
	webhook.RefusedHost:        "webhooks.refused.host",
	webhook.RefusedNumber:      "webhooks.refused.number",
	webhook.RefusedPort:        "webhooks.refused.port",
	webhook.RefusedClosedPort:  "webhooks.refused.closedPort",
	webhook.RefusedLocalName:   "webhooks.refused.localName",
	webhook.RefusedPrivate:     "webhooks.refused.private",
	webhook.RefusedPrivateHTTP: "webhooks.refused.privateHTTP",
	webhook.RefusedOwn:         "webhooks.refused.own",
}

// indented is JSON for people to read.
func indented(body []byte) (string, error) {
	value := jsontext.Value(body)
	err := value.Indent(jsontext.WithIndent("  "))
	return string(value), err
}
