package dashboard

import (
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"typus"
	"typus/internal/assess"
	"typus/internal/web"
)

// draftOver, behind an address, tells the script of the page that what a browser has of a
// draft is not needed any more: the ratings are saved, or the draft is dropped.
const draftOver = "?erledigt"

// own reports whether a form of ratings was shown to the visitor, not to somebody else who
// was logged in before them.
func own(v *visit) bool { return v.PostFormValue("von") == strconv.FormatInt(v.User.ID, 10) }

// keepDraft keeps what the visitor typed so far. The script of the page, which does that
// while they type, asks for JSON.
func (f *face) keepDraft(v *visit, c typus.Candidate) error {
	if v.Header.Get("Accept") == "application/json" {
		return f.keepTyped(v, c)
	}
	return f.takeRatings(v, c, false)
}

// keepTyped is keepDraft for the script. It says what the form holds from now on, or by its
// status why nothing was kept: 403, the form is not the visitor's, or the account is suspended
// (see face.suspended); 409, other ratings were saved since; 422, this can be nobody's ratings.
func (f *face) keepTyped(v *visit, c typus.Candidate) error {
	if !v.interviews() || !own(v) {
		return sayKept(v, http.StatusForbidden, keptDraft{})
	}
	view, err := f.guideView(v, c)
	if err != nil {
		return err
	}
	ratings, sound := f.typedRatings(v, view, false)
	if !sound {
		return sayKept(v, http.StatusUnprocessableEntity, keptDraft{})
	}
	stand, err := f.Steps.KeepDraft(v.Context(), v.Reader, c.ID, assess.Ratings{List: ratings, Since: v.PostFormValue("stand")}, v.actor())
	if typus.Is(err, typus.Conflict) {
		return sayKept(v, http.StatusConflict, keptDraft{})
	}
	if err != nil {
		return err
	}
	return sayKept(v, http.StatusOK, keptDraft{Stand: stand, At: f.now().UTC().Format(time.RFC3339)})
}

// keptDraft is what the script hears of a draft.
type keptDraft struct {
	Stand     string `json:"stand"`
	At        string `json:"at"`
	Suspended bool   `json:"suspended,omitzero"` // nothing is kept until the account is no longer suspended
}

func sayKept(v *visit, status int, said keptDraft) error {
	body, err := json.Marshal(said)
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Security-Policy", web.DataPolicy)
	v.w.WriteHeader(status)
	_, _ = v.w.Write(body) // a reader who has gone is no fault
	return nil
}

// dropDraft forgets what the visitor has kept of a draft.
func (f *face) dropDraft(v *visit, c typus.Candidate) error {
	path := candidatePath(c.ID) + "/leitfaden"
	if !v.interviews() {
		return f.refuse(v)
	}
	if !own(v) {
		return f.undone(v, path, f.say(v, "guide.others"))
	}
	err := f.Steps.DropDraft(v.Context(), v.Reader, c.ID, v.PostFormValue("stand"))
	switch {
	case assess.Stale(err):
		return f.undone(v, path, f.say(v, "guide.dropStale"))
	case typus.Is(err, typus.Conflict):
		return f.undone(v, path, f.say(v, "guide.frozen"))
	case err != nil:
		return err
	}
	return f.done(v, path+draftOver, f.say(v, "guide.dropped"))
}
