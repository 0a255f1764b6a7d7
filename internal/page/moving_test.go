package page

import (
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
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
	want := map[time.Duration][]string{
		0:                           {"27.11.2026", "2026-11-27T22:00:00Z"},
		72 * time.Hour:              {"30.11.2026", "2026-11-30T22:00:00Z"},
		3*time.Hour + time.Second/2: {"28.11.2026", "2026-11-28T01:00:00Z"},
	}
	var all sync.WaitGroup
	for range 8 {
		for ahead, says := range want {
			all.Go(func() {
				w := httptest.NewRecorder()
				if err := set.Render(w, 200, "de", timeView{Frame{Ahead: ahead}, at}); err != nil {
					t.Error(err)
				}
				for _, text := range says {
					if !strings.Contains(w.Body.String(), text) {
						t.Errorf("%v ahead: %q is missing in %s", ahead, text, w.Body)
					}
				}
			})
		}
	}
	all.Wait()
	w := httptest.NewRecorder()
	if err := set.Render(w, 200, "de", strayAhead{Frame{Ahead: time.Hour}}); err == nil || w.Body.Len() != 0 {
		t.Errorf("a page that is not there: %v %q", err, w.Body)
	}
}

type strayAhead struct{ Frame }

func (strayAhead) Template() string { return "stray" }
