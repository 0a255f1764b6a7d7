package dashboard

import (
	"testing"
	"time"

	"typus"
	"typus/internal/store"
)

// No list has the requests that the page does not name.
func TestTodaySaysThatThereAreMoreRequestsThanItNames(t *testing.T) {
	w := newWorld(t)
	var asked []store.OpenRequest
	for range requestsShown + 1 {
		asked = append(asked, store.OpenRequest{Request: typus.Request{Kind: typus.RequestErasure, CreatedAt: w.Now()}, Name: "Kim"})
	}
	for n, more := range map[int]bool{requestsShown: false, requestsShown + 1: true} {
		g := w.face.requested(galleryVisitor("de", persona{}), asked[:n])
		view := homeView{Todo: []homeGroup{g}}
		if view.Later() != more || view.Count() != requestsShown || len(g.Items) != requestsShown {
			t.Errorf("of %d requests %d are counted and %d named, others: %v", n, view.Count(), len(g.Items), view.Later())
		}
	}
}

func TestResultsReadByAClockThatWasAheadAreNew(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct{ read, want time.Time }{
		{now.Add(-time.Hour), now.Add(-time.Hour)}, {now, now}, {now.Add(time.Hour), now.Add(-freshFor)}, {time.Time{}, now.Add(-freshFor)},
	} {
		v := visitor{User: typus.User{ResultsReadAt: c.read}}
		if got := v.readTo(now); !got.Equal(c.want) {
			t.Errorf("read at %s: not new up to %s, want %s", c.read, got, c.want)
		}
	}
}
