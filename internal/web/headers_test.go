package web_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"typus/internal/web"
)

func TestSecurityHeadersAreTheGoldenOnes(t *testing.T) {
	for file, https := range map[string]bool{"testdata/headers_http.golden": false, "testdata/headers_https.golden": true} {
		w := httptest.NewRecorder()
		web.SecurityHeaders(https, http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		w.Header().Del("Content-Type")
		var got bytes.Buffer
		w.Header().Write(&got)
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if clean := bytes.ReplaceAll(got.Bytes(), []byte("\r"), nil); !bytes.Equal(clean, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", file, clean, want)
		}
	}
}
