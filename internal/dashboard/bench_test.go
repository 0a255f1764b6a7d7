package dashboard

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/accounts"
	"typus/internal/assess"
	"typus/internal/auth"
	"typus/internal/instrument"
	"typus/internal/seal"
	"typus/internal/store"
	"typus/internal/store/storetest"
	"typus/internal/webhook"
)

// benchDesk is a dashboard with candidates who have finished, of whom the team has written
// and seen much: who is logged in, and their ids.
func benchDesk(b *testing.B, people int) (http.Handler, *http.Cookie, []string) {
	b.Helper()
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	ctx, s, in, log := b.Context(), storetest.OpenSQLite(b), instrument.Own(), slog.New(slog.NewJSONHandler(io.Discard, nil))
	box, err := seal.New([]byte("a secret of the server, 32 bytes"))
	must(err)
	guard := webhook.NewGuard(webhook.Policy{})
	const base = "https://typus.example.com"
	steps := assess.New(assess.Options{Store: s, Box: box, Instrument: in, BaseURL: base, Log: log})
	ways := access.New(access.Options{Store: s, Box: box, Instrument: in, BaseURL: base})
	site, pages := parsed()
	f := newFace(Options{Store: s, Steps: steps, Access: ways, Accounts: accounts.New(accounts.Options{Store: s, Box: box, Instrument: in, Guard: guard, BaseURL: base}),
		Box: box, Instrument: in, Guard: guard, HeaderPrefix: "X-Service", Site: site, BaseURL: base, Mail: true, Log: log}, pages)
	account, err := ways.CreateAccount(ctx, typus.Account{Name: "Bench", Plan: typus.PlanBusiness}, 0)
	must(err)
	now := time.Now().UTC()
	var all []int64
	for n := range people {
		out, _, err := steps.Invite(ctx, account, assess.Invitation{Name: "Jana Müller", Email: fmt.Sprintf("jana%d@example.com", n), SendEmail: true}, nil)
		must(err)
		must(steps.Begin(ctx, out.Token, typus.Notice{Version: "v1", Language: "de", At: now}, "Hinweise"))
		var given []assess.Given
		for i, it := range in.Items() {
			given = append(given, assess.Given{ItemID: it.ID, Value: 2 + (i+n)%4, ActiveMS: 4000})
		}
		_, err = steps.Answer(ctx, out.Token, given)
		must(err)
		must(steps.Finish(ctx, out.Token))
		all = append(all, out.Candidate.ID)
	}
	token := auth.NewSession()
	must(s.InTx(ctx, func(tx *store.Tx) error {
		user, err := tx.AddUser(ctx, typus.User{AccountID: account, Email: "ada@example.com", Role: typus.RoleOwner, Language: "de", CreatedAt: now}, "$argon2id$")
		if err != nil {
			return err
		}
		for _, one := range all {
			if err := writtenMuch(ctx, tx, account, one, user, now); err != nil {
				return err
			}
		}
		return tx.AddSession(ctx, typus.Session{Hash: auth.Hash(token), UserID: user, AccountID: account, Verified: true,
			ConfirmedAt: now, CreatedAt: now, SeenAt: now, ExpiresAt: now.Add(24 * time.Hour)})
	}))
	ids := make([]string, len(all))
	for i, one := range all {
		ids[i] = strconv.FormatInt(one, 10)
	}
	return f.handler(), &http.Cookie{Name: f.sessionCookie(), Value: token}, ids
}

// writtenMuch adds what the team has written of a candidate, and looked at.
func writtenMuch(ctx context.Context, tx *store.Tx, account, candidate, user int64, now time.Time) error {
	mark := 4
	for i := range 20 {
		_, err := tx.AddNote(ctx, typus.Note{AccountID: account, CandidateID: candidate, UserID: user, Author: "ada@example.com", Body: strings.Repeat("Notiz ", 30), CreatedAt: now})
		for _, e := range []error{
			err, tx.TagCandidate(ctx, store.WholeAccount(account), candidate, fmt.Sprint("tag", i)),
			tx.AddAudit(ctx, typus.AuditEntry{AccountID: account, CandidateID: candidate, UserID: 99, Actor: "bea@example.com", Action: typus.AuditReportViewed, CreatedAt: now}),
			tx.PutRating(ctx, candidate, store.Rating{UserID: user, Question: fmt.Sprint("co", i%5+1), Mark: &mark, SavedAt: now}),
		} {
			if e != nil {
				return e
			}
		}
	}
	return tx.SetRated(ctx, candidate, user, now)
}

func BenchmarkReportPage(b *testing.B) {
	h, cookie, ids := benchDesk(b, 1)
	benchPage(b, h, cookie, "/dashboard/kandidat/"+ids[0])
}

func BenchmarkComparisonOfFive(b *testing.B) {
	h, cookie, ids := benchDesk(b, mostCompared)
	benchPage(b, h, cookie, compareOf(ids...))
}

// benchPage measures a page with a report on it.
func benchPage(b *testing.B, h http.Handler, cookie *http.Cookie, path string) {
	b.Helper()
	look := func() int {
		r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, path, nil)
		r.AddCookie(cookie)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `<article class="report`) {
			b.Fatalf("%d: %.300s", w.Code, w.Body)
		}
		return w.Body.Len()
	}
	look() // the first look of an hour is noted
	size := 0
	b.ReportAllocs()
	for b.Loop() {
		size = look()
	}
	b.ReportMetric(float64(size), "B/page")
}
