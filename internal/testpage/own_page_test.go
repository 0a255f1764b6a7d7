package testpage

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/clerk"
	"typus/internal/page/browsertest"
	"typus/internal/page/pagetest"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

const (
	locked    = "Zum Schutz Ihres Ergebnisses schicken wir einen Code an k***@example.com."
	described = "So haben Sie sich beschrieben"
	unopened  = "Noch hat bei Muster Software GmbH niemand diese Seite Ihres Ergebnisses geöffnet."
)

// shows lets candidates of the account see their results at once.
func (w *world) shows(policy typus.OwnResultPolicy, reason string) {
	w.Helper()
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		return tx.SetOwnTerms(w.Ctx, w.Account, typus.OwnResultTerms{Policy: policy, Reason: reason})
	}))
}

// codes are the codes that letters bring to a candidate, the earliest first.
func (w *world) codes(id int64) []string {
	w.Helper()
	letters, err := w.Store.LettersOf(w.Ctx, w.Account, id)
	w.Must(err)
	var codes []string
	for _, l := range letters {
		if l.Kind != typus.LetterOwnCode {
			continue
		}
		code, err := w.Box.Open(l.Detail, l.DetailAAD())
		w.Must(err)
		if !l.Urgent {
			w.Error("a code waits behind other letters")
		}
		codes = append(codes, string(code))
	}
	return codes
}

// wrong is a code that is none of those.
func wrong(codes ...string) string {
	for _, c := range []string{"000000", "111111", "222222"} {
		if !strings.Contains(strings.Join(codes, " "), c) {
			return c
		}
	}
	return "333333"
}

// The team knows the link, and so may a system that it works with: on another device the
// result opens by a code that only the candidate's address gets.
func TestTheOwnResultOpensByACodeToTheCandidateAndNotByTheLink(t *testing.T) {
	w := newWorld(t)
	w.shows(typus.OwnResultAtOnce, "")
	own, other := w.reader("de"), w.reader("de")
	out := w.handed(own, false)
	own.press("Zur Ergebnisseite")
	if !own.says(described) || !own.says(unopened) || !own.says("Was Muster Software GmbH sieht") {
		t.Errorf("the device that handed in sees:\n%s", own.body)
	}
	other.open("/t/" + out.Token)
	other.press("Zur Ergebnisseite")
	if !other.says(locked) || other.says(described) {
		t.Errorf("the link alone shows:\n%s", other.body)
	}
	other.press("Code schicken")
	other.on("/ergebnis/code", 200)
	codes := w.codes(out.Candidate.ID)
	if len(codes) != 1 || len(codes[0]) != 6 {
		t.Fatalf("codes %q", codes)
	}
	other.press("Ergebnis öffnen", "code", wrong(codes...))
	if other.status != http.StatusUnprocessableEntity || !other.says("Dieser Code gilt nicht") {
		t.Errorf("%d:\n%s", other.status, other.body)
	}
	other.press("Ergebnis öffnen", "code", codes[0][:3]+" "+codes[0][3:])
	other.on("/ergebnis", 200)
	if !other.says(described) {
		t.Errorf("the code opens:\n%s", other.body)
	}
	third := w.reader("de")
	third.open("/t/" + out.Token + "/ergebnis/code")
	third.press("Ergebnis öffnen", "code", codes[0])
	if third.status != http.StatusUnprocessableEntity {
		t.Errorf("a code is good twice: %d", third.status)
	}
	w.Later(assess.OwnResultLife - time.Second)
	if other.open("/t/" + out.Token + "/ergebnis"); !other.says(described) {
		t.Error("the code does not open it for a day")
	}
	w.Later(time.Second)
	if other.open("/t/" + out.Token + "/ergebnis"); other.says(described) {
		t.Error("the code opens it for more than a day")
	}
}

// A code that went to an address proves nothing once that address is corrected: neither the
// code that waits, nor what one that was entered has opened.
func TestACodeToAWrongAddressIsGoodUntilItIsCorrected(t *testing.T) {
	w := newWorld(t)
	w.shows(typus.OwnResultAtOnce, "")
	own, other := w.reader("de"), w.reader("de")
	out := w.handed(own, false)
	page := "/t/" + out.Token + "/ergebnis"
	other.open(page)
	other.press("Code schicken")
	other.press("Ergebnis öffnen", "code", w.codes(out.Candidate.ID)[0])
	other.on("/ergebnis", 200)
	w.Later(2 * time.Minute)
	w.Must(w.Assess.SendOwnCode(w.Ctx, out.Token, "", ""))
	waiting := w.codes(out.Candidate.ID)[1]
	all, by := store.WholeAccount(w.Account), typus.Actor{Name: "owner@example.com"}
	w.Must(w.Assess.Correct(w.Ctx, all, out.Candidate.ID, "Kim Muster", out.Candidate.Email, by, nil))
	if other.open(page); !other.says(described) {
		t.Error("another name closes the page")
	}
	w.Must(w.Assess.Correct(w.Ctx, all, out.Candidate.ID, "Kim Muster", "richtig@example.com", by, nil))
	if other.open(page); other.says(described) || !other.says("nach der Einladung geändert") {
		t.Errorf("what the former address opened is open:\n%s", other.body)
	}
	if _, err := w.Assess.EnterOwnCode(w.Ctx, out.Token, assess.Entry{Code: waiting}); !typus.Is(err, typus.Invalid) {
		t.Errorf("the code to the former address: %v", err)
	}
	if own.open(page); !own.says(described) {
		t.Error("the device that handed in is not known any more")
	}
}

