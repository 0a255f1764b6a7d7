package api_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"typus"
	"typus/internal/accounts"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// letters counts the invitation letters of the world's account.
func (w *world) letters() int {
	w.Helper()
	list, err := w.Store.Letters(w.Context(), w.Account, 1000)
	if err != nil {
		w.Fatal(err)
	}
	n := 0
	for _, l := range list {
		if l.Kind == typus.LetterInvitation {
			n++
		}
	}
	return n
}

// candidates counts the candidates of a key's account.
func (w *world) candidates() int {
	w.Helper()
	return len(parse[candidateList](w.T, w.do(call{path: "/api/v1/candidates?limit=100"})).Candidates)
}

func TestAnInvitationIsAnsweredWithTheFourFieldsOfTheSeed(t *testing.T) {
	w := newWorld(t)
	r := w.do(call{path: "/api/v1/invites", body: `{` + person + `,"external_id":"crm-42"}`})
	i := parse[invitation](t, r)
	want := `{"ok":true,"invite_url":"` + baseURL + `/t/` + i.CandidateToken + `","candidate_token":"` + i.CandidateToken + `","external_id":"crm-42"}`
	if r.status != 201 || r.body != want {
		t.Errorf("got %d %s", r.status, r.body)
	}
	if got := r.header.Get("Location"); got != baseURL+"/api/v1/candidates/100000000000001" {
		t.Errorf("Location is %q", got)
	}
	if n := w.letters(); n != 1 {
		t.Errorf("%d letters, want 1", n)
	}
}

func TestNoLetterGoesOutWhenTheClientWritesItself(t *testing.T) {
	w := newWorld(t)
	w.invite(`{` + person + `,"send_email":false}`)
	if n := w.letters(); n != 0 {
		t.Errorf("%d letters, want none", n)
	}
}

func TestInvitingBooksNoCredit(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.invite(`{` + person + `}`)
	}
	a, err := w.Store.Account(t.Context(), w.Account)
	if err != nil || a.Credits != 10 {
		t.Errorf("balance %d (%v), want 10", a.Credits, err)
	}
}

func TestARepeatGivesTheSameLinkAndNoSecondLetter(t *testing.T) {
	w := newWorld(t)
	first := w.do(call{path: "/api/v1/invites", body: `{` + person + `,"external_id":"crm-42"}`})
	again := w.do(call{path: "/api/v1/invites", body: `{"name":"Jana Meier","email":"JANA.Mueller@example.com","external_id":"crm-42"}`})
	if first.status != 201 || again.status != 200 || first.body != again.body {
		t.Fatalf("got %d %s\nand %d %s", first.status, first.body, again.status, again.body)
	}
	if again.header.Get("Location") != first.header.Get("Location") {
		t.Error("the repeat names another candidate")
	}
	if n := w.letters(); n != 1 {
		t.Errorf("%d letters, want 1", n)
	}
	if c := parse[candidate](t, w.do(call{path: "/api/v1/candidates/crm-42"})); c.Name != "Jana Meier" || c.Email != "jana.mueller@example.com" {
		t.Errorf("got %q %q, want the new name and the old address", c.Name, c.Email)
	}
}

func TestARepeatMailsIfNoLetterWasEverQueued(t *testing.T) {
	w := newWorld(t)
	w.invite(`{` + person + `,"external_id":"x","send_email":false}`)
	w.invite(`{` + person + `,"external_id":"x"}`)
	w.invite(`{` + person + `,"external_id":"x"}`)
	if n := w.letters(); n != 1 {
		t.Errorf("%d letters, want 1", n)
	}
}

func TestTheSameExternalIDIsInvitedAnewOnceTheTestIsOver(t *testing.T) {
	body := `{` + person + `,"external_id":"x"}`
	for name, end := range map[string]func(w *world, token string, id int64){
		"finished": func(w *world, token string, _ int64) { w.finish(token) },
		"cancelled": func(w *world, _ string, id int64) {
			if err := w.Assess.Cancel(w.Context(), store.WholeAccount(w.Account), id, typus.Actor{Name: "operator"}); err != nil {
				w.Fatal(err)
			}
		},
		"expired": func(w *world, _ string, _ int64) { w.Clock.Later(31 * 24 * time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			i := w.invite(body)
			id := parse[candidate](t, w.do(call{path: "/api/v1/candidates/x"})).ID
			end(w, i.CandidateToken, id)
			if r := w.do(call{path: "/api/v1/invites", body: body}); r.status != 201 || strings.Contains(r.body, i.CandidateToken) {
				t.Errorf("got %d %s, want a new invitation", r.status, r.body)
			}
			if c := parse[candidate](t, w.do(call{path: "/api/v1/candidates/x"})); c.ID != id+1 {
				t.Errorf("external_id reads %d, want the newest, %d", c.ID, id+1)
			}
		})
	}
}

