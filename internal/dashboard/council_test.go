package dashboard

import (
	"os"
	"strings"
	"testing"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
)

// Who finds the address of somebody in the team, and where, is what the page for works
// councils says: with the words that begin its third column.
func TestAddressesOfTheTeamAreShownToWhomThePageForWorksCouncilsSays(t *testing.T) {
	w := newWorld(t)
	done, one := w.furnish(w.Account, true), typus.Actor{Name: "furnisher@example.com"}
	w.Must(w.Accounts.SetLetterTemplate(w.Ctx, typus.LetterTemplate{AccountID: w.Account, Kind: typus.LetterInvitation, Language: "de", Subject: "Einladung", Body: "{{link}}"}, one, nil))
	w.Must(w.Accounts.SetScoreSorting(w.Ctx, w.Account, true, one))
	open := w.invitedBy(w.Account, assess.Invitation{Name: "Jo Muster", Email: "jo@example.com"}).Candidate.ID
	w.Must(w.Assess.Cancel(w.Ctx, store.WholeAccount(w.Account), open, one))
	source, err := os.ReadFile("../docs/text/de/betriebsrat.md")
	w.Must(err)
	roles := []typus.UserRole{interviewer, viewer, member, admin}
	clients := map[typus.UserRole]*client{}
	for _, role := range roles {
		clients[role] = w.as(role)
	}
	for _, c := range []struct {
		row, seenBy, path, address string
		least                      typus.UserRole
	}{
		{"Zugang", "Name, E‑Mail-Adresse und Rolle: ab „Nur lesen“", teamPath, done.guest.Email, viewer},
		{"Einladungen und Importe", "Importe: ab „Mitarbeit“", "/dashboard/import", one.Name, member},
		{"Verlauf einer Bewerbung", "ab „Nur lesen“", candidatePath(open), one.Name, viewer},
		{"Notizen, Gründe", "Notizen: wer die Bewerbung lesen darf", done.address(t, "/dashboard/kandidat/{id}"), one.Name, interviewer},
		{"API-Schlüssel", "ab „Nur lesen“", "/dashboard/einstellungen/api-schluessel", one.Name, viewer},
		{"Einstellungen", "nur die Administration", "/dashboard/einstellungen/briefe", one.Name, admin},
		{"Einstellungen", "nur die Administration", "/dashboard/sortierung", one.Name, admin},
		{"Protokoll", "nur die Administration", "/dashboard/einstellungen/protokoll", one.Name, admin},
	} {
		_, cells, _ := strings.Cut(string(source), "\n| "+c.row+" | ")
		if said := strings.Split(cells, " | "); len(said) < 3 || !strings.HasPrefix(said[1], c.seenBy) {
			t.Errorf("the row %q of the page does not say %q", c.row, c.seenBy)
		}
		for _, role := range roles {
			a := clients[role].get(c.path)
			if shown, may := strings.Contains(a.body, c.address), role.AtLeast(c.least); shown != may {
				t.Errorf("%s (%s): the role %s sees the address: %t, by the page it should be %t", c.path, a.Status, role, shown, may)
			}
		}
	}
}
