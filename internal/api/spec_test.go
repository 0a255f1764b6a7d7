package api_test

import (
	"bytes"
	"io"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/goccy/go-yaml"
	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	"github.com/pb33f/libopenapi-validator/schema_validation"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"
	"github.com/pb33f/libopenapi/orderedmap"

	"typus"
	"typus/internal/api"
	"typus/internal/store/storetest"
)

func openAPI(t *testing.T) (libopenapi.Document, *v3.Document) {
	t.Helper()
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := libopenapi.NewDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	model, err := doc.BuildV3Model()
	if err != nil {
		t.Fatal(err)
	}
	return doc, &model.Model
}

func TestTheDescriptionIsValidOpenAPI(t *testing.T) {
	doc, _ := openAPI(t)
	v, errs := validator.NewValidator(doc)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if ok, faults := v.ValidateDocument(); !ok {
		for _, f := range faults {
			t.Errorf("%s: %s %v", f.Message, f.Reason, f.SchemaValidationErrors)
		}
	}
}

func TestTheDescriptionIsServedWithoutAKeyAndWithTheOwnAddress(t *testing.T) {
	w := newWorld(t)
	asYAML := w.doWith(w.plain, call{path: "/api/openapi.yaml", key: "-"})
	asJSON := w.doWith(w.plain, call{path: "/api/openapi.json", key: "-"})
	if asYAML.status != 200 || asYAML.header.Get("Content-Type") != "application/yaml" || asJSON.status != 200 || asJSON.header.Get("Content-Type") != "application/json" {
		t.Fatalf("got %d %s and %d %s", asYAML.status, asYAML.header.Get("Content-Type"), asJSON.status, asJSON.header.Get("Content-Type"))
	}
	var fromYAML, fromJSON any
	if err := yaml.Unmarshal([]byte(asYAML.body), &fromYAML); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(asJSON.body), &fromJSON); err != nil {
		t.Fatal(err)
	}
	a, err := json.Marshal(fromYAML, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(fromJSON, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Error("the two forms differ")
	}
}

func TestTheDescriptionNamesTheServersOwnAddress(t *testing.T) {
	server := httptest.NewServer(api.New(api.Options{Store: storetest.OpenSQLite(t), BaseURL: "https://own.example.net"}))
	defer server.Close()
	for _, form := range []string{"yaml", "json"} {
		resp, err := server.Client().Get(server.URL + "/api/openapi." + form)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(body, []byte("typus.example.com")) || !bytes.Contains(body, []byte("https://own.example.net")) {
			t.Errorf("%s names another address than the server's", form)
		}
	}
}

// contents visits every body that the description shows, of paths, webhooks
// and shared answers.
func contents(model *v3.Document, visit func(where string, m *v3.MediaType)) {
	each := func(where string, content *orderedmap.Map[string, *v3.MediaType]) {
		for mediaType, m := range content.FromOldest() {
			visit(where+" "+mediaType, m)
		}
	}
	operations := func(where string, item *v3.PathItem) {
		for method, op := range item.GetOperations().FromOldest() {
			if op.RequestBody != nil {
				each(where+" "+method, op.RequestBody.Content)
			}
			for status, r := range op.Responses.Codes.FromOldest() {
				each(where+" "+method+" "+status, r.Content)
			}
		}
	}
	for path, item := range model.Paths.PathItems.FromOldest() {
		operations(path, item)
	}
	for name, item := range model.Webhooks.FromOldest() {
		operations(name, item)
	}
	for name, r := range model.Components.Responses.FromOldest() {
		each(name, r.Content)
	}
}

func TestEveryExampleIsWhatItsSchemaSays(t *testing.T) {
	_, model := openAPI(t)
	v := schema_validation.NewSchemaValidator(config.WithFormatAssertions())
	shown := 0
	check := func(where string, m *v3.MediaType, node interface{ Decode(any) error }) {
		var example any
		if err := node.Decode(&example); err != nil {
			t.Errorf("%s: %v", where, err)
			return
		}
		text, err := json.Marshal(example)
		if err != nil {
			t.Errorf("%s: %v", where, err)
			return
		}
		shown++
		if ok, faults := v.ValidateSchemaBytes(m.Schema.Schema(), text); !ok {
			t.Errorf("%s: %v\n%s", where, faults[0].SchemaValidationErrors, text)
		}
	}
	contents(model, func(where string, m *v3.MediaType) {
		if m.Example != nil {
			check(where, m, m.Example)
		}
		for name, e := range m.Examples.FromOldest() {
			check(where+" "+name, m, e.Value)
		}
		if m.Example == nil && m.Examples.Len() == 0 && !strings.HasSuffix(where, "application/problem+json") {
			t.Errorf("%s has no example", where)
		}
	})
	if shown < 20 {
		t.Errorf("only %d examples were found", shown)
	}
}

// enum reads the allowed values at a place of the schemas.
func enum(t *testing.T, model *v3.Document, path ...string) []string {
	t.Helper()
	schema := model.Components.Schemas.GetOrZero(path[0]).Schema()
	for _, name := range path[1:] {
		if schema.Items != nil {
			schema = schema.Items.A.Schema()
		}
		schema = schema.Properties.GetOrZero(name).Schema()
	}
	var values []string
	for _, node := range schema.Enum {
		values = append(values, node.Value)
	}
	return values
}

