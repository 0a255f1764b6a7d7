package dashboard

import (
	"errors"
	"net/http"
	"strconv"

	"typus"
	"typus/internal/store"
)

// addNote keeps what the visitor writes about a candidate.
func (f *face) addNote(v *visit, c typus.Candidate) error {
	typed := v.PostFormValue("notiz")
	err := f.Steps.AddNote(v.Context(), v.Reader, typus.Note{CandidateID: c.ID, Body: typed}, v.actor())
	if sent, err := f.sentBefore(v, err, to(candidatePath(c.ID))); sent {
		return err
	}
	if err == nil {
		return f.done(v, candidatePath(c.ID), f.say(v, "candidate.notes.added"))
	}
	fault, said := f.firstFault(v, err, "candidate.notes.tooMany")
	if !said {
		return err
	}
	return f.again(v, c, func(view *candidateView) {
		view.Note.Value, view.Note.Fault = typed, fault
		f.sum(&view.frame, v, view.Note)
	})
}

// mayDrop reports whether the visitor may delete a note. Everybody may delete their own
// notes; admins and owners may delete any, because the author may have left.
func (v visitor) mayDrop(n typus.Note) bool {
	return v.may(admin) || v.may(member) && n.UserID == v.User.ID
}

// askDropNote shows the note that is to be deleted.
func (f *face) askDropNote(v *visit, c typus.Candidate) error {
	notes, err := f.Store.NotesOf(v.Context(), v.Reader, c.ID)
	if err != nil {
		return err
	}
	for _, n := range notes {
		if v.PathValue("notiz") == strconv.FormatInt(n.ID, 10) && v.mayDrop(n) {
			return f.render(v, http.StatusOK, f.dropNoteView(f.frame(v, areaCandidates), c, n))
		}
	}
	return typus.Errorf(typus.NotFound, "there is no such note")
}

func (f *face) dropNoteView(fr frame, c typus.Candidate, n typus.Note) removalView {
	path := candidatePath(c.ID)
	fr.Crumbs = []crumb{{Label: "shell.candidates", Path: peoplePath}, {Name: c.Name, Path: path}}
	return removalView{
		frame: fr, Heading: "candidate.notes.dropTitle", What: "candidate.notes.dropWhat", Do: "form.forGood", Back: path,
		Facts: []fact{{Label: "candidate.notes.by", Text: n.Author}, {Label: "candidate.notes.at", At: n.CreatedAt}, {Label: "candidate.notes.one", Text: n.Body}},
	}
}

// dropNote removes a note that the visitor may delete.
func (f *face) dropNote(v *visit, c typus.Candidate) error {
	id, err := strconv.ParseInt(v.PathValue("notiz"), 10, 64)
	if err != nil {
		return typus.Errorf(typus.NotFound, "there is no such note")
	}
	err = f.Steps.DropNote(v.Context(), v.Reader, c.ID, id, v.may(admin), v.actor())
	if err != nil {
		return err
	}
	return f.done(v, candidatePath(c.ID), f.say(v, "candidate.notes.dropped"))
}

// addTag gives a candidate a tag.
func (f *face) addTag(v *visit, c typus.Candidate) error {
	typed := v.PostFormValue("tag")
	err := f.Steps.Tag(v.Context(), v.Reader, c.ID, typed)
	if err == nil {
		return f.done(v, candidatePath(c.ID), f.say(v, "candidate.tags.added"))
	}
	fault, said := f.firstFault(v, err, "candidate.tags.tooMany")
	if !said {
		return err
	}
	return f.again(v, c, func(view *candidateView) {
		view.Tag.Value, view.Tag.Fault = typed, fault
		f.sum(&view.frame, v, view.Tag)
	})
}

// dropTag takes a tag away.
func (f *face) dropTag(v *visit, c typus.Candidate) error {
	err := f.Store.InTx(v.Context(), func(tx *store.Tx) error {
		return tx.UntagCandidate(v.Context(), v.Reader, c.ID, v.PostFormValue("tag"))
	})
	if err != nil {
		return err
	}
	return f.done(v, candidatePath(c.ID), f.say(v, "candidate.tags.dropped"))
}

// firstFault says what is wrong with the one text of a form: the first field of an
// Invalid, or, for a Conflict, that there are too many. It reports false for any other
// error.
func (f *face) firstFault(v *visit, err error, tooMany string) (string, bool) {
	wrong, ok := errors.AsType[*typus.Error](err)
	switch {
	case ok && wrong.Kind == typus.Conflict:
		return f.say(v, tooMany), true
	case ok && wrong.Kind == typus.Invalid && len(wrong.Fields) > 0:
		return f.faultText(v, wrong.Fields[0]), true
	}
	return "", false
}