// Whoever may correct an address is not the candidate: a code to what the team has typed opens
// nothing, whenever it was typed, until the candidate confirms it on the device that handed in.
func TestACodeToAnAddressOfTheTeamProvesNobody(t *testing.T) {
	w := newWorld(t)
	w.shows(typus.OwnResultAtOnce, "")
	own, other := w.reader("de"), w.reader("de")
	out := w.begun("de")
	w.correct(out, "team@example.com")
	w.filled(out.Token, false)
	own.open("/t/" + out.Token + "/abgabe")
	own.press("Abgeben")
	page := "/t/" + out.Token + "/ergebnis"
	w.refused(other, page)
	w.correct(out, out.Candidate.Email)
	if other.open(page); !other.says("Code schicken") {
		t.Errorf("the address of the invitation is none any more:\n%s", other.body)
	}
	w.correct(out, "neu@example.com")
	w.refused(other, page)
	if len(w.codes(out.Candidate.ID)) > 0 {
		t.Error("a code was sent")
	}
	own.open(page)
	own.press("Code schicken")
	code := w.codes(out.Candidate.ID)[0]
	if _, err := w.Assess.EnterOwnCode(w.Ctx, out.Token, assess.Entry{Code: code}); !typus.Is(err, typus.Invalid) {
		t.Errorf("the code on another device: %v", err)
	}
	own.press("Ergebnis öffnen", "code", code)
	if own.on("/ergebnis", 200); own.says("hat die Adresse zu Ihrem Test geändert") {
		t.Errorf("the address is not confirmed:\n%s", own.body)
	}
	if other.open(page); !other.says("Code schicken") {
		t.Errorf("no code goes to a confirmed address:\n%s", other.body)
	}
	log, err := w.Store.AuditLog(w.Ctx, store.WholeAccount(w.Account), store.AuditFilter{Action: typus.AuditOwnEntered, Limit: 9})
	w.Must(err)
	if len(log) != 1 || log[0].CandidateID != out.Candidate.ID {
		t.Errorf("the log says of the code: %+v", log)
	}
}

func (w *world) correct(out assess.Invited, email string) {
	w.Helper()
	w.Must(w.Assess.Correct(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, out.Candidate.Name, email, typus.Actor{Name: "owner@example.com"}, nil))
}

// refused holds that no code is sent to who has the link, and that they read whom to ask.
func (w *world) refused(r *reader, page string) {
	w.Helper()
	r.open(page)
	if !r.says("nach der Einladung geändert") || !r.says("owner@example.com") || r.says("Code schicken") {
		w.Errorf("who has the link sees:\n%s", r.body)
	}
	r.do("POST", r.at.JoinPath("code", "senden"), nil)
	if r.status != http.StatusConflict || !r.says("nach der Einladung geändert") {
		w.Errorf("%d:\n%s", r.status, r.body)
	}
}

// Whoever presses twice has entered the code once: the same page sent again is known as the
// first time, for no longer, and no try is counted. Another page with the same code is not.
func TestACodeSentTwiceByOnePageIsRightTwice(t *testing.T) {
	w := newWorld(t)
	out := w.handed(w.reader("de"), false)
	w.Must(w.Assess.SendOwnCode(w.Ctx, out.Token, "", ""))
	sent := assess.Entry{Code: w.codes(out.Candidate.ID)[0], Form: "FORM"}
	var right atomic.Int64
	atOnce(8, func() error {
		kept, err := w.Assess.EnterOwnCode(w.Ctx, out.Token, sent)
		if kept != "" {
			right.Add(1)
		}
		return err
	}, func(err error) { w.Must(err) })
	if right.Load() != 8 {
		t.Errorf("%d of 8 are known", right.Load())
	}
	other := sent
	other.Form = "OTHER"
	_, err := w.Assess.EnterOwnCode(w.Ctx, out.Token, other)
	w.WantKind(err, typus.Invalid)
	w.Later(assess.OwnResultLife)
	kept, err := w.Assess.EnterOwnCode(w.Ctx, out.Token, sent)
	w.Must(err)
	if proof := w.Assess.Proof(w.test(out.Token), kept); proof != "" {
		t.Errorf("a day later it proves %q", proof)
	}
}

