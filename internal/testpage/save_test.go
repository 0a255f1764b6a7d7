package testpage

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/instrument"
	"typus/internal/store"
)

// send posts what the script would and returns the status and the saved answers.
func (w *world) send(token, body string, header ...string) (int, []int) {
	w.Helper()
	status, answer := w.post(token, body, header...)
	var saved savedAnswers
	if status == http.StatusOK {
		w.Must(json.Unmarshal(answer, &saved))
	}
	return status, saved.Answers
}

func (w *world) post(token, body string, header ...string) (int, []byte) {
	w.Helper()
	req, err := http.NewRequest("POST", w.server.URL+"/t/"+token+"/antworten", strings.NewReader(body))
	w.Must(err)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	w.Must(err)
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	w.Must(err)
	// What another site sends is refused with a page, before anybody looks at the address.
	if res.StatusCode != http.StatusForbidden && (len(answer) > 512 || !json.Valid(answer)) {
		w.Errorf("%d: an answer of %d bytes: %.80s", res.StatusCode, len(answer), answer)
	}
	return res.StatusCode, answer
}

func TestSentAnswersAreSavedWithTheirTimesAndChanges(t *testing.T) {
	w := newWorld(t)
	out := w.begun("de")
	w.Later(time.Minute)
	const first = `{"answers":[{"n":2,"value":-1,"was":[0],"ms":900,"changes":0,"age":5},{"n":1,"value":3,"was":[0],"ms":4200,"changes":1,"age":9000}]}`
	for range 3 { // a request that was lost on its way back comes again
		status, saved := w.send(out.Token, first)
		if status != 200 || len(saved) != 97 || saved[0] != 3 || saved[1] != leftOut || saved[2] != 0 {
			t.Fatalf("%d %v", status, saved)
		}
	}
	want := []instrument.Answer{{Value: 3, ActiveMS: 4200, Changes: 1}, {Skipped: true, ActiveMS: 900}, {}}
	if got := w.test(out.Token).Sheet.Answers[:3]; !reflect.DeepEqual(got, want) {
		t.Errorf("saved %+v", got)
	}
	w.send(out.Token, `{"answers":[{"n":1,"value":6,"was":[3],"ms":9999999,"changes":2,"age":0},{"n":3,"value":1,"ms":-5}]}`)
	want = []instrument.Answer{{Value: 6, ActiveMS: int(maxActive.Milliseconds()), Changes: 2}, want[1], {Value: 1}}
	if got := w.test(out.Token).Sheet.Answers[:3]; !reflect.DeepEqual(got, want) {
		t.Errorf("saved %+v", got)
	}
}

func TestAskingWhatIsSavedSavesNothing(t *testing.T) {
	w := newWorld(t)
	out := w.begun("de")
	w.answer(out.Token, 0, 3)
	before := w.test(out.Token)
	w.Later(20 * time.Minute)
	for _, body := range []string{`{"answers":[]}`, `{}`} {
		if status, saved := w.send(out.Token, body); status != 200 || saved[2] != 4 || saved[3] != 0 {
			t.Errorf("%d %v", status, saved)
		}
	}
	if after := w.test(out.Token); !reflect.DeepEqual(before, after) {
		t.Errorf("%+v became %+v", before, after)
	}
}

