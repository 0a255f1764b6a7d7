package dashboard

import (
	"net/http"

	"typus/internal/store"
)

// paramBody asks for the body of a delivery, which holds somebody's result.
const paramBody = "inhalt"

// sentBodyView is what a delivery carries, as far as the visitor is shown it.
type sentBodyView struct {
	SHA256 string // of the exact bytes
	Size   int    // in bytes, 0 once it is forgotten

	// One of these says why there is no Text; none while there is.
	Erased    bool   // the person is
	Forgotten bool   // its time is over
	Elsewhere string // the candidate's page, on which the result is to be seen first
	Closed    string // the address that shows it, and notes who looked

	Text    string
	Written bool // Text has characters that are not seen, written out

	bytes []byte // nil unless it is shown
}

// sentBody reads what a delivery carries. The body of a real one holds a result: it is shown
// to those who ask for it, and that they looked is noted like a look at the report. What the
// report does not show yet, because nobody has rated or the figures should not be
// interpreted, is not shown here either.
func (f *face) sentBody(v *visit, d store.LoggedDelivery) (sentBodyView, error) {
	stored, err := f.Store.SentBody(v.Context(), v.Account.ID, d.EventID)
	view := sentBodyView{SHA256: stored.SHA256, Size: len(stored.Payload), Erased: d.Erased, Forgotten: stored.Payload == nil && !d.Erased}
	if err != nil || stored.Payload == nil {
		return view, err
	}
	if !d.Test() {
		if err := f.closeBody(v, d, &view); err != nil || view.Elsewhere != "" || view.Closed != "" {
			return view, err
		}
	}
	view.bytes, view.Text = stored.Payload, plainly(string(stored.Payload))
	view.Written = view.Text != string(stored.Payload)
	return view, nil
}

// closeBody says whether a body with a result stays closed, and notes the look if it does not.
// What the person says of it is not in a body, so that nobody is noted to have read that.
func (f *face) closeBody(v *visit, d store.LoggedDelivery, view *sentBodyView) error {
	row, err := f.aRow(v, d.CandidateID)
	if err != nil {
		return err
	}
	about, err := f.Store.DossierOf(v.Context(), v.Reader, d.CandidateID)
	if err != nil {
		return err
	}
	switch {
	case row.Scores == nil || row.Scores.Doubtful() && !about.Opened:
		view.Elsewhere = candidatePath(d.CandidateID)
	case v.Method == http.MethodHead || v.URL.Query().Get(paramBody) == "":
		view.Closed = deliveryPath(d.ID) + "?" + paramBody + "=1#inhalt-der-anfrage"
	default:
		err = f.Steps.NoteViews(v.Context(), v.Reader, []int64{d.CandidateID}, v.actor())
	}
	return err
}

// closed reports whether the result is not shown. Then no answer is either: receivers send back
// what they got, in words of their own.
func (b sentBodyView) closed() bool { return b.Elsewhere != "" || b.Closed != "" }