// Who has the link and asks for codes elsewhere keeps the candidate from none.
func TestNobodyElsewhereKeepsACandidateFromACode(t *testing.T) {
	w := newWorld(t)
	out := w.handed(w.reader("de"), false)
	ask := func(ip string) error {
		w.Later(2 * time.Minute) // the code before is no more what a second letter would repeat
		return w.Assess.SendOwnCode(w.Ctx, out.Token, "", ip)
	}
	refused := 0
	for n := range 20 {
		if err := ask(fmt.Sprintf("203.0.%d.9", n%2)); typus.Is(err, typus.TooMany) {
			refused++
		} else {
			w.Must(err)
		}
	}
	if refused == 0 {
		t.Error("whoever asks again and again from one network is never made to wait")
	}
	w.Must(ask("198.51.100.7"))
}

// What a device proves about one candidate proves nothing about another, and nothing about
// somebody who is erased.
func TestTheCookieOfOneCandidateOpensNoOther(t *testing.T) {
	w := newWorld(t)
	w.shows(typus.OwnResultAtOnce, "")
	own, other := w.reader("de"), w.reader("de")
	mine, theirs := w.handed(own, false), w.handed(other, false)
	copied := own.client.Jar.Cookies(parse(t, w.server.URL+"/t/"+mine.Token))
	thief := w.reader("de")
	thief.client.Jar.SetCookies(parse(t, w.server.URL+"/t/"+theirs.Token+"/"), copied)
	if thief.open("/t/" + theirs.Token + "/ergebnis"); thief.says(described) || !thief.says(locked) {
		t.Errorf("another's cookie opens:\n%s", thief.body)
	}
	own.press("Zur Ergebnisseite")
	own.press("Auf diesem Gerät schließen")
	if own.says(described) || !own.says(locked) {
		t.Errorf("the page stays open:\n%s", own.body)
	}
	w.Must(w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), theirs.Candidate.ID, typus.Actor{Name: "owner@example.com"}))
	for _, path := range []string{"/ergebnis", "/ergebnis/code"} {
		if other.open("/t/" + theirs.Token + path); other.status != http.StatusNotFound {
			t.Errorf("%s of the erased: %d", path, other.status)
		}
	}
}

// Whoever guesses has five tries for each code, waits longer and longer, and learns nothing
// by how they are told.
func TestACodeThatWasTriedFiveTimesIsNoneAnyMore(t *testing.T) {
	w := newWorld(t)
	out := w.handed(w.reader("de"), false)
	thief := w.reader("de")
	enter := func(code string) {
		thief.open("/t/" + out.Token + "/ergebnis/code")
		thief.press("Ergebnis öffnen", "code", code)
	}
	enter("123456") // none was sent
	before := unnamed(string(thief.body))
	w.Must(w.Assess.SendOwnCode(w.Ctx, out.Token, "", ""))
	code := w.codes(out.Candidate.ID)[0]
	fresh := func() { // so that only the tries count
		w.Later(2 * time.Hour)
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			c, err := tx.OwnCode(w.Ctx, out.Candidate.ID)
			w.Must(err)
			c.MadeAt = w.Now()
			return tx.SetOwnCode(w.Ctx, out.Candidate.ID, c)
		}))
	}
	for n := range typus.OwnCodeTries {
		fresh()
		if enter(wrong(code)); thief.status != http.StatusUnprocessableEntity || unnamed(string(thief.body)) != before {
			t.Fatalf("try %d: %d\n%s", n+1, thief.status, thief.body)
		}
	}
	fresh()
	if enter(code); thief.status != http.StatusUnprocessableEntity || unnamed(string(thief.body)) != before {
		t.Errorf("the code is good after five tries: %d", thief.status)
	}
	for range 20 {
		enter(wrong(code))
	}
	if thief.status != http.StatusTooManyRequests || !thief.says("Bitte warten Sie") {
		t.Errorf("nobody slows the guessing down: %d\n%s", thief.status, thief.body)
	}
	for range 20 {
		w.Later(2 * time.Minute)
		thief.open("/t/" + out.Token + "/ergebnis")
		thief.press("Code schicken")
	}
	if thief.status != http.StatusTooManyRequests {
		t.Errorf("letters go out without end: %d", thief.status)
	}
}

