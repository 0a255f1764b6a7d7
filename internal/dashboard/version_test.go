package dashboard

import (
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
)

func TestAResultKeepsTheNamesOfTheVersionItWasMadeWith(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		older, known := instrument.Released("salespersona@1.0.0")
		if !known {
			t.Fatal("version 1.0.0 was never released")
		}
		out := w.invited("Kim Muster", "")
		steps := w.AssessWith(func(o *assess.Options) { o.Instrument = older })
		w.Must(steps.Begin(w.Ctx, out.Token, typus.Notice{Version: "v1", Language: "de", At: w.Now()}, "Hinweise"))
		var given []assess.Given
		for i, it := range older.Items() {
			answer := 4 + i%2
			if it.Minus {
				answer = 7 - answer
			}
			given = append(given, assess.Given{ItemID: it.ID, Value: answer, ActiveMS: 4000})
		}
		w.Later(time.Minute)
		_, err := w.Assess.Answer(w.Ctx, out.Token, given)
		w.Must(err)
		w.Must(w.Assess.Finish(w.Ctx, out.Token))

		key := w.candidateOf(out).Scores.Persona.Key
		for lang, title := range map[string]string{"de": "Persönlichkeitstest für Vertriebsrollen 1.0.0", "en": "Sales role personality test 1.0.0"} {
			c := w.as(member)
			c.post("/dashboard/sprache", map[string][]string{"sprache": {lang}})
			c.post("/dashboard/export", nil).want(t, 200, older.PersonaName(lang, key))
			c.get("/dashboard/kandidat/"+id(out)).want(t, 200, title, older.DimensionName(lang, "resilience"), older.DimensionName(lang, "integrity"), older.PersonaSubtitle(lang, key))
		}
	})
}
