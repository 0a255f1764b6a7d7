package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestARowIsDrawnWhereItsFiguresLie(t *testing.T) {
	got := Bars([]Dimension{
		{Name: "first", Scored: true, Score: 60, Low: 45, High: 75, Zone: &Zone{70, 100}, Weight: 16},
		{Name: "second", Scored: true, Score: 10, Low: 0, High: 25},
	}, Area{Width: 200, Row: 30, Label: 10})
	want := Chart{
		Width: 200, Height: 60,
		Ticks: []Tick{{0, 0}, {25, 50}, {50, 100}, {75, 150}, {100, 200}},
		Rows: []Row{
			{
				Name: "first", Score: 60, Scored: true, Words: 10, Middle: 20,
				Zone: &Box{X: 140, Y: 12, Width: 60, Height: 16}, Bar: Box{X: 0, Y: 16.4, Width: 120, Height: 7.2},
				Band: Whisker{From: 90, To: 150, Mark: 120, Top: 14.8, Bottom: 25.2},
			},
			{
				Name: "second", Score: 10, Scored: true, Words: 40, Middle: 50,
				Bar: Box{X: 0, Y: 46.4, Width: 20, Height: 7.2}, Band: Whisker{From: 0, To: 50, Mark: 20, Top: 44.8, Bottom: 55.2},
			},
		},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })); diff != "" {
		t.Error(diff)
	}
}

func TestEqualEndsAreDrawnAsALine(t *testing.T) {
	r := Bars([]Dimension{{Scored: true, Score: 0, Low: 0, High: 0, Zone: &Zone{100, 100}}}, Area{Width: 100, Row: 4}).Rows[0]
	if r.Zone.X != 100 || r.Zone.Width != 0 || r.Bar.Width != 0 || r.Band.From != 0 || r.Band.To != 0 || r.Band.Mark != 0 {
		t.Errorf("%+v", r)
	}
}

func TestWhatLiesBeyondTheScaleIsDrawnAtItsEnd(t *testing.T) {
	r := Bars([]Dimension{{Scored: true, Score: 130, Low: -20, High: 140, Zone: &Zone{-5, 400}}}, Area{Width: 50, Row: 4}).Rows[0]
	if r.Bar.Width != 50 || r.Band.From != 0 || r.Band.To != 50 || r.Band.Mark != 50 || r.Zone.X != 0 || r.Zone.Width != 50 {
		t.Errorf("%+v", r)
	}
}

func TestADimensionThatIsNotScoredHasNoBar(t *testing.T) {
	r := Bars([]Dimension{{Name: "open", Zone: &Zone{60, 80}}}, Area{Width: 100, Row: 4}).Rows[0]
	if r.Scored || r.Bar != (Box{}) || r.Band != (Whisker{}) || r.Zone == nil {
		t.Errorf("%+v", r)
	}
}

func TestNothingIsDrawnOutsideTheArea(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		any := rapid.IntRange(-200, 300)
		dims := make([]Dimension, rapid.IntRange(0, 12).Draw(t, "rows"))
		for i := range dims {
			dims[i] = Dimension{Scored: true, Score: any.Draw(t, "score"), Low: any.Draw(t, "low"), High: any.Draw(t, "high"),
				Zone: &Zone{any.Draw(t, "zone low"), any.Draw(t, "zone high")}}
		}
		a := Area{Width: rapid.Float64Range(1, 2000).Draw(t, "width"), Row: rapid.Float64Range(1, 100).Draw(t, "row")}
		a.Label = a.Row * rapid.Float64Range(0, 0.9).Draw(t, "label")
		c := Bars(dims, a)
		const slack = 1e-9
		for i, r := range c.Rows {
			top, bottom := float64(i)*a.Row-slack, float64(i+1)*a.Row+slack
			for _, b := range []Box{r.Bar, *r.Zone} {
				if b.X < 0 || b.Width < 0 || b.X+b.Width > a.Width+slack || b.Y < top || b.Height < 0 || b.Y+b.Height > bottom {
					t.Fatalf("row %d: %+v", i, r)
				}
			}
			if b := r.Band; b.From < 0 || b.From > b.To || b.To > a.Width+slack || b.Mark < 0 || b.Mark > a.Width+slack || b.Top < top || b.Bottom > bottom || b.Top > b.Bottom {
				t.Fatalf("row %d: %+v", i, r)
			}
		}
	})
}
