package webhook

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"typus"
)

const (
	vectorBody = `{"event":"candidate.completed","data":{"candidate":{"id":42,"name":"Jürgen Müller & Söhne <b>","email":"j.mueller@example.com","external_id":"CRM-7"},"scores":{"overall":81,"fit":{"key":"A","label":"Sehr gute Passung"},"archetype":{"key":"hunter","name":"Der Jäger","subtitle":"😀"},"dimensionScores":[{"key":"drive","name":"Antrieb","score":88}],"warnings":[]},"reportUrl":"https://app.example.com/dashboard/kandidat/42"},"timestamp":"2026-01-02T03:04:05.678Z"}`
	vectorSHA  = "e65526f5ce90975bf9a283df0fa8f89de29b4ff44b6befabd281fc057b1d071c"
	reportURL  = "https://app.example.com/dashboard/kandidat/42"
)

func vectorCandidate() (typus.Candidate, typus.Scores, time.Time) {
	c := typus.Candidate{ID: 42, Name: "Jürgen Müller & Söhne <b>", Email: "j.mueller@example.com", ExternalID: "CRM-7"}
	s := typus.Scores{
		Overall:    81,
		Fit:        typus.Fit{Key: "A", Label: "Sehr gute Passung"},
		Persona:    typus.Persona{Key: "hunter", Name: "Der Jäger", Subtitle: "😀"},
		Dimensions: []typus.DimensionScore{{Key: "drive", Name: "Antrieb", Score: 88}},
	}
	// A zone with another offset, and more digits than are reported.
	at := time.Date(2026, 1, 2, 4, 4, 5, 678_999_999, time.FixedZone("", 3600))
	return c, s, at
}

