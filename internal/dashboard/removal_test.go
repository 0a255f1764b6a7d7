package dashboard

import (
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"testing"

	"typus"
	"typus/internal/auth"
	"typus/internal/page"
	"typus/internal/store"
)

func init() { galleries = append(galleries, questionGallery) }

func questionGallery(f *face, lang string, p persona) map[string]page.View {
	v := galleryVisitor(lang, p)
	hook := newEndpointRow(typus.Endpoint{ID: 1, URL: "https://hooks.example.com/typus", Description: p.account}, typus.EndpointRates{}, false)
	colleague := typus.User{ID: 2, Name: p.name, Email: p.email, Role: typus.RoleMember}
	own := *v
	mine := &own
	mine.User = colleague
	letter := letterTemplateView{Name: "letters.kind.invitation", Language: "letters.german", Path: lettersPath + "/text/einladung/de"}
	note := typus.Note{Author: p.email, Body: p.name + "\n" + p.free, CreatedAt: someTime}
	owning, test := f.removeUserView(p.shell(areaSettings, sectionTeam), v, colleague), "/dashboard/test/einstellungen"
	owning.Made = madeThings{
		KeysHeading: "team.madeKeys", HooksHeading: "team.madeHooks",
		Keys: []madeThing{{Name: "CRM", Mark: "0f3a9c11", Path: keysPath + "/1/widerrufen"}, {Name: p.free, Mark: "77d18947", Path: test + "/api-schluessel/2/widerrufen", Test: true}},
		Hooks: []madeThing{
			{Name: p.account, Mark: "hooks.example.com", Path: endpointPath(1), State: "webhooks.state.active", Badge: "good"},
			{Mark: "eingang.example.com:8443", Path: endpointPath(2), Test: true, State: "webhooks.state.paused", Badge: "soft"},
			{Mark: "alt.example.com", Path: endpointPath(3), State: "webhooks.state.off", Badge: "bad"},
		},
	}
	return map[string]page.View{
		"question-owning":   owning,
		"question-note":     f.dropNoteView(p.shell(areaCandidates, ""), typus.Candidate{ID: 1, Name: p.name}, note),
		"question-letter":   f.resetLetterView(p.shell(areaSettings, sectionLetters), v, letter, typus.LetterTemplate{Subject: p.free}),
		"question-next":     endRotationView(p.shell(areaSettings, sectionWebhooks), hook, typus.SecretNext),
		"question-previous": endRotationView(p.shell(areaSettings, sectionWebhooks), hook, typus.SecretPrevious),
		"question-person":   f.removeUserView(p.shell(areaSettings, sectionTeam), v, colleague),
		"question-me":       f.removeUserView(p.shell(areaSettings, sectionTeam), mine, colleague),
	}
}

// No press deletes for good what nobody can bring back: a page asks first, says what
// it is about and what follows, and does nothing by itself.
func TestNothingIsDeletedForGoodWithoutAQuestion(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c, colleague := w.as(owner), w.as(member)
		out := w.invited("Kim Muster", "")
		path := "/dashboard/kandidat/" + id(out)
		c.post(path+"/notizen", url.Values{"notiz": {"Ruft <b>zurück"}}).want(t, 303)
		notes, err := w.Store.NotesOf(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID)
		w.Must(err)
		note := fmt.Sprintf("%s/notizen/%d/loeschen", path, notes[0].ID)
		hook, _ := w.newEndpoint("https://hooks.example.com/")
		ends := endpointPath(hook) + "/geheimnis/beenden"
		c.post(endpointPath(hook)+"/geheimnis/wechseln", nil).want(t, 303)
		c.post(invitationPath, url.Values{"subject": {"Hallo von uns"}, "body": {"{link}"}}).want(t, 303)

		asks := func(from, at, done string, says ...string) {
			t.Helper()
			if a := c.get(from).want(t, 200, `href="`+at+`"`); strings.Contains(a.body, `action="`+at+`"`) {
				t.Errorf("%s does it at one press", from)
			}
			question := c.get(at).want(t, 200, append(says, `<form class="form" method="post">`, `<a class="text-button" href="`+from+`">Abbrechen</a>`)...)
			if again := c.get(at).want(t, 200); again.body != question.body {
				t.Errorf("asking at %s changes something", at)
			}
			c.follow(c.post(at, nil)).want(t, 200, done)
		}
		asks(path, note, "Die Notiz ist gelöscht.", "Notiz löschen", "Ruft &lt;b&gt;zurück", c.user.Email, "nicht wiederherstellen")
		asks(endpointPath(hook), ends, "Das neue Geheimnis ist verworfen.", "Neues Geheimnis verwerfen", "hooks.example.com", "weist er Zustellungen ab")
		c.post(endpointPath(hook)+"/geheimnis/wechseln", nil).want(t, 303)
		c.post(endpointPath(hook)+"/geheimnis/umstellen", nil).want(t, 303)
		asks(endpointPath(hook), ends, "Das bisherige Geheimnis ist entfernt.", "Bisheriges Geheimnis sofort entfernen", "nur noch das aktuelle")
		asks(invitationPath, invitationPath+"/zuruecksetzen", "Ab jetzt gilt wieder unser Text.", "Eigenen Text löschen", "Hallo von uns", "Einladung (Deutsch)")
		asks(memberPath(colleague.user.ID), memberPath(colleague.user.ID)+"/entfernen", "gehört nicht mehr zum Team.", colleague.user.Email, "sofort abgemeldet")
		c.get(memberPath(c.user.ID)+"/entfernen").want(t, 200, "Sie verlieren sofort den Zugang")

		// What is gone is not asked about again.
		c.get(note).want(t, 404)
		c.get(memberPath(colleague.user.ID)+"/entfernen").want(t, 404)
		for at, back := range map[string]string{ends: endpointPath(hook), invitationPath + "/zuruecksetzen": invitationPath} {
			if to := c.get(at).want(t, 303).Header.Get("Location"); to != back {
				t.Errorf("%s leads to %q", at, to)
			}
		}
	})
}

