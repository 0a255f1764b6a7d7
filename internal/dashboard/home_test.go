package dashboard

import (
	"fmt"
	"testing"
	"time"

	"typus"
	"typus/internal/store"
)

// No list has the requests that the page does not name: it says how many they are.
func TestTodaySaysHowManyMoreRequestsThereAreThanItNames(t *testing.T) {
	w := newWorld(t)
	asked := make([]store.OpenRequest, requestsCounted+1)
	for i := range asked {
		asked[i] = store.OpenRequest{Request: typus.Request{Kind: typus.RequestErasure, CreatedAt: w.Now()}, Name: "Kim"}
	}
	for n, left := range map[int]int{requestsShown: 0, requestsShown + 1: 1, requestsCounted: 100, requestsCounted + 1: 100} {
		g := w.face.requested(galleryVisitor("de", persona{}), asked[:n])
		view := homeView{Todo: []homeGroup{g}}
		if view.Most() != (n > requestsCounted) || view.Count() != min(n, requestsCounted) || len(g.Items) != requestsShown || g.Left() != left {
			t.Errorf("of %d requests %d are counted, %d named and %d left; more: %v", n, view.Count(), len(g.Items), g.Left(), view.Most())
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

// More time is what the position gives, where it says so.
func TestMoreTimeIsForAsLongAsThePositionInvites(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss := w.as(admin)
		place := boss.place("Vertrieb Nord", "invite_days", "60", "reminders", "-1")
		person := w.invitedTo(placed(t, place), "Kim")
		in := func(days int) string { return w.Now().AddDate(0, 0, days).Format(time.DateOnly) }
		w.Later(58 * 24 * time.Hour)
		boss = w.as(admin)
		boss.get(homePath).want(t, 200, fmt.Sprintf(`name="ende" value="%s"`, in(60)))
		boss.get(candidatePath(person)).want(t, 200, `value="`+in(60)+`"`)
		boss.get(bulkExtend.path+fmt.Sprintf("?id=%d", person)).want(t, 200, `value="`+in(60)+`"`)
		w.Later(3 * 24 * time.Hour)
		boss = w.as(admin)
		boss.post(candidatePath(person)+"/neuer-link", nil).want(t, 303)
		c, err := w.Store.Candidate(w.Ctx, w.Account, person)
		w.Must(err)
		if got := c.ExpiresAt.Format(time.DateOnly); got != in(60) && got != in(61) {
			t.Errorf("the new link is good until %s, want %s", got, in(60))
		}
	})
}

// What is missing in the notice is told to those who can add it; a page without a remedy is
// never empty.
func TestTodayTellsOfTheNoticeWhoCanCompleteIt(t *testing.T) {
	w := newWorld(t)
	w.as(admin).get(homePath).want(t, 200, "Angaben ergänzen")
	w.as(member).get(homePath).want(t, 200, "Heute ist nichts offen").without(t, "Hinweise vor dem Test")
}
