package api

import (
	"net/http"

	"typus"
	"typus/internal/web"
)

// testLimit is how many requests a minute a key may make under /api/test (our choice): a test
// that waits for something asks often.
const testLimit = 600

// testRoutes are what a key of a test world opens beside those of /api/v1.
func (a *api) testRoutes() []web.Route {
	return []web.Route{
		{Method: "GET", Pattern: "/api/test/clock", Handle: a.worldClock},
		{Method: "POST", Pattern: "/api/test/clock", Handle: a.advance},
		{Method: "GET", Pattern: "/api/test/clock/{id}", Handle: a.moveOfClock},
		{Method: "GET", Pattern: "/api/test/letters", Handle: a.letters},
		{Method: "GET", Pattern: "/api/test/events", Handle: a.steady(a.events)},
		{Method: "POST", Pattern: "/api/test/credits", Handle: a.setCredits},
		{Method: "POST", Pattern: "/api/test/reset", Handle: a.reset},
	}
}

// onlyTestKeys refuses keys that open no test world, and those that may not do everything
// there: whoever moves the clock or reads letters reaches every candidate.
func onlyTestKeys(key typus.APIKey) error {
	switch {
	case !key.Test:
		return typus.Errorf(typus.Forbidden, "this key opens a live account; /api/test is for keys that begin with typ_test_: make one in the test mode of the dashboard, or with typus key create --account ID --name CI --test")
	case key.Limited():
		return typus.Errorf(typus.Forbidden, "this test key may not do everything, which all of /api/test asks for; use another test key")
	}
	return nil
}

// asKey is a key of the request as the audit log names it.
func asKey(r *http.Request) typus.Actor {
	return typus.Actor{Name: "api key " + keyOf(r.Context()).Fingerprint(), RequestID: web.RequestID(r.Context())}
}

// reset begins a test world anew.
func (a *api) reset(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err == nil {
		err = invalid(f.faults)
	}
	if err == nil {
		err = a.sandbox.Reset(r.Context(), keyOf(r.Context()).AccountID, asKey(r))
	}
	if err != nil {
		return err
	}
	return a.answerClock(w, r)
}

// creditsView is what a test world has to spend.
type creditsView struct {
	Balance int64 `json:"balance"`
}

// setCredits gives a test world a balance, to see what happens without credits.
func (a *api) setCredits(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r, "balance")
	if err != nil {
		return err
	}
	balance := f.number("balance")
	if err := invalid(f.faults); err != nil {
		return err
	}
	if err := a.sandbox.SetBalance(r.Context(), keyOf(r.Context()).AccountID, balance, asKey(r)); err != nil {
		return err
	}
	return answer(w, http.StatusOK, creditsView{balance})
}

// readForm reads the body of a call that has these members. Without a body it is empty.
func readForm(w http.ResponseWriter, r *http.Request, known ...string) (*form, error) {
	body, err := readBody(w, r)
	if err != nil {
		return nil, err
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	members, faults, err := readObject(body)
	if err != nil {
		return nil, err
	}
	f := newForm(members, faults)
	f.nearMisses(known...)
	f.add(readQuery(w, r, nil, foreign{known, "belongs in the JSON body"}).faults)
	return f, nil
}
