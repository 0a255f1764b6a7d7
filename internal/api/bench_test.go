package api_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/api"
	"typus/internal/assess"
	"typus/internal/instrument"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/web"
)

// The benchmarks drive a real server on loopback with keep-alive connections;
// hello is the bare handler of net/http that answers the same number of bytes,
// to read the others as ratios on whatever machine they run.

func benchServer(b *testing.B, rows int) (url, key string) {
	b.Helper()
	s := storetest.OpenSQLite(b)
	box, err := seal.New([]byte("a secret of the server, 32 bytes"))
	if err != nil {
		b.Fatal(err)
	}
	log := slog.New(slog.NewJSONHandler(io.Discard, nil))
	steps := assess.New(assess.Options{Store: s, Box: box, Instrument: instrument.Own(), BaseURL: baseURL, Log: log})
	ways := access.New(access.Options{Store: s, Box: box, Instrument: instrument.Own(), BaseURL: baseURL})
	account, err := ways.CreateAccount(b.Context(), typus.Account{Name: "Bench", Plan: typus.PlanBusiness}, 0)
	if err != nil {
		b.Fatal(err)
	}
	if _, key, err = ways.CreateKey(b.Context(), account, "bench", typus.Actor{Name: "operator"}); err != nil {
		b.Fatal(err)
	}
	for range rows {
		if _, _, err := steps.Invite(b.Context(), account, assess.Invitation{Name: "Jana Müller", Email: "jana@example.com"}, nil); err != nil {
			b.Fatal(err)
		}
	}
	score(b, s, account)
	server := httptest.NewServer(web.WithRequestID(log, web.SecurityHeaders(false,
		api.New(api.Options{Store: s, Steps: steps, BaseURL: baseURL, Log: log, Limiter: unlimited{}}))))
	b.Cleanup(server.Close)
	return server.URL, key
}

// score gives every candidate a result, so that the answers have their full size.
func score(b *testing.B, s *store.Store, account int64) {
	scores := typus.Scores{
		Overall: 77, Fit: typus.Fit{Key: "C", Label: "Mittlere Übereinstimmung mit dem Rollenprofil"},
		Persona: typus.Persona{Key: "allrounder", Name: "Gleichmaß", Subtitle: "Ohne einzelnen Schwerpunkt, auf gleich welchem Niveau"},
	}
	for _, key := range []string{"achievement_drive", "contact_initiative", "assertiveness", "resilience", "adaptability", "customer_orientation", "self_organization", "learning_orientation", "integrity"} {
		scores.Dimensions = append(scores.Dimensions, typus.DimensionScore{Key: key, Name: "Kundenorientierung", Score: 61})
	}
	list, _, err := s.Candidates(b.Context(), account, store.CandidateFilter{Limit: 100})
	if err != nil {
		b.Fatal(err)
	}
	err = s.InTx(b.Context(), func(tx *store.Tx) error {
		for _, c := range list {
			n := typus.Notice{Version: "1", Language: "de", At: time.Now()}
			if _, err := tx.BeginCandidate(b.Context(), account, c.ID, n, "salespersona@1.0.0", time.Now()); err != nil {
				return err
			}
			if _, err := tx.FinishCandidate(b.Context(), account, c.ID, scores, time.Now()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// drive sends requests over 32 connections until the benchmark has enough.
func drive(b *testing.B, key string, request func() (*http.Request, error)) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}
	defer client.CloseIdleConnections()
	b.SetParallelism(16)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			req, err := request()
			if err != nil {
				b.Error(err)
				return
			}
			req.Header.Set("Authorization", "Bearer "+key)
			resp, err := client.Do(req)
			if err != nil {
				b.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if resp.StatusCode >= 300 {
				b.Errorf("got %d", resp.StatusCode)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
}

func hello(b *testing.B, size int) {
	body := []byte(strings.Repeat("x", size))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(body) }))
	defer server.Close()
	drive(b, "", func() (*http.Request, error) { return http.NewRequest("GET", server.URL, nil) })
}

func BenchmarkRead(b *testing.B) {
	b.Run("hello", func(b *testing.B) { hello(b, 1100) })
	b.Run("candidate", func(b *testing.B) {
		url, key := benchServer(b, 100)
		drive(b, key, func() (*http.Request, error) {
			return http.NewRequest("GET", url+"/api/v1/candidates/100000000000007", nil)
		})
	})
}

func BenchmarkList(b *testing.B) {
	b.Run("hello", func(b *testing.B) { hello(b, 55_000) })
	b.Run("candidates", func(b *testing.B) {
		url, key := benchServer(b, 100)
		drive(b, key, func() (*http.Request, error) { return http.NewRequest("GET", url+"/api/v1/candidates?limit=50", nil) })
	})
}

func BenchmarkInvite(b *testing.B) {
	b.Run("hello", func(b *testing.B) { hello(b, 200) })
	b.Run("invite", func(b *testing.B) {
		url, key := benchServer(b, 0)
		var n atomic.Int64
		drive(b, key, func() (*http.Request, error) {
			body := fmt.Sprintf(`{"name":"Jana Müller","email":"jana@example.com","external_id":%d}`, n.Add(1))
			return http.NewRequest("POST", url+"/api/v1/invites", strings.NewReader(body))
		})
	})
}
