package dashboard

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func TestAMistypedProviderIsRecognised(t *testing.T) {
	for typed, want := range map[string]string{
		"gmial.com": "gmail.com", "gmail.con": "gmail.com", "gmail.co": "gmail.com", "gmai.com": "gmail.com", "gmail,com": "gmail.com", "GMIAL.com": "gmail.com",
		"gmx.ed": "gmx.de", "gxm.de": "gmx.de", "web.ed": "web.de", "wbe.de": "web.de", "hotmial.com": "hotmail.com", "hotmal.cmo": "hotmail.com",
		"yahoo.cmo": "yahoo.com", "yahho.de": "yahoo.de", "outlok.com": "outlook.com", "outlook.con": "outlook.com", "tonline.de": "t-online.de",
		"goglemail.com": "googlemail.com", "iclould.com": "icloud.com", "frenet.de": "freenet.de", "protonmial.com": "protonmail.com",

		"example.com": "", "gmc.de": "", "wen.de": "", "weber.de": "", "gmx.eu": "", "gmail.de": "", "yahoo.dk": "", "yahoo.es": "", "yahoo.co.uk": "",
		"hotmail.ch": "", "hotmail.co.uk": "", "outlook.fr": "", "mail.com": "", "email.com": "", "ymail.com": "", "cloud.com": "", "online.de": "",
		"protonmail.ch": "", "live.com": "", "gmail": "", "": "", strings.Repeat("gmail.com", 1000): "",
	} {
		if want != "" {
			want = "Kim@" + want
		}
		if got := meantAddress("Kim@" + typed); got != want {
			t.Errorf("%.30s: %q, want %q", typed, got, want)
		}
	}
	for _, p := range append(providers, "@", "gmial.com") {
		if got := meantAddress(p) + meantAddress("kim@"+p); got != "" && p != "gmial.com" {
			t.Errorf("%s: %q", p, got)
		}
	}
	if got := meantAddress("\ufeff kim@gm\u200bial.com "); got != "kim@gmail.com" {
		t.Errorf("pasted: %q", got)
	}
}

var submits = regexp.MustCompile(`<button[^>]*>`)

