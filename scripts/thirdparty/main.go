// Command thirdparty prints THIRD_PARTY.md, the list of what others wrote and its licences.
//
// Every module that is linked into the binary or needed by the tests is listed
// with its version and its licence as read from the module itself. It fails on a
// licence the project does not accept.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/licensecheck"
)

// accepted are the licences the project takes. MPL is accepted for tests only.
var accepted = []string{"MIT", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "ISC", "OFL-1.1", "Unlicense", "0BSD", "BSD-3-Clause-Clear"}

// others is what is not a Go module.
const others = `
## Not Go modules

| what | where | licence |
|---|---|---|
| @zxcvbn-ts/language-common 4.1.3, list of common passwords | embedded, internal/auth/common_passwords.txt | MIT (text in the file) |
| Noto Sans 2.004, regular and bold, cut down by scripts/fonts | embedded, internal/pdf/fonts | OFL-1.1 (text beside them) |
| swagger-ui-dist 5.35.0 | embedded, internal/docs/static/swagger-ui*, packed by gzip -9n | Apache-2.0; what it bundles is named in swagger-ui-bundle.js.LICENSE.txt: MIT, BSD-3-Clause, Apache-2.0 |
| axe-core | tests, scripts/npm | MPL-2.0 |
| Mailpit | tests, scripts/mailpit | MIT |
| dockerfile-utils and what it needs | tests, scripts/npm/operation | MIT |
| Node-RED and what it needs | tests, scripts/npm/node-red | Apache-2.0; MIT and others (package-lock.json) |
`

type module struct {
	Path    string
	Version string
	Dir     string
	license string
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "thirdparty:", err)
		os.Exit(1)
	}
}

func run() error {
	linked, err := modules("-deps", "./cmd/typus")
	if err != nil {
		return err
	}
	tests, err := modules("-deps", "-test", "./...")
	if err != nil {
		return err
	}
	tests = slices.DeleteFunc(tests, func(m module) bool {
		return slices.ContainsFunc(linked, func(l module) bool { return l.Path == m.Path })
	})
	var out bytes.Buffer
	out.WriteString("# Third-party software\n\nMade by `make third-party`; do not edit. Licences are read from the modules themselves.\n")
	err = errors.Join(
		section(&out, "Linked into the binary", linked, accepted),
		section(&out, "Used by the tests and tools only", tests, append(slices.Clone(accepted), "MPL-2.0")),
	)
	if err != nil {
		return err
	}
	out.WriteString(others)
	_, err = os.Stdout.Write(out.Bytes())
	return err
}

func section(out *bytes.Buffer, title string, ms []module, accepted []string) error {
	fmt.Fprintf(out, "\n## %s\n\n| module | version | licence |\n|---|---|---|\n", title)
	var errs []error
	for _, m := range ms {
		for name := range strings.SplitSeq(m.license, " and ") {
			if !slices.Contains(accepted, name) {
				errs = append(errs, fmt.Errorf("%s: licence %q is not accepted", m.Path, m.license))
			}
		}
		fmt.Fprintf(out, "| %s | %s | %s |\n", m.Path, m.Version, m.license)
	}
	return errors.Join(errs...)
}

// modules lists the modules that the packages of a `go list` come from.
func modules(args ...string) ([]module, error) {
	raw, err := exec.Command("go", append([]string{"list", "-json=Module"}, args...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var found []module
	for dec := jsontext.NewDecoder(bytes.NewReader(raw)); dec.PeekKind() == '{'; {
		var p struct{ Module *module }
		if err := json.UnmarshalDecode(dec, &p); err != nil {
			return nil, err
		}
		if p.Module == nil || p.Module.Version == "" {
			continue
		}
		if !slices.ContainsFunc(found, func(m module) bool { return m.Path == p.Module.Path }) {
			found = append(found, *p.Module)
		}
	}
	for i := range found {
		if found[i].license, err = license(found[i].Dir); err != nil {
			return nil, fmt.Errorf("%s: %w", found[i].Path, err)
		}
	}
	slices.SortFunc(found, func(a, b module) int { return cmp.Compare(a.Path, b.Path) })
	return found, nil
}

// license names the licences of the files at the top of a module.
func license(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var names []string
	for _, e := range entries {
		upper := strings.ToUpper(e.Name())
		if e.Type()&fs.ModeDir != 0 || !strings.HasPrefix(upper, "LICEN") && !strings.HasPrefix(upper, "COPYING") {
			continue
		}
		if strings.Contains(upper, "3RD-PARTY") {
			continue // speaks of other modules, which are listed themselves if they are used
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		for _, m := range licensecheck.Scan(text).Match {
			if !slices.Contains(names, m.ID) {
				names = append(names, m.ID)
			}
		}
	}
	if len(names) == 0 {
		return "", errors.New("no licence found")
	}
	slices.Sort(names)
	return strings.Join(names, " and "), nil
}