func TestTheFrozenKeysAreThoseOfTheTest(t *testing.T) {
	w := newWorld(t)
	w.finish(w.invite(`{` + person + `,"external_id":"x"}`).CandidateToken)
	found, err := w.Store.Candidate(t.Context(), w.Account, 100000000000001)
	if err != nil {
		t.Fatal(err)
	}
	_, model := openAPI(t)
	dimensions := enum(t, model, "DimensionScores", "key")
	for i, d := range found.Scores.Dimensions {
		if dimensions[i] != d.Key {
			t.Errorf("dimension %d is %s in the description and %s in the test", i, dimensions[i], d.Key)
		}
	}
	if !slices.Contains(enum(t, model, "ArchetypeKey"), found.Scores.Persona.Key) || !slices.Contains(enum(t, model, "Fit", "key"), found.Scores.Fit.Key) {
		t.Errorf("the description lacks %s or %s", found.Scores.Persona.Key, found.Scores.Fit.Key)
	}
	if got := enum(t, model, "Status"); !slices.Equal(got, []string{string(typus.StatusOpen), string(typus.StatusStarted), string(typus.StatusFinished)}) {
		t.Errorf("statuses are %v", got)
	}
}

func TestThePayloadIsWhatTheDescriptionSays(t *testing.T) {
	w := newWorld(t)
	for _, externalID := range []string{`"crm-42"`, "null"} {
		w.finish(w.invite(`{` + person + `,"external_id":` + externalID + `}`).CandidateToken)
	}
	_, model := openAPI(t)
	schema := model.Webhooks.GetOrZero("candidate.completed").Post.RequestBody.Content.GetOrZero("application/json").Schema.Schema()
	v := schema_validation.NewSchemaValidator(config.WithFormatAssertions())
	for id := int64(100000000000001); id <= 100000000000002; id++ {
		event, err := w.Store.EventOf(t.Context(), w.Account, id, typus.EventCandidateCompleted)
		if err != nil {
			t.Fatal(err)
		}
		if ok, faults := v.ValidateSchemaBytes(schema, event.Payload); !ok {
			t.Errorf("%v\n%s", faults[0].SchemaValidationErrors, event.Payload)
		}
	}
}

// Tools such as Postman fill in the example of every parameter and send them all.
func TestEveryParameterHasAnExampleThatTheServerTakes(t *testing.T) {
	w := newWorld(t)
	w.position(typus.Position{Name: "Vertrieb Süd", Ref: "job-7"})
	body := `{` + person + `,"external_id":"crm-42","position":"job-7"}`
	w.invite(body)
	_, testKey := w.testWorld()
	_, model := openAPI(t)
	v := schema_validation.NewSchemaValidator(config.WithFormatAssertions())
	for path, item := range model.Paths.PathItems.FromOldest() {
		for method, op := range item.GetOperations().FromOldest() {
			sent := call{method: strings.ToUpper(method), path: path}
			query := url.Values{}
			for _, p := range op.Parameters {
				value := exampleOf(t, v, p)
				switch p.In {
				case "path":
					sent.path = strings.ReplaceAll(sent.path, "{"+p.Name+"}", value)
				case "query":
					query.Set(p.Name, value)
				case "header":
					sent.header = append(sent.header, p.Name, value)
				}
			}
			switch {
			case strings.HasPrefix(path, "/api/test/") && method != "get", strings.HasPrefix(path, "/api/test/clock/"), path == "/api/test/events":
				continue
			case strings.HasPrefix(path, "/api/test/"):
				sent.key, sent.body = testKey, exampleBody(t, op)
			case op.RequestBody != nil:
				sent.body = body
			}
			sent.path += "?" + query.Encode()
			if r := w.do(sent); r.status != 200 {
				t.Errorf("%s %s: %d %s", sent.method, sent.path, r.status, r.body)
			}
		}
	}
	for _, p := range model.Webhooks.GetOrZero("candidate.completed").Post.Parameters {
		exampleOf(t, v, p)
	}
}

// exampleBody is the example of a body, "" without one.
func exampleBody(t *testing.T, op *v3.Operation) string {
	t.Helper()
	if op.RequestBody == nil {
		return ""
	}
	var example any
	if err := op.RequestBody.Content.GetOrZero("application/json").Example.Decode(&example); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(example)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// exampleOf is the example of a parameter as it is typed into an address or a header.
func exampleOf(t *testing.T, v schema_validation.SchemaValidator, p *v3.Parameter) string {
	t.Helper()
	if p.Example == nil {
		t.Errorf("%s %s has no example", p.In, p.Name)
		return ""
	}
	var example any
	if err := p.Example.Decode(&example); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(example)
	if err != nil {
		t.Fatal(err)
	}
	if ok, faults := v.ValidateSchemaBytes(p.Schema.Schema(), text); !ok {
		t.Errorf("the example of %s is not what its schema says: %v", p.Name, faults[0].SchemaValidationErrors)
	}
	return p.Example.Value
}
