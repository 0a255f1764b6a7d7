package dashboard

import (
	"regexp"
	"strings"
	"testing"

	"typus/internal/store"
)

var publicAddress = regexp.MustCompile(`/p/[0-9a-zA-Z_-]{20,}`)

func TestThePublicLinkOfAPositionIsSwitchedOnChangedRenewedAndEnded(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss := w.as(admin)
		path := boss.place("Süd")
		boss.get(path).want(t, 200, "Öffentlicher Link", "Ausgeschaltet")
		boss.get(path+"/link").want(t, 200, "Link einschalten", `value="50"`)
		boss.post(path+"/link", fields("most", "0", "ends", "2020-01-01")).want(t, 422, `id="most-fault"`, `id="ends-fault"`, `value="2020-01-01"`)
		boss.follow(boss.post(path+"/link", fields("most", "20", "ends", "2026-12-24"))).want(t, 200, "ist eingeschaltet", "0 von 20 Plätzen vergeben", `value="2026-12-24"`)
		boss.get(path).want(t, 200, "0 von 20 Plätzen vergeben")
		first := publicAddress.FindString(boss.get(path+"/link").want(t, 200).body)
		boss.follow(boss.post(path+"/link", fields("most", "30", "ends", "2026-12-24"))).want(t, 200, "0 von 30 Plätzen vergeben", first)
		boss.follow(boss.post(path+"/link/neu", nil)).want(t, 200, "neue Adresse")
		if second := publicAddress.FindString(boss.get(path+"/link").want(t, 200).body); first == "" || second == first {
			t.Errorf("the address was %q and is %q", first, second)
		}
		boss.post(path+"/schliessen", nil).want(t, 303)
		boss.get(path+"/link").want(t, 200, "ruht: Stelle geschlossen")
		boss.follow(boss.post(path+"/link/beenden", nil)).want(t, 200, "ist ausgeschaltet")
		boss.get(path+"/link").want(t, 200, "Öffnen Sie sie wieder")
		boss.follow(boss.post(path+"/link", fields("most", "5"))).want(t, 200, "Die Stelle ist geschlossen")
		boss.follow(boss.post(path+"/link/neu", nil)).want(t, 200, "ist ausgeschaltet")
		general := positionsPath + "/" + standardWord
		boss.follow(boss.post(general+"/link", fields("most", "5"))).want(t, 200, "0 von 5 Plätzen vergeben")
	})
}

// An old tab does not undo what others have saved meanwhile.
func TestAnOldFormOfAPublicLinkReplacesNothingUnseen(t *testing.T) {
	w := newWorld(t)
	boss := w.as(admin)
	path := boss.place("Süd")
	boss.post(path+"/link", fields("most", "20")).want(t, 303)
	old := showed(t, boss.get(path+"/link"), path+"/link")
	boss.post(path+"/link", fields("most", "30")).want(t, 303)
	boss.post(path+"/link", fields("most", "40", seenName, old)).want(t, 409, "30")
}

// Without a mail server nobody could confirm an address.
func TestWithoutAMailServerThereIsNoPublicLink(t *testing.T) {
	w := newWorld(t)
	boss := w.as(admin)
	path := boss.place("Süd")
	w.face.Mail = false
	boss.get(path+"/link").want(t, 200, "Ohne Mailserver kann niemand seine Adresse bestätigen").without(t, "Link einschalten")
	boss.follow(boss.post(path+"/link", fields("most", "5"))).want(t, 200, "Ohne Mailserver")
	p, err := w.Store.PositionFor(w.Ctx, store.WholeAccount(w.Account), placed(t, path))
	w.Must(err)
	if l, err := w.Store.PublicLinkOf(w.Ctx, w.Account, p.ID); err != nil || l.ID != 0 {
		t.Errorf("it is on: %+v, %v", l, err)
	}
}

// The letters of a test world are kept, with a mail server or without.
func TestInATestWorldNothingWaitsForAMailServer(t *testing.T) {
	w := newWorld(t)
	w.testWorld()
	boss := w.as(admin)
	w.face.Mail = false
	path := strings.Replace(positionsPath, "/dashboard", worldPath, 1) + "/" + standardWord + "/link"
	boss.get(path).want(t, 200, "Link einschalten").without(t, "Mailserver eingerichtet", "Ohne Mailserver")
	boss.follow(boss.post(path, fields("most", "5"))).want(t, 200, "0 von 5 Plätzen vergeben").without(t, "Mailserver eingerichtet", "Ohne Mailserver")
	for _, form := range []string{"/einladen", "/import"} {
		boss.get(worldPath+form).want(t, 200).without(t, "Mailserver eingerichtet", "Ohne Mailserver")
	}
	sent := boss.post(worldPath+"/einladen", fields("name", "Kim", "email", "never@example.com", "language", "de", "send_email", "1"))
	boss.follow(sent).want(t, 200, "Kim").without(t, "Mailserver eingerichtet", "Ohne Mailserver")

	// While its letter is under way, nothing says that it waits.
	kim := worldPath + "/kandidat/" + regexp.MustCompile(`\d+$`).FindString(sent.Header.Get("Location"))
	boss.get(kim).want(t, 200, "eine E-Mail ist schon unterwegs").without(t, "Mailserver eingerichtet")
	for _, again := range []string{"/senden", "/erinnern"} {
		boss.follow(boss.post(kim+again, nil)).want(t, 200, "eine E-Mail ist schon unterwegs").without(t, "Mailserver eingerichtet")
	}
}
