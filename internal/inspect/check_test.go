package inspect_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"typus/internal/inspect"
	"typus/internal/porttest"
	"typus/internal/webhook"
)

// verdicts try a receiver, and write for each delivery + or -.
func verdicts(t *testing.T, h http.HandlerFunc) (string, []inspect.Trial) {
	t.Helper()
	r := httptest.NewServer(h)
	defer r.Close()
	trials, err := inspect.Check(t.Context(), inspect.Receiver{URL: r.URL + "/hook", Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, trial := range trials {
		b.WriteByte(map[bool]byte{true: '+', false: '-'}[trial.OK])
	}
	return b.String(), trials
}

func TestARightReceiverPassesAllElevenDeliveries(t *testing.T) {
	ids := map[string]int{}
	connections := map[string]int{}
	got, trials := verdicts(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
		if err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		if webhook.VerifyStandard(secret, r.Header, body, time.Now()) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		ids[r.Header.Get("Webhook-Id")]++
		connections[r.RemoteAddr]++
		w.WriteHeader(http.StatusNoContent)
	})
	if got != "+++++++++++" {
		t.Errorf("%s\n%+v", got, trials)
	}
	twice := 0
	for _, n := range ids {
		twice += n - 1
	}
	if twice != 1 || len(connections) != 1 {
		t.Errorf("%d ids came again, over %d connections", twice, len(connections))
	}
}

func TestAWrongReceiverIsToldWhereItIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		want   string
		handle http.HandlerFunc
	}{
		"takes everything": {"+--++++++++", func(http.ResponseWriter, *http.Request) {}},
		"takes nothing":    {"-++--------", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }},
		"fails":            {"-----------", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }},
		"writes the JSON anew, and does not know the second secret": {"++-+-+++-++", func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			body = []byte(strings.NewReplacer("&", `\u0026`, "<", `\u003c`, ">", `\u003e`).Replace(string(body)))
			if !webhook.Verify(secret, r.Header.Get("X-Service-Signature"), body) {
				w.WriteHeader(http.StatusUnauthorized)
			}
		}},
		"is strict, and reads little": {"++-++---+++", func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			var event struct {
				Event, Timestamp string
				Test             bool
				Data             struct {
					Candidate struct {
						ID          int64
						Name, Email string
						ExternalID  any `json:"external_id"`
					}
					Scores    any
					ReportURL string `json:"reportUrl"`
				}
			}
			err := json.Unmarshal(body, &event, json.RejectUnknownMembers(true), json.MatchCaseInsensitiveNames(true))
			right := webhook.Verify(secret, r.Header.Get("X-Service-Signature"), body) || webhook.Verify(secret, r.Header.Get("X-Service-Signature-Alt"), body)
			if err != nil || event.Data.Candidate.ExternalID == nil || !right {
				w.WriteHeader(http.StatusBadRequest)
			}
		}},
	} {
		if got, trials := verdicts(t, c.handle); got != c.want {
			t.Errorf("%s: %s, want %s\n%+v", name, got, c.want, trials)
		}
	}
}

func TestWhatIsNoReceiverIsRefused(t *testing.T) {
	for _, r := range []inspect.Receiver{{URL: "http://127.0.0.1:9000/", Secret: "x!"}, {URL: "ftp://x", Secret: secret}, {URL: "", Secret: secret}} {
		if trials, err := inspect.Check(t.Context(), r); err == nil {
			t.Errorf("%+v: %+v", r, trials)
		}
	}
	trials, err := inspect.Check(t.Context(), inspect.Receiver{URL: "http://" + porttest.Free(t), Secret: secret})
	if err != nil || len(trials) != 11 || trials[0].OK || trials[0].Answer != webhook.CodeRefused {
		t.Errorf("%+v, %v", trials, err)
	}
}