// A code is good for a quarter of an hour by the clock, and a clock that jumps makes none good
// for longer.
func TestACodeIsGoodForAQuarterOfAnHour(t *testing.T) {
	for name, c := range map[string]struct {
		pass time.Duration
		good bool
	}{
		"just in time":    {typus.OwnCodeLife - time.Second, true},
		"too late":        {typus.OwnCodeLife, false},
		"of a fast clock": {-2 * typus.Skew, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			out := w.handed(w.reader("de"), false)
			w.Must(w.Assess.SendOwnCode(w.Ctx, out.Token, "", ""))
			w.Later(c.pass)
			_, err := w.Assess.EnterOwnCode(w.Ctx, out.Token, assess.Entry{Code: w.codes(out.Candidate.ID)[0]})
			if (err == nil) != c.good {
				t.Error(err)
			}
		})
	}
}

// Of many who enter the same code at once one gets in; two who press at once for a code make
// one letter; whoever is erased meanwhile is not there.
func TestACodeIsGoodForOne(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := &world{World: worldOn(t, s)}
		out := w.begun("de")
		w.filled(out.Token, false)
		w.Must(w.Assess.Finish(w.Ctx, out.Token))
		atOnce(5, func() error { return w.Assess.SendOwnCode(w.Ctx, out.Token, "", "") }, func(err error) { w.Must(err) })
		codes := w.codes(out.Candidate.ID)
		if len(codes) != 1 {
			t.Fatalf("%d letters", len(codes))
		}
		in := 0
		atOnce(5, func() error {
			_, err := w.Assess.EnterOwnCode(w.Ctx, out.Token, assess.Entry{Code: codes[0]})
			return err
		}, func(err error) {
			if err == nil {
				in++
			} else if !typus.Is(err, typus.Invalid) {
				t.Error(err)
			}
		})
		if in != 1 {
			t.Errorf("%d got in", in)
		}
		w.Later(2 * time.Minute)
		w.Must(w.Assess.SendOwnCode(w.Ctx, out.Token, "", ""))
		newest := w.codes(out.Candidate.ID)[1]
		by := typus.Actor{Name: "owner@example.com"}
		var enter, erase error
		var both sync.WaitGroup
		both.Go(func() { _, enter = w.Assess.EnterOwnCode(w.Ctx, out.Token, assess.Entry{Code: newest}) })
		both.Go(func() { erase = w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, by) })
		both.Wait()
		if erase != nil || enter != nil && !typus.Is(enter, typus.NotFound) {
			t.Errorf("erasing: %v, entering: %v", erase, enter)
		}
		if _, err := w.Assess.EnterOwnCode(w.Ctx, out.Token, assess.Entry{Code: newest}); !typus.Is(err, typus.NotFound) {
			t.Errorf("entering afterwards: %v", err)
		}
	})
}

func atOnce(n int, do func() error, each func(error)) {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = do() })
	}
	all.Wait()
	for _, err := range errs {
		each(err)
	}
}

// Nobody gets a code without a mail server or an address, and the page says whom to ask.
func TestWithoutLettersThePageSaysWhomToAsk(t *testing.T) {
	w := newWorld(t)
	out := w.handed(w.reader("de"), false)
	w.face.mail = false
	other := w.reader("de")
	other.open("/t/" + out.Token + "/ergebnis")
	if !other.says("Von diesem Server gehen zurzeit keine E-Mails aus") || !other.says("owner@example.com") || other.says(locked) {
		t.Errorf("%s", other.body)
	}
	other.do("POST", other.at.JoinPath("code", "senden"), nil)
	if other.status != http.StatusConflict || len(w.codes(out.Candidate.ID)) > 0 {
		t.Errorf("%d, %d letters", other.status, len(w.codes(out.Candidate.ID)))
	}
}

// The account says when results are shown; of whatever it says there is a way to ask, and to
// say something.
func TestAResultIsShownWhenTheAccountSaysSo(t *testing.T) {
	w := newWorld(t)
	own := w.reader("de")
	out := w.handed(own, false)
	own.press("Zur Ergebnisseite")
	if own.says(described) || !own.says("Ihr Ergebnis ist noch nicht freigegeben") || !own.says("Ihre Stellungnahme") {
		t.Errorf("before it is released:\n%s", own.body)
	}
	w.shows(typus.OwnResultNone, "<b>Wir sprechen lieber.</b>")
	if own.open("/t/" + out.Token + "/ergebnis"); own.says(described) || !own.says("<b>Wir sprechen lieber.</b>") || !own.says("Artikel 15") {
		t.Errorf("where it is never shown:\n%s", own.body)
	}
	w.shows(typus.OwnResultReleased, "")
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		_, err := tx.ReleaseOwn(w.Ctx, out.Candidate.ID, w.Now(), "owner@example.com")
		return err
	}))
	if own.open("/t/" + out.Token + "/ergebnis"); !own.says(described) {
		t.Errorf("after it is released:\n%s", own.body)
	}
}

