package operation

import (
	"io"
	"maps"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"typus/internal/porttest"
)

// promtool is Prometheus' own checker, from the path or from where scripts/tools puts it.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("promtool: not with -short")
	}
	program, err := exec.LookPath("promtool")
	if err != nil {
		program = "../../.cache/promtool"
	}
	check := exec.Command(program, args...)
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%s (scripts/tools installs it): %v\n%s", check, err, out)
	}
}

func TestPrometheusUnderstandsTheAlerts(t *testing.T) { promtool(t, "check", "rules", "alerts.yml") }

func TestTheAlertsComeWhenTheyShould(t *testing.T) { promtool(t, "test", "rules", "alerts_test.yml") }

// board is what a test reads of the dashboard.
type board struct {
	UID    string `json:"uid"`
	Panels []struct {
		ID      int    `json:"id"`
		Title   string `json:"title"`
		Type    string `json:"type"`
		Targets []struct {
			Expr string `json:"expr"`
		} `json:"targets"`
		Grid struct{ H, W, X, Y int } `json:"gridPos"`
	} `json:"panels"`
}

func TestTheDashboardIsSound(t *testing.T) {
	var b board
	if err := json.Unmarshal([]byte(read(t, "grafana.json")), &b, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, p := range b.Panels {
		if seen[p.ID] || p.ID == 0 || p.Title == "" || p.Type != "timeseries" || len(p.Targets) == 0 || p.Grid.W == 0 || p.Grid.X+p.Grid.W > 24 {
			t.Errorf("panel %+v", p)
		}
		seen[p.ID] = true
		for _, target := range p.Targets {
			promtoolReads(t, target.Expr)
		}
	}
	if b.UID == "" || len(b.Panels) < 12 {
		t.Errorf("%d panels", len(b.Panels))
	}
}

// promtoolReads has an expression checked as part of a rule.
func promtoolReads(t *testing.T, expr string) {
	t.Helper()
	if testing.Short() {
		return
	}
	quoted, err := json.Marshal(expr)
	if err != nil {
		t.Fatal(err)
	}
	rules := filepath.Join(t.TempDir(), "rules.yml")
	write(t, rules, "groups: [{name: board, rules: [{record: x, expr: "+string(quoted)+"}]}]\n")
	promtool(t, "check", "rules", rules)
}

// A metric that is renamed would leave an alert that never comes.
func TestEveryMetricThatIsWatchedIsOneThatAServerTells(t *testing.T) {
	program := filepath.Join(tree(t), "typus")
	addr, metrics := porttest.Free(t), porttest.Free(t)
	serve := exec.Command(program, "serve")
	serve.Env = []string{"TYPUS_ADDR=" + addr, "TYPUS_METRICS_ADDR=" + metrics, "TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")}
	s := start(t, serve, addr)
	watched := map[string]string{} // by which file
	for _, file := range []string{"alerts.yml", "alerts_test.yml", "grafana.json"} {
		for _, name := range regexp.MustCompile(`\b(typus|process|go)_[a-z_]+\b`).FindAllString(read(t, file), -1) {
			watched[name] = file
		}
	}
	var told []string
	untold := func() []string {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(watched)) {
			if !slices.Contains(told, name) {
				list = append(list, watched[name]+" watches "+name)
			}
		}
		return list
	}
	// Some are told once something was done: a chore, or a request, after its answer.
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		resp, err := http.Get("http://" + metrics + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", resp.Status, body, err)
		}
		told = nil
		for _, m := range regexp.MustCompile(`(?m)^([a-z_]+)[{ ]`).FindAllStringSubmatch(string(body), -1) {
			told = append(told, m[1])
		}
		if len(untold()) == 0 && slices.Contains(told, "typus_chore_last_success_timestamp_seconds") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("no server tells what is watched: %s\n%s", strings.Join(untold(), ", "), body)
		}
	}
	for _, name := range told {
		if base := strings.TrimSuffix(strings.TrimSuffix(name, "_sum"), "_count"); strings.HasPrefix(name, "typus_") && watched[name] == "" && watched[base+"_bucket"] == "" {
			t.Errorf("nothing watches %s", name)
		}
	}
	s.stop(t)
}
