package dashboard

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/net/html"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/store"
)

// nine are the answers of the two-minute path: all is equally important, but for what is
// said otherwise.
func nine(name string, importance map[string]string) url.Values {
	form := url.Values{"base": {"hunter"}, "name": {name}, "sign": {"1"}, formName: {"0123456789abcdef" + name}}
	for _, key := range instrument.Own().Dimensions() {
		form.Set("importance_"+key, cmp.Or(importance[key], "3"))
	}
	return form
}

// edited fills in the form of the next version of the estate's role profile.
func edited(s *scene) {
	form := s.editOf(s.names["/dashboard/rollenprofile/{profil}"])
	form.Set("sign", "1")
	form.Set("reason", "Neues Gebiet")
	form.Set("name", "Außendienst Süd")
	s.form = form
}

// archived archives the estate's role profile.
func archived(s *scene) {
	s.post(rolePath(s.names["/dashboard/rollenprofile/{profil}"])+"/archivieren", nil).want(s, 303)
}

// signedRole is an own role profile of an account, and asks for what a profile of the
// test does.
func (w *world) signedRole(account int64, name string) string {
	w.Helper()
	var p typus.RoleProfile
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		var err error
		p = typus.RoleProfile{AccountID: account, Name: name, Base: "hunter", CreatedAt: w.Now()}
		if p.ID, err = tx.AddRoleProfile(w.Ctx, p); err != nil {
			return err
		}
		role, _ := w.Instrument.Role(p.Base)
		role.Key, role.Name, role.Confirmed.By = p.Key(), name, "person"
		profile, err := json.Marshal(role)
		if err != nil {
			return err
		}
		return tx.AddRoleVersion(w.Ctx, account, name, typus.RoleVersion{ProfileID: p.ID, Version: 1, Profile: profile, Basis: typus.RoleByPerson, SignedBy: "Ada", SignedAt: w.Now()})
	}))
	return p.Key()
}

// ownRole makes an own role profile on one person's word, and returns its key.
func (w *world) ownRole(name string) string {
	w.Helper()
	boss := w.as(owner)
	to := boss.post(roleNewPath, nine(name, map[string]string{"integrity": "5"})).want(w.T, 303).Header.Get("Location")
	return strings.TrimPrefix(to, rolesPath+"/")
}

// editOf is the form of the next version as it is shown, with what stands in it.
func (c *client) editOf(key string) url.Values {
	c.Helper()
	return formIn(c.T, c.get(roleEditPath(key)).want(c.T, 200).body, roleEditPath(key))
}

// formIn are the fields of the form of a page that goes to an address, as a browser would
// send them back.
func formIn(t *testing.T, page, action string) url.Values {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	form, within := url.Values{}, false
	for n := range doc.Descendants() {
		attr := map[string]string{}
		for _, a := range n.Attr {
			attr[a.Key] = a.Val
		}
		_, checked := attr["checked"]
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "form":
			within = attr["action"] == action
		case !within || attr["name"] == "":
		case n.Data == "textarea" && n.FirstChild != nil:
			form.Set(attr["name"], strings.TrimPrefix(n.FirstChild.Data, "\n"))
		case n.Data == "input" && (attr["type"] != "checkbox" && attr["type"] != "radio" || checked):
			form.Set(attr["name"], attr["value"])
		}
	}
	if len(form) == 0 {
		t.Fatalf("there is no form to %s in %s", action, page)
	}
	return form
}

