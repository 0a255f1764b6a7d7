package assess_test

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
)

// with are the steps of a program whose new tests are taken with a version of the instrument.
func (w *world) with(in *instrument.Instrument) *assess.Steps {
	return w.AssessWith(func(o *assess.Options) { o.Instrument = in })
}

func (w *world) released(version string) *instrument.Instrument {
	w.Helper()
	in, known := instrument.Released("salespersona@" + version)
	if !known {
		w.Fatalf("version %s was never released", version)
	}
	return in
}

func TestATestGoesOnWithTheVersionItWasBegunWith(t *testing.T) {
	run(t, func(w *world) {
		before, after := w.with(w.released("1.0.0")), w.with(w.released("2.0.0"))
		out := w.invite(assess.Invitation{Name: "Kim Beispiel", Email: "kim@example.com"})
		w.Must(before.Begin(w.Ctx, out.Token, typus.Notice{Version: "v1", Language: "de", At: w.Now()}, "Hinweise"))
		given := w.all()
		_, err := before.Answer(w.Ctx, out.Token, given[:40])
		w.Must(err)

		test, err := after.Answer(w.Ctx, out.Token, given[40:])
		w.Must(err)
		if ref := test.Instrument.Ref(); ref != "salespersona@1.0.0" || test.Position != len(given) {
			t.Errorf("at %d of a test of %s", test.Position, ref)
		}
		w.Must(after.Finish(w.Ctx, out.Token))
		kept, err := w.Store.Result(w.Ctx, w.Account, out.Candidate.ID)
		w.Must(err)
		var r instrument.Result
		w.Must(json.Unmarshal(kept.Scores, &r))
		if kept.Instrument != "salespersona@1.0.0" || kept.InstrumentHash != w.released("1.0.0").Hash() || kept.ScoringVersion != "1" ||
			r.Meta.InstrumentVersion != "1.0.0" || r.Dimensions[3].Name != "Resilienz" || r.Persona.Shared() {
			t.Errorf("%s, scoring %s: %s", kept.Instrument, kept.ScoringVersion, kept.Scores)
		}
	})
}

func TestAnInvitationTakesTheVersionOfTheDayItBegins(t *testing.T) {
	run(t, func(w *world) {
		before, after := w.with(w.released("1.0.0")), w.with(w.released("2.0.0"))
		out, _, err := before.Invite(w.Ctx, w.Account, assess.Invitation{Name: "Kim Beispiel", Email: "kim@example.com"}, nil)
		w.Must(err)
		w.Must(after.Begin(w.Ctx, out.Token, typus.Notice{Version: "v1", Language: "de", At: w.Now()}, "Hinweise"))
		if c := w.candidate(out.Candidate.ID); c.Instrument != "salespersona@2.0.0" {
			t.Errorf("begun with %s", c.Instrument)
		}
		_, err = after.Answer(w.Ctx, out.Token, w.all())
		w.Must(err)
		w.Must(after.Finish(w.Ctx, out.Token))
		kept, err := w.Store.Result(w.Ctx, w.Account, out.Candidate.ID)
		w.Must(err)
		var r instrument.Result
		w.Must(json.Unmarshal(kept.Scores, &r))
		if kept.Instrument != "salespersona@2.0.0" || kept.ScoringVersion != "2" || r.Dimensions[3].Name != "Umgang mit Rückschlägen" || !r.Persona.Shared() {
			t.Errorf("%s, scoring %s: %s", kept.Instrument, kept.ScoringVersion, kept.Scores)
		}
	})
}

func TestATestOfAVersionThatThisProgramLacksIsRefused(t *testing.T) {
	run(t, func(w *world) {
		out := w.invite(assess.Invitation{Name: "Kim Beispiel", Email: "kim@example.com"})
		w.Must(w.with(unreleased(w)).Begin(w.Ctx, out.Token, typus.Notice{Version: "v1", Language: "de", At: w.Now()}, "Hinweise"))
		_, err := w.Assess.Answer(w.Ctx, out.Token, w.all())
		w.WantKind(err, typus.Internal)
		if err == nil || !strings.Contains(err.Error(), "salespersona@2.0.9, which this program does not have") {
			t.Errorf("%v", err)
		}
	})
}

// unreleased is version 2.0.0 under a number that no program has.
func unreleased(w *world) *instrument.Instrument {
	w.Helper()
	const dir, file = "../instrument/salespersona/2.0.0", "instrument.yaml"
	m := fstest.MapFS{}
	w.Must(fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "RELEASE" {
			return err
		}
		data, err := os.ReadFile(dir + "/" + name)
		m[name] = &fstest.MapFile{Data: data}
		return err
	}))
	m[file].Data = bytes.Replace(m[file].Data, []byte("version: 2.0.0"), []byte("version: 2.0.9"), 1)
	in, err := instrument.Load(m)
	w.Must(err)
	return in
}