func TestAnotherAddressOrNoExternalIDIsANewCandidate(t *testing.T) {
	w := newWorld(t)
	for _, body := range []string{
		`{` + person + `,"external_id":"x"}`, `{"name":"A","email":"other@example.com","external_id":"x"}`,
		`{` + person + `}`, `{` + person + `}`, `{` + person + `,"external_id":"X"}`,
	} {
		if r := w.do(call{path: "/api/v1/invites", body: body}); r.status != 201 {
			t.Errorf("%s: got %d", body, r.status)
		}
	}
}

func TestAStarterAccountWithoutCreditsIsRefusedAndNothingIsStored(t *testing.T) {
	w := newWorld(t)
	_, _, empty := w.newAccount("Leer GmbH", typus.PlanStarter, 0)
	for range 2 {
		r := w.do(call{path: "/api/v1/invites", body: `{` + person + `}`, key: empty})
		if p := parse[problem](t, r); r.status != 402 || p.Code != "no_credits" {
			t.Errorf("got %d %s", r.status, r.body)
		}
	}
	if r := w.do(call{key: empty}); r.body != `{"candidates":[]}` {
		t.Errorf("something was stored: %s", r.body)
	}
	if r := w.do(call{path: "/api/v1/invites", body: `{}`, key: empty, invalid: true}); r.status != 400 {
		t.Errorf("wrong input is answered with %d before credits, want 400", r.status)
	}
	_, _, business := w.newAccount("Groß AG", typus.PlanBusiness, 0)
	if r := w.do(call{path: "/api/v1/invites", body: `{` + person + `}`, key: business}); r.status != 201 {
		t.Errorf("a business account is answered with %d", r.status)
	}
}

func TestARepeatNeedsNoCredit(t *testing.T) {
	w := newWorld(t)
	_, _, key := w.newAccount("Eins GmbH", typus.PlanStarter, 1)
	invite := func(externalID string) reply {
		return w.do(call{path: "/api/v1/invites", body: `{` + person + `,"external_id":"` + externalID + `"}`, key: key})
	}
	invite("a")
	w.finish(parse[invitation](t, invite("b")).CandidateToken)
	if r := invite("a"); r.status != 200 {
		t.Errorf("the repeat got %d %s", r.status, r.body)
	}
	if r := invite("c"); r.status != 402 {
		t.Errorf("a new one got %d", r.status)
	}
}

func TestFiftyEqualIdempotentCallsMakeOneCandidateAndOneLetter(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		c := call{path: "/api/v1/invites", body: `{` + person + `}`, header: []string{"Idempotency-Key", "order 66"}}
		replies := make([]reply, 50)
		var all sync.WaitGroup
		for i := range replies {
			all.Go(func() { replies[i] = w.do(c) })
		}
		all.Wait()
		fresh := 0
		for _, r := range replies {
			if r.status != 201 || r.body != replies[0].body || r.header.Get("Location") != replies[0].header.Get("Location") {
				t.Errorf("got %d %s", r.status, r.body)
			}
			if r.header.Get("Idempotent-Replayed") == "" {
				fresh++
			}
		}
		if n, l := w.candidates(), w.letters(); fresh != 1 || n != 1 || l != 1 {
			t.Errorf("%d fresh answers, %d candidates, %d letters; want 1, 1, 1", fresh, n, l)
		}
	})
}

func TestAnIdempotencyKeyIsForOneBodyAndOneDay(t *testing.T) {
	w := newWorld(t)
	one, other := `{`+person+`}`, `{`+person+`,"send_email":false}`
	header := []string{"Idempotency-Key", strings.Repeat("k", 255)}
	send := func(body string) reply { return w.do(call{path: "/api/v1/invites", body: body, header: header}) }
	first := send(one)
	w.Clock.Later(23 * time.Hour)
	if r := send(one); r.status != 201 || r.body != first.body || r.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the same call: %d %s", r.status, r.body)
	}
	if r := send(other); r.status != 409 || parse[problem](t, r).Code != "conflict" || r.header.Get("Retry-After") != "" {
		t.Errorf("another body: %d %s", r.status, r.body)
	}
	_, _, foreign := w.newAccount("Andere GmbH", typus.PlanStarter, 1)
	if r := w.do(call{path: "/api/v1/invites", body: other, header: header, key: foreign}); r.status != 201 {
		t.Errorf("the same Idempotency-Key of another API key: %d %s", r.status, r.body)
	}
	w.Clock.Later(2 * time.Hour)
	if r := send(other); r.status != 201 || r.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("a day later: %d %s", r.status, r.body)
	}
}