func TestOnePersonMakesARoleProfileInTwoMinutes(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.as(member).get(roleNewPath).want(t, 403)
		w.as(viewer).get(rolesPath).want(t, 200, "Vertrieb allgemein", "Nicht bestätigt")
		boss := w.as(owner)
		boss.get(roleNewPath+"?aus=hunter").want(t, 200, `value="hunter" selected`, "Wie wichtig sind Transparenz und Verbindlichkeit in dieser Stelle?", "unverzichtbar")

		form := nine("Außendienst <b>Nord</b>", map[string]string{"integrity": "5"})
		wrong := url.Values{"base": {"nobody"}, "name": {"\x01evil"}, "sign": {"1"}}
		boss.post(roleNewPath, wrong).want(t, 422, "Bitte wählen Sie eine Zahl von 1 bis 5.", `id="name-fault"`, `id="importance_integrity-fault"`)
		unsigned := nine("Außendienst", nil)
		unsigned.Del("sign")
		boss.post(roleNewPath, unsigned).want(t, 422, "Bitte bestätigen Sie, dass Sie unterschreiben.", `value="Außendienst"`)
		for _, field := range []string{"name", "importance_integrity", "importance_resilience"} {
			unsigned.Del(field)
		}
		boss.post(roleNewPath, unsigned).want(t, 422, `id="name-fault"`, `id="importance_integrity-fault"`, `id="importance_resilience-fault"`, `id="sign-fault"`)
		nothing := map[string]string{}
		for _, key := range w.face.Instrument.Dimensions() {
			nothing[key] = "1"
		}
		boss.post(roleNewPath, nine("Nichts", nothing)).want(t, 422, "Wenn nichts wichtig ist, ergibt sich kein Gewicht.")
		boss.post(roleNewPath, nine(strings.Repeat("x", 5001), nil)).want(t, 422, `id="name-fault"`)

		first := boss.post(roleNewPath, form).want(t, 303).Header.Get("Location")
		if again := boss.post(roleNewPath, form).want(t, 303).Header.Get("Location"); again != first {
			t.Errorf("a second click makes %s beside %s", again, first)
		}
		boss.get(first).want(t, 200, "Außendienst &lt;b&gt;Nord&lt;/b&gt;", "bestätigt von einer Person, ohne Fachleute", "20\u00a0%", "10\u00a0%", "Neukundenvertrieb", "Nächste Version unterschreiben")
		boss.get(auditPath).want(t, 200, "Rollenprofil unterschrieben", "Außendienst &lt;b&gt;Nord&lt;/b&gt;, Version 1, von einer Person")
		w.as(viewer).get(first).want(t, 200, "Außendienst")
		w.asOf(w.newAccount("Andere"), owner).get(first).want(t, 404)
		w.as(interviewer).get(first).want(t, 403)
	})
}