// A look is noted once and by GET alone; whoever looks ahead or asks for the head has not
// seen it.
func TestOnlyWhoSeesTheResultHasOpenedIt(t *testing.T) {
	w := newWorld(t)
	w.shows(typus.OwnResultAtOnce, "")
	own := w.reader("de")
	out := w.handed(own, false)
	address := parse(t, w.server.URL+"/t/"+out.Token+"/ergebnis")
	opened := func() time.Time {
		o, err := w.Store.OwnResult(w.Ctx, out.Candidate.ID)
		w.Must(err)
		return o.OpenedAt
	}
	for _, r := range []struct{ method, header, value string }{
		{http.MethodHead, "Accept", "*/*"}, {http.MethodGet, "Sec-Purpose", "prefetch;prerender"}, {http.MethodGet, "Purpose", "prefetch"},
		{http.MethodGet, "X-Moz", "prefetch"}, {http.MethodGet, "X-Purpose", "preview"},
	} {
		req, err := http.NewRequestWithContext(w.Ctx, r.method, address.String(), nil)
		w.Must(err)
		req.Header.Set(r.header, r.value)
		res, err := own.client.Do(req)
		w.Must(err)
		w.Must(res.Body.Close())
		if !opened().IsZero() {
			t.Fatalf("%s with %s: %s counts as a look", r.method, r.header, r.value)
		}
	}
	first := w.Now()
	own.open(address.Path)
	w.Later(time.Hour)
	own.open(address.Path)
	if !opened().Equal(first) {
		t.Errorf("opened at %s, want %s", opened(), first)
	}
}

// What the candidate says is kept word for word, whatever it holds; what cannot be kept stays
// in the field.
func TestWhatACandidateSaysIsKeptWordForWord(t *testing.T) {
	w := newWorld(t)
	own := w.reader("de")
	out := w.handed(own, false)
	own.press("Zur Ergebnisseite")
	say := func(text string) { own.press("Stellungnahme abgeben", "stellungnahme", text) }
	long := strings.Repeat("ä", clerk.MaxComment+1)
	for text, fault := range map[string]string{
		" ": "Bitte schreiben Sie zuerst etwas.", long: "Das sind 5001 Zeichen", "a\u202eb": "unsichtbare Zeichen",
	} {
		say(text)
		if own.status != http.StatusUnprocessableEntity || !own.says(fault) {
			t.Errorf("%.10q: %d, want %q", text, own.status, fault)
		}
		if kept := pagetest.Text(pagetest.All(own.doc, "textarea")[0]); strings.TrimSpace(text) != "" && kept != text {
			t.Errorf("%.10q became %.10q", text, kept)
		}
	}
	bold := "Das <b>stimmt</b> nicht.\nGanz und gar nicht."
	say(bold)
	if own.status != 200 || !own.says("Ihre Stellungnahme ist gespeichert") || !strings.Contains(string(own.body), "Das &lt;b&gt;stimmt&lt;/b&gt; nicht.") {
		t.Errorf("%d\n%s", own.status, own.body)
	}
	say(bold) // pressed twice
	say(strings.Repeat("ä", clerk.MaxComment))
	about, err := w.Store.DossierOf(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID)
	w.Must(err)
	if len(about.Comments) != 2 || about.Comments[1].Text != bold || about.Comments[1].Confirmed != typus.ConfirmedByDevice || about.Comments[1].Author != typus.ActorCandidate {
		t.Errorf("kept: %+v", about.Comments)
	}
	stranger := w.reader("de")
	stranger.open("/t/" + out.Token + "/ergebnis")
	stranger.do("POST", stranger.at.JoinPath("stellungnahme"), map[string][]string{"stellungnahme": {"Ich bin es nicht."}})
	if about, err = w.Store.DossierOf(context.Background(), store.WholeAccount(w.Account), out.Candidate.ID); err != nil || len(about.Comments) != 2 {
		t.Errorf("whoever has the link speaks for the candidate: %v", err)
	}
}

// Who writes for longer than the page knows them gets a code, and finds what they wrote.
func TestWhatACandidateWroteOutlivesTheDayOfTheCode(t *testing.T) {
	w := newWorld(t)
	own := w.reader("de")
	out := w.handed(own, false)
	own.press("Zur Ergebnisseite")
	w.Later(assess.OwnResultLife)
	const text = "Das <b>stimmt</b> nicht. Ganz und gar nicht."
	own.press("Stellungnahme abgeben", "stellungnahme", text)
	own.press("Code schicken")
	own.press("Ergebnis öffnen", "code", wrong(w.codes(out.Candidate.ID)...))
	own.press("Ergebnis öffnen", "code", w.codes(out.Candidate.ID)[0])
	if kept := pagetest.Text(pagetest.All(own.doc, "textarea")[0]); own.status != 200 || kept != text || !own.says("noch nicht gespeichert") {
		t.Errorf("%d: the field says %q", own.status, kept)
	}
	own.press("Stellungnahme abgeben", "stellungnahme", text)
	about, err := w.Store.DossierOf(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID)
	w.Must(err)
	if len(about.Comments) != 1 || about.Comments[0].Text != text {
		t.Errorf("kept: %+v", about.Comments)
	}
	own.open("/t/" + out.Token + "/ergebnis")
	own.do("POST", own.at.JoinPath("stellungnahme"), map[string][]string{"stellungnahme": {strings.Repeat("x", maxComment)}})
	if own.status != http.StatusRequestEntityTooLarge {
		t.Errorf("more than is read: %d", own.status)
	}
}

