package dashboard

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"typus"
	"typus/internal/store"
)

// making is a form that makes one thing.
type making struct {
	what   string
	page   string // where it stands
	path   string // where it goes
	fields url.Values
	made   func() int // how many there are
	secret func(a answer) string
	file   bool // it brings a file
}

// makings are all forms of the dashboard that make something anew each time.
func (w *world) makings(c *client) []making {
	w.Helper()
	candidate, done := w.invited("Jana", "").Candidate.ID, w.sound("Kim").Candidate.ID
	hook, _, err := w.Accounts.CreateEndpoint(w.Ctx, w.Account, "https://hooks.example.com/a", "", typus.Actor{Name: "operator"})
	w.Must(err)
	_, err = w.Access.InviteUser(w.Ctx, typus.User{AccountID: w.Account, Email: "kim@example.com", Role: viewer}, typus.Actor{Name: "operator"})
	w.Must(err)
	team, err := w.Store.Users(w.Ctx, w.Account)
	w.Must(err)
	invited := team[len(team)-1].ID
	role := w.signedRole(w.Account, "Außendienst")
	version := c.editOf(role)
	version.Set("sign", "1")
	version.Set("reason", "Neues Gebiet")
	version.Set("name", "Außendienst Süd")
	letters := func(kind typus.LetterKind) func() int {
		return func() int {
			list, err := w.Store.Letters(w.Ctx, w.Account, 100)
			w.Must(err)
			n := 0
			for _, l := range list {
				if l.Kind == kind {
					n++
				}
			}
			return n
		}
	}
	return []making{
		{
			what: "key", page: keysPath + "/neu", path: keysPath + "/neu", fields: url.Values{"name": {"CRM"}},
			secret: func(a answer) string { return keyForm.FindString(a.body) },
			made: func() int {
				list, err := w.Store.APIKeys(w.Ctx, w.Account)
				w.Must(err)
				return len(list)
			},
		},
		{
			what: "position", page: newPositionPath, path: newPositionPath, fields: url.Values{"name": {"Vertrieb Nord"}},
			made: func() int {
				list, err := w.Store.Positions(w.Ctx, store.WholeAccount(w.Account))
				w.Must(err)
				return len(list)
			},
		},
		{
			what: "webhook", page: endpointsPath + "/neu", path: endpointsPath + "/neu", fields: url.Values{"url": {"https://hooks.example.com/b"}}, secret: secretIn,
			made: func() int {
				list, err := w.Store.Endpoints(w.Ctx, w.Account)
				w.Must(err)
				return len(list)
			},
		},
		{
			what: "secret", page: endpointPath(hook), path: endpointPath(hook) + "/geheimnis/wechseln", fields: url.Values{}, secret: secretIn,
			made: func() int {
				list, err := w.Store.Secrets(w.Ctx, w.Account, hook)
				w.Must(err)
				return len(list)
			},
		},
		{
			what: "role version", page: roleEditPath(role), path: roleEditPath(role), fields: version,
			made: func() int {
				id, _ := typus.OwnRoleID(role)
				list, err := w.Store.RoleVersions(w.Ctx, w.Account, id)
				w.Must(err)
				return len(list)
			},
		},
		{
			what: "note", page: candidatePath(candidate), path: candidatePath(candidate) + "/notizen", fields: url.Values{"notiz": {"Ruft zurück"}},
			made: func() int {
				list, err := w.Store.NotesOf(w.Ctx, store.WholeAccount(w.Account), candidate)
				w.Must(err)
				return len(list)
			},
		},
		{
			what: "decision", page: candidatePath(candidate), path: candidatePath(candidate) + "/entscheidung", fields: url.Values{"stage": {"interview"}, "last": {"0"}},
			made: func() int {
				about, err := w.Store.DossierOf(w.Ctx, store.WholeAccount(w.Account), candidate)
				list := about.Decisions
				w.Must(err)
				return len(list)
			},
		},
		{
			what: "comment", page: candidatePath(done), path: candidatePath(done) + "/stellungnahme", fields: url.Values{"comment": {"Stimmt."}, "confirmed": {"letter"}},
			made: func() int {
				about, err := w.Store.DossierOf(w.Ctx, store.WholeAccount(w.Account), done)
				w.Must(err)
				return len(about.Comments)
			},
		},
		{
			what: "member", page: teamPath + "/einladen", path: teamPath + "/einladen", fields: url.Values{"email": {"neu@example.com"}, "role": {"member"}, "language": {"de"}},
			made: letters(typus.LetterTeamInvitation),
		},
		{
			what: "link", page: teamPath + "/" + strconv.FormatInt(invited, 10), path: teamPath + "/" + strconv.FormatInt(invited, 10) + "/link", fields: url.Values{},
			made: letters(typus.LetterTeamInvitation),
		},
		{
			what: "invitation", page: "/dashboard/einladen", path: "/dashboard/einladen",
			fields: url.Values{"name": {"Otto"}, "email": {"otto@example.com"}, "language": {""}, "role_profile": {"hunter"}, "send_email": {"1"}},
			made:   w.invitedCount,
		},
		{
			what: "import", page: "/dashboard/import", path: "/dashboard/import", fields: url.Values{"language": {""}, "role_profile": {"hunter"}}, file: true,
			made: func() int {
				list, err := w.Store.Imports(w.Ctx, store.WholeAccount(w.Account), 100)
				w.Must(err)
				return len(list)
			},
		},
	}
}