func TestAVersionIsNeverChangedAndAResultKeepsIts(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		key := w.ownRole("Außendienst")
		boss := w.as(owner)
		invite := func(name string) assess.Invited {
			return w.invitedBy(w.Account, assess.Invitation{Name: name, Email: "kim@example.com", RoleProfile: key})
		}
		one, two := invite("Kim Erste"), invite("Kim Zweite")
		answer := func(i int) int { return 2 + i%4 }
		w.finishes(one.Token, answer, 4000)
		kept := func(of assess.Invited) store.Result {
			r, err := w.Store.Result(w.Ctx, w.Account, of.Candidate.ID)
			w.Must(err)
			return r
		}
		before := kept(one)
		if before.RoleProfile != key+"@1" {
			t.Fatalf("the result is of %s", before.RoleProfile)
		}
		boss.get(candidatePath(one.Candidate.ID)).want(t, 200, "Außendienst", "bestätigt am", "von einer Person, ohne Fachleute", `href="`+rolePath(key)+`"`)

		form := boss.editOf(key)
		boss.post(roleEditPath(key), form).want(t, 422, "Bitte sagen Sie, warum es eine neue Version gibt.", "Bitte bestätigen Sie, dass Sie unterschreiben.")
		form.Set("sign", "1")
		form.Set("reason", "Neues Gebiet <b>Nord</b>")
		form.Set("weight_integrity", "23")
		form.Set("low_resilience", "60")
		form.Set("high_resilience", "70")
		form.Set("low_adaptability", "90")
		form.Set("high_adaptability", "20")
		form.Set("high_integrity", "90")
		form.Set("zone_learning_orientation", strings.Repeat("ü", 5001))
		form.Set("low_learning_orientation", "40")
		boss.post(roleEditPath(key), form).want(t, 422, "Die Gewichte ergeben zusammen 103 %, nicht 100 %.", "schmaler als zwei Standardmessfehler", "Der Zielbereich endet, bevor er beginnt.",
			"Bitte sagen Sie, warum mehr davon in dieser Stelle zu viel ist.", `id="upper_integrity-fault"`, `id="zone_resilience-fault"`, `id="zone_learning_orientation-fault"`,
			"Neues Gebiet &lt;b&gt;Nord&lt;/b&gt;", strings.Repeat("ü", 5001))

		form = boss.editOf(key)
		for name, value := range map[string]string{
			"sign": "1", "reason": "Neues Gebiet", "weight_integrity": "10", "weight_resilience": "20", "high_integrity": "90",
			"zone_integrity": "So viel ist nötig", "upper_integrity": "Mehr hält auf",
		} {
			form.Set(name, value)
		}
		boss.follow(boss.post(roleEditPath(key), form)).want(t, 200, "Version 2 ist unterschrieben.", "Neues Gebiet", "Mehr hält auf", "So viel ist nötig", "50–90")
		w.finishes(two.Token, answer, 4000)
		if r := kept(two); r.RoleProfile != key+"@2" {
			t.Errorf("who was invited before and hands in afterwards is compared with %s", r.RoleProfile)
		}
		if after := kept(one); string(after.RoleSnapshot) != string(before.RoleSnapshot) || string(after.Scores) != string(before.Scores) {
			t.Error("a result has changed with the role profile")
		}
		within := peoplePath + "?rolle=" + key
		boss.post("/dashboard/sortierung", fields("an", "1", "gelesen", "1")).want(t, 303)
		boss.get(within).want(t, 200, "Kim Erste", "Kim Zweite", "Außendienst").without(t, "Sortiert sind nur")
		boss.get(within+"&sortierung=gesamtwert").want(t, 200, "Kim Zweite", "Sortiert sind nur Ergebnisse, die mit Version 2").without(t, "Kim Erste")
		boss.get(compareOf(id(two))).want(t, 200, "Kim Zweite").without(t, "Kim Erste")
		third := w.invitedBy(w.Account, assess.Invitation{Name: "Kim Dritte", Email: "kim3@example.com", RoleProfile: key})
		w.finishes(third.Token, answer, 4000)
		_, _, err := w.Accounts.GrantCredits(w.Ctx, w.Account, accounts.Grant{Amount: 100, Note: "Test", Actor: by.Name})
		w.Must(err)
		for n := range 60 { // of another role profile, and newer
			w.finishes(w.invited(fmt.Sprintf("Andere %d", n), "").Token, answer, 4000)
		}
		boss.get(compareOf(id(two))).want(t, 200, "Kim Dritte").without(t, "Kim Erste", "Andere 7")
		boss.get(rolePath(key)+"?version=1").want(t, 200, "Das ist eine frühere Version.", "20\u00a0%")
		boss.get(rolePath(key)+"?version=9").want(t, 404)
		boss.get(rolePath(key)+"?version=x").want(t, 200, "Version 2")
		boss.get(comparePath+"?id="+id(one)+"&id="+id(two)).want(t, 422, "Rollenprofil")
		if n, differences, err := w.Assess.Verify(w.Ctx, w.Account); err != nil || n != 63 || len(differences) > 0 {
			t.Errorf("computed again: %d, %v, %v", n, differences, err)
		}
	})
}

func TestWhoIsSecondSeesWhatTheFirstSignedAndLosesNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		key := w.ownRole("Außendienst")
		ada, ben := w.as(owner), w.as(admin)
		mine, theirs := ada.editOf(key), ben.editOf(key)
		for name, value := range map[string]string{"sign": "1", "reason": "Mehr Beratung", "weight_customer_orientation": "15", "weight_resilience": "5"} {
			theirs.Set(name, value)
		}
		ben.post(roleEditPath(key), theirs).want(t, 303)
		for name, value := range map[string]string{"sign": "1", "reason": "Mehr Ordnung", "weight_self_organization": "15", "weight_learning_orientation": "5", "name": "Außendienst Süd"} {
			mine.Set(name, value)
		}
		late := ada.post(roleEditPath(key), mine).want(t, 409, "hat inzwischen Version 2 unterschrieben", "Mehr Ordnung", "Außendienst Süd", `value="15"`)
		versions := func() []typus.RoleVersion {
			p, _ := typus.OwnRoleID(key)
			all, err := w.Store.RoleVersions(w.Ctx, w.Account, p)
			w.Must(err)
			return all
		}
		if n := len(versions()); n != 2 {
			t.Fatalf("there are %d versions", n)
		}
		again := formIn(t, late.body, roleEditPath(key))
		again.Set("sign", "1")
		ada.follow(ada.post(roleEditPath(key), again)).want(t, 200, "Version 3 ist unterschrieben.", "Außendienst Süd")
		if all := versions(); len(all) != 3 || all[1].Reason != "Mehr Beratung" || all[0].Reason != "Mehr Ordnung" {
			t.Errorf("the versions are %+v", all)
		}
	})
}