func mustPayload(t *testing.T, c typus.Candidate, s typus.Scores, at time.Time) []byte {
	t.Helper()
	body, err := Payload(c, s, reportURL, at)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func vectorPayload(t *testing.T) []byte {
	t.Helper()
	c, s, at := vectorCandidate()
	return mustPayload(t, c, s, at)
}

func TestThePayloadHasTheExactBytesOfTheVector(t *testing.T) {
	body := vectorPayload(t)
	if string(body) != vectorBody {
		t.Errorf("payload\n%s\nwant\n%s", body, vectorBody)
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != vectorSHA {
		t.Errorf("SHA-256 %x, want %s", sum, vectorSHA)
	}
}

func TestAbsentValuesAreNullAndEmptyLists(t *testing.T) {
	c, _, at := vectorCandidate()
	c.ExternalID = ""
	body := string(mustPayload(t, c, typus.Scores{}, at))
	for _, want := range []string{`"external_id":null`, `"warnings":[]`, `"dimensionScores":[]`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is missing in %s", want, body)
		}
	}
}

func TestAWarningHasItsKeySeverityAndMessage(t *testing.T) {
	c, s, at := vectorCandidate()
	s.Warnings = []typus.Warning{{Key: "fast", Severity: typus.SeverityNotice, Message: "Sehr schnell."}}
	const want = `"warnings":[{"key":"fast","severity":"notice","message":"Sehr schnell."}]`
	if body := mustPayload(t, c, s, at); !bytes.Contains(body, []byte(want)) {
		t.Errorf("%s is missing in %s", want, body)
	}
}

func TestWholeSecondsKeepTheirMilliseconds(t *testing.T) {
	c, s, _ := vectorCandidate()
	body := mustPayload(t, c, s, time.Date(2026, 11, 27, 10, 20, 30, 0, time.UTC))
	if !bytes.Contains(body, []byte(`"timestamp":"2026-11-27T10:20:30.000Z"`)) {
		t.Errorf("the timestamp has not three decimals: %s", body)
	}
}

func TestTextThatIsNotUTF8IsRefused(t *testing.T) {
	c, s, at := vectorCandidate()
	c.Name = "J\xfcrgen"
	if body, err := Payload(c, s, reportURL, at); err == nil || typus.KindOf(err) != typus.Internal {
		t.Errorf("Payload = %s, %v; want an internal error", body, err)
	}
}

func TestTheLargestLegalCandidateStaysBelow20KiB(t *testing.T) {
	c, s, at := largest()
	body := mustPayload(t, c, s, at)
	if len(body) >= 20<<10 {
		t.Errorf("%d bytes, want less than 20 KiB", len(body))
	}
	t.Logf("%d bytes", len(body))
}

func TestAnOversizedBodyIsRefused(t *testing.T) {
	c, s, at := largest()
	s.Persona.Subtitle = strings.Repeat("x", MaxPayload)
	if _, err := Payload(c, s, reportURL, at); err == nil {
		t.Error("a body above the cap passed")
	}
}

// largest is every field of the API at its limit in the longest characters,
// and all 14 warnings of the instrument with messages longer than any of its.
func largest() (typus.Candidate, typus.Scores, time.Time) {
	c := typus.Candidate{
		ID: 9007199254740991, Name: strings.Repeat("😀", 200),
		Email: strings.Repeat("x", 242) + "@example.com", ExternalID: strings.Repeat("😀", 255),
	}
	s := typus.Scores{Overall: 100, Fit: typus.Fit{Key: "A", Label: strings.Repeat("ü", 60)},
		Persona: typus.Persona{Key: strings.Repeat("k", 40), Name: strings.Repeat("ü", 60), Subtitle: strings.Repeat("ü", 120)}}
	for range 9 {
		s.Dimensions = append(s.Dimensions, typus.DimensionScore{Key: strings.Repeat("k", 40), Name: strings.Repeat("ü", 60), Score: 100})
	}
	for range 14 {
		s.Warnings = append(s.Warnings, typus.Warning{Key: strings.Repeat("k", 40), Severity: typus.SeverityCaution, Message: strings.Repeat("ü", 400)})
	}
	return c, s, time.UnixMilli(0)
}

type nodeCase struct {
	Body      string `json:"body"`
	Secret    string `json:"secret"`
	ID        string `json:"id"`
	Timestamp int64  `json:"timestamp"`
	Seed      string `json:"seed"`
	Standard  string `json:"standard"`
}

func nodeCaseOf(t *testing.T, body []byte) nodeCase {
	t.Helper()
	standard, err := SignStandard(vectorSecret, vectorID, vectorTime, body)
	if err != nil {
		t.Fatal(err)
	}
	return nodeCase{string(body), vectorSecret, vectorID, vectorTime, Sign(vectorSecret, body), standard}
}

func TestAReceiverInNodeGetsTheSameBytesAndBothSignatures(t *testing.T) {
	if testing.Short() {
		t.Skip("Node.js: not with -short")
	}
	cases := []nodeCase{nodeCaseOf(t, vectorPayload(t))}
	for _, name := range hostileNames() {
		c, s, at := largest()
		c.Name, c.ExternalID, s.Persona.Subtitle = name, name, name
		cases = append(cases, nodeCaseOf(t, mustPayload(t, c, s, at)))
	}
	input, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "testdata/receiver.mjs")
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("node is needed for this test: %v\n%s", err, out)
	}
	if string(out) != "checked\n" {
		t.Errorf("the receiver says:\n%s", out)
	}
}

// hostileNames hold every character of the Basic Multilingual Plane that a
// JSON writer may treat specially, among them some that the API refuses.
func hostileNames() []string {
	names := []string{
		"Zoë Öztürk-Straße", "O'Neill & Töchter <script>alert(\"x\")</script>", `back\slash "quote" /slash/`,
		"😀👩‍👩‍👧🏳️‍🌈", "a\u0301 (decomposed) \u202e bidi", "line\u2028and\u2029paragraph", "\u007f\u0080\u009f\ufeff\ufffd\uffff",
		"😀" + string(rune(0x10ffff)),
	}
	var controls strings.Builder
	for r := range rune(0x20) {
		controls.WriteRune(r)
	}
	names = append(names, controls.String())
	for block := rune(0); block < 0x1100; block += 0x100 {
		var all strings.Builder
		for r := range rune(0x100) {
			fmt.Fprintf(&all, "%c", block+r)
		}
		names = append(names, all.String())
	}
	return names
}
