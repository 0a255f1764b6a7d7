package dashboard

import (
	"path"
	"strings"
	"testing"

	"typus"
)

// enrolled is somebody who has come by the public link of a position, by its address.
func (c *client) enrolled(place, name, email string) {
	c.Helper()
	c.post(place+"/link", fields("most", "20")).want(c, 303)
	link := path.Base(publicAddress.FindString(c.get(place+"/link").want(c, 200).body))
	c.Must(c.Assess.Enrol(c.Ctx, link, typus.Enrolment{Name: name, Email: email, Language: "de"}, "192.0.2.1"))
	letters, err := c.Store.Letters(c.Ctx, 0, 1000)
	c.Must(err)
	for _, l := range letters {
		if l.Kind == typus.LetterEnrolment && l.To == email {
			token, err := c.Box.Open(l.Detail, l.DetailAAD())
			c.Must(err)
			_, err = c.Assess.Confirm(c.Ctx, string(token))
			c.Must(err)
		}
	}
}

// The list and its file say of whoever enrolled by themselves that they did.
func TestTheListSaysWhoCameByThePublicLink(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss := w.as(admin)
		boss.enrolled(boss.place("Süd"), "Kim Selbst", "selbst@example.com")
		w.invited("Kim Muster", "")
		list := boss.get("/dashboard/kandidaten").want(t, 200, "Kim Selbst", "Kim Muster").body
		_, row, _ := strings.Cut(list, ">Kim Selbst<")
		row, _, _ = strings.Cut(row, "</tr>")
		if !strings.Contains(row, "selbst@example.com · über den öffentlichen Link<") || strings.Count(list, "· über den öffentlichen Link<") != 1 {
			t.Errorf("the list says %s", row)
		}
		file := boss.exported()
		if self, other := file["Kim Selbst"][5], file["Kim Muster"][5]; self != "über den öffentlichen Link" || other != "" {
			t.Errorf("the file says %q and %q", self, other)
		}
	})
}

// Before a list of people is invited, it says who has finished a test before, as far as the
// visitor reads it.
func TestAnImportSaysWhoHasTakenPartBefore(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss := w.as(admin)
		w.finished("Kim Muster") // kim@example.com
		rows := []byte("Name;E-Mail\nKim Muster;KIM@example.com\nLou Neu;lou@example.com\nKaputt;x\n")
		at := boss.upload("/dashboard/import", "datei", "x.csv", rows, nil).Header.Get("Location")
		page := boss.get(at).want(t, 200, "2 Personen können eingeladen werden").body
		if strings.Count(page, "Schon einmal teilgenommen") != 1 || strings.Index(page, "Schon einmal teilgenommen") > strings.Index(page, "lou@example.com") {
			t.Errorf("the preview says %s", page)
		}
		boss.post(blindPath, fields("blind", "1", "alle", "1")).want(t, 303)
		boss.get(at).want(t, 200).without(t, "Schon einmal teilgenommen")
	})
}
