package nodered_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// editorWords are what the README quotes from Node-RED's editor, beside the
// names of the nodes.
var editorWords = []string{"Import", "select a file to import", "Deploy", "Setup", "Do not parse request body"}

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func shellBlocks(text string) []string {
	var all []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		all = append(all, block[1])
	}
	return all
}

// shell runs a command of the README against the flow and returns what it printed.
func (w *world) shell(t *testing.T, command string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", strings.ReplaceAll(command, "http://127.0.0.1:1880", w.flow.url))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "ASSESSMENT_CRM_TOKEN=" + crmToken}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestTheREADMENamesNodesThatExist(t *testing.T) {
	known := append(names(flow(t)), editorWords...)
	mentioned := regexp.MustCompile(`[^*]\*([^*\n]+)\*[^*]`).FindAllStringSubmatch(readme(t), -1)
	if len(mentioned) < 15 {
		t.Fatalf("found only %d names in the README", len(mentioned))
	}
	for _, m := range mentioned {
		if !slices.Contains(known, m[1]) {
			t.Errorf("the README names %q, the flow does not", m[1])
		}
	}
}

func TestTheREADMEListsTheVariablesOfTheFlow(t *testing.T) {
	var listed, used []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\|").FindAllStringSubmatch(readme(t), -1) {
		listed = append(listed, m[1])
	}
	text, err := os.ReadFile("flow.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`env\.get\('([A-Z_]+)'\)`).FindAllStringSubmatch(string(text), -1) {
		used = append(used, m[1])
	}
	for _, list := range []*[]string{&listed, &used} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	if len(used) == 0 || !slices.Equal(listed, used) {
		t.Errorf("the README lists %v, the flow uses %v", listed, used)
	}
}

// The version that the README speaks of is the one that the tests run.
func TestTheREADMENamesTheVersionThatIsTested(t *testing.T) {
	text, err := os.ReadFile("../../scripts/npm/node-red/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var tools struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err := json.Unmarshal(text, &tools); err != nil {
		t.Fatal(err)
	}
	if version := tools.Dependencies["node-red"]; version == "" || !strings.Contains(readme(t), "with Node-RED "+version+" ") {
		t.Errorf("the README does not name Node-RED %s", version)
	}
}
