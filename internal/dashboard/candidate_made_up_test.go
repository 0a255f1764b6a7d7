package dashboard

import (
	"encoding/csv"
	"strings"
	"testing"

	"typus/internal/assess"
)

// madeUp is a candidate whose test the operator has finished with a command.
func (w *world) madeUp(name string) assess.Invited {
	w.Helper()
	out := w.invited(name, "")
	var given []assess.Given
	for i, item := range w.face.Instrument.Items() {
		given = append(given, assess.Given{ItemID: item.ID, Value: 2 + i%4, ActiveMS: 4000})
	}
	w.Must(w.Assess.FinishFor(w.Ctx, w.Account, out.Candidate.ID, given, "operator"))
	return out
}

// exported are the records of the file with the whole list, by name.
func (c *client) exported() map[string][]string {
	c.Helper()
	a := c.post("/dashboard/export", nil).want(c, 200)
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(a.body, "\ufeff")))
	if strings.HasPrefix(a.body, "\ufeffID;") { // in German
		r.Comma = ';'
	}
	records, err := r.ReadAll()
	c.Must(err)
	byName := map[string][]string{}
	for _, record := range records[1:] {
		byName[record[2]] = record
	}
	return byName
}

// Whatever an operator tries out must not pass for what a person said of themselves:
// not in the report, not in the list, not in a file.
func TestAnswersThatAnOperatorMadeUpAreCalledThatEverywhere(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		made, real := w.madeUp("Probe Lauf"), w.finished("Echt Muster")
		for lang, said := range map[string][3]string{
			"de": {"Erfundene Antworten: Dieser Bericht sagt nichts über eine Person aus", "Mit einem Befehl ausgefüllt", "Erfundene Antworten"},
			"en": {"Made-up answers: this report says nothing about a person", "Filled in by a command", "Made-up answers"},
		} {
			c := w.as(member)
			c.post("/dashboard/sprache", map[string][]string{"sprache": {lang}})
			report := c.get("/dashboard/kandidat/"+id(made)).want(t, 200, said[:]...).body
			_, report, _ = strings.Cut(report, `<article class="report`)
			if first, _, _ := strings.Cut(report, "report-statement"); !strings.Contains(first, said[0]) {
				t.Errorf("the report begins with %s", first)
			}
			other := c.get("/dashboard/kandidat/"+id(real)).want(t, 200).body
			for _, text := range said {
				if strings.Contains(other, text) {
					t.Errorf("the report of a person says %q", text)
				}
			}
			list := c.get("/dashboard/kandidaten").want(t, 200, "Probe Lauf", "Echt Muster").body
			_, row, _ := strings.Cut(list, ">Probe Lauf<")
			row, _, _ = strings.Cut(row, "</tr>")
			if !strings.Contains(row, said[2]) || strings.Count(list, ">"+said[2]+"<") != 1 {
				t.Errorf("the list does not mark the one test that nobody took: %s", row)
			}
			records := c.exported()
			if got := records["Probe Lauf"][5]; got != said[2] {
				t.Errorf("the file says %q of made-up answers", got)
			}
			if strings.Contains(row, "score-figure") || strings.Join(records["Probe Lauf"][13:len(records["Probe Lauf"])-1], "") != "" {
				t.Errorf("made-up answers have figures beside those of people: %s, %q", row, records["Probe Lauf"])
			}
			if got := records["Echt Muster"][5]; got != "" {
				t.Errorf("the file says %q of a person's answers", got)
			}
		}
	})
}