// Nobody is asked about what they may not do.
func TestNobodyIsAskedAboutWhatTheyMayNotDelete(t *testing.T) {
	w := newWorld(t)
	author, colleague, boss := w.as(member), w.as(member), w.as(owner)
	out := w.invited("Kim Muster", "")
	path := "/dashboard/kandidat/" + id(out)
	author.post(path+"/notizen", url.Values{"notiz": {"Ruft zurück"}}).want(t, 303)
	notes, err := w.Store.NotesOf(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID)
	w.Must(err)
	note := fmt.Sprintf("%s/notizen/%d/loeschen", path, notes[0].ID)
	author.get(note).want(t, 200, "Ruft zurück")
	colleague.get(note).want(t, 404)
	w.as(admin).get(note).want(t, 200)
	w.as(admin).get(memberPath(boss.user.ID)+"/entfernen").want(t, 403)
	boss.get(path+"/notizen/x/loeschen").want(t, 404)
}

// Whoever takes a person out of the team is told of the API keys and webhooks that the person
// made, in the account and in its test world: they stay in use.
func TestARemovalNamesTheKeysAndWebhooksOfThePerson(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss, leaving, other := w.as(owner), w.as(admin), w.as(admin)
		asked := memberPath(leaving.user.ID) + "/entfernen"
		boss.get(asked).without(t, "die diese Person")

		secret := keyForm.FindString(leaving.follow(leaving.post(keysPath+"/neu", fields("name", "CRM Nord", "scope", "all"))).want(t, 200).body)
		leaving.post(keysPath+"/neu", fields("name", "Alt und widerrufen", "scope", "all")).want(t, 303)
		other.post(keysPath+"/neu", fields("name", "Von anderen", "scope", "all")).want(t, 303)
		hook := leaving.post(endpointsPath+"/neu", fields("url", "https://hooks.example.com/geheimer-pfad", "description", "Lager")).want(t, 303).Header.Get("Location")
		other.post(endpointsPath+"/neu", fields("url", "https://other.example.com/")).want(t, 303)
		leaving.post(worldPath, nil).want(t, 303)
		leaving.post(inWorld(keysPath, true)+"/neu", fields("name", "Im Testbetrieb", "scope", "all")).want(t, 303)

		keys, err := w.Store.APIKeys(w.Ctx, w.Account)
		w.Must(err)
		var crm typus.APIKey
		for _, k := range keys {
			switch k.Name {
			case "CRM Nord":
				crm = k
			case "Alt und widerrufen":
				w.Must(w.Access.RevokeKey(w.Ctx, w.Account, k.ID, typus.Actor{Name: "operator"}))
			}
		}
		// What was made stays the person's under a new address.
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			return tx.SetEmail(w.Ctx, w.Account, leaving.user.ID, "neu-"+leaving.user.Email)
		}))

		boss.get(asked).want(t, 200, "API-Schlüssel, die diese Person erstellt hat", "gelten weiter", crm.Fingerprint(),
			fmt.Sprintf(`href="%s/%d/widerrufen">CRM Nord</a>`, keysPath, crm.ID), "Im Testbetrieb", `href="`+inWorld(keysPath, true)+"/",
			"Webhooks, die diese Person angelegt hat", "senden weiter", `href="`+hook+`">Lager</a><span class="sub">hooks.example.com</span>`).
			without(t, "Alt und widerrufen", "Von anderen", "other.example.com", "geheimer-pfad")
		other.get(asked).want(t, 200, "CRM Nord")
		number, err := strconv.ParseInt(path.Base(hook), 10, 64)
		w.Must(err)
		for _, is := range []struct {
			status typus.EndpointStatus
			said   string
		}{
			{typus.EndpointPaused, "Pausiert"}, {typus.EndpointDisabled, "Abgeschaltet"}, {typus.EndpointGone, "Abgeschaltet"}, {typus.EndpointActive, "Aktiv"},
		} {
			w.stands(number, is.status)
			page := boss.get(asked).want(t, 200, "Webhooks, die nicht pausiert oder abgeschaltet sind, senden weiter Ergebnisse")
			_, line, _ := strings.Cut(page.body, `href="`+hook+`"`)
			if line, _, _ = strings.Cut(line, "</li>"); !strings.Contains(line, ">"+is.said+"<") {
				t.Errorf("%s: the webhook stands there as %s", is.status, line)
			}
		}
		leaving.get(asked).want(t, 200, "API-Schlüssel, die Sie erstellt haben", "Webhooks, die Sie angelegt haben")
		english := w.as(owner)
		english.post("/dashboard/sprache", fields("sprache", "en"))
		english.get(asked).want(t, 200, "API keys that this person created", "stay valid", "Webhooks that this person created")

		// As the page says, what was made outlives the person.
		boss.follow(boss.post(asked, nil)).want(t, 200, "gehört nicht mehr zum Team.")
		if key, err := w.Store.APIKeyByHash(w.Ctx, auth.Hash(secret)); err != nil || !key.Live(w.Now()) {
			t.Errorf("the key of who left: %+v, %v", key, err)
		}
		boss.get(hook).want(t, 200, "Lager")
	})
}
