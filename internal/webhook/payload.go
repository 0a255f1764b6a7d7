// Package webhook builds the payload, signs it, makes the one POST behind a guard
// (against SSRF), and holds the ladder (retry back-off) and the verdict on an attempt
// (retry policy).
package webhook

import (
	"time"

	"github.com/go-json-experiment/json"

	"typus"
)

// MaxPayload is the longest body in bytes. Receivers commonly accept 20 KiB to 1 MiB at
// most; the largest legal candidate stays below 20 KiB.
const MaxPayload = 64 << 10

// The wire form of API description 2.5 and 2.4. The order of the fields is the order of
// the keys. We promise it, as we promise the names.
type payload struct {
	Event     string      `json:"event"`
	Data      payloadData `json:"data"`
	Timestamp string      `json:"timestamp"`
	Test      bool        `json:"test,omitzero"` // our addition, only there when true
}

type payloadData struct {
	Candidate payloadCandidate `json:"candidate"`
	Scores    payloadScores    `json:"scores"`
	ReportURL string           `json:"reportUrl"`
}

type payloadCandidate struct {
	ID         int64   `json:"id"`
	Name       string  `json:"name"`
	Email      string  `json:"email"`
	ExternalID *string `json:"external_id"`
}

type payloadScores struct {
	Overall    int                `json:"overall"`
	Fit        payloadFit         `json:"fit"`
	Persona    payloadArchetype   `json:"archetype"`
	Dimensions []payloadDimension `json:"dimensionScores"`
	Warnings   []payloadWarning   `json:"warnings"`
}

type payloadFit struct {
	Key   string `json:"key"`
	Label string `json:"label"`
}

type payloadArchetype struct {
	Key      string `json:"key"`
	Name     string `json:"name"`
	Subtitle string `json:"subtitle"`
}

type payloadDimension struct {
	Key   string `json:"key"`
	Name  string `json:"name"`
	Score int    `json:"score"`
}

type payloadWarning struct {
	Key      string         `json:"key"`
	Severity typus.Severity `json:"severity"`
	Message  string         `json:"message"`
}

// Payload is the body of candidate.completed (API description 2.5). It is built once;
// the same bytes are stored, sent and signed. They equal what JavaScript's
// JSON.stringify(JSON.parse(body)) gives: raw UTF-8, nothing escaped for HTML, no
// spaces, no trailing newline, lists never null. That helps receivers that re-serialise
// the body before they check the signature, which is the commonest mistake. An absent
// external_id is null (our choice: the API description does not show it). Internal when
// a text is not valid UTF-8 or the body exceeds MaxPayload.
func Payload(c typus.Candidate, s typus.Scores, reportURL string, at time.Time) ([]byte, error) {
	return encode(payload{
		Data:      payloadData{Candidate: candidateView(c), Scores: scoresView(s), ReportURL: reportURL},
		Timestamp: at.UTC().Format(timestampForm),
	})
}

// TestPayload is the body of a test event. It looks like any other body, is about
// TestCandidate, and has "test":true at its end. An empty external id is null.
func TestPayload(s typus.Scores, externalID, reportURL string, at time.Time) ([]byte, error) {
	c := TestCandidate
	c.ExternalID = externalID
	return encode(payload{
		Data:      payloadData{Candidate: candidateView(c), Scores: scoresView(s), ReportURL: reportURL},
		Timestamp: at.UTC().Format(timestampForm), Test: true,
	})
}

// TestCandidate is whom test events are about: a person who does not exist, whose id is 0.
var TestCandidate = typus.Candidate{Name: "Jana Beispiel", Email: "jana.beispiel@example.com", ExternalID: "TEST-1"}

const timestampForm = "2006-01-02T15:04:05.000Z"

func encode(p payload) ([]byte, error) {
	p.Event = typus.EventCandidateCompleted
	body, err := json.Marshal(p)
	if err != nil {
		return nil, typus.Errorf(typus.Internal, "the result could not be written as JSON").WithCause(err)
	}
	if len(body) > MaxPayload {
		return nil, typus.Errorf(typus.Internal, "the result has %d bytes as JSON; a webhook carries at most %d", len(body), MaxPayload)
	}
	return body, nil
}

func candidateView(c typus.Candidate) payloadCandidate {
	v := payloadCandidate{ID: c.ID, Name: c.Name, Email: c.Email}
	if c.ExternalID != "" {
		v.ExternalID = &c.ExternalID
	}
	return v
}

func scoresView(s typus.Scores) payloadScores {
	v := payloadScores{
		Overall: s.Overall,
		Fit:     payloadFit(s.Fit),
		Persona: payloadArchetype(s.Persona),
	}
	for _, d := range s.Dimensions {
		v.Dimensions = append(v.Dimensions, payloadDimension(d))
	}
	for _, w := range s.Warnings {
		v.Warnings = append(v.Warnings, payloadWarning(w))
	}
	return v
}
