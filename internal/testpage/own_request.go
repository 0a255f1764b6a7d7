package testpage

import (
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"typus"
	"typus/internal/assess"
)

// ownRequests are what the candidate has asked the team for, and the form for more.
type ownRequests struct {
	List   []ownRequest // newest first
	Kinds  []ownKind    // that can be asked for now
	Text   string       // as it was typed, where it could not be kept
	Fault  string       // the code of what is wrong; "kind" if nothing was chosen
	Length int          // how long the text is
	Retest time.Time    // no earlier than that
}

// ownRequest is a request as the page shows it.
type ownRequest struct {
	typus.Request
	Label string // text key
}

// ownKind is something that can be asked for.
type ownKind struct {
	Kind        typus.RequestKind
	Label, Hint string // text keys
	Chosen      bool
}

// ownKinds are all that can be asked for in words.
var ownKinds = map[typus.RequestKind][2]string{
	typus.RequestResult:     {"own.request.result", "own.request.resultHint"},
	typus.RequestCorrection: {"own.request.correction", "own.request.correctionHint"},
	typus.RequestAccess:     {"own.request.access", "own.request.accessHint"},
	typus.RequestRetest:     {"own.request.retest", "own.request.retestHint"},
	typus.RequestErasure:    {"own.request.erasure", "own.request.erasureHint"},
}

// newOwnRequests shows what was asked for. What is asked for already is not offered again, nor
// is the result where it is shown.
func newOwnRequests(list []typus.Request, shown bool, completed time.Time) ownRequests {
	q := ownRequests{Retest: completed.Add(typus.RetestAfter)}
	for _, r := range list {
		q.List = append(q.List, ownRequest{r, ownKinds[r.Kind][0]})
	}
	for _, kind := range typus.RequestKinds() {
		asked := slices.ContainsFunc(list, func(r typus.Request) bool { return r.Kind == kind && (r.Open() || kind.Once()) })
		if !asked && !(shown && kind == typus.RequestResult) {
			q.Kinds = append(q.Kinds, newOwnKind(kind))
		}
	}
	return q
}

func newOwnKind(kind typus.RequestKind) ownKind {
	return ownKind{Kind: kind, Label: ownKinds[kind][0], Hint: ownKinds[kind][1]}
}

// choose marks a kind as chosen, also one that is not offered any more: what was typed for it
// stays in the form.
func (q *ownRequests) choose(kind typus.RequestKind) {
	if slices.Contains(typus.RequestKinds(), kind) && !slices.ContainsFunc(q.Kinds, func(k ownKind) bool { return k.Kind == kind }) {
		q.Kinds = append(q.Kinds, newOwnKind(kind))
	}
	for i, k := range q.Kinds {
		q.Kinds[i].Chosen = k.Kind == kind
	}
}

// ownRequest keeps what the candidate asks for. What cannot be kept stays in the form. What was
// asked for already in the same words is on the page.
func (f *face) ownRequest(w http.ResponseWriter, r *http.Request, v visit, _ assess.Proof) error {
	kind, text := typus.RequestKind(r.PostFormValue(ownAsked)), r.PostFormValue(ownAskFor)
	fault := "kind"
	if slices.Contains(typus.RequestKinds(), kind) {
		err := f.steps.OwnRequest(r.Context(), v.token, kind, text, f.candidate(r))
		code, ours := ownFault(err)
		if err != nil && !ours {
			return err
		}
		fault = code
	}
	if fault == "" {
		return v.redirect(w, r, ownPath+"?neu=anfrage#anfragen")
	}
	view, _, err := f.ownView(r, v)
	if err != nil {
		return err
	}
	view.Fault = true
	view.Requests.Text, view.Requests.Fault, view.Requests.Length = text, fault, utf8.RuneCountInString(strings.ReplaceAll(text, "\r\n", "\n"))
	view.Requests.choose(kind)
	return f.pages.Render(w, http.StatusUnprocessableEntity, v.lang, view)
}