// So does what they were about to ask for, with the kind that they had chosen.
func TestWhatACandidateAskedForOutlivesTheDayOfTheCode(t *testing.T) {
	w := newWorld(t)
	own := w.reader("de")
	out := w.handed(own, false)
	own.press("Zur Ergebnisseite")
	w.Later(assess.OwnResultLife)
	const text = "Ich heiße <i>Kim Muster</i>."
	own.press("Anfrage senden", "anliegen", "correction", "text", text)
	if !own.says("Ihre Anfrage ist noch nicht abgeschickt.") {
		t.Errorf("the page does not say so:\n%s", own.body)
	}
	own.press("Code schicken")
	own.press("Ergebnis öffnen", "code", wrong(w.codes(out.Candidate.ID)...))
	own.press("Ergebnis öffnen", "code", w.codes(out.Candidate.ID)[0])
	fields := pagetest.All(own.doc, "textarea")
	if kept := pagetest.Text(fields[1]); own.status != 200 || kept != text || pagetest.Text(fields[0]) != "" || !own.says("Sie steht wieder im Formular") {
		t.Errorf("%d: the field says %q", own.status, kept)
	}
	if !strings.Contains(string(own.body), `value="correction" checked`) {
		t.Error("what was chosen is lost")
	}
	own.press("Anfrage senden", "anliegen", "correction", "text", text)
	asked, err := w.Store.OpenRequests(w.Ctx, store.WholeAccount(w.Account), 10)
	w.Must(err)
	if len(asked) != 1 || asked[0].Text != text {
		t.Errorf("asked: %+v", asked)
	}
}

// What the candidate asks for reaches the team, which answers once; nothing happens by itself.
func TestWhatACandidateAsksForIsAnsweredByThePeople(t *testing.T) {
	w := newWorld(t)
	own := w.reader("de")
	out := w.handed(own, false)
	own.press("Zur Ergebnisseite")
	own.press("Anfrage senden", "anliegen", "correction")
	if own.status != http.StatusUnprocessableEntity || !own.says("Bitte schreiben Sie, was falsch ist") {
		t.Errorf("%d\n%s", own.status, own.body)
	}
	own.press("Anfrage senden", "anliegen", "correction", "text", "Ich heiße <i>Kim Muster</i>.")
	own.press("Anfrage senden", "anliegen", "erasure")
	if own.status != 200 || !own.says("Ihre Anfrage ist bei Muster Software GmbH angekommen.") || !own.says("Ich heiße <i>Kim Muster</i>.") {
		t.Errorf("%d\n%s", own.status, own.body)
	}
	whole, by := store.WholeAccount(w.Account), typus.Actor{Name: "owner@example.com"}
	open, err := w.Store.OpenRequests(w.Ctx, whole, 10)
	w.Must(err)
	if len(open) != 2 || open[0].Kind != typus.RequestCorrection || open[0].Name != "Kim Beispiel" || open[1].Kind != typus.RequestErasure {
		t.Fatalf("the team has %+v", open)
	}
	if _, err := w.Store.Candidate(w.Ctx, w.Account, out.Candidate.ID); err != nil {
		t.Errorf("a request erases: %v", err)
	}
	q := open[0].Request
	q.Answer = "Das ist berichtigt."
	w.Must(w.Assess.AnswerRequest(w.Ctx, whole, q, by))
	w.WantKind(w.Assess.AnswerRequest(w.Ctx, whole, q, by), typus.Conflict)
	if own.open("/t/" + out.Token + "/ergebnis"); !own.says("Das ist berichtigt.") {
		t.Errorf("the answer is missing:\n%s", own.body)
	}
	own.press("Anfrage senden", "anliegen", "result")
	w.Must(w.Assess.ReleaseOwn(w.Ctx, whole, out.Candidate.ID, by))
	w.Must(w.Assess.ReleaseOwn(w.Ctx, whole, out.Candidate.ID, by))
	if own.open("/t/" + out.Token + "/ergebnis"); !own.says(described) || !own.says("Ihr Ergebnis ist freigegeben.") {
		t.Errorf("after the release:\n%s", own.body)
	}
	letters, err := w.Store.LettersOf(w.Ctx, w.Account, out.Candidate.ID)
	w.Must(err)
	kinds := map[typus.LetterKind]int{}
	for _, l := range letters {
		kinds[l.Kind]++
	}
	// Nobody asked for letters with the invitation: whoever asks for something hears of the
	// answer all the same, and a release is the answer to who has asked for the result.
	if kinds[typus.LetterOwnAsked] != 3 || kinds[typus.LetterOwnAnswered] != 1 || kinds[typus.LetterOwnReleased] != 1 {
		t.Errorf("letters: %v", kinds)
	}
}

