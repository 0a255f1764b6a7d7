package dashboard

import (
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"typus/internal/page"
	"typus/internal/page/browsertest"
)

// The studio shows the test in the words of the test.
func TestTheStudioShowsTheWordsOfTheTest(t *testing.T) {
	for _, lang := range page.Languages() {
		read := func(file string) map[string]any {
			body, err := os.ReadFile(file)
			words := map[string]any{}
			if err == nil {
				err = json.Unmarshal(body, &words)
			}
			if err != nil {
				t.Fatal(err)
			}
			return words
		}
		test := read("../testpage/locales/" + lang + ".json")
		for key, said := range read("locales/stage." + lang + ".json") {
			if test[key] != said {
				t.Errorf("%s in %q says %q, the test says %q", key, lang, said, test[key])
			}
		}
	}
}

// What is typed is shown by the button, and stored by it nowhere.
func TestAPreviewShowsWhatIsTypedAndStoresNothing(t *testing.T) {
	w := newWorld(t)
	c := w.as(admin)
	const path = accountPath + "/" + sectionLook
	c.post(path, fields("vorschau", "1", "accent", "fc0", "welcome_de", "Schön, dass Sie da sind.\r\nBis bald", "welcome_en", "")).want(t, 200,
		"<p>Schön, dass Sie da sind.</p>", "<p>Bis bald</p>", "/dashboard/farbe/ffcc00.css", "Gespeichert ist es noch nicht", "lädt Sie zu einem Persönlichkeitstest ein")
	if a, _ := w.Store.Account(w.Ctx, w.Account); a.Accent != "" || a.WelcomeDE != "" {
		t.Errorf("a preview is stored: %+v", a)
	}
}

// With a script the preview follows the typing, and whoever leaves without saving is asked.
func TestTheStudioFollowsTheTyping(t *testing.T) {
	w, tab := newWorld(t), browsertest.New(t).Tab(t, browsertest.Look{Width: 1280})
	c := w.as(admin)
	w.enter(tab, c)
	tab.Open(w.server.URL + accountPath + "/" + sectionLook)
	tab.Focus("#accent")
	tab.Press("#b3261e")
	tab.Focus("#welcome_de")
	tab.Press("Willkommen!")
	for _, theme := range []string{"light", "dark"} {
		tab.WaitFor(`document.querySelector(".stage-` + theme + ` [data-words]").textContent === "Willkommen!"`)
	}
	tab.WaitFor(`getComputedStyle(document.querySelector(".stage-light .button")).backgroundColor === "rgb(179, 38, 30)"`)
	tab.WaitFor(`document.querySelector('[data-check="light"]').textContent.includes("Kontrast")`)
	if !browsertest.Eval[bool](tab, `document.querySelector("[data-preview]").hidden && document.querySelector(".studio-pick").value === "#b3261e"`) {
		t.Error("the button is still there, or the picker has another colour")
	}
	const asked = `(e => (window.dispatchEvent(e), e.defaultPrevented))(new Event("beforeunload", {cancelable: true}))`
	if !browsertest.Eval[bool](tab, asked) {
		t.Error("whoever leaves is not asked")
	}
	tab.Follow("main .form-actions .button")
	if browsertest.Eval[bool](tab, asked) {
		t.Error("whoever has saved is asked")
	}
	if a, _ := w.Store.Account(w.Ctx, w.Account); a.Accent != "#b3261e" || !strings.Contains(a.WelcomeDE, "Willkommen!") {
		t.Errorf("stored is %+v", a)
	}
	quiet(t, tab, w.server.URL)
}
