package dashboard

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// A candidate who has asked for another test is invited to it without anything being typed
// again, and to the same position.
func TestAnotherTestIsOfferedToTheSamePersonForTheSamePosition(t *testing.T) {
	w := newWorld(t)
	boss := w.as(owner)
	north := boss.place("Vertrieb Nord")
	out := w.invitedBy(w.Account, assess.Invitation{
		Name: "Kim <b>Muster</b>", Email: "kim@example.com", ExternalID: "crm-7", RoleProfile: "farmer", PositionID: placed(t, north),
	})
	w.finishes(out.Token, func(i int) int { return 2 + i%4 }, 4000)
	w.Must(w.Assess.OwnRequest(w.Ctx, out.Token, typus.RequestRetest, "", typus.Actor{Name: typus.ActorCandidate}))
	link := invitePath + "?stelle=" + strconv.FormatInt(placed(t, north), 10) + "&wie=" + id(out)
	boss.get(candidatePath(out.Candidate.ID)).want(t, 200, `href="`+strings.ReplaceAll(link, "&", "&amp;")+`"`)
	boss.get(link).want(t, 200, `value="Kim &lt;b&gt;Muster&lt;/b&gt;"`, `value="kim@example.com"`, `value="crm-7"`, `value="de" selected`, `value="farmer" selected`,
		`value="`+strconv.FormatInt(placed(t, north), 10)+`" selected`)
	for _, from := range []string{"0", "x", "999999"} {
		if page := boss.get(invitePath+"?wie="+from).want(t, 200); strings.Contains(page.body, "kim@example.com") {
			t.Errorf("%q fills in somebody", from)
		}
	}
	if page := w.asOf(w.newAccount("Andere"), owner).get(invitePath+"?wie="+id(out)).want(t, 200); strings.Contains(page.body, "kim@example.com") {
		t.Error("another account learns of the person")
	}
}

// only makes a user read the positions that name them, and names them in one.
func (w *world) only(c *client, position int64) {
	w.Helper()
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		if err := tx.NameInPosition(w.Ctx, w.Account, position, c.user.ID); err != nil {
			return err
		}
		return tx.SetOnlyNamed(w.Ctx, w.Account, c.user.ID, true)
	}))
}

// positionsOf counts the candidates of each position.
func (w *world) positionsOf() map[int64]int {
	w.Helper()
	list, _, err := w.Store.Candidates(w.Ctx, w.Account, store.CandidateFilter{Limit: 100})
	w.Must(err)
	counts := map[int64]int{}
	for _, c := range list {
		counts[c.PositionID]++
	}
	return counts
}

func TestWhoeverInvitesChoosesAPositionOnceThereIsMoreThanOne(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss, kim := w.as(admin), w.as(member)
		for _, page := range []string{invitePath, importsPath} {
			if a := kim.get(page).want(t, 200); strings.Contains(a.body, `name="stelle"`) {
				t.Errorf("%s asks for a position where there is only one", page)
			}
		}
		north := boss.place("Vertrieb Nord", "invite_days", "7", "role_profile", "hunter")
		closed := boss.place("Vertrieb Süd")
		id := strconv.FormatInt(placed(t, north), 10)
		kim.get(north).want(t, 200, invitePath+"?stelle="+id)
		kim.get(invitePath+"?stelle="+id).want(t, 200, `value="`+id+`" selected`, "gilt 7 Tage", "Wie für die Stelle festgelegt", "Vertrieb Süd")
		kim.get(invitePath).want(t, 200, `value="allgemein" selected`)

		form := func(name, place string) url.Values {
			return fields("name", name, "email", strings.ToLower(name)+"@example.com", "stelle", place, "role_profile", "", "send_email", "1")
		}
		kim.post(invitePath, form("Jana", id)).want(t, 303)
		kim.post(invitePath, form("Jo", "allgemein")).want(t, 303)
		if got := w.positionsOf(); got[placed(t, north)] != 1 || got[0] != 1 {
			t.Errorf("invited to %v", got)
		}
		old := strconv.FormatInt(placed(t, closed), 10)
		boss.post(closed+"/schliessen", nil).want(t, 303)
		for _, page := range []string{invitePath, importsPath} {
			a := kim.get(page+"?stelle="+old).want(t, 200, "Die gewählte Stelle ist inzwischen geschlossen", `id="stelle-fault"`, `value="" selected>Bitte wählen`)
			if strings.Contains(a.body, "Vertrieb Süd") || strings.Contains(a.body, `value="allgemein" selected`) {
				t.Errorf("%s offers a closed position, or chooses another one unasked", page)
			}
		}
		for _, gone := range []string{old, ""} {
			kim.post(invitePath+"/brief", form("Sam", gone)).want(t, 409, "Wählen Sie eine andere")
			kim.post(invitePath, form("Sam", gone)).want(t, 409, "Wählen Sie eine andere")
		}
		kim.post(invitePath, form("Sam", old)).want(t, 409, "Die gewählte Stelle ist inzwischen geschlossen", `value="Sam"`, `id="stelle-fault"`)
		kim.upload(importsPath, "datei", "liste.csv", []byte("Name;E-Mail\nMia Muster;mia@example.com\n"), fields("stelle", old)).want(t, 422, "Die gewählte Stelle ist inzwischen geschlossen")

		page := kim.upload(importsPath, "datei", "liste.csv", []byte("Name;E-Mail\nMia Muster;mia@example.com\n"), fields("stelle", id, "role_profile", ""))
		list := kim.follow(page).want(t, 200, "Für die Stelle Vertrieb Nord.", "Neukundenvertrieb").Request.URL.Path
		boss.post(north+"/schliessen", nil).want(t, 303)
		kim.follow(kim.post(list+"/start", nil)).want(t, 200, "Die Stelle ist inzwischen geschlossen")
		boss.post(north+"/oeffnen", nil).want(t, 303)
		kim.post(list+"/start", nil).want(t, 303)
		w.Must(w.Assess.RunImports(w.Ctx, "me"))
		if got := w.positionsOf(); got[placed(t, north)] != 2 {
			t.Errorf("after the import: %v", got)
		}
	})
}

func TestWhoeverReadsOnePositionInvitesToNoOther(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss, kim := w.as(admin), w.as(member)
		north, south := boss.place("Vertrieb Nord"), boss.place("Vertrieb Süd")
		w.only(kim, placed(t, north))
		if a := kim.get(invitePath).want(t, 200, "Vertrieb Nord"); strings.Contains(a.body, "Vertrieb Süd") || strings.Contains(a.body, "Allgemein") {
			t.Error("the form offers a position out of reach")
		}
		for _, place := range []string{positionParam(typus.Position{ID: placed(t, south)}), "allgemein", "", "x"} {
			kim.post(invitePath, fields("name", "Jana", "email", "jana@example.com", "stelle", place, "role_profile", "")).want(t, 409, "Wählen Sie eine andere")
			kim.upload(importsPath, "datei", "liste.csv", []byte("Name;E-Mail\nMia;mia@example.com\n"), fields("stelle", place)).want(t, 422, "Wählen Sie eine andere")
		}
		if got := w.positionsOf(); len(got) > 0 {
			t.Errorf("invited to %v", got)
		}
		boss.post(north+"/schliessen", nil).want(t, 303)
		kim.get(invitePath).want(t, 403, "Zurzeit keine offene Stelle")
	})
}
