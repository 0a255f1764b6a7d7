package dashboard

import (
	"strings"
	"testing"
	"time"

	"typus"
	"typus/internal/assess"
	"typus/internal/pdf/pdftest"
	"typus/internal/store"
)

// takesOver is a candidate who takes over what their address has answered before.
func (w *world) takesOver(out assess.Invited) {
	w.Helper()
	w.Must(w.Assess.SendOwnCode(w.Ctx, out.Token, "", ""))
	letters, err := w.Store.LettersOf(w.Ctx, w.Account, out.Candidate.ID)
	w.Must(err)
	l := letters[len(letters)-1]
	code, err := w.Box.Open(l.Detail, l.DetailAAD())
	w.Must(err)
	kept, err := w.Assess.EnterOwnCode(w.Ctx, out.Token, assess.Entry{Code: string(code)})
	w.Must(err)
	test, err := w.Assess.Test(w.Ctx, out.Token)
	w.Must(err)
	at, err := w.Assess.EarlierAnswers(w.Ctx, test)
	w.Must(err)
	_, err = w.Assess.TakeOver(w.Ctx, out.Token, assess.Choice{
		Kept: kept, AnsweredAt: at, Notice: typus.Notice{Version: "v1", Language: "de", At: w.Now()}, NoticeText: "Hinweise",
	})
	w.Must(err)
}

const (
	earlierHeading = "Frühere Ergebnisse"
	beforeHeading  = "Schon einmal teilgenommen"
)

// Earlier results stand closed, with date, position and version and no figure, for whoever
// reads those candidates and is blind neither to them nor to this one; where there is nothing,
// nothing hints at it.
func TestEarlierResultsAreForWhoReadsThem(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		boss := w.as(owner)
		secret := placed(t, boss.place("Geheim", "confidential", "1"))
		invite := func(position int64) assess.Invited {
			return w.invitedBy(w.Account, assess.Invitation{Name: "Kim", Email: "kim@example.com", PositionID: position})
		}
		first := invite(secret)
		boss.get(candidatePath(first.Candidate.ID)).want(t, 200).without(t, earlierHeading, beforeHeading)
		w.finishes(first.Token, func(i int) int { return 2 + i%4 }, 4000)
		w.Later(time.Minute)
		second := invite(0)
		w.finishes(second.Token, func(i int) int { return 2 + i%3 }, 4000)
		w.Later(time.Minute)
		third := invite(0)

		page, old, older := candidatePath(third.Candidate.ID), `href="`+candidatePath(second.Candidate.ID)+`"`, `href="`+candidatePath(first.Candidate.ID)+`"`
		for _, path := range []string{page, invitedPath(third.Candidate.ID)} {
			boss.get(path).want(t, 200, beforeHeading, old, older, "Geheim", "Fassung 2.0.0", "drei Monate Abstand").without(t, earlierHeading)
			w.as(member).get(path).want(t, 200, beforeHeading, old).without(t, older, "Geheim")
		}
		w.as(interviewer).get(page).want(t, 200).without(t, beforeHeading, old)
		boss.get(candidatePath(second.Candidate.ID)).want(t, 200, earlierHeading, older, "belegt keine Veränderung").without(t, old, beforeHeading)
		boss.get(candidatePath(first.Candidate.ID)).want(t, 200).without(t, earlierHeading, old)

		w.blindTo(false)
		ida := w.as(member)
		ida.get(page).want(t, 200).without(t, beforeHeading, old, older)
		ida.get(invitedPath(third.Candidate.ID)).want(t, 200).without(t, beforeHeading, old, older)
		boss.get(page).want(t, 200, beforeHeading, old)

		w.Must(w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), first.Candidate.ID, by))
		w.Must(w.Assess.Erase(w.Ctx, store.WholeAccount(w.Account), second.Candidate.ID, by))
		boss.get(page).want(t, 200).without(t, beforeHeading, old, older)
	})
}

// Whoever reads a result that was taken over is told so first, with both days, on the page, in
// the file, in the list and in the ledger; it is as old as its answers.
func TestAResultThatWasTakenOverSaysSo(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.sound("Kim")
		w.Later(330 * 24 * time.Hour)
		out := w.invitedBy(w.Account, assess.Invitation{Name: "Kim", Email: "kim@example.com"})
		w.takesOver(out)
		c, path := w.as(owner), candidatePath(out.Candidate.ID)
		const says = "Beantwortet am 27.11.2026, übernommen am 23.10.2027."
		c.get(path).want(t, 200, says, "Antworten vom 27.11.2026 übernommen, ohne neuen Test", "Antworten übernommen", path+"/hinweise").without(t, "Test begonnen", "älter als")
		if file := pdftest.Words(t, []byte(c.get(path+"/bericht.pdf").want(t, 200).body)); !strings.Contains(file, says) {
			t.Errorf("the file says %q", file)
		}
		c.get("/dashboard/kandidaten").want(t, 200, "Antworten übernommen")
		c.get(creditsPath).want(t, 200, "Ergebnis übernommen")
		w.Later(40 * 24 * time.Hour)
		c = w.as(owner)
		c.get(path).want(t, 200, "älter als 12 Monate")

		previewed, err := w.Store.ResultsToPreview(w.Ctx, store.WholeAccount(w.Account), 100)
		w.Must(err)
		figures, err := w.Store.PositionFigures(w.Ctx, store.WholeAccount(w.Account), typus.Position{Standard: true}, w.Now())
		w.Must(err)
		if len(previewed) != 1 || len(figures.Times) != 1 || figures.Finished.N != 2 {
			t.Errorf("%d results are previewed, %d times are known, %d have finished", len(previewed), len(figures.Times), figures.Finished.N)
		}
	})
}
