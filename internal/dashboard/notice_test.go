package dashboard

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"typus"
	"typus/internal/notice"
	"typus/internal/page"
)

func noticeGallery(f *face, lang string, p persona) map[string]page.View {
	shown := func(told typus.NoticeFacts, change func(*noticeView, *visit)) noticeView {
		v := galleryVisitor(lang, p)
		v.Account.Notice = told
		view := f.noticeView(v, p.shell(areaSettings, sectionNotice))
		change(&view, v)
		return view
	}
	told := typus.NoticeFacts{
		Consequence: typus.ConsequenceOwn, ConsequenceOwn: typus.OwnWords{DE: p.free}, Operator: p.account, Country: "CH", Abroad: "US",
		Safeguard: typus.SafeguardOwn, SafeguardOwn: typus.OwnWords{EN: p.name}, Officer: p.email, Basis: typus.OwnWords{DE: p.free},
		Client: p.account, ClientKind: typus.OwnWords{DE: p.name}, Period: typus.OwnWords{DE: p.free},
	}
	fr := p.shell(areaCandidates, "")
	fr.Crumbs = []crumb{{Label: "shell.candidates", Path: "/dashboard/kandidaten"}, {Name: p.name, Path: "/dashboard/kandidat/1"}}
	text := notice.For("en", typus.Account{Name: p.account, Notice: told})
	return map[string]page.View{
		"notice-open": shown(typus.NoticeFacts{}, func(*noticeView, *visit) {}),
		"notice-told": shown(told, func(view *noticeView, _ *visit) { view.Days = 0 }),
		"notice-faulty": shown(told, func(view *noticeView, v *visit) {
			view.Form.Abroad.Fault, view.Form.BasisDE.Fault = f.say(v, "fault.invalid"), f.say(v, "fault.tooLong")
			f.sum(&view.frame, v, view.Form.fields()...)
		}),
		"notice-overtaken": shown(told, func(view *noticeView, v *visit) {
			v.Request = &http.Request{PostForm: fields("notice_consequence", "none", "notice_operator", p.name, "notice_basis_de", p.free), Form: url.Values{}}
			f.compare(&view.frame, v, view.Form.fields()...)
		}),
		"notice-acknowledged": acknowledgedView{frame: fr, Name: p.name, Ack: typus.Notice{Version: text.Version, Language: "en", At: someTime}, Text: text.Content},
		"notice-none":         acknowledgedView{frame: fr, Name: p.name},
	}
}

func TestWhatTheNoticeLeavesOpenIsListedUntilItIsTold(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss, staff, guest := w.as(owner), w.as(member), w.as(viewer)
		const all = "In den Hinweisen vor dem Test fehlen Angaben: Dauer der Speicherung, Betrieb und Standort des Servers, Daten außerhalb der EU, Folgen einer Nichtteilnahme, Kontakt für den Datenschutz."
		for _, path := range []string{"/dashboard/kandidaten", noticePath} {
			boss.get(path).want(t, 200, all)
		}
		boss.get("/dashboard/kandidaten").want(t, 200, "Angaben ergänzen")
		if a := staff.get("/dashboard/kandidaten"); !strings.Contains(a.body, all) || strings.Contains(a.body, "Angaben ergänzen") {
			t.Error("a member is not told what is missing, or is sent where only others may go")
		}
		if a := guest.get("/dashboard/kandidaten"); strings.Contains(a.body, "fehlen Angaben") {
			t.Error("a viewer, who cannot invite, is told what is missing")
		}
		told := url.Values{
			"notice_consequence": {"own"}, "notice_consequence_de": {"<b>Nichts</b> ändert sich."}, "notice_operator": {"Muster Hosting AG"}, "notice_country": {"DE"},
			"notice_abroad": {"none"}, "notice_officer": {"datenschutz@example.com"}, "notice_period_en": {"Until the end of May."},
		}
		boss.post(noticePath, told).want(t, 303)
		for _, path := range []string{"/dashboard/kandidaten", noticePath} {
			if a := boss.get(path); strings.Contains(a.body, "fehlen Angaben") {
				t.Errorf("%s still says that something is missing", path)
			}
		}
		boss.get(noticePath).want(t, 200, "&lt;b&gt;Nichts&lt;/b&gt; ändert sich.", `<span lang="de">&lt;b&gt;Nichts&lt;/b&gt; ändert sich.</span>`, `<span lang="en">Until the end of May.</span>`,
			"Den Server betreibt Muster Hosting AG in Deutschland im Auftrag von", "No data leave the EU.")

		told.Set("notice_country", "US")
		boss.post(noticePath, told).want(t, 422, "notice_abroad-fault", "Muster Hosting AG")
	})
}

// A choice that stands in quotation marks is what candidates will read, word for word.
func TestTheChoicesOfTheNoticeQuoteIt(t *testing.T) {
	f := newTestFace(t)
	for _, lang := range page.Languages() {
		v := galleryVisitor(lang, persona{account: "Muster Software GmbH"})
		quotes := 0
		for _, o := range f.noticeForm(v).Consequence.Options {
			quote, quoted := strings.CutPrefix(o.Label, map[string]string{"de": "„", "en": "“"}[lang])
			if !quoted {
				continue
			}
			quotes++
			v.Account.Notice.Consequence = typus.Consequence(o.Value)
			quote = strings.TrimSuffix(strings.TrimSuffix(quote, "“"), "”")
			if text := notice.For(lang, v.Account).Plain(); !strings.Contains(text, quote) {
				t.Errorf("%q is not what the notice says:\n%s", o.Label, text)
			}
		}
		if quotes != 2 {
			t.Errorf("%d choices are quoted", quotes)
		}
	}
}

// Whoever is in the middle of the test keeps what they acknowledged, whatever the account
// tells later; the team reads it as it was then.
func TestTheTeamReadsWhatWasAcknowledgedAndNotWhatIsToldNow(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss := w.as(owner)
		out := w.invited("Anna Beispiel", "")
		account, err := w.Store.Account(w.Ctx, w.Account)
		w.Must(err)
		seen := notice.For("de", account)
		w.Must(w.Assess.Begin(w.Ctx, out.Token, typus.Notice{Version: seen.Version, Language: "de", At: w.Now()}, seen.Stored))
		boss.post(noticePath, url.Values{"notice_consequence": {"none"}, "notice_officer": {"neu@example.com"}}).want(t, 303)

		path := candidatePath(out.Candidate.ID)
		boss.get(path).want(t, 200, path+"/hinweise")
		a := boss.get(path + "/hinweise")
		a.want(t, 200, "Anna Beispiel hat vor dem Test bestätigt, diesen Text gelesen zu haben.", seen.Version, "Was es für Ihre Bewerbung bedeutet, wenn Sie nicht teilnehmen, sagt Ihnen")
		if strings.Contains(a.body, "neu@example.com") || strings.Contains(a.body, "keinen Einfluss auf Ihre Bewerbung") {
			t.Error("the page shows what is told now")
		}
		waiting := w.invited("Otto Muster", "")
		w.as(viewer).get(candidatePath(waiting.Candidate.ID)+"/hinweise").want(t, 200, "Zu diesem Test hat niemand Hinweise bestätigt.")
	})
}
