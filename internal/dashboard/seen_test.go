package dashboard

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// showed is what a form on a page says that it showed.
func showed(t *testing.T, page answer, action string) string {
	t.Helper()
	_, form, found := strings.Cut(page.body, `action="`+action+`"`)
	if !found {
		form = page.body // it is sent to the address of its page
	}
	said := regexp.MustCompile(`name="gesehen" value="(\w+)"`).FindStringSubmatch(form)
	if said == nil {
		t.Fatalf("the form for %s does not say what it showed", action)
	}
	return said[1]
}

// Somebody who comes back to a tab of yesterday does not undo what others have saved since
// without being told.
func TestAnOldTabReplacesNothingUnseen(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		hook, _, err := w.Accounts.CreateEndpoint(w.Ctx, w.Account, w.server.URL+"/haken", "CRM", by)
		w.Must(err)
		for _, form := range []struct {
			page, action   string
			first, second  url.Values
			kept, nowSaved string
		}{
			{noticePath, noticePath, fields("notice_officer", "neu@example.com"), fields("notice_officer", "alt@example.com"), "alt@example.com", "neu@example.com"},
			{noticePath, noticePath, fields("notice_consequence", "none"), fields("notice_consequence", "interview"), `value="interview" checked`, "keinen Einfluss"},
			{accountPath, accountPath + "/allgemein",
				fields("name", "Muster Software GmbH", "contact_email", "neu@example.com", "language", "de", "role_profile", "general_sales", "invite_days", "30", "reminders", "2"),
				fields("name", "Muster Software GmbH", "contact_email", "alt@example.com", "language", "de", "role_profile", "general_sales", "invite_days", "30", "reminders", "2"),
				"alt@example.com", "neu@example.com"},
			{accountPath, accountPath + "/startseite", fields("welcome_de", "Neuer Gruß"), fields("welcome_de", "Alter Gruß"), "Alter Gruß", "Neuer Gruß"},
			{accountPath, accountPath + "/alter", fields("shelf_months", "24"), fields("shelf_months", "9"), `value="9"`, "24"},
			{accountPath, accountPath + "/aufbewahrung", fields("keep_finished_days", "365"), fields("keep_finished_days", "7"), `value="7"`, "365"},
			{lettersPath + "/text/eingang/de", lettersPath + "/text/eingang/de", fields("subject", "Danke", "body", "Neuer Brief"), fields("subject", "Danke", "body", "Alter Brief"), "Alter Brief", "Neuer Brief"},
			{fmt.Sprintf("%s/%d/bearbeiten", endpointsPath, hook), fmt.Sprintf("%s/%d/bearbeiten", endpointsPath, hook),
				fields("url", w.server.URL+"/haken", "description", "Neues CRM"), fields("url", w.server.URL+"/haken", "description", "Altes CRM"), "Altes CRM", "Neues CRM"},
			{corePath, corePath, url.Values{"core": {"ad1", "ad2", "in1"}}, url.Values{"core": {"ci1", "ci2"}, "ask_de_1": {"Was war neu?"}}, "Was war neu?", "Welches Ziel haben Sie sich zuletzt selbst gesetzt"},
			{blindPath, blindPath, fields("blind", "1"), fields("alle", "1"), `id="alle" name="alle" type="checkbox" value="1" checked`, "eingeschaltet"},
		} {
			boss, other := w.as(owner), w.as(admin)
			form.second.Set(seenName, showed(t, boss.get(form.page), form.action))
			form.first.Set(seenName, showed(t, other.get(form.page), form.action))
			other.post(form.action, form.first).want(t, 303)
			late := boss.post(form.action, form.second).want(t, 409, "wurde etwas anderes gespeichert", "Gespeichert ist jetzt: ")
			if said := html.UnescapeString(late.body); !strings.Contains(said, form.kept) || !strings.Contains(said, form.nowSaved) {
				t.Errorf("%s does not show what was typed beside what is stored:\n%s", form.action, said)
			}
			if again := other.post(form.action, form.first); again.StatusCode != 303 {
				t.Errorf("%s: the same saved twice is %s", form.action, again.Status)
			}
			form.second.Set(seenName, showed(t, late, form.action))
			if again := boss.post(form.action, form.second); again.StatusCode != 303 {
				t.Errorf("%s: whoever has been told may not decide: %s", form.action, again.Status)
			}
		}
	})
}
