package testpage

import (
	"testing"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
)

func TestWhoeverBeganWithAnEarlierVersionReadsItsStatements(t *testing.T) {
	for _, version := range []string{"salespersona@1.0.0", "salespersona@2.0.0"} {
		w := newWorld(t)
		in, known := instrument.Released(version)
		if !known {
			t.Fatalf("%s was never released", version)
		}
		out := w.invite("de")
		steps := w.AssessWith(func(o *assess.Options) { o.Instrument = in })
		w.Must(steps.Begin(w.Ctx, out.Token, typus.Notice{Version: "v", Language: "de", At: w.Now()}, "text"))
		r := w.reader("de")
		r.open("/t/" + out.Token + "/frage/1")
		if want := in.Text("de", "ad01"); r.heading() != want {
			t.Errorf("%s: the statement is %q, want %q", version, r.heading(), want)
		}
	}
}
