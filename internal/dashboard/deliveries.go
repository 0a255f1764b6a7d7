package dashboard

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"typus"
	"typus/internal/store"
)

// deliveriesView is the log of the deliveries to all webhooks, or to one.
type deliveriesView struct {
	frame
	Filter               deliveryFilter
	Hook, State, Outcome *field
	Person, From, To     *field
	Rows                 []deliveryRow
	Partly               bool // there may be deliveries that the visitor is not told of
	AnyHook              bool // the account has a webhook
	Others               []namesake
	Older, Newest        string
}

// Template names the page.
func (deliveriesView) Template() string { return "deliveries" }

// namesake is somebody with the same external_id as the person whose deliveries are listed.
type namesake struct{ Name, Path string }

// Replay is where what is listed can be sent again, "" if it cannot: the visitor does not see
// all positions, nothing is listed, or the account is suspended.
func (v deliveriesView) Replay() string {
	if len(v.Rows) == 0 || v.Partly || !v.Idle.IsZero() {
		return ""
	}
	return listPath(replaysPath, v.Filter.values())
}

// Clear is the log without a filter.
func (deliveriesView) Clear() string { return deliveriesPath }

// deliveryRow is one delivery in words.
type deliveryRow struct {
	store.LoggedDelivery
	State   string    // text key
	Badge   string    // good, warn, bad, soft
	Kind    string    // text key, "" for what an event caused
	Outcome string    // text key, "" before an attempt has ended
	Next    time.Time // when it is attempted next; zero: not by itself, or nobody knows
	Idle    bool      // it waits until the account is no longer suspended
}

// Host is where it goes. An address may hold a secret in its path.
func (d deliveryRow) Host() string { return typus.Endpoint{URL: d.URL}.Host() }

// Path is the page of the delivery.
func (d deliveryRow) Path() string { return deliveryPath(d.ID) }

// Status is that of the last answer, 0 without one.
func (d deliveryRow) Status() int { return d.LastStatus }

// deliveryStateNames are the states of a delivery in words, by text key.
var deliveryStateNames = map[typus.DeliveryState]string{
	typus.DeliveryPending:   "deliveries.state.pending",
	typus.DeliverySending:   "deliveries.state.sending",
	typus.DeliveryHeld:      "deliveries.state.held",
	typus.DeliveryDelivered: "deliveries.state.delivered",
	typus.DeliveryExhausted: "deliveries.state.exhausted",
	typus.DeliveryCancelled: "deliveries.state.cancelled",
}

var deliveryBadges = map[typus.DeliveryState]string{
	typus.DeliveryPending: "soft", typus.DeliverySending: "soft", typus.DeliveryHeld: "warn",
	typus.DeliveryDelivered: "good", typus.DeliveryExhausted: "bad", typus.DeliveryCancelled: "soft",
}

// deliveryOutcomeNames are the outcomes of an attempt in a few words, by text key.
var deliveryOutcomeNames = map[string]string{
	typus.DeliveryArrived:     "deliveries.outcome.arrived",
	typus.DeliveryUnreachable: "deliveries.outcome.unreachable",
	typus.DeliveryBlocked:     "deliveries.outcome.blocked",
	typus.DeliveryTLS:         "deliveries.outcome.tls",
	typus.DeliveryTimeout:     "deliveries.outcome.timeout",
	typus.DeliveryBroken:      "deliveries.outcome.broken",
	typus.DeliveryRedirected:  "deliveries.outcome.redirected",
	typus.DeliveryRejected:    "deliveries.outcome.rejected",
	typus.DeliveryServerError: "deliveries.outcome.serverError",
	typus.DeliveryAskedToWait: "deliveries.outcome.busy",
	typus.DeliveryGone:        "deliveries.outcome.gone",
	typus.DeliveryInterrupted: "deliveries.outcome.interrupted",
	typus.DeliveryNoSecret:    "deliveries.outcome.noSecret",
}

// deliveryKindNames are the kinds of a delivery that no event caused, by text key.
var deliveryKindNames = map[string]string{typus.DeliveryTest: "deliveries.kind.test", typus.DeliveryReplay: "deliveries.kind.replay"}

// newDeliveryRow puts a delivery into words; idle says that its account is suspended.
func newDeliveryRow(d store.LoggedDelivery, idle bool) deliveryRow {
	row := deliveryRow{
		LoggedDelivery: d, State: deliveryStateNames[d.State], Badge: deliveryBadges[d.State],
		Kind: deliveryKindNames[d.Kind], Outcome: deliveryOutcomeNames[d.Outcome],
	}
	if d.State == typus.DeliveryPending {
		if row.Idle = idle; !idle {
			row.Next = d.NextAttemptAt
		}
		if d.Failures > 0 {
			row.State, row.Badge = "deliveries.state.again", "warn"
		}
	}
	return row
}

