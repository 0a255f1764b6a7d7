package dashboard

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// place adds a position by the form and returns its address.
func (c *client) place(name string, more ...string) string {
	c.Helper()
	form := fields(append([]string{"name", name}, more...)...)
	return c.post(newPositionPath, form).want(c.T, 303).Header.Get("Location")
}

// placed is the id in the address of a position.
func placed(t testing.TB, path string) int64 {
	t.Helper()
	id, err := strconv.ParseInt(strings.TrimPrefix(path, positionsPath+"/"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestAPositionIsMadeChangedClosedAndOpenedAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss := w.as(admin)
		boss.get(positionsPath).want(t, 200, "Noch keine eigene Stelle", "Stelle anlegen", "Allgemein")
		w.as(member).get(positionsPath).want(t, 200, "Legt die Administration eine Stelle für Sie an")
		boss.get(newPositionPath).want(t, 200, "Wie im Konto: Vertrieb", "Wie im Konto: Deutsch")
		boss.post(newPositionPath, fields("name", " ", "client_kind", "named", "invite_days", "x")).want(t, 422, `id="name-fault"`, "Nennen Sie das Unternehmen", `id="invite_days-fault"`)
		boss.post(newPositionPath, fields("name", strings.Repeat("n", 1000))).want(t, 422, "Das ist zu lang.")
		path := boss.place("Account-Management, Hamburg", "ref", "job-7", "client_kind", "named", "client_name", "Muster AG", "role_profile", "hunter", "language", "en", "invite_days", "7", "reminders", "0")
		boss.get(path).want(t, 200, "Account-Management, Hamburg", "job-7", "im Auftrag von Muster AG", "7 Tage", "Englisch", "Noch ist niemand eingeladen", "Stelle schließen")
		boss.get(positionsPath).want(t, 200, "job-7", "für Muster AG")
		boss.post(newPositionPath, fields("name", "Zweite", "ref", "job-7")).want(t, 422, "Diese Kennung ist vergeben", `value="Zweite"`)

		boss.post(path+"/bearbeiten", fields("name", "Key Account", "ref", "job-7", "client_kind", "described")).want(t, 422, `id="client_de-fault"`, "Umschreiben Sie das Unternehmen")
		boss.follow(boss.post(path+"/bearbeiten", fields("name", "Key Account", "client_kind", "described", "client_en", "Maschinenbau"))).
			want(t, 200, "Key Account", "im Auftrag eines Unternehmens (Maschinenbau)", "(wie im Konto)")

		boss.get(path+"/schliessen").want(t, 200, "Es gibt keine offenen Einladungen")
		boss.follow(boss.post(path+"/schliessen", nil)).want(t, 200, "Diese Stelle ist geschlossen", "Wieder öffnen", "Archivieren")
		boss.get(positionsPath+"?stand=geschlossen").want(t, 200, "Key Account")
		boss.get(positionsPath+"?stand=geschlossen&seite=9223372036854775807").want(t, 200, "Key Account")
		boss.follow(boss.post(path+"/archivieren", nil)).want(t, 200, "Diese Stelle ist archiviert")
		boss.follow(boss.post(path+"/oeffnen", nil)).want(t, 200, "Die Stelle ist wieder offen", "Stelle schließen")
		boss.follow(boss.post(path+"/archivieren", nil)).want(t, 200, "Schließen Sie sie, bevor Sie sie archivieren")
		general := positionsPath + "/allgemein"
		boss.get(general).want(t, 200, "Für sie gelten die Einstellungen des Kontos")
		for _, rest := range []string{"/bearbeiten", "/schliessen"} {
			boss.get(general+rest).want(t, 404)
		}
		boss.get(positionsPath+"/0").want(t, 404)
		boss.get(positionsPath+"/x").want(t, 404)
	})
}

// invitedTo is a candidate of a position.
func (w *world) invitedTo(position int64, name string) int64 {
	w.Helper()
	return w.invitedBy(w.Account, assess.Invitation{Name: name, Email: strings.ToLower(name) + "@example.com", PositionID: position}).Candidate.ID
}

