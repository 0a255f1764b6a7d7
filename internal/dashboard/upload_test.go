package dashboard

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"os"
	"testing"
)

// A large upload goes through a file, and none may stay behind.
func TestNoUploadStaysBehind(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	w := newWorld(t)
	for _, size := range []int{4 << 20, 9 << 20} { // within what an import takes, and beyond
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		part, err := form.CreateFormFile("file", "list.csv")
		w.Must(err)
		_, err = part.Write(bytes.Repeat([]byte("x"), size))
		w.Must(err)
		w.Must(form.Close())
		r, err := http.NewRequestWithContext(t.Context(), "POST", w.server.URL+"/dashboard/import", &body)
		w.Must(err)
		r.Header.Set("Content-Type", form.FormDataContentType())
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		if a := w.as(member).send(r); a.StatusCode < 400 {
			t.Errorf("%d bytes are answered %s", size, a.Status)
		}
	}
	w.server.Close() // which waits for what the handlers do after they have answered
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