// deliveries shows the log.
func (f *face) deliveries(v *visit) error {
	fl := readDeliveryFilter(v.URL.Query())
	endpoints, err := f.Store.Endpoints(v.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	if endpoints, err = f.orDeleted(v, endpoints, fl.Hook); err != nil {
		return err
	}
	query, sound, err := f.deliveryQuery(v, fl)
	if err != nil {
		return err
	}
	if !sound {
		view := f.deliveriesView(v, f.settingsFrame(v, sectionWebhooks), fl, endpoints)
		f.sum(&view.frame, v, view.From, view.To)
		return f.render(v, http.StatusOK, view)
	}
	before := readDeliveryID(v.URL.Query().Get(paramBefore))
	list, more, err := f.Store.DeliveryLog(v.Context(), v.Reader, query, before)
	if err != nil {
		return err
	}
	if len(list) == 0 && before != "" { // whatever stood on this page is gone
		return f.goOn(v, fl.at(deliveriesPath, ""))
	}
	view := f.deliveriesView(v, f.settingsFrame(v, sectionWebhooks), fl, endpoints)
	if view.Others, err = f.namesakes(v, fl); err != nil {
		return err
	}
	for _, d := range list {
		view.Rows = append(view.Rows, newDeliveryRow(d, v.Account.Suspended()))
	}
	if more {
		view.Older = fl.at(deliveriesPath, list[len(list)-1].ID)
	}
	if before != "" {
		view.Newest = fl.at(deliveriesPath, "")
	}
	return f.render(v, http.StatusOK, view)
}

// deliveriesView is the page without its rows.
func (f *face) deliveriesView(v *visit, fr frame, fl deliveryFilter, endpoints []typus.Endpoint) deliveriesView {
	view := deliveriesView{
		frame: fr, Filter: fl, AnyHook: slices.ContainsFunc(endpoints, func(e typus.Endpoint) bool { return e.Status != typus.EndpointDeleted }),
		Partly:  !v.Reader.Positions.Everything || v.Reader.Blind.Somewhere,
		Hook:    f.hookChoice(v, endpoints, fl.Hook),
		State:   f.stateChoice(v, fl.State),
		Outcome: f.outcomeChoice(v, fl.Outcome),
		Person:  &field{Name: paramPerson, Label: "deliveries.person", Value: fl.Person, Depends: true, Autocomplete: "off"},
		From:    &field{Name: paramFrom, Label: "deliveries.from", Type: "date", Value: fl.From, Depends: true},
		To:      &field{Name: paramTo, Label: "deliveries.to", Type: "date", Value: fl.To, Depends: true},
	}
	if _, _, from, to := fl.span(v.Account.Zone); !from || !to {
		f.wantDay(v, view.From, from)
		f.wantDay(v, view.To, to)
	}
	view.Crumbs = []crumb{{Label: "shell.webhooks", Path: endpointsPath}}
	return view
}

// wantDay says of a field that holds no day what is wrong. A browser shows what is no day as
// text only.
func (f *face) wantDay(v *visit, fd *field, sound bool) {
	if !sound {
		fd.Type, fd.Fault = "", f.say(v, "deliveries.noDay")
	}
}

// orDeleted adds the webhook that is asked for, if it is deleted.
func (f *face) orDeleted(v *visit, endpoints []typus.Endpoint, chosen int64) ([]typus.Endpoint, error) {
	if chosen == 0 || slices.ContainsFunc(endpoints, func(e typus.Endpoint) bool { return e.ID == chosen }) {
		return endpoints, nil
	}
	e, err := f.Store.Endpoint(v.Context(), v.Account.ID, chosen)
	if typus.Is(err, typus.NotFound) {
		return endpoints, nil
	}
	return append(endpoints, e), err
}

// namesakes are the others of the external_id that is asked for.
func (f *face) namesakes(v *visit, fl deliveryFilter) ([]namesake, error) {
	if fl.Person == "" {
		return nil, nil
	}
	people, err := f.meant(v, fl.Person)
	if err != nil || len(people) < 2 {
		return nil, err
	}
	var list []namesake
	for _, c := range people[1:] {
		fl.Person = strconv.FormatInt(c.ID, 10)
		list = append(list, namesake{fmt.Sprintf("%s (%d)", c.Name, c.ID), fl.at(deliveriesPath, "")})
	}
	return list, nil
}

// hookChoice offers the webhooks; one that is deleted, or that there never was, stays chosen
// by its number.
func (f *face) hookChoice(v *visit, endpoints []typus.Endpoint, chosen int64) *field {
	fd := &field{Name: paramHook, Label: "deliveries.hook", Options: []option{{Label: f.say(v, "deliveries.allHooks")}}}
	for _, e := range endpoints {
		value, label := strconv.FormatInt(e.ID, 10), newEndpointRow(e, typus.EndpointRates{}, true).Called()
		if e.Status == typus.EndpointDeleted {
			label = f.say(v, "deliveries.deletedHook", "ID", value)
		}
		fd.Options = append(fd.Options, option{Value: value, Label: label, Chosen: e.ID == chosen})
	}
	if value := strconv.FormatInt(chosen, 10); chosen != 0 && !fd.offers(value) {
		fd.Options = append(fd.Options, option{Value: value, Label: f.say(v, "deliveries.unknownHook", "ID", value), Chosen: true})
	}
	return fd
}

func (f *face) stateChoice(v *visit, chosen typus.DeliveryState) *field {
	fd := &field{Name: paramStanding, Label: "deliveries.state", Options: []option{{Label: f.say(v, "deliveries.allStates")}}}
	for _, state := range typus.DeliveryStates() {
		fd.Options = append(fd.Options, option{Value: string(state), Label: f.say(v, deliveryStateNames[state]), Chosen: state == chosen})
	}
	return fd
}

func (f *face) outcomeChoice(v *visit, chosen string) *field {
	fd := &field{Name: paramOutcome, Label: "deliveries.outcome", Options: []option{{Label: f.say(v, "deliveries.allOutcomes")}}}
	for _, outcome := range typus.DeliveryOutcomes() {
		fd.Options = append(fd.Options, option{Value: outcome, Label: f.say(v, deliveryOutcomeNames[outcome]), Chosen: outcome == chosen})
	}
	return fd
}
