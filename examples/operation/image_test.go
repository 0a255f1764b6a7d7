package operation

import (
	"crypto/x509"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/goccy/go-yaml"

	"typus/internal/db/dbtest"
	"typus/internal/porttest"
)

// imageUser is who the container runs as, on any machine: nobody that it knows.
const imageUser = 65532

var (
	fileTree  = sync.OnceValues(buildTree)
	temporary string // holds the tree
)

func TestMain(m *testing.M) {
	code := m.Run()
	if temporary != "" {
		os.RemoveAll(temporary)
	}
	os.Exit(code)
}

// tree is the root directory of the image, made by the commands of the Dockerfile.
func tree(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program: not with -short")
	}
	dir, err := fileTree()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func buildTree() (string, error) {
	file, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		return "", err
	}
	if temporary, err = os.MkdirTemp("", "typus-image-"); err != nil {
		return "", err
	}
	run := regexp.MustCompile(`(?m)^RUN (CGO_ENABLED=0 (?:.*\\\n)*.*)`).FindStringSubmatch(string(file))
	if run == nil {
		return "", os.ErrNotExist
	}
	root := filepath.Join(temporary, "root")
	build := exec.Command("sh", "-c", strings.ReplaceAll(run[1], "/root-fs", root)) //nolint:gosec // our own Dockerfile
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return "", &commandError{build.String(), string(out), err}
	}
	return root, own(root)
}

// own gives the tree to the user of the image, as COPY --chown does.
func own(root string) error {
	if os.Geteuid() != 0 {
		return nil // the user of the image is then mapped to ours
	}
	return filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, imageUser, imageUser)
	})
}

type commandError struct {
	command, said string
	err           error
}

func (e *commandError) Error() string { return e.command + ": " + e.err.Error() + "\n" + e.said }
func (e *commandError) Unwrap() error { return e.err }

// inside starts a program of the image with the tree as its whole file system.
func inside(root string, environ []string, program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Dir = environ, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: imageUser, Gid: imageUser}
		return cmd
	}
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: imageUser, HostID: os.Geteuid(), Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: imageUser, HostID: os.Getegid(), Size: 1}}
	return cmd
}