func TestClosingAPositionAsksWhatBecomesOfOpenInvitations(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss := w.as(admin)
		for what, want := range map[string]string{"keep": "Offen", "cancel": "zurückgezogen"} {
			path := boss.place("Stelle " + what)
			w.invitedTo(placed(t, path), "Kim")
			boss.get(path).want(t, 200, "Kim", "Die Bewerbung in der Liste zeigen", "?stelle=")
			w.invitedTo(placed(t, path), "Lou")
			nina := w.invitedBy(w.Account, assess.Invitation{Name: "Nina", Email: "nina@example.com", PositionID: placed(t, path)})
			w.Must(w.Assess.Decline(w.Ctx, nina.Token))
			w.Must(w.Assess.Extend(w.Ctx, store.WholeAccount(w.Account), w.invitedTo(placed(t, path), "Max"), w.Now().Add(time.Minute), by, nil))
			w.Later(time.Hour)
			boss.get(path+"/schliessen").want(t, 200, "2 Einladungen bleiben offen", "3 Einladungen zurückziehen", "Eine davon ist abgelaufen")
			boss.follow(boss.post(path+"/schliessen", fields("open", what))).want(t, 200, "Die Stelle ist geschlossen", want)
			declined, err := w.Store.Candidate(w.Ctx, w.Account, nina.Candidate.ID)
			w.Must(err)
			if stand := declined.Stand(w.Now()); stand != typus.StandDeclined {
				t.Errorf("who declined stands %s after %s", stand, what)
			}
		}
	})
}

func TestWhoSeesAPositionIsSaidOnItsPage(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss, jo := w.as(admin), w.as(interviewer)
		path := boss.place("Vertrieb Nord", "confidential", "1")
		boss.get(path).want(t, 200, "vertraulich", "Nur die Kontoleitung und die genannten Mitglieder", boss.user.Email)
		jo.get(path).want(t, 404)
		id := func(c *client) string { return strconv.FormatInt(c.user.ID, 10) }
		boss.get(path+"/mitglieder").want(t, 200, jo.user.Email, "Interview · sieht alle Stellen")
		boss.post(path+"/mitglieder", url.Values{"confidential": {"1"}, "mitglied": {id(jo)}}).want(t, 422, "Danach sehen Sie diese vertrauliche Stelle nicht mehr", `name="verlassen"`)
		boss.follow(boss.post(path+"/mitglieder", url.Values{"confidential": {"1"}, "mitglied": {id(boss), id(jo)}})).want(t, 200, "Die Mitglieder sind gespeichert.")
		if a := jo.get(path).want(t, 200, "Vertrieb Nord"); strings.Contains(a.body, boss.user.Email) || strings.Contains(a.body, "Niemand ist eigens genannt") {
			t.Error("who only interviews is told who is named")
		}
		boss.follow(boss.post(path+"/mitglieder", url.Values{"confidential": {"1"}, "mitglied": {id(jo)}, "verlassen": {"1"}})).want(t, 200, "Sie sehen diese Stelle jetzt nicht mehr")
		boss.get(path).want(t, 404)
		w.as(owner).post(path+"/mitglieder", nil).want(t, 303)
		boss.get(path).want(t, 200, "Niemand ist eigens genannt")
	})
}

// Everything that can be said of the default position can be said of any.
func TestAPositionHasItsOwnQuestionsAndInterviews(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss := w.as(admin)
		path := boss.place("Vertrieb Nord")
		boss.follow(boss.post(path+"/interview", fields("blind", "1"))).want(t, 200, "Wer mitarbeitet oder Interviews führt, bewertet, bevor das Ergebnis zu sehen ist.")
		boss.follow(boss.post(path+"/fragen", url.Values{"core": {"ad1", "ci1", "in1"}})).want(t, 200, "Zurzeit sind es 3 Fragen")
		boss.get(path).want(t, 200, "3 Fragen an alle, für diese Stelle gewählt")
		boss.get(positionsPath+"/allgemein").want(t, 200, "4 Fragen an alle, von uns vorgeschlagen", "Alle sehen Ergebnisse sofort")
	})
}