func TestAReplayCarriesWhatIncludeAsksForNow(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		for _, key := range []string{"plain first", "extra first"} {
			send := func(query string) reply {
				return w.do(call{path: "/api/v1/invites" + query, body: `{` + person + `}`, header: []string{"Idempotency-Key", key}})
			}
			queries := []string{"", "?include=extra", ""}
			if key == "extra first" {
				queries = []string{"?include=extra", "", "?include=extra"}
			}
			first := parse[invitation](t, send(queries[0]))
			for n, query := range queries {
				r := send(query)
				i := parse[invitation](t, r)
				if r.status != 201 || r.header.Get("Idempotent-Replayed") != "true" || i.InviteURL != first.InviteURL {
					t.Errorf("%s, replay %d: %d %s", key, n, r.status, r.body)
				}
				asked := query != ""
				if has := strings.Contains(r.body, `"extra"`); has != asked {
					t.Errorf("%s, replay %d with %q: %s", key, n, query, r.body)
				}
				if asked && (i.Extra.InviteURL != first.InviteURL || i.Extra.Mail != "queued" || i.Extra.Language != "de") {
					t.Errorf("%s, replay %d: extra %+v", key, n, i.Extra)
				}
			}
		}
		if n := w.candidates(); n != 2 {
			t.Errorf("%d candidates, want 2", n)
		}
	})
}

func TestAKeyWhosePersonIsErasedIsAConflictForItsDay(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		c := call{path: "/api/v1/invites", body: `{` + person + `,"external_id":"x"}`, header: []string{"Idempotency-Key", "k"}}
		w.do(c)
		id := parse[candidate](t, w.do(call{path: "/api/v1/candidates/x"})).ID
		if err := w.Assess.Erase(t.Context(), store.WholeAccount(w.Account), id, typus.Actor{Name: "operator"}); err != nil {
			t.Fatal(err)
		}
		r := w.do(c)
		p := parse[problem](t, r)
		if r.status != 409 || p.Code != "conflict" || len(p.Errors) != 1 || p.Errors[0].Code != "erased" || p.Errors[0].Field != "Idempotency-Key" || r.header.Get("Retry-After") != "" {
			t.Errorf("got %d %s", r.status, r.body)
		}
		if n := w.candidates(); n != 0 {
			t.Errorf("%d candidates, want none", n)
		}
		w.Clock.Later(24 * time.Hour)
		if r := w.do(c); r.status != 201 {
			t.Errorf("a day later: %d %s", r.status, r.body)
		}
	})
}

func TestARepeatThatDiffersSaysWhatBecameOfIt(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		invite := func(more string) reply {
			return w.do(call{path: "/api/v1/invites?include=extra", body: `{` + person + `,"external_id":"x"` + more + `}`})
		}
		token := parse[invitation](t, invite(`,"send_email":false`)).CandidateToken
		r := invite(`,"language":"en","role_profile":"hunter"`)
		if e := parse[invitation](t, r).Extra; r.status != 200 || e.Language != "en" || e.RoleProfile != "hunter" || e.Mail != "queued" {
			t.Errorf("while it is open: %d %s", r.status, r.body)
		}
		if e := parse[candidate](t, w.do(call{path: "/api/v1/candidates/x?include=extra"})).Extra; e.Language != "en" || e.RoleProfile != "hunter" {
			t.Errorf("it is read back as %+v", e)
		}
		if err := w.Assess.Begin(t.Context(), token, typus.Notice{Version: "1", Language: "en"}, "Hinweis"); err != nil {
			t.Fatal(err)
		}
		for _, same := range []string{``, `,"language":"de"`, `,"role_profile":"hunter"`, `,"role_profile":null,"language":null`} {
			if r := invite(same); r.status != 200 || parse[invitation](t, r).Extra.Language != "en" {
				t.Errorf("%s: %d %s", same, r.status, r.body)
			}
		}
		r = invite(`,"role_profile":"general_sales"`)
		p := parse[problem](t, r)
		if r.status != 409 || p.Code != "conflict" || len(p.Errors) != 1 || p.Errors[0].Field != "role_profile" || p.Errors[0].Code != "already_begun" ||
			!strings.Contains(p.Detail, `"hunter"`) || !strings.Contains(p.Errors[0].Message, "new external_id") || r.header.Get("Retry-After") != "" {
			t.Errorf("another role profile: %d %s", r.status, r.body)
		}
	})
}

