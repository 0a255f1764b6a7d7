package main

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"typus/internal/instrument"
	"typus/internal/porttest"
	"typus/internal/waittest"
	"typus/internal/webhook"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheREADMEListsEverySetting(t *testing.T) {
	var listed, files []string
	for _, m := range regexp.MustCompile("(?m)^\\| `TYPUS_([A-Z_]+)`(\\\\\\*)? \\|").FindAllStringSubmatch(readme(t), -1) {
		listed = append(listed, m[1])
		if m[2] != "" {
			files = append(files, m[1])
		}
	}
	known, secret := settingNames()
	for _, names := range [][]string{listed, files, known, secret} {
		slices.Sort(names)
	}
	if !slices.Equal(listed, known) {
		t.Errorf("listed %v\nknown %v", listed, known)
	}
	if !slices.Equal(files, secret) {
		t.Errorf("marked as readable from a file: %v, are: %v", files, secret)
	}
}

// The answer printed in the README is the one that its command gives.
func TestTheREADMEsScoresAreReal(t *testing.T) {
	_, printed, _ := strings.Cut(readme(t), "  \"scores\": ")
	printed, _, _ = strings.Cut(printed, "\n}\n```")
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")}
	p := serve(t, environ)
	must[id](t, environ, "account", "create", "--name", "Muster GmbH")
	w := &walk{base: p.base, key: must[newKey](t, environ, "key", "create", "--account", "1", "--name", "CRM").Key, out: discard(), client: &http.Client{}, externalID: "crm-42"}
	if err := w.invite(t.Context()); err != nil {
		t.Fatal(err)
	}
	must[id](t, environ, "candidate", "finish", "--account", "1", "--id", "100000000000001")
	var real struct {
		Scores jsontext.Value `json:"scores"`
	}
	if _, err := w.call(t.Context(), "GET", "/api/v1/candidates/crm-42", "", &real); err != nil {
		t.Fatal(err)
	}
	want := jsontext.Value(printed)
	if err := want.Compact(); err != nil || string(want) != string(real.Scores) {
		t.Errorf("the README prints\n%s\nthe server answers\n%s\n%v", want, real.Scores, err)
	}
}

// The receiver of the README takes a real delivery and refuses a forged one.
func TestTheREADMEsReceiverVerifiesARealDelivery(t *testing.T) {
	_, script, _ := strings.Cut(readme(t), "<!-- receiver.mjs -->\n```js\n")
	script, _, _ = strings.Cut(script, "```")
	addr := porttest.Free(t)
	_, port, _ := strings.Cut(addr, ":")
	file := filepath.Join(t.TempDir(), "receiver.mjs")
	if err := os.WriteFile(file, []byte(strings.Replace(script, "listen(9000", "listen("+port, 1)), 0o600); err != nil {
		t.Fatal(err)
	}

	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")}
	p := serve(t, environ)
	must[id](t, environ, "account", "create", "--name", "Müller & Söhne <GmbH>")
	hook := must[struct {
		Secret string `json:"secret"`
	}](t, environ, "webhook", "create", "--account", "1", "--url", "http://"+addr+"/typus")

	node := exec.Command("node", file)
	node.Env = append(os.Environ(), "SECRET="+hook.Secret)
	out, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	node.Stderr = os.Stderr
	if err := node.Start(); err != nil {
		t.Fatal("the README's receiver needs Node.js: ", err)
	}
	t.Cleanup(func() { node.Process.Kill(); node.Wait() })

	forged := []byte(`{"event":"candidate.completed"}`)
	waittest.Until(t, "the receiver refuses a forged webhook", func() bool {
		req, _ := http.NewRequest("POST", "http://"+addr+"/typus", bytes.NewReader(forged))
		req.Header.Set("X-Service-Signature", webhook.Sign("whsec_other", forged))
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized {
			t.Fatalf("a forged delivery was answered %d", resp.StatusCode)
		}
		return true
	})

	w := &walk{base: p.base, key: must[newKey](t, environ, "key", "create", "--account", "1", "--name", "k").Key, test: instrument.Own(), out: discard(), client: &http.Client{}, externalID: "crm-ü"}
	if err := w.invite(t.Context()); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	must[struct{}](t, environ, "webhook", "test", "--account", "1", "--id", "1")
	line, err := lines.ReadString('\n')
	if err != nil || !regexp.MustCompile(`^evt_[0-9A-Z]{26} test event\n$`).MatchString(line) {
		t.Errorf("of a test event the receiver printed %q, %v", line, err)
	}
	must[id](t, environ, "candidate", "finish", "--account", "1", "--id", "crm-ü")
	line, err = lines.ReadString('\n')
	if err != nil || !regexp.MustCompile(`^evt_[0-9A-Z]{26} crm-ü \d+\n$`).MatchString(line) {
		t.Errorf("the receiver printed %q, %v", line, err)
	}
}

// The commands of the README do what it says in its order: whoever follows it has a
// receiver before the first webhook goes out.
func TestTheREADMEsCommandsRunInItsOrder(t *testing.T) {
	receiver := newAnswering(t)
	environ := []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db")}
	p := serve(t, environ)
	text := readme(t)
	if strings.Index(text, "<!-- receiver.mjs -->") > strings.Index(text, "./typus candidate finish") {
		t.Error("the receiver comes after the first webhook")
	}
	run := 0
	for _, m := range regexp.MustCompile(`(?m)^\./typus (.+)$`).FindAllStringSubmatch(text, -1) {
		line := strings.Replace(m[1], "http://127.0.0.1:9000", receiver.URL, 1)
		if line == "serve" {
			continue
		}
		if strings.HasPrefix(line, "candidate finish") {
			w := &walk{base: p.base, key: must[newKey](t, environ, "key", "create", "--account", "1", "--name", "CRM").Key, out: discard(), client: &http.Client{}, externalID: "crm-42"}
			if err := w.invite(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if strings.HasPrefix(line, "webhook verify") {
			line = signedFiles(t).Replace(line)
		}
		var args []string
		for _, arg := range regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(line, -1) {
			args = append(args, strings.Trim(arg, `"`))
		}
		if code, _, errOut := command(t, environ, args...); code != 0 {
			t.Errorf("typus %s: exit %d, %s", line, code, errOut)
		}
		run++
	}
	if run < 8 {
		t.Errorf("%d commands were found", run)
	}
}

// signedFiles puts in place of the README's files those of a delivery with a right signature.
func signedFiles(t *testing.T) *strings.Replacer {
	t.Helper()
	const secret, body = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", `{"event":"candidate.completed"}`
	var names []string
	for name, text := range map[string]string{
		"secret.txt": secret, "body.json": body, "headers.txt": "X-Service-Signature: " + webhook.Sign(secret, []byte(body)) + "\n",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name, path)
	}
	return strings.NewReplacer(names...)
}

func TestTheREADMEsShellLineMakesTheSignature(t *testing.T) {
	const want = `openssl dgst -sha256 -hmac "$SECRET" -r body.json`
	if !strings.Contains(readme(t), want) {
		t.Fatal("the README has another line")
	}
	dir := t.TempDir()
	body := []byte(`{"name":"Jürgen & <b>"}`)
	os.WriteFile(filepath.Join(dir, "body.json"), body, 0o600)
	sh := exec.Command("sh", "-c", want)
	sh.Dir, sh.Env = dir, append(os.Environ(), "SECRET=whsec_abc")
	out, err := sh.Output()
	hex, _, _ := strings.Cut(string(out), " ")
	if err != nil || "sha256="+hex != webhook.Sign("whsec_abc", body) {
		t.Errorf("%s, %v", out, err)
	}
}