// Whoever invites an address that is probably mistyped is asked once, before anything is sent;
// what they typed stays as it is, and goes if they say so.
func TestAnAddressThatIsProbablyMistypedIsAskedAboutOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(member)
		form := c.inviteForm()
		form.Set("name", "Jana")
		form.Set("email", "jana@gmial.com")
		form.Set("external_id", "crm-7")
		page := c.post("/dashboard/einladen", form).want(t, 422, "Meinten Sie jana@gmail.com?", "Es ist noch niemand eingeladen", `value="jana@gmial.com"`, `value="crm-7"`, `name="gemeint" value="jana@gmail.com">Ja, mit jana@gmail.com einladen<`, "Nein, wie eingegeben einladen", `<button class="button">Einladen</button>`)
		page.without(t, `aria-invalid="true"`)
		if strings.Count(page.body, "autofocus") != 1 || w.invitedCount() != 0 {
			t.Errorf("%d are invited; the page is %s", w.invitedCount(), page.body)
		}
		if first := submits.FindString(page.body[strings.Index(page.body, `class="form"`):]); strings.Contains(first, "name=") {
			t.Errorf("Enter presses %s", first) // in a field that somebody corrected
		}
		form.Set("adresse", "jana@gmial.com")
		other := url.Values{}
		for name, values := range form {
			other[name] = values
		}
		other.Set("email", "jana@hotmial.com") // another one is asked about anew
		c.post("/dashboard/einladen", other).want(t, 422, "Meinten Sie jana@hotmail.com?")
		c.follow(c.post("/dashboard/einladen", form)).want(t, 200, "jana@gmial.com")
		if w.invitedCount() != 1 {
			t.Errorf("%d are invited", w.invitedCount())
		}

		// Whoever says yes invites the address that was meant, whatever is in the field.
		form = c.inviteForm()
		form.Set("name", "")
		form.Set("email", "kim@gmial.com")
		form.Set("adresse", "kim@gmial.com")
		form.Set("gemeint", "kim@gmail.com")
		c.post("/dashboard/einladen", form).want(t, 422, "Bitte füllen Sie dieses Feld aus", `value="kim@gmail.com"`).without(t, "gmial.com")
		form.Set("name", "Kim")
		first := c.post("/dashboard/einladen", form)
		c.follow(first).want(t, 200, "kim@gmail.com").without(t, "gmial.com")
		if again := c.post("/dashboard/einladen", form); again.Header.Get("Location") != first.Header.Get("Location") || w.invitedCount() != 2 {
			t.Errorf("pressed twice it leads to %s, and %d are invited", again.Header.Get("Location"), w.invitedCount())
		}

		// What is asked beside it is asked too, and nothing twice.
		form = c.inviteForm()
		form.Set("email", "jana@gmial.com")
		form.Set("name", "")
		c.post("/dashboard/einladen", form).want(t, 422, "Bitte füllen Sie dieses Feld aus", "Meinten Sie jana@gmail.com?", `name="adresse" value="jana@gmial.com"`)
		form.Set("name", "Jana")
		form.Set("adresse", "jana@gmial.com")
		known := c.post("/dashboard/einladen", form).want(t, 422, "schon eine offene Einladung", `name="adresse" value="jana@gmial.com"`, "Trotzdem einladen")
		known.without(t, "Meinten Sie")
		if strings.Count(known.body, "autofocus") != 1 {
			t.Errorf("the page is %s", known.body)
		}
		form.Set("trotzdem", "jana@gmial.com")
		c.follow(c.post("/dashboard/einladen", form)).want(t, 200, "Jana ist eingeladen")

		// In the preview of a list it is a remark; whoever has it sent sends it as it stands.
		at := c.list("Name;E-Mail\nKim Muster;kim@web.ed\nLou Muster;lou@web.de\n")
		if list := c.get(at).want(t, 200, "2 Personen können eingeladen werden", "Meinten Sie kim@web.de?"); strings.Count(list.body, "Meinten Sie") != 1 {
			t.Errorf("the preview says %s", list.body)
		}
		c.post(at+"/start", nil).want(t, 303)
		w.Must(w.Assess.RunImports(w.Ctx, "me"))
		c.get(at).want(t, 200, "kim@web.ed").without(t, "Meinten Sie")
	})
}