// sendForm sends a form as it was shown.
func (c *client) sendForm(m making, nonce string) answer {
	c.Helper()
	fields := url.Values{"formular": {nonce}}
	for name, values := range m.fields {
		fields[name] = values
	}
	if m.file {
		return c.upload(m.path, "datei", "liste.csv", []byte("Name;E-Mail\nKim;kim@example.com\n"), fields)
	}
	return c.post(m.path, fields)
}

func (c *client) nonceOn(path string) string {
	c.Helper()
	found := nonce.FindStringSubmatch(c.get(path).want(c, 200).body)
	if found == nil {
		c.Fatalf("no form of %s has a name", path)
	}
	return found[1]
}

func TestAFormThatIsSentTwiceMakesOneThing(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.person("ada@example.com", owner)
		c := w.loggedIn("ada@example.com")
		for _, m := range w.makings(c) {
			name, before := c.nonceOn(m.page), m.made()
			first := c.sendForm(m, name).want(t, http.StatusSeeOther)
			second := c.sendForm(m, name).want(t, http.StatusSeeOther)
			if n := m.made() - before; n != 1 {
				t.Errorf("%s: sent twice it makes %d", m.what, n)
			}
			to, _, _ := strings.Cut(second.Header.Get("Location"), "?")
			if to != first.Header.Get("Location") {
				t.Errorf("%s: the first leads to %s, the second to %s", m.what, first.Header.Get("Location"), to)
			}
			shown := c.follow(second).want(t, 200)
			if m.secret != nil && m.secret(shown) == "" {
				t.Errorf("%s: the secret that the first answer left is not shown", m.what)
			}

			// The browser threw the first answer away, and what it left with it.
			lost := w.stranger().with("typus", c.cookie("typus"))
			shown = lost.follow(lost.sendForm(m, name)).want(t, 200)
			if m.made() != before+1 {
				t.Errorf("%s: sent again elsewhere it makes another", m.what)
			}
			if m.what != "invitation" && m.what != "import" && !strings.Contains(shown.body, "zweimal gesendet") {
				t.Errorf("%s: it is not said that the form was sent before", m.what)
			}
			if m.secret != nil && m.secret(shown) != "" {
				t.Errorf("%s: the secret is shown to whoever sends the form again", m.what)
			}
		}
	})
}

func TestAFormThatIsSentManyTimesAtOnceMakesOneThing(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.person("ada@example.com", owner)
		c := w.loggedIn("ada@example.com")
		for _, m := range w.makings(c) {
			name, before := c.nonceOn(m.page), m.made()
			var all sync.WaitGroup
			var mu sync.Mutex
			to := map[string]bool{}
			for range 5 {
				all.Go(func() {
					a := w.stranger().with("typus", c.cookie("typus")).sendForm(m, name)
					path, _, _ := strings.Cut(a.Header.Get("Location"), "?")
					mu.Lock()
					defer mu.Unlock()
					to[a.Status+" "+path] = true
				})
			}
			all.Wait()
			if n := m.made() - before; n != 1 || len(to) != 1 {
				t.Errorf("%s: sent at once it makes %d and leads to %v", m.what, n, to)
			}
		}
	})
}

