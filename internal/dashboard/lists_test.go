package dashboard

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"typus"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/store"
)

// How much an account holds does not change how often the store is asked: who is
// logged in, and two questions more; the page of one candidate has many parts.
func TestAPageAsksTheStoreAFewTimes(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		done, imported := w.full()
		c := w.as(owner)
		for path, most := range map[string]int64{
			"/dashboard/kandidaten?status=offen&suche=Person": 3,
			"/dashboard/kandidaten?status=offen":              3,
			"/dashboard/kandidaten?tag=Messe":                 3,
			"/dashboard/kandidaten":                           3,
			"/dashboard/kandidaten?rolle=general_sales&sortierung=gesamtwert&stelle=allgemein&achtung=neu&stufe=new": 3,
			homePath:                                   4,
			"/dashboard/kandidat/" + id(done):          4,
			"/dashboard/credits":                       3,
			"/dashboard/credits?vor=30":                3,
			"/dashboard/import":                        4, // it asks for a position and for a role profile, of which an account has its own
			imported:                                   4, // before it begins, it says who has taken part before
			imported + "?zeilen=ready":                 4,
			keysPath:                                   3,
			keysPath + "/protokoll":                    3,
			keysPath + "/protokoll?schluessel=1":       3,
			endpointsPath:                              3,
			deliveriesPath:                             3,
			deliveriesPath + "?stand=pending&person=1": 7, // it asks who that is, and whom of those with the external_id the visitor reads
			teamPath:                                   3,
			auditPath:                                  3,
			lettersPath:                                3,
			lettersPath + "/protokoll":                 3,
			lettersPath + "/protokoll?status=wartet":   3,
			accountPath + "/allgemein":                 3,
			accountPath + "/auftritt":                  3,
			noticePath:                                 3,
			profilePath:                                3,
		} {
			c.get(path).want(t, 200) // the first look of a day is noted
			before := w.ran.Load()
			c.get(path).want(t, 200)
			if n := w.ran.Load() - before; n > most {
				t.Errorf("%s: %d statements, at most %d", path, n, most)
			} else {
				t.Logf("%s: %d statements", path, n)
			}
		}
	})
}

// The first look at a report notes the look and what was read of the person's words at once:
// beside the four questions, what is noted is read and written, and the page is read anew.
func TestTheFirstLookAtAReportIsNotedInOneStep(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out, ada, c := w.sound("Kim"), w.as(member), w.as(owner)
		ada.post(candidatePath(out.Candidate.ID)+"/stellungnahme", fields("comment", "Stimmt.", "confirmed", "email")).want(t, 303)
		most := int64(7)
		if w.Store.Dialect() == "postgres" {
			most++ // the candidate is locked
		}
		c.get(peoplePath).want(t, 200)
		before := w.ran.Load()
		c.get(candidatePath(out.Candidate.ID)).want(t, 200, "Gelesen: "+c.user.Email)
		if n := w.ran.Load() - before; n > most {
			t.Errorf("%d statements, at most %d", n, most)
		}
	})
}

// full fills the account with more of everything than a page shows; it returns a
// candidate who has finished, and the address of an import that was looked at.
func (w *world) full() (done assess.Invited, imported string) {
	w.Helper()
	c := w.as(owner)
	_, _, err := w.Accounts.GrantCredits(w.Ctx, w.Account, accounts.Grant{Amount: 200, Note: "Messe", Actor: "operator"})
	w.Must(err)
	var list strings.Builder
	list.WriteString("Name;E-Mail\n")
	for i := range 60 {
		out := w.invited(fmt.Sprintf("Person %02d", i), "")
		fmt.Fprintf(&list, "Liste %02d;liste%d@example.com\n", i, i)
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			if err := tx.TagCandidate(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, "Messe"); err != nil {
				return err
			}
			_, err := tx.BookCredit(w.Ctx, typus.CreditEntry{
				AccountID: w.Account, Delta: -1, Reason: typus.ReasonCompletion, CandidateID: out.Candidate.ID, Actor: "candidate", CreatedAt: w.Now(),
			})
			if err != nil {
				return err
			}
			_, err = tx.AddLetter(w.Ctx, typus.Letter{
				AccountID: w.Account, CandidateID: out.Candidate.ID, Kind: typus.LetterInvitation, To: out.Candidate.Email, CreatedAt: w.Now(), NextAttemptAt: w.Now(),
			})
			return err
		}))
	}
	for i := range 8 {
		w.as(viewer)
		_, _, err := w.Access.CreateKey(w.Ctx, w.Account, fmt.Sprint("Schlüssel ", i), by)
		w.Must(err)
		_, _, err = w.Accounts.CreateEndpoint(w.Ctx, w.Account, fmt.Sprintf("%s/haken/%d", w.server.URL, i), "", by)
		w.Must(err)
	}
	done = w.finished("Fertig Muster")
	for range 3 {
		imported = c.upload("/dashboard/import", "datei", "liste.csv", []byte(list.String()), url.Values{}).want(w, 303).Header.Get("Location")
	}
	return done, imported
}

// nonces are the names of forms, which are new each time.
var nonces = regexp.MustCompile(`name="formular" value="[^"]*"`)

