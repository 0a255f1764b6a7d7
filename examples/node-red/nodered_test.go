package nodered_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// settings keep Node-RED to this machine and away from the network. What the
// flow builds on, such as modules in function nodes, stays as delivered.
const settings = `module.exports = {
  uiHost: '127.0.0.1', uiPort: %s, disableEditor: true, credentialSecret: false,
  telemetry: { enabled: false, updateNotification: false }, diagnostics: { enabled: false },
  externalModules: { autoInstall: false, palette: { allowInstall: false }, modules: { allowInstall: false } },
}
`

// nodeRED is a running Node-RED with the flow.
type nodeRED struct {
	url string
	mu  sync.Mutex
	log strings.Builder
}

// startNodeRED runs Node-RED with a flow until the test ends and waits until the
// flow has started.
func startNodeRED(t *testing.T, port, flow string, environ ...string) *nodeRED {
	t.Helper()
	program, err := filepath.Abs("../../.cache/npm-node-red/node_modules/.bin/node-red")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "settings.js"), fmt.Appendf(nil, settings, port), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--userDir", dir, flow)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, environ...)
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal("Node-RED is missing (scripts/tools installs it): ", err)
	}
	n := &nodeRED{url: "http://127.0.0.1:" + port}
	started, ended := make(chan struct{}), make(chan struct{})
	go func() {
		n.read(bufio.NewScanner(out), started)
		cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() { n.stop(t, cmd, ended) })
	select {
	case <-started:
	case <-ended:
		t.Fatalf("Node-RED ended: %s", n.printed())
	case <-time.After(2 * time.Minute):
		t.Fatalf("Node-RED does not start: %s", n.printed())
	}
	return n
}

func (n *nodeRED) read(lines *bufio.Scanner, started chan struct{}) {
	begun := false
	for lines.Scan() {
		n.mu.Lock()
		fmt.Fprintln(&n.log, lines.Text())
		n.mu.Unlock()
		if !begun && strings.Contains(lines.Text(), "Started flows") {
			begun = true
			close(started)
		}
	}
}

func (n *nodeRED) printed() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.log.String()
}

// stop ends the process as its operator would, and shows its log when the test failed.
func (n *nodeRED) stop(t *testing.T, cmd *exec.Cmd, ended chan struct{}) {
	cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		cmd.Process.Kill()
		<-ended
	}
	if t.Failed() {
		t.Log(n.printed())
	}
}

// connected writes a copy of the flow in which the nodes named "… for the CRM"
// and "Not invited" are replaced, as the README says, by requests to a CRM.
func connected(t *testing.T, crm string) string {
	t.Helper()
	nodes := flow(t)
	paths := map[string]string{"Link for the CRM": "/link", "Result for the CRM": "/result", "Not invited": "/failed"}
	for i, node := range nodes {
		path, found := paths[fmt.Sprint(node["name"])]
		if !found {
			continue
		}
		nodes[i] = map[string]any{
			"id": node["id"], "z": node["z"], "type": "http request", "method": "POST", "url": crm + path,
			"ret": "txt", "headers": []any{}, "wires": []any{[]any{}},
		}
		delete(paths, fmt.Sprint(node["name"]))
	}
	if len(paths) > 0 {
		t.Fatalf("the flow has no node %v", paths)
	}
	text, err := json.Marshal(nodes)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "flow.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func flow(t *testing.T) []map[string]any {
	t.Helper()
	text, err := os.ReadFile("flow.json")
	if err != nil {
		t.Fatal(err)
	}
	var nodes []map[string]any
	if err := json.Unmarshal(text, &nodes); err != nil {
		t.Fatal(err)
	}
	return nodes
}

// names returns the names of the flow's nodes.
func names(nodes []map[string]any) []string {
	var all []string
	for _, node := range nodes {
		if name, ok := node["name"].(string); ok && node["type"] != "comment" {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}
