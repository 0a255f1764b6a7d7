package api_test

import (
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/store"
	"typus/internal/store/storetest"
)

// Only where answers were taken over does extra have a last member that says when they were
// given; the candidate object itself is as ever.
func TestExtraSaysWhenAnswersThatWereTakenOverWereGiven(t *testing.T) {
	storetest.Run(t, func(t *testing.T, s *store.Store) {
		w := newWorldOn(t, s, nil)
		before := w.invite(`{` + person + `}`)
		w.Must(w.Assess.Begin(w.Ctx, before.CandidateToken, typus.Notice{Version: "v1", Language: "de", At: w.Now()}, "Hinweise"))
		var given []assess.Given
		for i, item := range w.Instrument.Items() {
			given = append(given, assess.Given{ItemID: item.ID, Value: 2 + i%4, ActiveMS: 4000})
		}
		_, err := w.Assess.Answer(w.Ctx, before.CandidateToken, given)
		w.Must(err)
		w.Must(w.Assess.Finish(w.Ctx, before.CandidateToken))
		w.Later(24 * time.Hour)
		out := w.invite(`{` + person + `}`)
		w.Must(w.Assess.SendOwnCode(w.Ctx, out.CandidateToken, "", ""))
		test, err := w.Assess.Test(w.Ctx, out.CandidateToken)
		w.Must(err)
		letters, err := w.Store.LettersOf(w.Ctx, w.Account, test.Candidate.ID)
		w.Must(err)
		l := letters[len(letters)-1]
		code, err := w.Box.Open(l.Detail, l.DetailAAD())
		w.Must(err)
		kept, err := w.Assess.EnterOwnCode(w.Ctx, out.CandidateToken, assess.Entry{Code: string(code)})
		w.Must(err)
		at, err := w.Assess.EarlierAnswers(w.Ctx, test)
		w.Must(err)
		_, err = w.Assess.TakeOver(w.Ctx, out.CandidateToken, assess.Choice{
			Kept: kept, AnsweredAt: at, Notice: typus.Notice{Version: "v1", Language: "de", At: w.Now()}, NoticeText: "Hinweise",
		})
		w.Must(err)
		list := w.do(call{path: "/api/v1/candidates?include=extra"}).body
		taken, own, _ := strings.Cut(list, `},{"id"`)
		end := `"position":null,"answered_at":"` + at.Format(time.RFC3339) + `"}`
		if !strings.HasSuffix(taken, end) || !strings.Contains(taken, `"completed_at":"`+w.Now().Format(time.RFC3339)+`"`) || !strings.Contains(taken, `"started_at":null`) {
			t.Errorf("taken over is\n%s", taken)
		}
		if strings.Contains(own, "answered_at") || !strings.Contains(own, `"position":null}`) {
			t.Errorf("the earlier one is\n%s", own)
		}
		if plain := w.do(call{path: "/api/v1/candidates"}).body; strings.Contains(plain, "answered_at") {
			t.Errorf("unasked:\n%s", plain)
		}
	})
}
