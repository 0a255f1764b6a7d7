package server_test

import (
	"net/http"
	"reflect"
	"slices"
	"testing"

	"typus"
	"typus/internal/server/servertest"
	"typus/internal/store/storetest"
)

// What is sent to people and programs must lead somewhere: a link is made in the root
// and answered by a face, and neither knows the other.
func TestEveryLinkThatIsSentIsAnswered(t *testing.T) {
	s := servertest.Start(t, storetest.OpenSQLite(t))
	l := typus.Links{BaseURL: s.URL}
	g := l.Of(typus.Account{})
	links := map[string]string{
		"Test": g.Test("abc"), "Reminders": g.Reminders("abc"), "Report": l.Report(7), "Dashboard": l.Dashboard(), "Credits": l.Credits(),
		"Webhooks": l.Webhooks(), "SecondFactor": l.SecondFactor(), "SetUp": l.SetUp("abc"), "ForgotPassword": l.ForgotPassword(),
		"Password": l.Password("abc"), "Expert": g.Expert("abc"), "Public": g.Public("abc"), "Enrolment": g.Enrolment("abc"), "OwnResult": g.OwnResult("abc"), "Confirm": l.Confirm("abc"), "TakeBack": l.TakeBack("abc"),
		"APIInvites": l.APIInvites(), "APICandidates": l.APICandidates(), "APICandidate": l.APICandidate(7), "APIMove": l.APIMove(7), "APILetters": l.APILetters(),
		"ErrorHelp": l.ErrorHelp("not_found"), "WebhookHelp": l.WebhookHelp(),
	}
	// Asked repeats what somebody asked for, whatever that was.
	noAddress := []string{"Secure", "Host", "Of", "Origin", "Asked"}
	for _, kind := range []reflect.Type{reflect.TypeFor[typus.Links](), reflect.TypeFor[typus.GuestLinks]()} {
		for i := range kind.NumMethod() {
			if name := kind.Method(i).Name; links[name] == "" && !slices.Contains(noAddress, name) {
				t.Errorf("%s is not looked at here", name)
			}
		}
	}
	_, testKey := s.TestWorld(t)
	for name, link := range links {
		// A table of routes answers 405 where there is something and 404 where there is
		// nothing.
		req, err := http.NewRequestWithContext(t.Context(), http.MethodTrace, link, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+s.Key)
		if name == "APIMove" || name == "APILetters" {
			req.Header.Set("Authorization", "Bearer "+testKey)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s: %s is answered with %s", name, link, resp.Status)
		}
	}
}
