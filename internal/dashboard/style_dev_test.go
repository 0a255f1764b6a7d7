//go:build dev

package dashboard

import (
	"strings"
	"testing"
)

func TestBuildsForDevelopmentShowTheParts(t *testing.T) {
	w := newWorld(t)
	a := w.as(viewer).get("/dashboard/_stil")
	a.want(t, 200)
	if !strings.Contains(a.body, "<h1") {
		t.Errorf("no page: %s", a.body)
	}
}
