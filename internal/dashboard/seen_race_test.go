package dashboard

import (
	"fmt"
	"html"
	"maps"
	"net/url"
	"path"
	"strings"
	"sync"
	"testing"
	"time"
)

// contested is a form that two people send at once: before says what is stored first, one and
// two what each of them types over it, in a round; wrong cannot be stored, nil: there is no
// such thing, or it is answered by another page.
type contested struct {
	page, action     string
	before, one, two func(round int) url.Values
	wrong            url.Values
}

// with gives the same fields in each round, the value of the first numbered.
func with(name, value string, others ...string) func(int) url.Values {
	return func(round int) url.Values {
		return fields(append([]string{name, fmt.Sprint(value, " ", round)}, others...)...)
	}
}

// always gives the same fields in each round.
func always(pairs ...string) func(int) url.Values {
	return func(int) url.Values { return fields(pairs...) }
}

// contestedForms are all that replace a person, a role, a webhook, a letter or a setting.
func (w *world) contestedForms(place string) []contested {
	hook, _, err := w.Accounts.CreateEndpoint(w.Ctx, w.Account, w.server.URL+"/haken", "CRM", by)
	w.Must(err)
	colleague, person := memberPath(w.as(interviewer).user.ID), candidatePath(w.invited("Kim Muster", "").Candidate.ID)
	in := func(days int) string { return w.Now().AddDate(0, 0, days).Format(time.DateOnly) }
	webhook, address := fmt.Sprintf("%s/%d/bearbeiten", endpointsPath, hook), w.server.URL+"/haken"
	letter, blind, edit, link, named := lettersPath+"/text/eingang/de", place+"/interview", place+"/bearbeiten", place+"/link", path.Base(place)
	finished := candidatePath(w.finished("Lou Muster").Candidate.ID)
	return []contested{
		{person, person + "/korrigieren", with("name", "Kim", "email", "kim@example.com"), with("name", "Kim Eins", "email", "kim@example.com"), with("name", "Kim Zwei", "email", "kim@example.com"), fields("name", "")},
		{person, person + "/verlaengern", always("ende", in(20)), always("ende", in(30)), always("ende", in(40)), fields("ende", "")},
		{finished, finished + "/aufbewahren", with("reason", "Klage", "until", in(20)), with("reason", "Eins", "until", in(20)), with("reason", "Zwei", "until", in(20)), fields("reason", "")},
		{colleague, colleague + "/rolle", always("role", "interviewer"), always("role", "viewer"), always("role", "member"), nil},
		{colleague, colleague + "/stellen", always("reichweite", "alle"), always("reichweite", "gewaehlte", "stellen", named), always("reichweite", "alle", "stellen", named), nil},
		{webhook, webhook, with("description", "CRM", "url", address), with("description", "Eins", "url", address), with("description", "Zwei", "url", address), fields("url", "")},
		{letter, letter, with("body", "Brief", "subject", "Danke"), with("body", "Eins", "subject", "Danke"), with("body", "Zwei", "subject", "Danke"), fields("body", "")},
		{blind, blind, always(), always("blind", "1"), always("blind", "1", "alle", "1"), nil},
		{edit, edit, with("name", "Nord", "reminders", "-1"), with("name", "Eins", "reminders", "-1"), with("name", "Zwei", "reminders", "-1"), fields("name", "")},
		{link, link, always("most", "20"), always("most", "30"), always("most", "40"), fields("most", "0")},
		{noticePath, noticePath, with("notice_officer", "Büro"), with("notice_officer", "Eins"), with("notice_officer", "Zwei"), fields("notice_officer", strings.Repeat("x", 300))},
		{decisionPath, decisionPath, always("shelf_months", "9"), always("shelf_months", "12"), always("shelf_months", "24"), fields("shelf_months", "-1")},
		{ownTermsPath, ownTermsPath, always("policy", "released"), always("policy", "at_once"), always("policy", "none", "reason", "Wir sprechen lieber."), fields("policy", "none")},
		{profilePath, profilePath, with("name", "Kim"), with("name", "Eins"), with("name", "Zwei"), fields("name", strings.Repeat("x", 300))},
	}
}

