package testpage

import (
	"fmt"
	"testing"
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
