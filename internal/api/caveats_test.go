package api_test

import (
	"strconv"
	"strings"
	"testing"

	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// finishWith finishes the test of an invitation in one go with a version of the test;
// careless answers make a result that should not be interpreted.
func (w *world) finishWith(version string, careless bool) candidate {
	w.Helper()
	in, released := instrument.Released("salespersona@" + version)
	if !released {
		w.Fatalf("there is no version %s", version)
	}
	w.invite(`{` + person + `,"external_id":"` + version + strconv.FormatBool(careless) + `"}`)
	c := w.read("/api/v1/candidates/" + version + strconv.FormatBool(careless))
	var given []assess.Given
	for i, item := range in.Items() {
		g := assess.Given{ItemID: item.ID, Value: 2 + i%3, ActiveMS: 4000}
		if careless {
			g.Value = 1 + (i*5)%6
		} else if item.Expect != 0 {
			g.Value = item.Expect
		}
		given = append(given, g)
	}
	steps := w.AssessWith(func(o *assess.Options) { o.Instrument = in })
	w.Must(steps.FinishFor(w.Ctx, w.Account, c.ID, given, "operator"))
	return w.read("/api/v1/candidates/" + strconv.FormatInt(c.ID, 10) + "?include=extra")
}

func (w *world) read(path string) candidate {
	w.Helper()
	r := w.do(call{path: path})
	if r.status != 200 {
		w.Fatalf("%s: %d %s", path, r.status, r.body)
	}
	return parse[candidate](w.T, r)
}

func TestExtraSaysHowExactAResultIs(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		c := w.finishWith("2.0.0", false)
		x := c.Extra
		overall := int(c.Scores.(map[string]any)["overall"].(float64))
		if *x.Instrument != "salespersona@2.0.0" || !*x.Interpretable || overall < x.OverallBand[0] || overall > x.OverallBand[1] || x.OverallBand[0] == x.OverallBand[1] {
			t.Errorf("%d: %s, interpretable: %t, band %v", overall, *x.Instrument, *x.Interpretable, *x.OverallBand)
		}
		if a := x.Archetype; a.Secondary.Key == "" || a.Secondary.Name == "" || a.Stability == 0 || a.SecondShare == nil || a.Level == "" || *x.FitBorderline == nil {
			t.Errorf("%+v, borderline %v", a, *x.FitBorderline)
		}
		if n := x.Norm; n.Key != "theoretical-2026-11-28" || n.Kind != "theoretical" || *n.Reliability != 0.8 || !n.Assumed {
			t.Errorf("%+v", n)
		}
		if x := w.finishWith("2.0.0", true).Extra; *x.Interpretable {
			t.Error("careless answers are to be interpreted")
		}
		if x := w.finishWith("1.0.0", false).Extra; *x.Instrument != "salespersona@1.0.0" || x.Archetype.SecondShare != nil || x.Archetype.Stability == 0 {
			t.Errorf("1.0.0 never counted the second pattern: %+v", x.Archetype)
		}
	})
}

// A page of a hundred asks the store no more often than one candidate does.
func TestExtraCostsTwoStatementsMore(t *testing.T) {
	w := newWorld(t)
	for _, version := range []string{"2.0.0", "1.0.0"} {
		w.finishWith(version, false)
	}
	w.do(call{}) // the key is known from here on
	asked := func(path string) int64 {
		before := w.ran.Load()
		w.do(call{path: path})
		return w.ran.Load() - before
	}
	if plain, more := asked("/api/v1/candidates"), asked("/api/v1/candidates?include=extra"); more != plain+2 {
		t.Errorf("%d statements, with extra %d", plain, more)
	}
}

// The test of an invitation that is sent again may be finished by then.
func TestAReplayAfterTheTestSaysHowExactTheResultIs(t *testing.T) {
	w := newWorld(t)
	sent := call{path: "/api/v1/invites?include=extra", body: `{` + person + `}`, header: []string{"Idempotency-Key", "k"}}
	w.finish(parse[invitation](t, w.do(sent)).CandidateToken)
	if r := w.do(sent); !strings.Contains(r.body, `"interpretable":false`) {
		t.Errorf("%s", r.body)
	}
}