// A form that was not accepted has made nothing, so it can be mended and sent; and
// one that was accepted can be changed and sent again.
func TestAFormCountsByWhatIsTyped(t *testing.T) {
	w := newWorld(t)
	w.person("ada@example.com", owner)
	c := w.loggedIn("ada@example.com")
	name := c.nonceOn(keysPath + "/neu")
	again := c.post(keysPath+"/neu", url.Values{"formular": {name}, "name": {""}}).want(t, 422, `value="`+name+`"`)
	if again.body == "" {
		t.Error("nothing is shown")
	}
	for i, field := range []string{"CRM", "HR", "CRM"} {
		c.follow(c.post(keysPath+"/neu", url.Values{"formular": {name}, "name": {field}})).want(t, 200)
		keys, err := w.Store.APIKeys(w.Ctx, w.Account)
		w.Must(err)
		if want := min(i+1, 2); len(keys) != want {
			t.Errorf("%d keys, want %d", len(keys), want)
		}
	}
}

// Going back and choosing another file means another list.
func TestAFormWithAnotherFileMakesAnotherImport(t *testing.T) {
	w := newWorld(t)
	w.person("ada@example.com", owner)
	c := w.loggedIn("ada@example.com")
	form := url.Values{"formular": {c.nonceOn("/dashboard/import")}, "language": {""}, "role_profile": {"hunter"}}
	first := ""
	for _, file := range []struct {
		name, body string
		sent       bool
	}{
		{"a.csv", "Name;E-Mail\nKim;kim@example.com\n", false},
		{"a.csv", "Name;E-Mail\nJana;jana@example.com\n", false},
		{"b.csv", "Name;E-Mail\nJana;jana@example.com\n", false},
		{"a.csv", "Name;E-Mail\nKim;kim@example.com\n", true},
	} {
		a := c.upload("/dashboard/import", "datei", file.name, []byte(file.body), form).want(t, http.StatusSeeOther)
		to, _, sent := strings.Cut(a.Header.Get("Location"), "?")
		if sent != file.sent || sent && to != first {
			t.Errorf("%+v leads to %s, sent before %t", file, to, sent)
		}
		if first == "" {
			first = to
		}
	}
	if list, err := w.Store.Imports(w.Ctx, store.WholeAccount(w.Account), 100); err != nil || len(list) != 3 {
		t.Errorf("%d imports, %v", len(list), err)
	}
}

// What went wrong before and was not dismissed is still said as it was.
func TestAKeyFormSentTwiceChangesNoOtherMessage(t *testing.T) {
	w := newWorld(t)
	w.person("ada@example.com", owner)
	c := w.loggedIn("ada@example.com")
	gone := w.invited("Kim Muster", "")
	w.Must(w.Assess.Cancel(w.Ctx, store.WholeAccount(w.Account), gone.Candidate.ID, by))
	c.post("/dashboard/kandidat/"+id(gone)+"/erinnern", nil).want(t, http.StatusSeeOther)
	const bad = "Das war nicht möglich (Einladung zurückgezogen)."
	if a := c.get(keysPath+"?"+sentMark).want(t, 200, bad); strings.Contains(a.body, "zweimal gesendet") {
		t.Error("the form that was sent twice is said to have failed")
	}
}

// The code of the app is good for one use; the second time it must not say that
// the code was wrong.
func TestRecoveryCodesAskedForTwiceAreThoseOfTheFirstAnswer(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.person("ada@example.com", owner)
		c := w.loggedIn("ada@example.com")
		seed, _ := c.withTOTP()
		form := url.Values{"formular": {c.nonceOn(totpPath)}, "password": {goodPassword}, "code": {c.code(seed)}, "was": {"codes"}}
		c.post(totpPath+"/aendern", form).want(t, http.StatusSeeOther)
		shown := c.follow(c.post(totpPath+"/aendern", form)).want(t, 200)
		if n := strings.Count(shown.body, "<li><code>"); n != 10 {
			t.Errorf("%d codes are shown", n)
		}
		form.Set("code", "another code")
		c.post(totpPath+"/aendern", form).want(t, http.StatusSeeOther)
		form.Set("formular", "another form of that name")
		c.post(totpPath+"/aendern", form).want(t, 422)
	})
}