// instruction is what follows a word of the Dockerfile at the beginning of a line.
func instruction(t *testing.T, word string) string {
	t.Helper()
	file, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^`+word+` (.*)$`).FindAllStringSubmatch(string(file), -1)
	if len(found) == 0 {
		t.Fatalf("the Dockerfile says nothing of %s", word)
	}
	return found[len(found)-1][1]
}

// No container engine is at hand: what the image would hold is built by the commands of the
// Dockerfile and runs as its user with nothing else of this machine in sight.
func TestTheImageRunsAsNobodyWithNothingButItsFiles(t *testing.T) {
	root := tree(t)
	addr := porttest.Free(t)
	environ := strings.Fields(instruction(t, "ENV"))
	for i, e := range environ {
		environ[i] = strings.Replace(e, "0.0.0.0:8080", addr, 1)
	}
	environ = append(environ, "TYPUS_BASE_URL=http://localhost:8080")
	if user := instruction(t, "USER"); user != "65532:65532" {
		t.Errorf("the image runs as %s", user)
	}
	serve := inside(root, environ, "/typus", instruction(t, "CMD")[2:7])
	s := start(t, serve, addr)
	var health []string
	if err := yaml.Unmarshal([]byte(regexp.MustCompile(`CMD (\[.*\])`).FindStringSubmatch(instruction(t, "HEALTHCHECK"))[1]), &health); err != nil {
		t.Fatal(err)
	}
	if out, err := inside(root, environ, health[0], health[1:]...).CombinedOutput(); err != nil {
		t.Errorf("the health check: %v: %s", err, out)
	}
	if info, err := os.Stat(filepath.Join(root, "data", "typus.db")); err != nil || info.Size() == 0 {
		t.Errorf("no database in /data: %v", err)
	}
	s.stop(t)
	if out, err := inside(root, environ, health[0], health[1:]...).CombinedOutput(); err == nil {
		t.Errorf("the health check of a stopped server: %s", out)
	}
	authorities, err := os.ReadFile(filepath.Join(root, "etc/ssl/certs/ca-certificates.crt"))
	if pool := x509.NewCertPool(); err != nil || !pool.AppendCertsFromPEM(authorities) {
		t.Errorf("no certificate authorities, which webhooks need: %v", err)
	}
}

func TestTheDockerfileIsSound(t *testing.T) {
	if testing.Short() {
		t.Skip("Node.js: not with -short")
	}
	lint := exec.Command("../../.cache/npm-operation/node_modules/.bin/dockerfile-utils", "lint", "../../Dockerfile")
	if out, err := lint.CombinedOutput(); err != nil {
		t.Errorf("dockerfile-utils (scripts/tools installs it): %v\n%s", err, out)
	}
}

// composed is what compose.yaml says, and every key of it: one that is misspelled has no place.
type composed struct {
	Name     string             `yaml:"name"`
	Services map[string]service `yaml:"services"`
	Volumes  map[string]any     `yaml:"volumes"`
}

type service struct {
	Build struct {
		Context string `yaml:"context"`
	} `yaml:"build"`
	Image     string `yaml:"image"`
	Restart   string `yaml:"restart"`
	DependsOn map[string]struct {
		Condition string `yaml:"condition"`
	} `yaml:"depends_on"`
	Environment map[string]string `yaml:"environment"`
	Ports       []string          `yaml:"ports"`
	Volumes     []string          `yaml:"volumes"`
	ReadOnly    bool              `yaml:"read_only"`
	CapDrop     []string          `yaml:"cap_drop"`
	SecurityOpt []string          `yaml:"security_opt"`
	NetworkMode string            `yaml:"network_mode"`
	StopGrace   string            `yaml:"stop_grace_period"`
	Healthcheck struct {
		Test     []string `yaml:"test"`
		Interval string   `yaml:"interval"`
	} `yaml:"healthcheck"`
}

// The settings of compose.yaml start the server of the image, on a real PostgreSQL: only the
// addresses are those of this machine.
func TestTheSettingsOfComposeStartTheServer(t *testing.T) {
	root := tree(t)
	file, err := os.ReadFile("compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var c composed
	if err := yaml.UnmarshalWithOptions(file, &c, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	typus, database := c.Services["typus"], c.Services["database"]
	context, err := filepath.Abs(typus.Build.Context)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(context, "Dockerfile")); err != nil {
		t.Error(err)
	}
	if _, there := c.Volumes["database"]; !there || !strings.HasPrefix(database.Volumes[0], "database:") {
		t.Error("what PostgreSQL stores has no volume of its own")
	}
	for _, port := range typus.Ports {
		if !strings.HasPrefix(port, "127.0.0.1:") {
			t.Errorf("port %s is open to everybody, without TLS", port)
		}
	}
	addr := porttest.Free(t)
	secret := strings.Repeat("s", 40)
	dsn := "postgres://typus:" + secret + "@database:5432/typus"
	var environ []string
	for name, value := range typus.Environment {
		value = regexp.MustCompile(`\$\{\w+:\?[^}]*\}`).ReplaceAllString(value, secret)
		switch name {
		case "TYPUS_ADDR":
			value = addr
		case "TYPUS_DATABASE":
			if value != dsn || database.Environment["POSTGRES_USER"] != "typus" || database.Environment["POSTGRES_DB"] != "typus" {
				t.Errorf("the database is %s, and made for %v", value, database.Environment)
			}
			value = dbtest.EmptyPostgres(t)
		}
		environ = append(environ, name+"="+value)
	}
	start(t, inside(root, environ, "/typus", "serve"), addr).stop(t)
}
