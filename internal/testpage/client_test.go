package testpage

import (
	"net/http"
	"strings"
	"testing"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/notice"
	"typus/internal/page/pagetest"
	"typus/internal/store"
)

// position adds a position that hires for a client.
func (w *world) position(p typus.Position) int64 {
	w.Helper()
	p.Name, p.Reminders = "Vertrieb Nord", typus.RemindersOfAccount
	id, err := w.Accounts.AddPosition(w.Ctx, store.WholeAccount(w.Account), p, nil, typus.Actor{Name: "ada@example.com"})
	w.Must(err)
	return id
}

// setPosition changes it, and its logo where there is a picture.
func (w *world) setPosition(id int64, picture []byte, change func(p *typus.Position)) {
	w.Helper()
	w.Must(w.Accounts.ChangePositionLook(w.Ctx, store.WholeAccount(w.Account), id, accounts.NewLogo{Picture: picture}, typus.Actor{Name: "ada@example.com"}, func(p *typus.Position) bool {
		change(p)
		return true
	}))
}

func (w *world) invitedTo(position int64) assess.Invited {
	w.Helper()
	out, _, err := w.Assess.Invite(w.Ctx, w.Account, assess.Invitation{Name: "Kim Beispiel", Email: "kim@example.com", Language: "de", PositionID: position}, nil)
	w.Must(err)
	return out
}

func TestTheStartPageSaysForWhomOfEachPosition(t *testing.T) {
	w := newWorld(t)
	w.Must(w.Accounts.Change(w.Ctx, w.Account, typus.Actor{Name: "ada@example.com"}, func(a *typus.Account) { a.Notice.Client = "Konto AG" }))
	account, err := w.Store.Account(w.Ctx, w.Account)
	w.Must(err)
	for name, c := range map[string]struct {
		p    typus.Position
		says string
	}{
		"as the account": {typus.Position{}, "im Auftrag von Konto AG"},
		"itself":         {typus.Position{ClientKind: typus.ClientOwn}, ""},
		"named":          {typus.Position{ClientKind: typus.ClientNamed, ClientName: "Beispiel AG"}, "im Auftrag von Beispiel AG"},
		"described":      {typus.Position{ClientKind: typus.ClientDescribed, ClientWords: typus.OwnWords{EN: "a bank"}}, "im Auftrag eines Unternehmens (a bank)"},
	} {
		r := w.reader("de")
		r.open("/t/" + w.invitedTo(w.position(c.p)).Token)
		text := string(r.body)
		said, told := "<p>"+account.Name+" sucht "+c.says, account.Name+" sucht "+c.says+" Menschen für Aufgaben im Vertrieb und möchte"
		switch {
		case c.says == "" && strings.Contains(text, "sucht im Auftrag"):
			t.Errorf("%s: somebody else is named", name)
		case name == "described" && (!strings.Contains(text, `sucht im Auftrag eines Unternehmens (<span lang="en">a bank</span>)`) || !strings.Contains(text, "vor der Weitergabe Ihres Ergebnisses")):
			t.Errorf("%s: the page does not say so", name)
		case name != "described" && c.says != "" && (!strings.Contains(text, said) || !strings.Contains(text, told) || !strings.Contains(text, "Ihr Ergebnis erhält auch ")):
			t.Errorf("%s: the page does not say %q and %q", name, said, told)
		}
	}
}

// Who has the page open while the client changes reads it again, and what is kept is what was
// acknowledged.
func TestWhatIsAcknowledgedNamesTheClient(t *testing.T) {
	w := newWorld(t)
	id := w.position(typus.Position{ClientKind: typus.ClientNamed, ClientName: "Beispiel AG"})
	out := w.invitedTo(id)
	r := w.reader("de")
	r.open("/t/" + out.Token)
	w.setPosition(id, nil, func(p *typus.Position) { p.ClientName = "Andere AG" })
	r.press("Test starten", "hinweise", r.tick())
	if r.status != http.StatusUnprocessableEntity || !r.says("Die Hinweise wurden gerade geändert.") || !r.says("im Auftrag von Andere AG") {
		t.Fatalf("%d: the page does not say that the notice has changed", r.status)
	}
	r.press("Test starten", "hinweise", r.tick())
	text, err := w.Store.NoticeText(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID)
	w.Must(err)
	if kept := notice.Read(text).Plain(); !strings.Contains(kept, "im Auftrag von Andere AG") || !strings.Contains(kept, "Ihr Ergebnis erhält auch Andere AG.") {
		t.Errorf("kept is %s", kept)
	}
}

func TestThePagesShowTheLogoOfThePositionOrElseTheAccounts(t *testing.T) {
	w := newWorld(t)
	ours := w.dressed()
	id := w.position(typus.Position{})
	token := w.invitedTo(id).Token
	shown := func() string {
		t.Helper()
		r := w.reader("de")
		r.open("/t/" + token)
		src, _ := pagetest.Attr(pagetest.All(r.doc, "img")[0], "src")
		if got := w.ask("GET", src, nil); got.status != http.StatusOK {
			t.Errorf("%s: %d", src, got.status)
		}
		return src
	}
	first := shown()
	theirs := picture(w, 80, 24)
	w.setPosition(id, theirs, func(*typus.Position) {})
	if second := shown(); second == first {
		t.Error("the page shows the account's logo")
	}
	got := w.ask("GET", "/t/"+token+"/logo", nil)
	if got.size == len(ours) || got.header.Get("Content-Type") != "image/png" {
		t.Errorf("the logo is %+v", got)
	}
	w.Must(w.Accounts.ChangePositionLook(w.Ctx, store.WholeAccount(w.Account), id, accounts.NewLogo{Remove: true}, typus.Actor{Name: "ada@example.com"}, func(*typus.Position) bool { return true }))
	if third := shown(); third != first {
		t.Errorf("without its logo the position shows %s, want %s", third, first)
	}
}

// What a position says costs nothing more to read, nor do the answers: they come with the
// candidate.
func TestThePagesOfATestCostOneStatement(t *testing.T) {
	w := newWorld(t)
	token := w.invitedTo(w.position(typus.Position{ClientKind: typus.ClientNamed, ClientName: "Beispiel AG"})).Token
	for _, path := range []string{"", "/probe", "/frage/2"} {
		if path == "/probe" {
			w.Must(w.Assess.Begin(w.Ctx, token, typus.Notice{Version: "v", Language: "de", At: w.Now()}, "text"))
			w.answer(token, 0, 1)
		}
		before := w.ran.Load()
		if got := w.ask("GET", "/t/"+token+path, nil); got.status != http.StatusOK {
			t.Fatalf("%s: %d", path, got.status)
		}
		if n := w.ran.Load() - before; n != 1 {
			t.Errorf("%s costs %d statements, want 1", path, n)
		}
	}
}
