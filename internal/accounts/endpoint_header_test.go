package accounts_test

import (
	"errors"
	"strings"
	"testing"

	"typus"
	"typus/internal/accounts"
	"typus/internal/seal"
	"typus/internal/webhook"
)

// headed is a webhook with a header of its own.
func (w *world) headed() int64 {
	w.Helper()
	id, _, err := w.Accounts.AddEndpoint(w.Ctx, w.Account, accounts.EndpointForm{
		URL: "https://hooks.example.com/", Header: webhook.Header{Name: "X-Gateway-Key", Value: "geheim-0123456789"},
	}, ada)
	if err != nil {
		w.Fatal(err)
	}
	return id
}

func (w *world) header(id int64) webhook.Header {
	w.Helper()
	e, err := w.Store.Endpoint(w.Ctx, w.Account, id)
	if err != nil {
		w.Fatal(err)
	}
	h, err := w.Accounts.OwnHeader(e)
	if err != nil {
		w.Error(err)
	}
	return h
}

// wrong are the faults of an error as "field code", in their order.
func wrong(err error) string {
	var list []string
	if invalid, ok := errors.AsType[*typus.Error](err); ok {
		for _, f := range invalid.Fields {
			list = append(list, f.Name+" "+f.Code)
		}
	}
	return strings.Join(list, ",")
}

func TestAnOwnHeaderIsKeptChangedAndRemoved(t *testing.T) {
	run(t, func(w *world) {
		id := w.headed()
		edit := func(form accounts.EndpointForm) error {
			w.Helper()
			if form.URL == "" {
				form.URL = "https://hooks.example.com/other?x=1"
			}
			return w.Accounts.EditEndpoint(w.Ctx, w.Account, id, form, ada, agreed)
		}
		first := webhook.Header{Name: "X-Gateway-Key", Value: "geheim-0123456789"}
		second := webhook.Header{Name: "Authorization", Value: "Bearer 9876543210"}
		for _, step := range []struct {
			form accounts.EndpointForm
			want webhook.Header
			says string
		}{
			{accounts.EndpointForm{}, first, ""},
			{accounts.EndpointForm{Header: webhook.Header{Name: first.Name}}, first, ""},
			{accounts.EndpointForm{Header: webhook.Header{Name: "Other"}}, first, "header_value required"},
			{accounts.EndpointForm{Header: webhook.Header{Value: "x"}}, first, "header_name required"},
			{accounts.EndpointForm{Header: webhook.Header{Name: "Host", Value: "a\nb"}}, first, "header_name invalid,header_value invalid"},
			{accounts.EndpointForm{URL: "x", Header: webhook.Header{Name: "webhook-id", Value: "x"}}, first, "url invalid,header_name invalid"},
			{accounts.EndpointForm{Header: webhook.Header{Name: " Authorization ", Value: " Bearer 9876543210 "}}, second, ""},
			{accounts.EndpointForm{DropHeader: true, Header: webhook.Header{Name: "Host", Value: "x"}}, webhook.Header{}, ""},
			{accounts.EndpointForm{Header: webhook.Header{Name: "A"}}, webhook.Header{}, "header_value required"},
			{accounts.EndpointForm{Header: first}, first, ""},
		} {
			if err := edit(step.form); wrong(err) != step.says {
				w.Errorf("%+v: %v, want %q", step.form, err, step.says)
			}
			if got := w.header(id); got != step.want {
				w.Errorf("%+v: %+v, want %+v", step.form, got, step.want)
			}
		}
		if err := w.Accounts.DeleteEndpoint(w.Ctx, w.Account, id, ada); err != nil {
			w.Fatal(err)
		}
		if got := w.header(id); got != (webhook.Header{}) {
			w.Errorf("a deleted webhook has kept %+v", got)
		}
		entries, err := w.Store.Audit(w.Ctx, w.Account, 100)
		if err != nil {
			w.Fatal(err)
		}
		for _, e := range entries {
			if strings.Contains(e.Detail, "geheim") || strings.Contains(e.Detail, "Bearer") {
				w.Errorf("audit %+v", e)
			}
		}
	})
}

// Whoever may change an address does not learn the header by leading it elsewhere.
func TestAnOwnHeaderDoesNotMoveToAnotherHostByItself(t *testing.T) {
	run(t, func(w *world) {
		id := w.headed()
		kept := webhook.Header{Name: "X-Gateway-Key", Value: "geheim-0123456789"}
		for _, url := range []string{"https://evil.example.com/", "https://hooks.example.com:8443/", "https://hooks.example.com.evil.example.com/"} {
			if err := w.Accounts.EditEndpoint(w.Ctx, w.Account, id, accounts.EndpointForm{URL: url}, ada, agreed); wrong(err) != "header_value moved" {
				w.Errorf("%s: %v", url, err)
			}
			e, err := w.Store.Endpoint(w.Ctx, w.Account, id)
			if err != nil || e.URL != "https://hooks.example.com/" || w.header(id) != kept {
				w.Errorf("%s: %+v, %v", url, e, err)
			}
		}
		moved := accounts.EndpointForm{URL: "https://new.example.com/", Header: webhook.Header{Name: "X-New", Value: "neu"}}
		if err := w.Accounts.EditEndpoint(w.Ctx, w.Account, id, moved, ada, agreed); err != nil || w.header(id) != moved.Header {
			w.Errorf("typed again: %v, %+v", err, w.header(id))
		}
		if err := w.Accounts.EditEndpoint(w.Ctx, w.Account, id, accounts.EndpointForm{URL: "https://third.example.com/", DropHeader: true}, ada, agreed); err != nil {
			w.Error(err)
		}
		if err := w.Accounts.EditEndpoint(w.Ctx, w.Account, id, accounts.EndpointForm{URL: "https://fourth.example.com/"}, ada, agreed); err != nil {
			w.Error(err)
		}
	})
}

func TestAnOwnHeaderIsSealedForItsWebhook(t *testing.T) {
	run(t, func(w *world) {
		id := w.headed()
		e, err := w.Store.Endpoint(w.Ctx, w.Account, id)
		if err != nil || strings.Contains(e.StaticHeader, "geheim") {
			w.Fatalf("%q, %v", e.StaticHeader, err)
		}
		e.ID++
		if _, err := w.Accounts.OwnHeader(e); !errors.Is(err, seal.ErrDamaged) {
			w.Errorf("the header of another webhook opens: %v", err)
		}
	})
}

// agreed takes whatever is stored by then.
func agreed(typus.Endpoint) bool { return true }