func TestACallThatWaitsTooLongForItsTwinIsToldToTryAgain(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t)) // SQLite has one writer: a call never waits for a lock
	w := newWorldOn(t, s, nil)
	w.do(call{}) // the use of the key is noted before the twin holds its rows
	holds, release := make(chan struct{}), make(chan struct{})
	twin := make(chan error, 1)
	go func() {
		twin <- s.InTx(context.Background(), func(tx *store.Tx) error {
			_, err := tx.ClaimIdempotencyKey(context.Background(), w.keyID, "k", "x", w.Clock.Now())
			close(holds)
			<-release
			return errors.Join(err, errors.New("the twin fails"))
		})
	}()
	<-holds
	c := call{path: "/api/v1/invites", body: `{` + person + `}`, header: []string{"Idempotency-Key", "k"}}
	if r := w.do(c); r.status != 409 || r.header.Get("Retry-After") != "1" || parse[problem](t, r).Errors[0].Code != "busy" {
		t.Errorf("got %d, Retry-After %q: %s", r.status, r.header.Get("Retry-After"), r.body)
	}
	close(release)
	if err := <-twin; err == nil {
		t.Fatal("the twin did not fail")
	}
	if r := w.do(c); r.status != 201 {
		t.Errorf("after the twin is gone: %d %s", r.status, r.body)
	}
}

func TestOnlySuccessIsReplayed(t *testing.T) {
	w := newWorld(t)
	account, _, key := w.newAccount("Leer GmbH", typus.PlanStarter, 0)
	header := []string{"Idempotency-Key", "k"}
	if r := w.do(call{path: "/api/v1/invites", body: `{`, header: header, key: key, invalid: true}); r.status != 400 {
		t.Fatalf("got %d", r.status)
	}
	c := call{path: "/api/v1/invites", body: `{` + person + `}`, header: header, key: key}
	if r := w.do(c); r.status != 402 {
		t.Fatalf("got %d", r.status)
	}
	if _, _, err := w.Accounts.GrantCredits(t.Context(), account, accounts.Grant{Amount: 1, Note: "more", Actor: "operator"}); err != nil {
		t.Fatal(err)
	}
	if r := w.do(c); r.status != 201 || r.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("after the refusals: %d %s", r.status, r.body)
	}
}

func TestABadIdempotencyKeyIsNamed(t *testing.T) {
	w := newWorld(t)
	for key, want := range map[string]string{
		"":                       "Idempotency-Key invalid",
		strings.Repeat("k", 256): "Idempotency-Key too_long",
		"ä":                      "Idempotency-Key invalid",
		"a\tb":                   "Idempotency-Key invalid",
	} {
		r := w.do(call{path: "/api/v1/invites", body: `{` + person + `}`, header: []string{"Idempotency-Key", key}, invalid: true})
		if got := names(parse[problem](t, r)); r.status != 400 || len(got) != 1 || got[0] != want {
			t.Errorf("%q: got %d %v, want %s", key, r.status, got, want)
		}
	}
}

func TestUnknownMembersOfTheBodyChangeNothing(t *testing.T) {
	w := newWorld(t)
	_, _, foreign := w.newAccount("Andere GmbH", typus.PlanStarter, 1)
	created := w.do(call{invalid: true, path: "/api/v1/invites", body: `{` + person + `,"external_id":"x","id":7,"status":"abgeschlossen","account_id":` + strconv.FormatInt(w.Account+1, 10) +
		`,"credits":1000,"plan":"business","scores":{"overall":100},"created_at":"2000-01-01T00:00:00Z","completed_at":"2000-01-01T00:00:00Z",` +
		`"candidate_token":"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz","expires_at":"2099-01-01T00:00:00Z","ok":false,"instrument":"x@1","cancelled_at":1}`})
	if created.status != 201 {
		t.Fatalf("got %d %s", created.status, created.body)
	}
	r := w.do(call{path: "/api/v1/candidates/x?include=extra"})
	c := parse[candidate](t, r)
	if c.ID != 100000000000001 || c.Status != "offen" || c.CreatedAt != "2026-11-27T10:20:30Z" || c.CompletedAt != nil || c.Scores != nil ||
		c.Extra.ExpiresAt != "2026-12-27T10:20:30Z" || c.Extra.CancelledAt != nil || strings.Contains(r.body, "zzzz") {
		t.Errorf("got %s", r.body)
	}
	if a, err := w.Store.Account(t.Context(), w.Account); err != nil || a.Credits != 10 || a.Plan != typus.PlanStarter {
		t.Errorf("the account became %+v (%v)", a, err)
	}
	if r := w.do(call{key: foreign}); r.body != `{"candidates":[]}` {
		t.Errorf("another account sees %s", r.body)
	}
}

