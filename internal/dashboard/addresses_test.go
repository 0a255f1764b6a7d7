package dashboard

import (
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
