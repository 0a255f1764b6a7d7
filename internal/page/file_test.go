package page

import (
	"net/http/httptest"
	"testing"
)

func TestAFileThatCompressionDoesNotMakeSmallerIsSentAsItIs(t *testing.T) {
	f := NewFile("text/plain", "no-cache", []byte("short"))
	for range 2 {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Encoding", "gzip")
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		if w.Header().Get("Content-Encoding") != "" || w.Body.String() != "short" || w.Header().Get("Content-Length") != "5" {
			t.Errorf("got %v %q", w.Header(), w.Body)
		}
	}
}
