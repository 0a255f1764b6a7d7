package dashboard

import (
	"strings"
	"testing"

	"typus"
	"typus/internal/notice"
)

func TestThePositionSaysItsOwnInTheNotice(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss := w.as(admin)
		boss.post(noticePath, fields("notice_officer", "konto@example.com", "notice_basis_de", "§ 26 BDSG")).want(t, 303)
		path := boss.place("Vertrieb Nord", "client_kind", "named", "client_name", "Beispiel AG")
		page := path + "/hinweise"
		boss.get(path).want(t, 200, page)
		boss.get(page).want(t, 200, "Wie im Konto", "Gesucht wird im Auftrag von Beispiel AG.", "konto@example.com", "§ 26 BDSG", "fehlen Angaben", "Folgen einer Nichtteilnahme", "Ihr Ergebnis erhält auch Beispiel AG.")
		boss.post(page, fields("notice_consequence", "own", "notice_officer", "stelle@example.com")).want(t, 422, `id="notice_consequence_de-fault"`, "stelle@example.com")
		boss.post(page, fields("notice_officer", strings.Repeat("x", 201))).want(t, 422, `id="notice_officer-fault"`)
		told := fields("notice_consequence", "own", "notice_consequence_de", "<b>Dann</b> reden wir.", "notice_officer", "stelle@example.com", "notice_basis_en", "works agreement")
		a := boss.follow(boss.post(page, told)).want(t, 200, "Gespeichert. Wer den Test noch nicht begonnen hat", "&lt;b&gt;Dann&lt;/b&gt; reden wir.", "works agreement", "stelle@example.com")
		for _, not := range []string{"konto@example.com", "§ 26 BDSG", "Folgen einer Nichtteilnahme"} {
			if strings.Contains(a.body, not) {
				t.Errorf("the notice of the position still says %q", not)
			}
		}
		if a := boss.get(noticePath); strings.Contains(a.body, "stelle@example.com") {
			t.Error("the account's notice says what a position does")
		}
		id := w.invitedTo(placed(t, path), "Kim")
		c, err := w.Store.Candidate(w.Ctx, w.Account, id)
		w.Must(err)
		visited, err := w.Store.VisitByToken(w.Ctx, c.TokenHash)
		w.Must(err)
		if text := notice.For("de", visited.Account).Plain(); !strings.Contains(text, "stelle@example.com") || !strings.Contains(text, "Dann</b> reden wir.") {
			t.Errorf("the candidate reads %s", text)
		}
		boss.post(path+"/bearbeiten", fields("name", "Vertrieb Nord")).want(t, 303)
		boss.get(page).want(t, 200, "stelle@example.com", "Gesucht wird für")
		boss.get(auditPath).want(t, 200, "Stelle geändert", "Hinweise vor dem Test")
	})
}

func TestAPositionHasALogoOfItsOwn(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss, other := w.as(admin), w.as(owner)
		path := boss.place("Vertrieb Nord")
		edit := path + "/bearbeiten"
		position := func() typus.Position {
			t.Helper()
			p, err := w.Store.Position(w.Ctx, w.Account, placed(t, path))
			w.Must(err)
			return p
		}
		form := fields("name", "Vertrieb Nord", "client_kind", "described", "client_de", "eine Bank")
		boss.get(edit).want(t, 200, `enctype="multipart/form-data"`, "darf auch das Logo es nicht verraten")
		boss.upload(edit, "logo", "a.svg", []byte("<svg></svg>"), form).want(t, 422, `id="logo-fault"`, "eine Bank")
		showed := showed(t, boss.get(edit), edit)
		boss.follow(boss.upload(edit, "logo", "a.png", logoOf(1), form)).want(t, 200, "Prüfen Sie, dass es das Unternehmen nicht verrät")
		first := position().LogoHash
		boss.get(edit).want(t, 200, logoPath+"/"+first, "Logo entfernen")
		boss.get(logoPath+"/"+first).want(t, 200)
		form.Set(seenName, showed)
		other.upload(edit, "logo", "b.png", logoOf(2), form).want(t, 409, "wurde etwas anderes gespeichert")
		if position().LogoHash != first {
			t.Error("an old tab has replaced the logo")
		}
		form.Del(seenName)
		form.Set("entfernen", "1")
		boss.post(edit, form).want(t, 303)
		if p := position(); p.LogoHash != "" || p.ClientWords.DE != "eine Bank" {
			t.Errorf("the position is %+v", p)
		}
		boss.get(logoPath+"/"+first).want(t, 404)
		boss.get(auditPath).want(t, 200, "für wen", "Logo")
	})
}
