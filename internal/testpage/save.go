package testpage

import (
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/web"
)

// sentAnswer is one answer as the script of the pages sends it.
type sentAnswer struct {
	Number   int   `json:"n"`       // of the item, from 1
	Value    int   `json:"value"`   // on the answer scale, or leftOut
	Was      []int `json:"was"`     // what the saved answer may be as far as the browser knows, 0 for none
	ActiveMS int   `json:"ms"`      // how long the item was looked at so far
	Changes  int   `json:"changes"` // how often the answer was changed so far
	AgeMS    int64 `json:"age"`     // how long ago the answer was chosen
}

// leftOut is the value of an item that the candidate would rather not answer.
const leftOut = -1

// savedAnswers is the answer to that.
type savedAnswers struct {
	Answers  []int `json:"answers"`            // what is saved now, for all items in order
	Outdated []int `json:"outdated,omitempty"` // numbers of the sent items that have been answered elsewhere since
}

// save stores answers from the script, any number of them, and says what is saved
// afterwards. Without answers it only says that. Sending the same again changes
// nothing, and of two answers to one item the newer one stands: assess.Answer.
//
// Invalid if one of them is no answer, or is for an item that may not be answered yet:
// then none is saved. Conflict if the test has not begun, was declined or is finished;
// Gone if the invitation has run out or was withdrawn; NotFound for an unknown link.
func (f *face) save(w http.ResponseWriter, r *http.Request) error {
	sent, err := readAnswers(w, r)
	if err != nil {
		return err
	}
	v, err := f.visit(r)
	if err == nil {
		err = assess.Working(v.Stand)
	}
	if err != nil {
		return err
	}
	given, err := v.given(sent)
	if err != nil {
		return err
	}
	if len(given) > 0 {
		if v.Test, err = f.steps.Answer(r.Context(), v.token, given); err != nil {
			return err
		}
		if err := assess.Working(v.Stand); err != nil {
			return err // handed in elsewhere in this very moment
		}
	}
	return answerJSON(w, http.StatusOK, savedAnswers{Answers: values(v.Sheet), Outdated: numbers(v.Outdated)})
}

func readAnswers(w http.ResponseWriter, r *http.Request) ([]sentAnswer, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, &web.StatusError{Status: http.StatusUnsupportedMediaType, Msg: "send application/json"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, &web.StatusError{Status: http.StatusRequestEntityTooLarge, Msg: "send fewer answers at once"}
	}
	var sent struct {
		Answers []sentAnswer `json:"answers"`
	}
	if err == nil {
		err = json.Unmarshal(body, &sent)
	}
	if err != nil {
		return nil, typus.Errorf(typus.Invalid, "the answers cannot be read").WithCause(err)
	}
	return sent.Answers, nil
}

// given reads the sent answers as answers to the items of the test.
func (v visit) given(sent []sentAnswer) ([]assess.Given, error) {
	given := make([]assess.Given, 0, len(sent))
	for _, a := range sent {
		if a.Number < 1 || a.Number > len(v.items()) || a.Value == 0 || a.Value < leftOut || a.Value > v.Instrument.Points() || a.Changes < 0 {
			return nil, typus.Errorf(typus.Invalid, "there is no such answer")
		}
		g := assess.Given{
			ItemID: v.items()[a.Number-1].ID, Value: a.Value, ActiveMS: bounded(a.ActiveMS), Changes: a.Changes, Age: a.age(), Knew: a.knew,
		}
		if a.Value == leftOut {
			g.Value, g.Skip = 0, true
		}
		given = append(given, g)
	}
	return given, nil
}

// age is how long ago the answer was chosen. No clock is trusted with the future.
func (a sentAnswer) age() time.Duration {
	return time.Duration(min(max(a.AgeMS, 0), int64(math.MaxInt64/time.Millisecond))) * time.Millisecond
}

// knew reports whether a saved answer is one that this browser gave or knew. It may name
// several: if a reply was lost, it cannot tell which of its answers was saved.
func (a sentAnswer) knew(saved instrument.Answer) bool { return slices.Contains(a.Was, value(saved)) }

// bounded limits a measured time to what counts as looking at one statement, with a
// script as without. 0 stays 0: the browser could not measure the time.
func bounded(ms int) int {
	return min(max(ms, 0), int(maxActive.Milliseconds()))
}

// value is an answer as one number: 0 for none yet, leftOut, or its place on the scale.
func value(a instrument.Answer) int {
	if a.Skipped {
		return leftOut
	}
	return a.Value
}

func values(sheet instrument.Sheet) []int {
	all := make([]int, len(sheet.Answers))
	for i, a := range sheet.Answers {
		all[i] = value(a)
	}
	return all
}

func numbers(positions []int) []int {
	var all []int
	for _, p := range positions {
		all = append(all, p+1)
	}
	return all
}

// forScript answers in a few bytes of JSON, errors too: nobody reads a page there.
func forScript(h web.HandlerFunc) web.HandlerFunc {
	small := web.Answer(func(w http.ResponseWriter, _ *http.Request, err error) {
		status := web.Status(err)
		if err := answerJSON(w, status, map[string]string{"error": http.StatusText(status)}); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}, h)
	return func(w http.ResponseWriter, r *http.Request) error {
		small.ServeHTTP(w, r)
		return nil
	}
}

func answerJSON(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Security-Policy", web.DataPolicy)
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a reader who has gone is no fault
	return nil
}
