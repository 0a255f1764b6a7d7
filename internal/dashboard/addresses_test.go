package dashboard

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestOnlyOwnPathsAreGoneBackTo(t *testing.T) {
	for path, want := range map[string]bool{
		"/dashboard": true, "/dashboard?status=offen": true, "/dashboard/kandidat/100000000000001": true, "/dashboard/a?b=//c": true,
		"": false, "/": false, "//evil.example": false, "/\\evil.example": false, "\\\\evil.example": false, "https://evil.example/dashboard": false,
		"/dashboardx": false, "/dashboard@evil.example": false, "/dashboard\\..": false, "/dashboard/\\evil": false, "/dashboard/\nx": false,
		"/dashboard/\tx": false, "javascript:alert(1)": false, "dashboard": false, " /dashboard": false, "/%2Fevil.example": false,
		"/dashboard/" + strings.Repeat("a", 2000): false, "http:/dashboard": false, "///evil.example/dashboard": false,
		"/dashboard/..//x": false, "/dashboard/../t/x": false, "/dashboard//evil.example": false, "/dashboard/%2e%2e/x": false,
	} {
		if got := ownPath(path) == path && path != ""; got != want {
			t.Errorf("ownPath(%.40q): %t, want %t", path, got, want)
		}
	}
}

// Whoever looks for where an address is made finds addresses.go, routes.go and links.go.
func TestAnAddressIsWrittenDownInOnePlace(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d sources, %v", len(files), err)
	}
	written := regexp.MustCompile(`"/(dashboard|anmelden|einrichten|registrieren|passwort|bestaetigen)[/"?]`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || file == "routes.go" || file == "addresses.go" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := written.Find(text); found != nil {
			t.Errorf("%s writes an address that begins with %s: it belongs into addresses.go", file, found)
		}
	}
}

var (
	templateAddress = regexp.MustCompile(`\b(href|src|action|formaction|data-[a-z]+)="(/(?:\{\{.*?\}\}|[^"])*)"`)
	templateOption  = regexp.MustCompile(`\{\{(?:if|with) .*?\{\{end\}\}`) // stands behind a path only
	templateValue   = regexp.MustCompile(`\{\{.*?\}\}`)
)

// A template writes addresses out, so that it can be read as the page that it is. Whoever
// renames a page is told here where else it is named.
func TestEveryAddressInATemplateIsARoute(t *testing.T) {
	files, err := filepath.Glob("templates/*.html")
	parts, partsErr := filepath.Glob("templates/parts/*.html")
	if files = append(files, parts...); err != nil || partsErr != nil || len(files) < 80 {
		t.Fatalf("%d templates, %v, %v", len(files), err, partsErr)
	}
	routes, seen := new(face).routes(), 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range templateAddress.FindAllStringSubmatch(string(text), -1) {
			address := templateValue.ReplaceAllString(templateOption.ReplaceAllString(found[2], ""), "*")
			address, _, _ = strings.Cut(address, "#")
			address, _, _ = strings.Cut(address, "?")
			if address == "/docs" || strings.HasPrefix(address, "/docs/") || strings.HasPrefix(address, "/api/") {
				continue // of another face
			}
			seen++
			if !slices.ContainsFunc(routes, func(r route) bool {
				return (r.method == http.MethodGet || found[1] != "href" && found[1] != "src") && fitsRoute(address, r.pattern)
			}) {
				t.Errorf("%s: %s=%q is no route", file, found[1], found[2])
			}
		}
	}
	if seen < 200 {
		t.Errorf("only %d addresses were found", seen)
	}
}

// fitsRoute reports whether an address, in which "*" stands for what a template fills in, may
// be one of a pattern. What a template writes out itself is no id, but for two kinds of words.
func fitsRoute(address, pattern string) bool {
	is, want := strings.Split(address, "/"), strings.Split(pattern, "/")
	return slices.EqualFunc(is, want, func(is, want string) bool {
		_, part := accountParts[is]
		open := strings.HasPrefix(want, "{") && (part || is == standardWord)
		return is == want || open || strings.Contains(is, "*") && (strings.HasPrefix(want, "{") || regexp.MustCompile(
			"^"+strings.ReplaceAll(regexp.QuoteMeta(is), `\*`, ".*")+"$").MatchString(want))
	})
}
