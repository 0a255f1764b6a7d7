package api

import (
	"embed"
	"net/http"

	"typus/internal/page"
	"typus/internal/web"
)

//go:embed templates locales
var docsFiles embed.FS

// errorsView is the page to which the type of every error leads.
type errorsView struct {
	page.Frame
	Codes []codeView
}

// codeView is one code; its cause and remedy are keys of texts.
type codeView struct {
	Status        int
	Code          string
	Cause, Remedy string
}

// Template names the page.
func (errorsView) Template() string { return "errors" }

// Docs answers {base_url}/docs/errors, a page with the cause and the remedy of
// every code. An error is a fault in the embedded files.
func Docs(site *page.Site) (http.Handler, error) {
	pages, err := site.Set(docsFiles)
	if err != nil {
		return nil, err
	}
	fail := func(w http.ResponseWriter, r *http.Request, err error) {
		site.Error(w, r, web.Status(err), web.RequestID(r.Context()))
	}
	errors := func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "no-cache")
		return pages.Render(w, http.StatusOK, page.Language(r, "", ""), errorsView{Codes: explained()})
	}
	return web.NewRoutes(fail, web.Route{Method: "GET", Pattern: "/docs/errors", Handle: errors}), nil
}

func explained() []codeView {
	return []codeView{
		{400, "invalid_input", "errors.invalid_input.cause", "errors.invalid_input.remedy"},
		{401, "invalid_key", "errors.invalid_key.cause", "errors.invalid_key.remedy"},
		{402, "no_credits", "errors.no_credits.cause", "errors.no_credits.remedy"},
		{404, "not_found", "errors.not_found.cause", "errors.not_found.remedy"},
		{405, "method_not_allowed", "errors.method_not_allowed.cause", "errors.method_not_allowed.remedy"},
		{409, "conflict", "errors.conflict.cause", "errors.conflict.remedy"},
		{413, "too_large", "errors.too_large.cause", "errors.too_large.remedy"},
		{415, "unsupported_media_type", "errors.unsupported_media_type.cause", "errors.unsupported_media_type.remedy"},
		{429, "rate_limited", "errors.rate_limited.cause", "errors.rate_limited.remedy"},
		{500, "internal", "errors.internal.cause", "errors.internal.remedy"},
		{503, "unavailable", "errors.unavailable.cause", "errors.unavailable.remedy"},
	}
}