// The pages cost the same however many candidates there are.
func TestThePagesOfPositionsCostAFewStatements(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss := w.as(admin)
		path := boss.place("Vertrieb Nord")
		for i := range 12 {
			w.invitedTo(placed(t, path), fmt.Sprint("Kim", i))
		}
		for page, most := range map[string]int64{path: 4, positionsPath + "/allgemein": 4, positionsPath: 3} {
			boss.get(page)
			before := w.ran.Load()
			boss.get(page).want(t, 200)
			if n := w.ran.Load() - before; n > most {
				t.Errorf("%s costs %d statements, want %d", page, n, most)
			}
		}
	})
}

// offered decides that a candidate gets an offer.
func (w *world) offered(by *client, id int64) {
	w.Helper()
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		_, err := tx.AddDecision(w.Ctx, typus.Decision{CandidateID: id, UserID: by.user.ID, Author: by.user.Email, Stage: typus.StageOffer, CreatedAt: w.Now()})
		return err
	}))
}

// A stage, how many were decided, and a day of erasure that counts from it are all a decision.
func TestInterviewersAreToldOfNoDecision(t *testing.T) {
	w := newWorld(t)
	boss := w.as(admin)
	path := boss.place("Vertrieb Nord")
	id := w.invitedTo(placed(t, path), "Kim")
	w.offered(boss, id)
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		a, err := tx.Account(w.Ctx, w.Account)
		if a.KeepUnfinishedDays = 90; err == nil {
			err = tx.SetAccount(w.Ctx, a)
		}
		return err
	}))
	for page, told := range map[string][]string{
		path: {"Entschieden", "Zusage"}, positionsPath: {"Entschieden"}, peoplePath: {"Zusage", "stufe="},
		candidatePath(id): {"Zusage", "Wird gelöscht"},
	} {
		jo, see := w.as(interviewer).get(page), w.as(viewer).get(page)
		for _, word := range told {
			if strings.Contains(jo.body, word) {
				t.Errorf("%s says %q to who only interviews", page, word)
			}
			if !strings.Contains(see.body, word) {
				t.Errorf("%s does not say %q to who reads", page, word)
			}
		}
	}
	w.as(interviewer).get(peoplePath+"?stufe=rejection").want(t, 200, "Kim")
}

// Who is blind to a position is not told what was decided there, nor how tests go.
func TestThePageOfABlindPositionTellsNothingOfResults(t *testing.T) {
	w := newWorld(t)
	boss, jo := w.as(admin), w.as(member)
	path := boss.place("Vertrieb Nord")
	w.offered(boss, w.invitedTo(placed(t, path), "Kim"))
	jo.get(path).want(t, 200, "Entschieden", "Zusage")
	boss.post(path+"/interview", fields("blind", "1")).want(t, 303)
	a := jo.get(path).want(t, 200, "Eingeladen", "Kim")
	for _, told := range []string{"Entschieden", "Zusage", "sobald 10 Personen"} {
		if strings.Contains(a.body, told) {
			t.Errorf("the page says %q to who is blind", told)
		}
	}
}

