package testpage

import (
	"html"
	"io"
	"strings"
	"testing"
	"time"

	"typus"
)

// The pages of a test say the day on which it ends where the account is, and the copy of the
// data its hours, with the zone: the candidate may be in another one.
func TestThePagesOfATestSayTheAccountsDays(t *testing.T) {
	for zone, says := range map[typus.Zone]struct{ expires, handed string }{
		"UTC":                {"27. Dezember 2026", "27.11.2026, 10:00\u00a0UTC"},
		"Europe/Berlin":      {"27. Dezember 2026", "27.11.2026, 11:00\u00a0MEZ"},
		"Pacific/Kiritimati": {"28. Dezember 2026", "28.11.2026, 00:00\u00a0UTC+14"},
		"Pacific/Pago_Pago":  {"26. Dezember 2026", "26.11.2026, 23:00\u00a0UTC−11"},
	} {
		w := newWorld(t)
		w.shows(typus.OwnResultAtOnce, "")
		w.Must(w.Accounts.Change(w.Ctx, w.Account, typus.Actor{Name: "ada"}, func(a *typus.Account) { a.Zone = zone }))
		candidate, other := w.reader("de"), w.reader("de")
		invited := w.invite("de")
		for path, day := range map[string]string{"/t/" + invited.Token: says.expires, "/t/" + invited.Token + "/barrierefreiheit": "28. November 2026"} {
			if other.open(path); !other.says(day) {
				t.Errorf("in %s %s does not say %s:\n%s", zone, path, day, other.body)
			}
		}
		out := w.handed(candidate, false)
		if candidate.open("/t/" + out.Token + "/ergebnis/daten"); !strings.Contains(html.UnescapeString(string(candidate.body)), says.handed) {
			t.Errorf("in %s the copy does not say %s:\n%s", zone, says.handed, candidate.body)
		}
	}
}

// In a test world the pages show the times of the world, and of a live account the machine's.
// When our own statement was written does not depend on either.
func TestThePagesOfATestWorldShowItsTimes(t *testing.T) {
	for ahead, expires := range map[time.Duration]string{0: "27. Dezember 2026", 77 * time.Hour: "30. Dezember 2026"} {
		w := newWorld(t)
		w.shows(typus.OwnResultAtOnce, "")
		if ahead > 0 {
			w.World = w.Sandbox(ahead)
		}
		candidate, other := w.reader("de"), w.reader("de")
		invited := w.invite("de")
		for path, says := range map[string]string{
			"/t/" + invited.Token:                       expires,
			"/t/" + invited.Token + "/barrierefreiheit": "28. November 2026",
		} {
			if other.open(path); !other.says(says) {
				t.Errorf("%s ahead, %s does not say %s:\n%s", ahead, other.at.Path, says, other.body)
			}
		}
		out := w.handed(candidate, false)
		said, err := w.face.pages.Moment("de", w.Now().Add(ahead))
		w.Must(err)
		copied := "/t/" + out.Token + "/ergebnis/daten"
		if candidate.open(copied); !strings.Contains(string(candidate.body), said) {
			t.Errorf("%s ahead, the copy does not say %s:\n%s", ahead, said, candidate.body)
		}
		for kind, says := range map[string]string{".json": w.Now().Add(ahead).UTC().Format(time.RFC3339), ".pdf": w.Now().Add(ahead).UTC().Format("D:20060102150405")} {
			res, err := candidate.client.Get(w.server.URL + copied + kind)
			w.Must(err)
			body, err := io.ReadAll(res.Body)
			w.Must(err)
			w.Must(res.Body.Close())
			if !strings.Contains(string(body), says) {
				t.Errorf("%s ahead, the copy as %s does not say %s", ahead, kind, says)
			}
		}
		w.Later(31 * 24 * time.Hour)
		if other.open("/t/" + invited.Token); !other.says(expires) {
			t.Errorf("%s ahead, the closed page:\n%s", ahead, other.body)
		}
	}
}
