package dashboard

import (
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/pdf/pdftest"
	"typus/internal/store"
)

// commented are the versions of what a candidate says, newest first.
func (w *world) commented(out assess.Invited) []typus.Comment {
	w.Helper()
	about, err := w.Store.DossierOf(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID)
	w.Must(err)
	return about.Comments
}

// What a candidate says about the result stands word for word on the page, between the guide
// and the decision, and in the file, in every version, with how it came and who has read it.
func TestWhatACandidateSaysStandsBesideTheResult(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.sound("Kim")
		path, ada, bea, eve := candidatePath(out.Candidate.ID), w.as(member), w.as(admin), w.as(interviewer)
		eve.get(path).want(t, 200).without(t, `id="stellungnahme"`)
		long := strings.Repeat("ü", 5000)
		ada.get(path).want(t, 200, "Noch liegt nichts vor.", "Stellungnahme eintragen")
		w.Later(time.Minute)
		for range 2 { // the same words once more change nothing
			ada.follow(ada.post(path+"/stellungnahme", fields("comment", long, "confirmed", "letter"))).want(t, 200, "Die Stellungnahme ist festgehalten.", long).
				without(t, "Frühere Fassungen", "Gelesen:")
		}
		bea.get(path).want(t, 200, long, "per Brief eingegangen, eingetragen von "+ada.user.Email, "Gelesen: "+bea.user.Email)
		w.Later(time.Minute)
		bea.post(path+"/stellungnahme", fields("comment", "Ich bin <i>anders</i>.\r\n\r\nFragen Sie mich.", "confirmed", "email")).want(t, 303)
		for range 2 {
			page := ada.get(path).want(t, 200, "Ich bin &lt;i&gt;anders&lt;/i&gt;.\n\nFragen Sie mich.", "per E-Mail eingegangen", "Frühere Fassungen", long,
				"Stellungnahme der Person eingetragen durch "+bea.user.Email)
			if guide, own, decision := strings.Index(page.body, path+"/leitfaden"), strings.Index(page.body, `id="stellungnahme"`), strings.Index(page.body, `id="entscheidung"`); guide > own || own > decision {
				t.Errorf("the guide stands at %d, the comment at %d, the decision at %d", guide, own, decision)
			}
		}
		// who compares sees no comment, and has read none
		w.as(owner).get(comparePath+"?id="+id(out)+"&id="+id(w.sound("Robin"))).want(t, 200, "Kim").without(t, "Fragen Sie mich.")
		list := w.commented(out)
		if len(list) != 2 || len(list[0].Reads) != 1 || list[0].Reads[0].UserID != ada.user.ID || !list[0].Reads[0].At.Equal(w.Now()) ||
			len(list[1].Reads) != 1 || list[1].Reads[0].UserID != bea.user.ID {
			t.Errorf("who has read what: %+v", list)
		}
		lines, err := w.Store.AuditOf(w.Ctx, w.Account, out.Candidate.ID)
		w.Must(err)
		noted := 0
		for _, l := range lines {
			if l.Action == typus.AuditCandidateCommented && l.Detail == "" {
				noted++
			}
		}
		if noted != 2 {
			t.Errorf("the audit log says it %d times: %+v", noted, lines)
		}
		eve.get(path).want(t, 200, "Fragen Sie mich.").without(t, "Gelesen:", "Stellungnahme eintragen")
		file := pdftest.Words(t, []byte(eve.get(path+"/bericht.pdf").want(t, 200).body))
		if !strings.Contains(file, "Stellungnahme der Person Ich bin <i>anders</i>. Fragen Sie mich. per E-Mail eingegangen, eingetragen von "+bea.user.Email) {
			t.Errorf("the file says %q", file)
		}
	})
}

// How it is known that the words are the person's is a part of what is kept.
func TestTheSameWordsKnownInAnotherWayAreAnotherVersion(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out, c := w.sound("Kim"), w.as(member)
		path := candidatePath(out.Candidate.ID)
		for _, how := range []string{"letter", "email", "email"} {
			c.follow(c.post(path+"/stellungnahme", fields("comment", "Stimmt.", "confirmed", how))).want(t, 200, "Die Stellungnahme ist festgehalten.")
		}
		if list := w.commented(out); len(list) != 2 || list[0].Confirmed != "email" || list[1].Confirmed != "letter" {
			t.Errorf("kept: %+v", list)
		}
	})
}

// A version that comes while a file is made is not in it, and not read with it.
func TestOnlyTheVersionsInAFileAreReadWithIt(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out, ada, bea := w.sound("Kim"), w.as(member), w.as(interviewer)
		path := candidatePath(out.Candidate.ID)
		enter := func(text string) {
			ada.post(path+"/stellungnahme", fields("comment", text, "confirmed", "email")).want(t, 303)
		}
		read := func(versions ...int) {
			t.Helper()
			for i, c := range w.commented(out) {
				if len(c.Reads) != versions[i] {
					t.Errorf("version %d back is read by %+v", i, c.Reads)
				}
			}
		}
		enter("Stimmt.")
		inFile := w.commented(out)[0].ID
		enter("Stimmt nicht.")
		for range 2 {
			w.Must(w.Assess.NoteSaved(w.Ctx, store.WholeAccount(w.Account), out.Candidate.ID, inFile, typus.Actor{UserID: bea.user.ID, Name: bea.user.Email}))
			read(0, 1)
		}
		bea.get(path+"/bericht.pdf").want(t, 200)
		read(1, 1)
		enter("Doch.")
		read(0, 1, 1)
		for range 2 {
			bea.get(path).want(t, 200)
			read(1, 1, 1)
		}
		lines, err := w.Store.AuditOf(w.Ctx, w.Account, out.Candidate.ID)
		w.Must(err)
		lines = slices.DeleteFunc(lines, func(a typus.AuditEntry) bool { return a.Action != typus.AuditCommentRead })
		if len(lines) != 3 {
			t.Errorf("noted: %+v", lines)
		}
	})
}

