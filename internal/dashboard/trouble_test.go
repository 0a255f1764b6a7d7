package dashboard

import (
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// Who can do something hears on every page that the mail server is away, or that a webhook is
// off or fails; it costs no statement. A recipient who is refused for now is no such trouble.
func TestTroubleIsToldOnEveryPageToWhoCanActAndCostsNoStatement(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		const away, off = "Der Mailserver nimmt zurzeit keine E-Mails an", "Ein Webhook ist abgeschaltet"
		boss, other, colleague := w.as(admin), w.asOf(w.newAccount("Andere AG"), admin), w.as(member)
		says := func(c *client, texts ...string) {
			t.Helper()
			a := c.get(teamPath).want(t, 200)
			for _, text := range []string{away, off, "Ein Webhook ist gestört"} {
				want := false
				for _, said := range texts {
					want = want || said == text
				}
				if strings.Contains(a.body, text) != want {
					t.Errorf("%s says %q: %t", c.user.Role, text, !want)
				}
			}
		}
		boss.get(teamPath)
		before := w.ran.Load()
		says(boss)
		plainly := w.ran.Load() - before

		invite := func(name string) {
			w.invitedBy(w.Account, assess.Invitation{Name: name, Email: name + "@example.com", SendEmail: true})
		}
		invite("spaeter")
		w.ends(func(l *typus.Letter) { l.State, l.LastCode, l.LastError = typus.LetterQueued, 451, "4.7.1 greylisted" })
		w.Later(20 * time.Minute)
		says(boss)
		invite("weg")
		w.ends(func(l *typus.Letter) { l.State, l.LastError = typus.LetterQueued, typus.FailedUnreachable })
		says(boss)
		w.Later(20 * time.Minute)
		says(boss, away)
		hook, _, err := w.Accounts.CreateEndpoint(w.Ctx, w.Account, w.server.URL+"/haken", "CRM", by)
		w.Must(err)
		stands := func(status typus.EndpointStatus) {
			w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
				return tx.SetEndpointStatus(w.Ctx, w.Account, hook, status, "", w.Now())
			}))
		}
		stands(typus.EndpointFailing)
		says(boss, away, "Ein Webhook ist gestört")
		stands(typus.EndpointPaused)
		says(boss, away)
		stands(typus.EndpointGone)
		boss.get(teamPath)
		before = w.ran.Load()
		says(boss, away, off)
		if n := w.ran.Load() - before; n != plainly {
			t.Errorf("telling it costs %d statements, %d without", n, plainly)
		}
		says(colleague)
		says(other)
	})
}

// After an address is corrected nothing is said of the new one that the old one did. The
// notice corrects and sends at once; the list says the same.
func TestACorrectedAddressIsNotTheOneThatBounced(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.invitedBy(w.Account, assess.Invitation{Name: "Kim Muster", Email: "alt@example.com", SendEmail: true})
		bounce := func() {
			w.ends(func(l *typus.Letter) {
				l.State, l.LastCode, l.LastError = typus.LetterFailed, 550, "the mail server refused the recipient: 550"
			})
		}
		bounce()
		c, path := w.as(member), candidatePath(out.Candidate.ID)
		c.get(path).want(t, 200, "Die letzte Einladung an alt@example.com war unzustellbar")
		c.get(homePath).want(t, 200, "Die Einladung an alt@example.com ist nicht angekommen", path+"#unzustellbar")
		c.get(path).want(t, 200, `id="unzustellbar"`)
		c.follow(c.post(path+"/korrigieren", fields("name", "Kim Muster", "email", "neu@example.com"))).want(t, 200,
			"ging an alt@example.com und war unzustellbar", "an neu@example.com ging noch keine", `<button class="button">Einladung senden</button>`).without(t, "an neu@example.com war unzustellbar")
		c.get(peoplePath).want(t, 200, "Adresse berichtigt, noch nicht gesendet").without(t, "E-Mail unzustellbar")
		c.get(homePath).want(t, 200, "ging an alt@example.com und kam nicht an", "An neu@example.com ging noch keine", `action="`+path+`/senden"`).without(t, "Adresse berichtigen", "an neu@example.com ist nicht angekommen")
		if back := c.post(path+"/senden", fields(paramBack, homePath)).want(t, 303).Header.Get("Location"); back != homePath {
			t.Errorf("the button leads to %s", back)
		}
		c.get(homePath).want(t, 200).without(t, "noch keine")
		bounce()
		c.post(path+"/korrigieren", fields("name", "Kim Muster", "email", "zweite@example.com", "senden", "1")).want(t, 303)
		bounce()
		c.get(path).want(t, 200, "Die letzte Einladung an zweite@example.com war unzustellbar")
		c.post(path+"/korrigieren", fields("name", "Kim Muster", "email", "kein Ort", "senden", "1")).want(t, 422, "Es wurde noch nichts gespeichert")
		c.follow(c.post(path+"/korrigieren", fields("name", "Kim Muster", "email", "dritte@example.com", "senden", "1"))).want(t, 200, "berichtigt, und die Einladung ist unterwegs")
		letters, err := w.Store.DossierOf(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID)
		w.Must(err)
		if last := letters.Letters[len(letters.Letters)-1]; last.To != "dritte@example.com" {
			t.Errorf("the letter goes to %s", last.To)
		}
		c.follow(c.post(path+"/korrigieren", fields("name", "Kim Muster", "email", "vierte@example.com", "senden", "1"))).want(t, 200, "Die Einladung wurde nicht gesendet (")
	})
}
