package dashboard

import (
	"net/url"
	"testing"
	"time"

	"typus/internal/assess"
)

// Whoever has no test world is told what one is, and makes it by a button; from then on the
// page shows its clock and what is left to do.
func TestATestWorldIsMadeOnItsPageAndShowsItsClock(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(member)
		c.get(worldPath).want(t, 200, "Was der Testbetrieb nie berührt", `<title>Testbetrieb`).without(t, "TEST ·")
		c.follow(c.post(worldPath, nil)).want(t, 200, "<title>TEST · Testbetrieb", "0 von 5 erledigt", "27.11.2026, 10:00", "geht wie die echte Uhr", "Das können Kontoleitung und Administration.", `<a href="/">Zum echten Betrieb</a>`).without(t, `class="meter`)
		there, err := w.Store.World(w.Ctx, w.Account)
		w.Must(err)
		w.invitedBy(there.ID, assess.Invitation{Name: "Tom Probe", Email: "tom@example.com"})
		c.get(worldPath).want(t, 200, "1 von 5 erledigt")
		c.post(worldPath+"/uhr", url.Values{"dauer": {"3 Tage"}}).want(t, 422, "Geben Sie eine Dauer wie P3D", `value="3 Tage"`)
		c.post(worldPath+"/uhr", url.Values{"dauer": {"P2Y"}}).want(t, 422)
		c.get(worldPath+"/zuruecksetzen").want(t, 403)
		if forms := len(nonce.FindAllString(c.get(worldPath).body, -1)); forms != 2 {
			t.Errorf("%d forms of the clock say which they are", forms)
		}
		w.as(admin).get(worldPath+"/zuruecksetzen").want(t, 200, "Was gelöscht wird", "Was bleibt")
		c.get(worldPath+"/postfach").want(t, 200, "Umstellen können das Kontoleitung und Administration.").without(t, `action="`+sandboxForwardPath)
		c.get(worldPath+"/postfach/987654321").want(t, 404)
		c.post(sandboxForwardPath, url.Values{"an": {"1"}}).want(t, 403)
		chief := w.as(admin)
		chief.follow(chief.post(sandboxForwardPath, url.Values{"an": {"1"}})).want(t, 200, "Nichts mehr verschicken")
		chief.follow(chief.post(sandboxForwardPath, nil)).want(t, 200, "E-Mails an das Team auch verschicken")
		// The way out leads to the account itself, and the live pages lead here.
		if a := c.get("/"); a.Header.Get("Location") != homePath {
			t.Errorf("the way out leads to %q", a.Header.Get("Location"))
		}
		if a := c.get("/anmelden?weiter=" + url.QueryEscape(keysPath)); a.Header.Get("Location") != keysPath {
			t.Errorf("the way to the live keys leads to %q", a.Header.Get("Location"))
		}
		c.get(keysPath).want(t, 200, `href="/dashboard/test"`)
		w.as(viewer).get(keysPath).want(t, 200).without(t, `href="/dashboard/test"`)
	})
}

func TestALengthOfTimeIsSaidInItsTwoLargestUnits(t *testing.T) {
	f := newTestFace(t)
	for d, want := range map[time.Duration]string{
		0: "", time.Second: "1 Minute", 72 * time.Hour: "3 Tage", 49*time.Hour + 5*time.Minute: "2 Tage, 1 Stunde", time.Hour + 2*time.Minute: "1 Stunde, 2 Minuten",
	} {
		if said := f.spanInWords(speaking("de"), d); said != want {
			t.Errorf("%s is said %q, want %q", d, said, want)
		}
	}
}

func TestOnlyLinksToUsAreFollowedInALetter(t *testing.T) {
	for text, pieces := range map[string]int{"": 1, "https://typus.example.com/": 1, "https://typus.example.com/ und https://typus.example.com/t/x": 3, "https://typus.example.com/a>b": 3} {
		said, parts := "", letterParts(text, "https://typus.example.com")
		for _, p := range parts {
			said += p.Text
		}
		if said != text || len(parts) != pieces {
			t.Errorf("%q is said in %d pieces: %q", text, len(parts), said)
		}
	}
	parts := letterParts("Hallo,\nhttps://typus.example.com/t/x\noder https://evil.example/t/x", "https://typus.example.com")
	if len(parts) != 3 || parts[1].Path != "/t/x" || parts[2].Path != "" || parts[0].Text+parts[1].Text+parts[2].Text != "Hallo,\nhttps://typus.example.com/t/x\noder https://evil.example/t/x" {
		t.Errorf("%+v", parts)
	}
}