// Two who send the same, from two pages, make one version; and what asks for nothing new is
// no version until the profile is to be looked at again.
func TestNobodySignsTheSameTwice(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		key := w.ownRole("Außendienst")
		ada, ben := w.as(owner), w.as(admin)
		mine, theirs := ada.editOf(key), ben.editOf(key)
		for _, form := range []url.Values{mine, theirs} {
			for name, value := range map[string]string{"sign": "1", "reason": "Mehr Beratung", "weight_customer_orientation": "15", "weight_resilience": "5"} {
				form.Set(name, value)
			}
		}
		ben.post(roleEditPath(key), theirs).want(t, 303)
		late := ada.post(roleEditPath(key), mine).want(t, 409, "hat inzwischen Version 2 unterschrieben")
		again := formIn(t, late.body, roleEditPath(key))
		again.Set("sign", "1")
		ada.post(roleEditPath(key), again).want(t, 422, "An der neuesten Version ist nichts geändert.", `id="sign-fault"`)
		p, _ := typus.OwnRoleID(key)
		if all, err := w.Store.RoleVersions(w.Ctx, w.Account, p); err != nil || len(all) != 2 {
			t.Errorf("there are %d versions, %v", len(all), err)
		}
		w.Later(25 * 31 * 24 * time.Hour)
		ada = w.as(owner)
		checked := ada.editOf(key)
		checked.Set("sign", "1")
		checked.Set("reason", "Geprüft, gilt weiter")
		ada.follow(ada.post(roleEditPath(key), checked)).want(t, 200, "Version 3 ist unterschrieben.")
	})
}

func TestAnOwnRoleProfileIsChosenWhereOthersAre(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		key := w.ownRole("Außendienst")
		boss := w.as(owner)
		boss.get("/dashboard/einladen").want(t, 200, `value="`+key+`"`, "Außendienst (eigenes)")
		boss.get("/dashboard/import").want(t, 200, `value="`+key+`"`)
		w.Must(w.Accounts.Change(w.Ctx, w.Account, by, func(a *typus.Account) { a.RoleProfile = key }))
		c := w.invited("Kim Muster", "")
		if c.Candidate.RoleProfile != key {
			t.Errorf("the account's profile is not taken: %s", c.Candidate.RoleProfile)
		}
		w.as(interviewer).get(candidatePath(c.Candidate.ID)+"/leitfaden").want(t, 200, "Außendienst")
		boss.get("/dashboard/einladen").want(t, 200, `value="`+key+`" selected`)

		bare := w.bareRole("Ohne Version")
		other := w.asOf(w.newAccount("Andere"), owner)
		foreign := w.bareRole("x")
		for _, unknown := range []string{bare, foreign, "own-999999", "own-1x", "own-" + strings.Repeat("9", 40), "OWN-1", "hunter2"} {
			if unknown == key {
				continue
			}
			for what, err := range map[string]error{
				"an invitation": func() error {
					_, _, err := w.Assess.Invite(w.Ctx, w.Account, assess.Invitation{Name: "Kim", Email: "kim@example.com", RoleProfile: unknown}, nil)
					return err
				}(),
				"a position": func() error {
					_, err := w.Accounts.AddPosition(w.Ctx, store.WholeAccount(w.Account), typus.Position{Name: "Außendienst", RoleProfile: unknown, Reminders: -1}, nil, by)
					return err
				}(),
				"the account": w.Accounts.Change(w.Ctx, w.Account, by, func(a *typus.Account) { a.RoleProfile = unknown }),
			} {
				if !typus.Is(err, typus.Invalid) || !strings.Contains(fmt.Sprint(err), "general_sales") {
					t.Errorf("%s with %q: %v", what, unknown, err)
				}
			}
		}
		other.get(rolePath(key)).want(t, 404)
		if err := w.Accounts.Change(w.Ctx, other.user.AccountID, by, func(a *typus.Account) { a.RoleProfile = key }); !typus.Is(err, typus.Invalid) {
			t.Errorf("another account takes it: %v", err)
		}
	})
}