// Who reads which position decides what each of its pages answers: not there, not allowed,
// or shown.
func TestEachPageOfEachPositionAnswersByRoleAndReach(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss := w.as(owner)
		places := map[string]string{
			"default": positionsPath + "/allgemein", "open": boss.place("Offen"), "named": boss.place("Genannt"), "secret": boss.place("Geheim", "confidential", "1"),
		}
		for _, c := range []struct {
			role  typus.UserRole
			only  bool
			named string
			reads string
		}{
			{owner, false, "", "default open named secret"},
			{admin, false, "", "default open named"},
			{admin, false, "secret", "default open named secret"},
			{member, false, "", "default open named"},
			{member, true, "named", "named"},
			{member, true, "secret", "secret"},
			{viewer, true, "", ""},
			{viewer, false, "", "default open named"},
			{interviewer, true, "named", "named"},
			{interviewer, false, "", "default open named"},
		} {
			u := w.as(c.role)
			w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
				if c.named != "" {
					if err := tx.NameInPosition(w.Ctx, w.Account, placed(t, places[c.named]), u.user.ID); err != nil {
						return err
					}
				}
				return tx.SetOnlyNamed(w.Ctx, w.Account, u.user.ID, c.only)
			}))
			list := u.get(positionsPath).want(t, 200).body
			for name, path := range places {
				reads := strings.Contains(" "+c.reads+" ", " "+name+" ")
				if strings.Contains(list, `href="`+path+`"`) != reads {
					t.Errorf("the list of a %s (%+v) has the position %s: %v", c.role, c, name, !reads)
				}
				for rest, least := range map[string]typus.UserRole{"": interviewer, "/mitglieder": admin, "/interview": admin, "/fragen": admin, "/bearbeiten": admin, "/hinweise": admin, "/schliessen": admin} {
					want := http.StatusOK
					switch {
					case !c.role.AtLeast(least):
						want = http.StatusForbidden
					case !reads, name == "default" && slices.Contains([]string{"/bearbeiten", "/hinweise", "/schliessen"}, rest):
						want = http.StatusNotFound
					}
					if a := u.get(path + rest); a.StatusCode != want {
						t.Errorf("%s%s of the position %s: %s for a %s (%+v), want %d", path, rest, name, a.Status, c.role, c, want)
					}
				}
			}
		}
	})
}

// An owner sees every position, and the page does not offer them; whoever saves it unnames
// nobody whom it did not show.
func TestWhoIsNotShownAmongTheMembersStaysOne(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		ben, eva, jo := w.as(owner), w.as(admin), w.as(interviewer)
		id := func(c *client) string { return strconv.FormatInt(c.user.ID, 10) }
		path := ben.place("Vertrieb Nord", "confidential", "1")
		members := func(named ...string) {
			form := url.Values{"confidential": {"1"}, "mitglied": named, seenName: {showed(t, ben.get(path+"/mitglieder"), path+"/mitglieder")}}
			ben.post(path+"/mitglieder", form).want(t, 303)
		}
		role := func(role string) {
			ben.post(memberPath(eva.user.ID)+"/rolle", fields("role", role)).want(t, 303)
		}
		members(id(eva))
		role("owner")
		if a := ben.get(path+"/mitglieder").want(t, 200); strings.Contains(a.body, `value="`+id(eva)+`"`) {
			t.Error("an owner is offered as a member")
		}
		members(id(jo))
		role("admin")
		again := w.loggedIn(eva.user.Email)
		again.get(path).want(t, 200, "Vertrieb Nord")
		jo.get(path).want(t, 200, "Vertrieb Nord")
	})
}

// Somebody may be left to positions that the visitor does not see.
func TestWhoIsNamedInAPositionThatTheVisitorDoesNotSeeNeedsNoOther(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		eve, bob, max := w.as(owner), w.as(admin), w.as(member)
		bob.place("Vertrieb Nord")
		secret := eve.place("Vertraulich", "confidential", "1")
		eve.post(secret+"/mitglieder", url.Values{"confidential": {"1"}, "mitglied": {strconv.FormatInt(max.user.ID, 10)}}).want(t, 303)
		page := memberPath(max.user.ID)
		bob.follow(bob.post(page+"/stellen", fields("reichweite", "gewaehlte"))).want(t, 200, "sind gespeichert")
		max.get(secret).want(t, 200, "Vertraulich")
		eve.post(page+"/stellen", fields("reichweite", "gewaehlte")).want(t, 422, "Wählen Sie mindestens eine Stelle")
	})
}