// So is whoever corrects the address of a person, before it is saved and before a letter goes
// there; who changes the name alone is not.
func TestACorrectionToAnAddressThatIsProbablyMistypedIsAskedAboutOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(member)
		out := w.invited("Kim Mustre", "")
		path := "/dashboard/kandidat/" + id(out) + "/korrigieren"
		stored := func() string {
			now, err := w.Store.Candidate(w.Ctx, w.Account, out.Candidate.ID)
			w.Must(err)
			return now.Name + " " + now.Email
		}
		page := c.post(path, fields("name", "Kim Muster", "email", "kim@gmial.com")).want(t, 422, "Meinten Sie kim@gmail.com?", "Eingegeben haben Sie kim@gmial.com. Es ist noch nichts gespeichert.",
			`id="berichtigen" open`, `value="Kim Muster"`, `name="gemeint" value="kim@gmail.com">Ja, kim@gmail.com speichern<`, "Nein, wie eingegeben speichern")
		if strings.Count(page.body, "autofocus") != 1 || !strings.HasPrefix(stored(), "Kim Mustre ") {
			t.Errorf("stored is %s; the page is %s", stored(), page.body)
		}
		c.follow(c.post(path, fields("name", "Kim Muster", "email", "kim@gmial.com", "adresse", "kim@gmial.com", "gemeint", "kim@gmail.com"))).want(t, 200, "Die Angaben sind berichtigt")
		if stored() != "Kim Muster kim@gmail.com" {
			t.Errorf("stored is %s", stored())
		}
		c.post(path, fields("name", "", "email", "kim@gmial.com")).want(t, 422, "Bitte füllen Sie dieses Feld aus").without(t, "Meinten Sie", `name="adresse"`)
		c.post(path, fields("name", "", "email", "kim@gmial.com", "adresse", "kim@gmial.com")).want(t, 422, "Bitte füllen Sie dieses Feld aus", `name="adresse" value="kim@gmial.com"`).without(t, "Meinten Sie")
		c.follow(c.post(path, fields("name", "Kim Muster", "email", "kim@gmial.com", "adresse", "kim@gmial.com"))).want(t, 200, "kim@gmial.com")
		c.follow(c.post(path, fields("name", "Kim Anders", "email", "kim@gmial.com"))).want(t, 200, "Die Angaben sind berichtigt")
		if stored() != "Kim Anders kim@gmial.com" {
			t.Errorf("stored is %s", stored())
		}

		// Where a letter goes out with it, it goes to the address that was meant, not before.
		sent := func() string {
			letters, err := w.Store.LettersOf(w.Ctx, w.Account, out.Candidate.ID)
			w.Must(err)
			var to []string
			for _, l := range letters {
				to = append(to, l.To)
			}
			return strings.Join(to, " ")
		}
		before := sent()
		c.post(path, fields("name", "Kim", "email", "kim@hotmial.com", "senden", "1")).want(t, 422, `name="gemeint_senden" value="kim@hotmail.com">Ja, speichern und an kim@hotmail.com senden<`, "Nein, wie eingegeben speichern und senden")
		if sent() != before {
			t.Errorf("letters to %s", sent())
		}
		c.follow(c.post(path, fields("name", "Kim", "email", "kim@hotmial.com", "adresse", "kim@hotmial.com", "gemeint_senden", "kim@hotmail.com"))).want(t, 200)
		if stored() != "Kim kim@hotmail.com" || sent() != strings.TrimSpace(before+" kim@hotmail.com") {
			t.Errorf("stored is %s, letters to %s", stored(), sent())
		}
	})
}

// And whoever invites somebody to the team.
func TestAMemberWithAnAddressThatIsProbablyMistypedIsAskedAboutOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(owner)
		team := func() string {
			users, err := w.Store.Users(w.Ctx, w.Account)
			w.Must(err)
			var addresses []string
			for _, u := range users {
				addresses = append(addresses, u.Email)
			}
			return strings.Join(addresses, " ")
		}
		before := team()
		page := c.post(teamPath+"/einladen", fields("email", "jana@gmial.com", "name", "Jana", "role", "member", "language", "en")).want(t, 422,
			"Meinten Sie jana@gmail.com?", "Es ist noch niemand eingeladen", `name="gemeint" value="jana@gmail.com">Ja, mit jana@gmail.com einladen<`, `value="Jana"`, `value="jana@gmial.com"`)
		if strings.Count(page.body, "autofocus") != 1 || team() != before {
			t.Errorf("the team is %s; the page is %s", team(), page.body)
		}
		c.post(teamPath+"/einladen", fields("email", "jana@gmial.com", "role", "king", "adresse", "jana@gmial.com")).want(t, 422, `name="adresse" value="jana@gmial.com"`).without(t, "Meinten Sie")
		c.post(teamPath+"/einladen", fields("email", "jana@gmial.com", "role", "member", "adresse", "jana@gmial.com", "gemeint", "jana@gmail.com")).want(t, 303)
		c.post(teamPath+"/einladen", fields("email", "kim@web.ed", "role", "member", "adresse", "kim@web.ed")).want(t, 303)
		if team() != before+" jana@gmail.com kim@web.ed" {
			t.Errorf("the team is %s", team())
		}
	})
}
