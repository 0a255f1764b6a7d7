package docs

import (
	"net/http"

	"typus"
	"typus/internal/page"
	"typus/internal/web"
)

// routes are all addresses of the documentation. They change nothing but the
// language that the reader's device remembers.
func (f *face) routes() *web.Routes {
	list := []web.Route{
		{Method: "GET", Pattern: "/docs/", Handle: f.page("/docs")},
		{Method: "GET", Pattern: "/docs/samples/{name}", Handle: f.sample},
	}
	for _, name := range order() {
		list = append(list, web.Route{Method: "GET", Pattern: pathOf(name), Handle: f.page(pathOf(name))})
	}
	return web.NewRoutes(f.fail, list...)
}

// page answers a page in the reader's language. A language asked for in the
// address is remembered, so that the links of the page lead on in it.
func (f *face) page(path string) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		all, err := f.written()
		if err != nil {
			return err
		}
		lang := page.Language(r, "", "")
		if r.URL.Query().Get("lang") == lang {
			page.RememberLanguage(w, lang, f.secure)
		}
		w.Header().Set("Content-Language", lang)
		w.Header().Add("Vary", "Accept-Language, Cookie")
		all.pages[path][lang].ServeHTTP(w, r)
		return nil
	}
}

// sample answers the file behind a sample, to be fetched and run.
func (f *face) sample(w http.ResponseWriter, r *http.Request) error {
	all, err := f.written()
	if err != nil {
		return err
	}
	file, ok := all.samples[r.PathValue("name")]
	if !ok {
		return typus.Errorf(typus.NotFound, "there is no such sample")
	}
	w.Header().Set("Content-Security-Policy", web.DataPolicy)
	file.ServeHTTP(w, r)
	return nil
}
