package page

import (
	"html"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"typus"
)

type timeView struct {
	Frame
	At time.Time
}

func (timeView) Template() string { return "one" }

// Pages of several test worlds are shown at the same time, and live ones beside them.
func TestAPageShowsTheTimesOfItsWorld(t *testing.T) {
	set := mustSet(t, face(`<h1>x</h1>{{date .At}} {{short .At}} {{moment .At}} {{stamp .At}}`, `{"x.a":"x"}`, `{"x.a":"x"}`))
	at := time.Date(2026, time.November, 27, 22, 0, 0, 0, time.UTC)
	want := map[Times][]string{
		{}:                                   {"27.11.2026", "2026-11-27T22:00:00Z"},
		{Ahead: 72 * time.Hour}:              {"30.11.2026", "2026-11-30T22:00:00Z"},
		{Ahead: 3*time.Hour + time.Second/2}: {"28.11.2026", "2026-11-28T01:00:00Z"},
		TimesOf(typus.Account{Zone: "Europe/Berlin"}):                            {"27.11.2026", "27.11.2026, 23:00\u00a0MEZ", "2026-11-27T22:00:00Z"},
		TimesOf(typus.Account{Zone: "Pacific/Kiritimati"}):                       {"28.11.2026", "28.11.2026, 12:00\u00a0UTC+14", "2026-11-27T22:00:00Z"},
		TimesOf(typus.Account{Zone: "Pacific/Pago_Pago", Ahead: 72 * time.Hour}): {"30.11.2026", "30.11.2026, 11:00\u00a0UTC−11", "2026-11-30T22:00:00Z"},
	}
	var all sync.WaitGroup
	for range 8 {
		for times, says := range want {
			all.Go(func() {
				w := httptest.NewRecorder()
				if err := set.Render(w, 200, "de", timeView{Frame{Times: times}, at}); err != nil {
					t.Error(err)
				}
				for _, text := range says {
					if !strings.Contains(html.UnescapeString(w.Body.String()), text) {
						t.Errorf("%v: %q is missing in %s", times, text, w.Body)
					}
				}
			})
		}
	}
	all.Wait()
	w := httptest.NewRecorder()
	if err := set.Render(w, 200, "de", strayWorld{Frame{Times: Times{Ahead: time.Hour}}}); err == nil || w.Body.Len() != 0 {
		t.Errorf("a page that is not there: %v %q", err, w.Body)
	}
}

type strayWorld struct{ Frame }

func (strayWorld) Template() string { return "stray" }

// A time of the machine's own, such as when a secret ends, is shown as it is.
func TestAPageOfAWorldShowsTimesOfTheMachineAsTheyAre(t *testing.T) {
	set := mustSet(t, face(`<h1>x</h1>{{stamp (machine .At)}} {{stamp .At}}`, `{"x.a":"x"}`, `{"x.a":"x"}`))
	at := time.Date(2026, time.November, 27, 22, 0, 0, 0, time.UTC)
	for ahead, says := range map[time.Duration]string{
		0:                   "2026-11-27T22:00:00Z 2026-11-27T22:00:00Z",
		34 * 24 * time.Hour: "2026-11-27T22:00:00Z 2026-12-31T22:00:00Z",
	} {
		body, err := set.Page("de", timeView{Frame{Times: Times{Ahead: ahead}}, at})
		if err != nil || !strings.Contains(string(body), says) {
			t.Errorf("%v ahead: %q is missing in %s, %v", ahead, says, body, err)
		}
	}
}

// The garbage collector, which runs all the time, takes no parsed page away; and however many
// visitors come at once, only some copies are kept.
func TestParsedPagesOfWorldsAreKeptButNotWithoutEnd(t *testing.T) {
	set := mustSet(t, face(`<h1>{{short .At}}</h1>`, `{"x.a":"x"}`, `{"x.a":"x"}`))
	moving := set.moving["de"]
	var taken []*movingPage
	for range keptPages + 3 {
		p, err := moving.take("one")
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, p)
	}
	for _, p := range taken {
		moving.giveBack(p)
	}
	for range 3 {
		runtime.GC()
	}
	for i := range keptPages {
		if p, err := moving.take("one"); err != nil || p != taken[i] {
			t.Errorf("page %d is parsed anew, %v", i, err)
		}
	}
	if n := len(moving.idle("one")); n != 0 {
		t.Errorf("%d more are kept", n)
	}
}
