package dashboard

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
	"typus/internal/webhook"
)

// moveWorld moves the clock of a test world on.
func (w *world) moveWorld(there int64, by time.Duration) {
	w.Helper()
	w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error { return tx.MoveWorld(w.Ctx, there, by) }))
}

// Keys, refused calls and secrets go by the machine's clock, and their pages say so: a secret
// must not seem to sign for a month longer than it does.
func TestPagesOfATestWorldShowTimesOfTheMachineAsTheyAre(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		live, there := w.Account, w.testWorld()
		w.Account = there
		hook, _ := w.newEndpoint("https://hooks.example.com/")
		_, _, err := w.Accounts.RotateSecret(w.Ctx, there, hook, typus.Actor{Name: "operator"})
		w.Must(err)
		key, _, err := w.Access.CreateKey(w.Ctx, there, "CRM", typus.Actor{Name: "operator"})
		w.Must(err)
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			return tx.AddRefusedCalls(w.Ctx, []typus.RefusedCall{{AccountID: there, KeyID: key, Method: "GET", Status: 404, Code: "not_found", RequestID: "r", At: w.Now()}})
		}))
		w.Account = live
		w.moveWorld(there, 34*24*time.Hour)
		c := w.as(admin)
		for _, path := range []string{"/api-schluessel", "/api-schluessel/protokoll"} {
			c.get("/dashboard/test/einstellungen"+path).want(t, 200, "27.11.2026").without(t, "31.12.2026")
		}
		_, secret, _ := strings.Cut(c.get("/dashboard/test/einstellungen/webhooks/"+strconv.FormatInt(hook, 10)).want(t, 200).body, `id="geheimnis"`)
		secret, _, _ = strings.Cut(secret, "</section>")
		if !strings.Contains(secret, "27.11.2026") || !strings.Contains(secret, "28.11.2026, 10:00") || strings.Contains(secret, "2027") || strings.Contains(secret, "31.12.") {
			t.Errorf("the secret is said to sign so long: %s", secret)
		}
	})
}

// When a delivery was made stands in its id, which no move of the clock changes: the log shows
// the same time and finds the same day after the next move.
func TestADeliveryOfATestWorldKeepsItsTime(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		live, there := w.Account, w.testWorld()
		out := w.invitedBy(there, assess.Invitation{Name: "Tom Probe", Email: "tom@example.com"})
		w.Account = there
		hook, _ := w.newEndpoint("http://127.0.0.1:65535/")
		made := w.logged(hook, out.Candidate.ID, typus.Attempt{HTTPStatus: 503, ErrorCode: webhook.Code5xx}, becomes(typus.DeliveryExhausted, 1))
		w.Account = live
		c := w.as(admin)
		log := "/dashboard/test/einstellungen/webhooks/protokoll"
		for range 2 {
			w.moveWorld(there, 72*time.Hour)
			c.get(log).want(t, 200, "27.11.2026, 10:00", "Entstanden (echte Uhr)", "Tom Probe")
			c.get(log+"/"+made[0]).want(t, 200, "27.11.2026, 10:00", "nach der echten Uhr")
			c.get(log+"?von=2026-11-27&bis=2026-11-27").want(t, 200, "Tom Probe")
			c.get(log+"?von=2026-11-28").want(t, 200).without(t, "Tom Probe")
			c.get(log+"/nachsenden?webhook="+fmt.Sprint(hook)+"&von=2026-11-27&bis=2026-11-27").want(t, 200, "27.\u00a0November 2026").without(t, "30.\u00a0November", "3.\u00a0Dezember")
		}
		// A month later by the world's clock it is still offered to be sent again.
		w.moveWorld(there, 40*24*time.Hour)
		c.get(fmt.Sprint("/dashboard/test/einstellungen/webhooks/", hook)).want(t, 200, "von=2026-10-28")
		c.get(deliveriesPath).want(t, 200).without(t, "echte Uhr", "echten Uhr")
	})
}

var personRow = regexp.MustCompile(`Person \d+`)

// The second page of a list is the same, also if the clock is moved on between the two.
func TestTheListOfATestWorldGoesOnWhereItStoodAfterAMove(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		there := w.testWorld()
		for i := range store.RowsOnScreen + 3 {
			w.invitedBy(there, assess.Invitation{Name: fmt.Sprintf("Person %03d", i), Email: fmt.Sprintf("p%d@example.com", i)})
			w.Later(time.Minute)
		}
		c := w.as(admin)
		first := c.get("/dashboard/test/kandidaten").want(t, 200)
		next := regexp.MustCompile(`href="([^"]*nach=[^"]*)"`).FindStringSubmatch(first.body)
		if next == nil {
			t.Fatal("there is no second page")
		}
		for _, move := range []time.Duration{0, 72 * time.Hour} {
			w.moveWorld(there, move)
			found := map[string]bool{}
			a := c.get(strings.ReplaceAll(next[1], "&amp;", "&")).want(t, 200)
			for _, name := range personRow.FindAllString(a.body, -1) {
				found[name] = true
			}
			if len(found) != 3 || !found["Person 002"] || !found["Person 000"] {
				t.Errorf("%v moved, the second page has %v", move, found)
			}
		}
	})
}
