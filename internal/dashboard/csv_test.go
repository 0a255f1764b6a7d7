package dashboard

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"typus"
)

// reader takes an answer as a connection would, and notes until when it may.
type reader struct {
	*httptest.ResponseRecorder
	until []time.Time
	gone  bool
}

func (r *reader) SetWriteDeadline(t time.Time) error {
	r.until = append(r.until, t)
	return nil
}

func (r *reader) Write(p []byte) (int, error) {
	if r.gone {
		return 0, errors.New("connection reset by peer")
	}
	return r.ResponseRecorder.Write(p)
}

// A file may take longer than the minute that a server gives to any answer, but no
// batch of it may.
func TestEveryBatchOfAFileHasItsOwnTime(t *testing.T) {
	r := &reader{ResponseRecorder: httptest.NewRecorder()}
	out := newCSV(r, "personen.csv", "de")
	for range 3 {
		before := time.Now()
		out.Row("Kim Beispiel", "=1+1")
		if err := out.send(); err != nil {
			t.Fatal(err)
		}
		if last := r.until[len(r.until)-1]; last.Before(before.Add(exportWithin)) {
			t.Errorf("a batch begun at %v may be sent until %v", before, last)
		}
	}
	if len(r.until) != 4 {
		t.Errorf("%d times for a beginning and three batches", len(r.until))
	}
	if got := r.Body.String(); got != "\ufeff"+strings.Repeat("Kim Beispiel;'=1+1\r\n", 3) {
		t.Errorf("%q", got)
	}
	r.gone = true
	out.Row("Kim Beispiel")
	if err := out.send(); typus.KindOf(err) != typus.Unavailable {
		t.Errorf("a reader who has gone: %v", err)
	}
}