// A list goes on where its own links lead. An address that says no place of it shows
// the first page, on every list alike: those are the pages that read such a place.
func TestEveryListBeginsAtItsFirstPageWhereverNoPlaceOfItIsSaid(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		_, imported := w.full()
		e := w.furnish(w.Account, true)
		e.names["/dashboard/import/{id}"] = strings.TrimPrefix(imported, "/dashboard/import/")
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			return tx.AddRefusedCalls(w.Ctx, []typus.RefusedCall{{AccountID: w.Account, KeyID: 1, Method: "GET", Status: 404, Code: "not_found", RequestID: "request", At: w.Now()}})
		}))
		rows := func(c *client, path string) string {
			_, list, _ := strings.Cut(c.get(path).body, "<main")
			list, _, _ = strings.Cut(list, "</main>")
			return nonces.ReplaceAllString(list, "")
		}
		cursor := writeCursor(store.RowCursor{ID: 1, At: w.Now().AddDate(-1, 0, 0)})
		lists, routes := 0, w.face.routes()
		for i, params := range paramsOf(t, routes) {
			for _, param := range params {
				if routes[i].method != "GET" || param != "vor" && param != paramAfter || routes[i].pattern == sandboxLettersPath {
					continue // no letter is kept here
				}
				c, path := w.as(owner), e.address(t, routes[i].pattern)
				first, at := rows(c, path), func(place string) string { return path + "?" + url.Values{param: {place}}.Encode() }
				if !slices.ContainsFunc([]string{"1", "30", cursor}, func(place string) bool { return rows(c, at(place)) != first }) {
					continue // it only calls what lists call, too
				}
				lists++
				if !strings.Contains(first, "<tbody>") {
					t.Errorf("%s shows no list", path)
				}
				for _, end := range []string{"1", "999999", cursor} {
					if a := c.get(at(end)); strings.Contains(a.body, "<tbody>") {
						continue
					} else if a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != path {
						t.Errorf("%s with %s=%s: %d, and nobody is there", path, param, end, a.StatusCode)
					}
				}
				for _, said := range []string{"", "x", "7x", "1.5", "0", "-1", "-9223372036854775809", "9223372036854775808", " 7", "\x00", "\xff", strings.Repeat("9", 5000), "Nw", "NyA3"} {
					c.get(at(said)).want(t, 200)
					if rows(c, at(said)) != first {
						t.Errorf("%s with %s=%.30q is not the first page", path, param, said)
					}
				}
			}
		}
		if lists != 6 {
			t.Errorf("%d lists were looked at, want 6: candidates, rows of an import, credits, and three logs", lists)
		}
	})
}

// A page of a list whose last row is gone, because somebody was erased, a letter is sent or a
// row is mended, leads to the first page with the same filter; what was to be said is said
// there.
func TestAnEmptiedPageOfAListLeadsToTheFirst(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		c := w.as(owner)
		c.post(worldPath, nil).want(t, 303)
		faulty := c.upload(importsPath, "datei", "liste.csv", []byte("Name;E-Mail\nKim Muster;kim\n"), url.Values{}).want(t, 303).Header.Get("Location")
		for path, first := range map[string]string{
			logPath + "?status=wartet&vor=1":                                         logPath + "?status=wartet",
			deliveriesPath + "?stand=held&vor=dlv_00000000000000000000000000":        deliveriesPath + "?stand=held",
			keysPath + "/protokoll?code=not_found&vor=1":                             keysPath + "/protokoll?code=not_found",
			auditPath + "?aktion=user.joined&vor=1":                                  auditPath + "?aktion=user.joined",
			creditsPath + "?vor=1":                                                   creditsPath,
			faulty + "?nach=7&zeilen=faulty":                                         faulty + "?zeilen=faulty",
			peoplePath + "?nach=" + writeCursor(store.RowCursor{ID: 1}) + "&suche=x": peoplePath + "?suche=x",
		} {
			leaves := w.as(member)
			c.post(memberPath(leaves.user.ID)+"/entfernen", nil).want(t, 303)
			a := c.get(path).want(t, 303)
			if at := a.Header.Get("Location"); at != first {
				t.Errorf("%s leads to %q", path, at)
			}
			c.follow(a).want(t, 200, "gehört nicht mehr zum Team.")
		}
		a := c.get(sandboxLettersPath+"?vor=1").want(t, 303)
		if at := a.Header.Get("Location"); at != sandboxLettersPath {
			t.Errorf("the letters of the test world lead to %q", at)
		}
	})
}

// As many positions as a page holds are one page: the second has nobody else.
func TestThereIsNoPageBehindTheLastPosition(t *testing.T) {
	w := newWorld(t)
	c := w.as(owner)
	for i := range positionsOnScreen - 1 { // and the default one
		_, err := w.Accounts.AddPosition(w.Ctx, store.WholeAccount(w.Account), typus.Position{Name: fmt.Sprint("Stelle ", i), Reminders: typus.RemindersOfAccount}, nil, by)
		w.Must(err)
	}
	c.get(positionsPath+"?seite=2").want(t, 200, "Stelle 0", "Stelle 48")
}
