package dashboard

import (
	"net/http"
	"strconv"
	"time"

	"typus"
	"typus/internal/access"
	"typus/internal/roster"
	"typus/internal/store"
)

// creditsView is the balance, how long it will do, and the ledger.
type creditsView struct {
	frame
	Balance  int64
	Plan     typus.Plan
	Whole    bool  // the visitor reads all positions: only then do they know how many are invited
	Open     int   // invitations that can still be finished
	Worst    int64 // the balance if all of them are
	State    string
	Forecast forecast
	Entries  []ledgerRow
	Next     string // address of the next page, "" on the last
	First    string
	Command  string // how the operator grants more
}

// Template names the page.
func (creditsView) Template() string { return "credits" }

// The states of a balance.
const (
	balanceEmpty = "empty" // invitations are refused
	balanceLow   = "low"   // a fifth of the last grant is left
	balanceFine  = ""
)

// ledgerRow is an entry as the page shows it.
type ledgerRow struct {
	store.LedgerRow
	Who    string // did it, in the reader's words
	Remark string // likewise
}

// Grant reports whether credits were given.
func (l ledgerRow) Grant() bool { return l.Reason == typus.ReasonGrant }

// What is the text key of what was booked.
func (l ledgerRow) What() string { return bookings[l.Reason] }

var bookings = map[typus.CreditReason]string{
	typus.ReasonGrant: "credits.grant", typus.ReasonCompletion: "credits.completion", typus.ReasonTakenOver: "credits.takenOver",
}

// Change is the booking with its sign.
func (l ledgerRow) Change() string {
	if l.Delta > 0 {
		return "+" + figure(l.Delta)
	}
	return figure(l.Delta)
}

// After is the balance after the booking.
func (l ledgerRow) After() string { return figure(l.BalanceAfter) }

// Figure is the balance as it is printed.
func (v creditsView) Figure() string { return figure(v.Balance) }

// WorstFigure is the worst balance as it is printed.
func (v creditsView) WorstFigure() string { return figure(v.Worst) }

// figure writes a number with the sign for minus, which is as wide as a digit.
func figure(n int64) string {
	if n < 0 {
		return "\u2212" + strconv.FormatInt(-n, 10)
	}
	return strconv.FormatInt(n, 10)
}

const ledgerShown = 50

func (f *face) credits(v *visit) error {
	view, before := creditsView{
		Balance: v.Account.Credits, Plan: v.Account.Plan,
		Command: "typus credits add --account " + strconv.FormatInt(v.Account.ID, 10) + " --amount 50 --note \"…\"",
	}, position(v, "vor")
	if err := f.ledger(&view, v, before); err != nil {
		return err
	}
	if len(view.Entries) == 0 && before != 0 { // whatever stood on this page is gone
		return f.goOn(v, creditsPath)
	}
	view.frame = f.frame(v, areaCredits)
	since := f.paceSince(v.Account)
	outlook, err := f.Store.CreditOutlook(v.Context(), v.Account.ID, f.now(), since)
	if err != nil {
		return err
	}
	view.Open, view.Worst = outlook.Open, view.Balance-int64(outlook.Open)
	view.Whole = v.Reader.Positions.Everything
	view.State, view.Forecast = balanceState(v.Account, outlook.LastGrant), f.forecast(v.Account, outlook, since)
	return f.render(v, http.StatusOK, view)
}

// balanceState says how a balance stands, by the rules of the letters to the owners: a
// fifth of the last grant is left, or nothing is.
func balanceState(a typus.Account, lastGrant int64) string {
	switch {
	case a.Plan != typus.PlanStarter:
		return balanceFine
	case a.Credits <= 0:
		return balanceEmpty
	case a.Credits*5 <= lastGrant:
		return balanceLow
	}
	return balanceFine
}