// What cannot be kept is said, stays in the form, and leaves no trace.
func TestACommentThatCannotBeKeptStaysInTheForm(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out, waiting := w.sound("Kim"), w.invitedBy(w.Account, assess.Invitation{Name: "Robin", Email: "robin@example.com"})
		path, c := candidatePath(out.Candidate.ID), w.as(member)
		for what, try := range map[string]struct{ text, how, said string }{
			"nothing":           {" \n", "email", "Bitte tragen Sie ein, was die Person geschrieben hat."},
			"far too much":      {strings.Repeat("ü", 5001), "email", "Möglich sind 5.000 Zeichen."},
			"what turns around": {"a\u202eb", "email", "Der Text enthält ein unsichtbares Zeichen"},
			"what was pasted":   {"a\u2028b", "email", "Der Text enthält ein unsichtbares Zeichen"},
			"of nobody knows":   {"Stimmt nicht.", "", "Bitte wählen Sie, wie die Stellungnahme zu Ihnen kam."},
			"by hearsay":        {"Stimmt nicht.", "hearsay", "Bitte wählen Sie, wie die Stellungnahme zu Ihnen kam."},
		} {
			a := c.post(path+"/stellungnahme", fields("comment", try.text, "confirmed", try.how)).want(t, 422, try.said, strings.TrimSpace(try.text))
			if chosen := strings.Contains(a.body, `value="email" checked`); chosen != (try.how == "email") {
				t.Errorf("%s: the choice is gone", what)
			}
		}
		c.follow(c.post(candidatePath(waiting.Candidate.ID)+"/stellungnahme", fields("comment", "Stimmt.", "confirmed", "email"))).want(t, 200, "das liegt noch nicht vor")
		w.as(viewer).get(path).want(t, 200).without(t, path+"/stellungnahme")
		w.as(viewer).post(path+"/stellungnahme", fields("comment", "Stimmt.", "confirmed", "email")).want(t, 403)
		if list := w.commented(out); len(list) > 0 {
			t.Errorf("kept: %+v", list)
		}
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			for range store.MaxComments {
				if _, err := tx.AddComment(w.Ctx, typus.Comment{CandidateID: out.Candidate.ID, Text: "Stimmt.", Confirmed: "letter", CreatedAt: w.Now()}); err != nil {
					return err
				}
			}
			return nil
		}))
		c.post(path+"/stellungnahme", fields("comment", "Noch etwas", "confirmed", "letter")).want(t, 422, "Mehr als 50 Fassungen sind nicht möglich.", "Noch etwas")
	})
}

// A comment is no figure: it is read of a result that should not be interpreted, too, and
// whoever is blind neither reads nor enters one.
func TestACommentIsReadWithoutFiguresAndNotByTheBlind(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		out := w.answered("Kim", func(int) int { return 5 }, 300)
		path, form := candidatePath(out.Candidate.ID), url.Values{"comment": {"Fragen Sie mich."}, "confirmed": {"letter"}}
		boss := w.as(admin)
		boss.follow(boss.post(path+"/stellungnahme", form)).want(t, 200, "Fragen Sie mich.", path+"/trotzdem")
		w.blindTo(false)
		blind := w.as(member)
		blind.get(path).want(t, 200).without(t, "Fragen Sie mich.", "tellungnahme")
		blind.follow(blind.get(path+"/bericht.pdf")).want(t, 200).without(t, "Fragen Sie mich.")
		blind.follow(blind.post(path+"/stellungnahme", url.Values{"comment": {"Andere Worte"}, "confirmed": {"letter"}})).want(t, 200).without(t, "Andere Worte")
		err := w.Assess.Comment(w.Ctx, store.Reader{AccountID: w.Account, UserID: blind.user.ID, Role: member, Positions: store.Positions{Everything: true}, Blind: store.Blind{Somewhere: true, Standard: true}},
			typus.Comment{CandidateID: out.Candidate.ID, Text: "Andere Worte", Confirmed: "letter"}, typus.Actor{UserID: blind.user.ID})
		if !typus.Is(err, typus.Conflict) {
			t.Errorf("past the page, it is kept: %v", err)
		}
		// as if the interview became a blind one once the page had let the form pass
		r := httptest.NewRequestWithContext(w.Ctx, "POST", path+"/stellungnahme", strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.SetPathValue("id", id(out))
		home, err := url.Parse(w.server.URL)
		w.Must(err)
		for _, cookie := range blind.http.Jar.Cookies(home) {
			r.AddCookie(cookie)
		}
		answered := httptest.NewRecorder()
		w.Must(w.face.admit(route{least: member, handle: w.face.ofCandidate(w.face.comment)})(answered, r))
		blind.http.Jar.SetCookies(home, answered.Result().Cookies())
		blind.get(path).want(t, 200, "Das war nicht möglich (das Ergebnis ist für Sie noch geschlossen).").without(t, "50 Fassungen")
		if list := w.commented(out); len(list) != 1 || len(list[0].Reads) > 0 {
			t.Errorf("after somebody who is blind: %+v", list)
		}
	})
}
