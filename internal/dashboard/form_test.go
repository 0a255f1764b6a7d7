package dashboard

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// A form that is too large, broken or cut off is refused whole: carried out as
// an empty one it would wipe what is stored.
func TestAFormThatCannotBeReadChangesNothing(t *testing.T) {
	w := newWorld(t)
	c := w.as(owner)
	c.post("/dashboard/einstellungen/profil", url.Values{"name": {"Kim Beispiel"}}).want(t, http.StatusSeeOther)
	for body, status := range map[string]int{
		"name=" + strings.Repeat("x", maxForm):       http.StatusRequestEntityTooLarge,
		strings.Repeat("a=b&", maxForm) + "name=Eve": http.StatusRequestEntityTooLarge,
		"name=%zz": http.StatusBadRequest,
		"a;b":      http.StatusBadRequest,
	} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", w.server.URL+"/dashboard/einstellungen/profil", strings.NewReader(body))
		w.must(err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		if a := c.send(r); a.StatusCode != status {
			t.Errorf("%.20q is answered %s", body, a.Status)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), "POST", w.server.URL+"/dashboard/einstellungen/profil", strings.NewReader("--x\r\nbroken"))
	w.must(err)
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	c.send(r).want(t, http.StatusBadRequest)
	c.get("/dashboard/einstellungen/profil").want(t, http.StatusOK, `value="Kim Beispiel"`)
}
