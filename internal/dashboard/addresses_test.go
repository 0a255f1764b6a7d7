package dashboard

import (
	"os"
	"path/filepath"
	"regexp"
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
