package dashboard

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/waittest"
	"typus/internal/webhook"
)

// crowded fills a test world with more of everything than a page shows: kept letters, people,
// keys, webhooks with deliveries. It returns the address of one of those.
func (w *world) crowded(there int64, n int) string {
	w.Helper()
	live := w.Account
	w.Account = there
	defer func() { w.Account = live }()
	people := make([]assess.Invited, n)
	for i := range people {
		people[i] = w.invitedBy(there, assess.Invitation{Name: "Tom Probe", Email: fmt.Sprintf("tom%d@example.com", i), Language: "de", SendEmail: true})
	}
	stop := w.deliver()
	waittest.Until(w, "all letters are kept", func() bool {
		letters, err := w.Store.KeptLetters(w.Ctx, there, 0, 1000)
		w.Must(err)
		return len(letters) >= n
	})
	stop()
	delivery := ""
	for i := range max(1, n/10) {
		_, _, err := w.Access.CreateKey(w.Ctx, there, fmt.Sprint("CI ", i), typus.Actor{Name: typus.ActorOperator})
		w.Must(err)
		hook, _ := w.newEndpoint("https://hooks.example.com/" + strconv.Itoa(i))
		delivery = deliveryPath(w.logged(hook, people[i].Candidate.ID, typus.Attempt{HTTPStatus: 503, ErrorCode: webhook.Code5xx}, becomes(typus.DeliveryExhausted, 1))[0])
	}
	w.moveWorld(there, 40*time.Hour)
	return delivery
}

// How much a test world holds does not change how often its pages ask the store: who is logged
// in, what the world is, and a few questions more.
func TestAPageOfATestWorldAsksTheStoreAFewTimes(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		there := w.testWorld()
		asked := map[string]int64{}
		for _, n := range []int{1, 60} {
			delivery := worldPath + w.crowded(there, n)[len(homePath):]
			c := w.as(owner)
			letter := keptLetterLink.FindStringSubmatch(c.get(sandboxLettersPath).body)
			if letter == nil {
				t.Fatal("no letter is kept")
			}
			in := worldPath + "/einstellungen"
			for name, page := range map[string]struct {
				path string
				most int64
			}{
				"home": {worldPath, 4}, "letters": {sandboxLettersPath, 4}, "letter": {letter[1], 4}, "html": {letter[1] + "/html", 4},
				"keys": {in + "/api-schluessel", 4}, "log": {in + "/webhooks/protokoll", 4}, "delivery": {delivery, 8}, "people": {worldPath + "/kandidaten", 4},
			} {
				c.get(page.path).want(t, 200) // the first look of a day is noted
				before := w.ran.Load()
				c.get(page.path).want(t, 200)
				ran := w.ran.Load() - before
				if former, is := asked[name]; ran > page.most || is && ran > former {
					t.Errorf("%s: %d statements, before %d, at most %d", page.path, ran, former, page.most)
				}
				asked[name] = ran
			}
		}
		t.Logf("statements: %v", asked)
	})
}
