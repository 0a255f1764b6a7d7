package server

import (
	"log/slog"
	"net/http"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/page"
	"typus/internal/store"
	"typus/internal/web"
)

// front answers what belongs to no face: whether this server works, and whether requests
// should come to it.
type front struct {
	store   *store.Store
	site    *page.Site
	version string
	log     *slog.Logger
	proxies *proxies
	open    bool // ?verbose is told at all
	ready   *readiness
}

// toldVerbose reports whether a near client may be told the settings. A proxy on this
// machine can look exactly like a near client, and then everybody behind it would be
// near. So on a public address nobody is told before the operator has named the
// proxies.
func toldVerbose(o Options) bool {
	return len(o.TrustedProxies) > 0 || typus.Loopback(typus.Links{BaseURL: o.BaseURL}.Host())
}

func (f *front) routes() *web.Routes {
	return web.NewRoutes(f.fail,
		web.Route{Method: "GET", Pattern: "/healthz", Handle: f.health},
		web.Route{Method: "GET", Pattern: "/readyz", Handle: f.ready.answer},
	)
}

func (f *front) fail(w http.ResponseWriter, r *http.Request, err error) {
	f.site.Error(w, r, err, web.Status(err), web.RequestID(r.Context()))
}

// health says whether this instance can do its work: 200 while the database answers,
// 503 otherwise; a stop does not change that. With ?verbose it tells near clients the
// database's settings, which hold no secrets, and what looks wrong; toldVerbose says when
// it does.
func (f *front) health(w http.ResponseWriter, r *http.Request) error {
	report := struct {
		OK       bool              `json:"ok"`
		Version  string            `json:"version"`
		Database string            `json:"database"`
		Verbose  string            `json:"verbose,omitempty"`
		Settings map[string]string `json:"settings,omitempty"`
		Warnings []string          `json:"warnings,omitempty"`
	}{OK: true, Version: f.version, Database: f.store.Dialect()}
	status := http.StatusOK
	if err := f.store.Ping(r.Context()); err != nil {
		report.OK, status = false, http.StatusServiceUnavailable
		f.log.ErrorContext(r.Context(), "the database does not answer", "error", err)
	} else if r.URL.Query().Has("verbose") && !f.open {
		report.Verbose = "is told once TYPUS_TRUSTED_PROXIES names the proxy in front: without it everybody could come from this machine"
	} else if r.URL.Query().Has("verbose") && !web.Near(r.Context()) {
		report.Verbose = "is told to this machine and to the networks of TYPUS_TRUSTED_PROXIES only"
	} else if r.URL.Query().Has("verbose") {
		report.Warnings = f.proxies.warnings()
		if report.Settings, err = f.store.Settings(r.Context()); err != nil {
			return err
		}
	}
	body, err := json.Marshal(report, json.Deterministic(true))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy", web.DataPolicy)
	w.WriteHeader(status)
	w.Write(append(body, '\n')) // a client who has gone is no fault
	return nil
}
