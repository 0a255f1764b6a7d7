package dashboard

import (
	"net/url"
	"path"
	"strings"
	"testing"

	"typus/internal/store"
)

func TestAnOwnHeaderReachesTheReceiverAndIsNeverShown(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		r := newReceiver(t)
		c := w.as(admin)
		const value = "Bearer geheim-0123456789"
		a := c.post(endpointsPath+"/neu", url.Values{"url": {r.URL + "/a"}, "header_name": {"Authorization"}, "header_value": {value}})
		page := a.Header.Get("Location")
		c.follow(a).want(t, 200, "Authorization: ••••6789")
		edit := page + "/bearbeiten"
		c.get(edit).want(t, 200, "••••6789", `value="Authorization"`, "Den gespeicherten Header entfernen")
		w.deliver()
		outcome := c.post(page+"/test", nil)
		c.follow(outcome).want(t, 200, "angekommen")
		if got := r.requests()[0].header.Get("Authorization"); got != value {
			t.Errorf("the receiver got %q", got)
		}
		delivery := path.Base(outcome.Header.Get("Location"))
		attempts, err := w.Store.Attempts(w.Ctx, w.Account, delivery)
		if err != nil || !strings.Contains(attempts[0].RequestHeaders, "Authorization: ••••6789\n") {
			t.Errorf("%+v, %v", attempts, err)
		}
		c.post(edit, url.Values{"url": {"https://other.example.com/"}, "header_name": {"Authorization"}}).want(t, 422, "zieht zu einem anderen Host um")
		if a := c.post(edit, url.Values{"url": {"x"}, "header_name": {"Host"}, "header_value": {value}}).want(t, 422, "So kann der Header nicht heißen", "noch einmal ein"); strings.Contains(a.body, "0123456789") {
			t.Error("the value is sent back")
		}
		c.follow(c.post(edit, url.Values{"url": {r.URL + "/a"}, "header_drop": {"1"}})).want(t, 200, "gespeichert")
		if a := c.get(page).want(t, 200); strings.Contains(a.body, "Authorization") {
			t.Error("the header is still there")
		}
		for _, text := range []string{w.logs.String(), c.get(page).body, c.get(edit).body} {
			if strings.Contains(text, "0123456789") {
				t.Error("the value is readable")
			}
		}
	})
}

func TestAnOwnHeaderThatIsLostIsSaidAndCanBeReplaced(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		r := newReceiver(t)
		id, _ := w.newEndpoint(r.URL)
		w.Must(w.Store.InTx(w.Ctx, func(tx *store.Tx) error {
			return tx.SetStaticHeader(w.Ctx, w.Account, id, []byte("sealed under another key, long ago"))
		}))
		c := w.as(admin)
		c.get(endpointPath(id)).want(t, 200, "lässt sich nicht mehr öffnen")
		c.get(endpointPath(id)+"/bearbeiten").want(t, 200, "lässt sich nicht mehr öffnen")
		w.deliver()
		c.follow(c.post(endpointPath(id)+"/test", nil)).want(t, 200, "nicht angekommen", "Der gespeicherte eigene Header lässt sich nicht öffnen")
		if len(r.requests()) != 0 {
			t.Error("it was sent without its header")
		}
		c.follow(c.post(endpointPath(id)+"/bearbeiten", url.Values{"url": {r.URL}, "header_name": {"X-Key"}, "header_value": {"neu"}})).want(t, 200, "X-Key: ••••")
		c.follow(c.post(endpointPath(id)+"/test", nil)).want(t, 200, "ist angekommen")
	})
}