// TestTheLaterAnswerWins lets an answer wait on one device while another device
// answers, or not, before it arrives. What else that device saves meanwhile says nothing.
func TestTheLaterAnswerWins(t *testing.T) {
	const waited = 10 * time.Minute
	for name, tc := range map[string]struct {
		elsewhere time.Duration // when, from the start; 0: never
		was       []int
		want      int
		outdated  bool
	}{
		"nothing happened elsewhere":              {0, []int{4}, 2, false},
		"answered elsewhere before":               {time.Minute, []int{4}, 2, false},
		"answered elsewhere before, unseen here":  {time.Minute, []int{0}, 2, false},
		"answered elsewhere since":                {12 * time.Minute, []int{4}, 6, true},
		"answered elsewhere since, and seen here": {12 * time.Minute, []int{6}, 2, false},
		"saved from here, and the reply was lost": {12 * time.Minute, []int{4, 6}, 2, false},
		"answered elsewhere after several here":   {12 * time.Minute, []int{4, 0, 3}, 6, true},
		"answered here without a word on before":  {12 * time.Minute, nil, 6, true},
	} {
		w := newWorld(t)
		out := w.begun("de")
		w.answer(out.Token, 0, 1) // with 4
		w.Later(tc.elsewhere)
		if tc.elsewhere > 0 {
			w.send(out.Token, `{"answers":[{"n":1,"value":6,"was":[4]}]}`)
		}
		w.Later(13*time.Minute - tc.elsewhere)
		w.send(out.Token, `{"answers":[{"n":2,"value":6,"was":[0]}]}`)
		w.Later(2 * time.Minute)
		was, err := json.Marshal(tc.was)
		w.Must(err)
		body := fmt.Sprintf(`{"answers":[{"n":1,"value":2,"was":%s,"age":%d}]}`, was, waited.Milliseconds())
		if status, saved := w.send(out.Token, body); status != 200 || saved[0] != tc.want {
			t.Errorf("%s: %d, saved %v, not %d", name, status, saved[0], tc.want)
		}
		if outdated := w.outdated(out.Token, body); (outdated == 1) != tc.outdated { // sent again: the reply was lost
			t.Errorf("%s: said to be outdated: %d", name, outdated)
		}
	}
}

// outdated sends one answer and returns the number of the item that is said to have been
// answered elsewhere since, 0 for none.
func (w *world) outdated(token, body string) int {
	w.Helper()
	var saved savedAnswers
	_, answer := w.post(token, body)
	w.Must(json.Unmarshal(answer, &saved))
	if len(saved.Outdated) != 1 {
		return 0
	}
	return saved.Outdated[0]
}

// The age that a browser tells may be anything: it never makes an answer newer than now.
func TestAnAbsurdAgeIsOldAndNotNew(t *testing.T) {
	w := newWorld(t)
	out := w.begun("de")
	w.Later(time.Minute)
	w.send(out.Token, `{"answers":[{"n":1,"value":6,"was":[0]}]}`)
	for _, age := range []string{"9223372036854775807", "9223372036855", "18446744073710"} {
		if status, saved := w.send(out.Token, `{"answers":[{"n":1,"value":2,"was":[0],"age":`+age+`}]}`); status != 200 || saved[0] != 6 {
			t.Errorf("%s: %d, saved %d", age, status, saved[0])
		}
	}
}

func TestHostileAnswersAreRefusedAndChangeNothing(t *testing.T) {
	w := newWorld(t)
	out := w.begun("de")
	w.answer(out.Token, 0, 3)
	before := w.test(out.Token)
	for body, want := range map[string]int{
		"":                        400,
		"null, or so":             400,
		"[]":                      400,
		`{"answers":{"n":1}}`:     400,
		`{"answers":[{"n":"1"}]}`: 400,
		`{"answers":[{"n":1}]}`:   400,
		`{"answers":[{"n":1,"value":1,"was":"4"}]}`:                                 400,
		`{"answers":[{"n":0,"value":1}]}`:                                           400,
		`{"answers":[{"n":98,"value":1}]}`:                                          400,
		`{"answers":[{"n":-1,"value":1}]}`:                                          400,
		`{"answers":[{"n":1,"value":7}]}`:                                           400,
		`{"answers":[{"n":1,"value":-2}]}`:                                          400,
		`{"answers":[{"n":1,"value":1.5}]}`:                                         400,
		`{"answers":[{"n":1,"value":1e99}]}`:                                        400,
		`{"answers":[{"n":1,"value":1,"changes":-1}]}`:                              400,
		`{"answers":[{"n":1,"value":1,"ms":99999999999999999999}]}`:                 400,
		`{"answers":[{"n":1,"value":1},{"n":10,"value":1}]}`:                        400, // beyond the section in progress
		`{"answers":[{"n":1,"value":1,"n":2}]}`:                                     400,
		`{"answers":[{"n":1,"value":1}]}{}`:                                         400,
		strings.Repeat("[", 10_000):                                                 400,
		`{"answers":[{"n":1,"value":1}],"x":"` + strings.Repeat("x", 10<<20) + `"}`: 413,
	} {
		if status, _ := w.send(out.Token, body); status != want {
			t.Errorf("%.60s: %d", body, status)
		}
	}
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json2", ";"} {
		if status, _ := w.send(out.Token, `{"answers":[{"n":1,"value":1}]}`, "Content-Type", kind); status != 415 {
			t.Errorf("%q: %d", kind, status)
		}
	}
	for _, site := range []string{"cross-site", "same-site"} {
		if status, _ := w.send(out.Token, `{"answers":[{"n":1,"value":1}]}`, "Sec-Fetch-Site", site); status != 403 {
			t.Errorf("%s: %d", site, status)
		}
	}
	if after := w.test(out.Token); !reflect.DeepEqual(before, after) {
		t.Errorf("%+v became %+v", before, after)
	}
}

