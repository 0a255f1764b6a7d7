package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"typus/internal/instrument"
	"typus/internal/porttest"
)

// server is a running Typus, and its command line.
type server struct {
	t       *testing.T
	base    string
	program string
	environ []string
}

func newServer(t *testing.T) *server {
	t.Helper()
	addr := porttest.Free(t)
	_, port, _ := strings.Cut(addr, ":")
	s := &server{
		t: t, base: "http://localhost:" + port, program: program(t),
		environ: []string{"TYPUS_DATABASE=" + filepath.Join(t.TempDir(), "typus.db"), "TYPUS_ADDR=" + addr},
	}
	s.run("account", "create", "--name", "Muster GmbH", "--credits", "100")
	start(t, addr, ".", s.environ, s.program, "serve")
	return s
}

// run runs a command and returns its answer.
func (s *server) run(args ...string) map[string]any {
	s.t.Helper()
	cmd := exec.Command(s.program, append(args, "--json")...)
	cmd.Env = append(ownEnviron(), s.environ...)
	out, err := cmd.Output()
	var answer map[string]any
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	if err != nil {
		s.t.Fatalf("typus %v: %v: %s", args, err, out)
	}
	return answer
}

func (s *server) key() string {
	s.t.Helper()
	return s.run("key", "create", "--account", "1", "--name", "samples")["key"].(string)
}

func (s *server) testKey() string {
	s.t.Helper()
	return s.run("key", "create", "--account", "1", "--test", "--name", "samples")["key"].(string)
}

func sample(dir, key string, command ...string) (string, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(ownEnviron(), "KEY="+key)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestEachQuickStartInvitesAndTellsWhatWentWrong(t *testing.T) {
	s := newServer(t)
	dir := fetch(t, s.base, "invite.sh", "invite.mjs", "invite.py", "invite.php")
	for mode, key := range map[string]string{"live": s.key(), "test": s.testKey()} {
		t.Run(mode, func(t *testing.T) { invitesByEachSample(t, s, dir, key) })
	}
}

// invitesByEachSample has the samples of all languages invite with a key. In test mode nothing
// is different but that.
func invitesByEachSample(t *testing.T, s *server, dir, key string) {
	t.Helper()
	first := ""
	for _, command := range [][]string{{"sh", "invite.sh"}, {"node", "invite.mjs"}, {"python3", "invite.py"}, {"php", "invite.php"}} {
		t.Run(command[0], func(t *testing.T) {
			out, err := sample(dir, key, command...)
			at := strings.Index(out, s.base+"/t/")
			if err != nil || at < 0 || len(out) < at+len(s.base)+35 {
				t.Fatalf("%v: %s", err, out)
			}
			link := out[at : at+len(s.base)+3+32]
			if first == "" {
				first = link
			}
			if link != first { // the same external_id and address: the same invitation
				t.Errorf("another link: %s, %s", link, first)
			}
			out, err = sample(dir, "typ_live_wrong", command...)
			if err == nil || !strings.Contains(out, "invalid_key") {
				t.Errorf("with a wrong key: %v: %s", err, out)
			}
		})
	}
}

func TestTheResultIsReadWithWhatBelongsToIt(t *testing.T) {
	s := newServer(t)
	dir := fetch(t, s.base, "invite.sh", "result.sh", "result.py")
	key := s.key()
	careless := map[string]int{}
	for i, item := range instrument.Own().Items() {
		careless[item.ID] = 1 + i*5%6
	}
	file := filepath.Join(dir, "careless.json")
	if body, err := json.Marshal(careless); err != nil || os.WriteFile(file, body, 0o600) != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ finish, shell, python string }{
		{"", "not finished yet", "not finished yet"},
		{"--id 100000000000001", `"overall_band":[`, " of 100, somewhere from "},
		{"--id 100000000000002 --answers " + file, "No reliable picture", "No reliable picture"},
	} {
		if out, err := sample(dir, key, "sh", "invite.sh"); err != nil { // the same one again, or a new one once it is finished
			t.Fatal(out)
		}
		if step.finish != "" {
			s.run(strings.Fields("candidate finish --account 1 " + step.finish)...)
		}
		for command, want := range map[string]string{"sh result.sh": step.shell, "python3 result.py": step.python} {
			if out, err := sample(dir, key, strings.Fields(command)...); err != nil || !strings.Contains(out, want) {
				t.Errorf("%s: %v: %s", command, err, out)
			}
		}
	}
}

func TestPollingPrintsEachResultOnce(t *testing.T) {
	s := newServer(t)
	dir := fetch(t, s.base, "invite.sh", "poll.py")
	key := s.key()
	poll := func() []string {
		t.Helper()
		out, err := sample(dir, key, "python3", "poll.py")
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.FieldsFunc(out, func(r rune) bool { return r == '\n' })
	}
	for n, id := range []string{"100000000000001", "100000000000002"} {
		if got := poll(); len(got) != 0 {
			t.Errorf("before %s: %q", id, got)
		}
		if out, err := sample(dir, key, "sh", "invite.sh"); err != nil {
			t.Fatal(out)
		}
		s.run("candidate", "finish", "--account", "1", "--id", id)
		if got := poll(); len(got) != 1 || !strings.HasPrefix(got[0], id+" crm-42 ") {
			t.Errorf("result %d: %q", n, got)
		}
	}
	if got := poll(); len(got) != 0 {
		t.Errorf("once more: %q", got)
	}
}
