package dashboard

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"typus/internal/page/browsertest"
	"typus/internal/pdf/pdftest"
)

func TestFiveInterviewsAreReadyAfterAtMostEightClicks(t *testing.T) {
	w, tab := newWorld(t), browsertest.New(t).Tab(t, browsertest.Look{Width: 1280})
	names := []string{"Anna", "Beatrix", "Cem", "Dana", "Elif"}
	for i, name := range names {
		w.answered(name, steady(2+i%4), 4000)
	}
	c := w.as(member)
	w.enter(tab, c)
	tab.Open(w.server.URL + peoplePath)
	clicks := 0
	for i := range names {
		tab.Click(fmt.Sprintf("tbody tr:nth-child(%d) .pick-box input", i+1))
		clicks++
	}
	tab.Follow(`[formaction="` + comparePath + `"]`)
	clicks++
	const guides = `main a[href^="` + guidesPath + `"]`
	to, err := url.Parse(browsertest.Eval[string](tab, `document.querySelector('`+guides+`').href`))
	w.Must(err)
	clicks++ // on that link, which is a file
	file := c.get(to.RequestURI()).want(t, 200)
	found := map[string]bool{}
	for n, sheet := range pdftest.Text(t, []byte(file.body)) {
		on := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.Contains(sheet, name) })
		if len(on) != 1 {
			t.Errorf("page %d belongs to the guides of %v", n+1, on)
		}
		for _, name := range on {
			found[name] = true
		}
	}
	if len(found) != len(names) {
		t.Errorf("the file has guides for %v", found)
	}
	if clicks > 8 {
		t.Errorf("it takes %d clicks", clicks)
	}
}

// Whoever wants to compare one person is asked with whom, and offered nobody who cannot be
// set beside them.
func TestOnePersonIsComparedWithOthersOfTheSameRole(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		one := id(w.answered("Eine", steady(3), 4000))
		c := w.as(viewer)
		c.get(compareOf(one)).want(t, 200, "eine zweite Person")
		other := id(w.answered("Andere", steady(4), 4000))
		w.invited("Offen Muster", "")
		a := c.get(compareOf(one)).want(t, 200, "Mit wem", "Eine", "Andere")
		if strings.Contains(a.body, "Offen Muster") {
			t.Error("somebody without a result is offered")
		}
		c.follow(c.post(comparePath, url.Values{"id": {one, other}})).want(t, 200, guidesPath)
	})
}
