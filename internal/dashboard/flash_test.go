package dashboard

import (
	"strings"
	"testing"
)

// A secret is for one page; another one that is opened meanwhile leaves it there.
func TestASecretWaitsForItsPageAndIsShownOnce(t *testing.T) {
	w := newWorld(t)
	c := w.as(owner)
	c.post(keysPath+"/neu", map[string][]string{"name": {"CRM"}})
	if body := c.get("/dashboard").body; strings.Contains(body, "typ_live_") {
		t.Error("the candidates' page shows the key")
	}
	c.get(keysPath).want(t, 200, "typ_live_")
	if body := c.get(keysPath).body; strings.Contains(body, "typ_live_") {
		t.Error("the key is shown a second time")
	}
}