func TestAnswersToATestThatCannotBeWorkedOnChangeNothing(t *testing.T) {
	const one = `{"answers":[{"n":1,"value":1,"was":[4]}]}`
	for name, tc := range map[string]struct {
		end  func(w *world, token string, id int64)
		want int
	}{
		"finished": {func(w *world, token string, _ int64) { w.Must(w.Assess.Finish(w.Ctx, token)) }, 409},
		"declined": {func(w *world, token string, _ int64) { w.Must(w.Assess.Decline(w.Ctx, token)) }, 409},
		"withdrawn": {func(w *world, _ string, id int64) {
			w.Must(w.Assess.Cancel(w.Ctx, store.WholeAccount(w.Account), id, typus.Actor{Name: "x"}))
		}, 410},
		"expired": {func(w *world, _ string, _ int64) { w.Later(31 * 24 * time.Hour) }, 410},
	} {
		w := newWorld(t)
		out := w.begun("de")
		w.answer(out.Token, 0, len(w.Instrument.Items()))
		tc.end(w, out.Token, out.Candidate.ID)
		before := w.test(out.Token)
		for _, body := range []string{one, `{}`} {
			if status, _ := w.send(out.Token, body); status != tc.want {
				t.Errorf("%s: %d", name, status)
			}
		}
		if after := w.test(out.Token); !reflect.DeepEqual(before, after) {
			t.Errorf("%s: %+v became %+v", name, before, after)
		}
	}
	w := newWorld(t)
	open := w.invite("de")
	if status, _ := w.send(open.Token, one); status != 409 || w.test(open.Token).Candidate.Status != typus.StatusOpen {
		t.Errorf("not begun: %d", status)
	}
	if status, _ := w.send("unknown", one); status != 404 {
		t.Errorf("unknown: %d", status)
	}
}

// TestSavingAnAnswerIsLight counts the bytes of a whole answer, headers included.
func TestSavingAnAnswerIsLight(t *testing.T) {
	w := newWorld(t)
	out := w.begun("de")
	host := strings.TrimPrefix(w.server.URL, "http://")
	wire, err := net.Dial("tcp", host)
	w.Must(err)
	defer wire.Close()
	body := `{"answers":[{"n":1,"value":3,"was":[0],"ms":4200,"changes":0,"age":260}]}`
	fmt.Fprintf(wire, "POST /t/%s/antworten HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", out.Token, host, len(body), body)
	answer, err := io.ReadAll(wire)
	w.Must(err)
	if !strings.HasPrefix(string(answer), "HTTP/1.1 200") || len(answer) > 1<<10 {
		t.Errorf("%d bytes:\n%s", len(answer), answer)
	}
	t.Logf("%d bytes", len(answer))
}