// Whoever sends something else while a request of the kind is open, from an old tab or by the
// button "back", keeps what they wrote and is not told that it has arrived.
func TestWhatIsAskedForASecondTimeIsNotLost(t *testing.T) {
	w := newWorld(t)
	own := w.reader("de")
	out := w.handed(own, false)
	own.press("Zur Ergebnisseite")
	ask := own.at.JoinPath("anfrage")
	send := func(kind, text string) {
		own.do("POST", ask, map[string][]string{"anliegen": {kind}, "text": {text}})
	}
	const arrived = "Ihre Anfrage ist bei Muster Software GmbH angekommen."
	send("correction", "Ich heiße Kim.")
	send("correction", "Ich heiße Kim.") // a double click
	if own.status != 200 || !own.says(arrived) {
		t.Errorf("the same twice: %d\n%s", own.status, own.body)
	}
	send("correction", "Ich heiße <i>Robin</i>.")
	field := pagetest.All(own.doc, "textarea")
	if kept := pagetest.Text(field[len(field)-1]); own.status != http.StatusUnprocessableEntity || own.says(arrived) || kept != "Ich heiße <i>Robin</i>." || !strings.Contains(own.alert(), "noch offen") {
		t.Errorf("%d, the field says %q\n%s", own.status, kept, own.body)
	}
	if chosen := filled(pagetest.All(own.doc, "main")[0]).Get("anliegen"); chosen != "correction" {
		t.Errorf("chosen is %q", chosen)
	}
	open, err := w.Store.OpenRequests(w.Ctx, store.WholeAccount(w.Account), 10)
	w.Must(err)
	if len(open) != 1 || open[0].Text != "Ich heiße Kim." {
		t.Errorf("open are %+v", open)
	}
	letters, err := w.Store.LettersOf(w.Ctx, w.Account, out.Candidate.ID)
	w.Must(err)
	told := 0
	for _, l := range letters {
		if l.Kind == typus.LetterOwnAsked {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the team gets %d letters", told)
	}
	send("<b>", "x")
	if own.status != http.StatusUnprocessableEntity || strings.Contains(string(own.body), `value="<b>"`) {
		t.Errorf("a kind that there is not: %d", own.status)
	}
}

// Another test is asked for once (a test that is done again and again measures practice).
func TestAnotherTestIsAskedForOnce(t *testing.T) {
	w := newWorld(t)
	own := w.reader("de")
	w.handed(own, false)
	own.press("Zur Ergebnisseite")
	page, whole := own.at.Path, store.WholeAccount(w.Account)
	own.press("Anfrage senden", "anliegen", "retest")
	open, err := w.Store.OpenRequests(w.Ctx, whole, 10)
	w.Must(err)
	q := open[0].Request
	q.Answer = "Sie bekommen gleich eine Einladung."
	w.Must(w.Assess.AnswerRequest(w.Ctx, whole, q, typus.Actor{Name: "owner@example.com"}))
	if own.open(page); strings.Contains(string(own.body), `value="retest"`) {
		t.Errorf("it is offered again:\n%s", own.body)
	}
	own.do("POST", own.at.JoinPath("anfrage"), map[string][]string{"anliegen": {"retest"}, "text": {"Bitte noch einmal."}})
	if own.status != http.StatusUnprocessableEntity || !own.says("das geht nur einmal") || !own.says("Bitte noch einmal.") {
		t.Errorf("%d\n%s", own.status, own.body)
	}
}

// Where nobody will ever release the result, the copy does not say that somebody may.
func TestACopyWithoutTheResultSaysWhy(t *testing.T) {
	w := newWorld(t)
	own := w.reader("de")
	out := w.handed(own, false)
	for policy, want := range map[typus.OwnResultPolicy]string{
		typus.OwnResultReleased: "noch nicht für diese Seite freigegeben", typus.OwnResultNone: "auf dieser Seite nicht zeigt",
	} {
		w.shows(policy, "Betriebsvereinbarung")
		if own.open("/t/" + out.Token + "/ergebnis/daten"); own.status != 200 || !own.says(want) {
			t.Errorf("%s: %d\n%s", policy, own.status, own.body)
		}
	}
}

// On paper there is no fold to open: what is folded on the screen is printed with its heading.
func TestWhatIsFoldedIsPrinted(t *testing.T) {
	server, _ := gallery(t, persona{"Kim Beispiel", "Muster Software GmbH", "owner@example.com"})
	tab := browsertest.New(t).Tab(t, browsertest.Look{Width: 794, Print: true})
	for _, name := range []string{"own", "own-copy"} {
		tab.Open(server + "/page/de/" + name)
		const seen = `[...document.querySelectorAll(".own-fold > :is(summary, dl, div)")].map(e => e.checkVisibility() && e.offsetHeight > 0)`
		if parts := browsertest.Eval[[]bool](tab, seen); len(parts) < 2 || slices.Contains(parts, false) {
			t.Errorf("%s: of what is folded is printed: %v", name, parts)
		}
	}
}

// The page is read with three statements, the look that is noted once not counted.
func TestTheOwnResultNeedsThreeStatements(t *testing.T) {
	w := newWorld(t)
	w.shows(typus.OwnResultAtOnce, "")
	own := w.reader("de")
	out := w.handed(own, false)
	own.press("Zur Ergebnisseite")
	var statements atomic.Int32
	w.On(w.Store.Watched(func(string) error { statements.Add(1); return nil }))
	w.face.steps = w.Assess
	own.open("/t/" + out.Token + "/ergebnis")
	if n := statements.Load(); !own.says(described) || n > 3 {
		t.Errorf("%d statements", n)
	}
}

// Whoever has proved who they are takes their data with them: not what the team wrote, and the
// result only where they may see it.
func TestACandidateTakesTheirDataAlong(t *testing.T) {
	w := newWorld(t)
	own := w.reader("de")
	out := w.handed(own, false)
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		_, err := tx.AddNote(w.Ctx, typus.Note{AccountID: w.Account, CandidateID: out.Candidate.ID, Author: "owner@example.com", Body: "Notiz des Teams", CreatedAt: w.Now()})
		return err
	}))
	w.Must(w.Assess.Comment(w.Ctx, store.WholeAccount(w.Account), typus.Comment{CandidateID: out.Candidate.ID, Text: "Das stimmt.", Confirmed: "letter"}, typus.Actor{Name: "kollegin@example.com"}))
	base := "/t/" + out.Token + "/ergebnis/daten"
	files := func() string {
		t.Helper()
		own.open(base)
		said := string(own.body)
		for _, kind := range []string{".json", ".pdf"} {
			res, err := own.client.Get(w.server.URL + base + kind)
			w.Must(err)
			body, err := io.ReadAll(res.Body)
			w.Must(err)
			w.Must(res.Body.Close())
			if res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Disposition"), "attachment") || len(body) < 1000 {
				t.Fatalf("%s: %s, %d bytes", kind, res.Status, len(body))
			}
			if kind == ".json" {
				said += string(body)
				if strings.Contains(said[len(said)-len(body):], out.Token) {
					t.Error("the copy holds the link")
				}
			}
		}
		return said
	}
	before := files()
	if !strings.Contains(before, "kim@example.com") || !strings.Contains(before, w.Instrument.Text("de", w.Instrument.Items()[96].ID)) {
		t.Errorf("the copy is not whole:\n%.2000s", before)
	}
	if !strings.Contains(before, "Das stimmt.") || strings.Contains(before, "kollegin@example.com") || strings.Contains(before, `"completed"`) {
		t.Errorf("the copy names who of the team entered or was told what:\n%.2000s", before)
	}
	if strings.Contains(before, "Notiz des Teams") || !strings.Contains(before, `"overall": null`) || strings.Contains(before, "overall_exact") {
		t.Errorf("the copy says what it must not:\n%.2000s", before)
	}
	w.shows(typus.OwnResultAtOnce, "")
	if after := files(); !strings.Contains(after, "overall_exact") || !strings.Contains(after, "Sie beschreiben sich") {
		t.Errorf("the result is left out:\n%.2000s", after)
	}
	stranger := w.reader("de")
	if stranger.open(base); stranger.says("kim@example.com") || !stranger.says(locked) {
		t.Errorf("the link alone gives the data away:\n%s", stranger.body)
	}
	whole, err := w.Assess.CopyOf(w.Ctx, w.Account, out.Candidate.ID, "de")
	w.Must(err)
	body, err := whole.JSON()
	w.Must(err)
	dictionary := whole.Dictionary()
	if !strings.Contains(string(body), "Notiz des Teams") {
		t.Error("the whole copy lacks what the team wrote")
	}
	var names map[string]any
	w.Must(json.Unmarshal(body, &names))
	for name, value := range names {
		rows, _ := value.([]any)
		for _, row := range rows {
			columns, _ := row.(map[string]any)
			for column := range columns {
				if !strings.Contains(dictionary, "\n"+name+"."+column+"\n") {
					t.Errorf("the dictionary lacks %s.%s", name, column)
				}
			}
		}
	}
}