func TestExtraTellsOfLinkReportAndLetter(t *testing.T) {
	w := newWorld(t)
	r := w.do(call{path: "/api/v1/invites?include=extra", body: `{` + person + `,"external_id":"x","language":"en","role_profile":"hunter"}`})
	i := parse[invitation](t, r)
	want := `,"extra":{"id":100000000000001,"invite_url":"` + i.InviteURL + `","report_url":"` + baseURL + `/dashboard/kandidat/100000000000001",` +
		`"language":"en","role_profile":"hunter","started_at":null,"expires_at":"2026-12-27T10:20:30Z","cancelled_at":null,"mail":"queued",` +
		`"instrument":null,"overall_band":null,"fit_borderline":null,"archetype":null,"norm":null,"interpretable":null,"position":null}}`
	if !strings.HasSuffix(r.body, want) {
		t.Errorf("got  %s\nwant …%s", r.body, want)
	}
	if r := w.do(call{path: "/api/v1/candidates/x?include=extra"}); !strings.HasSuffix(r.body, want) {
		t.Errorf("the single read: %s", r.body)
	}
	if r := w.do(call{path: "/api/v1/candidates?include=extra"}); !strings.HasSuffix(r.body, want+"]}") {
		t.Errorf("the list: %s", r.body)
	}
	none := parse[invitation](t, w.do(call{path: "/api/v1/invites?include=extra", body: `{` + person + `,"send_email":false}`}))
	if none.Extra.Mail != "none" || none.Extra.Language != "de" || none.Extra.RoleProfile != "general_sales" {
		t.Errorf("got %+v", none.Extra)
	}
}

// The values of mail are frozen; a letter of which nobody knows whether it arrived
// waits for a person, and is not sent again by a repeat.
func TestAnUncertainLetterIsHeldOnTheWireAndNotSentAgainByARepeat(t *testing.T) {
	w := newWorld(t)
	body := `{` + person + `,"external_id":"x"}`
	w.do(call{path: "/api/v1/invites", body: body})
	letters, err := w.Store.ClaimLetters(t.Context(), store.Claim{Owner: "me", Lease: time.Hour, Limit: 1})
	if err != nil || len(letters) != 1 {
		t.Fatal(letters, err)
	}
	letters[0].State = typus.LetterUncertain
	if _, err := w.Store.FinishLetter(t.Context(), "me", letters[0], 0); err != nil {
		t.Fatal(err)
	}
	if again := parse[invitation](t, w.do(call{path: "/api/v1/invites?include=extra", body: body})); again.Extra.Mail != "held" {
		t.Errorf("mail is %q", again.Extra.Mail)
	}
	if n, err := w.Store.QueuedLetters(t.Context()); n != 0 || err != nil {
		t.Errorf("%d letters wait, %v", n, err)
	}
}

func TestIncludeKnowsExtraOnly(t *testing.T) {
	w := newWorld(t)
	w.invite(`{` + person + `,"external_id":"x"}`)
	for _, value := range []string{"include=", "include=Extra", "include=scores", "include=extra,scores", "include=extra&include=extra", "Include=extra"} {
		for _, c := range []call{
			{path: "/api/v1/invites?" + value, body: `{` + person + `}`, invalid: true},
			{path: "/api/v1/candidates?" + value, invalid: true},
			{path: "/api/v1/candidates/x?" + value, invalid: true},
		} {
			if r := w.do(c); r.status != http.StatusBadRequest || !strings.EqualFold(parse[problem](t, r).Errors[0].Field, "include") {
				t.Errorf("%s: %d %s", c.path, r.status, r.body)
			}
		}
	}
}
