package page

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestTheLanguageIsChosenInOrder(t *testing.T) {
	tests := []struct{ query, stored, cookie, accept, account, want string }{
		{"", "", "", "", "", "de"},
		{"", "", "", "", "en", "en"},
		{"", "", "", "fr-FR, fr;q=0.9", "en", "en"},
		{"", "", "", "en-GB, en;q=0.9", "de", "en"},
		{"", "", "", "de-AT;q=0.8, en;q=0.4", "en", "de"},
		{"", "", "", "fr, en;q=0.5", "de", "en"},
		{"", "", "", ";;;nonsense", "en", "en"},
		{"", "", "de", "en", "en", "de"},
		{"", "", "xx", "en", "de", "en"},
		{"", "en", "de", "de", "de", "en"},
		{"de", "en", "en", "en", "en", "de"},
		{"fr", "en", "de", "de", "de", "en"},
		{"EN", "", "", "", "", "de"},
	}
	for _, tc := range tests {
		r := httptest.NewRequest("GET", "/?lang="+tc.query, nil)
		r.Header.Set("Accept-Language", tc.accept)
		if tc.cookie != "" {
			r.AddCookie(&http.Cookie{Name: "lang", Value: tc.cookie})
		}
		if got := Language(r, tc.stored, tc.account); got != tc.want {
			t.Errorf("%+v: got %s", tc, got)
		}
	}
}

// What somebody else has chosen in the same browser says nothing on a page of one person.
func TestThePageOfOnePersonIsInTheirLanguageAndNotInThatOfTheBrowsersLastReader(t *testing.T) {
	for _, tc := range []struct{ query, stored, accept, account, want string }{
		{"", "", "", "de", "de"},
		{"", "", "de", "", "de"},
		{"", "de", "fr", "fr", "de"},
		{"de", "en", "en", "en", "de"},
	} {
		r := httptest.NewRequest("GET", "/?lang="+tc.query, nil)
		r.Header.Set("Accept-Language", tc.accept)
		r.AddCookie(&http.Cookie{Name: "lang", Value: "en"})
		if got := PersonsLanguage(r, tc.stored, tc.account); got != tc.want {
			t.Errorf("%+v: got %s", tc, got)
		}
	}
}

func TestAChoiceIsRememberedInACookieForThisSiteOnly(t *testing.T) {
	for _, secure := range []bool{false, true} {
		w := httptest.NewRecorder()
		RememberLanguage(w, "en", secure)
		c := w.Result().Cookies()[0]
		if c.Value != "en" || c.Secure != secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" {
			t.Errorf("got %+v", c)
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.AddCookie(c)
		if got := Language(r, "", ""); got != "en" {
			t.Errorf("read back as %s", got)
		}
	}
}