// bareRole is an own role profile that nobody has signed yet.
func (w *world) bareRole(name string) string {
	w.Helper()
	var id int64
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
		var err error
		id, err = tx.AddRoleProfile(w.Ctx, typus.RoleProfile{AccountID: w.Account, Name: name, Base: "hunter", CreatedAt: time.Unix(0, 0)})
		return err
	}))
	return typus.RoleProfile{ID: id}.Key()
}

// An archived role profile is chosen for nobody any more, and whatever names it keeps it. What
// still takes it is said in words, and so is what reopens with it.
func TestAnArchivedRoleProfileIsNotOfferedAnyMore(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		key, other := w.ownRole("Außendienst"), w.ownRole("Innendienst")
		boss, guest := w.as(admin), w.as(viewer)
		archive := func(want string) {
			t.Helper()
			boss.follow(boss.post(rolePath(key)+"/archivieren", nil)).want(t, 200, want)
		}
		use := func(role string) {
			w.Must(w.Accounts.Change(w.Ctx, w.Account, by, func(a *typus.Account) { a.RoleProfile = role }))
		}
		use(key)
		archive("Dieses Rollenprofil ist in den Einstellungen des Kontos gewählt.")
		use("hunter")
		place, err := w.Accounts.AddPosition(w.Ctx, store.WholeAccount(w.Account), typus.Position{Name: "Süd", RoleProfile: key, Reminders: typus.RemindersOfAccount}, nil, by)
		w.Must(err)
		archive("Eine offene Stelle nennt dieses Rollenprofil.")
		before := w.invitedBy(w.Account, assess.Invitation{Name: "Kim Vorher", Email: "vorher@example.com", RoleProfile: key})
		_, err = w.Accounts.ClosePosition(w.Ctx, store.WholeAccount(w.Account), place, accounts.KeepOpen, by)
		w.Must(err)
		guest.post(rolePath(key)+"/archivieren", nil).want(t, 403)
		archive("Das Rollenprofil ist archiviert.")

		a := boss.get("/dashboard/einladen").want(t, 200, `value="`+other+`"`)
		if strings.Contains(a.body, `value="`+key+`"`) {
			t.Error("an archived role profile is offered")
		}
		boss.get(rolesPath).want(t, 200, "Archivierte", "Außendienst")
		boss.get(rolePath(key)).want(t, 200, "Dieses Rollenprofil ist archiviert", "Wieder anbieten")
		_, _, err = w.Assess.Invite(w.Ctx, w.Account, assess.Invitation{Name: "Kim Nachher", Email: "nachher@example.com", RoleProfile: key}, nil)
		w.WantKind(err, typus.Invalid)
		at := "/dashboard/stellen/" + strconv.FormatInt(place, 10)
		boss.follow(boss.post(at+"/oeffnen", nil)).want(t, 200, "ein Rollenprofil, das nicht mehr zur Wahl steht")
		w.Must(w.Assess.Begin(w.Ctx, before.Token, typus.Notice{Version: "v1", Language: "de", At: w.Now()}, "Hinweise"))
		w.finishes(before.Token, func(i int) int { return 2 + i%4 }, 4000)
		if r, err := w.Store.Result(w.Ctx, w.Account, before.Candidate.ID); err != nil || r.RoleProfile != key+"@1" {
			t.Errorf("who was invited before has %+v, %v", r.RoleProfile, err)
		}
		boss.get(candidatePath(before.Candidate.ID)).want(t, 200, "Außendienst")

		boss.follow(boss.post(rolePath(key)+"/anbieten", nil)).want(t, 200, "steht wieder zur Wahl")
		boss.follow(boss.post(at+"/oeffnen", nil)).want(t, 200, "Die Stelle ist wieder offen.")
		boss.get("/dashboard/einladen").want(t, 200, `value="`+key+`"`)
		boss.get(auditPath).want(t, 200, "Rollenprofil archiviert", "Rollenprofil wieder angeboten")
	})
}
