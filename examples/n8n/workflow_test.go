package n8n_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// workflow is what n8n imports, as far as the tests look at it.
type workflow struct {
	Nodes       []node                `json:"nodes"`
	Connections map[string]connection `json:"connections"`
	Settings    map[string]string     `json:"settings"`
}

type node struct {
	Name        string         `json:"name"`
	Type        string         `json:"type"`
	Parameters  map[string]any `json:"parameters"`
	Credentials map[string]any `json:"credentials"`
}

type connection struct {
	Main [][]struct {
		Node string `json:"node"`
	} `json:"main"`
}

func load(t *testing.T) workflow {
	t.Helper()
	text, err := os.ReadFile("workflow.json")
	if err != nil {
		t.Fatal(err)
	}
	var w workflow
	if err := json.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	return w
}

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// parameter follows a path such as "options.rawBody" into a node's settings.
func (w workflow) parameter(t *testing.T, name, path string) any {
	t.Helper()
	i := slices.IndexFunc(w.Nodes, func(n node) bool { return n.Name == name })
	if i < 0 {
		t.Fatalf("no node %q", name)
	}
	var v any = w.Nodes[i].Parameters
	for key := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}

func TestEveryNodeIsReachedFromATrigger(t *testing.T) {
	w := load(t)
	reached := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if reached[name] {
			return
		}
		reached[name] = true
		for _, output := range w.Connections[name].Main {
			for _, next := range output {
				visit(next.Node)
			}
		}
	}
	known := map[string]bool{}
	for _, n := range w.Nodes {
		switch n.Type {
		case "n8n-nodes-base.webhook", "n8n-nodes-base.manualTrigger":
			visit(n.Name)
		case "n8n-nodes-base.stickyNote":
			continue
		}
		known[n.Name] = true
	}
	if len(known) < 10 || !maps.Equal(reached, known) {
		t.Errorf("reached %v, known %v", reached, known)
	}
}

func TestTheSettingsAreThoseOfTheREADME(t *testing.T) {
	w := load(t)
	for _, c := range []struct {
		node, path string
		want       any
	}{
		{"Webhook, raw body", "httpMethod", "POST"},
		{"Webhook, raw body", "path", "typus"},
		{"Webhook, raw body", "responseMode", "responseNode"},
		{"Webhook, raw body", "options.rawBody", true},
		{"HMAC of the raw body", "action", "hmac"},
		{"HMAC of the raw body", "binaryData", true},
		{"HMAC of the raw body", "binaryPropertyName", "data"},
		{"HMAC of the raw body", "type", "SHA256"},
		{"HMAC of the raw body", "encoding", "hex"},
		{"HMAC of the raw body", "dataPropertyName", "hmac"},
		{"Verify", "mode", "runOnceForEachItem"},
		{"Answer 204", "options.responseCode", 204.0},
		{"Answer 401", "options.responseCode", 401.0},
		{"Once each", "operation", "removeItemsSeenInPreviousExecutions"},
		{"Once each", "logic", "removeItemsWithAlreadySeenKeyValues"},
		{"Once each", "dedupeValue", "={{ $json.webhook_id }}"},
		{"New contact", "path", "crm-contact"},
		{"New contact", "authentication", "headerAuth"},
		{"New contact", "options.responseCode.values.responseCode", 202.0},
		{"POST /api/v1/invites", "method", "POST"},
		{"POST /api/v1/invites", "url", "https://typus.example.com/api/v1/invites"},
		{"POST /api/v1/invites", "genericAuthType", "httpBearerAuth"},
		{"POST /api/v1/invites", "options.batching.batch.batchInterval", 700.0},
		{"POST /api/v1/invites", "options.redirect.redirect.followRedirects", false},
		{"POST /api/v1/invites", "options.response.response.neverError", true},
		{"POST /api/v1/invites", "options.response.response.fullResponse", true},
	} {
		if got := w.parameter(t, c.node, c.path); got != c.want {
			t.Errorf("%s: %s is %v, want %v", c.node, c.path, got, c.want)
		}
	}
	if w.Settings["saveDataSuccessExecution"] != "none" {
		t.Error("successful executions are saved")
	}
	for _, n := range w.Nodes {
		if len(n.Credentials) > 0 {
			t.Errorf("%s carries credentials", n.Name)
		}
	}
}

// editorWords are what the README quotes from n8n's editor, beside the names of
// the nodes.
var editorWords = []string{
	"Import", "From file", "Production URL", "Bearer Auth", "Crypto", "Hmac Secret", "Header Auth", "Execute workflow", "Publish", "Error Workflow",
	"Raw Body", "Respond", "Using 'Respond to Webhook' Node", "Binary File", "SHA256", "HEX", "Remove Items Processed in Previous Executions",
	"Value Is New", "Never Error", "Include Response Headers and Status", "Batching",
}

func TestTheREADMENamesNodesThatExist(t *testing.T) {
	known := slices.Clone(editorWords)
	for _, n := range load(t).Nodes {
		known = append(known, n.Name)
	}
	mentioned := regexp.MustCompile(`[^*]\*([^*\n]+)\*[^*]`).FindAllStringSubmatch(readme(t), -1)
	if len(mentioned) < 30 {
		t.Fatalf("found only %d names in the README", len(mentioned))
	}
	for _, m := range mentioned {
		if !slices.Contains(known, m[1]) {
			t.Errorf("the README names %q, the workflow does not", m[1])
		}
	}
}
