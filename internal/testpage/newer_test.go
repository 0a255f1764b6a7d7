package testpage

import (
	"fmt"
	"strings"
	"testing"

	"typus/internal/page/browsertest"
)

const changedElsewhere = "Sie sehen jetzt den neueren Stand"

// Without the script a page may have been open for long. What nobody touched there changes
// nothing, and what somebody chose there is the newest answer.
func TestAnOldPageOverwritesNothingUntouched(t *testing.T) {
	for name, tc := range map[string]struct {
		before, since int // saved when the old page was opened, and after that
		press         string
		chosen        string // on the old page, "" for nothing
		said          bool
		want          int
	}{
		"an answer":                   {3, 5, "Weiter", "", true, 5},
		"an answer, and back":         {3, 5, "Zurück", "", false, 5},
		"left out since":              {3, leftOut, "Weiter", "", true, leftOut},
		"left out, answered since":    {leftOut, 5, "Weiter", "", true, 5},
		"open, answered since":        {0, 5, "Weiter", "", true, 5},
		"open, answered, and back":    {0, 5, "Zurück", "", false, 5},
		"open, and left out since":    {0, leftOut, "Weiter", "", true, leftOut},
		"another answer chosen":       {3, 5, "Weiter", "2", false, 2},
		"the same answer since":       {3, 3, "Weiter", "", false, 3},
		"left out on the old page":    {3, 5, "Möchte ich nicht beantworten", "", false, leftOut},
		"chosen as elsewhere already": {3, 5, "Weiter", "5", false, 5},
	} {
		w := newWorld(t)
		out, old := w.begun("de"), w.reader("de")
		w.answer(out.Token, 0, 1)
		w.put(out.Token, 2, tc.before)
		old.open("/t/" + out.Token + "/frage/2")
		w.put(out.Token, 2, tc.since)
		before := w.test(out.Token).SavedAt
		var fields []string
		if tc.chosen != "" {
			fields = []string{"antwort", tc.chosen}
		}
		old.press(tc.press, fields...)
		saved := w.test(out.Token)
		if got := value(saved.Sheet.Answers[1]); got != tc.want || old.says(changedElsewhere) != tc.said {
			t.Errorf("%s: saved %d, want %d; on %s with %d", name, got, tc.want, old.at.Path, old.status)
		}
		if tc.said {
			old.on("/frage/2", 409)
			old.press("Weiter") // it has been seen
			old.on("/frage/3", 200)
			if !w.test(out.Token).SavedAt.Equal(before) {
				t.Errorf("%s: going on saved something", name)
			}
		}
	}
}

// put saves an answer to an item by its number, see value; 0 saves none.
func (w *world) put(token string, n, value int) {
	w.Helper()
	if value == 0 {
		return
	}
	if status, _ := w.send(token, fmt.Sprintf(`{"answers":[{"n":%d,"value":%d,"was":[-1,1,2,3,4,5,6]}]}`, n, value)); status != 200 {
		w.Fatalf("an answer could not be saved: %d", status)
	}
}

// Who goes on from an old tab hears first that something else is saved by now, sees it with the
// answer in force, and goes on from there without changing it.
func TestAnOldTabSaysFirstThatSomethingNewerIsSaved(t *testing.T) {
	w := newWorld(t)
	out := w.begun("de")
	w.answer(out.Token, 0, 3)
	old := hand{browsertest.New(t).Tab(t, browsertest.Look{Width: 320, Height: 640, NoScript: true}), w}
	old.visit(out.Token, "/frage/2")
	w.put(out.Token, 2, 6)
	old.Follow("[value=weiter]")
	on(t, old.Tab, "/frage/2")
	if said := browsertest.Eval[string](old.Tab, "document.activeElement.id + ': ' + document.activeElement.textContent"); !strings.HasPrefix(said, "neuer: Hier haben Sie inzwischen") {
		t.Errorf("the focus is on %q", said)
	}
	if !browsertest.Eval[bool](old.Tab, `(() => {
		const box = document.activeElement.getBoundingClientRect();
		return box.top >= 0 && box.bottom <= innerHeight;
	})()`) {
		t.Error("what is said is out of sight")
	}
	if tree := old.Tree(); !strings.Contains(tree, "\n    alert") || !strings.Contains(tree, `radio "trifft völlig zu" checked=true`) {
		t.Errorf("a screen reader is told\n%s", tree)
	}
	if wider := old.Overflow(); wider > 0 {
		t.Errorf("%d px wider than the screen", wider)
	}
	old.Follow("[value=weiter]")
	on(t, old.Tab, "/frage/3")
	if got := value(w.test(out.Token).Sheet.Answers[1]); got != 6 {
		t.Errorf("saved %d", got)
	}
	old.silent("status of 409")
}

// The browser's own Back comes to a page with what is saved, and not with what was chosen there
// before.
func TestBackWithoutAScriptShowsWhatIsSaved(t *testing.T) {
	w := newWorld(t)
	out := w.begun("de")
	h := hand{browsertest.New(t).Tab(t, browsertest.Look{Width: 390, Height: 844, NoScript: true}), w}
	h.visit(out.Token, "/frage/1")
	h.Click("#antwort-2")
	h.Follow("[value=weiter]")
	on(t, h.Tab, "/frage/2")
	w.put(out.Token, 1, 5) // on another device
	h.Go(-1)
	h.arrive("/frage/1")
	if got := h.chosen(); got != 5 {
		t.Errorf("%d is shown as chosen", got)
	}
	h.Follow("[value=weiter]")
	on(t, h.Tab, "/frage/2")
	if got := value(w.test(out.Token).Sheet.Answers[0]); got != 5 {
		t.Errorf("saved %d", got)
	}
}

// The list of open items is the one of now, also when somebody comes back to it.
func TestTheListOfOpenItemsIsFreshAfterBack(t *testing.T) {
	browser := browsertest.New(t)
	for _, noScript := range []bool{false, true} {
		w := newWorld(t)
		out := w.begun("de")
		of := w.ofDimension("integrity")
		w.answer(out.Token, 0, len(w.Instrument.Items()), of[0], of[1], of[2], of[3], of[4])
		h := hand{browser.Tab(t, browsertest.Look{Width: 390, Height: 844, NoScript: noScript}), w}
		rows := func() int { return browsertest.Eval[int](h.Tab, "document.querySelectorAll('.link-row').length") }
		h.visit(out.Token, "/abgabe")
		before := rows()
		h.Follow(".link-row")
		h.Click("#antwort-4")
		if noScript {
			h.Follow("[value=weiter]")
		} else {
			h.press("weiter")
		}
		h.arrive("/abgabe")
		after := rows()
		if before < 2 || after != before-1 {
			t.Fatalf("of %d open items %d are open after one was answered", before, after)
		}
		browsertest.Eval[any](h.Tab, "window.left = true")
		h.Go(-2) // to a page of the same address
		h.Arrive(fmt.Sprintf("window.left === undefined && document.querySelectorAll('.link-row').length === %d", after))
		if !strings.HasSuffix(h.Location(), "/abgabe") {
			t.Errorf("two pages back is %s", h.Location())
		}
		h.Reload()
		if got := rows(); got != after {
			t.Errorf("%d after a reload", got)
		}
		w.put(out.Token, of[1]+1, 3) // elsewhere, while the page waits in the browser's memory
		if !noScript {
			browsertest.Eval[any](h.Tab, `dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`)
			browsertest.Await(h.Tab, "document.querySelectorAll('.link-row').length", after-1)
		}
		h.silent()
	}
}
