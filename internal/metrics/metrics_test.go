package metrics_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"typus/internal/metrics"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

func metricsOf(s *store.Store) *metrics.Metrics {
	return metrics.New(metrics.Options{Store: s, Version: "v1", Ready: func(context.Context) bool { return true }})
}

func scrape(m *metrics.Metrics) (int, string) {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Code, w.Body.String()
}

func TestBothDatabasesTellWhatTheyKnow(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		m := metricsOf(s)
		if mine, _, err := s.ClaimChore(t.Context(), "tidy", "me", time.Hour, time.Minute); err != nil || !mine {
			t.Fatal(mine, err)
		}
		seen := m.Of("api")
		seen("/api/v1/candidates/{id}", http.StatusOK, 30*time.Millisecond)
		seen("", http.StatusTooManyRequests, time.Millisecond)
		status, said := scrape(m)
		for _, want := range []string{
			`typus_http_requests_total{class="2xx",face="api",route="/api/v1/candidates/{id}"} 1`, `typus_http_requests_total{class="4xx",face="api",route="none"} 1`,
			`typus_http_request_duration_seconds_bucket{face="api",le="0.005"} 1`, `typus_http_request_duration_seconds_count{face="api"} 2`, `typus_http_rate_limited_total{face="api"} 1`,
			`database="` + s.Dialect() + `"`, "typus_ready 1", "typus_database_answers 1", "typus_database_size_bytes ", `typus_letters{state="waiting"} 0`, `typus_deliveries{state="held"} 0`,
			"typus_delivery_overdue_seconds 0", `typus_chore_last_success_timestamp_seconds{chore="tidy"} 0` + "\n", "go_goroutines ", "process_resident_memory_bytes ",
		} {
			if status != http.StatusOK || !strings.Contains(said, want) {
				t.Errorf("%d: no %s", status, want)
			}
		}
		for _, of := range []string{"typus_database_wal_bytes", "typus_database_groups_total", "typus_database_disk_free_bytes"} {
			if strings.Contains(said, of) != (s.Dialect() == "sqlite") {
				t.Errorf("%s on %s", of, s.Dialect())
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		status, said = scrape(m)
		if status != http.StatusOK || !strings.Contains(said, "typus_database_answers 0") || strings.Contains(said, "typus_letters{") || !strings.Contains(said, "typus_ready 1") {
			t.Errorf("a database that is away: %d %s", status, said)
		}
	})
}

func TestOneScrapeRunsAtATimeAndThereIsNothingElse(t *testing.T) {
	s := storetest.OpenSQLite(t)
	asked, goOn := make(chan bool), make(chan bool)
	m := metrics.New(metrics.Options{Store: s, Version: "v1", Ready: func(context.Context) bool {
		asked <- true
		return <-goOn
	}})
	first := make(chan int)
	go func() {
		status, _ := scrape(m)
		first <- status
	}()
	<-asked
	if status, _ := scrape(m); status != http.StatusServiceUnavailable {
		t.Errorf("the second scrape: %d", status)
	}
	goOn <- true
	if status := <-first; status != http.StatusOK {
		t.Errorf("the first scrape: %d", status)
	}
	for _, other := range []struct {
		method, path string
		status       int
	}{{"GET", "/", 404}, {"GET", "/debug/pprof/", 404}, {"POST", "/metrics", 405}} {
		w := httptest.NewRecorder()
		m.Handler().ServeHTTP(w, httptest.NewRequest(other.method, other.path, nil))
		if w.Code != other.status {
			t.Errorf("%s %s: %d", other.method, other.path, w.Code)
		}
	}
}

func BenchmarkARequestIsCounted(b *testing.B) {
	seen := metricsOf(storetest.OpenSQLite(b)).Of("api")
	for b.Loop() {
		seen("/api/v1/candidates/{id}", http.StatusOK, time.Millisecond)
	}
}

func BenchmarkAScrape(b *testing.B) {
	m := metricsOf(storetest.OpenSQLite(b))
	for b.Loop() {
		scrape(m)
	}
}