// Of two who save at the same moment, one is told what the other has stored, and nothing that
// was typed is lost.
func TestOfTwoWhoSaveAtOnceTheSecondIsShownWhatTheFirstStored(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss := w.as(owner)
		for _, form := range w.contestedForms(boss.place("Vertrieb Nord")) {
			other := w.as(admin)
			if form.page == profilePath {
				other = boss // in two tabs: nobody else changes it
			}
			for round := range 8 {
				boss.post(form.action, form.before(round)).want(t, 303)
				one, two := form.one(round), form.two(round)
				one.Set(seenName, showed(t, boss.get(form.page), form.action))
				two.Set(seenName, showed(t, other.get(form.page), form.action))
				first, second := atTheSameMoment(func() answer { return boss.post(form.action, one) }, func() answer { return other.post(form.action, two) })
				if first.StatusCode == 409 {
					first, second, one, two = second, first, two, one
				}
				if first.StatusCode != 303 || second.StatusCode != 409 {
					t.Fatalf("%s, round %d: %s and %s, want one to be told of the other", form.action, round, first.Status, second.Status)
				}
				said := html.UnescapeString(second.want(t, 409, "wurde etwas anderes gespeichert", "Gespeichert ist jetzt: ").body)
				for name, typed := range two {
					if name != seenName && !strings.Contains(said, typed[0]) {
						t.Errorf("%s, round %d: what was typed as %s is lost", form.action, round, name)
					}
				}
				two.Set(seenName, showed(t, second, form.action))
				boss.post(form.action, two).want(t, 303)
			}
		}
	})
}

// atTheSameMoment does two things that wait for the same gate.
func atTheSameMoment(one, two func() answer) (first, second answer) {
	gate := make(chan struct{})
	var both sync.WaitGroup
	both.Go(func() { <-gate; first = one() })
	both.Go(func() { <-gate; second = two() })
	close(gate)
	both.Wait()
	return first, second
}

// A text that one takes back while the other changes it is not taken back unseen, nor changed.
func TestATextIsNotTakenBackWhileItIsChanged(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss, other := w.as(owner), w.as(admin)
		text := lettersPath + "/text/eingang/de"
		for round := range 8 {
			boss.post(text, fields("subject", "Danke", "body", fmt.Sprint("Brief ", round))).want(t, 303)
			form, question := showed(t, boss.get(text), text), showed(t, boss.get(text+"/zuruecksetzen"), text)
			one, two := atTheSameMoment(
				func() answer {
					return boss.post(text, fields("subject", "Danke", "body", "Neuer Brief", seenName, form))
				},
				func() answer { return other.post(text+"/zuruecksetzen", fields(seenName, question)) })
			if one.StatusCode+two.StatusCode != 303+409 {
				t.Errorf("round %d: %s and %s", round, one.Status, two.Status)
			}
		}
	})
}

// A form that comes back because something is wrong in it has shown nobody what others have
// stored since.
func TestWhatIsWrongInAnOldTabShowsNobodyWhatIsStored(t *testing.T) {
	w := newWorld(t)
	boss := w.as(owner)
	for _, form := range w.contestedForms(boss.place("Vertrieb Nord")) {
		if form.wrong == nil {
			continue
		}
		boss.post(form.action, form.before(1)).want(t, 303)
		late := form.two(1)
		wrong := maps.Clone(late)
		maps.Copy(wrong, form.wrong)
		wrong.Set(seenName, showed(t, boss.get(form.page), form.action))
		boss.post(form.action, form.one(1)).want(t, 303)
		back := boss.post(form.action, wrong)
		if back.StatusCode == 409 {
			continue // it says first what is stored
		}
		late.Set(seenName, showed(t, back.want(t, 422), form.action))
		boss.post(form.action, late).want(t, 409, "Gespeichert ist jetzt: ")
	}
}
