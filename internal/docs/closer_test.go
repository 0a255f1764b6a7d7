package docs_test

import (
	"flag"
	"os"
	"regexp"
	"testing"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/store/storetest"
	"typus/internal/worldtest"
)

var update = flag.Bool("update", false, "write the published body anew")

// closerAnswers are the golden answers of the closer, in the order of the items.
func closerAnswers(t *testing.T) []assess.Given {
	t.Helper()
	source, err := os.ReadFile("../instrument/testdata/golden_vectors_2.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Order   []string `json:"order"`
		Vectors []struct {
			Name    string `json:"name"`
			Answers []int  `json:"answers"`
		} `json:"vectors"`
	}
	if err := json.Unmarshal(source, &file); err != nil {
		t.Fatal(err)
	}
	var given []assess.Given
	for _, v := range file.Vectors {
		if v.Name != "G16_proto_closer" {
			continue
		}
		for i, id := range file.Order {
			given = append(given, assess.Given{ItemID: id, Value: v.Answers[i], ActiveMS: 5000})
		}
	}
	if len(given) != len(instrument.Own().Items()) {
		t.Fatalf("the closer gives %d answers", len(given))
	}
	return given
}

// neutral is a body without what differs each time: ids and times.
func neutral(body []byte) string {
	body = regexp.MustCompile(`[0-9]{15}`).ReplaceAll(body, []byte("100000000000001"))
	return string(regexp.MustCompile(`"timestamp":"[^"]*"`).ReplaceAll(body, []byte(`"timestamp":"2026-11-27T10:01:00.000Z"`)))
}

// The body that a connection in test mode is compared with is the one that the product makes
// of these answers.
func TestThePublishedBodyIsThatOfTheCloser(t *testing.T) {
	w := worldtest.New(t, storetest.OpenSQLite(t), worldtest.Options{})
	invited, _, err := w.Assess.Invite(w.Ctx, w.Account, assess.Invitation{Name: "Jana Öztürk", Email: "finish+closer@example.com", ExternalID: "crm-42"}, nil)
	w.Must(err)
	w.Must(w.Assess.FinishFor(w.Ctx, w.Account, invited.Candidate.ID, closerAnswers(t), "operator"))
	event, err := w.Store.EventOf(w.Ctx, w.Account, invited.Candidate.ID, typus.EventCandidateCompleted)
	w.Must(err)
	const file = "samples/closer.json"
	if *update {
		w.Must(os.WriteFile(file, []byte(neutral(event.Payload)), 0o644))
	}
	published, err := os.ReadFile(file)
	if err != nil || neutral(event.Payload) != string(published) {
		t.Errorf("%v; the body is\n%s\nand %s says\n%s", err, event.Payload, file, published)
	}
}