// ledger fills in a page of the ledger.
func (f *face) ledger(view *creditsView, v *visit, before int64) error {
	entries, err := f.Store.Ledger(v.Context(), v.Reader, before, ledgerShown+1)
	if err != nil {
		return err
	}
	if len(entries) > ledgerShown {
		entries = entries[:ledgerShown]
		view.Next = creditsPath + "?vor=" + strconv.FormatInt(entries[ledgerShown-1].ID, 10)
	}
	if before > 0 {
		view.First = creditsPath
	}
	for _, e := range entries {
		view.Entries = append(view.Entries, ledgerRow{LedgerRow: e, Who: f.actorName(v, e.Actor), Remark: f.remark(v, e.Note)})
	}
	return nil
}

// remark is the note of an entry. A note that the server writes itself is said in the
// reader's language.
func (f *face) remark(v *visit, note string) string {
	if note == access.FirstCredits {
		return f.say(v, "credits.firstGrant")
	}
	return note
}

// bookedAt is when something was booked: the moment, or the account's day where the visitor is
// not to know when a test was completed.
func (v *visit) bookedAt(e store.LedgerRow) string {
	if e.Hidden {
		return v.Account.DayOf(e.CreatedAt)
	}
	return v.inTable(e.CreatedAt)
}

// forecast says when the credits will be used up at the recent pace.
type forecast struct {
	Finished int       // tests in the time looked at
	Days     int       // that time
	Until    time.Time // zero: cannot be said, or later than farAhead
	Far      bool      // later than farAhead
}

const (
	forecastDays = 30
	// A forecast from fewer days or tests than these would be a guess.
	leastDays, leastTests = 7, 3
	// From so many tests on the store has read only the newest entries.
	manyTests = 4000
	farAhead  = 2 * 365 * 24 * time.Hour
)

// paceSince is from when on the pace of an account is looked at.
func (f *face) paceSince(a typus.Account) time.Time {
	since := f.now().AddDate(0, 0, -forecastDays)
	if a.CreatedAt.After(since) {
		return a.CreatedAt
	}
	return since
}

func (f *face) forecast(a typus.Account, o store.CreditOutlook, since time.Time) forecast {
	// Where only the newest entries were read, they cover less time.
	if o.Finished >= manyTests && o.First.After(since) {
		since = o.First
	}
	return predict(a.Credits, o.Finished, f.now().Sub(since), f.now())
}

// predict goes on at the pace of n tests in a span of time.
func predict(balance int64, n int, span time.Duration, now time.Time) forecast {
	fc := forecast{Finished: n, Days: int(span / (24 * time.Hour))}
	busy := n >= manyTests && span > 0
	if balance <= 0 || n < leastTests || fc.Days < leastDays && !busy {
		return fc
	}
	left := float64(span) / float64(n) * float64(balance)
	if left > float64(farAhead) {
		fc.Far = true
		return fc
	}
	fc.Until = now.Add(time.Duration(left))
	return fc
}

// creditsExport sends the whole ledger as a file, newest first. It is a POST because
// the audit log notes every export.
func (f *face) creditsExport(v *visit) error {
	if err := f.clerk.NoteExport(v.Context(), v.Account.ID, typus.AuditCreditsExported, "", v.actor()); err != nil {
		return err
	}
	say := func(key string) string { return f.say(v, key) }
	csv := newCSV(v.w, "credits-"+v.Account.DayOf(f.now())+".csv", v.lang)
	csv.Row(f.inUTC(v, say("credits.when")), say("credits.what"), say("credits.delta"), say("credits.after"), say("credits.note"), say("credits.who"), "candidate_id")
	for before := int64(0); ; {
		entries, err := f.Store.Ledger(v.Context(), v.Reader, before, 500)
		if err != nil {
			return err
		}
		for _, e := range entries {
			before = e.ID
			what, candidate := say(bookings[e.Reason]), strconv.FormatInt(e.CandidateID, 10)
			if e.CandidateID == 0 { // also where the visitor is not to know whose test it was
				candidate = ""
			}
			csv.RowAsIs(v.bookedAt(e), what, strconv.FormatInt(e.Delta, 10), strconv.FormatInt(e.BalanceAfter, 10),
				roster.Harmless(f.remark(v, e.Note)), roster.Harmless(f.actorName(v, e.Actor)), candidate)
		}
		if err := csv.send(); err != nil || len(entries) == 0 {
			return err
		}
		if err := f.stillMay(v, viewer); err != nil {
			return err
		}
	}
}
