package docs

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"typus/internal/meettest"
	"typus/internal/page"
)

// Every page in both languages and every sample is asked for by four who all ask for the same,
// of pages that nobody has asked for before, and beside them by four who each ask for another:
// they are what they are when nobody else asks.
func TestEveryPageIsOpenedByManyAtOnce(t *testing.T) {
	settled, _ := newDocs(t, base, "X-Service")
	made := all(t, settled)
	var asked []string
	for path := range made.pages {
		for _, lang := range page.Languages() {
			asked = append(asked, path+"?lang="+lang)
		}
	}
	for name := range made.samples {
		asked = append(asked, "/docs/samples/"+name)
	}
	slices.Sort(asked)
	fresh, _ := newDocs(t, base, "X-Service")
	handlers := map[*face]http.Handler{settled: settled.routes(), fresh: fresh.routes()}
	see := func(ctx context.Context, f *face, path string) meettest.Answer {
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		return meettest.Ask(handlers[f], r)
	}
	alone := map[string]meettest.Answer{}
	for _, path := range asked {
		if alone[path] = see(t.Context(), settled, path); alone[path].Status != http.StatusOK {
			t.Errorf("%s: %d", path, alone[path].Status)
		}
	}
	ask := func(ctx context.Context, _, n int) {
		if got := see(ctx, fresh, asked[n]); got != alone[asked[n]] {
			t.Errorf("%s is another one than alone: %d", asked[n], got.Status)
		}
	}
	meettest.Together(t, meettest.Group{Callers: 4, Errands: len(asked), Do: ask}, meettest.Group{Callers: 4, Errands: len(asked), Apart: true, Do: ask})
}
